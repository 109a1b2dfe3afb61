"""What can go wrong with a job."""


class JobError(Exception):
    """Base of all below."""


class Skipped(JobError):
    """Not enqueued; `code` says why, in words of the API: `already_queued`, `too_many_jobs`, `cooling_down`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class JobLost(JobError):
    """The job is no longer its holder's: cancelled, taken over, or not renewed in time. Nothing more may be written for it."""
