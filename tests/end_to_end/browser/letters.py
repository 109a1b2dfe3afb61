"""A small mailbox with one of each thing that the browser tests look at."""

from datetime import UTC, datetime, timedelta

from tests.support.dovecot import Mail

NOW = datetime.now(UTC).replace(microsecond=0)
PLAN, PICTURE = "Quarterly plan", "A picture from the trip"
FILLER = 60
LETTERS = 300


def letter(
    subject: str,
    *,
    key: str,
    hours_ago: float,
    sender: str = "Ann Shore <ann@x.example>",
    answers: str = "",
    body: str = "Good morning.",
    html: bool = False,
    flags: str = "S",
) -> Mail:
    """`key` is the local part of its Message-ID, `answers` of the one that it answers."""
    date = NOW - timedelta(hours=hours_ago)
    reference = f"In-Reply-To: <{answers}@x.example>\nReferences: <{answers}@x.example>\n" if answers else ""
    kind = "text/html" if html else "text/plain"
    head = f"Message-ID: <{key}@x.example>\nFrom: {sender}\nTo: me@x.example\nSubject: {subject}\n{reference}"
    date_line = f"Date: {date:%a, %d %b %Y %H:%M:%S} +0000\n"
    raw = f"{head}{date_line}MIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\n\n{body}\n"
    return Mail(raw.encode(), date=date, flags=flags)


def letters(of: str) -> list[Mail]:
    """Many short ones, the newest last; `of` makes their ids its own."""
    return [letter(f"Letter {n}", key=f"{n}.{of}", hours_ago=LETTERS - n) for n in range(LETTERS)]


def mailbox(picture: str) -> list[Mail]:
    """Newest last. `picture`: the address of the one remote image."""
    fillers = [
        letter(f"Note {n}", key=f"note{n}", hours_ago=200 + n, sender=f"Writer {n} <w{n}@x.example>", body=f"Text {n}")
        for n in reversed(range(FILLER))
    ]
    return [
        *fillers,
        letter("Żółta łódź", key="boat", hours_ago=50, sender="Łucja Żak <lucja@x.example>", body="Zażółć gęślą jaźń."),
        letter(
            PICTURE, key="pic", hours_ago=10, html=True, body=f'<p>Look at this.</p><img src="{picture}" alt="a hill">'
        ),
        letter(PLAN, key="plan1", hours_ago=6, body="The first draft of the plan.\n" * 5),
        letter(
            f"Re: {PLAN}",
            key="plan2",
            hours_ago=5,
            answers="plan1",
            sender="Bo Hill <bo@x.example>",
            body="Second: questions.",
        ),
        letter(f"Re: {PLAN}", key="plan3", hours_ago=4, answers="plan2", body="Third: answers."),
        letter(
            f"Re: {PLAN}",
            key="plan4",
            hours_ago=3,
            answers="plan3",
            sender="Cleo Moor <cleo@x.example>",
            body="Fourth and newest.",
        ),
    ]
