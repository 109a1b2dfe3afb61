"""Everything outside `/api`: the client's files, and its page for every route that the client knows itself."""

from typing import Any

from litestar import HttpMethod, Request, Response, route
from litestar.params import FromPath

from services.gateway.deps import Parts
from services.gateway.errors import Refused, not_found
from services.gateway.security import APP_CSP
from services.gateway.static.bundle import File

_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_EACH_TIME = "no-cache"


@route(["/", "/{path:path}"], http_method=[HttpMethod.GET, HttpMethod.HEAD], include_in_schema=False)
async def bundle(request: Request[Any, Any, Any], parts: Parts, path: FromPath[str] = "/") -> Response[bytes]:
    """A name with a dot is a file and must exist; anything else is a route of the client."""
    name = path.strip("/")
    file = parts.bundle.files.get(name)
    if file is None and "." in name.rpartition("/")[2]:
        raise not_found("file")
    file = file or parts.bundle.index
    if file is None:
        raise Refused(404, "not_built", "The web client is not built. Run `npm ci && npm run build` in web/.")
    return _answer(file, request.headers.get("accept-encoding", ""))


def _answer(file: File, accepted: str) -> Response[bytes]:
    body, coding = file.chosen(accepted)
    headers = {
        "Cache-Control": _FOR_EVER if file.immutable else _ASK_EACH_TIME,
        "Content-Security-Policy": APP_CSP,
        "Vary": "Accept-Encoding",
        **({"Content-Encoding": coding} if coding else {}),
    }
    return Response(body, media_type=file.mime, headers=headers)
