"""`heddle replay` and `heddle diff`: a recording runs against a fresh server without a difference, ids mapped; a server
that behaves otherwise is found."""

import json
import pathlib
import socket
import subprocess
import time
import uuid

import pytest

from harness.connection import Connection
from harness.messages import ROOT, words
from harness.recording import TOOL, Proxy, connect, record, shown, tool
from harness.server import Server, heddle
from test_client_tools import REQUEST_USER_INPUT, asked


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The conversation, recorded as everybody would: without text."""
    folder = tmp_path_factory.mktemp("recorded")
    with Server(folder / "data") as server:
        record(server, folder / "session.pcap")
    return folder / "session.pcap"


def replay(recording, server: Server, *arguments) -> tuple[int, dict, str]:
    """Exit code, result, and what it said."""
    ended = tool("replay", recording, "--server", server.address, "--json", *arguments)
    lines = ended.stdout.splitlines()
    assert lines, ended.stderr
    return ended.returncode, json.loads(lines[0]), ended.stdout + ended.stderr


def compared(recording, server: Server, *arguments) -> tuple[int, list[dict], dict]:
    """A replay that is compared: exit code, differences, result. Statuses have no numbers, and a follower that is behind is
    told the newest only (E3), so which ones it hears is a matter of time."""
    ended = tool("replay", recording, "--server", server.address, "--json", "--diff", "--ignore", "EVENT.status.*",
                 *arguments)
    lines = ended.stdout.splitlines()
    assert len(lines) == 2, (ended.stdout, ended.stderr)
    return ended.returncode, json.loads(lines[1])["differences"], json.loads(lines[0])


@pytest.mark.parametrize("speed", ["1", "10", "max"])
def test_a_recording_replays_against_a_fresh_server_without_a_difference(recorded, fresh, tmp_path, speed):
    code, differences, result = compared(recorded, fresh, "--speed", speed, "--record", tmp_path / "live.pcap")
    assert (code, differences) == (0, []), json.dumps(differences, indent=1)
    assert result["errors"] == {"thread": 1} and result["unmet"] == 0
    before, after = shown(recorded), shown(tmp_path / "live.pcap")
    asked = [[frame["method"] for frame in frames if frame["kind"] == "REQUEST"] for frames in (before, after)]
    assert asked[0] == asked[1]
    # The ids are the server's own.
    assert threads(before).isdisjoint(threads(after)) and len(threads(before)) == len(threads(after)) == 2


def threads(frames: list[dict]) -> set[str]:
    return {frame["message"]["thread"]["id"] for frame in frames
            if frame["kind"] == "RESPONSE" and "id" in (frame["message"].get("thread") or {})}


def test_a_recording_replays_twice_against_one_server(recorded, fresh):
    """Keys are new for every copy: the second run is no retry of the first."""
    for _ in range(2):
        code, result, said = replay(recorded, fresh, "--speed", "max")
        assert code == 0 and result["errors"] == {"thread": 1}, said
    with fresh.connect() as connection:
        assert len(connection.call("Thread.List", page_size=100).threads) == 4


def test_a_planted_change_of_behaviour_is_found(recorded, tmp_path):
    """Another text is told to the model after an interruption."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"texts": {"interruption": "Your last turn ended early; nobody knows why."}}))
    with Server(tmp_path / "changed", "--config", str(config)) as server:
        code, differences, _ = compared(recorded, server, "--speed", "max")
    assert code == 1
    # The text itself, where it is told, and the tokens that the model says it is long.
    assert {d["path"] for d in differences if "usage" not in d["path"]} == {
        "EVENT.event.item_completed.item.marker.text", "ThreadService/ListItems.items.item.marker.text"}


def test_a_missing_event_is_found(recorded, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"texts": {"interruptionMarker": False}}))
    with Server(tmp_path / "changed", "--config", str(config)) as server:
        code, differences, _ = compared(recorded, server, "--speed", "max", "--patience", "2")
    assert code == 1
    assert any(d["path"] == "EVENT.item_completed" and d["after"] == "not told" for d in differences), differences


def test_a_refusal_instead_of_an_answer_is_found(recorded, tmp_path):
    """A catalog in which the default model speaks another version."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": "scripted", "provider": "scripted", "version": "V2", "is_default": True}]}))
    with Server(tmp_path / "changed", "--catalog", str(catalog)) as server:
        code, differences, _ = compared(recorded, server, "--speed", "max", "--patience", "2")
    assert code == 1
    assert any(d["path"] == "ThreadService/Read.thread.version" for d in differences), differences


def test_rules_leave_fields_out(recorded, tmp_path):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"texts": {"interruption": "Your last turn ended early; nobody knows why."}}))
    with Server(tmp_path / "changed", "--config", str(config)) as server:
        live = tmp_path / "live.pcap"
        replay(recorded, server, "--speed", "max", "--record", live)
    assert tool("diff", recorded, live).returncode == 1
    assert tool("diff", recorded, live, "--ignore", "*.marker.text", "--ignore", "*usage.*").returncode == 0
    assert tool("diff", recorded, live, "--ignore", "*.marker.other", "--ignore", "*usage.*").returncode == 1
    learned = tmp_path / "noise.json"
    assert tool("diff", recorded, live, "--learn", learned).returncode == 0
    assert "ThreadService/ListItems.items.item.marker.text" in json.loads(learned.read_text())
    assert tool("diff", recorded, live, "--noise", learned).returncode == 0


def racing(address: str, token: str = ""):
    """A name is changed while another connection's turn streams: which comes first is left to time."""
    with connect(address) as first, connect(address) as second:
        thread = first.call("Thread.Start", subscribe=False).thread.id
        follower = first.follow(thread, after=0)
        turn = first.start_turn(thread, "!chunks 20\n!delay 3\nOne two three four five six seven eight").turn
        follower.until_text()
        for number in range(30):
            second.call("Thread.SetName", thread=thread, name=f"a name, number {number}")
        follower.until_ended(turn)
        first.call("Server.Status")


def test_noise_is_what_differs_between_equal_runs(tmp_path):
    """Two runs at one server are equal but for time; what differs between them is no change of behaviour."""
    with Server(tmp_path / "data") as server:
        record(server, tmp_path / "session.pcap", story=racing)
        runs = [tmp_path / f"run{number}.pcap" for number in range(2)]
        for run in runs:
            _, result, _ = replay(tmp_path / "session.pcap", server, "--speed", "max", "--record", run)
            assert result["answers"] == 34 and result["errors"] == {}, result
    plain = json.loads(tool("diff", runs[0], runs[1], "--json").stdout)
    quiet = tool("diff", runs[0], runs[1], "--equal", tmp_path / "session.pcap", "--json")
    found = json.loads(quiet.stdout)
    assert len(found["differences"]) <= len(plain["differences"])
    assert found["answers"] == 34 and found["events"] > 30


def test_agents_are_followed_by_ids_that_the_server_makes(tmp_path):
    """An agent's thread is known from what the server tells only, and is called by its id from another connection."""
    script = (r'!tool spawn_agent {"task_name": "left", "message": "!delay 4000\n!say Done."}'
              "\n!then\n!say Off it goes.")

    def story(address: str, token: str = ""):
        with connect(address) as first:
            thread = first.call("Thread.Start", subscribe=False, settings={"model": "scripted-v2"}).thread.id
            follower = first.follow(thread, after=0)
            turn = first.start_turn(thread, script).turn
            follower.until_ended(turn)
            tree = first.call("Agent.ListTree", thread=thread)
            agent = next(agent.thread for agent in tree.agents if agent.depth == 1)
            with connect(address) as second:
                events = second.follow(agent, after=0)
                events.until_event("turn_ended")
                second.call("Thread.Read", thread=agent)

    # The script of the agent is text, so it has to stay.
    with Server(tmp_path / "data") as server:
        record(server, tmp_path / "session.pcap", "--keep-text", story=story)
    with Server(tmp_path / "other") as server:
        code, differences, result = compared(tmp_path / "session.pcap", server, "--speed", "max")
    assert (code, differences) == (0, []), json.dumps(differences, indent=1)


def test_an_imported_thread_is_the_same_one_on_both_servers(rollouts, tmp_path):
    """Ids that the client knew before the recording stay as they are: `make demo`'s second step."""
    source = rollouts["legacy-0.133.0"]
    identity = uuid.UUID(json.loads(source.read_text().splitlines()[0])["payload"]["id"]).bytes

    def story(address: str, token: str = ""):
        with connect(address) as connection:
            connection.call("Thread.Resume", thread=identity, subscribe=False)
            follower = connection.follow(identity, after=0)
            scripted = {"model": "scripted", "model_provider": "scripted"}
            connection.call("Settings.Update", thread=identity, change=scripted)
            turn = connection.call("Turn.Start", thread=identity, input=words("Shall we go on?")).turn
            follower.until_ended(turn)
            connection.call("Thread.ListTurns", thread=identity)

    for name in ("first", "second"):
        assert heddle("import", source, "--data", tmp_path / name).returncode == 0
    with Server(tmp_path / "first") as server:
        record(server, tmp_path / "session.pcap", story=story)
    with Server(tmp_path / "second") as server:
        code, differences, _ = compared(tmp_path / "session.pcap", server, "--speed", "max")
    assert (code, differences) == (0, []), json.dumps(differences, indent=1)


def test_the_demonstration_replays_without_a_difference(rollouts, tmp_path, monkeypatch, capsys):
    """`make demo` whole, its kill -9 included: where the recorded server was lost, this one is killed and started too.

    How much of the text that is being streamed has been saved when the kill comes depends on a clock of 250 ms (D3), so
    both servers save by bytes only.
    """
    monkeypatch.syspath_prepend(str(ROOT / "clients" / "python"))
    import demo
    recording, port, config = tmp_path / "demo.pcap", free_port(), tmp_path / "config.json"
    config.write_text(json.dumps({"limits": {"checkpointMilliseconds": 600_000}}))
    samples = next(iter(rollouts.values())).parent
    ledgers = []

    class Kept(demo.Ledger):
        def __init__(self):
            super().__init__()
            ledgers.append(self)

    monkeypatch.setattr(demo, "Ledger", Kept)

    def record(folder: pathlib.Path):
        with Proxy(f"127.0.0.1:{port}", recording) as proxy:
            class Recorded(Server):
                def __init__(self, data):
                    super().__init__(data, "--config", str(config), listen=f"127.0.0.1:{port}")

                def connect(self, token="", hello=True, timeout=60, **fields):
                    connection = Connection(proxy.address, timeout)
                    connection.hello(token, **fields)
                    return connection

            monkeypatch.setattr(demo.program, "Server", Recorded)
            assert demo.run(folder, samples) == 0
            proxy.stop()

    for number in range(10):
        recording.unlink(missing_ok=True)
        ledgers.clear()
        record(tmp_path / f"demo-{number}")
        # Rarely the kill comes between the last change and its answer, or between that answer and its event, which goes by
        # another connection. The recording lacks then what a server that is killed a moment later says.
        if "it had not happened" in capsys.readouterr().out and events_are_whole(*ledgers):
            break
    else:
        pytest.fail("each of ten kills came between a change, its answer and its event")
    assert heddle("import", *sorted(samples.glob("*.jsonl")), "--data", tmp_path / "fresh").returncode == 0
    with Server(tmp_path / "fresh", "--config", str(config), listen=f"127.0.0.1:{port}") as server:
        lost, back = tmp_path / "lost", tmp_path / "back"
        command = [TOOL, "replay", recording, "--server", server.address, "--speed", "max", "--diff", "--at-loss",
                   f"touch {lost}; until test -e {back}; do sleep 0.02; done"]
        replaying = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     text=True)
        deadline = time.monotonic() + 60
        while not lost.exists():
            assert time.monotonic() < deadline and replaying.poll() is None, "the loss was not replayed"
            time.sleep(0.01)
        server.restart()
        back.touch()
        said = replaying.communicate(timeout=60)[0]
    assert replaying.returncode == 0, said
    assert "0 differences in" in said


def events_are_whole(ledger) -> bool:
    """Whether the subscription had brought the event of the last acknowledged change, and none of a later one."""
    last = ledger.changes[-1]
    return max(sequence for thread, sequence in ledger.seen if thread == last.thread) == last.answer.sequence


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_copies_have_ids_of_their_own(recorded, fresh):
    code, result, said = replay(recorded, fresh, "--speed", "max", "--copies", "20", "--loop", "2")
    assert code == 0, said
    requests = sum(frame["kind"] == "REQUEST" for frame in shown(recorded))
    assert result["requests"] == result["answers"] == requests * 40
    assert result["errors"] == {"thread": 40} and result["unmet"] == 0
    assert result["streams"]["left_out"] == result["streams"]["came_again"] == 0
    with fresh.connect() as connection:
        found, cursor = 0, ""
        while True:
            page = connection.call("Thread.List", page_size=200, cursor=cursor)
            found, cursor = found + len(page.threads), page.next_cursor
            if not cursor:
                break
    assert found == 80


def test_an_open_loop_counts_from_the_intended_time_and_shows_what_is_late(recorded, fresh):
    code, result, said = replay(recorded, fresh, "--rate", "2000/s", "--ramp", "0.2", "--copies", "4",
                                "--order", "recorded")
    assert code == 0, said
    # Turns take longer than the schedule allows for: requests that wait for them leave late, and it is said.
    assert result["late"] > 0 and result["behind_ms"] > 1
    assert result["latency"]["max"] >= result["behind_ms"] * 0.9


def test_idle_time_is_skipped(tmp_path):
    def story(address: str, token: str = ""):
        with connect(address) as connection:
            thread = connection.new_thread().id
            follower = connection.follow(thread)
            turn = connection.start_turn(thread, "!chunks 2\n!delay 1500\nso slow").turn
            follower.until_ended(turn)
            connection.call("Thread.Read", thread=thread)

    with Server(tmp_path / "data") as server:
        record(server, tmp_path / "session.pcap", story=story)
        frames = shown(tmp_path / "session.pcap")
        assert frames[-1]["seconds"] > 2.5
    # A quicker server: the same story without its pauses.
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"when": " ", "then": "!say xx xxxx"}]))
    with Server(tmp_path / "quick", "--model-script", str(script)) as server:
        # The quickest of three: a machine may stand still as long as the story does, now and then.
        runs = [replay(tmp_path / "session.pcap", server, "--skip-idle")[1] for _ in range(3)]
        assert min(result["seconds"] for result in runs) < 2.5 and {result["answers"] for result in runs} == {4}
        _, result, _ = replay(tmp_path / "session.pcap", server)
        assert result["seconds"] > 2.5


def asking(address: str, token: str = ""):
    """A person is asked twice; the second time a wrong hash is sent before the right one."""
    question = '!tool request_user_input {"question": "Which one?", "choices": ["left", "right"]}'
    with connect(address, features=["request_user_input"]) as connection:
        thread, follower = connection.start_followed(asks_user=True)
        turn = connection.start_turn(thread.id, f"{question}\n!then\n{question}").turn
        first = asked(connection, REQUEST_USER_INPUT)
        first.say("right")
        second = asked(connection, REQUEST_USER_INPUT)
        second.say("right", first.message.action_hash)
        assert second.refusal().reason == "action_changed"
        second.say("left")
        follower.until_ended(turn)
        connection.call("Thread.ListItems", thread=thread.id)


def test_an_answer_is_for_the_action_that_the_server_shows_now(tmp_path):
    """The hash of an action is made of ids that are others now: the answer takes it from the question as it comes, and
    a hash that was wrong in the recording is wrong again."""
    with Server(tmp_path / "data") as server:
        record(server, tmp_path / "session.pcap", "--keep-text", story=asking)
    with Server(tmp_path / "other") as server:
        live = tmp_path / "live.pcap"
        code, differences, result = compared(tmp_path / "session.pcap", server, "--speed", "max", "--record", live)
    assert (code, differences) == (0, []), json.dumps(differences, indent=1)
    assert result["unmet"] == 0
    answers = [(frame["stream"], frame["message"]["answer"]) for frame in shown(live, "--kind", "RESPONSE")
               if frame["from"] == "client"]
    assert answers == [(2, "right"), (4, "right"), (4, "left")]
    hashes = [{f["message"]["action_hash"] for f in shown(file) if "action_hash" in (f.get("message") or {})}
              for file in (tmp_path / "session.pcap", live)]
    assert len(hashes[0]) == len(hashes[1]) == 2 and hashes[0].isdisjoint(hashes[1])
    errors = [f["message"]["reason"] for f in shown(live, "--kind", "ERROR")]
    assert errors == ["action_changed"]


def streaming(address: str, token: str = ""):
    """Turns that take their time, on threads that are followed in both ways, for some seconds."""
    with connect(address) as first, connect(address) as second:
        thread, started = first.start_followed()
        follower = second.follow(thread.id, after=0)
        for number in range(6):
            turn = first.start_turn(thread.id, f"!chunks 10\n!delay 50\nTurn number {number} of these").turn
            started.until_ended(turn)
            follower.until_ended(turn)
        first.call("Thread.ListTurns", thread=thread.id)
        second.call("Thread.Unsubscribe", thread=thread.id)


@pytest.fixture(scope="module")
def streamed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streamed")
    with Server(folder / "data") as server:
        record(server, folder / "session.pcap", story=streaming)
    return folder / "session.pcap"


def test_clients_that_are_cut_off_and_resume_see_the_same(streamed, fresh):
    """Every second all connections are cut as soon as they may be; nothing is left out, nothing comes again, and what
    the clients were told is what the recording holds."""
    code, differences, result = compared(streamed, fresh, "--drop-connections", "100", "--resume", "--patience", "5")
    assert (code, differences) == (0, []), json.dumps(differences, indent=1)
    assert result["dropped"] >= 3 and result["connections"] == 2 + result["dropped"]
    assert result["streams"]["left_out"] == result["streams"]["came_again"] == result["unmet"] == 0
    assert result["errors"] == {}


def test_clients_that_are_cut_off_and_do_not_resume_begin_anew(streamed, fresh):
    code, result, said = replay(streamed, fresh, "--drop-connections", "100", "--order", "ids", "--copies", "3")
    assert code == 0, said
    assert result["dropped"] >= 3 and result["errors"] == {}
    assert result["streams"]["came_again"] == 0
    assert result["streams"]["first_event"]["count"] > 6, "a new subscription has a first event of its own"


def test_slow_readers_get_everything_and_hold_nobody_up(streamed, fresh):
    code, result, said = replay(streamed, fresh, "--speed", "max", "--copies", "3", "--slow-reader", "1")
    assert code == 0, said
    assert result["answers"] == result["requests"] and result["errors"] == {} and result["unmet"] == 0
    assert result["streams"]["left_out"] == result["streams"]["came_again"] == 0
    requests = sum(frame["kind"] == "REQUEST" for frame in shown(streamed))
    assert result["answers"] == 3 * requests


@pytest.mark.parametrize("wrong", [["--resume"], ["--drop-connections", "101"], ["--slow-reader", "2"]])
def test_faults_that_make_no_sense_are_refused(recorded, wrong):
    assert tool("replay", recorded, "--server", "127.0.0.1:1", *wrong).returncode == 64


def test_a_server_that_is_not_there_is_told(recorded):
    ended = tool("replay", recorded, "--server", "127.0.0.1:1", "--speed", "max", "--json")
    assert json.loads(ended.stdout.splitlines()[0])["errors"]["connection_lost"] > 0
    assert ended.returncode == 1
