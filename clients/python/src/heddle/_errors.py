"""What can go wrong. `HeddleError` is the base of everything that this package raises by itself."""

from __future__ import annotations

from collections.abc import Mapping


class HeddleError(Exception):
    """A call did not end with an answer.

    attempts: how often it was sent, or was tried to be sent.
    may_have_happened: a change may have been made although no answer came. The same call with the same `key` tells.
    """

    kind = "Error"

    def __init__(self, message: str, *, attempts: int = 1, may_have_happened: bool = False):
        super().__init__(message)
        self.message = message
        self.attempts = attempts
        self.may_have_happened = may_have_happened


class Refused(HeddleError):
    """The server answered with an error. There is a class for each code, such as `NotFound`.

    reason: a stable name to switch on (docs/errors.md), `heddle.Reason.THREAD` for example.
    details: facts about the error, as text by name.
    retry_after: seconds to wait before the next attempt, or None.
    debug_id: names the line in the server's log, or is empty.
    """

    kind = "Refused"

    def __init__(self, message: str, *, code: str = "", reason: str = "", details: Mapping[str, str] | None = None,
                 retry_after: float | None = None, debug_id: str = "", attempts: int = 1,
                 may_have_happened: bool = False):
        super().__init__(message, attempts=attempts, may_have_happened=may_have_happened)
        self.code, self.reason = code, reason
        self.details = dict(details or {})
        self.retry_after = retry_after
        self.debug_id = debug_id

    def __str__(self) -> str:
        details = "".join(f" ({name}: {value})" for name, value in self.details.items())
        return f"{self.code} {self.reason}: {self.message}{details}"


class CannotConnect(HeddleError):
    """No server could be reached: nothing was sent."""

    kind = "CannotConnect"


class Lost(HeddleError):
    """The connection ended before the answer came."""

    kind = "Lost"

    def __init__(self, message: str, *, was_sent: bool = True, attempts: int = 1, may_have_happened: bool = False):
        super().__init__(message, attempts=attempts, may_have_happened=may_have_happened)
        # False: the server said that it has not served the call.
        self.was_sent = was_sent


class TimedOut(HeddleError, TimeoutError):
    """The call's time was over."""

    kind = "TimedOut"


class ProtocolError(HeddleError):
    """The server sent something that no server of this protocol sends."""

    kind = "Protocol"


class TooLarge(HeddleError):
    """A message is larger than a frame may be: it was not sent, or what came was not read."""

    kind = "TooLarge"


class Closed(HeddleError):
    """The client, or the subscription, is closed."""

    kind = "Closed"


class TurnFailed(HeddleError):
    """A turn ended without a result.

    status: `FAILED` or `INTERRUPTED`.
    reason: why it failed, such as `model_timeout`; empty if it was interrupted.
    text: the text until then.
    """

    kind = "TurnFailed"

    def __init__(self, message: str, *, status: str, reason: str, text: str):
        super().__init__(message)
        self.status, self.reason, self.text = status, reason, text
