"""The gateway as a process: what it refuses to start with, and how soon it ends."""

import asyncio
import base64
import signal
import socket
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

import httpx
import pytest
import websockets

from services.config import Settings
from services.embedded.nats import NatsServer
from services.gateway.deps import Gateway


@pytest.fixture
def environ(known: Settings, log: object) -> dict[str, str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert known.identity_key is not None
    assert known.sync_public_key is not None
    return {
        "DATABASE_URL": known.database_url,
        "NATS_URL": known.nats_url,
        "BLOB_ROOT": str(known.blob_root),
        "WEB_ROOT": str(known.web_root),
        "PARTITIONS": str(known.partitions),
        "IDENTITY_KEY": base64.b64encode(known.identity_key).decode(),
        "SYNC_PUBLIC_KEY": base64.b64encode(known.sync_public_key).decode(),
        "HTTP_PORT": str(port),
    }


async def start(environ: dict[str, str]) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.gateway", env=environ, stdout=PIPE, stderr=PIPE
    )


async def last_words(environ: dict[str, str]) -> str:
    process = await start(environ)
    _, said = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    return said.decode()


async def test_it_refuses_a_secret_of_another_process(environ: dict[str, str]) -> None:
    key = base64.b64encode(bytes(32)).decode()
    said = await last_words({**environ, "MASTER_KEY": key})
    assert "gateway must not hold MASTER_KEY" in said
    assert key not in said


@pytest.mark.parametrize("missing", ["IDENTITY_KEY", "SYNC_PUBLIC_KEY"])
async def test_it_refuses_to_start_without_its_keys(environ: dict[str, str], missing: str) -> None:
    said = await last_words({name: value for name, value in environ.items() if name != missing})
    assert f"{missing} is not set" in said


async def test_it_refuses_a_log_that_is_not_as_declared(environ: dict[str, str], nats_server: NatsServer) -> None:
    said = await last_words({**environ, "NATS_URL": nats_server.url, "PARTITIONS": "7"})
    assert "webmail streams apply" in said


async def test_it_serves_and_ends_soon_though_sockets_are_open(environ: dict[str, str], parts: Gateway) -> None:
    process = await start(environ)
    address = f"127.0.0.1:{environ['HTTP_PORT']}"
    try:
        async with httpx.AsyncClient() as client:
            await until_ready(client, f"http://{address}")
            body = {"localpart": "anna", "password": "correct horse battery", "tz": "UTC", "language": "en"}
            answer = await client.post(f"http://{address}/api/auth/register", json=body)
        cookies = "; ".join(cookie.partition(";")[0] for cookie in answer.headers.get_list("set-cookie"))
        async with websockets.connect(f"ws://{address}/api/ws", additional_headers={"Cookie": cookies}) as opened:
            await opened.send('{"type":"ping"}')
            await opened.recv()
            asked = time.monotonic()
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.communicate(), 10)
            assert time.monotonic() - asked < 8
        assert process.returncode == 0
    finally:
        with suppress(ProcessLookupError):
            process.kill()


async def until_ready(client: httpx.AsyncClient, address: str) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            if (await client.get(f"{address}/readyz")).status_code == 200:
                return
        except httpx.TransportError:
            assert time.monotonic() < deadline
        await asyncio.sleep(0.1)
