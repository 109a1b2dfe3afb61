"""The log is made as declared, stays so, and says where it is not."""

import pytest

from contracts import streams
from services.log import api
from services.log.apply import apply, check, declared
from services.log.connection import Connection
from services.log.errors import NotAsDeclared, PartitionsFixed
from tests.services.log.given import PARTITIONS


async def test_a_made_log_is_as_declared_and_making_it_again_changes_nothing(nc: Connection) -> None:
    await check(nc, PARTITIONS)
    before = [await api.ask(nc, f"STREAM.INFO.{config['name']}") for config in declared(PARTITIONS)]
    await apply(nc, PARTITIONS, 1)
    after = [await api.ask(nc, f"STREAM.INFO.{config['name']}") for config in declared(PARTITIONS)]
    assert [info["config"] for info in before] == [info["config"] for info in after]


async def test_facts_can_not_be_rolled_up_expired_or_scheduled(nc: Connection) -> None:
    for partition in range(PARTITIONS):
        config = (await api.ask(nc, f"STREAM.INFO.{streams.facts_name(partition)}"))["config"]
        for danger in ("allow_rollup_hdrs", "allow_msg_ttl", "allow_msg_schedules", "allow_msg_counter"):
            assert not config.get(danger)
        assert config["deny_delete"]
        assert config["allow_atomic"]
        assert config["compression"] == "s2"
        assert config["max_age"] == 0


async def test_the_number_of_partitions_never_changes(nc: Connection) -> None:
    for other in (1, 4):
        with pytest.raises(PartitionsFixed, match="2 partitions"):
            await apply(nc, other, 1)
    names = (await api.ask(nc, "STREAM.NAMES"))["streams"]
    assert [name for name in names if name.startswith("FACTS_")] == ["FACTS_0", "FACTS_1"]
    with pytest.raises(NotAsDeclared, match="FACTS_2 is missing"):
        await check(nc, 4)
    with pytest.raises(NotAsDeclared, match="metadata is 2, not 1"):
        await check(nc, 1)


async def test_the_check_names_what_differs_and_apply_mends_it(nc: Connection) -> None:
    config = (await api.ask(nc, "STREAM.INFO.EVENTS"))["config"]
    await api.ask(nc, "STREAM.UPDATE.EVENTS", config | {"max_age": 3600_000_000_000, "allow_rollup_hdrs": True})
    await api.ask(nc, "STREAM.DELETE.KV_leases")
    with pytest.raises(NotAsDeclared) as wrong:
        await check(nc, PARTITIONS)
    text = str(wrong.value)
    assert "EVENTS.max_age is 3600000000000, not 1209600000000000" in text
    assert "EVENTS.allow_rollup_hdrs is True, not off" in text
    assert "KV_leases is missing" in text
    await apply(nc, PARTITIONS, 1)
    await check(nc, PARTITIONS)
