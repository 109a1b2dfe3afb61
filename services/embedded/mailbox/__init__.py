"""A believable mailbox for the demo: a few hundred messages, the same ones each time, dated back from a given moment."""

from services.embedded.mailbox.compose import Letter
from services.embedded.mailbox.letters import mailbox

__all__ = ["Letter", "mailbox"]
