"""Blobs are kept byte for byte in either place, and are on disk before anyone learns their name."""

import asyncio
import os
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest
from obstore.store import MemoryStore

from services import blobs
from services.blobs import BlobMissing, Blobs, FolderBlobs, ObjectBlobs

USER = uuid4()
RAW = b"Subject: \xff\x00\r\n\nas it came\n"


@pytest.fixture(params=["folder", "object store"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Blobs]:
    if request.param == "folder":
        yield FolderBlobs(tmp_path / "blobs")
    else:
        yield ObjectBlobs(MemoryStore(), tmp_path / "spool")


async def test_a_blob_is_named_by_its_bytes_and_comes_back_unchanged(store: Blobs) -> None:
    (sha,) = await store.put(USER, [RAW])
    assert sha == sha256(RAW).hexdigest()
    assert await store.get(USER, sha) == RAW


async def test_many_blobs_are_put_at_once_in_order(store: Blobs) -> None:
    raws = [f"message {number}".encode() for number in range(60)]
    shas = await store.put(USER, raws)
    assert shas == [sha256(raw).hexdigest() for raw in raws]
    assert [await store.get(USER, sha) for sha in shas] == raws


async def test_the_same_bytes_twice_are_one_blob(store: Blobs) -> None:
    shas = await store.put(USER, [RAW, RAW])
    again = await store.put(USER, [RAW])
    assert {*shas, *again} == {sha256(RAW).hexdigest()}
    assert await store.get(USER, again[0]) == RAW


async def test_a_spooled_file_is_taken_over(store: Blobs) -> None:
    spooled = store.spool / "arriving"
    spooled.write_bytes(RAW * 100_000)
    (sha,) = await store.put(USER, [spooled])
    assert not spooled.exists()
    async with store.file(USER, sha) as path:
        assert path.read_bytes() == RAW * 100_000


async def test_a_spooled_file_of_known_bytes_leaves_nothing_behind(store: Blobs) -> None:
    await store.put(USER, [RAW])
    spooled = store.spool / "arriving"
    spooled.write_bytes(RAW)
    (sha,) = await store.put(USER, [spooled])
    assert list(store.spool.iterdir()) == []
    assert await store.get(USER, sha) == RAW


async def test_a_user_does_not_see_the_blobs_of_another(store: Blobs) -> None:
    (sha,) = await store.put(USER, [RAW])
    with pytest.raises(BlobMissing):
        await store.get(uuid4(), sha)


async def test_a_missing_blob_is_said_to_be_missing(store: Blobs) -> None:
    with pytest.raises(BlobMissing):
        await store.get(USER, "0" * 64)
    with pytest.raises(BlobMissing):
        async with store.file(USER, "0" * 64):
            pass


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "0" * 63 + "/"])
async def test_a_name_that_is_no_hash_finds_nothing(store: Blobs, name: str) -> None:
    with pytest.raises(BlobMissing):
        await store.get(USER, name)


async def test_a_blob_that_is_set_aside_is_out_of_use_until_it_is_brought_back(store: Blobs) -> None:
    (sha,) = await store.put(USER, [RAW])
    for _ in range(2):  # the one who did it may have died before it could say so
        await store.set_aside(USER, [sha])
        with pytest.raises(BlobMissing):
            await store.get(USER, sha)
    for _ in range(2):
        await store.bring_back(USER, [sha])
        assert await store.get(USER, sha) == RAW


async def test_what_is_put_while_the_same_is_aside_stays_when_that_is_deleted(store: Blobs) -> None:
    (sha,) = await store.put(USER, [RAW])
    await store.set_aside(USER, [sha])
    await store.put(USER, [RAW])
    await store.delete(USER, [sha])
    await store.delete(USER, [sha])
    assert await store.get(USER, sha) == RAW


async def test_a_deleted_blob_is_gone_for_good(store: Blobs) -> None:
    (sha,) = await store.put(USER, [RAW])
    await store.set_aside(USER, [sha])
    await store.delete(USER, [sha])
    await store.bring_back(USER, [sha])
    with pytest.raises(BlobMissing):
        await store.get(USER, sha)


async def test_all_that_a_user_has_in_use_is_listed(store: Blobs) -> None:
    assert await store.stored(USER) == set()
    shas = await store.put(USER, [RAW, b"another", b"a third"])
    await store.put(uuid4(), [b"of another user"])
    await store.set_aside(USER, shas[:1])
    assert await store.stored(USER) == set(shas[1:])
    await store.bring_back(USER, shas[:1])
    assert await store.stored(USER) == set(shas)


async def test_everything_of_a_user_is_forgotten_and_nothing_of_others(store: Blobs) -> None:
    other = uuid4()
    shas = await store.put(USER, [RAW, b"another", b"a third"])
    await store.set_aside(USER, shas[:1])
    await store.put(other, [RAW])
    for _ in range(2):
        await store.forget(USER)
        await store.bring_back(USER, shas[:1])
        for sha in shas:
            with pytest.raises(BlobMissing):
                await store.get(USER, sha)
    assert await store.get(other, shas[0]) == RAW


@pytest.mark.parametrize("count", [2, 40])
async def test_names_and_bytes_are_synced_before_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    store = FolderBlobs(tmp_path)
    steps: list[str] = []
    replace, created, one, many = os.replace, blobs._created, blobs._fsync, blobs._syncfs

    def create(path: str, raw: bytes) -> bool:
        if not path.startswith(str(store.spool)):
            steps.append("name")
        return created(path, raw)

    monkeypatch.setattr(blobs, "_created", create)
    monkeypatch.setattr(os, "replace", lambda old, new: (steps.append("name"), replace(old, new)))
    monkeypatch.setattr(blobs, "_fsync", lambda path: (steps.append("sync"), one(path)))
    monkeypatch.setattr(blobs, "_syncfs", lambda folder: (steps.append("sync"), many(folder)))
    await store.put(USER, [f"{number}".encode() for number in range(count)])
    assert steps.count("name") == count
    last = len(steps) - 1 - steps[::-1].index("name")
    assert set(steps[last + 1 :]) == {"sync"}


@pytest.mark.parametrize("count", [1, 40])
async def test_what_a_crash_left_under_a_name_is_replaced(tmp_path: Path, count: int) -> None:
    store = FolderBlobs(tmp_path)
    raws = [f"{number}".encode() for number in range(count)]
    shas = await store.put(USER, raws)
    for sha in shas:
        store._path(USER, sha).write_bytes(b"")
    assert await store.put(USER, raws) == shas
    assert [await store.get(USER, sha) for sha in shas] == raws


async def test_what_several_put_at_once_is_whole_for_each(tmp_path: Path) -> None:
    store = FolderBlobs(tmp_path)
    raws = [bytes([number]) * 50_000 for number in range(40)]

    async def put() -> None:
        shas = await store.put(USER, raws)
        assert [await store.get(USER, sha) for sha in shas] == raws

    await asyncio.gather(put(), put(), put())
    assert list(store.spool.iterdir()) == []


def test_what_a_dead_process_left_in_the_spool_is_removed_a_day_later(tmp_path: Path) -> None:
    spool = tmp_path / ".incoming"
    spool.mkdir()
    (spool / "old").write_bytes(b"half")
    (spool / "new").write_bytes(b"half")
    yesterday = time.time() - 100_000
    os.utime(spool / "old", (yesterday, yesterday))
    FolderBlobs(tmp_path)
    assert [left.name for left in spool.iterdir()] == ["new"]
