"""HTML that somebody wrote as the text that they would have written: lists, links, quotes and tables stay readable."""

import re
from collections.abc import Callable
from html import escape

from selectolax.lexbor import LexborHTMLParser, LexborNode

from projections.documents import guard, sanitize
from projections.documents.text import tidy
from services.mail.compose.flowed import SIGNATURE

# Elements with lines of their own, and whether an empty line stands around them.
_EDGES = {
    **dict.fromkeys(
        """
        address article aside caption center dd div dl dt figcaption figure footer form header li main nav section
        summary details tbody tfoot thead tr
        """.split(),  # noqa: SIM905 a wall of quotes reads worse
        False,
    ),
    **dict.fromkeys(("p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "table"), True),
}
_UNSEEN = frozenset(
    (
        "head",
        "title",
        "style",
        "script",
        "template",
        "noscript",
        "object",
        "iframe",
        "textarea",
        "select",
        "svg",
        "math",
    )
)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_LINK = re.compile(r"(?:https?:|mailto:|tel:)", re.IGNORECASE)
_RULE = "-" * 40
_DEEPEST = 20  # quotes and lists: nothing that is nested makes text much longer than its HTML
_KEPT_BLANK = re.compile(r"^ | (?= )")


def text_of(html: str) -> str:
    """Quotes begin with `>`; lines are as long as their paragraphs."""
    html = tidy(html)
    if guard.refusal(html):
        return tidy(sanitize.plain(html)).strip()
    writer = _Writer()
    body = LexborHTMLParser(html).body
    if body is not None:
        _walk(body, writer)
    return writer.text()


def html_of(text: str) -> str:
    """Text as simple HTML, which `text_of` turns back."""
    lines = (escape(line.rstrip(), quote=False) for line in tidy(text).expandtabs(4).split("\n"))
    return "".join(f"<div>{_KEPT_BLANK.sub('&nbsp;', line) or '<br>'}</div>" for line in lines)


def _walk(root: LexborNode, writer: "_Writer") -> None:
    """Every node is entered and left, in order, however deep it is."""
    node, depth = root, 0
    while True:
        child = node.first_child if writer.enter(node) else None
        if child is not None:
            node, depth = child, depth + 1
            continue
        writer.leave(node)
        while depth and node.next is None and node.parent is not None:
            node, depth = node.parent, depth - 1
            writer.leave(node)
        if not depth or node.next is None:
            return
        node = node.next


class _Writer:
    """Lines while they are written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line = ""
        self.depth = 0  # of quotes
        self.written_depth = 0
        self.gap = False  # an empty line stands before the next
        self.verbatim = 0
        self.lists: list[int | None] = []  # the next number, or bullets
        self.indents: list[str] = []
        self.marker = ""
        self.links: list[tuple[int, int]] = []

    def text(self) -> str:
        self.end_line()
        lines = [line.replace("\xa0", " ").rstrip(" ") for line in self.lines]
        return "\n".join(SIGNATURE if line == "--" else line for line in lines).strip("\n")

    def enter(self, node: LexborNode) -> bool:
        """Whether what is inside is to be read."""
        tag = node.tag or ""
        if node.is_text_node:
            self.write(node.text_content or "")
        elif _is_unseen(node):
            return False
        else:
            if tag in _EDGES:
                self.edge(gap=_EDGES[tag])
            if opening := _OPENING.get(tag):
                opening(self, node)
        return True

    def leave(self, node: LexborNode) -> None:
        if _is_unseen(node):
            return
        tag = node.tag or ""
        if tag in _EDGES:
            self.edge(gap=_EDGES[tag])
        if closing := _CLOSING.get(tag):
            closing(self, node)

    def break_line(self, _: LexborNode) -> None:
        self.put_line()

    def rule(self, _: LexborNode) -> None:
        self.end_line()
        self.line = _RULE
        self.end_line()

    def picture(self, node: LexborNode) -> None:
        if alt := _BLANKS.sub(" ", node.attributes.get("alt") or "").strip():
            self.write(f"[{alt}]")

    def cell(self, _: LexborNode) -> None:
        if self.line.strip():
            self.line = self.line.rstrip() + " | "

    def begin_verbatim(self, _: LexborNode) -> None:
        self.verbatim += 1

    def end_verbatim(self, _: LexborNode) -> None:
        self.verbatim -= 1

    def begin_quote(self, _: LexborNode) -> None:
        self.end_line()
        self.depth += 1

    def end_quote(self, _: LexborNode) -> None:
        self.edge(gap=True)
        self.depth -= 1

    def begin_list(self, node: LexborNode) -> None:
        self.edge(gap=not self.lists)
        self.lists.append(_number(node.attributes.get("start")) if node.tag == "ol" else None)

    def end_list(self, _: LexborNode) -> None:
        self.lists.pop()
        self.edge(gap=not self.lists)

    def begin_item(self, _: LexborNode) -> None:
        number = self.lists[-1] if self.lists else None
        if number is not None:
            self.lists[-1] = number + 1
        self.marker = "- " if number is None else f"{number}. "
        self.indents.append(" " * len(self.marker))

    def end_item(self, _: LexborNode) -> None:
        self.marker = ""
        self.indents.pop()

    def begin_link(self, _: LexborNode) -> None:
        self.links.append((len(self.lines), len(self.line)))

    def end_link(self, node: LexborNode) -> None:
        """The address behind the words, unless they say it."""
        href = (node.attributes.get("href") or "").strip()
        lines, start = self.links.pop()
        words = self.line[start:].strip() if lines == len(self.lines) else ""
        address = href.removeprefix("mailto:")
        said = {address, address.rstrip("/"), address.partition("://")[2].rstrip("/")}
        if _LINK.match(href) and words.rstrip("/") not in said:
            self.line = f"{self.line.rstrip(' ')} <{address}>" if self.line.strip() else f"<{address}>"

    def write(self, text: str) -> None:
        if self.verbatim:
            *whole, rest = text.split("\n")
            for line in whole:
                self.line += line
                self.put_line()
            self.line += rest
            return
        text = _BLANKS.sub(" ", text)
        self.line += text.lstrip(" ") if not self.line or self.line.endswith(" ") else text

    def edge(self, *, gap: bool) -> None:
        self.end_line()
        self.gap = self.gap or gap

    def end_line(self) -> None:
        if self.line.strip(" "):
            self.put_line()
        self.line = ""

    def put_line(self) -> None:
        """The line, also when it is empty."""
        if self.gap and self.lines and self.lines[-1].strip("> "):
            self.lines.append(_marks(min(self.depth, self.written_depth)))
        marked = self.indents[: -1 if self.marker else None]
        indent = "".join(marked[-_DEEPEST:]) + self.marker
        content = f"{indent}{self.line}" if self.line.strip(" ") else ""
        marks = _marks(self.depth)
        self.lines.append(f"{marks} {content}" if marks and content else marks + content)
        self.line, self.marker, self.gap, self.written_depth = "", "", False, self.depth


def _marks(depth: int) -> str:
    return ">" * min(depth, _DEEPEST)


def _is_unseen(node: LexborNode) -> bool:
    return node.tag in _UNSEEN or (node.is_element_node and "hidden" in node.attributes)


def _number(start: str | None) -> int:
    return int(start) if start and start.isdecimal() and len(start) < 7 else 1


_OPENING: dict[str, Callable[[_Writer, LexborNode], None]] = {
    "br": _Writer.break_line,
    "hr": _Writer.rule,
    "img": _Writer.picture,
    "a": _Writer.begin_link,
    "td": _Writer.cell,
    "th": _Writer.cell,
    "pre": _Writer.begin_verbatim,
    "blockquote": _Writer.begin_quote,
    "ul": _Writer.begin_list,
    "ol": _Writer.begin_list,
    "li": _Writer.begin_item,
}
_CLOSING: dict[str, Callable[[_Writer, LexborNode], None]] = {
    "a": _Writer.end_link,
    "pre": _Writer.end_verbatim,
    "blockquote": _Writer.end_quote,
    "ul": _Writer.end_list,
    "ol": _Writer.end_list,
    "li": _Writer.end_item,
}
