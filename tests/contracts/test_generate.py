"""What is written about the log is what the code says."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from contracts import generate
from contracts.events import CATALOG
from contracts.facts import Catalog
from contracts.streams import Role


def test_the_documents_are_fresh() -> None:
    assert generate.main(["--check"]) == 0


def test_a_stale_document_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    assert generate.main([]) == 0
    (tmp_path / "events.md").write_text("edited by hand")
    assert generate.stale(tmp_path) == ["events.md"]
    (tmp_path / "asyncapi.json").unlink()
    assert generate.stale(tmp_path) == ["events.md", "asyncapi.json"]


def test_every_reference_of_the_document_leads_somewhere() -> None:
    document = json.loads(generate.generated()["asyncapi.json"])
    references = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document))
    assert len(references) > 80
    for reference in references:
        node = document
        for key in reference.split("/"):
            node = node[key]
        assert node


def test_every_fact_and_event_is_described_with_all_its_fields() -> None:
    page, document = generate.generated()["events.md"], generate.asyncapi()
    for kind in (*Catalog.ALL, *CATALOG):
        assert f"### `{kind.__struct_config__.tag}`" in page
        schema = document["components"]["schemas"][kind.__name__]
        assert {field.encode_name for field in msgspec.structs.fields(kind)} < schema["properties"].keys()


def test_writers_are_those_whom_the_server_lets_write() -> None:
    by = {place.name: generate.writers(place.address) for place in generate.PLACES}
    assert by == {
        "account": [Role.GATEWAY, Role.ADMIN],
        "lease": [Role.SYNC],
        "state": [Role.SYNC],
        "mailbox": [Role.SYNC],
        "mark": [Role.SYNC],
        "request": [Role.GATEWAY],
        "outcome": [Role.OUTBOUND],
        "send": [Role.GATEWAY, Role.OUTBOUND],
    }
    assert generate.writers("event.{user}.user.active") == [Role.GATEWAY, Role.PROJECTOR]
