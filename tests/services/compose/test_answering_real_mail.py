"""Answers to hundreds of messages that people, lists and broken mailers sent."""

import email
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime
from email import policy
from pathlib import Path

from projections.documents import Address, payload, read
from services.mail.compose import (
    File,
    Kind,
    Letter,
    Original,
    Quoted,
    addressed,
    build,
    conversation,
    envelope,
    original,
    quote,
    recipients,
    subject,
)
from tests.services.compose.expected import people
from tests.support import corpus

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mime"
ME = Address(name="Me", email="me@example.com")
KINDS: tuple[Kind, ...] = ("reply", "reply_all", "forward")


def messages() -> Iterator[bytes]:
    yield from (path.read_bytes() for path in sorted(FIXTURES.glob("*.eml")))
    for folder in corpus.FOLDERS:
        yield from (one.raw for one in itertools.islice(corpus.messages(folder), 0, 1_000, 20))


def answer(raw: bytes, message: Original, kind: Kind) -> Letter:
    to, cc = recipients(kind, message, [ME.email])
    kept = conversation(kind, message)
    quoted = quote(message.document, kind, "pl", UTC)
    return Letter(
        from_=ME,
        to=to,
        cc=cc,
        subject=subject(kind, message.document.subject),
        html="<p>Tak, zażółć gęślą jaźń.</p>",
        plain=message.document.html is None,
        date=datetime(2026, 1, 2, tzinfo=UTC),
        message_id="answer@example.com",
        in_reply_to=kept.in_reply_to,
        references=kept.references,
        quoted=Quoted(html=quoted.html, text=quoted.text),
        attachments=[
            *(
                File(
                    name=image.attachment.filename,
                    mime=image.attachment.mime,
                    content=payload(raw, image.attachment),
                    inline=True,
                    content_id=image.content_id,
                )
                for image in quoted.images
            ),
            File(name="original.eml", mime="message/rfc822", content=raw),
        ],
    )


def test_every_message_can_be_answered_and_the_answer_is_read_as_it_was_meant() -> None:
    count = 0
    for raw in messages():
        message = original(raw, read(raw))
        assert addressed(message, [ME.email]) is None
        for kind in KINDS:
            letter = answer(raw, message, kind)
            made = build(letter)
            seen = read(made)
            assert seen.subject == letter.subject
            assert [(one.name, one.email) for one in (*seen.to, *seen.cc)] == people([*letter.to, *letter.cc])
            assert seen.message_id == "answer@example.com"
            assert seen.warnings == []
            assert set(map(str.lower, seen.references)) == {one.replace('"', "").lower() for one in letter.references}
            assert all(one.isascii() for one in envelope(letter).recipients)
            assert max(map(len, made.split(b"\r\n"))) <= 998
            assert made.count(b"\r") == made.count(b"\n") == made.count(b"\r\n")
            assert made.partition(b"\r\n\r\n")[0].isascii()
            count += 1
    assert count > 700


def test_answers_have_no_header_that_pythons_parser_finds_a_fault_with() -> None:
    for raw in itertools.islice(messages(), 0, None, 5):
        made = build(answer(raw, original(raw, read(raw)), "reply_all"))
        parsed = email.message_from_bytes(made, policy=policy.default)
        assert [defect for value in parsed.values() for defect in value.defects] == []
