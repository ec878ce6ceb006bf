"""rules.md A14, attacks.md G12: calls of the server as events of a subscription, answered by CallService/Answer, over
frames. The same requests serve clients of every door, none of which needs a stream of the server's for it."""

import uuid

import pytest

from agents import Call, Team, calls_of, limits, spawn, tool
from harness.messages import METHODS, client_pb2, event_pb2, frame_pb2, thread_pb2, turn_status
from harness.server import Server
from harness.wire import CANCEL, CREDIT, END_OF_STREAM, REQUEST, RESPONSE, Frame

TOOL, INPUT = (thread_pb2.CallKind.Value(f"CALL_KIND_{name}") for name in ("CALL_TOOL", "REQUEST_USER_INPUT"))
BOTH = [TOOL, INPUT]
INTERNAL, UNIMPLEMENTED = (frame_pb2.Code.Value(f"CODE_{name}") for name in ("INTERNAL", "UNIMPLEMENTED"))
TOOLS = [{"name": "lookup", "description": "Looks something up.", "schema": '{"type":"object"}'}]
LOOKUP = tool("lookup", word="heddle")
ASK = tool("request_user_input", question="Which one?", choices=["left", "right"])


def plain(server):
    """A connection that named no ability in HELLO."""
    return server.connect(unwanted_notifications=["thread_started"])


@pytest.fixture
def client(server):
    with plain(server) as connection:
        yield connection


def begun(connection, *steps, answers=BOTH, **fields) -> Team:
    """A thread with tools whose turn runs, followed by a subscription that answers."""
    thread = connection.new_thread(tools=TOOLS, asks_user=True, **fields)
    team = Team(None, connection, thread, connection.follow(thread.id, 0, answers=answers))
    team.turn = team.begin(*steps)
    return team


def call_of(follower):
    """The next call on the subscription: its message, and the agent that the event names."""
    event = follower.until_kind("call")
    return getattr(event.call, event.call.WhichOneof("call"))


def ended(follower) -> tuple:
    end = follower.until_kind("call_ended").call_ended
    return end.thread, end.turn, end.call_id


def name_of(call) -> dict:
    return {"thread": call.thread, "turn": call.turn, "call_id": call.call_id}


def found(call, text: str = "found") -> dict:
    return {**name_of(call), "tool": {"content": [{"text": text}], "success": True}}


def said(call, text: str, action_hash: bytes | None = None) -> dict:
    return {**name_of(call), "input": {"answer": text, "action_hash": call.action_hash if action_hash is None
                                       else action_hash}}


def refused(call, code: int, message: str = "") -> dict:
    return {**name_of(call), "refused": {"code": code, "reason": "x", "message": message}}


def outputs(team: Team) -> list[Call]:
    assert turn_status(team.follower.until_ended(team.turn).status) == "COMPLETED"
    return calls_of(team.follower.events, team.turn)


def reason(connection, body: dict) -> str:
    return connection.refusal("Call.Answer", **body).reason


# The way of a call


def test_a14_a_call_comes_as_an_event_and_is_answered_by_a_request(client):
    """A14: the call with name and arguments, its answer counts and is durable, its end is told; nothing comes on a
    stream of the server's."""
    team = begun(client, LOOKUP, ASK)
    call = call_of(team.follower)
    assert (call.thread, call.turn, call.name, call.arguments) == (team.id, team.turn, "lookup", '{"word": "heddle"}')
    answer = client.call("Call.Answer", **found(call, "a part of a loom"))
    assert answer.counted and not answer.replayed and answer.sequence > 0
    assert ended(team.follower) == (team.id, team.turn, call.call_id)
    question = call_of(team.follower)
    assert (question.question, list(question.choices)) == ("Which one?", ["left", "right"])
    assert client.call("Call.Answer", **said(question, "left")).counted
    assert outputs(team) == [Call("lookup", "a part of a loom", "", True), Call("request_user_input", "left", "", True)]
    assert not any(frame.kind == REQUEST for frame in client.inbox)
    assert answer.sequence in [event.sequence for event in team.follower.events]


@pytest.mark.parametrize("kind,line,other", [(TOOL, LOOKUP, ASK), (INPUT, ASK, LOOKUP)])
def test_a14_a_subscriber_gets_the_kinds_that_it_answers(server, client, kind, line, other):
    """A14: of a tool and a question the one that `answers` names, and none of them without `answers`."""
    team = begun(client, [other, line], answers=[kind])
    call = call_of(team.follower)
    assert hasattr(call, "question") == (kind == INPUT)
    with plain(server) as watching:
        silent = watching.follow(team.id, 0)
        silent.until_kind("live")
        client.call("Turn.Interrupt", thread=team.id, turn=team.turn)
        assert ended(team.follower) == (team.id, team.turn, call.call_id)
        silent.until_ended(team.turn)
        assert not any(message.WhichOneof("kind") in ("call", "call_ended") for message in silent.messages)
    kinds = [message.call.WhichOneof("call") for message in team.follower.messages if message.HasField("call")]
    assert kinds == ["tool" if kind == TOOL else "input"]


def test_a14_kinds_of_a_subscription_do_not_leave_calls_out(client):
    """A14: `kinds` selects events, deltas and status; a subscription that wants none of the deltas gets its calls."""
    thread = client.new_thread(tools=TOOLS)
    status = thread_pb2.SubscriptionKind.Value("SUBSCRIPTION_KIND_STATUS")
    follower = client.follow(thread.id, answers=[TOOL], kinds=[status])
    client.start_turn(thread.id, LOOKUP)
    call = call_of(follower)
    client.call("Call.Answer", **found(call))
    assert ended(follower)[2] == call.call_id


def test_a14_of_an_unknown_kind_there_is_no_subscription(client):
    """A14, P: 0 and a number that the schema lacks → unknown_enum."""
    thread = client.new_thread()
    for wrong in (0, 99):
        assert client.refusal("Thread.Subscribe", thread=thread.id, answers=[wrong]).reason == "unknown_enum"


def test_a14_a9_one_call_on_both_ways_has_one_answer(server, client):
    """A14, A9: a client on frames and one with events are asked the same; the first answer counts for both."""
    team = begun(client, LOOKUP, LOOKUP)
    with server.connect(features=["call_tool"], unwanted_notifications=["thread_started"]) as other:
        other.follow(team.id)
        for who in ("events", "frames"):
            call = call_of(team.follower)
            frame = other.wait_for(lambda frame: frame.kind == REQUEST)
            assert METHODS["Client.CallTool"].request.FromString(frame.body) == call
            if who == "events":
                client.call("Call.Answer", **found(call, who))
                other.wait_for(lambda frame: frame.kind == CANCEL)
            else:
                body = client_pb2.CallToolResponse(content=[{"text": who}], success=True).SerializeToString()
                other.send_frame(Frame(RESPONSE, frame.method, frame.stream, body, END_OF_STREAM))
            assert ended(team.follower)[2] == call.call_id
            assert reason(client, found(call)) == "already_answered"
    assert [output.text for output in outputs(team)] == ["events", "frames"]


# Clients that come and go


def test_a14_open_calls_come_again_to_a_new_subscription_and_any_connection_answers(server):
    """A14: the only subscriber goes; the call stays open, comes again with the same hash and deadline to each new
    subscription, once each, and a connection that follows nothing may answer it."""
    with plain(server) as leaving:
        team = begun(leaving, [LOOKUP, ASK])
        first = [call_of(team.follower), call_of(team.follower)]
    with plain(server) as back, plain(server) as stranger:
        for _ in range(2):
            follower = back.follow(team.id, 0, answers=BOTH)
            assert [call_of(follower), call_of(follower)] == first
            back.call("Thread.Unsubscribe", thread=team.id)
        follower = back.follow(team.id, 0, answers=BOTH)
        calls = {hasattr(call, "question"): call for call in (call_of(follower), call_of(follower))}
        stranger.call("Call.Answer", **found(calls[False]))
        assert ended(follower)[2] == calls[False].call_id
        stranger.call("Call.Answer", **said(calls[True], "right"))
        team.follower = follower
        assert [output.text for output in outputs(team)] == ["found", "right"]
        sent = [message.call for message in follower.messages if message.HasField("call")]
        assert len(sent) == 2, "each comes once"


def test_a14_a_slow_subscriber_learns_what_is_open_when_it_is_live_again(server, client):
    """A14, E3: calls that begin and end while the credit is used up do not come; the end of one that had come does."""
    team = begun(client, LOOKUP, LOOKUP, LOOKUP)
    with plain(server) as slow:
        follower = slow.follow(team.id, 0, answers=BOTH, credit=1)
        stream = follower.stream
        credit = lambda: slow.send_message(CREDIT, frame_pb2.Credit(bytes=100_000), stream)  # noqa: E731
        credit()
        first = call_of(follower)
        spent = 100_001
        # A long answer, which the log keeps, needs more than is left of the credit.
        client.call("Call.Answer", **found(call_of(team.follower), "x" * spent))
        second = call_of(team.follower)
        client.call("Call.Answer", **found(second))
        third = call_of(team.follower)
        for _ in range(8):
            credit()
        ends = [ended(follower)[2]]
        assert call_of(follower) == third and second != third
        assert ends == [first.call_id]
        client.call("Call.Answer", **found(third))
        assert ended(follower)[2] == third.call_id
        follower.until_ended(team.turn)
        came = [message.call.tool.call_id for message in follower.messages if message.HasField("call")]
        assert came in ([first.call_id, third.call_id], [first.call_id, second.call_id, third.call_id])


def test_a14_a_call_waits_for_its_deadline_when_nobody_is_there(tmp_path):
    """A14: without any subscriber a call is open until its deadline, and then has an output that says so."""
    with Server(tmp_path / "data", environment=limits(client_tool_milliseconds=1_500)) as server:
        with plain(server) as leaving:
            team = begun(leaving, LOOKUP)
            call = call_of(team.follower)
        with plain(server) as back:
            follower = back.follow(team.id, 0, answers=BOTH)
            team.follower = follower
            assert [(output.text, output.reason) for output in outputs(team)] == [
                ("Nobody answered this call in time. Go on without it, or try again.", "tool_timeout")]
            assert reason(back, found(call)) == "already_answered"


def test_a14_a13_a_subscriber_of_the_root_gets_the_calls_of_agents(client):
    """A14, A13: an agent's call comes on the root's subscription, once, and its event names the agent, with or without
    `tree`."""
    thread = client.new_thread(settings={"model": "scripted-v2"}, tools=TOOLS)
    follower = client.follow(thread.id, 0, answers=BOTH)
    team = Team(None, client, thread, follower)
    turn = team.begin(spawn("one", LOOKUP), tool("wait_agent", timeout_ms=60_000))
    event = follower.until_kind("call")
    call = event.call.tool
    assert event.thread == call.thread and call.thread not in (b"", team.id)
    client.call("Thread.Unsubscribe", thread=team.id)
    stream = client.open("Thread.Subscribe", thread=team.id, after=0, answers=BOTH, tree=True)
    client.answer(stream, "Thread.Subscribe")
    messages = []

    def until(wanted):
        while not messages or not wanted(messages[-1]):
            frame = client.wait_for(lambda frame: frame.stream == stream)
            messages.append(event_pb2.SubscriptionEvent.FromString(frame.body))
        return messages[-1]

    again = until(lambda message: message.HasField("call"))
    assert (again.thread, again.call.tool) == (call.thread, call)
    client.call("Call.Answer", **found(call))
    end = until(lambda message: message.HasField("call_ended"))
    assert (end.thread, end.call_ended.call_id) == (call.thread, call.call_id)
    until(lambda message: not message.thread and message.event.HasField("turn_ended") and message.event.turn == turn)
    assert sum(message.HasField("call") for message in messages) == 1
    assert sum(message.HasField("call_ended") for message in messages) == 1


# Answers that do not count


def test_g12_twice_late_other_thread_and_other_turn(server, client):
    """G12, ServerCalls.Q3: of two answers the first counts; the second, a late one, and one that names another thread,
    turn or call are already_answered; K, and the call is open meanwhile."""
    team, other = begun(client, LOOKUP), begun(client, LOOKUP)
    call, wrong = call_of(team.follower), call_of(other.follower)
    assert reason(client, {**found(call), "thread": other.id}) == "already_answered"
    assert reason(client, {**found(call), "turn": wrong.turn}) == "already_answered"
    assert reason(client, {**found(call), "call_id": "none"}) == "already_answered"
    assert client.call("Call.Answer", **found(call)).counted
    error = client.refusal("Call.Answer", **found(call))
    assert (error.code, error.reason) == ("ABORTED", "already_answered")
    client.call("Turn.Interrupt", thread=other.id, turn=other.turn)
    assert reason(client, found(wrong)) == "already_answered"
    assert outputs(team) == [Call("lookup", "found", "", True)]


def test_g12_another_tenants_call_is_not_there(tmp_path):
    """G10, G12, M2: B with A's call gets what it gets for a thread that does not exist."""
    one, two = "one-" + "t" * 32, "two-" + "t" * 32
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{one} a\n{two} b\n")
    with Server(tmp_path / "data", "--token-file", tokens) as server:
        with server.connect(token=one) as mine, server.connect(token=two) as theirs:
            team = begun(mine, LOOKUP)
            call = call_of(team.follower)
            assert reason(theirs, found(call)) == "thread"
            assert reason(theirs, {**found(call), "thread": uuid.uuid4().bytes}) == "thread"
            assert mine.call("Call.Answer", **found(call)).counted


def test_g12_t2_an_answer_for_another_action_leaves_the_question_open(client):
    """G12, T2, ServerCalls.Q2: another hash, none, or a tool's output for a question → action_changed; a choice that was
    not offered and an empty answer are refused; the question stays open."""
    team = begun(client, ASK)
    question = call_of(team.follower)
    for wrong in (b"", b"x" * 32, question.action_hash[:-1]):
        error = client.refusal("Call.Answer", **said(question, "left", wrong))
        assert (error.code, error.reason) == ("ABORTED", "action_changed")
    assert reason(client, found(question)) == "action_changed"
    assert reason(client, said(question, "up")) == "out_of_range"
    assert reason(client, said(question, "")) == "missing_field"
    assert client.call("Call.Answer", **said(question, "left")).counted
    assert outputs(team) == [Call("request_user_input", "left", "", True)]


def test_g12_q2_an_answer_that_is_none_leaves_the_call_open(client):
    """ServerCalls.Q2: no answer, no call id, a part that no tool gives, more than `toolOutputBytes`; then a right one
    counts."""
    team = begun(client, LOOKUP)
    call = call_of(team.follower)
    assert reason(client, name_of(call)) == "unknown_operation"
    assert reason(client, {**found(call), "call_id": ""}) == "missing_field"
    assert reason(client, {**name_of(call), "tool": {"content": [{"encrypted": "x"}]}}) == "unknown_operation"
    assert reason(client, found(call, "x" * (1024 * 1024 + 1))) == "text_too_long"
    assert reason(client, {**name_of(call), "input": {"answer": "x"}}) == "action_changed"
    assert client.call("Call.Answer", **found(call)).counted
    assert outputs(team) == [Call("lookup", "found", "", True)]


def test_a14_refused_fails_the_tool_and_unimplemented_leaves_it_to_others(client):
    """A14, A9: UNIMPLEMENTED does not count and the call stays open; any other code is the tool's failure."""
    team = begun(client, LOOKUP)
    call = call_of(team.follower)
    left = client.call("Call.Answer", **refused(call, UNIMPLEMENTED), key=uuid.uuid4().bytes)
    assert not left.counted and left.sequence > 0
    assert client.call("Call.Answer", **refused(call, INTERNAL, "the disk is gone")).counted
    assert outputs(team) == [Call("lookup", "the disk is gone", "tool_failed", False)]


def test_a14_e2_an_answer_that_is_sent_again_with_its_key_is_the_same_answer(server):
    """A14, E2: with a key a client that lost the answer learns that it counted, by another connection and after a
    restart; the key beside another answer is refused."""
    key = uuid.uuid4().bytes
    with plain(server) as client:
        team = begun(client, LOOKUP)
        call = call_of(team.follower)
        first = client.call("Call.Answer", **found(call), key=key)
    with plain(server) as back:
        again = back.call("Call.Answer", **found(call), key=key)
        assert again.replayed and (again.sequence, again.counted) == (first.sequence, first.counted)
        assert back.refusal("Call.Answer", **found(call, "else"), key=key).reason == "idempotency_mismatch"
        assert reason(back, found(call)) == "already_answered"
