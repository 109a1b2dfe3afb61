"""The demo's letters as Maildirs with Dovecot's list of uids, which is what pymap reads."""

import os
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from services.embedded.mailbox.compose import Letter

LETTERS = {"\\Draft": "D", "\\Flagged": "F", "\\Answered": "R", "\\Seen": "S"}
"""In the order that Maildir wants them in a name."""

OTHER_MAILBOXES = ("Archive", "Drafts", "Junk", "Sent", "Trash")


def lay(folder: Path, letters: Sequence[Letter]) -> None:
    """Whole or not at all: what an interrupted first start left is written again."""
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for name in ("INBOX", *OTHER_MAILBOXES):
        place = unfinished if name == "INBOX" else unfinished / f".{name}"
        for part in ("cur", "new", "tmp"):
            (place / part).mkdir(parents=True)
        _fill(place, [letter for letter in letters if letter.mailbox == name])
    unfinished.rename(folder)


def _fill(place: Path, letters: Sequence[Letter]) -> None:
    digest = sha256("".join(letter.message_id for letter in letters).encode()).hexdigest()
    validity = int(letters[0].written.timestamp()) if letters else 1
    lines = [f"3 V{validity} N{len(letters) + 1} G{digest[:32]}\r\n"]
    for uid, letter in enumerate(letters, 1):
        mark = sha256(letter.message_id.encode()).hexdigest()[:32]
        moment = int(letter.written.timestamp())
        key = f"{moment}.{mark}.demo"
        file = place / "cur" / f"{key}:2,{''.join(LETTERS[flag] for flag in LETTERS if flag in letter.flags)}"
        file.write_bytes(letter.raw.replace(b"\r\n", b"\n"))
        os.utime(file, (moment, moment))  # the internal date
        lines.append(f"{uid} EM{mark} TT{mark} :{file.name}\r\n")
    (place / "dovecot-uidlist").write_text("".join(lines), newline="")
