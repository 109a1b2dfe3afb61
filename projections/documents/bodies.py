"""Which parts are the body and which are attachments (after RFC 8621 §4.1.4, corrected by what mailers do)."""

import msgspec

from projections.documents import params
from projections.documents.mime import Part

_BODY_TYPES = frozenset(("text/plain", "text/html"))


class Block(msgspec.Struct, kw_only=True):
    """A stretch of the body in one or both forms: the text is for the index, the HTML for display."""

    texts: list[Part] = msgspec.field(default_factory=list)
    htmls: list[Part] = msgspec.field(default_factory=list)


class Bodies(msgspec.Struct, kw_only=True):
    blocks: list[Block] = msgspec.field(default_factory=list)
    attachments: list[Part] = msgspec.field(default_factory=list)


def choose(root: Part) -> Bodies:
    """Every leaf goes to one of the two, in the order of the mail."""
    leaves = list(root.leaves())
    order = {id(leaf): number for number, leaf in enumerate(leaves)}
    found = _Chooser()
    found.visit(root, None, first=True)
    if not found.bodies.blocks:
        found.promote()
    found.bodies.attachments.sort(key=lambda leaf: order[id(leaf)])
    return found.bodies


class _Chooser:
    def __init__(self) -> None:
        self.bodies = Bodies()
        self.named: list[Part] = []

    def visit(self, part: Part, alternative: Block | None, *, first: bool) -> None:
        if part.children:
            self.descend(part, alternative)
        elif (
            (part.type not in _BODY_TYPES and not part.type.startswith("multipart/"))
            or disposition(part) == "attachment"
            or not first
        ):
            self.bodies.attachments.append(part)
        elif alternative is not None:
            (alternative.htmls if part.type == "text/html" else alternative.texts).append(part)
        elif name(part):
            self.named.append(part)
            self.bodies.attachments.append(part)
        else:
            self.show(part)

    def descend(self, part: Part, alternative: Block | None) -> None:
        if part.type == "multipart/alternative" and alternative is None:
            alternative = Block()
            self.bodies.blocks.append(alternative)
        for number, child in enumerate(part.children):
            # RFC 2387 §3.2: the root of multipart/related comes first; what follows belongs to it.
            self.visit(child, alternative, first=part.type != "multipart/related" or number == 0)
        if (
            alternative is not None
            and not alternative.texts
            and not alternative.htmls
            and alternative in self.bodies.blocks
        ):
            self.bodies.blocks.remove(alternative)

    def show(self, part: Part) -> None:
        html = part.type == "text/html"
        self.bodies.blocks.append(Block(texts=[] if html else [part], htmls=[part] if html else []))

    def promote(self) -> None:
        """Without any other body, the first text that is not marked as an attachment is the body."""
        others = (
            part for part in self.bodies.attachments if part.type.startswith("text/") and part.type != "text/calendar"
        )
        body = next((part for part in (*self.named, *others) if disposition(part) != "attachment"), None)
        if body is not None:
            self.bodies.attachments = [part for part in self.bodies.attachments if part is not body]
            self.show(body)


def disposition(part: Part) -> str:
    return params.disposition(part.header.first(b"content-disposition"))[0]


def name(part: Part) -> str:
    """The name to show for a part, or ""."""
    _, given = params.disposition(part.header.first(b"content-disposition"))
    return params.file_name(given.get("filename"), part.params.get("name"), given.get("name"))
