"""The pytest plugin that gives tests their real mail servers: `dovecot`, `fresh_dovecot`, `mail_user`."""

from tests.support.mail_servers import dovecot, fresh_dovecot, mail_user

__all__ = ["dovecot", "fresh_dovecot", "mail_user"]
