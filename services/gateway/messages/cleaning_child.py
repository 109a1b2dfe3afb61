"""The child that cleans one message again with its remote images allowed: no secrets, bounded memory, time and files.

The raw message is its stdin, a file; its argument is the address before every inline image's id; the fragment goes to stdout.
"""

import mmap
import resource
import sys
from urllib.parse import quote

from projections.documents.document import render_with_images

MEMORY = 1 << 30
SECONDS = 15


def main() -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))
    address = sys.argv[1]
    with mmap.mmap(sys.stdin.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        fragment = render_with_images(raw, lambda cid: f"{address}{quote(cid, safe='')}")
    sys.stdout.buffer.write(fragment.encode())


if __name__ == "__main__":
    main()
