"""What a part may be shown as is decided by its bytes, and its name leads nowhere."""

import pytest

from services.gateway.attachments.kinds import OTHER, served
from services.gateway.attachments.serving import disposition

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("declared", "head", "expected"),
    [
        ("image/png", PNG, "image/png"),
        ("image/jpeg", PNG, "image/png"),
        ("application/octet-stream", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("image/gif", b"GIF89a...", "image/gif"),
        ("image/webp", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        ("image/avif", b"\0\0\0\x1cftypavif", "image/avif"),
        ("image/bmp", b"BM\x10\0", "image/bmp"),
        ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", OTHER),
        ("image/png", b"<svg onload=alert(1)>", OTHER),
        ("text/html", b"<html>", OTHER),
        ("application/xhtml+xml", b"<html>", OTHER),
        ("text/xml", b"<?xml version='1.0'?>", OTHER),
        ("text/calendar", b"BEGIN:VCALENDAR", OTHER),
        ("text/plain", b"<script>alert(1)</script>", "text/plain"),
        ("text/plain", b"MZ\0\0", OTHER),
        ("application/pdf", b"%PDF-1.7", "application/pdf"),
        ("application/pdf", b"<html>", OTHER),
        ("application/zip", b"%PDF-1.7", OTHER),
        ("", b"", OTHER),
    ],
)
def test_a_part_is_served_as(declared: str, head: bytes, expected: str) -> None:
    assert served(declared, head) == expected


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("report.pdf", "attachment; filename=\"report.pdf\"; filename*=UTF-8''report.pdf"),
        ("żółć.txt", "attachment; filename=\"____.txt\"; filename*=UTF-8''%C5%BC%C3%B3%C5%82%C4%87.txt"),
        ('a"b\r\nX-Evil: 1.txt', "attachment; filename=\"a_b_X-Evil_ 1.txt\"; filename*=UTF-8''a_b_X-Evil_%201.txt"),
        ("../../etc/passwd", "attachment; filename=\"_.._etc_passwd\"; filename*=UTF-8''_.._etc_passwd"),
        ("cod\u202egpj.exe", "attachment; filename=\"cod_gpj.exe\"; filename*=UTF-8''cod_gpj.exe"),
        ("100%.txt", "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt"),
        ("", "attachment; filename=\"attachment\"; filename*=UTF-8''attachment"),
        ("...", "attachment; filename=\"attachment\"; filename*=UTF-8''attachment"),
    ],
)
def test_a_name_is_told_in_both_forms(filename: str, expected: str) -> None:
    assert disposition(filename, inline=False) == expected


def test_a_long_name_keeps_its_ending() -> None:
    told = disposition("x" * 5000 + ".pdf", inline=True)
    assert told.startswith("inline; ")
    assert told.endswith(".pdf")
    assert len(told) < 400
