"""One call, as often as it takes."""

from __future__ import annotations

import asyncio
import os
import random
import time
from typing import TYPE_CHECKING, Any

from heddle._errors import CannotConnect, HeddleError, Lost, Refused, TimedOut, TooLarge
from heddle._generated.errors import RETRY
from heddle._hooks import CallEnded
from heddle._method import Method
from heddle._trace import trace_headers
from heddle.v1 import frame_pb2

if TYPE_CHECKING:
    from heddle._client import Client

# After these the outcome of a change is open although the server answered.
OPEN_OUTCOMES = ("storage_failed", "deadline_exceeded", "cancelled", "internal")


class Attempts:
    """One call, as often as it takes."""

    def __init__(self, client: Client, method: Method[Any, Any], key: bytes | None, timeout: float | None):
        self.client, self.method = client, method
        self.loop = asyncio.get_running_loop()
        self.deadline = None if timeout is None else self.loop.time() + timeout
        self.key = (key or os.urandom(16)) if method.keyed else None
        if self.key is not None and len(self.key) != 16:
            raise ValueError(f"a key has 16 bytes, not {len(self.key)}")
        self.count = 0
        self.has_new_token = False
        # An attempt has gone out.
        self.is_sent = False
        # A change may have been made, and no answer has said whether.
        self.outcome_is_open = False
        self.began = time.perf_counter()
        self.sent_bytes = self.received_bytes = 0

    @property
    def changes(self) -> bool:
        return self.method.keyed or not self.method.repeatable

    async def run(self, payload: bytes) -> bytes:
        while True:
            self.count += 1
            try:
                answer = await self._once(payload)
            except HeddleError as error:
                wait = self._wait_before_another(error)
                if wait is None:
                    self._note(error)
                    raise error
                self.client._hooks.retry(self.method.path, self.count, wait, _reason(error))
                await asyncio.sleep(wait)
            else:
                self._note(None)
                return answer

    async def _once(self, payload: bytes) -> bytes:
        left = None if self.deadline is None else self.deadline - self.loop.time()
        if left is not None and left <= 0:
            raise TimedOut("the call's time is over")
        # A wait with a time limit costs a task; most calls have nothing to wait for.
        connection = self.client._current
        if connection is None or not connection.is_usable:
            try:
                connection = await asyncio.wait_for(self.client._connection(), left)
            except (asyncio.TimeoutError, TimeoutError):
                raise TimedOut("no connection was there in the call's time") from None
        beside = self._metadata()
        size = 16 + len(beside) + len(payload)
        try:
            answer, received = await connection.call(self.method.number, payload, beside, self.deadline)
        except TooLarge:
            raise
        except (Lost, TimedOut, Refused) as error:
            self.is_sent = self.is_sent or not isinstance(error, Lost) or error.was_sent
            if isinstance(error, Refused) and RETRY.get(error.reason) == "reconnect":
                connection.leave()
            self.sent_bytes += size
            raise
        self.sent_bytes += size
        self.received_bytes += received
        return answer

    def _metadata(self) -> bytes:
        traceparent, tracestate = trace_headers()
        if self.key is None and self.deadline is None and not traceparent:
            return b""
        beside = frame_pb2.Metadata(traceparent=traceparent, tracestate=tracestate)
        if self.key is not None:
            beside.idempotency_key = self.key
        if self.deadline is not None:
            beside.deadline_ms = min(86_400_000, max(1, int((self.deadline - self.loop.time()) * 1_000)))
        return beside.SerializeToString()

    def _wait_before_another(self, error: HeddleError) -> float | None:
        """Seconds until the next attempt, or None: this error is the call's."""
        cause = error.__cause__ if isinstance(error, Lost) and isinstance(error.__cause__, Refused) else error
        reason = cause.reason if isinstance(cause, Refused) else ""
        is_open = (isinstance(error, TimedOut) and self.is_sent) or (isinstance(error, Lost) and error.was_sent) \
            or (isinstance(error, Refused) and reason in OPEN_OUTCOMES)
        self.outcome_is_open = self.outcome_is_open or (is_open and self.changes)
        error.attempts, error.may_have_happened = self.count, self.outcome_is_open
        options = self.client._options
        if not self._may_repeat(error, reason, is_open) or self.count > options.retries or self.client._is_closed:
            return None
        wait = min(options.longest_backoff, options.backoff * 2 ** (self.count - 1)) * random.uniform(0.5, 1)
        if self.count == 1 and not is_open and RETRY.get(reason) != "wait" and not isinstance(error, CannotConnect):
            # The server has said that it did not serve the call, and another connection may.
            wait = 0.0
        if isinstance(cause, Refused) and cause.retry_after is not None:
            wait = max(wait, cause.retry_after)
        return None if self.deadline is not None and self.loop.time() + wait >= self.deadline else wait

    def _may_repeat(self, error: HeddleError, reason: str, is_open: bool) -> bool:
        if is_open and not self.method.repeatable:
            return False
        decided = RETRY.get(reason, "never")
        if decided == "token":
            return self._may_renew_token()
        if isinstance(error, Refused):
            return decided in ("wait", "reconnect")
        return isinstance(error, CannotConnect) or (isinstance(error, Lost) and (not reason or decided != "never"))

    def _may_renew_token(self) -> bool:
        if self.has_new_token or not callable(self.client._token):
            return False
        self.has_new_token = True
        if self.client._current is not None:
            self.client._current.leave()
        return True

    def _note(self, error: HeddleError | None) -> None:
        if not self.client._hooks.counts_calls:
            return
        self.client._hooks.call(CallEnded(
            self.method.path, self.count, int((time.perf_counter() - self.began) * 1e6), self.sent_bytes,
            self.received_bytes, "" if error is None else _reason(error)))


def _reason(error: HeddleError) -> str:
    return error.reason if isinstance(error, Refused) else error.kind
