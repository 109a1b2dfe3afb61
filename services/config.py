"""Every setting, read once from the environment; and which process may hold which secret."""

import base64
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar, get_args
from urllib.parse import urlsplit

import msgspec

Process = Literal["gateway", "sync", "outbound", "projector", "plugins", "admin"]
OAuthName = Literal["google", "microsoft"]
Choice = TypeVar("Choice", bound=str)

KEY_BYTES = 32
LOCAL = "localhost"
THIS_MACHINE = "127.0.0.0/8,::1/128"
"""What a webmail may reach that nobody has given a domain: its users are at this machine anyway."""

PROCESSES: tuple[Process, ...] = get_args(Process)

SECRETS: Mapping[str, frozenset[Process]] = {
    "IDENTITY_KEY": frozenset({"gateway"}),
    "MASTER_KEY": frozenset({"sync", "outbound"}),
    "MASTER_KEY_PREVIOUS": frozenset({"sync", "outbound"}),
    "SYNC_PRIVATE_KEY": frozenset({"sync", "outbound"}),
    "PLUGIN_KEY": frozenset({"plugins"}),
    "SYSTEM_SMTP_URL": frozenset({"outbound", "admin"}),
    "OAUTH_GOOGLE_CLIENT_SECRET": frozenset({"sync", "admin"}),
    "OAUTH_MS_CLIENT_SECRET": frozenset({"sync", "admin"}),
    "S3_SECRET_ACCESS_KEY": frozenset({"gateway", "sync", "outbound", "projector", "plugins", "admin"}),
}
"""Who may hold what decrypts or signs; `DATABASE_URL` and `NATS_URL` carry a password of the process' own role."""


PLAIN = frozenset(
    {
        "APP_DOMAIN",
        "ATTACHMENT_MAX",
        "AUDIT_EVERY",
        "BLOB_ROOT",
        "BULK_CONCURRENCY",
        "DATA_DIR",
        "DRAFTS_MIRRORED_EVERY",
        "HOT_BUDGET_PER_WORKER",
        "HTTP_HOST",
        "HTTP_PORT",
        "LEASE_RENEW",
        "LEASE_TTL",
        "LOG_FORMAT",
        "LOG_LEVEL",
        "MAX_ACCOUNTS_PER_WORKER",
        "MESSAGE_MAX",
        "OAUTH_GOOGLE_CLIENT_ID",
        "OAUTH_MS_CLIENT_ID",
        "PARSE_CONCURRENCY",
        "PARTITIONS",
        "PER_HOST_CONN_CAP",
        "POLL_COLD",
        "POLL_WARM",
        "PUBLIC_URL",
        "REGISTRATION",
        "REPLICAS",
        "REQUEST_EXPIRES",
        "S3_ACCESS_KEY_ID",
        "S3_BUCKET",
        "S3_ENDPOINT",
        "S3_REGION",
        "SEND_COPY_AWAITED",
        "SEND_EXPIRES",
        "SEND_LOOKED_FOR",
        "SEND_PER_HOUR",
        "SESSION_TTL_DAYS",
        "SSRF_ALLOW",
        "STREAM_PARSE_MB",
        "SYNC_JOBS_PER_USER",
        "SYNC_JOB_ATTEMPTS",
        "SYNC_JOB_CHUNK",
        "SYNC_JOB_CHUNKS",
        "SYNC_JOB_RETRY_MOST",
        "SYNC_PUBLIC_KEY",
        "SYSTEM_MAIL_FROM",
        "TIER_COLD_AFTER_D",
        "TIER_HOT_ACTIVITY_H",
        "TIER_SESSION_GRACE_MIN",
        "TRUSTED_PROXIES",
        "WEB_ROOT",
    }
)
"""What is no secret, and so is passed on by `webmail up` to every process that it starts."""


class ConfigurationError(Exception):
    """A setting is missing, malformed or in the wrong process; names the variable, never its value."""


class S3(msgspec.Struct, frozen=True, kw_only=True):
    """Where blobs are when not in a folder."""

    bucket: str
    endpoint: str
    region: str
    access_key_id: str
    secret_access_key: str

    def __repr__(self) -> str:
        return f"S3(bucket={self.bucket!r})"


class OAuthClient(msgspec.Struct, frozen=True, kw_only=True):
    """As what a provider knows us; `secret` is empty in every process but sync."""

    id: str
    secret: str

    def __repr__(self) -> str:
        return f"OAuthClient(id={self.id!r})"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What the environment said; passed as an argument, never a global. Times are seconds unless named otherwise."""

    database_url: str
    nats_url: str
    data_dir: Path
    blob_root: Path
    s3: S3 | None
    app_domain: str
    http_host: str
    http_port: int
    web_root: Path
    public_url: str  # where people open the page: links in mails begin with it
    system_mail_from: str  # empty: the service sends no mail of its own
    system_smtp_url: str
    oauth: Mapping[OAuthName, OAuthClient]  # those without a client id are missing
    log_level: Literal["debug", "info", "warning", "error"]
    log_format: Literal["json", "console"]
    partitions: int
    replicas: int
    max_accounts_per_worker: int
    lease_ttl: int
    lease_renew: int  # at most half of lease_ttl: one renewal may be lost
    poll_warm: int  # also of what a hot account does not wait on
    poll_cold: int
    tier_hot_activity_h: int
    tier_session_grace_min: int
    tier_cold_after_d: int  # without anybody looking, however much mail arrives
    hot_budget_per_worker: int
    per_host_conn_cap: int  # of this process, over all it does
    bulk_concurrency: int  # jobs at once; memory is bounded by it and by the next two
    parse_concurrency: int
    stream_parse_mb: int
    audit_every: int
    attachment_max: int  # megabytes of one file of a draft
    message_max: int  # megabytes of all its files
    request_expires: int  # how long a change of mail is tried
    send_expires: int  # how long a mail is tried to be sent
    send_looked_for: int  # of which nobody knows whether it was sent
    send_per_hour: int  # mails of one user
    send_copy_awaited: int  # in Sent, before we put one there
    drafts_mirrored_every: int
    sync_jobs_per_user: int
    sync_job_attempts: int
    sync_job_chunk: int
    sync_job_chunks: int  # of one job; what is left goes on in a further one
    sync_job_retry_most: int
    session_ttl_days: int
    registration: Literal["open", "invite", "closed"]
    trusted_proxies: tuple[str, ...]  # networks, whose X-Forwarded-* is believed
    ssrf_allow: tuple[str, ...]  # networks of one's own, whose servers users may name all the same
    identity_key: bytes | None
    master_key: bytes | None
    master_key_previous: bytes | None  # while it is changed: it opens, and nothing is kept under it
    sync_public_key: bytes | None
    sync_private_key: bytes | None

    def __repr__(self) -> str:
        return "Settings(…)"  # three URLs carry passwords, and the keys are keys


def from_environment() -> Mapping[str, str]:
    """The only place that reads the process' environment."""
    return dict(os.environ)


def settings(environ: Mapping[str, str]) -> Settings:
    """Convert once; an empty variable counts as not set."""
    read = _Reader(environ)
    data = read.path("DATA_DIR", Path("data"))
    app_domain = read.text("APP_DOMAIN", LOCAL)
    http_port = read.number("HTTP_PORT", 8080, lowest=0, highest=65535)
    lease_ttl = read.number("LEASE_TTL", 60, lowest=3)
    return Settings(
        database_url=read.url("DATABASE_URL", ("postgresql://", "postgres://")),
        nats_url=read.url("NATS_URL", ("nats://", "tls://")),
        data_dir=data,
        blob_root=read.path("BLOB_ROOT", data / "blobs"),
        s3=read.s3(),
        app_domain=app_domain,
        http_host=read.text("HTTP_HOST", "127.0.0.1"),
        http_port=http_port,
        web_root=read.path("WEB_ROOT", Path(__file__).parent.parent / "web" / "dist"),
        public_url=read.address(
            "PUBLIC_URL",
            ("https://", "http://"),
            f"http://{LOCAL}:{http_port}" if app_domain == LOCAL else f"https://{app_domain}",
        ).rstrip("/"),
        system_mail_from=read.text("SYSTEM_MAIL_FROM"),
        system_smtp_url=read.address("SYSTEM_SMTP_URL", ("smtp://", "smtps://")),
        oauth=read.oauth({"google": "GOOGLE", "microsoft": "MS"}),
        log_level=read.one_of("LOG_LEVEL", "info", ("debug", "info", "warning", "error")),
        log_format=read.one_of("LOG_FORMAT", "json", ("json", "console")),
        partitions=read.number("PARTITIONS", 4, lowest=1, highest=256),
        replicas=read.number("REPLICAS", 1, lowest=1, highest=5),
        max_accounts_per_worker=read.number("MAX_ACCOUNTS_PER_WORKER", 400, lowest=1),
        lease_ttl=lease_ttl,
        lease_renew=read.number("LEASE_RENEW", max(1, lease_ttl // 3), lowest=1, highest=lease_ttl // 2),
        poll_warm=read.number("POLL_WARM", 180, lowest=1),
        poll_cold=read.number("POLL_COLD", 900, lowest=1),
        tier_hot_activity_h=read.number("TIER_HOT_ACTIVITY_H", 24, lowest=0),
        tier_session_grace_min=read.number("TIER_SESSION_GRACE_MIN", 30, lowest=0),
        tier_cold_after_d=read.number("TIER_COLD_AFTER_D", 3, lowest=1),
        hot_budget_per_worker=read.number("HOT_BUDGET_PER_WORKER", 250, lowest=0),
        per_host_conn_cap=read.number("PER_HOST_CONN_CAP", 50, lowest=1),
        bulk_concurrency=read.number("BULK_CONCURRENCY", 2, lowest=1),
        parse_concurrency=read.number("PARSE_CONCURRENCY", min(4, os.cpu_count() or 1), lowest=1),
        stream_parse_mb=read.number("STREAM_PARSE_MB", 8, lowest=1),
        audit_every=read.number("AUDIT_EVERY", 3600, lowest=1),
        attachment_max=read.number("ATTACHMENT_MAX", 25, lowest=1, highest=1000),
        message_max=read.number("MESSAGE_MAX", 40, lowest=1, highest=1000),
        request_expires=read.number("REQUEST_EXPIRES", 3 * 86_400, lowest=1),
        send_expires=read.number("SEND_EXPIRES", 4 * 3600, lowest=1),
        send_looked_for=read.number("SEND_LOOKED_FOR", 30, lowest=0),
        send_per_hour=read.number("SEND_PER_HOUR", 30, lowest=1),
        send_copy_awaited=read.number("SEND_COPY_AWAITED", 5, lowest=0),
        drafts_mirrored_every=read.number("DRAFTS_MIRRORED_EVERY", 60, lowest=0),
        sync_jobs_per_user=read.number("SYNC_JOBS_PER_USER", 8, lowest=1),
        sync_job_attempts=read.number("SYNC_JOB_ATTEMPTS", 5, lowest=1),
        sync_job_chunk=read.number("SYNC_JOB_CHUNK", 250, lowest=1, highest=900),
        sync_job_chunks=read.number("SYNC_JOB_CHUNKS", 4096, lowest=1),
        sync_job_retry_most=read.number("SYNC_JOB_RETRY_MOST", 86_400, lowest=1, highest=86_400),
        session_ttl_days=read.number("SESSION_TTL_DAYS", 30, lowest=1),
        registration=read.one_of("REGISTRATION", "open", ("open", "invite", "closed")),
        trusted_proxies=read.networks("TRUSTED_PROXIES"),
        ssrf_allow=read.networks("SSRF_ALLOW", THIS_MACHINE if app_domain == LOCAL else ""),
        identity_key=read.key("IDENTITY_KEY"),
        master_key=read.key("MASTER_KEY"),
        master_key_previous=read.key("MASTER_KEY_PREVIOUS"),
        sync_public_key=read.key("SYNC_PUBLIC_KEY"),
        sync_private_key=read.key("SYNC_PRIVATE_KEY"),
    )


def refuse_foreign_secrets(process: Process, environ: Mapping[str, str]) -> None:
    """A process that finds a secret of another must not run: it would be one break-in away from everything."""
    foreign = sorted(name for name, holders in SECRETS.items() if environ.get(name) and process not in holders)
    others = {user for other in PROCESSES if other != process for user in (other, f"webmail_{other}")}
    foreign += [name for name in ("DATABASE_URL", "NATS_URL") if urlsplit(environ.get(name, "")).username in others]
    if foreign:
        raise ConfigurationError(f"{process} must not hold {', '.join(foreign)}: remove it from its environment")


class _Reader:
    """Reads one kind of value each; an error names the variable and what is expected, never what was given."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str = "") -> str:
        return self._environ.get(name, "").strip() or default

    def path(self, name: str, default: Path) -> Path:
        return Path(self.text(name, str(default))).absolute()

    def required(self, name: str, expected: str) -> str:
        value = self.text(name)
        if not value:
            raise ConfigurationError(f"{name} is not set: expected {expected}")
        return value

    def url(self, name: str, schemes: tuple[str, ...]) -> str:
        self.required(name, f"a URL that begins with {schemes[0]}")
        return self.address(name, schemes)

    def address(self, name: str, schemes: tuple[str, ...], default: str = "") -> str:
        """A URL of one of these schemes, or the default."""
        url = self.text(name, default)
        if url != default and not url.startswith(schemes):
            raise ConfigurationError(f"{name} must be a URL that begins with {' or '.join(schemes)}")
        return url

    def number(self, name: str, default: int, *, lowest: int, highest: int = 1_000_000) -> int:
        try:
            value = int(self.text(name, str(default)))
        except ValueError:
            value = lowest - 1
        if not lowest <= value <= highest:
            raise ConfigurationError(f"{name} must be a whole number from {lowest} to {highest}")
        return value

    def one_of(self, name: str, default: Choice, choices: tuple[Choice, ...]) -> Choice:
        value = self.text(name, default).lower()
        for choice in choices:
            if choice == value:
                return choice
        raise ConfigurationError(f"{name} must be one of {', '.join(choices)}")

    def networks(self, name: str, default: str = "") -> tuple[str, ...]:
        """Addresses and networks, with commas or spaces between them."""
        try:
            return tuple(str(ipaddress.ip_network(one)) for one in self.text(name, default).replace(",", " ").split())
        except ValueError:
            raise ConfigurationError(f"{name} must be addresses or networks, such as 127.0.0.1 or 10.0.0.0/8") from None

    def key(self, name: str) -> bytes | None:
        """32 bytes in base64, as `webmail up` generates them."""
        value = self.text(name)
        if not value:
            return None
        try:
            key = base64.b64decode(value, validate=True)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise ConfigurationError(f"{name} must be {KEY_BYTES} random bytes in base64")
        return key

    def oauth(self, providers: Mapping[OAuthName, str]) -> dict[OAuthName, OAuthClient]:
        clients = {
            name: OAuthClient(
                id=self.text(f"OAUTH_{short}_CLIENT_ID"), secret=self.text(f"OAUTH_{short}_CLIENT_SECRET")
            )
            for name, short in providers.items()
        }
        return {name: client for name, client in clients.items() if client.id}

    def s3(self) -> S3 | None:
        bucket = self.text("S3_BUCKET")
        if not bucket:
            return None
        expected = "set together with S3_BUCKET"
        return S3(
            bucket=bucket,
            endpoint=self.required("S3_ENDPOINT", expected),
            region=self.text("S3_REGION", "us-east-1"),
            access_key_id=self.required("S3_ACCESS_KEY_ID", expected),
            secret_access_key=self.required("S3_SECRET_ACCESS_KEY", expected),
        )
