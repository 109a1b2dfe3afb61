"""The pytest plugin of random tests: `seed` is printed, and given again by `--seed`."""

import random
import sys

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="of tests that do random things: the one that a failed run has printed")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Another one each time, unless it is asked for."""
    given: int | None = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(10**6) if given is None else given
    sys.stdout.write(f"seed {chosen}\n")
    return chosen
