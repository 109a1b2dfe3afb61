"""IMAP4rev1 (RFC 3501, RFC 9051): the only package that imports an IMAP library; used through `ImapProvider`."""

from services.mail.imap.provider import ImapProvider

__all__ = ["ImapProvider"]
