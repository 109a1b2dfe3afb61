"""Opened messages are kept for a moment, and never more than some."""

import dataclasses
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from services.blobs import BlobMissing, FolderBlobs
from services.gateway.deps import Gateway, as_user
from services.gateway.messages import documents, opening
from services.gateway.messages.opening import Opener
from services.parsing import pool as pools
from services.parsing.pool import parse_pool


async def test_those_opened_longest_ago_are_forgotten_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "KEPT", 5_000)
    blobs, user = FolderBlobs(tmp_path), uuid4()
    shas = await blobs.put(user, [b"Content-Type: text/html\r\n\r\n<p>%d" % n + b"x" * 500 for n in range(3)])
    async with parse_pool(1, "opened") as parser:
        opener = Opener(blobs, parser)
        for sha in (shas[0], shas[1], shas[0], shas[2]):
            assert (await opener.document(user, sha)).html is not None
        await blobs.set_aside(user, shas)
        assert [(await opener.document(user, sha)).text[0] for sha in (shas[0], shas[2])] == ["0", "2"]
        with pytest.raises(BlobMissing):
            await opener.document(user, shas[1])


async def test_nobody_is_given_what_another_opened(tmp_path: Path) -> None:
    blobs, user = FolderBlobs(tmp_path), uuid4()
    (sha,) = await blobs.put(user, [b"Subject: mine\r\n\r\nWords"])
    async with parse_pool(1, "opened") as parser:
        opener = Opener(blobs, parser)
        assert (await opener.document(user, sha)).subject == "mine"
        with pytest.raises(BlobMissing):
            await opener.document(uuid4(), sha)


async def test_html_that_kills_its_parser_leaves_the_text_and_says_so(
    browser: Any, mail_of: Any, parts: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = await mail_of(await browser.enter("anna"))
    await inbox.arrived(b"Subject: x\r\nContent-Type: text/html\r\n\r\n<p>Words")
    user, blob = inbox.account.user_id, next(iter(inbox.account.documents))
    dying = "import os; from projections.documents import document; from services.parsing import child\n"
    dying += "document.read_file = lambda *_, **how: os._exit(9)\nchild.main()"
    monkeypatch.setattr(pools, "PROGRAM", ("-c", dying))
    async with parse_pool(1, "opened") as parser:
        odd = dataclasses.replace(parts, opener=Opener(parts.blobs, parser))
        async with as_user(parts.db, user) as db:
            read = (await documents.read(odd, db, user, {blob}, {blob}))[blob]
        whole = await documents.whole(odd, user, blob)
    assert read == whole
    assert (whole.text, whole.has_html) == ("Words", False)
    assert "could not be read" in whole.warnings[-1]
