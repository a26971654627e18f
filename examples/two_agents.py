"""Two agents share a namespace: one writes, the other hears of it at once."""

import asyncio
from collections.abc import AsyncIterable

from recalld import AsyncClient, WatchEvent


async def first(events: AsyncIterable[WatchEvent]) -> None:
    """Prints the first thing that happens."""
    async for event in events:
        if event.memory:
            print(f"heard: {event.type}: {event.memory.content}")
            return


async def main() -> None:
    async with AsyncClient() as listener, AsyncClient() as writer:
        watch = listener.watch()
        hearing = asyncio.create_task(first(watch))
        while not watch.resume_token:  # from its first token on nothing is missed
            await asyncio.sleep(0.01)
        await writer.write("The atlas deploy needs the migration first. 部署前先运行迁移。", kind="procedural")
        await hearing


asyncio.run(main())
