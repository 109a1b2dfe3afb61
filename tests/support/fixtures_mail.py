"""The pytest plugin that gives tests their real mail servers: `dovecot`, `dovecot_of_its_own`, `mail_user`, `pymap_server`."""

from tests.support.mail_servers import dovecot, dovecot_of_its_own, mail_user, pymap_server

__all__ = ["dovecot", "dovecot_of_its_own", "mail_user", "pymap_server"]
