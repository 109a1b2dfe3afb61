"""What can become of a question to a token endpoint, told apart by what it means for the grant."""


class OAuthError(Exception):
    """Base of all. The text is for an operator, and names neither a token nor a person."""


class GrantOver(OAuthError):
    """`invalid_grant` (RFC 6749 §5.2): the owner, the provider or time has ended it."""


class NotNow(OAuthError):
    """Nothing has happened to the grant: nobody was reached, or the answer says that it was not looked at.

    `after`: seconds for which the provider wants to be left alone, 0 when it did not say.
    """

    def __init__(self, text: str, after: float = 0) -> None:
        super().__init__(text)
        self.after = after


class Uncertain(OAuthError):
    """It was asked, and nobody knows what came of it: the grant may be used up."""
