"""What can go wrong in sync, beyond what the provider and the log say themselves."""


class SyncError(Exception):
    """The base of all below."""


class Revoked(SyncError):
    """The account's owner, servers, status or secret are no longer those that the work began with: it must begin anew."""


class Spent(SyncError):
    """The job has done as many chunks as one may, and there is more to do."""


class Superseded(SyncError):
    """The mailbox has begun another generation: what was read under the old numbering is of no use."""


def first(error: Exception) -> Exception:
    """What began it: the other tasks of a group were only cancelled."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
