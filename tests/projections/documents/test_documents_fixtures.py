"""Every message of tests/fixtures/mime gives the values beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from projections.documents import explain, read

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mime"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))


def squeeze(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> tuple[bytes, dict[str, Any]]:
    return (FIXTURES / f"{request.param}.eml").read_bytes(), json.loads(
        (FIXTURES / f"{request.param}.json").read_text()
    )


def test_the_envelope_is_what_the_fixture_says(case: tuple[bytes, dict[str, Any]]) -> None:
    raw, wanted = case
    seen = explain(read(raw))
    fields = ("subject", "to", "date", "message_id", "in_reply_to", "references")
    assert {field: seen[field] for field in fields} == {field: wanted[field] for field in fields}
    assert seen["from"][-1] == wanted["from"]


def test_the_body_is_what_the_fixture_says(case: tuple[bytes, dict[str, Any]]) -> None:
    raw, wanted = case
    document = read(raw)
    assert squeeze(wanted["text_contains"]) in squeeze(document.text)
    assert (document.html is not None) == wanted["html"]
    for text in wanted.get("text_must_not_contain", []):
        assert text not in document.text


def test_the_attachments_are_what_the_fixture_says(case: tuple[bytes, dict[str, Any]]) -> None:
    raw, wanted = case
    document = read(raw)
    assert explain(document)["attachments"] == wanted["attachments"]
    visible = [one.filename for one in document.attachments if not one.inline]
    assert visible == wanted.get("visible_attachments", [one["filename"] for one in wanted["attachments"]])
    assert document.calendar_method == wanted.get("calendar_method")
    assert [one.content_id for one in document.attachments if one.content_id] == wanted.get("cids", [])
    subjects = [one.subject for one in document.attachments if one.subject]
    assert subjects == ([wanted["inner_subject"]] if "inner_subject" in wanted else [])
