"""Bodies as they stand in logs and reached plugins: each decodes for ever to what it said."""

from pathlib import Path

import msgspec
import pytest

from contracts import codec
from contracts.events import CATALOG, Event
from contracts.facts import Catalog, Fact

GOLDEN = Path(__file__).parent / "golden"
"""`fact.<tag>.json` and `event.<tag>.json`; a shape with one more optional field gets a further `fact.<tag>.2.json`."""

FILES = sorted(GOLDEN.iterdir())
KINDS = [*(("fact", kind) for kind in Catalog.ALL), *(("event", kind) for kind in CATALOG)]


def read(file: Path) -> Fact | Event:
    return codec.decode(file.read_bytes()) if file.name.startswith("fact.") else codec.decode_event(file.read_bytes())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_body_still_says_the_same(file: Path) -> None:
    body = msgspec.json.decode(file.read_bytes())
    again = msgspec.json.decode(codec.encode(read(file)))
    assert {key: again.get(key) for key in body} == body


@pytest.mark.parametrize(("what", "kind"), KINDS, ids=lambda value: getattr(value, "__name__", value))
def test_every_field_of_every_kind_stands_in_a_golden_body(what: str, kind: type[Fact | Event]) -> None:
    files = [
        *GOLDEN.glob(f"{what}.{kind.__struct_config__.tag}.json"),
        *GOLDEN.glob(f"{what}.{kind.__struct_config__.tag}.[0-9].json"),
    ]
    assert files
    assert all(type(read(file)) is kind for file in files)
    given = {key for file in files for key in msgspec.json.decode(file.read_bytes())}
    assert given == {*kind.__struct_encode_fields__, kind.__struct_config__.tag_field}


def test_no_two_kinds_share_a_tag() -> None:
    for kinds in (Catalog.ALL, CATALOG):
        assert len({kind.__struct_config__.tag for kind in kinds}) == len(kinds)
