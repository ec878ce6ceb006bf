"""gRPC's Python clients, grpc.aio and the one with threads, with the messages of the Python client: see README.md."""

import asyncio
import sys
import uuid

import grpc
import meter

from heddle.v1 import settings_pb2

METHOD = "/heddle.v1.SettingsService/Read"
CODECS = {"request_serializer": settings_pb2.ReadSettingsRequest.SerializeToString,
          "response_deserializer": settings_pb2.ReadSettingsResponse.FromString}


async def calls(address, thread, depth, count):
    async with grpc.aio.insecure_channel(address) as channel:
        read = channel.unary_unary(METHOD, **CODECS)

        async def many(number):
            for _ in range(number):
                await read(settings_pb2.ReadSettingsRequest(thread=thread), timeout=30)

        await asyncio.gather(*(many(count // depth // 10) for _ in range(depth)))
        with meter.Meter():
            await asyncio.gather(*(many(count // depth) for _ in range(depth)))


def calls_sync(address, thread, depth, count):
    with grpc.insecure_channel(address) as channel:
        read = channel.unary_unary(METHOD, **CODECS)
        for _ in range(count // 10):
            read(settings_pb2.ReadSettingsRequest(thread=thread), timeout=30)
        with meter.Meter():
            for _ in range(count):
                read(settings_pb2.ReadSettingsRequest(thread=thread), timeout=30)


kind, address, thread, depth, count = sys.argv[1:]
arguments = address, uuid.UUID(thread).bytes, int(depth), int(count)
if kind == "calls-sync":
    calls_sync(*arguments)
else:
    asyncio.run(calls(*arguments))
