"""The three ends that an attack can have (attacks.md 4.1): K keeps the connection, X says why and closes, Z closes."""

import time
from collections.abc import Callable

from harness.connection import PATIENCE_SECONDS, Connection
from harness.messages import frame_pb2
from harness.wire import ERROR, GOAWAY, HeddleError

CLOSE_SECONDS = 1.0
# The delay that a busy machine may add to a bound of the page. It makes things late; nothing comes early for it.
LATE_SECONDS = 15.0
# Clocks of two processes are read at different moments, and timers count whole milliseconds.
EARLY_SECONDS = 0.1


def expect_kept(connection: Connection):
    """K: the same connection is still served."""
    assert connection.call("Server.Status").durability == "synced"


def expect_goaway(connection: Connection, code: str, reason: str | None, timeout: float = PATIENCE_SECONDS,
                  **details: str) -> HeddleError:
    """X: GOAWAY with code, reason and these details, then the end within a second. Returns what it said."""
    deadline, goaway, said_at = time.monotonic() + timeout, None, 0.0
    seen = []
    while (frame := connection.receive(max(0.001, deadline - time.monotonic()))) is not None:
        if frame.kind == GOAWAY:
            goaway, said_at = HeddleError(frame_pb2.GoAway.FromString(frame.body).error), time.monotonic()
        elif frame.kind == ERROR:
            seen.append(HeddleError(frame_pb2.Error.FromString(frame.body)))
    assert goaway is not None, f"closed without GOAWAY, wanted {reason}; errors before: {seen[:3]}"
    assert goaway.code == code and reason in (None, goaway.reason), f"wanted {code} {reason}, got {goaway}"
    for name, value in details.items():
        assert goaway.details.get(name) == value, goaway.details
    waited = time.monotonic() - said_at
    assert waited <= CLOSE_SECONDS + LATE_SECONDS, f"closed {waited:.1f} s after GOAWAY"
    return goaway


def expect_silence(connection: Connection, timeout: float = PATIENCE_SECONDS):
    """Z: closed without a byte."""
    said = connection.read_to_end(timeout)
    assert said == b"", f"said {said[:80]!r}"


def is_refusal(refused: HeddleError, code: str, reason: str, field: str | None = None):
    assert (refused.code, refused.reason) == (code, reason), f"wanted {code} {reason}, got {refused}"
    if field is not None:
        assert refused.details.get("field", "").split(".")[-1] == field, f"wanted field {field}: {refused.details}"


def refused_and_kept(connection: Connection, name: str, body, code: str, reason: str, field: str | None = None, /,
                     **fields) -> HeddleError:
    """The exact answer of a row, and the connection kept."""
    refused = connection.refusal(name, body, **fields)
    is_refusal(refused, code, reason, field)
    expect_kept(connection)
    return refused


def eventually(check: Callable, what: str = "it does not come to pass", seconds: float = PATIENCE_SECONDS):
    """Polls state that has no notice."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)
