"""What a program can see of its client: override what you need, and pass an instance as `hooks`.

No hook gets a token or a message. One that raises is logged and changes nothing.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

log = logging.getLogger("heddle")


@dataclass(frozen=True)
class CallEnded:
    method: str
    attempts: int
    microseconds: int
    sent_bytes: int
    received_bytes: int
    # Empty: the call has its answer. Else the reason of the server, or the kind of the error.
    reason: str


class Hooks:
    def connected(self, host: str, port: int) -> None:
        """A connection is open and has said HELLO."""

    def lost(self, reason: str) -> None:
        """A connection has ended by itself, or by the server's will."""

    def retry(self, method: str, attempt: int, wait: float, reason: str) -> None:
        """A call will be sent again in `wait` seconds."""

    def call(self, call: CallEnded) -> None:
        """A call has ended."""

    def resumed(self, thread: bytes | None, after: int | None) -> None:
        """A subscription goes on behind event `after`, on another connection or after a gap."""


class Guarded(Hooks):
    """Hooks that cannot do harm."""

    def __init__(self, hooks: Hooks):
        self._hooks = hooks
        self.counts_calls = type(hooks).call is not Hooks.call

    def connected(self, host: str, port: int) -> None:
        log.info("connected to %s:%d", host, port)
        self._do("connected", host, port)

    def lost(self, reason: str) -> None:
        log.info("a connection ended: %s", reason)
        self._do("lost", reason)

    def retry(self, method: str, attempt: int, wait: float, reason: str) -> None:
        log.debug("%s again in %.3f s, attempt %d: %s", method, wait, attempt, reason)
        self._do("retry", method, attempt, wait, reason)

    def call(self, call: CallEnded) -> None:
        self._do("call", call)

    def resumed(self, thread: bytes | None, after: int | None) -> None:
        log.debug("a subscription goes on after event %s", after)
        self._do("resumed", thread, after)

    def _do(self, name: str, *arguments: object) -> None:
        try:
            getattr(self._hooks, name)(*arguments)
        except Exception:
            log.exception("the hook %s raised", name)
