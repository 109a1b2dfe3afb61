"""Thunderbird's configuration file as a candidate. It comes from whoever has the domain: no DTD, no entities, little depth."""

from collections.abc import Iterable, Mapping
from typing import Literal
from xml.parsers import expat

from msgspec import Struct

from services.mail.discovery.address import Address, host
from services.mail.discovery.candidates import Auth, Candidate, Method, Server

DEPTH = 16
ELEMENTS = 2000
USERNAME = 320
_TLS: Mapping[str, Literal["ssl", "starttls"]] = {"SSL": "ssl", "STARTTLS": "starttls"}
_PASSWORD = frozenset({"password-cleartext", "plain", "password-encrypted", "secure"})


class Unusable(Exception):
    """No configuration that we can use: its text is why."""


class Found(Struct, frozen=True, kw_only=True):
    """A server as the file has it, with its placeholders."""

    kind: str
    fields: Mapping[str, str]
    authentication: tuple[str, ...]


def candidate(source: Method, text: bytes, address: Address) -> Candidate:
    """Raises Unusable."""
    reader = _Reader()
    reader.read(text)
    imap = _best(reader.servers, "imap", address)
    if imap is None:
        raise Unusable("it names no IMAP server with TLS that takes a password")
    smtp = _best(reader.servers, "smtp", address)
    return Candidate(
        source=source,
        origin=reader.name or address.domain,
        imap=imap[0],
        smtp=smtp[0] if smtp else None,
        auth=imap[1],
    )


def _best(servers: Iterable[Found], kind: str, address: Address) -> tuple[Server, tuple[Auth, ...]] | None:
    """TLS from the first byte before STARTTLS (RFC 8314 §3), otherwise the file's own order."""
    usable = [made for server in servers if server.kind == kind and (made := _server(server, address))]
    return min(usable, key=lambda made: made[0].tls != "ssl", default=None)


def _server(found: Found, address: Address) -> tuple[Server, tuple[Auth, ...]] | None:
    name = host(_filled(found.fields.get("hostname", ""), address))
    port = found.fields.get("port", "")
    tls = _TLS.get(found.fields.get("socketType", "").upper())
    auth = _auth(found.authentication, name or "")
    if name is None or tls is None or not auth or not port.isdecimal() or not 0 < int(port[:6]) <= 65535:
        return None
    username = _filled(found.fields.get("username", "%EMAILADDRESS%"), address)
    if not username.isprintable() or not 0 < len(username) <= USERNAME:
        return None
    return Server(host=name, port=int(port), tls=tls, username=username), auth


def _auth(ways: tuple[str, ...], name: str) -> tuple[Auth, ...]:
    """An access token is only got where we know the provider's door."""
    known: list[Auth] = []
    if "OAuth2" in ways:
        known += ["oauth:google"] if name.endswith((".gmail.com", ".googlemail.com")) else []
        known += ["oauth:microsoft"] if name.endswith((".office365.com", ".outlook.com")) else []
    if not ways or _PASSWORD.intersection(ways):
        known.append("password")
    return tuple(known)


def _filled(text: str, address: Address) -> str:
    """In one pass: what is put in is not looked at again."""
    parts = text.split("%")
    names = {"EMAILADDRESS": address.whole, "EMAILLOCALPART": address.local, "EMAILDOMAIN": address.domain}
    if len(parts) % 2 == 0:
        return text
    return "".join(part if n % 2 == 0 else names.get(part, f"%{part}%") for n, part in enumerate(parts))


class _Reader:
    """Collects `<incomingServer>`, `<outgoingServer>` and the provider's name of the first `<emailProvider>`."""

    def __init__(self) -> None:
        self.servers: list[Found] = []
        self.name = ""
        self._path: list[str] = []
        self._text: list[str] = []
        self._count = 0
        self._kind = ""
        self._fields: dict[str, str] = {}
        self._ways: list[str] = []

    def read(self, text: bytes) -> None:
        """Raises Unusable."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.ExternalEntityRefHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        try:
            parser.Parse(text, True)
        except (expat.ExpatError, ValueError, LookupError):  # the last two: of an encoding that it names
            raise Unusable("it is no well-formed XML") from None

    def _refuse(self, *_: object) -> int:
        raise Unusable("it defines a document type or entities, which is refused")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._count += 1
        self._path.append(name)
        if len(self._path) > DEPTH or self._count > ELEMENTS:
            raise Unusable("it is nested too deeply or has too many elements")
        self._text.clear()
        if name in ("incomingServer", "outgoingServer"):
            self._kind, self._fields, self._ways = attributes.get("type", ""), {}, []

    def _end(self, name: str) -> None:
        value = "".join(self._text).strip()
        self._text.clear()
        self._path.pop()
        parent = self._path[-1] if self._path else ""
        if name in ("incomingServer", "outgoingServer"):
            self.servers.append(Found(kind=self._kind, fields=self._fields, authentication=tuple(self._ways)))
        elif parent in ("incomingServer", "outgoingServer"):
            if name == "authentication":
                self._ways.append(value)
            else:
                self._fields.setdefault(name, value)
        elif parent == "emailProvider" and name == "displayName" and not self.name:
            self.name = _shown(value)


def _shown(text: str) -> str:
    return "".join(character for character in text if character.isprintable())[:80]
