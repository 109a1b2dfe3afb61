"""Quoted mail folded away in cleaned HTML: `<details>` opens without a script."""

import re

_SUMMARY = "<summary>•••</summary>"
# These hold only in canonical, balanced HTML, which is what `sanitize.clean` gives.
_QUOTE = re.compile(
    r'<(?:(div|blockquote)\b[^<>]* class="[^"<>]*\b(?:gmail_quote|yahoo_quoted|protonmail_quote)\b[^<>]*'
    r'|blockquote\b[^<>]* type="cite"[^<>]*)>'
)
_EDGES = {name: re.compile(rf"<(/?){name}\b[^<>]*>") for name in ("div", "blockquote")}
_UNSEEN = re.compile(r"<(?!img\b)[^<>]*>|&nbsp;|\s+")


def fold(html: str) -> str:
    """Each outermost quote behind "•••"; one that nothing stands before stays open, or the mail would look empty."""
    out: list[str] = []
    position, seen = 0, False
    while quote := _QUOTE.search(html, position):
        before = html[position : quote.start()]
        position = _end(html, quote.start(), quote[1] or "blockquote")
        quoted = html[quote.start() : position]
        seen = seen or _UNSEEN.sub("", before) != ""
        out += (before, f"<details>{_SUMMARY}{quoted}</details>" if seen else quoted)
        seen = True
    return "".join((*out, html[position:]))


def _end(html: str, start: int, name: str) -> int:
    """Behind the end tag that closes the element which starts here."""
    depth = 0
    for edge in _EDGES[name].finditer(html, start):
        depth += -1 if edge[1] else 1
        if depth == 0:
            return edge.end()
    return len(html)
