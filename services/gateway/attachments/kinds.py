"""Which kind a part is served as: raster images, PDF and plain text keep theirs, all else is bytes to be saved (§10.8)."""

PREVIEWABLE = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "application/pdf", "text/plain"}
)
OTHER = "application/octet-stream"

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)
_PDF = b"%PDF-"
_PDF_WITHIN = 1024  # ISO 32000-1, implementation note 13


def served(declared: str, head: bytes) -> str:
    """By the first bytes: what a sender calls an image and is none (SVG, HTML) must never be shown as one."""
    if (image := _image(head)) is not None:
        return image
    if declared == "application/pdf" and _PDF in head[:_PDF_WITHIN]:
        return "application/pdf"
    if declared == "text/plain" and b"\0" not in head:
        return "text/plain"
    return OTHER


def _image(head: bytes) -> str | None:
    for magic, kind in _IMAGES:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp" and head[8:12] in {b"avif", b"avis"}:
        return "image/avif"
    return None
