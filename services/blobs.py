"""Raw messages as received, named by their SHA-256: in a folder, or in S3."""

import asyncio
import contextlib
import ctypes
import hashlib
import itertools
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import obstore
from obstore.store import ObjectStore, S3Store

from services.config import Settings

_CHUNK = 1 << 20
_SPOOL_KEPT = 86_400  # seconds; whatever is older belongs to a process that died
_FEW = 8  # so many are written beside their names and moved; more are written under them
_MANY = 24  # from here on one syncfs is cheaper than a sync of each, though it waits for what others wrote too
_numbers = itertools.count()
_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobMissing(Exception):
    """The store does not hold a blob that a fact names: data was lost, or the store is not the one that was written."""


class Blobs(Protocol):
    """The same for both places. `sha` is lower-case hex; blobs of different users are never shared."""

    spool: Path
    """Where big messages are written while they arrive; `put` takes such a file over without copying it."""

    async def put(self, user_id: UUID, raws: Sequence[bytes | Path]) -> list[str]:
        """Store blobs and return their SHA-256 once all are safe on disk. Files are moved; what is there stays."""

    async def get(self, user_id: UUID, sha: str) -> bytes:
        """The blob as it was put. Raises BlobMissing."""

    def file(self, user_id: UUID, sha: str) -> contextlib.AbstractAsyncContextManager[Path]:
        """The blob as a file to read while the block lasts. Raises BlobMissing."""

    async def stored(self, user_id: UUID) -> set[str]:
        """All that is in use, also what nothing names."""

    async def set_aside(self, user_id: UUID, shas: Iterable[str]) -> None:
        """Out of use, and not forgotten yet: a `put` of one stores it anew. What is not there is fine."""

    async def bring_back(self, user_id: UUID, shas: Iterable[str]) -> None:
        """Those of them that were set aside are in use again."""

    async def delete(self, user_id: UUID, shas: Iterable[str]) -> None:
        """Forget what was set aside."""

    async def forget(self, user_id: UUID) -> None:
        """Everything of a user who is no more, also what nothing ever named."""


def open_blobs(settings: Settings) -> Blobs:
    """The store that the settings name."""
    if settings.s3 is None:
        return FolderBlobs(settings.blob_root)
    store = S3Store(
        settings.s3.bucket,
        endpoint=settings.s3.endpoint,
        region=settings.s3.region,
        access_key_id=settings.s3.access_key_id,
        secret_access_key=settings.s3.secret_access_key,
        virtual_hosted_style_request=False,
        client_options={"allow_http": settings.s3.endpoint.startswith("http://")},
    )
    return ObjectBlobs(store, settings.data_dir / "spool")


class FolderBlobs:
    """`root/<user>/<first two digits>/<sha>`. A fact names a blob only when its bytes are on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.spool = _spool(root / ".incoming")

    async def put(self, user_id: UUID, raws: Sequence[bytes | Path]) -> list[str]:
        return await asyncio.to_thread(self._put, user_id, raws)

    async def get(self, user_id: UUID, sha: str) -> bytes:
        path = self._path(user_id, sha)
        try:
            return await asyncio.to_thread(path.read_bytes)
        except FileNotFoundError:
            raise BlobMissing(sha) from None

    @asynccontextmanager
    async def file(self, user_id: UUID, sha: str) -> AsyncIterator[Path]:
        path = self._path(user_id, sha)
        if not await asyncio.to_thread(path.exists):
            raise BlobMissing(sha)
        yield path

    async def stored(self, user_id: UUID) -> set[str]:
        return await asyncio.to_thread(lambda: {path.name for path in (self._root / str(user_id)).glob("??/*")})

    async def set_aside(self, user_id: UUID, shas: Iterable[str]) -> None:
        await asyncio.to_thread(_move_all, [(self._path(user_id, sha), self._aside(user_id, sha)) for sha in shas])

    async def bring_back(self, user_id: UUID, shas: Iterable[str]) -> None:
        await asyncio.to_thread(_move_all, [(self._aside(user_id, sha), self._path(user_id, sha)) for sha in shas])

    async def delete(self, user_id: UUID, shas: Iterable[str]) -> None:
        await asyncio.to_thread(_remove_all, [self._aside(user_id, sha) for sha in shas])

    async def forget(self, user_id: UUID) -> None:
        for folder in (self._root / str(user_id), self._root / ".aside" / str(user_id)):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _aside(self, user_id: UUID, sha: str) -> Path:
        return self._root / ".aside" / str(user_id) / _checked(sha)

    def _path(self, user_id: UUID, sha: str) -> Path:
        return self._root / str(user_id) / _checked(sha)[:2] / sha

    def _put(self, user_id: UUID, raws: Sequence[bytes | Path]) -> list[str]:
        """Strings and bare system calls: with Path objects this would be a tenth of what a message costs.

        Many are written under their names and synced together: what a crash leaves under a name may be no blob, so one that
        is there already counts only when it holds the bytes.
        """
        shas = [_digest(raw) for raw in raws]
        root = f"{self._root}/{user_id}"
        folders = {sha: f"{root}/{sha[:2]}" for sha in shas}
        made = [folder for folder in set(folders.values()) if not os.path.isdir(folder)]  # noqa: PTH112 - see above
        for folder in made:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - see above
        together = len(raws) > _FEW
        for sha, raw in zip(shas, raws, strict=True):
            path = f"{folders[sha]}/{sha}"
            if together and isinstance(raw, bytes) and _created(path, raw):
                continue
            if _holds(path, sha):
                _remove(raw)
                continue
            temporary = str(raw) if isinstance(raw, Path) else self._write(raw)
            if not together or isinstance(raw, bytes):  # in the place of a file that another put may have told of
                _fsync(temporary)
            os.replace(temporary, path)  # noqa: PTH105 - see above
        if len(raws) > _MANY and _SYNCFS is not None:
            _syncfs(self._root)
        else:  # also what was there: whoever put it may have died before it was synced
            paths = {f"{folders[sha]}/{sha}" for sha in shas} | set(folders.values()) | {root, str(self._root)}
            list(_SYNCS.map(_fsync, paths))
        return shas

    def _write(self, raw: bytes) -> str:
        name = f"{self.spool}/{os.getpid()}-{next(_numbers)}-{secrets.token_hex(4)}"
        _created(name, raw)
        return name


class ObjectBlobs:
    """The same names as keys of an object store, which acknowledges what is safe."""

    def __init__(self, store: ObjectStore, spool: Path, *, at_once: int = 12) -> None:
        self._store = store
        self._at_once = at_once
        self.spool = _spool(spool)

    async def put(self, user_id: UUID, raws: Sequence[bytes | Path]) -> list[str]:
        shas = await asyncio.to_thread(lambda: [_digest(raw) for raw in raws])
        limit = asyncio.Semaphore(self._at_once)

        async def upload(sha: str, raw: bytes | Path) -> None:
            async with limit:
                await obstore.put_async(self._store, _key(user_id, sha), raw)
            _remove(raw)

        async with asyncio.TaskGroup() as group:
            for sha, raw in dict(zip(shas, raws, strict=True)).items():
                group.create_task(upload(sha, raw))
        return shas

    async def get(self, user_id: UUID, sha: str) -> bytes:
        return bytes(await (await self._open(user_id, sha)).bytes_async())

    @asynccontextmanager
    async def file(self, user_id: UUID, sha: str) -> AsyncIterator[Path]:
        found = await self._open(user_id, sha)
        with tempfile.NamedTemporaryFile(dir=self.spool) as file:
            async for chunk in found.stream(min_chunk_size=_CHUNK):
                await asyncio.to_thread(file.write, chunk)
            file.flush()
            yield Path(file.name)

    async def stored(self, user_id: UUID) -> set[str]:
        return {one["path"].rpartition("/")[2] async for page in self._store.list(f"{user_id}/") for one in page}

    async def set_aside(self, user_id: UUID, shas: Iterable[str]) -> None:
        for sha in shas:
            await self._move(_key(user_id, sha), _aside(user_id, sha))

    async def bring_back(self, user_id: UUID, shas: Iterable[str]) -> None:
        for sha in shas:
            await self._move(_aside(user_id, sha), _key(user_id, sha))

    async def delete(self, user_id: UUID, shas: Iterable[str]) -> None:
        await obstore.delete_async(self._store, [_aside(user_id, sha) for sha in shas])

    async def forget(self, user_id: UUID) -> None:
        for prefix in (f"{user_id}/", f"aside/{user_id}/"):
            async for page in self._store.list(prefix):
                await obstore.delete_async(self._store, [one["path"] for one in page])

    async def _move(self, source: str, target: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            await obstore.copy_async(self._store, source, target)
            await obstore.delete_async(self._store, source)

    async def _open(self, user_id: UUID, sha: str) -> Any:
        try:
            return await obstore.get_async(self._store, _key(user_id, sha))
        except FileNotFoundError:
            raise BlobMissing(sha) from None


def _spool(folder: Path) -> Path:
    """The folder, without what dead processes left in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _SPOOL_KEPT:
                left.unlink()
    return folder


def _checked(sha: str) -> str:
    """A name that can't leave the folder."""
    if not _SHA256.fullmatch(sha):
        raise BlobMissing("not the name of a blob")
    return sha


def _key(user_id: UUID, sha: str) -> str:
    return f"{user_id}/{_checked(sha)[:2]}/{sha}"


def _aside(user_id: UUID, sha: str) -> str:
    return f"aside/{user_id}/{_checked(sha)}"


def _digest(raw: bytes | Path) -> str:
    if isinstance(raw, Path):
        with raw.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(raw).hexdigest()


def _remove(raw: bytes | Path) -> None:
    if isinstance(raw, Path):
        raw.unlink(missing_ok=True)


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _created(path: str, raw: bytes) -> bool:
    """False when there is such a file, which another put may still be writing."""
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    try:
        rest = memoryview(raw)
        while rest:
            rest = rest[os.write(number, rest) :]
    finally:
        os.close(number)
    return True


def _move_all(moves: Iterable[tuple[Path, Path]]) -> None:
    for source, target in moves:
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            source.replace(target)


def _fsync(path: str) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


_SYNCS = ThreadPoolExecutor(16, thread_name_prefix="fsync")
"""Who waits beside others for the disk waits for the same commit of the file system's journal."""

_SYNCFS = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
"""Linux only."""


def _syncfs(folder: Path) -> None:
    """Everything written to the file system of `folder`."""
    number = os.open(folder, os.O_RDONLY)
    try:
        if _SYNCFS is None or _SYNCFS(number) != 0:
            raise OSError(ctypes.get_errno(), "syncfs failed", str(folder))
    finally:
        os.close(number)


def _holds(path: str, sha: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return hashlib.file_digest(file, "sha256").hexdigest() == sha
    except FileNotFoundError:
        return False
