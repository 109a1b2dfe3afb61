"""Bytes to documents: what one raw message says, read once and kept beside the projections."""

from projections.documents.addresses import Address
from projections.documents.document import (
    SANITIZER_VERSION,
    VERSION,
    Attachment,
    Document,
    explain,
    headers,
    payload,
    payload_chunks,
    read,
    read_file,
    render,
    render_with_images,
    unreadable,
)

__all__ = [
    "SANITIZER_VERSION",
    "VERSION",
    "Address",
    "Attachment",
    "Document",
    "explain",
    "headers",
    "payload",
    "payload_chunks",
    "read",
    "read_file",
    "render",
    "render_with_images",
    "unreadable",
]
