"""The providers as data: where one signs in, where tokens are got, and which mail servers take them."""

from collections.abc import Mapping

from msgspec import Struct

from services.config import OAuthName
from services.state.accounts import Auth, Endpoint, Tls


class Server(Struct, frozen=True, kw_only=True):
    """A mail server that takes the provider's access tokens."""

    host: str
    port: int
    tls: Tls


class Provider(Struct, frozen=True, kw_only=True):
    """`ask`: parameters of the sign-in page beside those of RFC 6749 §4.1.1, without which there is no refresh token.

    `rotates`: each refresh gives another refresh token, so that the one before may be of no use (RFC 6749 §6). An access
    token goes to these two servers and to no other.
    """

    name: OAuthName
    auth: Auth
    sign_in_url: str
    token_url: str
    scope: str
    ask: dict[str, str]
    rotates: bool
    imap: Server
    smtp: Server

    def servers(self, email: str) -> tuple[Endpoint, Endpoint]:
        """IMAP and SMTP of an address there."""
        imap, smtp = (
            Endpoint(host=one.host, port=one.port, tls=one.tls, username=email, auth=self.auth)
            for one in (self.imap, self.smtp)
        )
        return imap, smtp


PROVIDERS: Mapping[str, Provider] = {
    "google": Provider(
        name="google",
        auth="oauth:google",
        sign_in_url="https://accounts.google.com/o/oauth2/v2/auth",
        token_url="https://oauth2.googleapis.com/token",  # noqa: S106 - an address, no password
        scope="https://mail.google.com/",
        ask={"access_type": "offline", "prompt": "consent"},
        rotates=False,
        imap=Server(host="imap.gmail.com", port=993, tls="ssl"),
        smtp=Server(host="smtp.gmail.com", port=465, tls="ssl"),
    ),
    "microsoft": Provider(
        name="microsoft",
        auth="oauth:microsoft",
        sign_in_url="https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
        token_url="https://login.microsoftonline.com/common/oauth2/v2.0/token",  # noqa: S106 - an address, no password
        scope="offline_access https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send",
        ask={"prompt": "select_account"},
        rotates=True,
        imap=Server(host="outlook.office365.com", port=993, tls="ssl"),
        smtp=Server(host="smtp.office365.com", port=587, tls="starttls"),
    ),
}
