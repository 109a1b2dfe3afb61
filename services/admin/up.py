"""`webmail up`: everything, from one command."""

import argparse

from services.admin.environment import data_folder, data_option
from services.config import from_environment
from services.embedded import up


def options(parser: argparse.ArgumentParser) -> None:
    data_option(parser)


def run(chosen: argparse.Namespace) -> int:
    environ = from_environment()
    return up.up(data_folder(chosen.data, environ), environ)
