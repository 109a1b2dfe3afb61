"""Old shapes are lifted, unknown ones stop the reader, and a fact stands only where it belongs."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import msgspec
import pytest

from contracts import codec, retired
from contracts.codec import MisplacedFact, UnknownFact
from contracts.events import MessageNew
from contracts.facts import (
    AccountConnected,
    AccountStateChanged,
    Catalog,
    ContentChanged,
    Fact,
    FlagsRequested,
    LeaseTaken,
    MailboxLost,
    MailboxMarked,
    MessagesExpunged,
    RequestExpired,
    SendCancelled,
)
from contracts.subjects import AccountSubjects

USER, ACCOUNT, MAILBOX, OUTBOX = (UUID(int=number) for number in (1, 2, 3, 4))
PLACE = AccountSubjects(1, USER, ACCOUNT)
WHOSE = {"user_id": USER, "account_id": ACCOUNT, "at": datetime(2026, 1, 2, tzinfo=UTC)}


def test_a_retired_shape_becomes_one_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if uids had once been a list."""

    def lift(body: retired.Body) -> retired.Body:
        uids = body["uids"]
        assert isinstance(uids, list)
        return {**body, "type": "messages.expunged", "uids": ",".join(map(str, uids))}

    old = msgspec.json.encode(
        {"type": "messages.gone", **WHOSE, "mailbox_id": MAILBOX, "generation": 1, "uids": [4, 5]}
    )
    with pytest.raises(UnknownFact):
        codec.decode(old)
    monkeypatch.setitem(retired.UPCASTS, "messages.gone", lift)
    expected = MessagesExpunged(**WHOSE, mailbox_id=MAILBOX, generation=1, uids="4,5")
    assert codec.decode(old) == expected
    assert codec.decode_at(PLACE.mailbox(MAILBOX), old) == expected


def test_an_upcast_that_gives_no_fact_is_an_unknown_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(retired.UPCASTS, "broken", lambda body: {**body, "type": "mailbox.lost"})
    with pytest.raises(UnknownFact):
        codec.decode(b'{"type":"broken"}')


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{}",
        b'{"type":7}',
        b'{"type":"from.the.future"}',
        b'{"type":"mailbox.lost"}',
        b'{"stream":"EVENTS","seq":1}',
    ],
)
def test_what_is_no_fact_is_said_so(body: bytes) -> None:
    with pytest.raises(UnknownFact):
        codec.decode(body)
    with pytest.raises(UnknownFact):
        codec.decode_event(body)


def test_a_fact_is_no_event_and_an_event_no_fact() -> None:
    fact = codec.encode(MailboxLost(**WHOSE, mailbox_id=MAILBOX))
    ids = dict.fromkeys(("user_id", "account_id", "mailbox_id", "message_id", "thread_id"), USER)
    event = codec.encode(MessageNew(**ids))
    with pytest.raises(UnknownFact):
        codec.decode_event(fact)
    with pytest.raises(UnknownFact):
        codec.decode(event)
    assert isinstance(codec.decode_event(event), MessageNew)


def test_a_field_of_the_future_is_passed_over() -> None:
    body = msgspec.json.encode({"type": "account.connected", **WHOSE, "of_tomorrow": True})
    assert codec.decode(body) == AccountConnected(**WHOSE)


def test_fields_at_their_defaults_take_no_room() -> None:
    assert b"by" not in codec.encode(FlagsRequested(**WHOSE, request_id=OUTBOX, message_ids=[]))


MARK = MailboxMarked(
    **WHOSE,
    mailbox_id=MAILBOX,
    generation=1,
    epoch=1,
    batch="b",
    uidvalidity=1,
    high_uid=1,
    backfill_from=1,
    floor_uid=1,
    done=True,
    synced=1,
    total=1,
)
HOMES: list[tuple[str, Fact]] = [
    (PLACE.account, AccountConnected(**WHOSE)),
    (PLACE.lease, LeaseTaken(**WHOSE, epoch=1, worker="w")),
    (PLACE.state, AccountStateChanged(**WHOSE, epoch=1, state="live")),  # type: ignore[arg-type] # a str enum
    (PLACE.mailbox(MAILBOX), MailboxLost(**WHOSE, mailbox_id=MAILBOX)),
    (PLACE.mailbox(MAILBOX), ContentChanged(**WHOSE, message_id=OUTBOX, blob="", size=1, evidence="")),
    (PLACE.mark(MAILBOX), MARK),
    (PLACE.request, FlagsRequested(**WHOSE, request_id=OUTBOX, message_ids=[])),
    (PLACE.outcome, RequestExpired(**WHOSE, request_id=OUTBOX)),
    (PLACE.send(OUTBOX), SendCancelled(**WHOSE, outbox_id=OUTBOX)),
]


@pytest.mark.parametrize(("home", "fact"), HOMES, ids=lambda value: type(value).__name__)
def test_a_fact_stands_on_its_own_subject_only(home: str, fact: Fact) -> None:
    codec.check_place(home, fact)
    homes = {subject for subject, other in HOMES if subject != home}
    strangers = {PLACE.mailbox(OUTBOX), PLACE.mark(OUTBOX), PLACE.send(MAILBOX)}
    if isinstance(fact, ContentChanged):
        strangers, homes = {PLACE.mark(OUTBOX)}, homes - {PLACE.lease, PLACE.state}
    for subject in homes | strangers:
        with pytest.raises(MisplacedFact):
            codec.check_place(subject, fact)


def test_a_fact_of_another_account_or_user_is_misplaced() -> None:
    fact = AccountConnected(**WHOSE)
    for place in (AccountSubjects(1, uuid4(), ACCOUNT), AccountSubjects(1, USER, uuid4())):
        with pytest.raises(MisplacedFact):
            codec.decode_at(place.account, codec.encode(fact))


def test_every_kind_of_fact_has_its_place() -> None:
    assert {type(fact) for _, fact in HOMES} <= set(Catalog.ALL)
    parts = ("ACCOUNT", "LEASE", "STATE", "MAILBOX", "MARK", "REQUEST", "OUTCOME", "SEND")
    assert [kind for part in parts for kind in getattr(Catalog, part)] == list(Catalog.ALL)
    assert set(Catalog.ALL) == set(Fact.__subclasses__())
