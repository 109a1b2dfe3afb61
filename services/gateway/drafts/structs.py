"""What is sent and shown of drafts and their files."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec

from services.gateway.messages.structs import Addr

Kind = Literal["new", "reply", "reply_all", "forward"]
Quote = Literal["full", "none"]

NAME_LIMIT = 200
ADDRESS_LIMIT = 320  # more than RFC 5321 §4.5.3.1 allows, so that a mistake can be kept until it is mended
SUBJECT_LIMIT = 2_000
HTML_LIMIT = 600_000
RECIPIENTS_LIMIT = 500
FILES_LIMIT = 100

AddressText = Annotated[str, msgspec.Meta(max_length=ADDRESS_LIMIT)]


class Recipient(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As it was typed: whether it is an address is checked when it is sent."""

    name: Annotated[str, msgspec.Meta(max_length=NAME_LIMIT)]
    email: AddressText


Recipients = Annotated[list[Recipient], msgspec.Meta(max_length=RECIPIENTS_LIMIT)]


class NewDraft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`message_id`: what is answered or forwarded; with `new`, the message of a Drafts mailbox to go on with.

    `as_attachment`: a message is forwarded as a file. What is null or left out is filled in.
    """

    kind: Kind
    account_id: UUID | None = None
    identity_id: UUID | None = None
    message_id: UUID | None = None
    as_attachment: bool = False
    to: Recipients = []


class SaveDraft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole draft as it is now. `revision`: the one that it was made of."""

    revision: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    identity_id: UUID
    to: Recipients
    cc: Recipients
    bcc: Recipients
    subject: Annotated[str, msgspec.Meta(max_length=SUBJECT_LIMIT)]
    html: Annotated[str, msgspec.Meta(max_length=HTML_LIMIT)]
    plain: bool
    quote: Quote


class NewUpload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`size`: bytes that will come. `inline`: the body shows it as `cid:` and its `content_id`, which is made when it is null.

    `mime`: what it is called where it comes from; of that only a text's charset counts.
    """

    filename: Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
    mime: Annotated[str, msgspec.Meta(max_length=255)] = ""
    size: Annotated[int, msgspec.Meta(ge=0)]
    inline: bool = False
    content_id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._%+-]{1,120}(@[A-Za-z0-9.-]{1,120})?\Z")] | None = (
        None
    )


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """`received` of `size` bytes are here. `mime`: by its bytes and name, once it is complete; with a text's charset
    and a calendar's method, where these are known.
    """

    id: UUID
    filename: str
    mime: str
    size: int
    received: int
    inline: bool
    content_id: str | None
    complete: bool


class Quoted(msgspec.Struct, frozen=True, kw_only=True):
    """The original that stands below the draft; its HTML is the message's own document."""

    message_id: UUID
    from_: Addr | None = msgspec.field(name="from")
    date: datetime
    has_html: bool


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """`revision`: 0 until it is saved. `html`: cleaned; inline images are `cid:`. `plain`: its text as paragraphs.

    `thread_id`: of the source, or of the server's copy. `outbox_id`: a send of it that is not done with.
    `saved_on_server`: what is here is in the account's Drafts. `warnings`: what was taken out, or could not be carried.
    """

    id: UUID
    revision: int
    account_id: UUID
    identity_id: UUID
    kind: Kind
    source_message_id: UUID | None
    thread_id: UUID | None
    to: list[Addr]
    cc: list[Addr]
    bcc: list[Addr]
    subject: str
    html: str
    plain: bool
    quote: Quote
    quoted: Quoted | None
    attachments: list[Upload]
    updated_at: datetime
    outbox_id: UUID | None
    saved_on_server: bool
    warnings: list[str]


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """As it is kept."""

    draft: Draft


class DraftSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the list: `id` null for one that only the server has, `message_id` null for one that only we have."""

    id: UUID | None
    message_id: UUID | None
    account_id: UUID
    to: list[Addr]
    subject: str
    snippet: str
    updated_at: datetime
    outbox_id: UUID | None
    thread_id: UUID | None
    kind: Kind


class DraftList(msgspec.Struct, frozen=True, kw_only=True):
    """Newest first."""

    drafts: list[DraftSummary]


class DraftProblem(msgspec.Struct, frozen=True, kw_only=True):
    """`newer_revision`, or `wrong_offset`."""

    code: str
    message: str


class NewerRevision(msgspec.Struct, frozen=True, kw_only=True):
    """409: somebody else saved it meanwhile; `draft` is what they saved."""

    error: DraftProblem
    draft: Draft


class WrongOffset(msgspec.Struct, frozen=True, kw_only=True):
    """409: go on from what `upload` has received."""

    error: DraftProblem
    upload: Upload
