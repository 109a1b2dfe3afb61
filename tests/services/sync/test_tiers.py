"""Which accounts are watched, which are asked often, which now and then; and when."""

from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from services.sync.tiers import Rules, Signs, Tier, next_look, tiers

NOW = 1_800_000_000.0
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
RULES = Rules(grace=30 * MINUTE, activity=24 * HOUR, cold=3 * DAY, budget=250, poll_warm=180, poll_cold=900)


def signs(seen_ago: float, moved_ago: float = 365 * DAY) -> Signs:
    return Signs(NOW - seen_ago, NOW - moved_ago)


@pytest.mark.parametrize(
    ("given", "tier"),
    [
        (signs(0), Tier.HOT),
        (signs(29 * MINUTE), Tier.HOT),  # the session's grace
        (signs(31 * MINUTE), Tier.WARM),
        (signs(31 * MINUTE, moved_ago=23 * HOUR), Tier.HOT),
        (signs(31 * MINUTE, moved_ago=25 * HOUR), Tier.WARM),
        (signs(2.9 * DAY, moved_ago=HOUR), Tier.HOT),
        (signs(2.9 * DAY), Tier.WARM),
        (signs(3.1 * DAY, moved_ago=0), Tier.COLD),  # mail alone keeps nobody's account warm
        (Signs(0), Tier.COLD),
    ],
)
def test_an_account_is_as_warm_as_its_user_is_near(given: Signs, tier: Tier) -> None:
    account = uuid4()
    assert tiers({account: given}, NOW, RULES) == {account: tier}


def test_somebody_who_comes_back_after_a_year_is_hot_at_once() -> None:
    account = uuid4()
    assert tiers({account: signs(365 * DAY)}, NOW, RULES) == {account: Tier.COLD}
    assert tiers({account: Signs(NOW)}, NOW, RULES) == {account: Tier.HOT}


def test_beyond_the_budget_the_least_active_are_warm_and_those_whose_user_is_there_last() -> None:
    rules = RULES._replace(budget=3)
    there = [uuid4() for _ in range(2)]
    lately = [uuid4() for _ in range(3)]
    known = {account: signs(29 * MINUTE) for account in there}
    known |= {account: signs(HOUR, moved_ago=age) for age, account in enumerate(lately, 1)}
    assert tiers(known, NOW, rules) == {
        **dict.fromkeys(there, Tier.HOT),
        lately[0]: Tier.HOT,
        lately[1]: Tier.WARM,
        lately[2]: Tier.WARM,
    }


def test_no_budget_makes_nobody_hot_and_leaves_the_cold_cold() -> None:
    hot, cold = uuid4(), uuid4()
    decided = tiers({hot: signs(0), cold: signs(4 * DAY)}, NOW, RULES._replace(budget=0))
    assert decided == {hot: Tier.WARM, cold: Tier.COLD}


def test_a_decision_does_not_depend_on_the_order_of_accounts() -> None:
    known = {uuid4(): signs(HOUR, moved_ago=HOUR) for _ in range(10)}
    rules = RULES._replace(budget=4)
    assert tiers(known, NOW, rules) == tiers(dict(reversed(known.items())), NOW, rules)


def test_looks_are_spread_over_the_interval_and_an_account_keeps_its_time() -> None:
    accounts = [uuid4() for _ in range(400)]
    times = sorted(next_look(account, NOW, 180) - NOW for account in accounts)
    assert times[0] > 0
    assert times[-1] <= 180
    gaps = [after - before for before, after in pairwise(times)]
    assert max(gaps) < 10
    for account in accounts:
        first = next_look(account, NOW, 180)
        assert next_look(account, first - 0.5, 180) == pytest.approx(first)
        assert next_look(account, first + 0.001, 180) == pytest.approx(first + 180)


def test_the_next_look_is_never_now_or_never() -> None:
    for account in (UUID(int=0), UUID(int=2**128 - 1)):
        for now in (0.0, 0.1, 179.999, 180.0, NOW):
            assert now < next_look(account, now, 180) <= now + 180
