"""The child that cleans one message again with its remote images allowed: no secrets, bounded memory, time and files.

The raw message comes on stdin, its address for inline images as the argument; the fragment goes to stdout.
"""

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
    fragment = render_with_images(sys.stdin.buffer.read(), lambda cid: f"{address}{quote(cid, safe='')}")
    sys.stdout.buffer.write(fragment.encode())


if __name__ == "__main__":
    main()
