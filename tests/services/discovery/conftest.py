"""A small Internet for each test."""

from collections.abc import AsyncIterator

import pytest

from services.mail import dial
from tests.support import stand_ins
from tests.support.stand_ins import Internet


@pytest.fixture
async def internet(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Internet]:
    """Empty; this test's connections lead into it."""
    async with stand_ins.internet() as made:
        monkeypatch.setattr(dial, "_connect", stand_ins.redirected(made.map))
        yield made
