"""The child that cleans HTML: no secrets, bounded memory, time and files. The fragment goes to stdout.

Its first argument says what is on stdin: `shown`, a message in a file, whose inline images have the second argument before their
id; `edited`, a message in a file that somebody goes on writing; `quoted`, one that goes out with another; `written`, what a user
wrote.
"""

import mmap
import re
import resource
import sys
from urllib.parse import quote

from projections.documents.document import editable, html_with_images, render_with_images
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
    sys.stdout.buffer.write(_fragment(*sys.argv[1:]).encode())


def _fragment(what: str, address: str = "") -> str:
    if what == "written":
        return _written(sys.stdin.buffer.read().decode())
    with mmap.mmap(sys.stdin.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        if what == "edited":
            return editable(raw, _cid)
        if what == "quoted":
            return html_with_images(raw)
        return render_with_images(raw, lambda cid: f"{address}{quote(cid, safe='')}")


def _written(html: str) -> str:
    """What was cleaned before comes out as it is, so that saving again and again changes nothing."""
    html = clean(html, remote=True).html
    for marked in _MARKED_AGAIN:
        html = marked.sub(r"\1m-", html)
    return show_inline_images(html, _cid)


def _cid(content_id: str) -> str:
    return f"cid:{quote(content_id, safe='@')}"


if __name__ == "__main__":
    main()
