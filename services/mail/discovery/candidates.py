"""What discovery finds, and how each of its steps went."""

from typing import Literal

from msgspec import Struct

Method = Literal["preset", "autoconfig", "ispdb", "srv", "mx", "probe"]
Status = Literal["found", "nothing", "failed"]
Auth = Literal["password", "app_password", "oauth:google", "oauth:microsoft"]


class Server(Struct, frozen=True, kw_only=True):
    """Never one without TLS: what goes there is a password."""

    host: str
    port: int
    tls: Literal["ssl", "starttls"]
    username: str


class Candidate(Struct, frozen=True, kw_only=True):
    """A guess that a test has to prove.

    `origin`: who said it, a provider's or a domain's name. `auth`: the ways in, the best one first. `help`: the key of a
    text that says what the provider wants its users to switch on. `foreign`: its hosts are of another domain than the
    address and nothing but DNS says so (RFC 6186 §6).
    """

    source: Method
    origin: str
    imap: Server
    smtp: Server | None
    auth: tuple[Auth, ...] = ("password",)
    help: str | None = None
    foreign: bool = False


class Step(Struct, frozen=True, kw_only=True):
    """`detail`: for people, in English: what was found, or why nothing was."""

    method: Method
    status: Status
    detail: str
    ms: int


class Discovery(Struct, frozen=True, kw_only=True):
    """`candidates`: none, or the one of the first step that found any. `steps`: all, in their order."""

    candidates: tuple[Candidate, ...]
    steps: tuple[Step, ...]


class Nothing(Exception):
    """This step has nothing to say of the address: its text is why."""


class Failed(Exception):
    """This step could not be done: its text is why."""
