"""Opened messages are kept for a moment, and never more than some."""

from pathlib import Path
from uuid import uuid4

import pytest

from services.blobs import BlobMissing, FolderBlobs
from services.gateway.messages import opening
from services.gateway.messages.opening import Opener
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
