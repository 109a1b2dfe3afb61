"""Letters that nobody would write, the same on every run: hostile names, long words, all scripts, every shape of attachment."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from html import escape
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from projections.documents import Address, read
from services.mail.compose import File, Letter, Quoted, html_of, quote

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mime"

WORDS = r"""
    zażółć gęślą jaźń Grüße façade naïve Ωmega Привет мир שלום עולם مرحبا 電子メール 请确认合同 안녕하세요 ไทย देवनागरी 👩‍👩‍👧‍👦 👍🏽 ﬁn ℵ€
    the quick brown fox invoice 2024/05 a=20b =3D =_ =? ?= _under_score a.b;c,d (round) [square] <angle> {curly} 50% it's
    say"hi" back\slash semi;colon @home #1 --- . .. From >
""".split()  # noqa: SIM905 a wall of quotes reads worse
NAMES = [
    "",
    "Jane Doe",
    "Doe, Jane",
    'Jane "JD" Doe',
    "Jane (Sales) Doe",
    "Back\\slash",
    "O'Brien; <Bob>",
    "jane@example.com",
    "Zażółć Gęślą",
    "Łukasz Żółć, Dział Sprzedaży (Kraków)",
    "山田太郎",
    "שלום עולם",
    "👩‍👩‍👧‍👦 Family",
    "=?utf-8?q?not_a_word",
    "x" * 200,
    "ż" * 200,
    "Very " * 40 + "long",
]
ADDRESSES = [
    "jane@example.com",
    "Jane.Doe+tag@Example.COM",
    "o'brien@example.co.uk",
    "user@localhost",
    "user@[192.0.2.1]",
    "a!#$%&'*+-/=?^_`{|}~b@example.org",
    "kontakt@żółć.example",
    "info@münchen.example",
    "山@例え.example",
    "zażółć@example.com",
    "l" * 64 + "@" + ".".join(["d" * 60] * 3) + ".example",
]
FILE_NAMES = [
    "report.pdf",
    "two words.txt",
    "semi;colon, comma.txt",
    "it's 100% *new*.txt",
    'a "quoted" name.txt',
    "zażółć gęślą jaźń.docx",
    "電子メール.txt",
    "👩‍👩‍👧‍👦.png",
    "=?utf-8?q?x?=.txt",
    ".hidden",
    "n" * 240 + ".txt",
    "ł" * 240 + ".txt",
]
SUBJECTS = [
    "",
    "Re: plan",
    "[list] Zażółć gęślą jaźń",
    "日本語の件名" * 20,
    "w" * 2_000,
    "a b " * 400 + "end",
    "=?utf-8?q?not a word",
    "ends with ?=",
    "Bcc: spy@example.com",
]
ZONES = [UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9, minutes=-30))]
ATTACHED = [path.read_bytes() for path in sorted(FIXTURES.glob("*.eml"))]


def letters(count: int) -> list[Letter]:
    return [letter(random.Random(number), number) for number in range(count)]


def letter(dice: random.Random, number: int) -> Letter:
    images = [_image(dice, n) for n in range(dice.choice((0, 0, 1, 3)))]
    plain = dice.random() < 0.2
    made = Letter(
        from_=_person(dice),
        reply_to=_people(dice, 1),
        to=_people(dice, 4),
        cc=_people(dice, 4),
        bcc=_people(dice, 2),
        subject=dice.choice(SUBJECTS) if dice.random() < 0.3 else _sentence(dice, 20),
        html=html_of("\n".join(_lines(dice))) if plain else _html(dice, images),
        plain=plain,
        date=datetime(2020, 1, 1, tzinfo=dice.choice(ZONES)) + timedelta(seconds=dice.randrange(10**8)),
        message_id=f"<{number}.{dice.randrange(10**9)}@example.com>",
        attachments=[*([] if plain else images), *_files(dice)],
    )
    made = replace(made, quoted=_quoted(dice)) if dice.random() < 0.3 else made
    if dice.random() < 0.5:
        references = [f"r{n}.{'x' * dice.randrange(80)}@example.com" for n in range(dice.randrange(1, 30))]
        made = replace(made, in_reply_to=references[-1:], references=references)
    return made


def _person(dice: random.Random) -> Address:
    return Address(name=dice.choice(NAMES) if dice.random() < 0.6 else _sentence(dice, 4), email=dice.choice(ADDRESSES))


def _people(dice: random.Random, most: int) -> list[Address]:
    return [_person(dice) for _ in range(dice.randint(0, most))]


def _sentence(dice: random.Random, most: int) -> str:
    """As one writes in a header: single blanks, and no mark at an end that readers take off."""
    return " ".join(dice.choice(WORDS) for _ in range(dice.randint(1, most))).strip("'")


def _lines(dice: random.Random) -> Iterator[str]:
    for _ in range(dice.randint(0, 12)):
        start = dice.choice(("", "", "", "> ", ">> ", "From ", "  indented ", ".", "--", "-- ", "=20"))
        words = [dice.choice(WORDS) if dice.random() < 0.95 else "long" * dice.randrange(400) for _ in range(30)]
        yield start + dice.choice((" ", " ", "  ")).join(words[: dice.randrange(30)])


def _html(dice: random.Random, images: list[File]) -> str:
    blocks = [_block(dice, 0) for _ in range(dice.randint(0, 6))]
    blocks += [f'<img alt="{escape(_sentence(dice, 3))}" src="cid:{image.content_id}">' for image in images]
    dice.shuffle(blocks)
    return "\n".join(blocks)


def _block(dice: random.Random, depth: int) -> str:
    words = escape(_sentence(dice, 60))
    inner = _block(dice, depth + 1) if depth < 6 and dice.random() < 0.5 else words
    forms: list[Any] = [
        f"<p>{words}</p>",
        f"<div>{words}<br>{words}</div>",
        f"<blockquote>{inner}</blockquote>",
        f"<ul><li>{inner}</li><li>{words}</li></ul>",
        f"<ol><li>{inner}</li></ol>",
        f"<table><tr><td>{inner}</td><td>{words}</td></tr></table>",
        f"<pre>  {words}\n\n{words}</pre>",
        f'<a href="https://example.com/{"x" * dice.randrange(1_500)}">{words}</a>',
    ]
    return str(dice.choice(forms))


def _image(dice: random.Random, n: int) -> File:
    name = dice.choice(FILE_NAMES)
    content = dice.randbytes(dice.randrange(3_000))
    return File(name=name, mime="image/png", content=content, inline=True, content_id=f"image{n}$1@example.com")


def _files(dice: random.Random) -> Iterator[File]:
    for _ in range(dice.choice((0, 0, 1, 1, 2, 5))):
        mime, content = dice.choice(
            [
                ("application/pdf", dice.randbytes(dice.randrange(5_000))),
                ("text/plain", b"bare\rreturns\nand\r\nothers\x00\n--=_\n" * dice.randrange(20)),
                ("text/html", "<p>zażółć".encode()),
                ("message/rfc822", dice.choice(ATTACHED)),
                ("multipart/mixed", b"--x\r\n\r\n--x--"),
                ("image/png", b""),
            ]
        )
        yield File(name=dice.choice(FILE_NAMES), mime=mime, content=content)


def _quoted(dice: random.Random) -> Quoted:
    made = quote(read(dice.choice(ATTACHED)), dice.choice(("reply", "forward")), dice.choice(("en", "pl")), UTC)
    return Quoted(html=made.html, text=made.text)
