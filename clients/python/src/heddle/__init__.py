"""Heddle: threads of AI agents, their turns, and the events of both.

    async with heddle.connect("heddle://127.0.0.1") as client:
        started = await client.threads.start(name="first")
        async for text in client.turn(started.thread.id, "Hello").text:
            print(text, end="")

`heddle.sync` has the same without asyncio.
"""

from heddle._client import Client, connect
from heddle._errors import (
    CannotConnect,
    Closed,
    HeddleError,
    Lost,
    ProtocolError,
    Refused,
    TimedOut,
    TooLarge,
    TurnFailed,
)
from heddle._generated.errors import *  # noqa: F403
from heddle._generated.errors import Reason
from heddle._generated.methods import SCHEMA_HASH
from heddle._hooks import CallEnded, Hooks
from heddle._options import Options
from heddle._service import Id
from heddle._subscription import Subscription
from heddle._turn import Turn, TurnResult

__all__ = [
    "SCHEMA_HASH", "CallEnded", "CannotConnect", "Client", "Closed", "HeddleError", "Hooks", "Id", "Lost", "Options",
    "ProtocolError", "Reason", "Refused", "Subscription", "TimedOut", "TooLarge", "Turn", "TurnFailed", "TurnResult",
    "connect",
]
