"""The API's OpenAPI document: `python -m services.gateway.openapi` prints it, `/api/openapi.json` serves it."""

import sys
from dataclasses import dataclass
from typing import Any

import msgspec
from litestar import Litestar, MediaType, Request, Response, Router, get
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import OpenAPIFormat, OpenAPIMediaType, OpenAPIType, Operation, RequestBody, Schema

from services.gateway.errors import AnyRequest, not_found

_ERROR = {
    "title": "Error",
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
_PROBLEM = {
    "description": "Anything that went wrong; `message` says what to do next.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


@dataclass
class BinaryBody(Operation):
    """Of a route whose body is bytes: the framework's own document tells of no body there."""

    def __post_init__(self) -> None:
        content = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.BINARY))
        self.request_body = RequestBody(required=True, content={"application/octet-stream": content})


def _nothing_here(_: AnyRequest) -> None:
    raise not_found("page")


CONFIG = OpenAPIConfig(
    title="Webmail",
    version="1",
    description="Changes carry the value of the cookie `__Host-csrf` in the header `X-CSRF`.",
    render_plugins=[JsonRenderPlugin()],
    # The framework's own pages about the API would answer errors in a shape of their own.
    openapi_router=Router("/api/openapi", route_handlers=[], include_in_schema=False, before_request=_nothing_here),
)


@get("/openapi.json", include_in_schema=False, sync_to_thread=False)
def served(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Public: it says nothing of anybody."""
    return Response(document(request.app), media_type=MediaType.JSON)


def document(app: Litestar) -> bytes:
    """The same bytes for the same code, indented, with a final newline."""
    schema = app.openapi_schema.to_schema()
    schema["components"]["schemas"]["Error"] = _ERROR
    for path in schema["paths"].values():
        for operation in path.values():
            answers = operation["responses"]
            good = {status: answer for status, answer in answers.items() if int(status) < 400}
            operation["responses"] = {**good, "default": _PROBLEM}
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted"), indent=2) + b"\n"


def _print() -> None:
    from services.gateway.app import app  # noqa: PLC0415 - the application serves this module's document

    sys.stdout.buffer.write(document(app()))


if __name__ == "__main__":
    _print()
