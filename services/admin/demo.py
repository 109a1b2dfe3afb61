"""`webmail demo`: everything, with a mailbox to try it on."""

import argparse

from services.admin.environment import data_folder, data_option
from services.config import from_environment
from services.embedded import demo


def options(parser: argparse.ArgumentParser) -> None:
    data_option(parser)
    parser.add_argument("--check", action="store_true", help="read one message over HTTP, tell the times, and stop")


def run(chosen: argparse.Namespace) -> int:
    environ = from_environment()
    if chosen.check:
        return demo.check(chosen.data, environ)
    return demo.demo(data_folder(chosen.data, environ), environ)
