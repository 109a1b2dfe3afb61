"""Letters to messages: MIME that every parser reads alike, and what a reply takes from its original. Pure: no clock, no network."""

from services.mail.compose.build import build
from services.mail.compose.errors import BadAddress, BadMessageId, ComposeError
from services.mail.compose.letter import File, Letter, Quoted
from services.mail.compose.mailboxes import Envelope, check, envelope, needs_utf8
from services.mail.compose.plaintext import html_of, text_of
from services.mail.compose.quoting import Language, Quote, QuotedImage, dated, images, quote
from services.mail.compose.replying import (
    Conversation,
    Kind,
    Original,
    addressed,
    conversation,
    original,
    own_conversation,
    recipients,
    subject,
)
from services.mail.compose.secrecy import without_bcc

__all__ = [
    "BadAddress",
    "BadMessageId",
    "ComposeError",
    "Conversation",
    "Envelope",
    "File",
    "Kind",
    "Language",
    "Letter",
    "Original",
    "Quote",
    "Quoted",
    "QuotedImage",
    "addressed",
    "build",
    "check",
    "conversation",
    "dated",
    "envelope",
    "html_of",
    "images",
    "needs_utf8",
    "original",
    "own_conversation",
    "quote",
    "recipients",
    "subject",
    "text_of",
    "without_bcc",
]
