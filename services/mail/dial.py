"""A TCP connection to whichever of a host's addresses answers first (RFC 8305), kept alive while nobody speaks."""

import asyncio
import errno
import itertools
import socket
from collections.abc import Sequence
from contextlib import suppress

from contracts.provider import ProviderConnectError
from services.reach import ANYWHERE, AddressInfo, OutOfReach, Reach

STAGGER = 0.25
"""Seconds of patience with one address before the next is tried beside it (RFC 8305 §5)."""
SEND_BUFFER = 128 << 10
"""What the kernel may hold back: an upload that moves is seen to move, also on a line of a few kB a second."""
KEEPALIVE = ((socket.TCP_KEEPIDLE, 120), (socket.TCP_KEEPINTVL, 30), (socket.TCP_KEEPCNT, 4))


async def dial(host: str, port: int, seconds: float, reach: Reach = ANYWHERE) -> socket.socket:
    """A connected socket, its caller's to close. Raises ProviderConnectError."""
    try:
        async with asyncio.timeout(seconds):
            return await _race(_by_turns(await reach.addresses(host, port)))
    except OutOfReach:
        raise ProviderConnectError("private_address", "this name leads to a private network") from None
    except OSError as error:
        raise unconnected(error) from error
    except (ValueError, OverflowError):
        raise ProviderConnectError("unknown_host", "no such host name or port") from None


def unconnected(error: OSError) -> ProviderConnectError:
    """Why no connection came about: name, port or network."""
    match error:
        case socket.gaierror():
            return ProviderConnectError("unknown_host", "no such host name")
        case TimeoutError():
            return ProviderConnectError("connect_timeout", "the server does not answer")
        case ConnectionRefusedError():
            return ProviderConnectError("refused", "nothing listens on that port")
        case ConnectionError():
            return ProviderConnectError("connection_lost", "the server closed the connection")
    reason = "the network does not reach the server" if error.errno in _NO_WAY or not error.strerror else error.strerror
    return ProviderConnectError("unavailable", reason)


_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH)


def _by_turns(found: Sequence[AddressInfo]) -> list[AddressInfo]:
    """The resolver's order, families in turn, so that one that leads nowhere costs one STAGGER (RFC 8305 §4)."""
    families = [[info for info in found if info[0] == family] for family in dict.fromkeys(info[0] for info in found)]
    return [info for turn in itertools.zip_longest(*families) for info in turn if info is not None]


async def _race(addresses: list[AddressInfo]) -> socket.socket:
    running: set[asyncio.Task[socket.socket]] = set()
    failures: list[BaseException] = []
    try:
        while addresses or running:
            if addresses:
                running.add(asyncio.create_task(_connect(addresses.pop(0))))
            await asyncio.wait(running, timeout=STAGGER if addresses else None, return_when=asyncio.FIRST_COMPLETED)
            for attempt in [attempt for attempt in running if attempt.done()]:
                if (failure := attempt.exception()) is None:
                    running.discard(attempt)
                    return attempt.result()
                running.discard(attempt)
                failures.append(failure)
    finally:
        await _give_up(running)
    refused = (failure for failure in failures if isinstance(failure, ConnectionRefusedError))
    raise next(refused, failures[0])


async def _connect(address: AddressInfo) -> socket.socket:
    family, kind, protocol, _, target = address
    connection = socket.socket(family, kind, protocol)
    try:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        for option, value in KEEPALIVE:
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        await asyncio.get_running_loop().sock_connect(connection, target)
    except BaseException:
        connection.close()
        raise
    return connection


async def _give_up(attempts: set[asyncio.Task[socket.socket]]) -> None:
    for attempt in attempts:
        attempt.cancel()
    for attempt in attempts:
        with suppress(OSError, asyncio.CancelledError):
            (await attempt).close()
