"""A web server somewhere else that counts who loads its picture."""

import base64
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support import certificate

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


class PictureServer:
    """`loaded` holds the path of every request. It speaks TLS, since a frame takes images over nothing else."""

    def __init__(self, port: int) -> None:
        self.loaded: list[str] = []
        self.picture = f"https://127.0.0.1:{port}/hill.png"


@contextmanager
def picture_server() -> Iterator[PictureServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pictures.loaded.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(PIXEL)))
            self.end_headers()
            self.wfile.write(PIXEL)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal: `loaded` tells."""

    with tempfile.TemporaryDirectory() as folder, ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.write(Path(folder)), Path(folder) / "key.pem")
        server.socket = context.wrap_socket(server.socket, server_side=True)
        pictures = PictureServer(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield pictures
        server.shutdown()
        thread.join()
