"""The child that cleans HTML: no secrets, bounded memory, time and files. The fragment goes to stdout.

With an argument it cleans a message again with its remote images allowed: stdin is the raw message, a file; the argument is the
address before every inline image's id. Without one, stdin is what a user wrote.
"""

import mmap
import re
import resource
import sys
from urllib.parse import quote

from projections.documents.document import render_with_images
from projections.documents.sanitize import clean, show_inline_images

MEMORY = 1 << 30
SECONDS = 15

_MARKED_AGAIN = tuple(re.compile(rf'(<[^<>]*? {attribute}="#?)m-m-') for attribute in ("id", "name", "href"))
"""Each cleaning marks what names a place within the text. "<" and ">" are escaped in attributes: these match inside tags only."""


def main() -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
    fragment = _message(sys.argv[1]) if len(sys.argv) > 1 else _written()
    sys.stdout.buffer.write(fragment.encode())


def _message(address: str) -> str:
    with mmap.mmap(sys.stdin.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        return render_with_images(raw, lambda cid: f"{address}{quote(cid, safe='')}")


def _written() -> str:
    """What was cleaned before comes out as it is, so that saving again and again changes nothing."""
    html = clean(sys.stdin.buffer.read().decode(), remote=True).html
    for marked in _MARKED_AGAIN:
        html = marked.sub(r"\1m-", html)
    return show_inline_images(html, lambda cid: f"cid:{quote(cid, safe='@')}")


if __name__ == "__main__":
    main()
