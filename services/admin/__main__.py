"""The `webmail` command line: one module a command, loaded only when it is asked for."""

import argparse
import importlib
import sys
from collections.abc import Sequence

COMMANDS = {
    "up": "run everything: nats-server, Postgres, sync, projector and gateway",
    "demo": "the same with a mail server and a mailbox to try it on",
    "streams": "make or check the streams of the log",
    "database": "bring the tables up to date",
    "users": "list them, invite somebody, let somebody choose a new password",
    "projections": "rebuild, verify or show the read models",
    "erase": "remove for ever what users removed",
    "vault": "put the accounts' secrets under a new master key",
    "document": "show what a raw message is parsed into",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 1 failed, 2 not understood."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] not in COMMANDS:
        return _usage(given)
    name, rest = given[0], given[1:]
    command = importlib.import_module(f"services.admin.{name}")
    parser = argparse.ArgumentParser(prog=f"webmail {name}", description=COMMANDS[name])
    command.options(parser)
    status: int = command.run(parser.parse_args(rest))
    return status


def _usage(given: Sequence[str]) -> int:
    asked = bool(given) and given[0] in {"help", "-h", "--help"}
    lines = ["usage: webmail COMMAND [--help]", "", *(f"  {name:<13}{does}" for name, does in COMMANDS.items())]
    if given and not asked:
        lines = [f"webmail: there is no command {given[0]!r}", "", *lines]
    (sys.stdout if asked else sys.stderr).write("\n".join(lines) + "\n")
    return 0 if asked else 2


if __name__ == "__main__":
    sys.exit(main())
