"""Mailboxes of any size for benches: facts and documents made from a number, so that none has to be kept."""

import datetime as dt
import random
from collections.abc import Iterator, Mapping
from uuid import UUID

import msgspec

from contracts import ids
from contracts.facts import Fact, GenerationOpened, MailboxFound, MessageArrived, SpecialUse
from projections.documents import document
from projections.documents.addresses import Address
from projections.documents.document import Document

BEGIN = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
WORDS = [
    "invoice",
    "meeting",
    "lunch",
    "project",
    "deploy",
    "report",
    "holiday",
    "budget",
    "review",
    "contract",
    "kosz",
    "zażółć",
    "gęślą",
    "jaźń",
    "łódź",
    "faktura",
    "spotkanie",
    "raport",
    "urlop",
    "budżet",
    "przegląd",
    "会議",
    "請求書",
    "報告",
    "alpha",
    "beta",
    "gamma",
    "delta",
    "window",
    "server",
    "upgrade",
    "ticket",
    "train",
]
MAILBOXES = (
    ("INBOX", SpecialUse.INBOX, 0.55),
    ("Archive", SpecialUse.ARCHIVE, 0.3),
    ("Sent", SpecialUse.SENT, 0.1),
    ("Lists", None, 0.05),
)
EMPTY = document.read(b"\r\n")


class Person(msgspec.Struct, frozen=True):
    """One user with two accounts, each with four mailboxes, and `messages` messages in threads of one to a few."""

    user_id: UUID
    messages: int

    @property
    def accounts(self) -> tuple[UUID, UUID]:
        return UUID(int=self.user_id.int + 10_000), UUID(int=self.user_id.int + 20_000)

    def mailbox(self, account: UUID, path: str) -> UUID:
        return ids.mailbox_id(account, path, 1)

    def facts(self) -> Iterator[Fact]:
        """In the order in which sync would tell them, oldest mail first."""
        for account in self.accounts:
            for path, use, _ in MAILBOXES:
                common = {"user_id": self.user_id, "account_id": account, "at": BEGIN}
                mailbox = self.mailbox(account, path)
                yield MailboxFound(mailbox_id=mailbox, path=path, delimiter="/", special_use=use, **common)
                yield GenerationOpened(
                    mailbox_id=mailbox, generation=1, uidvalidity=1, uidnext=2**31, messages=self.messages, **common
                )
        yield from (self.arrival(n) for n in range(self.messages))

    def arrival(self, n: int) -> MessageArrived:
        dice = random.Random(n)
        account = self.accounts[dice.random() < 0.3]
        path = dice.choices([name for name, _, _ in MAILBOXES], [share for _, _, share in MAILBOXES])[0]
        blob = f"{self.user_id.int:032x}{n:032x}"
        return MessageArrived(
            user_id=self.user_id,
            account_id=account,
            at=BEGIN,
            mailbox_id=self.mailbox(account, path),
            generation=1,
            uid=n + 1,
            message_id=ids.message_id(account, blob),
            blob=blob,
            size=4_000,
            internal_date=date(n),
            evidence=f"{n:032x}",
            flags=["\\Seen"] if dice.random() < 0.9 else [],
        )


def date(n: int) -> dt.datetime:
    return BEGIN + dt.timedelta(minutes=7 * n)


def document_of(blob: str) -> Document:
    """The document of a blob that `Person.arrival` named: threads of about four messages, written by a few hundred people."""
    n = int(blob[32:], 16)
    dice = random.Random(n)
    opened = n - n % 4 if dice.random() < 0.75 else n
    subject = " ".join(random.Random(opened).choices(WORDS, k=4))
    text = " ".join(dice.choices(WORDS, k=120)) + f" n{n}"
    sender = dice.randrange(400)
    return msgspec.structs.replace(
        EMPTY,
        subject=subject if n == opened else f"Re: {subject}",
        from_=[Address(name=f"Sender {sender}", email=f"s{sender}@example.test")],
        to=[Address(name="Me", email="me@example.test")],
        date=date(n),
        message_id=f"m{n}@gen.example.test",
        synthetic_id=f"{blob}@synthetic.local",
        references=[] if n == opened else [f"m{opened}@gen.example.test"],
        text=text,
        snippet=text[:160],
    )


class Made:
    """The documents of any population, made when they are asked for."""

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        return {blob: document_of(blob) for blob in blobs}
