"""Base subjects: what is left when mail clients' prefixes and lists' tags are gone (RFC 5256 §2.1, in all languages)."""

import re
from typing import NamedTuple

REPLIES = (
    "re|r|aw|antw|antwort|sv|vs|odp|res|ynt|bls|ref|rif|vá|απ|отв|ответ|השב|رد|回复|回覆|答复|答覆|返信|回信|회신|답장"
)
FORWARDS = "fw|fwd|wg|vb|vl|pd|rv|tr|enc|ilt|trs|doorst|továbbítás|πρθ|пер|הועבר|转发|轉寄|轉發|転送|전달"
_SPACE = r"[\s\u00a0\u3000]"
_PREFIX = re.compile(
    rf"{_SPACE}*(?:(?P<reply>{REPLIES})|(?P<forward>{FORWARDS}))"
    rf"{_SPACE}{{0,4}}(?:\[\d{{1,4}}\]|\(\d{{1,4}}\)|[*^]\d{{1,4}})?{_SPACE}{{0,4}}[:\uff1a]",
    re.IGNORECASE,
)
_TAG = re.compile(rf"{_SPACE}*\[[^\[\]]{{1,80}}\]")
_TRAILER = re.compile(rf"{_SPACE}{{0,9}}\(fwd\){_SPACE}{{0,9}}$", re.IGNORECASE)
LONGEST = 1_000


class Subject(NamedTuple):
    """`base`: case-folded, white space collapsed, empty when only prefixes stand. `reply`, `forward`: a prefix said so."""

    base: str
    reply: bool
    forward: bool


def parse(text: str) -> Subject:
    """Takes prefixes and tags off the front and `(fwd)` off the end; a tag that is all there is stays."""
    text = text[:LONGEST]
    reply = forward = False
    at = 0
    while True:
        if match := _PREFIX.match(text, at):
            reply = reply or match["reply"] is not None
            forward = forward or match["forward"] is not None
        elif not (match := _TAG.match(text, at)) or not text[match.end() :].strip():
            break
        at = match.end()
    rest = text[at:]
    while match := _TRAILER.search(rest):
        forward = True
        rest = rest[: match.start()]
    return Subject(" ".join(rest.split()).casefold(), reply, forward)
