"""The style filter: declarations that only style, kept as written; whatever is not known to be harmless is dropped."""

import re
from functools import lru_cache
from typing import NamedTuple

_MAX_CACHED = 400

# No position, z-index, top, left, content, cursor, filter, transform, animation or custom properties: nothing that
# leaves the mail's own box, moves, or carries a value elsewhere.
_PROPERTIES = frozenset(
    """
    azimuth background background-attachment background-clip background-color background-image background-origin
    background-position background-repeat background-size border border-bottom border-bottom-color
    border-bottom-left-radius border-bottom-right-radius border-bottom-style border-bottom-width border-collapse
    border-color border-left border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style border-top border-top-color
    border-top-left-radius border-top-right-radius border-top-style border-top-width border-width box-shadow
    box-sizing caption-side clear color direction display empty-cells flex flex-basis flex-direction flex-flow
    flex-grow flex-shrink flex-wrap float font font-family font-size font-stretch font-style font-variant
    font-weight gap align-items align-content align-self justify-content height letter-spacing line-height
    list-style list-style-position list-style-type margin margin-bottom margin-left margin-right margin-top max-height
    max-width min-height min-width opacity order outline outline-color outline-style outline-width overflow
    overflow-wrap overflow-x overflow-y padding padding-bottom padding-left padding-right padding-top
    table-layout text-align text-decoration text-decoration-color text-decoration-line text-decoration-style
    text-indent text-overflow text-shadow text-transform unicode-bidi vertical-align visibility white-space width
    word-break word-spacing word-wrap
    """.split()  # noqa: SIM905 a wall of quotes reads worse
)
_FUNCTIONS = frozenset(
    """
    rgb rgba hsl hsla calc min max clamp linear-gradient radial-gradient conic-gradient
    repeating-linear-gradient repeating-radial-gradient -webkit-linear-gradient
    """.split()  # noqa: SIM905 a wall of quotes reads worse
)
_HEIGHTS = frozenset(("height", "min-height", "max-height"))
_DECLARATION = re.compile(
    r"(?:[^;\"'()]++|\"[^\"]*+\"|'[^']*+'|\((?:[^()\"']++|\"[^\"]*+\"|'[^']*+'|\((?:[^()]++|\([^()]*+\))*+\))*+\)|[\"'()])++"
)
_URL = re.compile(r"\burl\(\s*(\"[^\"]*\"|'[^']*'|[^\"'()\s]*)\s*\)", re.IGNORECASE)
_VALUE = re.compile(r"[\w\s.,%#/!'\"()+*\-:&]*")
_FUNCTION = re.compile(r"([\w-]*)\(")
_VIEWPORT = re.compile(r"\d(?:[dls]?v(?:h|min|max|b))\b", re.IGNORECASE)  # a mail as high as its frame grows for ever
_REMOTE = re.compile(r"(?:https?:)?//[\w.~:/?#\[\]@!$&*+,;=%-]+", re.IGNORECASE)
_COLOURLESS = frozenset(
    ("transparent", "inherit", "initial", "unset", "none", "0", "currentcolor", "auto", "windowtext")
)


class Style(NamedTuple):
    text: str
    blocked: int  # remote images that were taken out
    designed: bool  # it brings colours of its own


def clean(style: str, *, remote: bool) -> Style:
    """The declarations of a style attribute that may stay."""
    return _cached(style, remote) if len(style) < _MAX_CACHED else _clean(style, remote)


@lru_cache(maxsize=8192)
def _cached(style: str, remote: bool) -> Style:
    return _clean(style, remote)


def _clean(style: str, remote: bool) -> Style:
    kept: list[str] = []
    blocked, designed = 0, False
    for declaration in _DECLARATION.findall(_without_comments(style)):
        name, colon, value = declaration.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or name not in _PROPERTIES:
            blocked += _loads(value)
            continue
        images: list[str] = []
        if "url" in value.lower():
            value, images, dropped = _take_urls(value, remote and name.startswith("background"))
            blocked += dropped
        if not value or not _harmless(name, value):
            blocked += _loads(value)
            continue
        designed = designed or _colours(name, value)
        kept.append(f"{name}:{_put_urls(value, images)}")
    return Style(";".join(kept), blocked, designed)


def _without_comments(style: str) -> str:
    out: list[str] = []
    position = 0
    while (start := style.find("/*", position)) != -1:
        out.append(style[position:start])
        end = style.find("*/", start + 2)
        if end == -1:
            return "".join(out)
        position = end + 2
    return "".join(out) + style[position:]


def _take_urls(value: str, keep: bool) -> tuple[str, list[str], int]:
    """The value without its url() tokens; a kept one leaves the word that `_put_urls` fills."""
    images: list[str] = []
    dropped = 0

    def take(found: re.Match[str]) -> str:
        nonlocal dropped
        url = found[1].strip("\"' \t\r\n\f")
        if keep and _REMOTE.fullmatch(url):
            images.append("https:" + url if url.startswith("//") else url)
            return f" wm-url-{len(images) - 1}-wm "
        dropped += 1 if url and not url.lower().startswith(("data:", "cid:", "#")) else 0
        return " "

    return " ".join(_URL.sub(take, value).split()), images, dropped


def _put_urls(value: str, images: list[str]) -> str:
    for number, url in enumerate(images):
        value = value.replace(f"wm-url-{number}-wm", f"url('{url}')", 1)
    return value


def _harmless(name: str, value: str) -> bool:
    if not _VALUE.fullmatch(value) or not _balanced(value):
        return False
    if not all(function.lower() in _FUNCTIONS or not function for function in _FUNCTION.findall(value)):
        return False
    if _VIEWPORT.search(value) or (name in _HEIGHTS and "%" in value):
        return False
    return not (name == "display" and value.lower().startswith(("contents", "inline-flex-")))


def _balanced(value: str) -> bool:
    """Parentheses and quotes closed in order, so that no declaration can swallow its neighbours."""
    depth, quote = 0, ""
    for character in value:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0 and not quote


def _loads(value: str) -> int:
    """Would a dropped value have loaded something?"""
    return 1 if "//" in value else 0


def _colours(name: str, value: str) -> bool:
    return (name == "color" or name.startswith("background")) and value.lower() not in _COLOURLESS
