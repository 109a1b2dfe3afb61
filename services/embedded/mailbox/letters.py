"""From the lists of conversations and series to dated, threaded messages in mailboxes."""

import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from importlib.resources import files

import msgspec

from services.embedded.mailbox.compose import Draft, Invitation, Letter, Person, compose

ME = "me"


class Said(msgspec.Struct, frozen=True, kw_only=True, rename={"sender": "from"}):
    """One message of a conversation; `after`: hours since the one before."""

    sender: str
    to: list[str]
    cc: list[str] = []
    after: float = 0
    text: str = ""
    html: str = ""
    attachments: list[str] = []
    inline: dict[str, str] = {}
    invitation: Invitation | None = None
    unread: bool = False
    starred: bool = False
    draft: bool = False


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """`age`: days since its first message."""

    subject: str
    age: float
    message: list[Said]
    mailbox: str = "INBOX"
    headers: dict[str, str] = {}


class Series(msgspec.Struct, frozen=True, kw_only=True, rename={"sender": "from"}):
    """The newest is `age` days old, each further one `every` days older; the newest `unread` of them are."""

    sender: str
    subject: str
    age: float
    every: float
    text: str
    items: list[list[str]]
    title: str = ""
    mailbox: str = "INBOX"
    attachments: list[str] = []
    newsletter: bool = False
    unread: int = 0
    repeat: int = 1
    projects: tuple[str, ...] = ("",)
    to: tuple[str, ...] = (ME,)


class Reviews(msgspec.Struct, frozen=True, kw_only=True):
    """Each item: number, title, author, description, remark, answer."""

    age: float
    every: float
    items: list[tuple[str, str, str, str, str, str]]


class Discussion(msgspec.Struct, frozen=True, kw_only=True):
    """A mailing list's thread, its voices speaking in turn."""

    subject: str
    age: float
    tag: str
    voices: list[str]
    remarks: list[str]


class Regular(msgspec.Struct, frozen=True, kw_only=True):
    """The file of what comes again and again."""

    series: list[Series]
    reviews: list[Reviews]
    discussion: list[Discussion]
    notes: list[Series]


def mailbox(now: datetime) -> Sequence[Letter]:
    """All of it, oldest first, as if it had been written in the weeks before `now`."""
    people = msgspec.convert(_file("people.toml"), dict[str, Person])
    written = msgspec.convert(_file("conversations.toml")["thread"], list[Conversation])
    regular = msgspec.convert(_file("series.toml"), Regular)
    conversations = [
        *written,
        *(one for series in (*regular.series, *regular.notes) for one in _issues(series)),
        *(one for reviews in regular.reviews for one in _reviews(reviews, sorted(people.keys() - {ME}))),
        *(_discussion(discussion) for discussion in regular.discussion),
    ]
    letters = [letter for conversation in conversations for letter in _letters(conversation, people, now)]
    return sorted(letters, key=lambda letter: (letter.written, letter.message_id))


def _letters(conversation: Conversation, people: dict[str, Person], now: datetime) -> Iterator[Letter]:
    written = now.astimezone(UTC).replace(microsecond=0) - timedelta(days=conversation.age)
    answers: list[str] = []
    for said in conversation.message:
        written = min(written + timedelta(hours=said.after), now)
        subject = conversation.subject
        if answers and not subject.startswith("Re: "):
            subject = f"Re: {subject}"
        draft = Draft(
            subject=subject,
            place=f"{conversation.age:g}",
            text=said.text,
            html=said.html,
            attachments=said.attachments,
            inline=said.inline,
            invitation=said.invitation,
            headers=conversation.headers,
        )
        to, cc = ([people[name] for name in names] for names in (said.to, said.cc))
        message_id, raw = compose(draft, people[said.sender], to, cc, written=written, answers=answers)
        answers.append(message_id)
        mine = said.sender == ME and not said.draft
        where = "Sent" if mine else conversation.mailbox
        yield Letter(mailbox=where, written=written, flags=_flags(said), message_id=message_id, raw=raw)


def _flags(said: Said) -> list[str]:
    named = {"\\Seen": not said.unread, "\\Flagged": said.starred, "\\Draft": said.draft}
    return [flag for flag, has in named.items() if has]


def _issues(series: Series) -> Iterator[Conversation]:
    """Each a conversation of one message, newest first."""
    total = len(series.items) * series.repeat
    for place in range(total):
        item = series.items[place % len(series.items)]
        words = {"number": total - place + 40, "project": series.projects[place % len(series.projects)]}
        text, title = series.text.format(*item, **words), series.title.format(*item, **words)
        said = Said(
            sender=series.sender,
            to=list(series.to),
            text=text,
            html=_newsletter(title, text) if series.newsletter else "",
            attachments=[name.format(*item, **words) for name in series.attachments],
            unread=place < series.unread,
        )
        headers = {"List-Unsubscribe": "<https://letters.test/unsubscribe>"} if series.newsletter else {}
        yield Conversation(
            subject=series.subject.format(*item, **words),
            age=series.age + place * series.every,
            message=[said],
            mailbox=series.mailbox,
            headers=headers,
        )


def _reviews(reviews: Reviews, others: Sequence[str]) -> Iterator[Conversation]:
    for place, (number, title, author, about, remark, answer) in enumerate(reviews.items):
        reviewer = others[(place * 5) % len(others)] if author == ME else ME
        link = f"https://forge.test/fjordline/atlas/pull/{number}"
        bot = f"Merged #{number} into main.\n\n{link}"
        yield Conversation(
            subject=f"[fjordline/atlas] {title} (#{number})",
            age=reviews.age + place * reviews.every,
            message=[
                Said(
                    sender="forge",
                    to=[ME],
                    text=f"{'You' if author == ME else author.capitalize()} opened #{number}:\n\n{about}\n\n{link}",
                ),
                Said(sender="priya" if author != "priya" else "tomasz", to=[ME], after=1.2, text=remark),
                Said(
                    sender=author if author != ME else ME,
                    to=["forge"] if author == ME else [ME],
                    after=2.5,
                    text=answer,
                ),
                Said(sender="maja" if reviewer == ME else "oskar", to=[ME], after=0.8, text="Approved, thank you!"),
                Said(sender="forge", to=[ME], after=0.3, text=bot),
            ],
        )


def _discussion(discussion: Discussion) -> Conversation:
    remarks = [
        Said(
            sender=discussion.voices[place % len(discussion.voices)],
            to=["list"],
            after=1 + place % 4 * 2.5,
            text=remark,
        )
        for place, remark in enumerate(discussion.remarks)
    ]
    return Conversation(
        subject=discussion.tag + discussion.subject,
        age=discussion.age,
        message=remarks,
        headers={"List-Id": "Small Web <smallweb.lists.test>", "List-Post": "<mailto:smallweb@lists.test>"},
    )


def _newsletter(title: str, text: str) -> str:
    """A letter as such letters are: a table, colours of its own, a picture and a pixel from elsewhere."""
    return f"""<!doctype html>
<html><head><style>a {{ color: #8a3b12 }} .lead {{ font-size: 18px; line-height: 1.6 }}</style></head>
<body style="margin:0; background:#f4efe6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" style="background:#fffdf8; color:#2b2620">
<tr><td><img src="https://pictures.test/header.jpg" alt="" width="560" height="180" style="display:block"></td></tr>
<tr><td style="padding:28px 36px; font-family:Georgia,serif">
<h1 style="margin:0 0 12px; font-size:26px">{escape(title)}</h1>
<p class="lead">{escape(text)}</p>
<p><a href="https://letters.test/read">Read on</a></p>
</td></tr>
<tr><td style="padding:16px 36px; font:12px sans-serif; color:#8c8377">You receive this letter because you asked for it.
<a href="https://letters.test/unsubscribe">Unsubscribe</a></td></tr>
</table>
<img src="https://pictures.test/open.gif" width="1" height="1" alt="">
</td></tr></table></body></html>"""


def _file(name: str) -> dict[str, object]:
    return tomllib.loads(files("services.embedded.mailbox").joinpath(name).read_text(encoding="utf-8"))
