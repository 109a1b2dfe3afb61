"""Letters to messages: MIME that every parser reads alike, and what a reply takes from its original. Pure: no clock, no network."""

from services.mail.compose.errors import BadAddress, BadMessageId, ComposeError
from services.mail.compose.letter import File, Letter, Quoted

__all__ = ["BadAddress", "BadMessageId", "ComposeError", "File", "Letter", "Quoted"]
