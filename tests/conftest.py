"""What every test may ask for."""

pytest_plugins = [
    "tests.support.secrecy",
    "tests.support.programs",
    "tests.support.fixtures_servers",
    "tests.support.fixtures_mail",
    "tests.support.seeds",
]
