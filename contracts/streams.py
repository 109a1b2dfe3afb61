"""The streams, buckets and roles of the log, as `webmail streams apply` makes them and every process asserts them (§2)."""

from enum import StrEnum

import msgspec

DAY = 86_400

WRITTEN_BY = "Webmail-By"
"""The header that every writer puts on a fact, with its role. What stands in the log without it is no fact: JetStream
sends its own answers to whatever subject a request names for the reply, also to a fact's, and readers pass over those.
"""


class Retention(StrEnum):
    """JetStream's words for what a stream keeps."""

    LIMITS = "limits"
    WORK_QUEUE = "workqueue"


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """`max_age` in seconds, 0: for ever. What is not named here is off."""

    name: str
    subjects: tuple[str, ...]
    description: str
    retention: Retention = Retention.LIMITS
    max_age: int = 0
    compressed: bool = False
    atomic: bool = False
    direct: bool = False
    deny_delete: bool = False
    schedules: bool = False
    duplicate_window: int = 120


class Bucket(msgspec.Struct, frozen=True, kw_only=True):
    """A KV bucket; `ttl` in seconds, 0: entries stay. `entry_ttl`: each entry may name its own (`Nats-TTL`)."""

    name: str
    description: str
    ttl: int = 0
    entry_ttl: bool = False


def facts(partition: int) -> Stream:
    """The stream of one partition. Never with schedules, message TTL or rollup: each lets a publisher erase facts."""
    return Stream(
        name=facts_name(partition),
        subjects=(f"fact.{partition}.>",),
        description="The source of truth of one partition, kept for ever.",
        compressed=True,
        atomic=True,
        direct=True,
        deny_delete=True,
    )


def facts_name(partition: int) -> str:
    return f"FACTS_{partition}"


TIMERS = Stream(
    name="TIMERS",
    subjects=("timer.>", "wake.>"),
    description="Wake-ups; holds nothing of value.",
    max_age=90 * DAY,
    schedules=True,
)

EVENTS = Stream(
    name="EVENTS",
    subjects=("event.>",),
    description="The event catalog, for browsers and plugins.",
    max_age=14 * DAY,
    direct=True,
    atomic=True,
)

JOBS = Stream(
    name="JOBS",
    subjects=("job.>",),
    description="Plugin jobs.",
    retention=Retention.WORK_QUEUE,
)

LEASES = Bucket(name="leases", description="Who owns which account and partition; may be lost.", entry_ttl=True)
COOLDOWNS = Bucket(name="cooldowns", description="Hosts that asked for peace, until when.", ttl=DAY)
RATE_LIMITS = Bucket(name="rate_limits", description="Counters of attempts.", ttl=3600)
SYNC_JOBS = Bucket(
    name="sync_jobs", description="Durable sync jobs (§7); an ended one names its own end.", entry_ttl=True
)

BUCKETS = (LEASES, COOLDOWNS, RATE_LIMITS, SYNC_JOBS)


def streams(partitions: int) -> tuple[Stream, ...]:
    """Every stream of a log with so many partitions."""
    return (*(facts(partition) for partition in range(partitions)), TIMERS, EVENTS, JOBS)


class Role(StrEnum):
    """The processes that speak to the log, each as its own user (design §5)."""

    GATEWAY = "gateway"
    SYNC = "sync"
    OUTBOUND = "outbound"
    PROJECTOR = "projector"
    PLUGINS = "plugins"
    ADMIN = "admin"


class Permissions(msgspec.Struct, frozen=True, kw_only=True):
    """NATS subject permissions of a role; every role has its own inbox prefix `_INBOX_<role>`.

    `answers`: may publish one answer to each request it receives, wherever the request wants it.
    """

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    answers: bool = False


def inbox(role: Role) -> str:
    return f"_INBOX_{role}"


def _bucket(bucket: Bucket, *, write: bool) -> tuple[str, ...]:
    read = (
        f"$JS.API.STREAM.INFO.KV_{bucket.name}",
        f"$JS.API.DIRECT.GET.KV_{bucket.name}",
        f"$JS.API.DIRECT.GET.KV_{bucket.name}.>",
        f"$JS.API.STREAM.MSG.GET.KV_{bucket.name}",
    )
    return (*read, f"$KV.{bucket.name}.>") if write else read


_READ_FACTS = ("$JS.API.INFO", "$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.*", "$JS.API.DIRECT.GET.*.>")
# A writer asks the leader, not a replica, after an ambiguous commit.
_ASK_LEADER = ("$JS.API.STREAM.MSG.GET.*",)


def permissions(role: Role) -> Permissions:
    """What a role may publish and subscribe to; all else is denied by the server."""
    own = f"{inbox(role)}.>"
    match role:
        case Role.GATEWAY:
            return Permissions(
                publish=(
                    "fact.*.*.*.account",
                    "fact.*.*.*.request",
                    "fact.*.*.*.send.*",
                    "timer.>",
                    "event.*.user.active",
                    "event.*.draft.saved",
                    "rpc.sync.>",
                    "rpc.outbound.>",
                    "$JS.API.INFO",
                    "$JS.API.STREAM.INFO.*",
                    *_ASK_LEADER,
                    *_bucket(RATE_LIMITS, write=True),
                    *_bucket(SYNC_JOBS, write=True),
                    *_bucket(COOLDOWNS, write=False),
                ),
                subscribe=(own, "event.>"),
            )
        case Role.SYNC:
            return Permissions(
                publish=(
                    "fact.*.*.*.sync.>",
                    *_READ_FACTS,
                    *_ASK_LEADER,
                    *(subject for bucket in BUCKETS for subject in _bucket(bucket, write=True)),
                ),
                subscribe=(
                    own,
                    "event.*.user.active",
                    "fact.*.*.*.send.*",
                    "rpc.sync.>",
                    *(f"$KV.{bucket.name}.>" for bucket in BUCKETS),
                ),
                answers=True,
            )
        case Role.OUTBOUND:
            return Permissions(
                publish=(
                    "fact.*.*.*.outcome",
                    "fact.*.*.*.send.*",
                    "timer.>",
                    *_READ_FACTS,
                    *_ASK_LEADER,
                    *_bucket(LEASES, write=True),
                    *_bucket(COOLDOWNS, write=True),
                ),
                subscribe=(
                    own,
                    "fact.*.*.*.request",
                    "fact.*.*.*.outcome",
                    "fact.*.*.*.send.*",
                    "rpc.outbound.>",
                    "wake.>",
                ),
                answers=True,
            )
        case Role.PROJECTOR:
            return Permissions(
                publish=("event.>", *_READ_FACTS, *_ASK_LEADER, *_bucket(LEASES, write=True)),
                subscribe=(own, "fact.>"),
            )
        case Role.PLUGINS:
            return Permissions(
                publish=(
                    "event.*.plugin.>",
                    "$JS.API.STREAM.INFO.*",
                    "$JS.API.CONSUMER.MSG.NEXT.EVENTS.>",
                    "$JS.ACK.EVENTS.>",
                ),
                subscribe=(own,),
            )
        case Role.ADMIN:
            return Permissions(publish=(">",), subscribe=(">",))
