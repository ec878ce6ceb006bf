"""configuration.md: where a setting comes from, and that each limit does what its name says."""

import json
import os
import re
import subprocess

import pytest

from harness.messages import ROOT, event_pb2, frame_pb2
from harness.server import BINARY, Server, heddle
from harness.wire import EVENT, GOAWAY, PING, Frame

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


def refused(folder, text: str) -> list[str]:
    """The errors of a start with this configuration file, which must be refused."""
    file = folder / "config.json"
    file.write_text(text)
    # The flag wins: a setting that were passed over would let the server start.
    ended = heddle("serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--config", file)
    assert (ended.returncode, ended.stdout) == (EXIT_CONFIGURATION, ""), ended
    assert not (folder / "data").exists()
    return [line.removeprefix(f"{file}: ") for line in ended.stderr.splitlines()]


@pytest.mark.parametrize("settings,said", [
    ({"listen": 7}, "listen: a text is wanted, and a number is given"),
    ({"tokenFile": 3}, "tokenFile: a text is wanted, and a number is given"),
    ({"tokenFile": None}, "tokenFile: a text is wanted, and null is given"),
    ({"tokenFile": ["a"]}, "tokenFile: a text is wanted, and a list is given"),
    ({"data": {"folder": "x"}}, "data: a text is wanted, and an object is given"),
    ({"loops": True}, "loops: a whole number is wanted, and true is given"),
    ({"modelRecordText": 1}, "modelRecordText: true or false is wanted, and a number is given"),
    ({"features": {"multiAgentV2": "true"}}, "features.multiAgentV2: true or false is wanted, and a text is given"),
    ({"features": True}, "features: an object is wanted, and true is given"),
    ({"texts": {"rootHint": False}}, "texts.rootHint: a text is wanted, and false is given"),
    ({"capture": {"folderBytes": "1"}}, "capture.folderBytes: a whole number is wanted, and a text is given"),
    ({"limits": [7]}, "limits: an object is wanted, and a list is given"),
    ({"limits": {"queuedTurns": "4"}}, "limits.queuedTurns: a whole number is wanted, and a text is given"),
    ({"limits": {"queuedTurns": 4.5}},
     "limits.queuedTurns: a whole number is wanted, and a number that is not whole or too large is given"),
    ({"limits": {"queuedTurns": 10**30}},
     "limits.queuedTurns: a whole number is wanted, and a number that is not whole or too large is given"),
    ({"jwt": {"keys": "a"}}, "jwt.keys: a list of texts is wanted, and a text is given"),
    ({"jwt": {"keys": ["a", 7]}}, "jwt.keys[1]: a text is wanted, and a number is given"),
    ({"providers": {"names": "a"}}, "providers.names: a list of texts is wanted, and a text is given"),
    ({"providers": {"local": 7}}, "providers.local: an object is wanted, and a number is given"),
    ({"providers": {"local": {"key": 7}}}, "providers.local.key: a text is wanted, and a number is given"),
    ({"providers": {"local": {"headers": "X: 1"}}},
     "providers.local.headers: a list of texts is wanted, and a text is given"),
])
def test_a_value_of_another_json_type_stops_the_start(tmp_path, settings, said):
    """configuration.md: exit 78, and a line that names the key, what is wanted and what is given; sections too."""
    assert refused(tmp_path, json.dumps(settings)) == [said]


@pytest.mark.parametrize("settings,key,nearest", [
    ({"listn": "127.0.0.1:1"}, "listn", "listen"), ({"token_file": "x"}, "token_file", "tokenFile"),
    ({"tokenFlie": "x"}, "tokenFlie", "tokenFile"), ({"limit": {"queuedTurns": 1}}, "limit", "limits"),
    ({"limits": {"queuedTruns": 1}}, "limits.queuedTruns", "limits.queuedTurns"),
    ({"queuedTurns": 1}, "queuedTurns", "limits.queuedTurns"),
    ({"features": {"multiAgentV3": True}}, "features.multiAgentV3", "features.multiAgentV2"),
    ({"jwt": {"key": ["x"]}}, "jwt.key", "jwt.keys"),
    ({"providers": {"nmaes": ["a"]}}, "providers.nmaes", "providers.names"),
    ({"providers": {"local": {"baseUrls": "x"}}}, "providers.local.baseUrls", "providers.local.baseURL"),
])
def test_an_unknown_key_stops_the_start_and_the_nearest_one_is_named(tmp_path, settings, key, nearest):
    """configuration.md: a key that nobody reads is a setting that was not made."""
    assert refused(tmp_path, json.dumps(settings)) == [f"{key}: there is no such key; the nearest one is {nearest}"]


def test_all_that_is_wrong_in_a_file_is_said_at_once(tmp_path):
    """A line for each, and no value, which may be a secret."""
    said = refused(tmp_path, json.dumps({"listen": 7, "tokenfiles": "secret", "limits": {"glitches": "secret"},
                                         "limits.queuedTurns": 3}))
    assert [line.split(":")[0] for line in said] == ["listen", "tokenfiles", "limits.glitches", "limits.queuedTurns"]
    assert "written as an object" in said[3] and "secret" not in "".join(said)


@pytest.mark.parametrize("text,word", [("[]", "a list"), ("7", "a number"), ("{", "at byte 1"),
                                       ('{"listen": "a", "listen": "b"}', '"listen" stands twice')])
def test_a_file_that_is_no_object_stops_the_start(tmp_path, text, word):
    """configuration.md: the file is one JSON object."""
    (said,) = refused(tmp_path, text)
    assert word in said


def documented() -> dict[str, set[str]]:
    """The keys that the tables of the documents name: first cells that are code, or the third ones of settings."""
    def rows(file: str, heading: str) -> list[list[str]]:
        text = (ROOT / "docs" / file).read_text().split(heading, 1)[1]
        table = re.search(r"(?:^\|.*\n)+", text, re.M).group()
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]

    def codes(cell: str) -> list[str]:
        return re.findall(r"`([^`]+)`", cell)

    settings = {key for row in rows("configuration.md", "\n## Settings\n") for key in codes(row[2])
                if not key.endswith("…")}
    return {
        "settings": settings,
        "doors": {f"{door}.{key}" for door in ("grpc", "http") for key in settings if key.startswith("tls.")},
        "limits": {f"limits.{key}" for row in rows("configuration.md", "\nThese limits can be configured:\n")
                   for key in codes(row[0])},
        "providers": {f"providers.NAME.{key}" for row in rows("providers.md", "\n## Settings\n")
                      for key in codes(row[0])} | {"providers.names"}}


def test_the_documents_name_every_key_that_there_is_and_no_other():
    """configuration.md, providers.md: their tables are the table from which the check works."""
    listed = heddle("serve", "--list-settings")
    assert listed.returncode == 0, listed.stderr
    keys = {entry["key"]: entry["type"] for entry in map(json.loads, listed.stdout.splitlines())}
    assert set(keys) == set().union(*documented().values())
    assert set(keys.values()) == {"a text", "a whole number", "true or false", "a number", "a list of texts"}
    assert (keys["tokenFile"], keys["limits.queuedTurns"]) == ("a text", "a whole number")


def test_every_key_may_stand_in_the_file(tmp_path):
    """configuration.md: each key is known at its place in the file, and an object in the place of its value is refused
    with the type that is listed."""
    listed = [json.loads(line) for line in heddle("serve", "--list-settings").stdout.splitlines()]
    wrong = {}
    for entry in listed:
        section = wrong
        *parents, name = entry["key"].split(".")
        for parent in parents:
            section = section.setdefault(parent, {})
        section[name] = {}
    said = refused(tmp_path, json.dumps(wrong))
    assert sorted(said) == sorted(f"{entry['key']}: {entry['type']} is wanted, and an object is given"
                                  for entry in listed)


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
