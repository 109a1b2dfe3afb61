"""What a search gives."""

import msgspec

from projections.mail.rows import ThreadRow


class SearchPage(msgspec.Struct, frozen=True, kw_only=True):
    """Threads by their newest match. `total`: of all pages when `total_exact`, else of what was looked at."""

    threads: list[ThreadRow]
    total: int
    total_exact: bool
    next_cursor: str | None
