"""Documents of a partition are fetched once for all projections, in bounded memory."""

import asyncio
from collections.abc import Mapping
from uuid import UUID

import msgspec
import pytest

from projections.documents import document
from projections.documents.document import Document
from services.projector import shared_documents
from services.projector.shared_documents import SharedDocuments

ADA, BOB = UUID(int=1), UUID(int=2)
EMPTY = document.read(b"\r\n")


class Counted:
    """Makes a document of a blob's name, and says how often it was asked for which."""

    def __init__(self) -> None:
        self.asked: list[tuple[UUID, str]] = []

    async def fetch(self, user_id: UUID, blobs: Mapping[str, str], *, texts: bool) -> Mapping[str, Document]:
        assert texts, "whoever comes next may want them"
        self.asked += [(user_id, sha) for sha in blobs]
        await asyncio.sleep(0)
        return {sha: msgspec.structs.replace(EMPTY, subject=sha, text=sha * 100) for sha in blobs}


async def test_three_projections_cost_one_fetch() -> None:
    counted = Counted()
    shared = SharedDocuments(counted)
    blobs = {"a": "", "b": ""}
    found = await asyncio.gather(*(shared.fetch(ADA, blobs, texts=texts) for texts in (False, True, False)))
    assert found[0] == found[1] == found[2]
    assert {sha: one.subject for sha, one in found[0].items()} == {"a": "a", "b": "b"}
    assert counted.asked == [(ADA, "a"), (ADA, "b")]


async def test_one_users_document_is_never_anothers() -> None:
    counted = Counted()
    shared = SharedDocuments(counted)
    await shared.fetch(ADA, {"a": ""}, texts=True)
    await shared.fetch(BOB, {"a": ""}, texts=True)
    assert counted.asked == [(ADA, "a"), (BOB, "a")]


async def test_the_oldest_are_forgotten_and_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_documents, "REMEMBERED", 3_500)
    counted = Counted()
    shared = SharedDocuments(counted)
    for sha in "abcd":
        await shared.fetch(ADA, {sha: ""}, texts=False)
    await shared.fetch(ADA, {"d": "", "a": ""}, texts=False)
    assert [sha for _, sha in counted.asked] == ["a", "b", "c", "d", "a"]


async def test_a_batch_larger_than_what_is_remembered_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_documents, "REMEMBERED", 2_000)
    found = await SharedDocuments(Counted()).fetch(ADA, dict.fromkeys("abcdef", ""), texts=True)
    assert sorted(found) == list("abcdef")
