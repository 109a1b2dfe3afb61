"""The API's own document: whole, the same wherever it is asked for, and true to what clients rely on."""

import json
from typing import Any

from services.gateway.app import app
from services.gateway.openapi import document

SENT = {
    "AccountChange",
    "ActionWish",
    "AllowImages",
    "EverythingWish",
    "FlagsWish",
    "IdentityChange",
    "Login",
    "MailboxWish",
    "MoveWish",
    "NewAccount",
    "NewDraft",
    "NewIdentity",
    "NewUpload",
    "Registration",
    "SendWish",
    "Server",
    "SettingsChange",
    "SpecialUses",
    "SyncCancel",
    "SyncWish",
}


def test_a_body_that_is_bytes_is_told_of_as_such() -> None:
    paths = json.loads(document(app()))["paths"]
    piece = paths["/api/drafts/{draft_id}/attachments/{upload_id}"]["patch"]["requestBody"]
    assert piece["required"] is True
    assert piece["content"] == {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


async def test_it_is_served_as_it_is_printed(browser: Any) -> None:
    answer = await browser.get("/api/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == document(app())


def test_every_field_of_an_answer_is_always_there() -> None:
    schemas = json.loads(document(app()))["components"]["schemas"]
    for name in schemas.keys() - SENT:
        assert set(schemas[name].get("required", [])) == set(schemas[name].get("properties", {})), name


def test_every_operation_tells_the_shape_of_its_errors() -> None:
    for methods in json.loads(document(app()))["paths"].values():
        for operation in methods.values():
            assert operation["responses"]["default"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Error"
            }
