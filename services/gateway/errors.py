"""Every error as `{"error": {"code", "message"}}`, the framework's own too; a message says what to do next."""

import traceback
from typing import Any

import asyncpg
import structlog
from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from services.blobs import BlobMissing
from services.log.errors import Unavailable

log = structlog.get_logger()

AnyRequest = Request[Any, Any, Any]
AnyConnection = ASGIConnection[Any, Any, Any, Any]

_WORDS = {
    400: ("invalid_request", "The request could not be read. Check it and send it again."),
    401: ("not_signed_in", "Sign in first."),
    403: ("forbidden", "This is not allowed."),
    404: ("not_found", "There is nothing here. It may have been moved or deleted."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_large", "The request is too large. Send less at once."),
    415: ("unsupported_media_type", "Send JSON with Content-Type: application/json."),
    429: ("too_many_requests", "Too many requests. Wait a moment."),
    500: ("internal", "Something went wrong on our side. Try again; if it stays, tell the operator."),
    503: ("unavailable", "The service is busy or starting. Try again in a moment."),
}


class Refused(Exception):
    """A request that is answered with an error of ours."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}


def not_found(what: str) -> Refused:
    """Also for what belongs to somebody else: nobody learns that it exists."""
    return Refused(404, "not_found", f"There is no such {what}. It may have been moved or deleted.")


def unavailable() -> Refused:
    """What is asked for may be there in a moment."""
    return Refused(503, *_WORDS[503])


def bad_cursor() -> Refused:
    return Refused(400, "bad_cursor", "This is no cursor of ours. Begin with the first page.")


def _answer(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Response[Any]:
    return Response({"error": {"code": code, "message": message}}, status_code=status, headers=headers or {})


def _refused(_: AnyRequest, error: Refused) -> Response[Any]:
    return _answer(error.status, error.code, error.message, error.headers)


def _invalid(_: AnyRequest, error: ValidationException) -> Response[Any]:
    """Names the fields and what was expected of them, never the values that were given."""
    code, message = _WORDS[400]
    extra = error.extra if isinstance(error.extra, list) else []
    found = [f"{item['key']}: {item['message']}" if item.get("key") else str(item.get("message")) for item in extra]
    return _answer(400, code, "; ".join(found) or message)


def _framework(_: AnyRequest, error: HTTPException) -> Response[Any]:
    if error.status_code >= 500 and error.status_code not in _WORDS:
        return _answer(error.status_code, *_WORDS[500])
    code, message = _WORDS.get(error.status_code, _WORDS[400])
    return _answer(error.status_code, code, message, dict(error.headers or {}))


def _unknown(request: AnyRequest, error: Exception) -> Response[Any]:
    # Where, and of what kind; an error's own text may quote what somebody sent or stored.
    frames = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-4:]]
    route = str(request.scope.get("path_template", ""))
    log.error("request failed", route=route, error=type(error).__name__, frames=frames)
    return _answer(500, *_WORDS[500])


def _lost(_: AnyRequest, error: BlobMissing) -> Response[Any]:
    log.error("blob missing", blob=str(error))
    return _answer(500, "source_missing", "The source of this message is missing from the store. Tell the operator.")


def _away(_: AnyRequest, error: Exception) -> Response[Any]:
    log.warning("no answer from behind", error=type(error).__name__)
    return _answer(503, *_WORDS[503])


AWAY = (
    ConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what asyncpg makes of a connection that ends in the middle of an answer
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.TooManyConnectionsError,
    Unavailable,
)
"""What is raised while Postgres or the log is down, starting, or has just come back."""

HANDLERS: ExceptionHandlersMap = {
    **dict.fromkeys(AWAY, _away),
    BlobMissing: _lost,
    Refused: _refused,
    ValidationException: _invalid,
    HTTPException: _framework,
    Exception: _unknown,
}
