"""The data folder: private, kept, and used by one at a time."""

import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from services import vault
from services.config import KEY_BYTES, PROCESSES, SECRETS, refuse_foreign_secrets, settings
from services.embedded.errors import EmbeddedError, FolderInUse
from services.embedded.folder import DataFolder

HOLDS = "import sys; from pathlib import Path; from services.embedded.folder import DataFolder; DataFolder(Path(sys.argv[1])).lock(); print('held', flush=True); sys.stdin.read()"
SERVERS = {"DATABASE_URL": "postgresql:///x", "NATS_URL": "nats://x"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    made = DataFolder(tmp_path / "data")
    made.lock()
    yield made
    made.release()


def test_two_can_not_use_one_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(FolderInUse, match="already runs"):
            DataFolder(tmp_path).lock()
        other.kill()
    free = DataFolder(tmp_path)
    free.lock()
    free.release()


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedError, match="file/data can't be used"):
        DataFolder(tmp_path / "file" / "data").lock()


def test_secrets_are_made_once_and_readable_by_the_owner_only(folder: DataFolder) -> None:
    made = {process: folder.secrets(process) for process in PROCESSES}
    again = DataFolder(folder.root)
    assert {process: again.secrets(process) for process in PROCESSES} == made
    files = list((folder.root / "secrets").iterdir())
    assert len(files) == len(PROCESSES)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((folder.root / "secrets").stat().st_mode) == 0o700


@pytest.mark.parametrize("process", PROCESSES)
def test_a_process_finds_what_it_may_hold_and_nothing_else(folder: DataFolder, process: str) -> None:
    own = folder.secrets(process)  # type: ignore[arg-type]
    refuse_foreign_secrets(process, own)  # type: ignore[arg-type]
    settings({**SERVERS, **own})
    keys = {name for name, holders in SECRETS.items() if process in holders and name.endswith("_KEY")}
    assert keys - {"S3_SECRET_ACCESS_KEY"} <= own.keys()


def test_the_gateway_seals_to_the_key_that_sync_holds(folder: DataFolder) -> None:
    gateway, sync = (settings({**SERVERS, **folder.secrets(process)}) for process in ("gateway", "sync"))
    assert gateway.sync_public_key is not None
    assert sync.sync_private_key is not None
    assert len(gateway.sync_public_key) == KEY_BYTES
    assert vault.unseal(sync.sync_private_key, vault.seal(gateway.sync_public_key, b"word")) == b"word"
    assert gateway.master_key is None
    assert gateway.sync_private_key is None


def test_passwords_are_different_for_every_process_and_server(folder: DataFolder) -> None:
    names = ("DATABASE_PASSWORD", "NATS_PASSWORD")
    passwords = [folder.secrets(process)[name] for process in PROCESSES for name in names]
    assert len(set(passwords)) == len(passwords)


def test_a_port_is_kept_while_it_is_free(folder: DataFolder) -> None:
    port = folder.port("http")
    assert folder.port("http") == port
    with socket.create_server(("127.0.0.1", port)):
        assert folder.port("http") != port


def test_a_preferred_port_is_taken_if_it_is_free(folder: DataFolder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert folder.port("busy", port) != port
    assert folder.port("free", port) == port


def test_a_damaged_file_of_secrets_is_named_and_not_replaced(folder: DataFolder) -> None:
    folder.secrets("gateway")
    file = folder.root / "secrets" / "gateway.json"
    file.write_bytes(b"{")
    with pytest.raises(EmbeddedError, match=r"gateway\.json is damaged"):
        folder.secrets("gateway")
    assert file.read_bytes() == b"{"


def test_commands_beside_find_the_servers_that_run(folder: DataFolder) -> None:
    assert folder.running_environment() == {}
    folder.remember_environment(SERVERS)
    assert DataFolder(folder.root).running_environment() == SERVERS
    file = folder.root / "secrets" / "running.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert msgspec.json.decode(file.read_bytes()) == SERVERS
