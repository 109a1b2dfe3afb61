"""The client is written against the API that there is."""

import hashlib
import re
from pathlib import Path

from services.gateway import openapi
from services.gateway.app import app

API = Path(__file__).parents[3] / "web" / "src" / "api"
REMEDY = "python -m services.gateway.openapi > web/src/api/openapi.json && npm --prefix web run api"


def test_the_clients_document_is_the_gateways() -> None:
    assert (API / "openapi.json").read_bytes() == openapi.document(app()), REMEDY


def test_the_clients_types_were_made_from_that_document() -> None:
    said = re.search(r"openapi\.json ([0-9a-f]{64})", (API / "schema.gen.d.ts").read_text())
    assert said, REMEDY
    assert said[1] == hashlib.sha256((API / "openapi.json").read_bytes()).hexdigest(), REMEDY
