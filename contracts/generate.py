"""Writes `docs/events.md` and `docs/asyncapi.json` from the code: `python -m contracts.generate [--check]`."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from contracts import events, streams, subjects
from contracts.events import CATALOG
from contracts.facts import Catalog, Fact
from contracts.streams import Role

DOCS = Path(__file__).parent.parent / "docs"
_PARAMETERS = {
    "partition": "`user.int % partitions`; all facts of a user are in one partition",
    "user": "the user's UUID",
    "account": "the account's UUID",
    "mailbox": "the mailbox's UUID",
    "outbox": "the UUID of one send",
}
Schemas = dict[str, dict[str, Any]]


class Place(NamedTuple):
    """One kind of subject below an account, and what may stand there."""

    name: str
    rest: str
    kinds: tuple[type[Fact], ...]

    @property
    def address(self) -> str:
        return f"fact.{{partition}}.{{user}}.{{account}}.{self.rest}"


PLACES = (
    Place("account", "account", Catalog.ACCOUNT),
    Place("lease", "sync.lease", Catalog.LEASE),
    Place("state", "sync.account", Catalog.STATE),
    Place("mailbox", "sync.{mailbox}", Catalog.MAILBOX),
    Place("mark", "sync.{mailbox}.mark", Catalog.MARK),
    Place("request", "request", Catalog.REQUEST),
    Place("outcome", "outcome", Catalog.OUTCOME),
    Place("send", "send.{outbox}", Catalog.SEND),
)


def generated() -> dict[str, str]:
    """The text of every generated file, by name; the same on every run."""
    return {
        "events.md": "\n".join(_page()) + "\n",
        "asyncapi.json": msgspec.json.format(msgspec.json.encode(asyncapi()), indent=1).decode() + "\n",
    }


def stale(docs: Path = DOCS) -> list[str]:
    """Names of generated files that are missing or not what the code says."""
    return [
        name
        for name, text in generated().items()
        if not (docs / name).is_file() or (docs / name).read_text("utf-8") != text
    ]


def writers(address: str) -> list[Role]:
    """Which roles' permissions let them publish on an address; admin may everything, and is named only for accounts."""
    subject = ["x" if token.startswith("{") else token for token in address.split(".")]
    able: list[Role] = [
        role
        for role in Role
        if role is not Role.ADMIN
        and any(_matches(pattern.split("."), subject) for pattern in streams.permissions(role).publish)
    ]
    return [*able, Role.ADMIN] if address.endswith(".account") and ".sync." not in address else able


def asyncapi() -> dict[str, Any]:
    """The streams' subjects and messages as an AsyncAPI 3.0 document."""
    schemas = _schemas()
    channels = {f"fact.{place.name}": _channel(place.address, place.kinds) for place in PLACES}
    channels |= {f"event.{_tag(kind)}": _channel(f"event.{{user}}.{_tag(kind)}", (kind,)) for kind in CATALOG}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Webmail's log",
            "version": "1",
            "description": "Facts (what a mail server said or somebody asked) and events (announcements) on NATS JetStream.",
            "license": {"name": "GPL-3.0-or-later"},
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": {
            f"publish.{name}": {
                "action": "send",
                "channel": {"$ref": f"#/channels/{name}"},
                "tags": [{"name": role.value} for role in writers(channel["address"])],
            }
            for name, channel in channels.items()
        },
        "components": {
            "messages": {kind.__name__: _message(kind) for kind in (*Catalog.ALL, *CATALOG)},
            "schemas": schemas,
        },
        "x-streams": [
            msgspec.to_builtins(streams.facts(0)) | {"name": "FACTS_{partition}", "subjects": ["fact.{partition}.>"]}
        ]
        + [msgspec.to_builtins(stream) for stream in streams.streams(0)],
        "x-buckets": [msgspec.to_builtins(bucket) for bucket in streams.BUCKETS],
    }


def _channel(address: str, kinds: tuple[type[msgspec.Struct], ...]) -> dict[str, Any]:
    named = [name for name in _PARAMETERS if f"{{{name}}}" in address]
    return {
        "address": address,
        "parameters": {name: {"description": _PARAMETERS[name]} for name in named},
        "messages": {_tag(kind): {"$ref": f"#/components/messages/{kind.__name__}"} for kind in kinds},
    }


def _message(kind: type[msgspec.Struct]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": _tag(kind),
        "summary": _doc(kind).splitlines()[0],
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
    }
    if issubclass(kind, Fact):
        by = {"type": "string", "enum": [role.value for role in Role], "description": "The role that wrote it."}
        described["headers"] = {
            "type": "object",
            "properties": {streams.WRITTEN_BY: by},
            "required": [streams.WRITTEN_BY],
        }
    return described


def _schemas() -> Schemas:
    """JSON Schemas by class name. msgspec leaves a time's format open where it takes times without a zone, too."""
    _, schemas = msgspec.json.schema_components((*Catalog.ALL, *CATALOG), ref_template="#/components/schemas/{name}")
    for kind in (*Catalog.ALL, *CATALOG):
        for field in msgspec.structs.fields(kind):
            if field.type in (datetime, datetime | None):
                schema = schemas[kind.__name__]["properties"][field.encode_name]
                for one in schema.get("anyOf", [schema]):
                    if one["type"] == "string":
                        one["format"] = "date-time"
    return schemas


def _page() -> Iterator[str]:
    schemas = _schemas()
    yield "# Facts and events"
    yield ""
    yield "Generated from `contracts/` by `python -m contracts.generate`; `docs/asyncapi.json` says the same to machines."
    yield ""
    yield "## Facts"
    yield ""
    yield _paragraph(Fact)
    yield ""
    yield f"They stand in the streams `FACTS_<partition>`, for ever. Every one carries the header `{streams.WRITTEN_BY}` with"
    yield "the role that wrote it; a message without it is no fact, and readers pass over it. Sets of UIDs are written as in"
    yield "RFC 9051 (`1:3,7`), times as in RFC 3339 in UTC; fields that have their default are left out."
    yield ""
    yield "| subject | written by | facts |"
    yield "| --- | --- | --- |"
    for place in PLACES:
        tags = ", ".join(f"[`{_tag(kind)}`](#{_anchor(kind)})" for kind in place.kinds)
        yield f"| `{_shown(place.address)}` | {', '.join(writers(place.address))} | {tags} |"
    for kind in Catalog.ALL:
        yield from _section(kind, schemas)
    yield ""
    yield "## Events"
    yield ""
    yield "Announcements to browsers and plugins (§8.3), in the stream `EVENTS` for 14 days. The receiver refetches what the ids"
    yield "name. `position` is the sequence of the fact in the user's partition that the change includes, 0 where none stands behind it."
    yield ""
    yield "| subject | announced by | reaches browsers |"
    yield "| --- | --- | --- |"
    for event in CATALOG:
        address = f"event.{{user}}.{_tag(event)}"
        by = ", ".join(role for role in writers(address))
        yield f"| [`{_shown(address)}`](#{_anchor(event)}) | {by} | {'yes' if event in events.BROWSER else 'no'} |"
    for event in CATALOG:
        yield from _section(event, schemas)
    yield ""
    yield "## Parts"
    for name in sorted(schemas.keys() - {kind.__name__ for kind in (*Catalog.ALL, *CATALOG)}):
        yield from _part(name, schemas[name])


def _section(kind: type[msgspec.Struct], schemas: Schemas) -> Iterator[str]:
    tag_field = kind.__struct_config__.tag_field
    yield ""
    yield f"### `{_tag(kind)}` ({'fact' if issubclass(kind, Fact) else 'event'})"
    yield ""
    yield _paragraph(kind)
    yield ""
    yield from _fields(schemas[kind.__name__], leave_out=str(tag_field))


def _part(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"### {name}"
    yield ""
    yield " ".join(str(schema.get("description", "")).split())
    yield ""
    if "enum" in schema:
        yield "One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + "."
    else:
        yield from _fields(schema, leave_out="")


def _fields(schema: Mapping[str, Any], leave_out: str) -> Iterator[str]:
    yield "| field | type | if left out |"
    yield "| --- | --- | --- |"
    for name, field in schema["properties"].items():
        if name != leave_out:
            absent = "" if name in schema["required"] else f"`{msgspec.json.encode(field.get('default')).decode()}`"
            yield f"| `{name}` | {_type(field)} | {absent} |"


def _type(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(one) for one in field["anyOf"])
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field["type"] == "array":
        return f"list of {_type(field['items'])}"
    return str(field.get("format", field["type"]))


def _doc(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "")


def _paragraph(kind: type) -> str:
    return "\n\n".join(" ".join(piece.split()) for piece in _doc(kind).split("\n\n"))


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _anchor(kind: type[msgspec.Struct]) -> str:
    """As GitHub makes it from the heading."""
    return f"{_tag(kind).replace('.', '')}-{'fact' if issubclass(kind, Fact) else 'event'}"


def _shown(address: str) -> str:
    return address.replace("{", "<").replace("}", ">")


def _matches(pattern: list[str], subject: list[str]) -> bool:
    """NATS' wildcards: `*` is one token, `>` one or more to the end."""
    for position, token in enumerate(pattern):
        if token == subjects.REST:
            return len(subject) > position
        if position >= len(subject) or token not in (subjects.ANY, subject[position]):
            return False
    return len(pattern) == len(subject)


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` say which are stale."""
    if arguments == ["--check"]:
        names = stale()
        for name in names:
            sys.stderr.write(f"docs/{name} is not what the code says: python -m contracts.generate\n")
        return 1 if names else 0
    for name, text in generated().items():
        (DOCS / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
