"""What to do about each way in which a mail server can fail (codes of `contracts.provider`)."""

ADVICE = {
    "auth_failed": "The server refused this user name or password. Check both; some providers want an app password.",
    "app_password_needed": (
        "The provider wants a password made for mail programs, not your own. Make one on its account page and use it here."
    ),
    "access_off": "Access for mail programs is switched off there. Switch IMAP on in the provider's own settings, then try again.",
    "grant_lost": "The provider does not let us in any more. Sign in there again; nothing of your mail is lost.",
    "secret_missing": "The account's password is not kept here any more. Connect it again; nothing of your mail is lost.",
    "login_disabled": "The server does not take passwords this way. Try another port or kind of TLS.",
    "tls_failed": "No trusted encrypted connection could be made. Check the server's name, its port and the kind of TLS.",
    "unknown_host": "No server has this name. Check its spelling.",
    "private_address": (
        "This name leads into a private network, which this installation does not connect to. The operator can allow it."
    ),
    "connect_timeout": "The server did not answer. Check its name and port, or try again later.",
    "timeout": "The server connected and then stayed silent. Check the kind of TLS, or try again later.",
    "refused": "Nothing listens on this port. Check the port.",
    "too_many_connections": "The server has too many connections of yours already. Close other mail programs and try again.",
    "unavailable": "The server has trouble of its own. Try again later.",
    "connection_lost": "The server ended the connection. Try again later.",
    "protocol": "What answers there does not speak the protocol that was expected. Check the server's name and port.",
}
ADVICE_ON_SIGNING_IN = {
    "denied": "Access was not granted there. Sign in again and allow it, or use a password where the provider takes one.",
    "too_late": "This took too long, or was begun in another browser. Begin again.",
    "not_set_up": "Signing in at this provider is not set up here. Ask the operator.",
    "sign_in_failed": "The provider did not confirm the sign-in. Begin again.",
}
_OTHER = "The server did not accept this account. Check the settings."

_NOBODY_SPOKE = frozenset({"unknown_host", "private_address", "connect_timeout", "timeout", "refused"})


def advice(code: str, detail: str) -> str:
    """What to do, then the server's own words where a server spoke."""
    known = ADVICE.get(code) or ADVICE_ON_SIGNING_IN.get(code, _OTHER)
    if not detail or code in _NOBODY_SPOKE:
        return known
    return f"{known} {'Details' if code == 'tls_failed' else 'The server said'}: {detail}"
