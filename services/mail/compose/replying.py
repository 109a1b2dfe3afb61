"""What an answer takes from its original: recipients, subject, and the ids that keep it in its conversation."""

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple
from urllib.parse import unquote

from msgspec import Struct

from projections.documents import Address, Document, addresses, ids, mime
from projections.documents.mime import Buffer
from projections.documents.params import unfold
from projections.mail.subject import FORWARDS, REPLIES
from services.mail.compose.fields import is_message_id, one_line
from services.mail.compose.mailboxes import is_address, key, unique

Kind = Literal["reply", "reply_all", "forward"]

_MAX_HEADER = 1 << 20
_RECENT = 30  # references kept beside the first
_MAX_REFERENCES = 4_000  # octets: a header that no server finds too long
_BRACKETED = re.compile(r"<([^<>]*+)>")
_WHITE_SPACE = re.compile(r"\s+")
_MAILTO = re.compile(r"<mailto:([^<>?]+)[^<>]*>", re.IGNORECASE)
# Words with which people also begin what they have to say.
_AMBIGUOUS = frozenset(("r", "ref", "vs", "enc", "tr"))
_PREFIXES = "|".join(word for word in f"{REPLIES}|{FORWARDS}".split("|") if word not in _AMBIGUOUS)
_SPACE = r"[\s\u00a0\u3000]"
_PREFIX = re.compile(
    rf"{_SPACE}*(?:{_PREFIXES}){_SPACE}{{0,4}}(?:\[\d{{1,4}}\]|\(\d{{1,4}}\)|[*^]\d{{1,4}})?{_SPACE}{{0,4}}[:\uff1a]{_SPACE}*",
    re.IGNORECASE,
)
_TAG = re.compile(rf"\[[^\[\]]{{1,80}}\]{_SPACE}*")


class Original(Struct, frozen=True, kw_only=True):
    """A message that is answered, or gone on with. Ids are as its mailer wrote them: others compare them octet by octet."""

    document: Document
    message_id: str | None
    in_reply_to: list[str]
    references: list[str]
    followup_to: list[Address]  # Mail-Followup-To, where its author wants the discussion
    delivered_to: list[Address]


def original(raw: Buffer, document: Document) -> Original:
    """Reads of `raw` what the document does not keep."""
    raw = mime.line_ends(raw[:_MAX_HEADER])
    header = mime.header(raw, mime.leading_junk(raw), len(raw))
    delivered = [value for name in (b"delivered-to", b"x-original-to", b"envelope-to") for value in header.every(name)]
    own = _ids(header.every(b"message-id")[:1])
    return Original(
        document=document,
        message_id=own[0] if own else None,
        in_reply_to=_ids(header.every(b"in-reply-to")),
        references=_ids(header.every(b"references")),
        followup_to=[one for value in header.every(b"mail-followup-to")[:1] for one in addresses.parse(value, "")],
        delivered_to=[one for value in delivered for one in addresses.parse(value, "")],
    )


class Conversation(NamedTuple):
    """What keeps a message in its conversation (RFC 5322 §3.6.4): ids as their mailers wrote them, without brackets."""

    in_reply_to: list[str]
    references: list[str]


def recipients(kind: Kind, original: Original, own: Collection[str]) -> tuple[list[Address], list[Address]]:
    """To and Cc (RFC 5322 §3.6.3). `own`: all addresses of this person; what is no address is left out."""
    if kind == "forward":
        return [], []
    document = original.document
    mine = {key(email) for email in own}
    to, cc = _asked_for(kind, original, mine)
    to, cc = unique(_reachable(to)), unique(_reachable(cc))
    kept = _without(to, mine)
    copied = _without(cc, mine | {key(one.email) for one in kept})
    if kept or copied:
        return (kept, copied) if kept else (copied, [])
    return to or unique(_reachable(document.from_)), []  # a note to oneself


def addressed(original: Original, own: Sequence[str]) -> str | None:
    """Which of one's own addresses it was for; of own mail the one it is from. None: it names none of them."""
    document = original.document
    spelled = {key(email): email for email in reversed(own)}
    people = [*document.from_, *document.to, *document.cc, *document.bcc, *original.delivered_to]
    return next((spelled[found] for one in people if (found := key(one.email)) in spelled), None)


def subject(kind: Kind, text: str) -> str:
    """One prefix, whatever stood there in whatever language; the tags of lists stay."""
    text = one_line(text)
    kept = ""
    while match := _PREFIX.match(text) or _TAG.match(text):
        tag = match.re is _TAG
        if tag and not _PREFIX.match(text, match.end()):
            break
        kept += match[0] if tag else ""
        text = text[match.end() :]
    return f"{'Fwd' if kind == 'forward' else 'Re'}: {kept}{text}".strip()


def conversation(kind: Kind, original: Original) -> Conversation:
    """Of an answer. What is forwarded begins another."""
    if kind == "forward":
        return Conversation([], [])
    parents = original.references or (original.in_reply_to if len(original.in_reply_to) == 1 else [])
    chain = [one for one in dict.fromkeys(parents) if one != original.message_id]
    if original.message_id is None:
        return Conversation([], _bounded(chain))
    return Conversation([original.message_id], _bounded([*chain, original.message_id]))


def own_conversation(draft: Original) -> Conversation:
    """Of a draft that somebody has begun elsewhere, whose parents may not be here."""
    return Conversation(draft.in_reply_to[:_RECENT], _bounded(draft.references))


def _bounded(chain: list[str]) -> list[str]:
    """The first and the latest of a long conversation."""
    chain = [*chain[:1], *chain[1:][-_RECENT:]]
    while len(chain) > 1 and sum(map(len, chain)) > _MAX_REFERENCES:
        del chain[1 if len(chain) > 2 else 0]
    return chain


def _asked_for(kind: Kind, original: Original, mine: set[str]) -> tuple[list[Address], list[Address]]:
    """Before one's own addresses and repetitions are taken out."""
    document = original.document
    authors = _reachable(document.from_)
    if any(key(one.email) in mine for one in authors) and (others := _reachable([*document.to, *document.cc])):
        if kind == "reply_all":
            return document.to, document.cc
        return (document.to or others), []
    answers = _reachable(document.reply_to) or authors or _reachable(document.sender)
    if kind == "reply":
        return answers, []
    if followup := _reachable(original.followup_to):
        return followup, []
    group = _list_address(document)
    if group and {key(one.email) for one in answers} == {key(group.email)}:
        answers = [*answers, *authors]  # the list took the place of the author
    return answers, [*document.to, *document.cc, *([group] if group else [])]


def _list_address(document: Document) -> Address | None:
    """List-Post (RFC 2369 §3.4), unless it is NO."""
    found = _MAILTO.search(document.list_post or "")
    return Address(name="", email=unquote(found[1]).strip()) if found else None


def _reachable(people: list[Address]) -> list[Address]:
    return [one for one in people if is_address(one.email)]


def _without(people: list[Address], known: set[str]) -> list[Address]:
    return [one for one in people if key(one.email) not in known]


def _ids(values: list[bytes]) -> list[str]:
    """As they are written, but for folds; the reader's own, when none stands in brackets."""
    written = [_WHITE_SPACE.sub("", found) for value in values for found in _BRACKETED.findall(unfold(value))]
    usable = [one for one in dict.fromkeys(written or ids.parse(values)) if is_message_id(one)]
    return ids.ends(usable)
