"""Which programs of the system tests need, and which tests can't run without them."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

DEBIAN_PACKAGES: Mapping[str, Sequence[str]] = {
    "dovecot": ["dovecot-imapd", "dovecot-lmtpd"],
    "chromium": ["chromium-headless-shell"],
    "mbsync": ["isync"],
    "notmuch": ["notmuch"],
}
PARTS: Mapping[str, Sequence[str]] = {"dovecot": ["dovecot", "lmtp"]}  # what a name above stands for, if for more
PREFERRED: Mapping[str, str] = {
    "chromium": "chromium-headless-shell"
}  # the same without its windows: a quarter of the work
# Not on an ordinary user's PATH.
ELSEWHERE = ("/usr/sbin", "/usr/local/sbin", "/usr/lib/dovecot", "/usr/libexec/dovecot")


def find_program(name: str) -> str | None:
    found = shutil.which(PREFERRED.get(name, name)) or shutil.which(name)
    if found:
        return found
    return next((str(path) for folder in ELSEWHERE if (path := Path(folder) / name).exists()), None)


def missing_programs() -> Sequence[str]:
    return [name for name in DEBIAN_PACKAGES if any(find_program(part) is None for part in PARTS.get(name, [name]))]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, and count as deselected, the tests whose fixtures are named after a program that is missing."""
    missing = missing_programs()
    cannot = [item for item in items if any(needs(item, program) for program in missing)]
    if cannot:
        config.hook.pytest_deselected(items=cannot)
        items[:] = [item for item in items if item not in cannot]


def needs(item: pytest.Item, program: str) -> bool:
    return any(name.startswith(program) for name in getattr(item, "fixturenames", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for program in missing_programs():
        packages = " ".join(DEBIAN_PACKAGES[program])
        terminalreporter.write_line(f"not run: tests that need {program} (Debian: apt-get install {packages})")
