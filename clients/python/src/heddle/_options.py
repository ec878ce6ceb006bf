"""How a client behaves. The defaults fit a program on a server; tests make the times shorter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from heddle._hooks import Hooks

# A token, or a function that gives a fresh one each time it is asked.
Token = str | Callable[[], str | Awaitable[str]] | None


@dataclass(frozen=True)
class Options:
    """All times are in seconds.

    timeout: the time of a call with all its attempts; None: no bound.
    retries: attempts after the first one; 0: a call is sent once.
    backoff, longest_backoff: the first wait between attempts, which doubles up to the longest.
    connect_timeout: the time for one host to connect and to say HELLO.
    credit: bytes of a subscription that may wait for the program.
    ping_after: silence of the server after which it is asked whether it is there.
    lost_after: silence after which the connection counts as lost.
    close_timeout: the time that `close` gives to calls that have no answer yet.
    tools_at_once: calls of tools that run at the same time.
    """

    timeout: float | None = 30.0
    retries: int = 4
    backoff: float = 0.1
    longest_backoff: float = 10.0
    connect_timeout: float = 10.0
    credit: int = 1 << 20
    ping_after: float = 30.0
    lost_after: float = 90.0
    close_timeout: float = 5.0
    tools_at_once: int = 64
    client_name: str = "heddle-python"
    hooks: Hooks | None = None
