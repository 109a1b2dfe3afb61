"""What HTML is let near the HTML libraries: bombs are refused in linear time, before anything quadratic sees them."""

import re

MAX_SIZE = 1_000_000
MAX_AMPERSANDS = 40_000
MAX_TAGS = 150_000
MAX_TAG = 20_000
MAX_DEPTH = 400
MAX_CSS_WORK = 3_000_000
_HARMLESS_ATTRIBUTES = 8_000  # in one tag, measured: tens of milliseconds

# Elements that the parser closes by itself, and void ones: they do not nest.
_FLAT = "p|li|td|th|tr|dd|dt|option|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_NESTING = re.compile(rf"<(?!(?:{_FLAT})[\s/>])[A-Za-z]", re.IGNORECASE)
_FLAT_NAMES = frozenset(_FLAT.split("|"))
_TAG = re.compile(
    r"<!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    r"|<(script|style|xmp|iframe|noembed|noframes|textarea|title)\b(?s:.*?)(?:</\1(?=[\s/>])|\Z)"
    r"|<(/?)([A-Za-z][^\s/>]*+)"
    r"(?>\s++[A-Za-z-]++=\"[^\"]*+\"|[\s/]++|[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>\"'][^\s>]*+)?+)?+|=)*+>?",
    re.IGNORECASE,
)
_FOREIGN = re.compile("<(?:svg|math)", re.IGNORECASE)


def refusal(html: str) -> str | None:
    """Why this HTML is shown as plain text instead, or None."""
    if len(html) > MAX_SIZE:
        return "it is too large"
    if html.count("&") > MAX_AMPERSANDS:
        return "it holds too many character references"
    tags = html.count("<")
    if tags > MAX_TAGS:
        return "it holds too many tags"
    if (tags > MAX_DEPTH and len(_NESTING.findall(html)) > MAX_DEPTH) or _may_hold_a_long_tag(html):
        return _shape(html)
    return None


def _may_hold_a_long_tag(html: str) -> bool:
    """Attributes are kept apart by white space, a slash or quotes: without many of these no tag has many."""
    if len(html) <= MAX_TAG:
        return False
    quotes = (html.count('"') + html.count("'")) // 2
    return len(html.split()) + html.count("/") + quotes > _HARMLESS_ATTRIBUTES


def _shape(html: str) -> str | None:
    """Tags as a browser reads them; an end tag that closes nothing of its name doesn't lessen the depth."""
    depth = 0
    opened: dict[str, int] = {}
    foreign = bool(_FOREIGN.search(html))
    for found in _TAG.finditer(html):
        name = found[3]
        if name is None:
            # Raw text holds no tags, but inside svg and math these elements are ordinary ones.
            depth += found[0].count("<") if foreign and found[1] else 0
            if depth > MAX_DEPTH:
                return "it is nested too deeply"
            continue
        if found.end() - found.start() > MAX_TAG:
            return "it holds a tag that is too long"
        name = name.lower()
        if name in _FLAT_NAMES:
            continue
        if not found[2]:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > MAX_DEPTH:
                return "it is nested too deeply"
        elif opened.get(name):
            opened[name] -= 1
            depth -= 1
    return None


def may_inline(html: str, css: str) -> bool:
    """Style sheets are matched against every element: rules times tags is the work."""
    return css.count("{") * html.count("<") <= MAX_CSS_WORK
