"""rules.md I, V2, V4, V8, M8, A7: real Codex histories are imported, then listed, read, resumed, forked and continued."""

import datetime
import json
import os
import shutil
import subprocess
import uuid

import pytest

from harness.messages import item_text, mode_name, source_name, turn_status, version_name
from harness.server import BINARY, Server, heddle
from recorded import recorded

SCRIPTED = {"model": "scripted", "model_provider": "scripted"}
MODES = {"explicitRequestOnly": "EXPLICIT_REQUEST_ONLY", "proactive": "PROACTIVE"}
USER, ASSISTANT = 1, 4
TORN_LINE = 42  # of killed-mid-turn: another process wrote behind a line that a kill had cut


def records(file) -> list[dict]:
    """The lines that are JSON."""
    found = []
    for line in file.read_text(errors="replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def meta(file) -> dict:
    """The first line: identity and lineage."""
    return records(file)[0]["payload"]


def identity(file) -> bytes:
    return uuid.UUID(meta(file)["id"]).bytes


def payloads(file, kind: str, inner: str | None = None) -> list[dict]:
    return [record["payload"] for record in records(file)
            if record["type"] == kind and inner in (None, record["payload"].get("type"))]


@pytest.fixture(scope="module")
def imported(rollouts, tmp_path_factory):
    """A folder with all histories in it, and what the import said."""
    data = tmp_path_factory.mktemp("import") / "data"
    ended = heddle("import", *rollouts.values(), "--data", data)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return data, ended.stdout + ended.stderr


@pytest.fixture(scope="module")
def server(imported):
    with Server(imported[0]) as running:
        yield running
        assert running.alive, running.log_text()[-2000:]


@pytest.fixture
def copy(imported, tmp_path):
    """The imported folder as it was, for a test that must see it first."""
    shutil.copytree(imported[0], tmp_path / "data", ignore=lambda *_: ["LOCK"])
    return tmp_path / "data"


def all_items(connection, thread: bytes, **fields) -> list:
    """The items of all pages."""
    items, cursor = [], None
    while cursor != "":
        page = connection.call("Thread.ListItems", thread=thread, page_size=200, cursor=cursor or "", **fields)
        items, cursor = items + [row.item for row in page.items], page.next_cursor
    return items


def read(connection, thread: bytes):
    return connection.call("Thread.Read", thread=thread).thread


def said(connection, thread: bytes, role: int) -> list[str]:
    listed = connection.call("Thread.ListItems", thread=thread, page_size=200).items
    return [item_text(row.item) for row in listed if row.item.message.role == role]


def turn_of(text: str) -> list[tuple]:
    """Kinds and payloads of a turn in which the user said this and nobody answered."""
    turn = str(uuid.uuid4())
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    return [("event_msg", {"type": "task_started", "turn_id": turn}), ("response_item", said),
            ("event_msg", {"type": "task_complete", "turn_id": turn})]


def written(folder, *lines: tuple) -> bytes:
    """A history of these lines is written down and imported; its thread."""
    thread, at = uuid.uuid4(), "2026-11-21T22:44:06.000Z"
    lines = [("session_meta", {"id": str(thread), "timestamp": at}), *lines]
    file = folder / "written.jsonl"
    file.write_text("".join(json.dumps({"timestamp": at, "type": kind, "payload": payload}) + "\n"
                            for kind, payload in lines))
    ended = heddle("import", file, "--data", folder / "data")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return thread.bytes


def test_i1_every_history_is_listed_with_its_own_id(rollouts, connection):
    """I1 keeps ids, timestamps, lineage."""
    listed = {row.id: row for row in connection.call("Thread.List", page_size=200).threads}
    assert set(listed) == {identity(file) for file in rollouts.values()}
    for file in rollouts.values():
        born = datetime.datetime.fromisoformat(meta(file)["timestamp"])
        thread = listed[identity(file)]
        assert thread.created_at == int(born.timestamp() * 1000), file.name
        assert thread.settings.working_folder == "/home/user/project" and thread.status.state == 1


def test_i1_turns_keep_their_ids_and_how_they_ended(rollouts, connection):
    """I1 keeps turns: ids, order, ends."""
    for name in ("legacy-0.133.0", "mode-changes-0.144.4", "interrupt-0.144.4", "v1-parent-0.144.4"):
        file = rollouts[name]
        started = [uuid.UUID(payload["turn_id"]).bytes for payload in payloads(file, "event_msg", "task_started")]
        aborted = {uuid.UUID(payload["turn_id"]).bytes for payload in payloads(file, "event_msg", "turn_aborted")}
        turns = connection.call("Thread.ListTurns", thread=identity(file), page_size=200, order=2).turns
        assert [turn.id for turn in turns] == started, name
        assert [turn_status(turn.status) for turn in turns] == [
            "INTERRUPTED" if turn in aborted else "COMPLETED" for turn in started], name


def test_i1_items_keep_their_text_and_order(rollouts, connection):
    """I1 keeps items: what was said, byte for byte."""
    for name, file in rollouts.items():
        if name.startswith(("fork", "v1-child", "v2-child")):
            continue
        messages = payloads(file, "response_item", "message")
        for role, number in (("user", USER), ("assistant", ASSISTANT)):
            texts = ["".join(part.get("text", "") for part in message["content"])
                     for message in messages if message["role"] == role]
            assert said(connection, identity(file), number) == texts, (name, role)


def test_i1_tool_calls_and_their_outputs_are_linked(rollouts, connection):
    """I1 keeps tool calls and what they answered."""
    file = rollouts["v1-parent-0.144.4"]
    items = all_items(connection, identity(file))
    calls = [item.tool_call for item in items if item.HasField("tool_call")]
    wanted = payloads(file, "response_item", "function_call")
    assert [(call.call_id, call.name, call.arguments) for call in calls] == [
        (payload["call_id"], payload["name"], payload["arguments"]) for payload in wanted]
    outputs = [item.tool_output.call_id for item in items if item.HasField("tool_output")]
    assert outputs == [payload["call_id"] for payload in payloads(file, "response_item", "function_call_output")]


def test_i1_lineage_of_forks_and_agents(rollouts, connection):
    """I1 keeps lineage: a fork's source; an agent's parent, root, path, nickname and depth."""
    fork = read(connection, identity(rollouts["fork-0.144.4"])).lineage
    assert fork.forked_from == identity(rollouts["fork-source-0.144.4"])
    for name, parent in (("v1-child-0.144.4", "v1-parent-0.144.4"), ("v2-child-0.144.4", "v2-parent-0.144.4")):
        lineage, first = read(connection, identity(rollouts[name])).lineage, meta(rollouts[name])
        assert lineage.parent == lineage.root == identity(rollouts[parent]) and lineage.depth == 1
        assert lineage.agent_nickname == first["agent_nickname"]
        assert lineage.agent_path == first.get("agent_path", "")


@pytest.mark.parametrize("name,version,source", [
    ("legacy-0.133.0", "V1", "LEGACY"), ("pinning-0.137.0a4", "V1", "STORED"), ("mode-changes-0.144.4", "V2", "STORED"),
    ("mode-changes-0.163.0", "V2", "STORED"), ("v1-parent-0.144.4", "V1", "STORED"), ("v2-child-0.144.4", "V2", "STORED")])
def test_v2_v4_the_version_of_a_history(rollouts, copy, name, version, source):
    """V2 the newest stored version, in the metadata or in a turn context; V4 nobody ever stored one: V1, legacy.
    Whatever the flags say, and after the resume that pins it (V8) as after the next kill -9."""
    thread = identity(rollouts[name])
    with Server(copy) as server:
        for _ in range(2):
            with server.connect() as connection:
                connection.call("Catalog.SetFeature", name="multi_agent_v2", enabled=True)
                resumed = connection.call("Thread.Resume", thread=thread, subscribe=False).thread
                assert (version_name(resumed.version), source_name(resumed.version_source)) == (version, source)
                fork = connection.call("Thread.Fork", thread=thread, subscribe=False).thread
                assert version_name(fork.version) == version
            server.restart()


def test_v8_pinning_a_legacy_thread_moves_no_time(rollouts, copy):
    """V8 a legacy thread is pinned on its first resume by appending the pin, once; `updated_at` stays as it was."""
    thread = identity(rollouts["legacy-0.133.0"])
    with Server(copy) as server, server.connect() as connection:
        before, stored = read(connection, thread), connection.history(thread)
        for _ in range(2):
            connection.call("Thread.Resume", thread=thread, subscribe=False)
        after = connection.history(thread)
        assert after[:len(stored)] == stored
        assert [event.WhichOneof("kind") for event in after[len(stored):]] == ["version_pinned"]
        now = read(connection, thread)
        assert (now.updated_at, now.created_at) == (before.updated_at, before.created_at)


@pytest.mark.parametrize("name", ["mode-changes-0.144.4", "mode-changes-0.163.0", "fork-source-0.144.4", "legacy-0.133.0"])
def test_m8_a_history_without_a_selection_falls_back_to_its_newest_effective_mode(rollouts, connection, name):
    """M8 only an imported history without a record of the selection falls back to the newest stored effective mode:
    until 0.144 it stands in the turn context, in 0.163 in the world state."""
    modes = [payload["multi_agent_mode"] for payload in payloads(rollouts[name], "turn_context")
             if payload.get("multi_agent_mode")]
    modes += [payload["state"]["multi_agent_mode"]["mode"] for payload in payloads(rollouts[name], "world_state")
              if not modes and payload["state"].get("multi_agent_mode")]
    thread = read(connection, identity(rollouts[name]))
    assert mode_name(thread.settings) == (MODES[modes[-1]] if modes else None)


def test_i2_a_torn_line_costs_that_line_alone(rollouts, imported, connection):
    """I2 a damaged or cut line costs that line alone, and is reported by its number."""
    file = rollouts["killed-mid-turn-0.144.4"]
    reported = [line for line in imported[1].splitlines() if str(TORN_LINE) in line and "killed-mid-turn" in line]
    assert reported, imported[1]
    turns = connection.call("Thread.ListTurns", thread=identity(file), page_size=200, order=2).turns
    assert {turn_status(turn.status) for turn in turns} <= {"COMPLETED", "INTERRUPTED"}
    assert "after torn" in said(connection, identity(file), USER)
    assert not read(connection, identity(file)).HasField("running_turn")


@pytest.mark.parametrize("name", ["legacy-0.133.0", "mode-changes-0.163.0", "fork-0.144.4", "killed-mid-turn-0.144.4",
                                  "v1-parent-0.144.4", "v1-child-0.144.4", "interrupt-0.144.4"])
def test_i3_an_imported_thread_goes_on(rollouts, copy, name):
    """I3 after import the rules hold: resume, fork, a turn in each, and both are there after kill -9."""
    thread = identity(rollouts[name])
    with Server(copy) as server:
        with server.connect() as connection:
            before = said(connection, thread, ASSISTANT)
            _, follower = connection.resume_followed(thread)
            fork = connection.call("Thread.Fork", thread=thread, subscribe=False).thread.id
            follower.run("and on", thread=thread, settings=SCRIPTED)
            _, forked = connection.resume_followed(fork)
            forked.run("elsewhere", thread=fork, settings=SCRIPTED)
        server.restart()
        with server.connect() as connection:
            assert said(connection, thread, ASSISTANT) == before + ["You said: and on"]
            assert said(connection, fork, ASSISTANT) == before + ["You said: elsewhere"]


def test_a7_a_client_may_not_write_into_a_v2_child(rollouts, connection):
    """A7 → FAILED_PRECONDITION client_input_refused; reading it is fine."""
    child = identity(rollouts["v2-child-0.144.4"])
    error = connection.refusal("Turn.Start", thread=child, input={"content": [{"text": "x"}]}, settings=SCRIPTED)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "client_input_refused")
    assert read(connection, child).id == child


def test_t3_forking_a_spawned_agent_gives_a_root(rollouts, connection):
    """T3."""
    child = identity(rollouts["v2-child-0.144.4"])
    lineage = connection.call("Thread.Fork", thread=child, subscribe=False).thread.lineage
    assert (lineage.depth, lineage.forked_from, lineage.HasField("parent")) == (0, child, False)


def test_t6_archiving_a_root_takes_its_tree_along(rollouts, copy):
    """T6 archiving a root takes its tree along, and brings it back; deleting it deletes the tree."""
    root, child = identity(rollouts["v2-parent-0.144.4"]), identity(rollouts["v2-child-0.144.4"])
    with Server(copy) as server, server.connect() as connection:
        connection.call("Thread.Archive", thread=root)
        assert read(connection, child).archived
        connection.call("Thread.Unarchive", thread=root)
        assert not read(connection, child).archived
        assert connection.call("Thread.Delete", thread=root).deleted == 2
        assert connection.refusal("Thread.Read", thread=child).reason == "thread"


def test_i1_imported_twice_is_imported_once(rollouts, copy):
    """I1."""
    def everything() -> dict:
        with Server(copy) as server, server.connect() as connection:
            return {file.name: connection.history(identity(file)) for file in rollouts.values()}
    before = everything()
    ended = heddle("import", *rollouts.values(), "--data", copy)
    assert ended.returncode == 0, ended.stderr
    assert everything() == before


def test_an_import_into_a_folder_that_is_served_is_refused(fresh, rollouts):
    """D13 the folder belongs to its server; the import says whose it is."""
    ended = heddle("import", next(iter(rollouts.values())), "--data", fresh.data)
    assert ended.returncode == 75 and str(fresh.pid) in ended.stderr


def test_a_file_that_is_no_history_is_reported_and_harms_nothing(rollouts, tmp_path):
    """I1 reports what it could not read: a missing file and one of noise, beside a good one."""
    noise = tmp_path / "noise.jsonl"
    noise.write_bytes(b"\x00\xff not json\n" * 3)
    ended = heddle("import", noise, tmp_path / "missing.jsonl", rollouts["legacy-0.133.0"], "--data", tmp_path / "data")
    assert "noise.jsonl" in ended.stdout + ended.stderr and "missing.jsonl" in ended.stdout + ended.stderr
    assert ended.returncode != 0
    with Server(tmp_path / "data") as server, server.connect() as connection:
        assert read(connection, identity(rollouts["legacy-0.133.0"])).turn_count == 3


def test_i1_what_is_too_large_for_a_frame_is_reported_and_the_rest_is_there(rollouts, tmp_path):
    """I1: an event that no connection could be sent is imported without what was in it; the import says which one, for
    each, and how many; what stands around it is served as ever."""
    file, large = rollouts["legacy-0.133.0"], tmp_path / "large.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    second_turn = [number for number, line in enumerate(lines)
                   if json.loads(line)["payload"].get("type") == "task_started"][1]
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x" * (5 << 20)}]}
    line = {"timestamp": records(file)[0]["timestamp"], "type": "response_item", "payload": message}
    large.write_text("".join([*lines[:second_turn], json.dumps(line) + "\n", *lines[second_turn:]]))
    ended = heddle("import", large, "--data", tmp_path / "data")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["cut_events"] == 1
    with Server(tmp_path / "data") as server, server.connect() as connection:
        cut = [event.sequence for event in connection.history(identity(file))
               if event.foreign_record.record.kind.startswith("too large")]
        assert len(cut) == 1 and f"event {cut[0]} is larger than a frame" in ended.stderr
        assert said(connection, identity(file), ASSISTANT) == [
            "".join(part["text"] for part in payload["content"])
            for payload in payloads(file, "response_item", "message") if payload["role"] == "assistant"]


def test_m2_an_import_belongs_to_the_tenant_that_it_names(rollouts, tmp_path):
    """M2★, A18★: `--tenant`: that tenant lists and reads the thread, another one, called `default` though it be, does not
    find it; imported again for the same tenant it is left as it is."""
    tokens, file, alice, other = tmp_path / "tokens", rollouts["legacy-0.133.0"], "a" * 40, "d" * 40
    tokens.touch(mode=0o600)
    tokens.write_text(f"{alice} alice\n{other} default\n")
    for is_new in (True, False):
        ended = heddle("import", file, "--data", tmp_path / "data", "--tenant", "alice")
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert json.loads(ended.stdout)["imported"] is is_new
    with Server(tmp_path / "data", "--token-file", tokens) as server:
        with server.connect(alice) as connection:
            assert [row.id for row in connection.call("Thread.List").threads] == [identity(file)]
            assert read(connection, identity(file)).turn_count == 3
        with server.connect(other) as connection:
            assert not connection.call("Thread.List").threads
            assert connection.refusal("Thread.Read", thread=identity(file)).reason == "thread"


@pytest.mark.parametrize("name", ["legacy-0.133.0", "mode-changes-0.144.4", "interrupt-0.144.4", "v1-parent-0.144.4"])
def test_i1_the_turns_of_a_list_are_those_of_the_log(rollouts, copy, name):
    """I1, I3: an imported turn reaches to its end in the log, when and with what usage it ended there; a fork behind it
    has that end; its items are listed as its own, and are gone when it is rolled back."""
    thread = identity(rollouts[name])
    with Server(copy) as server, server.connect() as connection:
        def listed(**fields) -> list[bytes]:
            return [item.id for item in all_items(connection, thread, **fields)]

        log = connection.history(thread)
        turns = connection.call("Thread.ListTurns", thread=thread, page_size=200, order=2).turns
        assert len(turns) >= 2
        ends = {event.turn: event for event in log if event.WhichOneof("kind") == "turn_ended"}
        for turn in turns:
            end = ends[turn.id]
            assert (turn.last_sequence, turn.ended_at) == (end.sequence, end.at)
            assert turn.usage == end.turn_ended.usage
        items = {turn.id: [event.item_completed.item.id for event in log if event.turn == turn.id
                           and event.WhichOneof("kind") == "item_completed"] for turn in turns}
        assert all(items.values())
        for turn in (turns[0], turns[-1]):
            assert listed(turn=turn.id) == items[turn.id]
        fork = connection.call("Thread.Fork", thread=thread, last_turn=turns[0].id, subscribe=False).thread.id
        assert ends[turns[0].id] in connection.history(fork)
        before = listed()
        connection.call("Thread.Rollback", thread=thread, turns=1)
        assert listed() == [item for item in before if item not in items[turns[-1].id]]


def test_a6_an_imported_agent_lives_beside_its_root(rollouts, copy):
    """A6: ids of imported agents do not say where their root lives. The tree is one all the same, on however many loops:
    what a client has loaded is what its root's tree shows."""
    root, child = identity(rollouts["v1-parent-0.144.4"]), identity(rollouts["v1-child-0.144.4"])
    loops = next(count for count in range(2, 257)
                 if int.from_bytes(root[-2:], "big") % count != int.from_bytes(child[-2:], "big") % count)
    with Server(copy, "--loops", str(loops)) as server, server.connect() as connection:
        connection.resume_followed(root)
        connection.resume_followed(child)
        for thread in (root, child):
            tree = connection.call("Agent.ListTree", thread=thread)
            assert [(agent.thread, agent.status.state) for agent in tree.agents] == [(root, 2), (child, 2)], "IDLE"


def test_i3_t7_a_history_that_was_summed_up_goes_on_from_its_summary(tmp_path):
    """I3, T7: older versions stored a summary and not what the context is replaced by: the model continues from that
    summary, without what is in front of it; with an empty context it would not know what it is about."""
    thread = written(tmp_path, *turn_of("old"), ("compacted", {"message": "so far"}), *turn_of("young"))
    with recorded(tmp_path) as (server, connection):
        _, follower = connection.resume_followed(thread)
        items = server.request_of(follower.run("and on", thread=thread, settings=SCRIPTED)).items
    assert [(item["role"], item["text"]) for item in items] == [
        ("USER", "so far"), ("USER", "young"), ("USER", "and on")]


def test_i1_an_event_that_no_frame_holds_is_left_out_and_the_rest_is_served(tmp_path):
    """I1: a message of 5 MiB would end every read of its thread: its place in the log is kept, with its size, and what
    is around it is listed, read and gone on from."""
    thread = written(tmp_path, *turn_of("before"), *turn_of("x" * (5 << 20)), *turn_of("behind"))
    with Server(tmp_path / "data") as server, server.connect() as connection:
        [record] = [event.foreign_record.record for event in connection.history(thread)
                    if event.WhichOneof("kind") == "foreign_record"]
        assert record.kind.startswith("too large: 52") and not record.json, record.kind
        assert said(connection, thread, USER) == ["before", "behind"]
        _, follower = connection.resume_followed(thread)
        follower.run("and on", thread=thread, settings=SCRIPTED)


def test_i1_a_listed_turn_has_what_it_ran_with_and_why_it_failed(tmp_path):
    """I1, M7, U5: contexts are kept in the list of turns too, where a rollback and a fork look for what the model was
    told last, and so are a turn's beginning and the error of one that failed."""
    start, said, end = turn_of("hello")
    context = {"turn_id": start[1]["turn_id"], "model": "m", "effort": "low", "multi_agent_version": "v2",
               "multi_agent_mode": "proactive"}
    error = ("event_msg", {"type": "error", "message": "out of credits"})
    thread = written(tmp_path, start, ("turn_context", context), said, error, end, *turn_of("and on"))
    with Server(tmp_path / "data") as server, server.connect() as connection:
        turns = connection.call("Thread.ListTurns", thread=thread, order=2).turns
        log = connection.history(thread)
    began = [event for event in log if event.WhichOneof("kind") == "turn_started"]
    ends = [event.turn_ended for event in log if event.WhichOneof("kind") == "turn_ended"]
    assert [(turn.first_sequence, turn.started_at) for turn in turns] == [(event.sequence, event.at) for event in began]
    assert [turn.context for turn in turns] == [event.turn_started.context for event in began]
    assert (turns[0].context.settings.reasoning_effort, turns[0].context.effective_mode) == ("low", 2), "PROACTIVE"
    assert [turn.error for turn in turns] == [end.error for end in ends]
    assert (turn_status(turns[0].status), turns[0].error.message) == ("FAILED", "out of credits")


def test_i1_u5_the_tokens_of_an_imported_turn_are_those_of_its_report(tmp_path):
    """I1, U5: input, cached input, output and what was thought, each as the history counted it."""
    counted = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 40, "reasoning_output_tokens": 30}
    start, said, end = turn_of("hello")
    report = ("event_msg", {"type": "token_count", "info": {"last_token_usage": counted, "total_token_usage": counted}})
    thread = written(tmp_path, start, said, report, end)
    with Server(tmp_path / "data") as server, server.connect() as connection:
        [turn] = connection.call("Thread.ListTurns", thread=thread).turns
    assert {name: getattr(turn.usage, name) for name in counted} == counted


def test_i1_s1_an_imported_thread_goes_on_with_the_settings_of_its_last_turn(tmp_path):
    """I1, S1: developer instructions, tier, effort, summary and folder of the newest turn context are the thread's, and
    what a later one has no word about stays."""
    start, said, end = turn_of("hello")
    context = {"turn_id": start[1]["turn_id"], "model": "m", "effort": "low", "summary": "auto", "service_tier": "flex",
               "developer_instructions": "Be brief.", "cwd": "/here"}
    start_again, said_again, end_again = turn_of("hello again")
    less = {"turn_id": start_again[1]["turn_id"], "model": "m", "effort": "high", "summary": "auto"}
    thread = written(tmp_path, start, ("turn_context", context), said, end, start_again,
                     ("turn_context", less), said_again, end_again)
    with Server(tmp_path / "data") as server, server.connect() as connection:
        settings = connection.call("Settings.Read", thread=thread).settings
    assert (settings.developer_instructions, settings.service_tier) == ("Be brief.", "flex")
    assert (settings.reasoning_effort, settings.reasoning_summary) == ("high", "auto")
    assert (settings.model, settings.working_folder) == ("m", "/here")


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to make the disk fail")
@pytest.mark.parametrize("fault", ["fdatasync:error=EIO", "pwrite64:error=ENOSPC"])
def test_d1_an_import_that_the_disk_did_not_take_says_so(rollouts, tmp_path, fault):
    """D1, D8: a history is said to be imported when it is on disk. One that could not be synced, or found the disk full, is
    reported as not imported and ends the command with 75; its folder is whole, and when the disk is well again the same
    command imports it and those behind it."""
    data, first, second = tmp_path / "data", rollouts["legacy-0.133.0"], rollouts["fork-0.144.4"]
    third = rollouts["interrupt-0.144.4"]
    ended = heddle("import", first, "--data", data)
    assert ended.returncode == 0, ended.stderr
    trace = ["strace", "-f", "-o", os.devnull, "-P", data / "heddle.db-wal", "-e", f"trace={fault.partition(':')[0]}",
             "-e", f"inject={fault}"]
    if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode:
        pytest.skip("tracing is not allowed here")
    failed = subprocess.run([*trace, BINARY, "import", second, third, "--data", data], capture_output=True, text=True)
    assert failed.returncode == 75, failed.stdout + failed.stderr
    [said] = map(json.loads, failed.stdout.splitlines())
    assert said["file"] == str(second) and said["error"] and "imported" not in said
    assert f"{second}: " in failed.stderr and ("the disk failed" in failed.stderr or "free some space" in failed.stderr)
    again = heddle("import", second, third, "--data", data)
    assert again.returncode == 0, again.stderr
    assert [json.loads(line)["imported"] for line in again.stdout.splitlines()] == [True, True]
    assert heddle("check", data).returncode == 0


def imports(file, data, *arguments) -> tuple[dict, str]:
    """Both outputs of the import of a file, which must succeed."""
    ended = heddle("import", file, "--data", data, *arguments)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout), ended.stderr


ONTO_SCRIPTED = ("--model", "scripted", "--provider", "scripted")


def test_i4_an_import_says_which_provider_is_not_in_the_catalog(rollouts, tmp_path):
    """I4: the thread, its provider, what will happen and what to do; not for a provider that the catalog has, wherever
    the catalog comes from."""
    file, catalog, config = rollouts["legacy-0.133.0"], tmp_path / "catalog.json", tmp_path / "config.json"
    provider = meta(file)["model_provider"]
    catalog.write_text(json.dumps({"models": [{"id": "any", "provider": provider}]}))
    config.write_text(json.dumps({"catalog": str(catalog)}))
    summary, said = imports(file, tmp_path / "data")
    assert (summary["model_provider"], summary["provider_in_catalog"]) == (provider, False)
    for word in (summary["thread"], f"`{provider}`", "model_provider_missing", "--model", "--provider"):
        assert word in said
    for number, arguments in enumerate([("--catalog", catalog), ("--config", config)]):
        summary, said = imports(file, tmp_path / f"data{number}", *arguments)
        assert (summary["provider_in_catalog"], said) == (True, "")


@pytest.mark.parametrize("name", ["legacy-0.133.0", "mode-changes-0.163.0", "killed-mid-turn-0.144.4"])
@pytest.mark.parametrize("again", [False, True], ids=["at_once", "imported_before"])
def test_i4_an_imported_thread_goes_on_with_another_model(rollouts, tmp_path, name, again):
    """I4: its next turn runs on that model, after kill -9 too; what happened is as without it, and one change of settings
    stands behind it; times and the place in lists stay. The import that warned may be given again, with a model."""
    file, plain = rollouts[name], tmp_path / "plain"
    thread = identity(file)
    imports(file, plain)
    if again:
        shutil.copytree(plain, tmp_path / "data", ignore=lambda *_: ["LOCK"])
    for attempt in range(2):
        summary, said = imports(file, tmp_path / "data", *ONTO_SCRIPTED)
        assert (summary["imported"], summary["provider_in_catalog"]) == (not again and attempt == 0, True)
        assert "model_provider_missing" not in said
    with Server(plain) as server, server.connect() as connection:
        before, history = read(connection, thread), connection.history(thread)
    with Server(tmp_path / "data") as server:
        with server.connect() as connection:
            after, mapped = read(connection, thread), connection.history(thread)
            assert mapped[:-1] == history and mapped[-1].WhichOneof("kind") == "settings_updated"
            assert (after.settings.model, after.settings.model_provider) == ("scripted", "scripted")
            assert (after.updated_at, after.created_at) == (before.updated_at, before.created_at)
        server.restart()
        with server.connect() as connection:
            _, follower = connection.resume_followed(thread)
            follower.run("and on", thread=thread)
            assert said_last(connection, thread) == "You said: and on"


def said_last(connection, thread: bytes) -> str:
    return said(connection, thread, ASSISTANT)[-1]


def test_i4_a_thread_that_has_changed_since_keeps_its_model(rollouts, tmp_path):
    """I4: what a client did with an imported thread wins; the import says so."""
    file, data = rollouts["legacy-0.133.0"], tmp_path / "data"
    imports(file, data)
    with Server(data) as server, server.connect() as connection:
        connection.call("Thread.SetName", thread=identity(file), name="mine")
        before = connection.history(identity(file))
    summary, said = imports(file, data, *ONTO_SCRIPTED)
    assert (summary["imported"], summary["provider_in_catalog"]) == (False, False) and "changed since" in said
    with Server(data) as server, server.connect() as connection:
        assert connection.history(identity(file)) == before


@pytest.mark.parametrize("arguments,code,word", [
    (("--provider", "scripted"), 64, "--model"), (("--model", "nowhere"), 64, "scripted-v1"),
    (("--model", "scripted", "--provider", "other"), 64, "`scripted`"), (("--model", ""), 64, "empty"),
    (("--catalog", "/nowhere"), 78, "catalog")])
def test_i4_a_model_that_cannot_be_meant_is_refused(rollouts, tmp_path, arguments, code, word):
    """I4: before anything is imported."""
    ended = heddle("import", rollouts["legacy-0.133.0"], "--data", tmp_path / "data", *arguments)
    assert (ended.returncode, ended.stdout) == (code, "") and word in ended.stderr, ended
    assert not (tmp_path / "data").exists()
