"""The tap: a server records itself, for operators, into its own folder (docs/replay.md). What it sees is what a proxy
sees; text and tokens are not in the file; whatever becomes of the recording, the traffic does not notice."""

import json
import shutil
import subprocess
import time

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.recording import SECRET, TOKEN, Proxy, connect, conversation, lists, shown, tool
from harness.server import BINARY, Server
from test_capture import needs_tshark, streams, tshark

ALICE, BOB = "alice-" + "a" * 32, "bob-" + "b" * 32
WHOLE = {"share": 1000}


def configured(folder, **capture) -> list[str]:
    """Arguments of a server that may record into `folder`/captures."""
    captures = folder / "captures"
    captures.mkdir(mode=0o700)
    file = folder / "config.json"
    file.write_text(json.dumps({"capture": {"folder": str(captures), **capture}}))
    return ["--config", str(file)]


def tokens(folder) -> list[str]:
    file = folder / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"{TOKEN} operators admin\n{ALICE} alice\n{BOB} bob\n")
    return ["--token-file", str(file)]


@pytest.fixture
def tapped(tmp_path):
    """A server without tokens that may record."""
    with Server(tmp_path / "data", *configured(tmp_path)) as running:
        yield running
        assert running.alive, running.log_text()[-2000:]


@pytest.fixture
def operator(tapped):
    with tapped.connect() as connection:
        yield connection


def start(operator, **conditions):
    return operator.call("Server.StartCapture", **conditions).capture


def stop(operator):
    return operator.call("Server.StopCapture").capture


def until_ended(connection):
    """How a recording stands that ends by itself."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (state := connection.call("Server.ReadCapture").capture).running:
        assert time.monotonic() < deadline, f"it goes on: {state}"
    return state


def recorded(server: Server, state):
    """The file of a recording that has ended."""
    assert not state.running and "/" not in state.file
    file = server.data.parent / "captures" / state.file
    assert file.stat().st_mode & 0o777 == 0o600 and file.stat().st_size == state.bytes
    return file


def end_of(state) -> str:
    return type(state).DESCRIPTOR.fields_by_name["end"].enum_type.values_by_number[state.end].name.removeprefix(
        "CAPTURE_END_")


def test_it_sees_what_a_proxy_sees(tapped, operator, tmp_path):
    """Frame by frame, on both sides of every connection; the operator's own connection is there too."""
    with Proxy(tapped.address, tmp_path / "proxy.pcap") as proxy:
        begun = start(operator, **WHOLE)
        assert begun.running and begun.file.endswith(".pcap") and end_of(begun) == "UNSPECIFIED"
        conversation(proxy.address)
        proxy.stop()
    state = stop(operator)
    assert (end_of(state), state.dropped_frames) == ("STOPPED", 0)
    file = recorded(tapped, state)
    seen = [stream for stream in streams(file) if stream]
    for stream in streams(tmp_path / "proxy.pcap"):
        # Which side's end is told differs: the server sees the one of the client.
        stream = [frame for frame in stream if frame[0] != "CLOSE"]
        assert stream in [[frame for frame in other if frame[0] != "CLOSE"] for other in seen]
    frames = shown(file)
    assert state.frames == sum(frame["kind"] != "CLOSE" for frame in frames)
    assert [frame["seconds"] for frame in frames] == sorted(frame["seconds"] for frame in frames)
    # Operators are recorded as everybody is; this one greeted before the recording began.
    assert [f["method"] for f in frames if f.get("method", "").startswith("Server")] == [
        "ServerService/StartCapture", "ServerService/StopCapture"]


def test_a_recording_of_one_tenant_holds_nobody_else_and_replays_without_a_difference(tmp_path):
    with Server(tmp_path / "data", *configured(tmp_path), *tokens(tmp_path)) as server:
        with connect(server.address, TOKEN) as operator, connect(server.address, BOB) as bob:
            start(operator, tenant="alice")
            conversation(server.address, ALICE)
            bob.call("Thread.Start", name="of bob")
            state = stop(operator)
        file = recorded(server, state)
        data = file.read_bytes()
    for secret in (ALICE, BOB, TOKEN, SECRET, "of bob", "recorded", "named by another"):
        assert secret.encode() not in data, f"{secret!r} was written"
    frames = shown(file)
    assert {frame["connection"] for frame in frames} == {1, 2}
    assert [frame["kind"] for frame in frames if frame["connection"] == 1][:2] == ["HELLO", "HELLO"]
    with Server(tmp_path / "other", *tokens(tmp_path)) as fresh:
        ended = tool("replay", file, "--server", fresh.address, "--speed", "max", "--diff", "--json", "--token", ALICE)
        assert ended.returncode == 0, ended.stdout
    assert json.loads(ended.stdout.splitlines()[1])["differences"] == []


def test_of_several_conditions_all_must_hold(tmp_path):
    """server.proto, StartCapture: a share of the connections, or a thread, of one tenant holds nothing of another."""
    with Server(tmp_path / "data", *configured(tmp_path), *tokens(tmp_path)) as server, \
            connect(server.address, TOKEN) as operator, connect(server.address, ALICE) as alice, \
            connect(server.address, BOB) as bob:
        start(operator, tenant="alice", **WHOLE)
        hers, his = alice.new_thread().id, bob.new_thread().id
        file = recorded(server, stop(operator))
        assert [frame["method"] for frame in shown(file, "--kind", "REQUEST")] == ["ThreadService/Start"]
        assert hers in file.read_bytes() and his not in file.read_bytes()
        start(operator, tenant="alice", thread=his)
        for connection in (alice, bob):
            connection.call("Thread.List")
        bob.call("Thread.SetName", thread=his, name="of bob")
        assert stop(operator).frames == 0


def test_a_recording_of_one_thread_holds_what_concerns_it(tapped, operator):
    """Requests that name it from whatever connection, their answers, events of a subscription from before."""
    with tapped.connect() as first, tapped.connect() as second:
        wanted, other = first.new_thread().id, first.new_thread().id
        followers = [first.follow(wanted), first.follow(other)]
        start(operator, thread=wanted)
        turns = [first.start_turn(thread, "One two three").turn for thread in (wanted, other)]
        for follower, turn in zip(followers, turns):
            follower.until_ended(turn)
        second.call("Thread.SetName", thread=other, name="not this")
        last = second.call("Thread.SetName", thread=wanted, name="but this").sequence
        second.call("Server.Status")
        first.call("Thread.Read", thread=other)
        followers[0].until(lambda message: message.event.sequence == last)
        stream = followers[0].stream
        state = stop(operator)
    frames = [frame for frame in shown(recorded(tapped, state)) if frame["kind"] != "CLOSE"]
    asked = [frame["method"] for frame in frames if frame["kind"] == "REQUEST"]
    assert asked == ["TurnService/Start", "ThreadService/SetName"]
    assert [f["method"] for f in frames if f["kind"] == "RESPONSE"] == asked
    events = [f["message"]["event"] for f in frames if f["kind"] == "EVENT" and "event" in f["message"]]
    numbers = [int(event["sequence"]) for event in events]
    assert numbers == list(range(numbers[0], last + 1)) and len(numbers) > 5
    assert {frame["kind"] for frame in frames} == {"REQUEST", "RESPONSE", "EVENT"}
    assert {(f["connection"], f["stream"]) for f in frames if f["kind"] == "EVENT"} == {(1, stream)}


def test_a_share_of_the_connections(tapped, operator):
    """Of 60 connections some, and each of those whole."""
    start(operator, share=500)
    for _ in range(60):
        with tapped.connect() as connection:
            connection.call("Server.Status")
    # The server sees the end of the last one when it comes to it.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while operator.call("Server.Status").connections > 1:
        assert time.monotonic() < deadline, "closed connections are still counted"
        time.sleep(0.01)
    frames = shown(recorded(tapped, stop(operator)))
    kinds = {}
    for frame in frames:
        kinds.setdefault(frame["connection"], []).append((frame["kind"], frame["from"]))
    kinds = [seen for seen in kinds.values() if seen[0][0] == "HELLO"]
    # 60 draws of one half: fewer than 5 or more than 55 come once in 10 ** 11 runs.
    assert 5 <= len(kinds) <= 55
    whole = [("HELLO", "client"), ("HELLO", "server"), ("REQUEST", "client"), ("RESPONSE", "server"),
             ("CLOSE", "client")]
    assert all(seen == whole for seen in kinds), kinds


def test_it_ends_at_its_bytes_and_the_traffic_goes_on(tapped, operator):
    start(operator, max_bytes=20_000, **WHOLE)
    with tapped.connect() as connection:
        thread, follower = connection.start_followed()
        for _ in range(40):
            turn = connection.start_turn(thread.id, "Some words that have to go over the wire, again and again").turn
            follower.until_ended(turn)
        state = until_ended(connection)
        assert end_of(state) == "BYTES"
        assert 15_000 < state.bytes <= 20_000
        connection.call("Thread.Read", thread=thread.id)
    assert stop(operator) == state, "what has ended by itself stays as it is"
    assert shown(recorded(tapped, state))
    # Another one may begin.
    assert start(operator, **WHOLE).file != state.file
    assert end_of(stop(operator)) == "STOPPED"


def test_it_ends_at_its_time(tapped, operator):
    for milliseconds in (50, 500, 5_000):
        start(operator, max_ms=milliseconds, **WHOLE)
        state = until_ended(operator)
        assert end_of(state) == "TIME" and state.elapsed_ms >= milliseconds
        frames = shown(recorded(tapped, state))
        if any(frame.get("method") == "ServerService/ReadCapture" for frame in frames):
            return
        # The machine stood still for as long: nobody asked anything meanwhile.
    raise AssertionError("nothing is recorded until the time is over")


def test_what_comes_too_fast_is_left_out_counted_and_told(tmp_path):
    """A buffer of 4 KiB under a flood of 3 MB: the client gets all of it, the file says what it lacks."""
    with Server(tmp_path / "data", *configured(tmp_path, bufferBytes=4096)) as server, server.connect() as operator:
        with server.connect() as connection:
            start(operator, **WHOLE)
            thread, follower = connection.start_followed()
            turn = connection.start_turn(thread.id, "!flood 3000000").turn
            follower.until_ended(turn, 60)
            item = follower.of_kind("item_completed")[-1].item_completed.item
            assert len(item.message.content[0].text) == 3_000_000
        state = stop(operator)
        file = recorded(server, state)
    assert state.dropped_frames > 0 and state.dropped_bytes > 2_000_000
    ended = tool("show", file, "--json")
    assert ended.returncode == 1 and "are missing" in ended.stderr
    frames = [json.loads(line) for line in ended.stdout.splitlines()]
    lost = [frame["message"] for frame in frames if frame["kind"] == "LOST"]
    assert sum(message["frames"] for message in lost) == state.dropped_frames
    assert sum(message["bytes"] for message in lost) == state.dropped_bytes
    assert state.frames == sum(frame["kind"] not in ("CLOSE", "LOST") for frame in frames)
    if shutil.which("tshark"):
        rows = tshark(file, "-Y", "heddle.kind == 240", "-e", "heddle.lost_frames", "-e", "heddle.lost_bytes")
        assert rows == [[message["frames"], message["bytes"]] for message in
                        ({name: str(value) for name, value in message.items()} for message in lost)]


def test_a_recording_that_begins_in_the_middle_is_greeted_anew_when_replayed(tapped, operator, tmp_path):
    with tapped.connect() as connection:
        before, follower = connection.start_followed()
        start(operator, **WHOLE)
        turn = connection.start_turn(before.id, "!say Said.").turn
        follower.until_ended(turn)
        thread = connection.call("Thread.Start", subscribe=False).thread.id
        connection.call("Thread.SetName", thread=thread, name="anew")
        lists(connection)
        state = stop(operator)
    file = recorded(tapped, state)
    with Server(tmp_path / "other", *configured_again(tmp_path)) as fresh:
        with fresh.connect() as connection:
            connection.new_thread()
        ended = tool("replay", file, "--server", fresh.address, "--speed", "max", "--json", "--patience", "5")
        result = json.loads(ended.stdout.splitlines()[0])
    # The thread that was there before is not there now, and there is no recording to end, which nobody waits to hear:
    # the recording does not hold that answer. All else is as it was.
    result["errors"].pop("no_capture", None)
    assert result["errors"] == {"thread": 1} and result["unmet"] == 0, result
    assert result["requests"] == 6


def configured_again(folder) -> list[str]:
    return ["--config", str(folder / "config.json")]


def test_only_operators_record(tmp_path):
    with Server(tmp_path / "data", *configured(tmp_path), *tokens(tmp_path)) as server:
        with connect(server.address, ALICE) as alice:
            for method in ("Server.StartCapture", "Server.StopCapture", "Server.ReadCapture"):
                assert alice.refusal(method).reason == "permission_denied"
        assert list((tmp_path / "captures").iterdir()) == []


def refused(connection, **conditions) -> tuple[str, str]:
    error = connection.refusal("Server.StartCapture", **conditions)
    return error.reason, error.details.get("field", "")


def test_what_cannot_be_recorded_is_refused(tapped, operator, server):
    with server.connect() as elsewhere:
        assert refused(elsewhere, **WHOLE)[0] == "capture_off"
    assert operator.refusal("Server.StopCapture").reason == "no_capture"
    assert not operator.call("Server.ReadCapture").HasField("capture")
    assert refused(operator) == ("missing_field", "thread, tenant or share")
    assert refused(operator, share=0) == refused(operator, share=1001) == ("out_of_range", "share")
    assert refused(operator, max_bytes=4095, **WHOLE) == ("out_of_range", "max_bytes")
    assert refused(operator, max_ms=0, **WHOLE) == ("out_of_range", "max_ms")
    assert refused(operator, max_ms=24 * 3600 * 1000 + 1, **WHOLE) == ("out_of_range", "max_ms")
    start(operator, **WHOLE)
    assert refused(operator, **WHOLE)[0] == "capture_running"
    stop(operator)


def test_the_folder_has_a_bound(tmp_path):
    with Server(tmp_path / "data", *configured(tmp_path, folderBytes=100_000)) as server, server.connect() as operator:
        (tmp_path / "captures" / "kept.pcap").write_bytes(bytes(90_000))
        (tmp_path / "captures" / "notes.txt").write_bytes(bytes(90_000))
        start(operator, **WHOLE)
        for _ in range(400):
            operator.call("Server.Status")
        state = stop(operator)
        assert end_of(state) == "BYTES" and state.bytes <= 10_000
        assert refused(operator, **WHOLE)[0] == "capture_space"
        (tmp_path / "captures" / "kept.pcap").unlink()
        start(operator, **WHOLE)


def test_a_server_that_ends_closes_the_file(tapped, operator):
    state = start(operator, **WHOLE)
    operator.call("Server.Status")
    tapped.terminate()
    assert tapped.wait() == 0
    file = tapped.data.parent / "captures" / state.file
    assert [f["method"] for f in shown(file, "--method", "ServerService/Status")] == ["ServerService/Status"] * 2
    tapped.start()


@pytest.mark.parametrize("mode, word", [
    (None, "make it first"), (0o770, "others may write"), (0o707, "others may write")])
def test_a_folder_that_is_not_the_operators_own_stops_the_start(tmp_path, mode, word):
    folder = tmp_path / "captures"
    if mode is not None:
        folder.mkdir()
        folder.chmod(mode)
    ended = subprocess.run([BINARY, "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0"], timeout=30,
                           env={"HEDDLE_CAPTURE_FOLDER": str(folder)}, capture_output=True, text=True)
    assert ended.returncode == 78 and word in ended.stderr


def test_at_the_prompt(tapped):
    def tap(action, *arguments):
        ended = tool("capture", "--tap", action, "--server", tapped.address, *arguments)
        return ended.returncode, json.loads(ended.stdout or ended.stderr)

    assert tap("stop")[1]["reason"] == "no_capture"
    code, begun = tap("start", "--share", "1000", "--seconds", "60", "--bytes", "1000000")
    assert code == 0 and begun["capture"]["running"] is True
    with tapped.connect() as connection:
        connection.call("Thread.List")
    code, status = tap("status")
    assert code == 0 and status["capture"]["file"] == begun["capture"]["file"]
    code, ended = tap("stop")
    assert code == 0 and ended["capture"]["end"] == "STOPPED" and int(ended["capture"]["frames"]) >= 4
    for wrong in (["--tap", "start"], ["--tap", "start", "--share", "5", "--output", "x"],
                  ["--tap", "start", "--thread", "x"], ["--tap", "stop", "--share", "5"],
                  ["--share", "5", "--upstream", "127.0.0.1:1", "-o", "x"]):
        assert tool("capture", *wrong).returncode == 64, wrong


@needs_tshark
def test_wireshark_reads_it(tapped, operator):
    start(operator, **WHOLE)
    conversation(tapped.address)
    file = recorded(tapped, stop(operator))
    assert tshark(file, "-Y", "heddle.malformed", "-e", "frame.number") == []
    rows = tshark(file, "-Y", "heddle.kind == 1", "-e", "heddle.method")
    assert [row[0] for row in rows if row[0]] == [f["method"] for f in shown(file, "--kind", "REQUEST")]
    detail = subprocess.run(["tshark", "-V", "-r", file, "-c", "1"], capture_output=True, text=True, timeout=60)
    assert "P2P" in detail.stdout or "irection" in detail.stdout, detail.stdout[:3000]
