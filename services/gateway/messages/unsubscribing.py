"""How a mailing list can be left: the ways that its header names (RFC 2369 §3.2, RFC 8058)."""

import re
from urllib.parse import urlsplit
from uuid import UUID

from projections.documents import Document
from services.blobs import BlobMissing
from services.gateway.deps import Gateway
from services.gateway.messages import headers
from services.gateway.messages.structs import Unsubscribe

_LONGEST = 4_000
_LINK = re.compile(r"<([^<>]+)>")
_SPACE = re.compile(r"\s+")
_POST = "list-unsubscribe-post"
_ONE_CLICK = "list-unsubscribe=one-click"


def links(field: str) -> tuple[str | None, str | None]:
    """The first mailto and the first https address; white space in them is of folding (RFC 2369 §2)."""
    mailto = https = None
    for found in _LINK.findall(field):
        link = _SPACE.sub("", found)
        if len(link) > _LONGEST or not (link.isascii() and link.isprintable()):
            continue
        scheme = link.partition(":")[0].lower()
        if scheme == "mailto" and mailto is None and "@" in link:
            mailto = link
        elif scheme == "https" and https is None and _has_host(link):
            https = link
    return mailto, https


async def way(parts: Gateway, user_id: UUID, blob: str, document: Document) -> Unsubscribe | None:
    """None where the message names none that we can follow."""
    mailto, https = links(document.list_unsubscribe or "")
    if not (mailto or https):
        return None
    one_click = https is not None and await _one_click(parts, user_id, blob)
    return Unsubscribe(mailto=mailto, https=https, one_click=one_click)


async def _one_click(parts: Gateway, user_id: UUID, blob: str) -> bool:
    """RFC 8058 §3.1. The document does not keep this field."""
    try:
        fields = await headers.read(parts, user_id, blob)
    except BlobMissing:
        return False
    said = [value.strip().lower() for name, value in fields if name.lower() == _POST]
    return said == [_ONE_CLICK]


def _has_host(link: str) -> bool:
    try:
        return bool(urlsplit(link).hostname)
    except ValueError:
        return False
