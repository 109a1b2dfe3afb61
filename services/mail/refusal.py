"""What mail servers say, in prose only, when a login needs something of the account's owner at the provider's own page."""

import re

from contracts.provider import ErrorCode

_MEANINGS: tuple[tuple[ErrorCode, re.Pattern[str]], ...] = (
    # Google: "Application-specific password required", Fastmail: "you need to create an app password", Zoho, iCloud, mail.ru
    ("app_password_needed", re.compile(r"app(lication)?([- ]specific)?[- ]?passwor[dt]|hasł[oa] (dla )?aplikacji")),
    # Microsoft: "basic authentication is disabled", "LOGIN failed. BasicAuthBlocked"
    ("login_disabled", re.compile(r"basic ?auth(entication)? ?(is )?(disabled|blocked)")),
    # Google and Zoho: "not enabled for IMAP", Microsoft: "SmtpClientAuthentication is disabled", GMX and WEB.DE in German
    (
        "access_off",
        re.compile(
            r"not enabled for imap|(yet to|please) enable imap|(imap|smtp)\w*( access)?( is)?( currently)? "
            r"(disabled|not enabled|(turned|switched) off|blocked)|smtpclientauthentication is disabled"
            r"|(imap|smtp)\b.*(deaktiviert|nicht (aktiviert|freigeschaltet))|dostęp .*programów pocztowych"
        ),
    ),
)


def meaning(said: str) -> ErrorCode | None:
    """None: nothing beyond the refusal itself."""
    words = " ".join(said.lower().split())
    return next((code for code, pattern in _MEANINGS if pattern.search(words)), None)
