"""Text for the index, the display and the snippet: from plain parts as it is, from HTML with its blocks kept apart."""

import re
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

SNIPPET = 160
_SNIPPET_SOURCE = 8_192

# What stands for a break while the text is taken out of the tree; `tidy` removed them from the source before.
_BREAK, _BLOCK, _PARAGRAPH, _QUOTE, _UNQUOTE = "\x03\x02\x01\x04\x05"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES = bytes((*range(9), 11, 12, *range(14, 32), 127))
_SILENT = "script,style,title,head,noscript,template,textarea,select,svg,math,object,iframe,[hidden],[style*='display:none' i],[style*='display: none' i],[style*='mso-hide:all' i]"
_MARKS = {
    "br": _BREAK,
    "td": " ",
    "th": " ",
    **dict.fromkeys(("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "hr"), _PARAGRAPH),
}
_BREAKING = (
    ",".join(_MARKS)
    + ",div,tr,li,dt,dd,table,ul,ol,dl,section,article,header,footer,address,center,form,figure,caption"
)
_QUOTES = ".gmail_quote,.yahoo_quoted,.moz-cite-prefix,.protonmail_quote,blockquote[type='cite' i],#divRplyFwdMsg,#appendonsend,#OLK_SRC_BODY_SECTION"
# Runs that aren't one plain space already. Zero-width padding goes with the blanks it stands among, as in preheaders; inside
# of words it joins letters and stays.
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\u034f\u00ad\ufeff"
_BLANK, _ZERO = r"[ \t\r\n\f\xa0]", f"[{_ZERO_WIDTH}]"
_BLANKS = re.compile(rf"(?<!{_ZERO}){_ZERO}*+{_BLANK}(?:{_BLANK}|{_ZERO})++|(?! ){_BLANK}")
_BREAKS = re.compile(r"[\x01-\x03]+")
_QUOTED = re.compile(r"\x04[^\x04\x05]*\x05?")
_MANY_LINES = re.compile(r"\n{3,}")
_ATTRIBUTION = re.compile(
    r"(?:On|At|In|Am|Le|El|Il|Op|Den|Em|Dne|W dniu|Dnia)\b.{5,300}?(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|schreef|skrev|escreveu|napsal|napisał|pisze)\S{0,8}\s*:$",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(r"-{2,}\s*(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Oryginalna wiadomość|Wiadomość oryginalna|Message d'origine|Mensaje original)", re.IGNORECASE)  # fmt: skip
_SEPARATOR = re.compile(r"[-=_*#~+.]{3,}")


class FromHtml(NamedTuple):
    text: str
    own: str  # without what is quoted


def tidy(text: str) -> str:
    """Line ends are LF, and there are no control characters: Postgres takes no NUL."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.encode().translate(None, _CONTROL_BYTES).decode()
    return _CONTROL.sub("", text)


def from_html(html: str) -> FromHtml:
    """The text of tidy HTML that `guard.refusal` let pass."""
    tree = LexborHTMLParser(html)
    root = tree.root
    if root is None:
        return FromHtml("", "")
    for node in tree.css(_SILENT):
        node.remove()
    for node in tree.css(_BREAKING):
        mark = _MARKS.get(node.tag or "", _BLOCK)
        node.insert_before(mark)
        if mark in (_BLOCK, _PARAGRAPH):
            node.insert_after(mark)
        if node.tag == "pre":
            _keep_lines(node)
    quoted = tree.css(_QUOTES)
    for node in quoted:
        node.insert_before(_QUOTE)
        node.insert_after(_UNQUOTE)
    raw = _spaced((tree.body or root).text())
    text = _lines(raw.replace(_QUOTE, "").replace(_UNQUOTE, "")) if quoted else _lines(raw)
    if not text:  # a mail of pictures
        text = _spaced(" ".join(image.attributes.get("alt") or "" for image in tree.css("img[alt]"))).strip()
    return FromHtml(text, _lines(_unquoted(raw)) if quoted else text)


def _keep_lines(node: LexborNode) -> None:
    for leaf in [leaf for leaf in node.traverse(include_text=True) if leaf.is_text_node]:
        leaf.replace_with((leaf.text_content or "").replace("\n", _BREAK))


def _unquoted(raw: str) -> str:
    """What stands outside of all quote marks."""
    out: list[str] = []
    depth = 0
    for piece in re.split("([\x04\x05])", raw):
        if piece == _QUOTE:
            depth += 1
        elif piece == _UNQUOTE:
            depth -= 1
        elif depth == 0:
            out.append(piece)
    return "".join(out)


def _spaced(text: str) -> str:
    """Runs of blanks as one space. Replacing is ten times faster than the pattern, which only zero-width padding needs."""
    if not text.isascii() and any(character in text for character in _ZERO_WIDTH):
        return _BLANKS.sub(" ", text)
    for blank in "\t\r\n\f\xa0":
        text = text.replace(blank, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


def _lines(raw: str) -> str:
    for mark in (_BREAK, _BLOCK, _PARAGRAPH):
        raw = raw.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    return _BREAKS.sub(_break, raw).strip()


def _break(found: re.Match[str]) -> str:
    marks = found[0]
    return "\n\n" if _PARAGRAPH in marks or marks.count(_BREAK) > 1 else "\n"


def snippet(text: str) -> str:
    """The first words that the sender wrote; quoted ones only when there are no others."""
    start = text[:_SNIPPET_SOURCE]
    return _shorten(_own(start)) or _shorten(start)


def _own(text: str) -> str:
    """The sender's own words, as many as a snippet needs."""
    kept: list[str] = []
    wanted = SNIPPET * 2
    previous = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if line == "--" or (line.startswith("--") and _ORIGINAL.match(line)) or wanted < 0:
            break
        if line.startswith(">") or _SEPARATOR.fullmatch(line):
            continue
        if line.endswith(":") and (_ATTRIBUTION.match(line) or _ATTRIBUTION.match(f"{previous} {line}")):
            if not _ATTRIBUTION.match(line):
                kept.pop()
            continue
        if line:
            kept.append(line)
            wanted -= len(line)
            previous = line
    return " ".join(kept)


def _shorten(text: str) -> str:
    words = _spaced(text).strip()
    if len(words) <= SNIPPET:
        return words
    cut = words.rfind(" ", SNIPPET // 2, SNIPPET)
    return words[: cut if cut != -1 else SNIPPET].rstrip() + "…"
