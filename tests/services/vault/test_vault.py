"""What is sealed or kept opens for its owner only, and shows nothing of itself."""

import secrets
from uuid import uuid4

import pytest

from services import vault
from services.vault import Credentials, Vault, VaultError, seal, unseal

PRIVATE = secrets.token_bytes(32)
SECRET = b"correct horse battery staple"


def test_what_is_sealed_opens_with_the_private_key() -> None:
    assert unseal(PRIVATE, seal(vault.public_key(PRIVATE), SECRET)) == SECRET


def test_sealing_twice_gives_different_bytes() -> None:
    public = vault.public_key(PRIVATE)
    assert seal(public, SECRET) != seal(public, SECRET)


def test_another_private_key_opens_nothing() -> None:
    with pytest.raises(VaultError):
        unseal(secrets.token_bytes(32), seal(vault.public_key(PRIVATE), SECRET))


@pytest.mark.parametrize("place", range(0, 33 + len(SECRET) + 16, 5))
def test_one_changed_bit_is_noticed(place: int) -> None:
    sealed = bytearray(seal(vault.public_key(PRIVATE), SECRET))
    sealed[place] ^= 4
    with pytest.raises(VaultError):
        unseal(PRIVATE, bytes(sealed))


@pytest.mark.parametrize("length", [0, 1, 20, 33, 48])
def test_a_cut_secret_is_refused(length: int) -> None:
    with pytest.raises(VaultError):
        unseal(PRIVATE, seal(vault.public_key(PRIVATE), SECRET)[:length])


def test_a_public_key_of_low_order_is_refused() -> None:
    with pytest.raises(VaultError):
        unseal(PRIVATE, b"\x01" + bytes(32) + bytes(40))


def test_what_an_account_keeps_opens_for_it_alone() -> None:
    kept_in, account = Vault(secrets.token_bytes(32)), uuid4()
    kept = kept_in.keep(account, SECRET)
    assert kept_in.open(account, kept) == SECRET
    with pytest.raises(VaultError):
        kept_in.open(uuid4(), kept)


def test_each_keeping_has_a_data_key_of_its_own() -> None:
    kept_in, account = Vault(secrets.token_bytes(32)), uuid4()
    assert kept_in.keep(account, SECRET)[9:80] != kept_in.keep(account, SECRET)[9:80]


def test_another_master_key_says_that_it_is_another() -> None:
    account = uuid4()
    kept = Vault(secrets.token_bytes(32)).keep(account, SECRET)
    with pytest.raises(VaultError, match="another MASTER_KEY"):
        Vault(secrets.token_bytes(32)).open(account, kept)


def test_every_cut_of_what_is_kept_is_refused() -> None:
    kept_in, account = Vault(secrets.token_bytes(32)), uuid4()
    kept = kept_in.keep(account, SECRET)
    for length in range(len(kept)):
        with pytest.raises(VaultError):
            kept_in.open(account, kept[:length])


def test_credentials_survive_the_journey_and_show_nothing() -> None:
    credentials = Credentials(imap_password="hunter2", smtp_password=None)
    assert Credentials.decoded(credentials.encoded()) == credentials
    assert "hunter2" not in repr(credentials)
    assert "hunter2" not in f"{credentials}"


def test_broken_credentials_are_refused_without_quoting_them() -> None:
    with pytest.raises(VaultError) as refused:
        Credentials.decoded(b'{"imap_password": 5, "hunter2": "')
    assert refused.value.__cause__ is None
    assert "hunter2" not in str(refused.value)


def test_a_vault_shows_no_key() -> None:
    key = secrets.token_bytes(32)
    assert repr(Vault(key)) == "Vault(…)"


def test_while_the_master_key_changes_either_opens_and_the_new_one_keeps() -> None:
    old, new, account = secrets.token_bytes(32), secrets.token_bytes(32), uuid4()
    both = Vault(new, old)
    assert both.open(account, Vault(old).keep(account, SECRET)) == SECRET
    assert Vault(new).open(account, both.keep(account, SECRET)) == SECRET


def test_a_renewed_secret_opens_with_the_new_master_key_alone() -> None:
    old, new, account = secrets.token_bytes(32), secrets.token_bytes(32), uuid4()
    renewed = Vault(new, old).renewed(account, Vault(old).keep(account, SECRET))
    assert renewed is not None
    assert Vault(new).open(account, renewed) == SECRET
    assert Vault(new, old).renewed(account, renewed) is None
    with pytest.raises(VaultError):
        Vault(old).open(account, renewed)
