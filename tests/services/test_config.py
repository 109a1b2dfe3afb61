"""Settings are read once, and a process refuses the secrets of another."""

import base64
from pathlib import Path

import pytest

from services.config import PLAIN, PROCESSES, SECRETS, ConfigurationError, Process, refuse_foreign_secrets, settings

LEAST = {"DATABASE_URL": "postgresql://role:secret-of-db@/webmail", "NATS_URL": "nats://role:secret-of-nats@localhost"}


def test_two_addresses_are_enough() -> None:
    known = settings(LEAST)
    assert known.partitions == 4
    assert known.blob_root == Path("data/blobs").absolute()


@pytest.mark.parametrize("name", sorted(LEAST))
def test_a_missing_address_is_named(name: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        settings({other: value for other, value in LEAST.items() if other != name})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://somewhere"),
        ("NATS_URL", "redis://somewhere"),
        ("PARTITIONS", "many"),
        ("PARTITIONS", "0"),
        ("HTTP_PORT", "99999"),
        ("LEASE_TTL", "-1"),
        ("LEASE_RENEW", "31"),
        ("LOG_LEVEL", "loud"),
        ("MASTER_KEY", "c2hvcnQ="),
        ("IDENTITY_KEY", "not base64 %%%"),
    ],
)
def test_a_malformed_setting_is_named_and_its_value_is_not_repeated(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name) as refusal:
        settings({**LEAST, name: value})
    assert value not in str(refusal.value).split()


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert settings({**LEAST, "LEASE_TTL": " "}).lease_ttl == 60


def test_a_lease_is_renewed_three_times_before_it_ends() -> None:
    assert settings(LEAST).lease_renew == 20
    assert settings({**LEAST, "LEASE_TTL": "9"}).lease_renew == 3


def test_a_bucket_needs_its_endpoint_and_keys() -> None:
    with pytest.raises(ConfigurationError, match="S3_ENDPOINT"):
        settings({**LEAST, "S3_BUCKET": "mail"})


def test_a_repr_shows_no_secret() -> None:
    key = base64.b64encode(b"k" * 32).decode()
    bucket = {"S3_BUCKET": "b", "S3_ENDPOINT": "e", "S3_ACCESS_KEY_ID": "i", "S3_SECRET_ACCESS_KEY": "secret-of-s3"}
    known = settings({**LEAST, **bucket, "MASTER_KEY": key})
    assert "secret" not in repr(known)
    assert "kkk" not in repr(known)
    assert "secret" not in repr(known.s3)


def test_every_setting_that_is_read_is_either_plain_or_a_secret() -> None:
    asked: set[str] = set()

    class Recording(dict[str, str]):
        def get(self, name: str, default: str) -> str:  # type: ignore[override]  # the one form that is used
            asked.add(name)
            return super().get(name, default)

    bucket = {"S3_BUCKET": "b", "S3_ENDPOINT": "e", "S3_ACCESS_KEY_ID": "i", "S3_SECRET_ACCESS_KEY": "s"}
    settings(Recording({**LEAST, **bucket}))
    assert asked - set(LEAST) == (PLAIN | set(SECRETS)) - {"PLUGIN_KEY"}


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("secret", sorted(SECRETS))
def test_a_process_refuses_by_name_the_secret_of_another(process: Process, secret: str) -> None:
    environ = {**LEAST, secret: "value"}
    if process in SECRETS[secret]:
        refuse_foreign_secrets(process, environ)
        return
    with pytest.raises(ConfigurationError, match=f"{process} must not hold {secret}"):
        refuse_foreign_secrets(process, environ)


@pytest.mark.parametrize(
    ("name", "url"),
    [("DATABASE_URL", "postgresql://webmail_sync:pw@/webmail"), ("NATS_URL", "nats://sync:pw@localhost:4222")],
)
def test_a_process_refuses_the_account_of_another(name: str, url: str) -> None:
    refuse_foreign_secrets("sync", {**LEAST, name: url})
    with pytest.raises(ConfigurationError, match=f"gateway must not hold {name}"):
        refuse_foreign_secrets("gateway", {**LEAST, name: url})


@pytest.mark.parametrize(
    ("environ", "allowed"),
    [
        ({}, ("127.0.0.0/8", "::1/128")),
        ({"APP_DOMAIN": "mail.example.org"}, ()),
        (
            {"APP_DOMAIN": "mail.example.org", "SSRF_ALLOW": "192.168.1.0/24, fd00::7"},
            ("192.168.1.0/24", "fd00::7/128"),
        ),
        ({"SSRF_ALLOW": "10.0.0.0/8"}, ("10.0.0.0/8",)),
    ],
)
def test_private_servers_are_reached_only_where_nobody_is_a_stranger(
    environ: dict[str, str], allowed: tuple[str, ...]
) -> None:
    assert settings({**LEAST, **environ}).ssrf_allow == allowed
