"""Whom an answer goes to, what it is called, and how it stays in its conversation."""

import pytest

from projections.documents import Address, read
from services.mail.compose import (
    Conversation,
    Kind,
    Original,
    addressed,
    conversation,
    original,
    own_conversation,
    recipients,
    subject,
)

ME = ["me@example.com", "Me+Work@Example.org"]


def mail(**fields: str) -> Original:
    usual = {"From": "Ann <ann@x.example>", "To": "me@example.com", "Subject": "Plan", "Message-ID": "<1@X.example>"}
    given = {**usual, **{name.replace("_", "-"): value for name, value in fields.items()}}
    raw = "".join(f"{name}: {value}\r\n" for name, value in given.items()).encode() + b"\r\nHello\r\n"
    return original(raw, read(raw))


def people(addresses: list[Address]) -> list[str]:
    return [one.email for one in addresses]


def asked(kind: Kind, message: Original) -> tuple[list[str], list[str]]:
    to, cc = recipients(kind, message, ME)
    return people(to), people(cc)


def test_a_reply_goes_to_the_author_with_their_name() -> None:
    assert recipients("reply", mail(Cc="cy@x.example"), ME) == ([Address(name="Ann", email="ann@x.example")], [])


def test_reply_to_stands_for_the_author() -> None:
    message = mail(Reply_To="desk@x.example, bob@x.example", Cc="cy@x.example")
    assert asked("reply", message) == (["desk@x.example", "bob@x.example"], [])
    assert asked("reply_all", message) == (["desk@x.example", "bob@x.example"], ["cy@x.example"])


def test_a_reply_to_that_names_no_mailbox_is_passed_over() -> None:
    assert asked("reply", mail(Reply_To="nobody at all")) == (["ann@x.example"], [])
    assert asked("reply", mail(From="nobody", Sender="desk@x.example")) == (["desk@x.example"], [])
    assert asked("reply", mail(From="nobody")) == ([], [])


def test_reply_all_copies_the_others_once_and_never_oneself() -> None:
    message = mail(
        To='"Me" <ME@example.com>, bob@x.example',
        Cc="BOB@x.example, cy@x.example, me+work@example.org, ann@X.example, broken",
    )
    assert asked("reply_all", message) == (["ann@x.example"], ["bob@x.example", "cy@x.example"])


def test_only_the_very_address_is_ones_own() -> None:
    assert asked("reply_all", mail(Cc="me+other@example.com")) == (["ann@x.example"], ["me+other@example.com"])


def test_own_mail_is_answered_to_those_it_went_to() -> None:
    message = mail(From="Me <me@example.com>", To="ann@x.example, me@example.com", Cc="cy@x.example")
    assert asked("reply", message) == (["ann@x.example"], [])
    assert asked("reply_all", message) == (["ann@x.example"], ["cy@x.example"])
    assert asked("reply", mail(From="me@example.com", To="undisclosed:;", Cc="cy@x.example")) == (["cy@x.example"], [])


def test_a_note_to_oneself_is_answered_to_oneself() -> None:
    for kind in ("reply", "reply_all"):
        assert asked(kind, mail(From="me@example.com")) == (["me@example.com"], [])


def test_everyone_is_who_the_author_asked_for_and_the_author_alone_is_the_author() -> None:
    message = mail(Mail_Followup_To="list@l.example, me@example.com", Cc="cy@x.example")
    assert asked("reply_all", message) == (["list@l.example"], [])
    assert asked("reply", message) == (["ann@x.example"], [])


def test_a_list_is_among_everyone_also_when_it_was_addressed_blind() -> None:
    message = mail(List_Post="<mailto:list%40l.example?subject=x>")
    assert asked("reply", message) == (["ann@x.example"], [])
    assert asked("reply_all", message) == (["ann@x.example"], ["list@l.example"])
    assert asked("reply_all", mail(List_Post="NO")) == (["ann@x.example"], [])


def test_a_list_that_took_the_authors_place_hides_nobody_from_everyone() -> None:
    message = mail(Reply_To="list@l.example", To="list@l.example", List_Post="<mailto:list@l.example>")
    assert asked("reply", message) == (["list@l.example"], [])
    assert asked("reply_all", message) == (["list@l.example", "ann@x.example"], [])


def test_a_forwarded_message_goes_to_nobody_yet() -> None:
    assert asked("forward", mail()) == ([], [])


def test_the_identity_is_the_one_that_was_addressed() -> None:
    assert addressed(mail(To="other@x.example", Cc="me+work@EXAMPLE.org"), ME) == "Me+Work@Example.org"
    assert addressed(mail(To="list@l.example", Delivered_To="me@example.com"), ME) == "me@example.com"
    assert addressed(mail(From="me+work@example.org", To="me@example.com"), ME) == "Me+Work@Example.org"
    assert addressed(mail(To="list@l.example"), ME) is None


@pytest.mark.parametrize(
    ("text", "reply", "forward"),
    [
        ("Plan", "Re: Plan", "Fwd: Plan"),
        ("", "Re:", "Fwd:"),
        ("Re: Re[2]: RE: re(3): Plan", "Re: Plan", "Fwd: Plan"),
        ("Odp: AW: SV: Plan", "Re: Plan", "Fwd: Plan"),
        ("回复\uff1a转发: 计划", "Re: 计划", "Fwd: 计划"),
        ("Fwd: PD: Plan", "Re: Plan", "Fwd: Plan"),
        ("[list] Re: [x] Odp: Plan", "Re: [list] [x] Plan", "Fwd: [list] [x] Plan"),
        ("[list] Plan", "Re: [list] Plan", "Fwd: [list] Plan"),
        ("Ref: 17", "Re: Ref: 17", "Fwd: Ref: 17"),
        ("Retro: what now", "Re: Retro: what now", "Fwd: Retro: what now"),
        ("Re: two\r\nBcc: spy@x.example", "Re: two Bcc: spy@x.example", "Fwd: two Bcc: spy@x.example"),
    ],
)
def test_prefixes_are_not_piled_up(text: str, reply: str, forward: str) -> None:
    assert (subject("reply", text), subject("forward", text)) == (reply, forward)
    assert subject("reply_all", subject("reply", text)) == reply
    assert subject("forward", subject("forward", text)) == forward


def test_ids_go_back_as_their_mailer_wrote_them() -> None:
    message = mail(Message_ID='<"A"@PROD.Outlook.COM>', References="<Root@X.Example>\r\n\t<b@ x.example>")
    assert conversation("reply", message).in_reply_to == ['"A"@PROD.Outlook.COM']
    assert chain(message) == ["Root@X.Example", "b@x.example", '"A"@PROD.Outlook.COM']
    assert conversation("forward", message) == Conversation([], [])


def chain(message: Original) -> list[str]:
    return conversation("reply", message).references


def test_without_references_the_one_parent_counts() -> None:
    assert chain(mail(In_Reply_To="<0@x.example>")) == ["0@x.example", "1@X.example"]
    assert chain(mail(In_Reply_To="<0@x.example> <00@x.example>")) == ["1@X.example"]
    assert chain(mail(Message_ID="none", In_Reply_To="bare@x.example")) == ["bare@x.example"]


def test_a_long_conversation_keeps_its_beginning_and_its_end() -> None:
    parents = [f"{n}@x.example" for n in range(100)]
    message = mail(References=" ".join(f"<{one}>" for one in [*parents, "1@X.example"]))
    assert chain(message) == [parents[0], *parents[-29:], "1@X.example"]
    wide = mail(References=" ".join(f"<{n}{'x' * 800}@x.example>" for n in range(20)))
    assert sum(map(len, chain(wide))) <= 4_000
    assert chain(wide)[0].startswith("0x")
    assert chain(wide)[-1] == "1@X.example"


def test_a_draft_from_elsewhere_stays_where_its_header_says() -> None:
    draft = mail(Message_ID="<d@x.example>", In_Reply_To="<A@x> <b@x>", References="<Root@X>\r\n <A@x> <b@x>")
    assert own_conversation(draft) == Conversation(["A@x", "b@x"], ["Root@X", "A@x", "b@x"])
    assert own_conversation(mail(Message_ID="<d@x.example>")) == Conversation([], [])


def test_what_is_no_id_is_not_passed_on() -> None:
    message = mail(Message_ID="<no-at>", References="<a b@x.example> <ż@x.example> <" + "x" * 999 + "@x.example> <yes>")
    assert chain(message) == ["ab@x.example"]
    assert conversation("reply", message).in_reply_to == []


def test_of_more_parents_than_are_kept_the_nearest_are_among_them() -> None:
    parents = [f"{n}@x.example" for n in range(3_000)]
    message = mail(References=" ".join(f"<{one}>" for one in parents))
    assert message.references[0] == parents[0]
    assert message.references[-900:] == parents[-900:]
