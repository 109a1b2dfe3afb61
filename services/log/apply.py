"""Make the streams and buckets of the log as `contracts.streams` declares them, and tell where they differ."""

import asyncio
import time
from collections.abc import Mapping

from contracts import streams
from contracts.streams import Bucket, Stream
from services.log import api
from services.log.connection import Connection
from services.log.errors import NotAsDeclared, PartitionsFixed, Refused, Unavailable

PARTITIONS = "webmail.partitions"
"""Metadata of every facts stream: how many partitions the log was made with."""

_SECOND = 1_000_000_000
_STARTING = 30
_ELECTING = 1.0
"""Seconds after which a cluster that is still electing, and so says nothing, is asked again."""

_UPDATED_BY_OPERATORS = frozenset({"num_replicas", "description"})

Config = dict[str, object]


async def apply(nc: Connection, partitions: int, replicas: int) -> None:
    """Create what is missing and update what differs; idempotent. Raises PartitionsFixed before it changes anything."""
    made = await _wait_for_partitions(nc)
    if made not in (None, str(partitions)):
        raise PartitionsFixed(f"the log has {made} partitions, the settings say {partitions}: PARTITIONS can't change")
    for config in declared(partitions):
        config["num_replicas"] = replicas
        await _ensure(nc, config)


async def check(nc: Connection, partitions: int) -> None:
    """Raise NotAsDeclared, with every difference, unless the log is as declared; every process calls it at start."""
    wrong: list[str] = []
    for config in declared(partitions):
        found = await _found(nc, str(config["name"]))
        wrong += [f"{config['name']} is missing"] if found is None else differences(config, found)
    if wrong:
        raise NotAsDeclared("; ".join(wrong) + " (webmail streams apply)")


def declared(partitions: int) -> list[Config]:
    """Every stream and bucket as JetStream's configuration; what is not declared is off, by name."""
    return [
        *(_stream(stream, partitions) for stream in streams.streams(partitions)),
        *(_bucket(bucket) for bucket in streams.BUCKETS),
    ]


def differences(wanted: Config, found: Mapping[str, object]) -> list[str]:
    """What operators may choose, replicas, is no difference."""
    name = wanted["name"]
    return [
        f"{name}.{key} is {_shown(key, found)}, not {_shown(key, wanted)}"
        for key in wanted
        if key not in _UPDATED_BY_OPERATORS and _shown(key, found) != _shown(key, wanted)
    ]


def _shown(key: str, config: Mapping[str, object]) -> object:
    """The server leaves out what is off, and adds metadata of its own."""
    value = config.get(key)
    if key == "metadata" and isinstance(value, Mapping):
        value = value.get(PARTITIONS)
    return value or "off"


def _stream(stream: Stream, partitions: int) -> Config:
    config = _plain(stream.name, stream.subjects, stream.description)
    config |= {
        "retention": stream.retention.value,
        "max_age": stream.max_age * _SECOND,
        "duplicate_window": stream.duplicate_window * _SECOND,
        "compression": "s2" if stream.compressed else "none",
        "allow_atomic": stream.atomic,
        "allow_direct": stream.direct,
        "deny_delete": stream.deny_delete,
        "allow_msg_schedules": stream.schedules,
        # JetStream forces both where schedules are allowed
        "allow_rollup_hdrs": stream.schedules,
        "allow_msg_ttl": stream.schedules,
    }
    if stream.name.startswith(streams.facts_name(0)[:-1]):
        config["metadata"] = {PARTITIONS: str(partitions)}
    return config


def _bucket(bucket: Bucket) -> Config:
    """As every NATS client makes a KV bucket (ADR-8)."""
    window = min(bucket.ttl, 120) or 120
    return _plain(f"KV_{bucket.name}", (f"$KV.{bucket.name}.>",), bucket.description) | {
        "max_age": bucket.ttl * _SECOND,
        "duplicate_window": window * _SECOND,
        "max_msgs_per_subject": 1,
        "discard": "new",
        "allow_direct": True,
        "deny_delete": True,
        "allow_rollup_hdrs": True,
        "allow_msg_ttl": bucket.entry_ttl,
    }


def _plain(name: str, subjects: tuple[str, ...], description: str) -> Config:
    return {
        "name": name,
        "subjects": list(subjects),
        "description": description,
        "storage": "file",
        "retention": "limits",
        "discard": "old",
        "max_age": 0,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_consumers": -1,
        "max_msg_size": -1,
        "max_msgs_per_subject": -1,
        "compression": "none",
        "sealed": False,
        "no_ack": False,
        "deny_delete": False,
        "deny_purge": False,
        "allow_direct": False,
        "allow_atomic": False,
        "allow_batched": False,
        "allow_rollup_hdrs": False,
        "allow_msg_ttl": False,
        "allow_msg_schedules": False,
        "allow_msg_counter": False,
        "mirror": None,
        "sources": None,
        "republish": None,
        "subject_transform": None,
    }


async def _wait_for_partitions(nc: Connection) -> str | None:
    """What the log says it was made with; a cluster that is still electing is given time."""
    deadline = time.monotonic() + _STARTING
    while True:
        try:
            found = await _found(nc, streams.facts_name(0), timeout=_ELECTING)
            break
        except (Refused, Unavailable):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)
    if found is None:
        return None
    metadata = found.get("metadata")
    return str(metadata.get(PARTITIONS, "?")) if isinstance(metadata, Mapping) else "?"


async def _found(
    nc: Connection,
    name: str,
    *,
    timeout: float = 0,  # noqa: ASYNC109 - of one request
) -> Mapping[str, object] | None:
    try:
        answer = await api.ask(nc, f"STREAM.INFO.{name}", timeout=timeout)
    except Refused as refused:
        if refused.code == api.STREAM_NOT_FOUND:
            return None
        raise
    config: Mapping[str, object] = answer["config"]
    return config


async def _ensure(nc: Connection, config: Config) -> None:
    """Create, or update where it differs; a cluster that has not placed the stream yet is asked again."""
    deadline = time.monotonic() + _STARTING
    while True:
        try:
            found = await _found(nc, str(config["name"]), timeout=_ELECTING)
            if found is None:
                await api.ask(nc, f"STREAM.CREATE.{config['name']}", config)
            elif differences(config, found) or found.get("num_replicas") != config["num_replicas"]:
                await api.ask(nc, f"STREAM.UPDATE.{config['name']}", config)
        except (Refused, Unavailable) as error:
            if time.monotonic() > deadline or not _passing(error):
                raise
            await asyncio.sleep(0.2)
        else:
            return


def _passing(error: Refused | Unavailable) -> bool:
    """10008: no leader yet; 10005: no suitable peers yet; 10004: no quorum yet."""
    return isinstance(error, Unavailable) or error.code in (10004, 10005, 10008)
