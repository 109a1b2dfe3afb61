"""How closely each account is watched: pure decisions, over all accounts of a process at one moment (§6.3)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from services.config import Settings


class Tier(StrEnum):
    """`hot`: waits for news. `warm`, `cold`: asks every `POLL_WARM`, `POLL_COLD` seconds."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class Signs(NamedTuple):
    """In seconds since the epoch: when the account's user was last there, and when its mail last moved (0: never seen)."""

    seen: float
    moved: float = 0.0


class Rules(NamedTuple):
    """All in seconds, but `budget`: how many accounts of a process may be hot."""

    grace: float
    activity: float
    cold: float
    budget: int
    poll_warm: float
    poll_cold: float

    @classmethod
    def of(cls, settings: Settings) -> "Rules":
        return cls(
            grace=settings.tier_session_grace_min * 60.0,
            activity=settings.tier_hot_activity_h * 3600.0,
            cold=settings.tier_cold_after_d * 86_400.0,
            budget=settings.hot_budget_per_worker,
            poll_warm=settings.poll_warm,
            poll_cold=settings.poll_cold,
        )

    def every(self, tier: Tier) -> float:
        """Seconds between two looks; a hot account looks as often at what it does not wait on."""
        return self.poll_cold if tier is Tier.COLD else self.poll_warm


def tiers(accounts: Mapping[UUID, Signs], now: float, rules: Rules) -> dict[UUID, Tier]:
    """Of those that should be hot the most active are, those whose user is there before all others."""
    wished = {account: _wished(signs, now, rules) for account, signs in accounts.items()}
    hot = [account for account, tier in wished.items() if tier is Tier.HOT]
    hot.sort(key=lambda account: (*_rank(accounts[account], now, rules), account), reverse=True)
    return wished | dict.fromkeys(hot[rules.budget :], Tier.WARM)


def next_look(account: UUID, now: float, every: float) -> float:
    """The account's next own time: accounts are spread evenly over the interval, the same way after a restart."""
    share = account.int % 65_536 / 65_536 * every
    return now + every - (now - share) % every


def _wished(signs: Signs, now: float, rules: Rules) -> Tier:
    """Without anybody there for days an account is cold, however much it receives."""
    away = now - signs.seen
    if away <= rules.grace:
        return Tier.HOT
    if away > rules.cold:
        return Tier.COLD
    return Tier.HOT if now - signs.moved <= rules.activity else Tier.WARM


def _rank(signs: Signs, now: float, rules: Rules) -> tuple[bool, float]:
    return now - signs.seen <= rules.grace, max(signs.seen, signs.moved)
