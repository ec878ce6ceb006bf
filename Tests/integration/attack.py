"""The three ends an attack can have (attacks.md 4.1): K keeps the connection, X says why and closes, Z closes."""

import time

from heddle_client import ERROR, GOAWAY, PATIENCE_SECONDS, Connection, HeddleError, frame_pb2

CLOSE_SECONDS = 1.0
# What a busy machine may add to a bound of the specification. It makes things late; nothing comes early for it.
LATE_SECONDS = 15.0
# Clocks of two processes are read at different moments, and timers count whole milliseconds.
EARLY_SECONDS = 0.1


def expect_kept(connection: Connection):
    """K: the same connection goes on serving."""
    assert connection.call("Server.Status").durability == "synced"


def expect_goaway(connection: Connection, code: str, reason: str | None,
                  timeout: float = PATIENCE_SECONDS) -> HeddleError:
    """X: the reason in an ERROR or in the GOAWAY, then the end within a second. Returns the error."""
    errors, said_at, deadline = [], None, time.monotonic() + timeout
    while (frame := connection.receive(max(0.001, deadline - time.monotonic()))) is not None:
        if frame.kind == ERROR:
            errors.append(HeddleError(frame_pb2.Error.FromString(frame.body)))
        if frame.kind == GOAWAY:
            said_at = time.monotonic()
            errors.append(HeddleError(frame_pb2.GoAway.FromString(frame.body).error))
    closed_at = time.monotonic()
    matching = [error for error in errors if error.code == code and reason in (None, error.reason)]
    assert matching, f"wanted {code} {reason}, got {errors}"
    assert said_at is not None, "closed without GOAWAY"
    assert closed_at - said_at <= CLOSE_SECONDS + LATE_SECONDS, f"closed {closed_at - said_at:.1f} s after GOAWAY"
    return matching[0]


def expect_silence(connection: Connection, timeout: float = PATIENCE_SECONDS):
    """Z: closed without a byte."""
    said = connection.read_to_end(timeout)
    assert said == b"", f"said {said[:80]!r}"
