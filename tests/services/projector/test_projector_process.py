"""The projector folds and announces whatever was appended, once, whoever dies; and says when it can't go on."""

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

from contracts import ids
from contracts.facts import AccountConnected, Fact, MailboxFound, MessageArrived, SpecialUse
from contracts.provider import MailboxStatus
from contracts.streams import Role
from contracts.subjects import AccountSubjects
from services.blobs import FolderBlobs
from services.log import api
from services.log.append import append
from services.log.appender import AccountAppender
from services.log.connection import connect
from services.sync.cursor import Cursor
from services.sync.memory import Found
from tests.support.processes import PARTITIONS, Installation, kill9, until

AT = datetime(2026, 1, 1, tzinfo=UTC)


class Writer:
    """Appends what sync would, without a mail server and without documents."""

    def __init__(self, installed: Installation, appender: AccountAppender, subjects: AccountSubjects) -> None:
        self.subjects = subjects
        self.blobs = FolderBlobs(installed.folder / "blobs")
        self._appender = appender
        self._uid = 0
        self._mailbox = Found(uuid4(), "INBOX", "/", SpecialUse.INBOX, selectable=True, lost=False)
        self._cursor = Cursor(appender, subjects, self._mailbox, None)

    async def open(self) -> None:
        found = MailboxFound(**self._place, path="INBOX", delimiter="/", special_use=SpecialUse.INBOX)
        await self._appender.append([(self.subjects.mailbox(self._mailbox.id), found)])
        await self._cursor.open(MailboxStatus(uidvalidity=1, uidnext=1, messages=0))

    async def arrive(self, count: int) -> list[str]:
        """Their blobs."""
        raws = [f"Subject: number {uuid4()}\r\n\r\nHello {n}.\r\n".encode() for n in range(count)]
        shas = await self.blobs.put(self.subjects.user_id, raws)
        facts: list[Fact] = []
        for sha, raw in zip(shas, raws, strict=True):
            self._uid += 1
            facts.append(
                MessageArrived(
                    **self._place,
                    generation=1,
                    uid=self._uid,
                    message_id=ids.message_id(self.subjects.account_id, sha),
                    blob=sha,
                    size=len(raw),
                    internal_date=AT,
                    evidence="",
                )
            )
        await self._cursor.append(facts, 1, told=count, high_uid=self._uid)
        return shas

    @property
    def _place(self) -> dict[str, object]:
        subjects = self.subjects
        return {
            "user_id": subjects.user_id,
            "account_id": subjects.account_id,
            "at": AT,
            "mailbox_id": self._mailbox.id,
        }


async def writer(installed: Installation, partition: int = 0) -> Writer:
    user = await installed.add_user()
    while ids.partition(user, PARTITIONS) != partition:
        user = await installed.add_user()
    subjects = AccountSubjects(partition, user, uuid4())
    url = installed.nats.url.replace("://", f"://sync:{installed.nats_passwords[Role.SYNC]}@")
    nc = await connect(url, Role.SYNC)
    connected = AccountConnected(user_id=user, account_id=subjects.account_id, at=AT)
    await append(installed.gateway, subjects.account, connected)
    appender = AccountAppender(nc, subjects)
    await appender.claim("a test")
    one = Writer(installed, appender, subjects)
    await one.open()
    return one


async def shown(installed: Installation, user: UUID) -> int:
    return int(await installed.db.fetchval("SELECT count(*) FROM mail.messages WHERE user_id = $1", user))


async def test_documents_that_nobody_made_are_made_from_the_blobs(installed: Installation) -> None:
    one = await writer(installed)
    blobs = await one.arrive(60)
    with installed.running("projector"):
        await until(lambda: _shows(installed, one, 60))
    known = await installed.db.fetch("SELECT blob FROM documents.memo WHERE user_id = $1", one.subjects.user_id)
    assert {row["blob"] for row in known} == set(blobs)


async def test_a_missing_blob_stops_its_partition_with_an_alarm_and_no_other(installed: Installation) -> None:
    broken, well = await writer(installed, 0), await writer(installed, 1)
    await broken.arrive(3)
    shutil.rmtree(installed.folder / "blobs" / str(broken.subjects.user_id))
    await well.arrive(3)
    with installed.running("projector"):
        await until(lambda: _shows(installed, well, 3))
        await until(lambda: '"alarm": true' in installed.log_of("projector"))
        assert await shown(installed, broken.subjects.user_id) == 0
    assert "BlobMissing" in installed.log_of("projector")


async def test_a_projector_that_is_killed_again_and_again_loses_no_fact_and_no_event(installed: Installation) -> None:
    one = await writer(installed)
    child = installed.start("projector")
    try:
        for round_ in range(3):
            await one.arrive(150)
            await until(lambda seen=round_ * 150: _shows_more(installed, one, seen))
            kill9(child)
            child = installed.start("projector")
        await until(lambda: _shows(installed, one, 450))
        await until(lambda: _outbox_is_empty(installed))
        events = await _events(installed, one.subjects.user_id)
    finally:
        kill9(child)
    new = [subject for subject in events if subject.endswith("message.new")]
    assert len(new) == 450


async def test_two_projectors_share_the_partitions_and_one_goes_on_alone(installed: Installation) -> None:
    first, second = installed.start("projector"), installed.start("projector")
    try:
        await until(lambda: installed.log_of("projector").count("partition owned") >= PARTITIONS)
        kill9(first)
        writers: Sequence[Writer] = [await writer(installed, 0), await writer(installed, 1)]
        for one in writers:
            await one.arrive(5)
        for one in writers:
            await until(lambda one=one: _shows(installed, one, 5))
    finally:
        kill9(first)
        kill9(second)
    assert "Overtaken" not in installed.log_of("projector")


async def _shows(installed: Installation, one: Writer, count: int) -> bool:
    return await shown(installed, one.subjects.user_id) == count


async def _shows_more(installed: Installation, one: Writer, count: int) -> bool:
    return await shown(installed, one.subjects.user_id) > count


async def _outbox_is_empty(installed: Installation) -> bool:
    return not await installed.db.fetchval("SELECT EXISTS (SELECT FROM control.outbox)")


async def _events(installed: Installation, user: UUID) -> list[str]:
    """Every event of the user in the stream."""
    found: list[str] = []
    last = int((await api.ask(installed.admin, "STREAM.INFO.EVENTS"))["state"]["last_seq"])
    sequence = 1
    while sequence <= last:
        page = await api.listed(
            installed.admin, "EVENTS", {"seq": sequence, "batch": 500, "next_by_subj": f"event.{user}.>"}
        )
        if not page.messages:
            break
        found += [message.subject for message in page.messages]
        sequence = page.messages[-1].sequence + 1
    return found
