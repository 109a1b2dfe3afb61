"""The one folder that holds all of an embedded installation: data, logs, ports, and each process' own secrets."""

import base64
import fcntl
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from services import vault
from services.config import KEY_BYTES, Process
from services.embedded.child import accepts, free_port
from services.embedded.errors import EmbeddedError, FolderInUse


class DataFolder:
    """Made on first use, private to its owner, used by one `webmail up` at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._held: int | None = None

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def lock(self) -> None:
        """Held until `release`, or until this process ends, however it ends."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            for private in ("blobs", "demo-mail", "logs", "nats", "secrets"):
                (self.root / private).mkdir(mode=0o700, exist_ok=True)
            self._held = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise EmbeddedError(f"the data folder {self.root} can't be used: {error.strerror}") from error
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            self.release()
            raise FolderInUse(
                f"webmail already runs on {self.root}: stop it, or choose another --data folder"
            ) from held

    def release(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def port(self, name: str, preferred: int | None = None) -> int:
        """The port of the last start if it is free again, else the preferred one, else any free one."""
        kept = self._read("ports")
        candidates = [int(kept[name])] if name in kept else []
        candidates += [preferred] if preferred else []
        port = next((port for port in candidates if not accepts(port)), None) or free_port()
        self._write("ports", {**kept, name: str(port)})
        return port

    def secrets(self, process: Process) -> Mapping[str, str]:
        """One file a process: its passwords at Postgres and NATS, and its keys."""
        return self.once(process, lambda: self._made(process))

    def once(self, name: str, make: Callable[[], dict[str, str]]) -> dict[str, str]:
        """A file of secrets, made at the first call."""
        if not self._path(f"secrets/{name}").exists():
            self._write(f"secrets/{name}", make())
        return self._read(f"secrets/{name}")

    def remember_environment(self, environ: Mapping[str, str]) -> None:
        """The administrator's way to the servers that run now, for commands given beside `webmail up`."""
        self._write("secrets/running", environ)

    def running_environment(self) -> Mapping[str, str]:
        """What the last `webmail up` remembered; nothing if there was none."""
        return self._read("secrets/running")

    def _made(self, process: Process) -> dict[str, str]:
        made = {"DATABASE_PASSWORD": secrets.token_urlsafe(24), "NATS_PASSWORD": secrets.token_urlsafe(24)}
        match process:
            case "gateway":
                private = base64.b64decode(self.secrets("sync")["SYNC_PRIVATE_KEY"])
                return {**made, "IDENTITY_KEY": _key(), "SYNC_PUBLIC_KEY": _text(vault.public_key(private))}
            case "sync":
                private = X25519PrivateKey.generate().private_bytes_raw()
                return {**made, "MASTER_KEY": _key(), "SYNC_PRIVATE_KEY": _text(private)}
            case "outbound":
                shared = self.secrets("sync")
                return {**made, "MASTER_KEY": shared["MASTER_KEY"], "SYNC_PRIVATE_KEY": shared["SYNC_PRIVATE_KEY"]}
            case "plugins":
                return {**made, "PLUGIN_KEY": _key()}
            case "projector" | "admin":
                return made

    def _path(self, name: str) -> Path:
        return self.root / f"{name}.json"

    def _read(self, name: str) -> dict[str, str]:
        path = self._path(name)
        try:
            return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except msgspec.MsgspecError as error:
            raise EmbeddedError(f"{path} is damaged ({error}); restore it from a backup") from None

    def _write(self, name: str, values: Mapping[str, str]) -> None:
        """Whole or not at all, and readable by the owner only."""
        path = self._path(name)
        unfinished = path.with_suffix(".new")
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(values)))
        unfinished.replace(path)


def _key() -> str:
    return _text(secrets.token_bytes(KEY_BYTES))


def _text(key: bytes) -> str:
    return base64.b64encode(key).decode()
