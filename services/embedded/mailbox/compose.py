"""One message of the demo mailbox, as its sender's program would have written it."""

import mimetypes
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from html import unescape

import msgspec

from services.embedded.mailbox.pictures import pdf, png


class Person(msgspec.Struct, frozen=True):
    """Somebody who writes or is written to."""

    name: str
    email: str

    @property
    def address(self) -> Address:
        return Address(self.name, addr_spec=self.email)


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A meeting so many days after the message, at an hour of UTC."""

    title: str
    days: int
    hour: int
    minutes: int
    place: str


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """What a message says, before it has a sender and a date; `place` tells it from others that say the same."""

    subject: str
    place: str
    text: str = ""
    html: str = ""
    attachments: Sequence[str] = ()
    inline: Mapping[str, str] = {}
    invitation: Invitation | None = None
    headers: Mapping[str, str] = {}


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """A message in its mailbox; `flags` as IMAP writes them."""

    mailbox: str
    written: datetime
    flags: Sequence[str]
    message_id: str
    raw: bytes


def compose(
    draft: Draft,
    sender: Person,
    to: Sequence[Person],
    cc: Sequence[Person],
    *,
    written: datetime,
    answers: Sequence[str],
) -> tuple[str, bytes]:
    """The message's id and bytes; `answers` are the ids of the conversation so far, oldest first (RFC 5322 §3.6.4)."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender.address
    message["To"] = [person.address for person in to]
    if cc:
        message["Cc"] = [person.address for person in cc]
    message["Subject"] = draft.subject
    message["Date"] = format_datetime(written)
    mark = sha256(
        "|".join([sender.email, draft.place, draft.subject, draft.text, draft.html, *answers]).encode()
    ).hexdigest()
    message_id = f"<{mark[:20]}@{sender.email.partition('@')[2]}>"
    message["Message-ID"] = message_id
    if answers:
        message["In-Reply-To"] = answers[-1]
        message["References"] = " ".join(answers)
    for name, value in draft.headers.items():
        message[name] = value
    _fill(message, draft, sender, to, written)
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"=_{mark[20:40]}_{number}")  # the library's own would be random
    return message_id, message.as_bytes()


def _fill(message: EmailMessage, draft: Draft, sender: Person, to: Sequence[Person], written: datetime) -> None:
    """Plain text, HTML with its pictures, an invitation (RFC 6047 §2.4), attachments."""
    message.set_content((draft.text or _plain(draft.html)).strip() + "\n")
    if draft.html:
        message.add_alternative(draft.html.strip() + "\n", subtype="html")
        page = message.get_body(("html",))
        if page is not None:
            for name, file in draft.inline.items():
                page.add_related(png(file), "image", "png", cid=f"<{name}>", filename=file, disposition="inline")
    if draft.invitation is not None:
        calendar = _calendar(draft.invitation, sender, to, written)
        message.add_alternative(calendar, subtype="calendar", params={"method": "REQUEST"})
    for name in draft.attachments:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        main, sub = kind.split("/")
        message.add_attachment(_attached(name, kind), main, sub, filename=name)


def _plain(html: str) -> str:
    """Of our own few tags."""
    lines = re.sub(r"\s*</?(?:p|ul|li|tr|br|h1|table|div)\b[^>]*>\s*", "\n", html.replace("</th>", " "))
    return re.sub(r"\n{3,}", "\n\n", unescape(re.sub(r"<[^>]*>", "", lines)))


def _attached(name: str, kind: str) -> bytes:
    if kind == "image/png":
        return png(name)
    if kind == "application/pdf":
        return pdf(name.removesuffix(".pdf"))
    return b"role,hours,rate\r\ndesign,40,95\r\nengineering,80,110\r\nsupport,10,80\r\n"


def _calendar(invitation: Invitation, sender: Person, to: Sequence[Person], written: datetime) -> str:
    """RFC 5545 §3.6.1."""
    start = (written + timedelta(days=invitation.days)).replace(hour=invitation.hour, minute=0, second=0)
    end = start + timedelta(minutes=invitation.minutes)
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Fjordline//Calendar//EN",
        "METHOD:REQUEST",
        "BEGIN:VEVENT",
        f"UID:{sha256(invitation.title.encode()).hexdigest()[:16]}@fjordline.test",
        f"DTSTAMP:{written:%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        f"DTEND:{end:%Y%m%dT%H%M%SZ}",
        f"SUMMARY:{invitation.title}",
        f"LOCATION:{invitation.place}",
        f"ORGANIZER;CN={sender.name}:mailto:{sender.email}",
        *(f"ATTENDEE;CN={person.name};PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{person.email}" for person in to),
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]
    return "\r\n".join(lines)
