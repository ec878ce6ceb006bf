"""configuration.md: where a setting comes from, and that each limit does what its name says."""

import json
import os
import subprocess

import pytest

from heddle_client import EVENT, GOAWAY, PING, Frame, event_pb2, frame_pb2
from server import BINARY, Server

TOKEN = "token-of-one-tenant-" + "t" * 20
EXIT_CONFIGURATION = 78


def written(folder, **settings) -> list:
    """The arguments of a server with a configuration file."""
    file = folder / "config.json"
    file.write_text(json.dumps(settings))
    return ["--config", file]


def with_token(folder) -> list:
    file = folder / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"{TOKEN} tenant\n")
    return ["--token-file", file]


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path):
    """configuration.md: flag, environment, file, default, in this order; each alone counts."""
    file = written(tmp_path, listen="0.0.0.0:0", logFormat="text", logLevel="critical", limits={
        "idleMilliseconds": 170_001, "frameMilliseconds": 29_001})
    environment = {"HEDDLE_LISTEN": "0.0.0.0:0", "HEDDLE_LOG_FORMAT": "text", "HEDDLE_LOG_LEVEL": "info",
                   "HEDDLE_LIMITS_IDLE_MILLISECONDS": "170002", "HEDDLE_LIMITS_QUEUED_TURNS": "7"}
    with Server(tmp_path / "data", "--log-format", "json", *file, environment=environment) as server:
        assert server.address.startswith("127.0.0.1:")
        with server.connect() as connection:
            limits = connection.server_hello.limits
            assert (limits.idle_ms, limits.frame_ms, limits.queued_turns, limits.glitches) == (170_002, 29_001, 7, 200)
        server.terminate()
        assert server.wait() == 0
        lines = [json.loads(line) for line in server.log_text().splitlines()]
        assert "the server has ended" in [line["message"] for line in lines if line["level"] == "info"]


@pytest.mark.parametrize("name,value,word", [
    ("LIMITS_IDLE_MILLISECONDS", "abc", "idleMilliseconds"), ("LIMITS_IDLE_MILLISECONDS", "-1", "idleMilliseconds"),
    ("LIMITS_OUTGOING_BYTES", "65535", "outgoingBytes"), ("LIMITS_AGENTS_RUNNING_V2", "0", "agentsRunningV2"),
    ("LIMITS_COMPACTION_PERCENT", "101", "compactionPercent"), ("FEATURES_MULTI_AGENT_V2", "maybe", "multiAgentV2"),
    ("LOOPS", "0", "loops"), ("LOG_LEVEL", "loud", "logLevel"), ("LOG_FORMAT", "xml", "logFormat"),
    ("LISTEN", "nowhere", "listen")])
def test_a_value_that_is_none_stops_the_start(tmp_path, name, value, word):
    """configuration.md: a setting that cannot be taken is not ignored: exit 78 and a line that says what to mend."""
    ended = subprocess.run([BINARY, "serve", "--data", tmp_path / "data"], capture_output=True, text=True, timeout=60,
                           env={**os.environ, "HEDDLE_LISTEN": "127.0.0.1:0", f"HEDDLE_{name}": value})
    assert (ended.returncode, ended.stdout) == (EXIT_CONFIGURATION, "") and word in ended.stderr, ended


def test_hello_says_every_limit_as_it_is_configured(tmp_path):
    """frame.proto, ServerHello.limits: what clients go by. No two are alike, so none stands in another's place."""
    file = written(tmp_path, limits={
        "frameBytes": 4_194_301, "requestsInFlight": 251, "subscriptions": 1_021, "outgoingBytes": 99_991,
        "idleMilliseconds": 170_003, "frameMilliseconds": 29_989, "turnInputBytes": 1_000_003, "queuedTurns": 13,
        "requestsPerSecond": 997, "runningTurnsPerTenant": 97, "glitches": 199})
    with Server(tmp_path / "data", *with_token(tmp_path), *file) as server, server.connect(TOKEN) as connection:
        assert connection.server_hello.limits == frame_pb2.ConnectionLimits(
            frame_bytes=4_194_301, requests_in_flight=251, subscriptions=1_021, outgoing_bytes=99_991,
            idle_ms=170_003, frame_ms=29_989, turn_input_bytes=1_000_003, queued_turns=13,
            tenant_requests_per_second=997, tenant_running_turns=97, glitches=199,
            # These are fixed.
            nesting=32, repeated_elements=65_536, unknown_fields=64, page_size=200, thread_events=1_000_000)


def test_quotas_of_tenants_are_none_without_tokens(tmp_path):
    """configuration.md, *tokens*: without authentication there is one tenant, and what bounds a tenant bounds nobody:
    connections, subscriptions, requests, running turns, bytes of threads in memory."""
    file = written(tmp_path, limits={
        "connectionsPerTenant": 1, "subscriptionsPerTenant": 1, "requestsPerSecond": 1, "requestBurst": 1,
        "runningTurnsPerTenant": 1, "ephemeralBytesPerTenant": 1})
    with Server(tmp_path / "data", *file) as server, server.connect() as connection, server.connect() as other:
        limits = connection.server_hello.limits
        assert (limits.tenant_requests_per_second, limits.tenant_running_turns) == (0, 0)
        for ephemeral in (False, True, True):
            thread, _ = connection.start_followed(ephemeral=ephemeral)
            assert connection.start_turn(thread.id, "!stall").turn
            other.follow(thread.id)
        assert connection.call("Server.Status").running_turns == 3


def frames_of(data: bytes) -> list[Frame]:
    frames = []
    while frame := Frame.decode(data):
        frames.append(frame)
        data = data[len(frame.encode()):]
    return frames


def test_times_are_those_that_are_configured(tmp_path):
    """configuration.md, `helloMilliseconds`, `pingAfterMilliseconds`, `progressMilliseconds`, `idleMilliseconds`: who
    follows a quiet thread and answers nothing is pinged, told of progress and ended, in the order of these times, and
    who said nothing all the while, not even HELLO, is still welcome. By the defaults it would be none of that."""
    file = written(tmp_path, limits={
        "helloMilliseconds": 120_000, "pingAfterMilliseconds": 500, "progressMilliseconds": 2_500,
        "idleMilliseconds": 7_000})
    with Server(tmp_path / "data", *file) as server, server.connect(hello=False) as silent, \
            server.connect() as quiet:
        stream = quiet.follow(quiet.new_thread().id).stream
        told = []
        for frame in frames_of(quiet.read_to_end()):
            if frame.kind == PING:
                told.append("ping")
            elif frame.kind == EVENT and frame.stream == stream:
                told.append(event_pb2.SubscriptionEvent.FromString(frame.body).WhichOneof("kind"))
            elif frame.kind == GOAWAY:
                told.append(frame_pb2.GoAway.FromString(frame.body).error.reason)
        first = sorted(("ping", "progress", "idle_timeout"), key=told.index)
        assert first == ["ping", "progress", "idle_timeout"], told
        # As often as each fits into the time until the end, however late that is, and not at every look at the clock.
        assert told.count("ping") <= 13 and told.count("progress") <= 2, told
        assert silent.hello().limits.idle_ms == 7_000
