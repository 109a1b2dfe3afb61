"""The parts of a message: each as its header and body, in lines that every mail server carries (RFC 2045)."""

import re
from base64 import b64encode
from binascii import b2a_qp
from collections.abc import Iterable, Iterator
from hashlib import sha256

from projections.documents import params
from projections.documents.charsets import codec
from services.mail.compose.fields import name_parameter, parameter, with_parameters
from services.mail.compose.letter import File

_SHOULD, _MUST = 78, 998  # RFC 5322 §2.1.1: octets of a line without its end
_BASE64_LINE = 76  # RFC 2045 §6.8
_TYPE = re.compile(r"(?!multipart/|message/)[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}")
_TOKEN = re.compile(r"[a-z0-9][a-z0-9._+-]{0,39}")
_UNKNOWN = "application/octet-stream"
_MESSAGE = "message/rfc822"
_LINE_END = re.compile(rb"\r?\n")


def text(subtype: str, content: str, *parameters: str) -> bytes:
    """As it is when it is ASCII in short lines, else as whatever is shorter of the two encodings."""
    content = content.rstrip("\n") + "\n"
    data = content.encode()
    if data.isascii() and max(map(len, data.split(b"\n"))) <= _SHOULD:
        encoding, body = "7bit", data.replace(b"\n", b"\r\n")
    else:
        encoding, body = "quoted-printable", b2a_qp(data).replace(b"\n", b"\r\n")
        if len(data) * 4 / 3 < len(body) and len(packed := base64(data.replace(b"\n", b"\r\n"))) < len(body):
            encoding, body = "base64", packed
    kind = with_parameters("Content-Type", f"text/{subtype}", [["charset=utf-8"], *([one] for one in parameters)])
    return kind + _encoding(encoding) + b"\r\n" + body


def file(file: File) -> bytes:
    """An attachment with its name, whatever its bytes are."""
    content = file.content if isinstance(file.content, bytes) else file.content.read_bytes()
    name, mime = params.file_name(file.name), file.mime.strip().lower()
    if mime == _MESSAGE:
        name = name or "message.eml"
        lines = _LINE_END.sub(b"\r\n", content)
        if _is_carried(lines):  # RFC 2046 §5.2.1: a message is never encoded
            return (
                _file_header(_MESSAGE, name, file) + _encoding("7bit" if lines.isascii() else "8bit") + b"\r\n" + lines
            )
    kind = mime.partition(";")[0].rstrip()
    if not _TYPE.fullmatch(kind):
        kind = _UNKNOWN
    said = list(_said(kind, params.parameters(mime), content))
    return _file_header(kind, name or "attachment", file, said) + _encoding("base64") + b"\r\n" + base64(content)


def multipart(subtype: str, parts: list[bytes], seed: str, *parameters: str) -> bytes:
    """The boundary comes from `seed`, and is one that stands in no part (RFC 2046 §5.1.1)."""
    boundary = _boundary(parts, f"{subtype} {seed}")
    kind = with_parameters(
        "Content-Type", f"multipart/{subtype}", [*([one] for one in parameters), [f'boundary="{boundary.decode()}"']]
    )
    if not all(part.isascii() for part in parts):
        kind += _encoding("8bit")  # RFC 2045 §6.4: said all the way up
    delimiter = b"\r\n--" + boundary
    body = b"".join(delimiter + b"\r\n" + part for part in parts)
    return kind + body + delimiter + b"--\r\n"


def base64(data: bytes) -> bytes:
    packed = b64encode(data)
    lines = [packed[start : start + _BASE64_LINE] for start in range(0, len(packed), _BASE64_LINE)]
    return b"\r\n".join([*lines, b""])


def _boundary(parts: list[bytes], seed: str) -> bytes:
    attempt = 0
    while True:
        boundary = b"=_" + sha256(f"{attempt} {seed}".encode()).hexdigest()[:32].encode()
        if not any(boundary in part for part in parts):
            return boundary
        attempt += 1


def _said(kind: str, given: params.Params, content: bytes) -> Iterator[list[str]]:
    """Of what is said of a file's type all that it would be read wrongly without."""
    charset = given.get("charset", "")
    if kind.startswith("text/"):
        if _TOKEN.fullmatch(charset) and codec(charset):
            yield [f"charset={charset}"]
        elif _is_utf8(content):
            yield ["charset=utf-8"]
    method = given.get("method", "")
    if kind == "text/calendar" and _TOKEN.fullmatch(method):
        yield [f"method={method.upper()}"]  # RFC 6047 §2.4: what it asks for


def _file_header(kind: str, name: str, file: File, said: Iterable[list[str]] = ()) -> bytes:
    disposition = "inline" if file.inline else "attachment"
    header = with_parameters("Content-Type", kind, [*said, name_parameter(name)])
    header += with_parameters("Content-Disposition", disposition, parameter("filename", name))
    if file.inline and file.content_id:
        header += f"Content-ID: <{file.content_id}>\r\n".encode()
    return header


def _encoding(name: str) -> bytes:
    return f"Content-Transfer-Encoding: {name}\r\n".encode()


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_carried(lines: bytes) -> bool:
    """RFC 2045 §2.8: lines that end with CRLF, none too long, no NUL."""
    if b"\0" in lines or lines.count(b"\r") != lines.count(b"\n"):
        return False
    return max(map(len, lines.split(b"\r\n"))) <= _MUST
