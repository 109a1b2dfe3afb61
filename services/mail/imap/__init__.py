"""IMAP4rev1 (RFC 3501, RFC 9051): the only package that imports an IMAP library; used through `ImapProvider` and `ImapWriter`."""

from services.mail.imap.provider import ImapProvider
from services.mail.imap.writer import ImapWriter

__all__ = ["ImapProvider", "ImapWriter"]
