"""What HTML is let near the HTML libraries: bombs are refused in linear time, before anything quadratic sees them."""

import re

MAX_SIZE = 1_000_000
MAX_AMPERSANDS = 40_000
MAX_TAGS = 150_000
MAX_TAG = 20_000
MAX_DEPTH = 400
MAX_CSS_MATCHES = 5_000_000
MAX_CSS_OUTPUT = 100_000_000
_WHITE_SPACE = "".join(character for character in map(chr, range(128)) if character.isspace())
_HARMLESS_ATTRIBUTES = 8_000  # in one tag, measured: tens of milliseconds

# Elements that the parser closes by itself, and void ones: they do not nest.
_FLAT = "p|li|td|th|tr|dd|dt|option|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_NESTING = re.compile(rf"<(?!(?i:{_FLAT})[\s/>])[A-Za-z]")
_FLAT_NAMES = frozenset(_FLAT.split("|"))
# WHATWG HTML §13.2.5: comments, real and bogus; CDATA, which is one or the other; tags with their attributes.
_TOKEN = re.compile(
    r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    r"|<!\[CDATA\[(?P<unsure>(?s:.*?))(?:\]\]>|\Z)"
    r"|<(?:[!?]|/[^A-Za-z>])[^>]*+>?"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?>\s++[A-Za-z-]++=\"[^\"]*+\"|[\s/]++|[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?+)?+|=)*+>?"
)
_RAW_TEXT = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title")
}


def refusal(html: str) -> str | None:
    """Why this HTML is shown as plain text instead, or None."""
    if len(html) > MAX_SIZE:
        return "it is too large"
    if html.count("&") > MAX_AMPERSANDS:
        return "it holds too many character references"
    tags = html.count("<")
    if tags > MAX_TAGS:
        return "it holds too many tags"
    if (tags - html.count("</") > MAX_DEPTH and _nesting(html) > MAX_DEPTH) or _may_hold_a_long_tag(html):
        return _shape(html)
    return None


def _may_hold_a_long_tag(html: str) -> bool:
    """Attributes are kept apart by white space, a slash or quotes: without many of these no tag has many."""
    if len(html) <= MAX_TAG:
        return False
    others = html.count("/") + (html.count('"') + html.count("'")) // 2
    if html.isascii() and others + sum(map(html.count, _WHITE_SPACE)) < _HARMLESS_ATTRIBUTES:
        return False  # it has still fewer words, which cost more to count
    return len(html.split()) + others > _HARMLESS_ATTRIBUTES


def _shape(html: str) -> str | None:
    """The greatest depth that any reading of the tags gives, and the longest tag.

    Whether an element holds raw text depends on where it stands: start tags in it count, end tags in it don't. Nor does
    an end tag that closes nothing of its name.
    """
    depth, position = 0, 0
    opened: dict[str, int] = {}
    while token := _TOKEN.search(html, position):
        position = token.end()
        name = (token["name"] or "").lower()
        if name and position - token.start() > MAX_TAG:
            return "it holds a tag that is too long"
        if token["unsure"]:
            depth += _nesting(token["unsure"])
        elif name and token["end"]:
            if opened.get(name):
                opened[name] -= 1
                depth -= 1
        elif name in _RAW_TEXT:
            closing = _RAW_TEXT[name].search(html, position)
            start, position = position, closing.start() if closing else len(html)
            depth += _nesting(html[start:position])
        elif name and name not in _FLAT_NAMES:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
        if depth > MAX_DEPTH:
            return "it is nested too deeply"
    return None


def _nesting(html: str) -> int:
    return len(_NESTING.findall(html))


def may_inline(html: str, css: str) -> bool:
    """Every selector is matched against every element, and every declaration may be written into each of them."""
    tags = html.count("<")
    return (css.count("{") + css.count(",")) * tags <= MAX_CSS_MATCHES and len(css) * tags <= MAX_CSS_OUTPUT
