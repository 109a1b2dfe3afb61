"""Google's doors in the small Internet: tokens, IMAP and submission, which let in whoever brings a token that was given."""

import asyncio
import base64

from tests.support.oauth_server import OAuthServer
from tests.support.stand_in_product import piped_host
from tests.support.stand_ins import Internet


async def stand_for_google(net: Internet, server: OAuthServer, imap: int) -> None:
    async def submission(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 stand-in ESMTP\r\n")
        while line := await reader.readline():
            words = line.split()
            match words[0].upper():
                case b"EHLO":
                    writer.write(b"250-stand-in\r\n250 AUTH XOAUTH2\r\n")
                case b"AUTH":
                    bearer = base64.b64decode(words[-1]).decode().partition("auth=Bearer ")[2].rstrip("\1")
                    writer.write(b"235 welcome\r\n" if bearer in server.given else b"535 no\r\n")
                case _:
                    writer.write(b"221 bye\r\n")
                    return

    await server.start(net, "oauth2.googleapis.com")
    await piped_host(net, imap, "imap.gmail.com")
    await net.serve("smtp.gmail.com", 465, submission, net.authority.server(["smtp.gmail.com"]))
