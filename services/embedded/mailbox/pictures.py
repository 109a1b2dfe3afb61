"""Small files to attach: a picture and a document, drawn from their names so that they are the same each time."""

import struct
import zlib
from hashlib import sha256

WIDTH, HEIGHT = 320, 160


def png(name: str) -> bytes:
    """Hills under a sky, in colours of the name's own (PNG, ISO 15948)."""
    seed = sha256(name.encode()).digest()
    sky, near, far = (tuple(96 + value // 2 for value in seed[at : at + 3]) for at in (0, 3, 6))
    rows = bytearray()
    for y in range(HEIGHT):
        rows.append(0)  # no filter
        for x in range(WIDTH):
            hill = HEIGHT - 40 - _wave(x, seed[9]) - seed[10] // 8
            nearer = HEIGHT - 20 - _wave(x + 60, seed[11])
            colour = near if y > nearer else far if y > hill else sky
            rows.extend(min(255, part + (HEIGHT - y) // 8) for part in colour)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)


def pdf(title: str) -> bytes:
    """One page with a title (ISO 32000), which the standard fonts can write in ASCII only."""
    text = title.encode("ascii", "replace").replace(b"\\", b"").replace(b"(", b"").replace(b")", b"")
    content = b"BT /F1 20 Tf 72 720 Td (" + text + b") Tj ET"
    fonts = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources " + fonts + b" >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _wave(x: int, seed: int) -> int:
    """A parabola every so many pixels: round hills without floating point."""
    width = 60 + seed % 60
    place = x % (2 * width) - width
    return 30 - place * place * 30 // (width * width)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
