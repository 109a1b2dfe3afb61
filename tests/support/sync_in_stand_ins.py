"""The sync process in the small Internet that its environment names."""

import asyncio
import os

import msgspec
import uvloop

from services.config import THIS_MACHINE
from services.mail import dial
from services.runtime import Runtime, run
from services.sync.__main__ import main
from tests.support.stand_ins import Map, redirected, within


async def main_there(runtime: Runtime) -> None:
    await main(runtime, within(map_, THIS_MACHINE.split(",")))


if __name__ == "__main__":
    map_ = msgspec.json.decode(os.environ["STAND_INS"], type=Map)
    dial._connect = redirected(map_)
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    run("sync", main_there)
