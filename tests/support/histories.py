"""Random but valid histories of two users' accounts: what the laws of every projection are tested with.

A small server is played for each account, so that uids, flags and outcomes are what a server could have.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from contracts import uidset
from contracts.facts import (
    AccountChanged,
    AccountConnected,
    AccountRemoved,
    AccountState,
    AccountStateChanged,
    Applied,
    ContentChanged,
    DeleteRequested,
    DriftRepaired,
    Fact,
    FlagGroup,
    FlagsChanged,
    FlagsRequested,
    GenerationAbandoned,
    GenerationCommitted,
    GenerationOpened,
    LeaseTaken,
    MailboxFound,
    MailboxLost,
    MailboxMarked,
    MessageArrived,
    MessagesExpunged,
    MoveRequested,
    RequestApplied,
    RequestExpired,
    RequestRefused,
    SendAttempted,
    SendCancelled,
    SendDelivered,
    SendEdited,
    SendFailed,
    SendFiled,
    SendQueued,
    SendUnconfirmed,
    SpecialUse,
)
from projections.documents.document import Document
from tests.support.given import START, Account, mail

FLAGS = ("\\Seen", "\\Flagged", "\\Answered", "$Forwarded", "\\Draft")
SUBJECTS = ("Plan", "Budżet", "Hi", "会議の予定")
PEOPLE = ("Ann <ann@x.example>", "Bob <bob@x.example>", "Łucja <lucja@y.example>", "list@l.example")
MAILBOXES = (
    ("INBOX", SpecialUse.INBOX),
    ("Sent", SpecialUse.SENT),
    ("Archive", SpecialUse.ARCHIVE),
    ("Trash", SpecialUse.TRASH),
    ("Junk", SpecialUse.JUNK),
    ("Work/Łódź", None),
)

SENDING: dict[str, list[tuple[type[Fact], str]]] = {
    "queued": [
        (SendEdited, "queued"),
        (SendCancelled, "cancelled"),
        (SendAttempted, "attempted"),
        (SendFailed, "failed"),
    ],
    "attempted": [
        (SendAttempted, "attempted"),
        (SendDelivered, "delivered"),
        (SendFailed, "failed"),
        (SendUnconfirmed, ""),
    ],
    "delivered": [(SendFiled, "")],
}
"""Which facts may follow in which state of a send, and the state after them."""


@dataclass
class History:
    """`facts` in the order of the log; `documents` by blob, of every blob that they name."""

    facts: list[Fact] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)


def history(seed: int, steps: int = 160) -> History:
    """The same for the same seed: two users, the first with two accounts and the second with one."""
    dice = random.Random(seed)
    told = History()
    ids = [UUID(int=dice.getrandbits(128)) for _ in range(5)]
    post = Post(dice)
    servers = [
        Server(post, told, dice, user, account) for user, account in zip([ids[0], ids[0], ids[1]], ids[2:], strict=True)
    ]
    for server in servers:
        server.begin()
    for _ in range(steps):
        dice.choice(servers).live()
    servers[1].end()
    for _ in range(steps // 4):
        dice.choice(servers).live()
    return told


class Post:
    """Makes mail, much of it about earlier mail, and some of it the same for several accounts."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.sent: list[tuple[str, str]] = []
        self.letters: list[bytes] = []

    def letter(self) -> bytes:
        if self.letters and self.dice.random() < 0.1:
            return self.dice.choice(self.letters)
        key = f"k{len(self.letters)}"
        subject, answers, more = self.dice.choice(SUBJECTS), "", ""
        if self.sent and self.dice.random() < 0.6:
            answers, subject = self.dice.choice(self.sent)
            subject = f"Re: {subject}"
            if self.dice.random() < 0.3:
                answers = ""  # a client that mentions no id
            elif self.dice.random() < 0.2:
                answers = f"unseen{self.dice.randint(1, 5)}"
        if self.dice.random() < 0.1 and self.sent:
            key = self.dice.choice(self.sent)[0]  # a Message-ID used again
        if self.dice.random() < 0.2:
            more = 'MIME-Version: 1.0\r\nContent-Type: application/pdf; name="a.pdf"\r\n'
        raw = mail(
            subject,
            key=key,
            sender=self.dice.choice(PEOPLE),
            to=", ".join(self.dice.sample(PEOPLE, self.dice.randint(1, 3))),
            answers=answers,
            days=self.dice.randint(0, 200) / 10,
            body=f"Words {len(self.letters)}, said {self.dice.choice(['today', 'wczoraj', '昨日'])}.",
            more=more,
        )
        self.letters.append(raw)
        self.sent.append((key, subject.removeprefix("Re: ")))
        return raw


@dataclass
class Box:
    """A mailbox as its server has it."""

    path: str
    generation: int = 1
    staged: int | None = None
    uidnext: int = 1
    here: dict[int, tuple[UUID, bytes, frozenset[str]]] = field(default_factory=dict)
    listed: dict[int, tuple[UUID, bytes, frozenset[str]]] = field(default_factory=dict)  # in the staged generation


class Server:
    """One account: its server, the sync worker that watches it, and the user who asks for changes."""

    def __init__(self, post: Post, told: History, dice: random.Random, user: UUID, account: UUID) -> None:
        self.post, self.told, self.dice = post, told, dice
        self.account = Account(user, account)
        self.account.documents = told.documents
        self.boxes: dict[str, Box] = {}
        self.modseq = 1
        self.removed = False
        self.outcome = 0  # the sequence of the last one, in a log that begins with these facts
        self.open: list[tuple[UUID, str, UUID, str, str]] = []  # request, kind, message, source, target
        self.sends: dict[UUID, str] = {}  # those to which something may still happen, with their state

    def tell(self, kind: type[Fact], **fields: Any) -> None:
        at = START + timedelta(seconds=len(self.told.facts))
        self.told.facts.append(kind(user_id=self.account.user_id, account_id=self.account.account_id, at=at, **fields))

    def begin(self) -> None:
        self.tell(AccountConnected)
        self.tell(LeaseTaken, epoch=1, worker="w1")
        self.tell(AccountStateChanged, epoch=1, state=AccountState.BACKFILLING)
        for path, use in MAILBOXES:
            self.found(path, use)
        self.send()

    def found(self, path: str, use: SpecialUse | None) -> None:
        mailbox = self.account.id_of(path)
        self.boxes[path] = Box(path)
        self.tell(MailboxFound, mailbox_id=mailbox, path=path, delimiter="/", special_use=use)
        self.tell(GenerationOpened, mailbox_id=mailbox, generation=1, uidvalidity=1, uidnext=1, messages=0)

    def end(self) -> None:
        """The user removes the account; sync has not noticed yet and goes on."""
        self.tell(AccountRemoved)
        self.removed = True

    def live(self) -> None:
        steps = [self.arrive] * 8 + [self.flag] * 3 + [self.expunge, self.ask, self.ask, self.answer, self.answer]
        steps += [
            self.relist,
            self.finish,
            self.rename,
            self.content,
            self.state,
            self.lose,
            self.repeat_elsewhere,
            self.drift,
            self.send,
            self.send_on,
            self.send_on,
        ]
        self.dice.choice(steps)()

    def box(self) -> Box:
        return self.dice.choice([self.boxes[path] for path in sorted(self.boxes)])

    def arrive(self) -> None:
        """A batch of sync: a few messages, and the mark that stands for them."""
        box = self.box()
        for _ in range(self.dice.randint(1, 5)):
            self.arrived(box, self.post.letter(), frozenset(self.dice.sample(FLAGS, self.dice.randint(0, 2))))
        self.mark(box)

    def arrived(self, box: Box, raw: bytes, flags: frozenset[str], uid: int | None = None) -> None:
        if uid is None:
            uid, box.uidnext = box.uidnext, box.uidnext + 1
        generation = box.generation if box.staged is None else box.staged
        (box.here if box.staged is None else box.listed)[uid] = (self.account.message(raw), raw, flags)
        self.modseq += 1
        fact = self.account.arrived(
            raw, box.path, uid=uid, generation=generation, flags=sorted(flags), modseq=self.modseq,
            days=self.dice.randint(0, 300) / 10,
        )  # fmt: skip
        self.told.facts.append(fact)

    def repeat_elsewhere(self) -> None:
        """A message copied into another mailbox."""
        box, other = self.box(), self.box()
        if box.here and box is not other and other.staged is None:
            _, raw, flags = box.here[self.dice.choice(sorted(box.here))]
            self.arrived(other, raw, flags)

    def mark(self, box: Box) -> None:
        self.tell(
            MailboxMarked,
            mailbox_id=self.account.id_of(box.path),
            generation=box.generation,
            epoch=1,
            batch=f"b{len(self.told.facts)}",
            uidvalidity=box.generation,
            high_uid=box.uidnext - 1,
            backfill_from=1,
            floor_uid=1,
            done=self.dice.random() < 0.5,
            synced=len(box.here),
            total=len(box.here),
            highestmodseq=self.modseq,
            outcomes_seen=self.outcome,
        )

    def some(self, box: Box) -> list[int]:
        uids = sorted(box.here)
        return self.dice.sample(uids, min(len(uids), self.dice.randint(1, 4)))

    def flag(self) -> None:
        box = self.box()
        groups = []
        for uid in self.some(box):
            message, raw, _ = box.here[uid]
            flags = frozenset(self.dice.sample(FLAGS, self.dice.randint(0, 3)))
            box.here[uid] = (message, raw, flags)
            groups.append(FlagGroup(uids=str(uid), flags=sorted(flags)))
        if groups:
            self.modseq += 1
            condstore = self.dice.random() < 0.7
            self.tell(
                FlagsChanged,
                mailbox_id=self.account.id_of(box.path),
                generation=box.generation,
                groups=groups,
                modseq=self.modseq - self.dice.randint(0, 3) if condstore else 0,
                as_of=max(0, self.outcome - self.dice.randint(0, 1)),
            )

    def expunge(self) -> None:
        box = self.box()
        if gone := self.some(box):
            for uid in gone:
                del box.here[uid]
            mailbox = self.account.id_of(box.path)
            self.tell(MessagesExpunged, mailbox_id=mailbox, generation=box.generation, uids=uidset.compact(gone))

    def ask(self) -> None:
        box, target = self.box(), self.box()
        if not box.here:
            return
        message = box.here[self.dice.choice(sorted(box.here))][0]
        request = uuid5(message, str(len(self.told.facts)))
        kind = self.dice.choice(["flags", "move", "delete"])
        asked: dict[str, Any] = {"request_id": request, "message_ids": [message]}
        if kind == "flags":
            self.tell(FlagsRequested, **asked, add=[self.dice.choice(FLAGS)], remove=[self.dice.choice(FLAGS)])
        elif kind == "move":
            source = self.account.id_of(box.path) if self.dice.random() < 0.5 else None
            self.tell(MoveRequested, **asked, target=self.account.id_of(target.path), source=source)
        else:
            self.tell(DeleteRequested, **asked, mailbox_id=self.account.id_of(box.path))
        self.open.append((request, kind, message, box.path, target.path))

    def answer(self) -> None:
        """The outcome of one request: done, refused, or nothing in time."""
        if not self.open:
            return
        request, kind, message, source, target = self.open.pop(self.dice.randrange(len(self.open)))
        result = self.done(kind, message, source, target)
        if result is None or self.dice.random() < 0.2:
            self.refuse(request)
        else:
            self.tell(RequestApplied, request_id=request, results=[result])
        self.outcome = len(self.told.facts)

    def refuse(self, request: UUID) -> None:
        if self.dice.random() < 0.5:
            self.tell(RequestRefused, request_id=request, code="rejected")
        else:
            self.tell(RequestExpired, request_id=request)

    def done(self, kind: str, message: UUID, source: str, target: str) -> Applied | None:
        """What the server did, if the message is still there and so is the target."""
        box, into = self.boxes.get(source), self.boxes.get(target)
        uid = next((uid for uid, (one, _, _) in sorted(box.here.items()) if one == message), None) if box else None
        if box is None or uid is None or into is None:
            return None
        place = {
            "message_id": message,
            "mailbox_id": self.account.id_of(source),
            "generation": box.generation,
            "uid": uid,
        }
        self.modseq += 1
        if kind == "flags":
            told = self.dice.random() < 0.7
            flags = sorted(self.dice.sample(FLAGS, 2)) if told else None
            return Applied(**place, flags=flags, modseq=self.modseq if self.dice.random() < 0.7 else 0)
        _, raw, flags_then = box.here.pop(uid)
        if kind == "delete":
            return Applied(**place)
        told = self.dice.random() < 0.6
        copy = into.uidnext if told else 0
        if told:
            into.uidnext += 1
        if self.dice.random() < 0.7 and into.staged is None and told:
            into.here[copy] = (message, raw, flags_then)
        return Applied(
            **place, moved_to=self.account.id_of(target), copy_uid=copy, copy_uidvalidity=into.generation if told else 0
        )

    def relist(self) -> None:
        """Another UIDVALIDITY: a listing beside the one that is shown."""
        box = self.box()
        number = max(box.generation, box.staged or 0) + 1
        box.staged, box.listed = number, {}
        self.tell(
            GenerationOpened,
            mailbox_id=self.account.id_of(box.path),
            generation=number,
            uidvalidity=number,
            uidnext=box.uidnext,
            messages=len(box.here),
        )
        for uid in sorted(box.here):
            if self.dice.random() < 0.9:
                _, raw, flags = box.here[uid]
                self.arrived(box, raw, flags, uid)

    def finish(self) -> None:
        for path in sorted(self.boxes):
            box = self.boxes[path]
            if box.staged is not None:
                named = {"mailbox_id": self.account.id_of(path), "generation": box.staged}
                if self.dice.random() < 0.7:
                    self.tell(GenerationCommitted, **named)
                    box.generation, box.here = box.staged, box.listed
                else:
                    self.tell(GenerationAbandoned, **named, reason="uidvalidity changed")
                box.staged, box.listed = None, {}

    def rename(self) -> None:
        path, use = self.dice.choice(MAILBOXES[1:])
        if path in self.boxes:
            other = self.dice.choice([use, None, SpecialUse.ARCHIVE])
            self.tell(
                MailboxFound,
                mailbox_id=self.account.id_of(path),
                path=f"{path}{self.dice.randint(1, 3)}",
                delimiter="/",
                special_use=other,
            )

    def lose(self) -> None:
        path, use = self.dice.choice(MAILBOXES[2:])
        if path not in self.boxes:
            self.found(path, use)
        elif self.dice.random() < 0.4:
            del self.boxes[path]
            self.tell(MailboxLost, mailbox_id=self.account.id_of(path))

    def content(self) -> None:
        box = self.box()
        for uid in self.some(box)[:1]:
            message, _, _ = box.here[uid]
            raw = self.post.letter()
            fact = self.account.arrived(raw, box.path, uid=uid)
            assert isinstance(fact, MessageArrived)
            self.tell(ContentChanged, message_id=message, blob=fact.blob, size=len(raw), evidence="")

    def drift(self) -> None:
        box = self.box()
        surplus = self.some(box)[:1]
        for uid in surplus:
            del box.here[uid]
        place = {"mailbox_id": self.account.id_of(box.path), "generation": box.generation}
        if surplus:
            self.tell(MessagesExpunged, **place, uids=str(surplus[0]))
        self.tell(DriftRepaired, **place, surplus=len(surplus), flags=self.dice.randint(1, 3))

    def state(self) -> None:
        state = self.dice.choice(list(AccountState))
        retry_at: datetime | None = START if state is AccountState.ERROR else None
        self.tell(AccountStateChanged, epoch=1, state=state, code="unavailable" if retry_at else "", retry_at=retry_at)
        self.tell(AccountChanged, fields=["display_name"])

    def send(self) -> None:
        outbox = uuid5(self.account.account_id, f"send{len(self.told.facts)}")
        self.sends[outbox] = "queued"
        self.tell(SendQueued, **self.content_of(outbox))

    def content_of(self, outbox: UUID) -> dict[str, Any]:
        due = START + timedelta(seconds=self.dice.randint(0, 900))
        return {
            "outbox_id": outbox,
            "draft_id": uuid5(outbox, "draft"),
            "due": due,
            "revision": self.dice.randint(1, 9),
        }

    def send_on(self) -> None:
        """What comes next of one send, in the user's or in outbound's words."""
        if not self.sends:
            return
        outbox = self.dice.choice(list(self.sends))
        kind, state = self.dice.choice(SENDING[self.sends[outbox]])
        fields: dict[str, Any] = {"outbox_id": outbox}
        if kind is SendEdited:
            fields = self.content_of(outbox)
        elif kind is SendAttempted:
            fields["attempt"] = self.dice.randint(1, 3)
        elif kind is SendDelivered:
            fields["refused"] = self.dice.randint(0, 1)
        elif kind is SendFailed:
            fields["code"] = "rejected"
        elif kind is SendFiled:
            fields["copy"] = self.dice.choice(["appended", "found", "none"])
        self.tell(kind, **fields)
        if state in SENDING:
            self.sends[outbox] = state
        else:
            del self.sends[outbox]
