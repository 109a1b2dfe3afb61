"""What can go wrong with the plain tables."""


class StateError(Exception):
    """Base of all."""


class MigrationError(StateError):
    """The migrations on disk and those in the database don't fit together; nothing was changed."""


class HandleTaken(StateError):
    """Somebody else has this handle."""


class AccountExists(StateError):
    """The user has connected this address already, or is doing so right now."""


class SecretMissing(StateError):
    """The account has no secret that this process can open: only its owner can help, by connecting it again."""

    code = "secret_missing"


class GrantLost(SecretMissing):
    """The provider lets us in no more, or nobody knows whether it does: its owner has to sign in there again."""

    code = "grant_lost"


class AccountPaused(StateError):
    """The account's owner wants its server left alone for now."""
