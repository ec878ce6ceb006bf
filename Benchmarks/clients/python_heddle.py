"""The Python client: see README.md. `calls-sync` measures `heddle.sync`, one call at a time."""

import asyncio
import sys
import uuid

import meter

import heddle
import heddle.sync


async def calls(address, thread, depth, count):
    async with heddle.connect(f"heddle://{address}") as client:
        async def many(number):
            for _ in range(number):
                await client.settings.read(thread=thread)

        await asyncio.gather(*(many(count // depth // 10) for _ in range(depth)))
        with meter.Meter():
            await asyncio.gather(*(many(count // depth) for _ in range(depth)))


def calls_sync(address, thread, depth, count):
    with heddle.sync.connect(f"heddle://{address}") as client:
        for _ in range(count // 10):
            client.settings.read(thread=thread)
        with meter.Meter():
            for _ in range(count):
                client.settings.read(thread=thread)


async def events(address, thread, count):
    async with heddle.connect(f"heddle://{address}") as client:
        taken = 0
        with meter.Meter() as measured:
            async with client.subscribe(thread, after=0) as subscription:
                async for message in subscription:
                    taken += message.WhichOneof("kind") == "event"
                    if taken == count // 10:
                        measured.remember_memory()
                    if taken == count:
                        break


kind, address, thread, *numbers = sys.argv[1:]
thread = uuid.UUID(thread).bytes
numbers = [int(number) for number in numbers]
if kind == "calls-sync":
    calls_sync(address, thread, *numbers)
else:
    asyncio.run({"calls": calls, "events": events}[kind](address, thread, *numbers))
