"""Print the API's OpenAPI document: `python -m services.gateway.openapi`."""

import sys

import msgspec

from services.gateway.app import app


def document() -> bytes:
    """The same bytes for the same code, indented, with a final newline."""
    encoded = msgspec.json.encode(app().openapi_schema.to_schema(), order="sorted")
    return msgspec.json.format(encoded, indent=2) + b"\n"


if __name__ == "__main__":
    sys.stdout.buffer.write(document())
