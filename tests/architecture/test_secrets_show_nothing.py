"""Whatever holds a secret shows nothing of it: every struct, tuple and dataclass of the project, by its fields' names."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import msgspec
import pytest

import contracts
import projections
import services

HIDDEN = "hunter2"
SECRET = re.compile(r"password|secret|token|(^|_)keys?(_|$)|recovery_codes")

OPEN = {
    "Credential.public_key": "of a passkey, and no secret",
    "Job.token": "fences a job's workers from each other, and opens nothing",
    "Joined.keys": "Message-IDs",
    "Lease.key": "the name of what is leased",
    "Member.keys": "Message-IDs",
    "Message.key": "a Nats-Msg-Id",
    "Provider.token_url": "an address",
    "SecondFactor.recovery_codes_left": "a number",
}
"""Fields that only sound like secrets, and why they are none."""


def classes() -> Iterator[type]:
    """Of every module that may be imported without beginning a process."""
    for package in (contracts, projections, services):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                module = importlib.import_module(found.name)
                members = inspect.getmembers(module, inspect.isclass)
                yield from (one for _, one in members if one.__module__ == found.name)


def fields(one: type) -> tuple[str, ...]:
    """What it is made of, when it is made of fields."""
    if issubclass(one, msgspec.Struct):
        return one.__struct_fields__
    if dataclasses.is_dataclass(one):
        return tuple(field.name for field in dataclasses.fields(one) if field.init)
    named: tuple[str, ...] = getattr(one, "_fields", ())
    return named


def sounding() -> list[tuple[type, str]]:
    return [(one, field) for one in classes() for field in fields(one) if SECRET.search(field)]


HOLDERS = [(one, field) for one, field in sounding() if f"{one.__name__}.{field}" not in OPEN]


@pytest.mark.parametrize(("one", "field"), HOLDERS, ids=[f"{one.__name__}.{field}" for one, field in HOLDERS])
def test_a_secret_is_in_no_repr(one: type, field: str) -> None:
    made = one(**{name: HIDDEN if name == field else None for name in fields(one)})
    assert getattr(made, field) == HIDDEN
    for shown in (repr(made), str(made), f"{made}", repr([made])):
        assert HIDDEN not in shown


def test_whoever_is_excused_is_still_there() -> None:
    assert set(OPEN) == {f"{one.__name__}.{field}" for one, field in sounding()} & set(OPEN)


def test_those_that_are_known_to_hold_one_are_found() -> None:
    found = {f"{one.__name__}.{field}" for one, field in HOLDERS}
    assert {"Settings.master_key", "S3.secret_access_key", "Server.password", "Credentials.imap_password"} <= found
