"""rules.md A9, T4, U3, U4, attacks.md S9, T2: tools that a client brings and questions to the person at it, over real
sockets: who is asked, which answer counts, and what becomes of a call that nobody answers."""

import dataclasses
import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents import Call, Team, calls_of, limits, mail_of, script, spawn, tool
from harness.ends import expect_kept
from harness.messages import METHODS, client_pb2, frame_pb2, item_text, turn_status
from harness.server import Server
from harness.wire import CANCEL, END_OF_STREAM, ERROR, REQUEST, RESPONSE, Frame, HeddleError

RACES = int(os.environ.get("HEDDLE_RACES", "100"))
CAN = ["call_tool", "request_user_input"]
TOOLS = [{"name": "lookup", "description": "Looks something up.", "schema": '{"type":"object"}'},
         {"name": "store", "description": "Stores something.", "schema": "{}"}]
LOOKUP = tool("lookup", word="heddle")
ASK = tool("request_user_input", question="Which one?", choices=["left", "right"])
# `toolOutputBytes`.
MOST = 1024 * 1024
SUCCESS = client_pb2.CallToolResponse(success=True).SerializeToString()
CALL_TOOL, REQUEST_USER_INPUT = "Client.CallTool", "Client.RequestUserInput"


@dataclasses.dataclass
class Asked:
    """A request of the server to a client."""

    connection: object
    stream: int
    method: str
    message: object

    def send(self, message, kind: int = RESPONSE):
        raw = message if isinstance(message, bytes) else message.SerializeToString()
        self.connection.send_frame(Frame(kind, METHODS[self.method].number, self.stream, raw, END_OF_STREAM))

    def answer(self, text: str, success: bool = True):
        self.send(client_pb2.CallToolResponse(content=[{"text": text}], success=success))

    def say(self, text: str, action_hash: bytes | None = None):
        self.send(client_pb2.RequestUserInputResponse(
            answer=text, action_hash=self.message.action_hash if action_hash is None else action_hash))

    def fail(self, code: str, message: str = ""):
        self.send(frame_pb2.Error(code=frame_pb2.Code.Value(f"CODE_{code}"), reason="x", message=message), ERROR)

    def refusal(self) -> HeddleError:
        """The error that the server sends for an answer."""
        frame = self.connection.wait_for(lambda frame: (frame.stream, frame.kind) == (self.stream, ERROR))
        return HeddleError(frame_pb2.Error.FromString(frame.body))

    def withdrawn(self):
        """The server takes the request back."""
        frame = self.connection.wait_for(lambda frame: (frame.stream, frame.kind) == (self.stream, CANCEL))
        assert frame.flags & END_OF_STREAM


def asked(connection, method: str = CALL_TOOL, timeout: float | None = None) -> Asked:
    frame = connection.wait_for(lambda frame: frame.kind == REQUEST, timeout)
    assert frame.method == METHODS[method].number and frame.stream % 2 == 0 and frame.stream > 0
    return Asked(connection, frame.stream, method, METHODS[method].request.FromString(frame.body))


def unasked(connection) -> bool:
    """No request has come, up to here."""
    expect_kept(connection)
    return not any(frame.kind == REQUEST for frame in connection.inbox)


def able(server, *features: str):
    """A connection that says it can answer."""
    return server.connect(features=list(features or CAN), unwanted_notifications=["thread_started"])


@pytest.fixture
def client(server):
    with able(server) as connection:
        yield connection


def begun(connection, *steps, **fields) -> Team:
    """A thread with the client's tools, whose turn runs."""
    fields = {"tools": TOOLS, "asks_user": True, **fields}
    team = Team(None, connection, *connection.start_followed(**fields))
    team.turn = team.begin(*steps)
    return team


def end_of(team: Team, status: str = "COMPLETED") -> list[Call]:
    assert turn_status(team.follower.until_ended(team.turn).status) == status
    return calls_of(team.follower.events, team.turn)


def status_of(connection, thread: bytes) -> tuple[bool, bool]:
    status = connection.call("Thread.Read", thread=thread).thread.status
    return status.waiting_on_tool, status.waiting_on_user


# Clients that are asked, and answers that count


def test_a9_a_call_is_the_clients_and_its_answer_goes_to_the_model(client):
    """A9: called over the wire with name, arguments and deadline; the answer is the call's output; the turn continues."""
    before = time.time() * 1000
    team = begun(client, LOOKUP)
    call = asked(client)
    assert (call.message.name, call.message.arguments) == ("lookup", '{"word": "heddle"}')
    assert (call.message.thread, call.message.turn) == (team.id, team.turn) and call.message.call_id
    assert before + 9 * 60_000 < call.message.deadline < time.time() * 1000 + 11 * 60_000
    call.answer("a part of a loom")
    assert end_of(team) == [Call("lookup", "a part of a loom", "", True)]
    said = [item_text(event.item_completed.item) for event in team.follower.of_kind("item_completed")]
    assert said[-1] == "The tool said: a part of a loom"


def test_a9_a_tool_that_fails_says_so(client):
    """A9: an answer without success, and an error of the client, are outputs of a call that failed."""
    team = begun(client, [LOOKUP, tool("store", x=1)])
    first, second = asked(client), asked(client)
    first.answer("not found", success=False)
    second.fail("INTERNAL", "the disk is gone")
    assert end_of(team) == [Call("lookup", "not found", "tool_failed", False),
                            Call("store", "the disk is gone", "tool_failed", False)]


def test_a9_an_answer_whose_fields_are_all_absent_is_an_answer(client):
    """A9: no content and no success is a valid CallToolResponse of no bytes: the call failed, the connection stays."""
    team = begun(client, LOOKUP)
    asked(client).send(client_pb2.CallToolResponse())
    assert [(call.text, call.success) for call in end_of(team)] == [("", False)]


def test_a9_calls_of_one_step_are_answered_in_any_order(client):
    """A9: all are asked at once; each output belongs to its call; the model is asked again behind the last."""
    team = begun(client, [tool("lookup", n=number) for number in range(8)])
    for call in reversed([asked(client) for _ in range(8)]):
        call.answer(call.message.arguments)
    assert [call.text for call in end_of(team)] == [f'{{"n": {number}}}' for number in range(8)]


def test_a9_every_follower_that_can_is_asked_and_the_first_answer_wins(server, client):
    """A9: all subscribers that said they can are asked; the others get a CANCEL, and `already_answered` for an answer
    that comes all the same; who cannot, or does not follow, is not asked."""
    with able(server) as second, able(server) as stranger, able(server, "request_user_input") as unable:
        team = begun(client, "!delay 100\n" + LOOKUP)
        for connection in (second, unable):
            connection.follow(team.id)
        calls = [asked(client), asked(second)]
        assert calls[0].message == calls[1].message
        calls[1].answer("from the second")
        calls[0].withdrawn()
        calls[0].answer("too late")
        error = calls[0].refusal()
        assert (error.code, error.reason) == ("ABORTED", "already_answered")
        assert [call.text for call in end_of(team)] == ["from the second"]
        assert unasked(stranger) and unasked(unable) and unasked(second)


def test_s9_of_two_answers_at_once_one_counts(server, client):
    """S9★: answered by two connections at once, again and again: first wins; the other `ABORTED already_answered`; one
    output, K."""
    with able(server) as second, ThreadPoolExecutor(2) as pool:
        thread, follower = client.start_followed(tools=TOOLS)
        second.follow(thread.id)
        for race in range(RACES):
            turn = client.start_turn(thread.id, LOOKUP).turn
            calls = [asked(client), asked(second)]
            list(pool.map(lambda pair: pair[1].answer(f"{race} of {pair[0]}"), enumerate(calls)))
            assert turn_status(follower.until_ended(turn).status) == "COMPLETED"
            [output] = calls_of(follower.events, turn)
            winner = int(output.text.rpartition(" ")[2])
            assert output.text == f"{race} of {winner}"
            error = calls[1 - winner].refusal()
            assert (error.code, error.reason) == ("ABORTED", "already_answered")
        for connection in (client, second):
            expect_kept(connection)
            assert not any(frame.kind == ERROR for frame in connection.inbox)


def expect_unknown(connection, stream: int):
    """The server has never asked on this stream; it says so on stream 0, since the stream is none of its own."""
    frame = connection.wait_for(lambda frame: (frame.stream, frame.kind) == (0, ERROR))
    error = HeddleError(frame_pb2.Error.FromString(frame.body))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "unknown_server_request")
    assert error.details["stream"] == str(stream)


def test_s9_unknown_duplicate_and_late_answers(client):
    """S9★: an answer to nothing that was asked → unknown_server_request; to a call that is answered → already_answered;
    one event, K."""
    method = METHODS[CALL_TOOL].number
    for stream in (2, 2_000_000, 1_000_001):
        client.send_frame(Frame(RESPONSE, method, stream, SUCCESS, END_OF_STREAM))
        expect_unknown(client, stream)
    team = begun(client, LOOKUP)
    call = asked(client)
    for text in ("first", "second", "third"):
        call.answer(text)
    for _ in range(2):
        assert call.refusal().reason == "already_answered"
    assert [output.text for output in end_of(team)] == ["first"]
    call.answer("fourth")
    assert call.refusal().reason == "already_answered"
    call.fail("INTERNAL", "fifth")
    assert call.refusal().reason == "already_answered"
    expect_kept(client)


def test_s9_answers_that_cannot_be_taken_leave_the_call_open(client):
    """S9★, A9: bytes that are no answer, an answer that is too large, or of a kind that no tool gives, are refused; the
    client may answer again."""
    team = begun(client, LOOKUP)
    call = asked(client)
    call.send(b"\xff\xff\xff")
    assert call.refusal().code == "INVALID_ARGUMENT"
    call.answer("x" * (MOST + 1))
    error = call.refusal()
    assert (error.reason, error.details["limit"]) == ("text_too_long", str(MOST))
    call.send(client_pb2.CallToolResponse(content=[{"encrypted": "x"}], success=True))
    assert call.refusal().reason == "unknown_operation"
    assert status_of(client, team.id) == (True, False)
    call.answer("x" * MOST)
    assert [len(output.text) for output in end_of(team)] == [MOST]


def test_s9_all_parts_of_an_answer_count_together(client):
    """S9★, `toolOutputBytes`: texts and images of one answer have 1 MiB together, whatever their number; the client may
    answer again, with an image too."""
    team = begun(client, LOOKUP)
    call = asked(client)
    half, image = {"text": "x" * 600_000}, {"image": {"url": "data:," + "x" * (MOST - 5)}}
    for content in ([half, half], [half, {"image": {"url": "x" * 600_000}}], [image]):
        call.send(client_pb2.CallToolResponse(content=content, success=True))
        error = call.refusal()
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")
        assert error.details == {"field": "content", "limit": str(MOST)}
    content = client_pb2.CallToolResponse(content=[{"text": "see "}, {"image": {"url": "data:,small"}}], success=True)
    call.send(content)
    assert [(output.text, output.success) for output in end_of(team)] == [("see ", True)]
    items = [event.item_completed.item for event in team.follower.of_kind("item_completed")]
    [output] = [item.tool_output for item in items if item.HasField("tool_output")]
    assert list(output.content) == list(content.content)


def test_s9_the_words_of_a_tool_that_fails_are_cut(client):
    """S9★, `toolOutputBytes`: an error says why the tool failed; of 2 MiB the model is told the first."""
    team = begun(client, LOOKUP)
    asked(client).fail("INTERNAL", "x" * 2 * MOST)
    [output] = end_of(team)
    assert (output.success, output.reason, len(output.text)) == (False, "tool_failed", MOST)


def test_s9_an_answer_to_a_question_has_a_limit(client):
    """S9★, `toolOutputBytes`: where there are no choices anything may be said, 1 MiB of it; the question stays open."""
    team = begun(client, tool("request_user_input", question="?"))
    question = asked(client, REQUEST_USER_INPUT)
    question.say("x" * (MOST + 1))
    error = question.refusal()
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")
    assert error.details == {"field": "answer", "limit": str(MOST)}
    question.say("x" * MOST)
    assert [len(output.text) for output in end_of(team)] == [MOST]


def test_a9_a_client_that_does_not_have_the_tool_leaves_it_to_others(server, client):
    """A9: UNIMPLEMENTED of one is no answer; the others are still asked."""
    with able(server) as second:
        team = begun(client, "!delay 100\n" + LOOKUP)
        second.follow(team.id)
        first, other = asked(client), asked(second)
        first.fail("UNIMPLEMENTED", "not mine")
        assert status_of(client, team.id) == (True, False)
        other.answer("mine")
        assert [output.text for output in end_of(team)] == ["mine"]


# Clients that come and go


def test_a9_a_pending_call_is_asked_again_of_a_client_that_comes_back(server):
    """A9: pending calls are replayed to a client that comes back: the same call, hash and deadline, by Resume and by
    Subscribe; the turn waited all the while (S16)."""
    with able(server) as leaving:
        team = begun(leaving, [LOOKUP, ASK])
        lost = {call.method: call.message for call in (asked_any(leaving), asked_any(leaving))}
    for attempt in range(3):
        with able(server) as back:
            if attempt % 2:
                follower = back.follow(team.id, 0)
            else:
                follower = back.resume_followed(team.id)[1]
            again = {call.method: call for call in (asked_any(back), asked_any(back))}
            assert {method: call.message for method, call in again.items()} == lost
            assert unasked(back), "each is asked once"
            if attempt == 2:
                again[CALL_TOOL].answer("found")
                again[REQUEST_USER_INPUT].say("left")
                assert turn_status(follower.until_ended(team.turn).status) == "COMPLETED"
                outputs = [call.text for call in calls_of(back_history(server, team.id))]
    assert outputs == ["found", "left"]


def back_history(server, thread: bytes) -> list:
    with server.connect() as reading:
        return reading.history(thread)


def asked_any(connection) -> Asked:
    frame = connection.wait_for(lambda frame: frame.kind == REQUEST)
    method = CALL_TOOL if frame.method == METHODS[CALL_TOOL].number else REQUEST_USER_INPUT
    return Asked(connection, frame.stream, method, METHODS[method].request.FromString(frame.body))


def test_a9_letting_go_of_the_thread_takes_the_call_back(client):
    """A9: Unsubscribe withdraws what was asked; the call stays open, and is asked again with the next subscription."""
    team = begun(client, LOOKUP)
    call = asked(client)
    client.call("Thread.Unsubscribe", thread=team.id)
    call.withdrawn()
    call.answer("too late")
    assert call.refusal().reason == "already_answered"
    assert status_of(client, team.id) == (True, False)
    follower = client.follow(team.id, 0)
    again = asked(client)
    assert again.stream > call.stream and again.message == call.message
    again.answer("in time")
    follower.until_ended(team.turn)
    assert [output.text for output in calls_of(follower.events)] == ["in time"]


def test_a9_a_call_that_nobody_can_answer_waits_for_one_who_can(server):
    """A9: no client, or none that can: the call is open, and the first that comes and can is asked."""
    with server.connect(unwanted_notifications=["thread_started"]) as mute:
        team = begun(mute, LOOKUP)
        team.follower.until(lambda message: message.status.status.waiting_on_tool)
        assert unasked(mute)
        with able(server) as client:
            client.follow(team.id)
            asked(client).answer("here I am")
        assert [output.text for output in end_of(team)] == ["here I am"]


def test_u4_a9_after_kill_9_the_turn_is_over_and_so_is_its_call(fresh):
    """U4, D5, A9: a turn that waited for a client when the server died is interrupted, its call has an output that says
    so, nobody is asked again, and an answer to the old request is refused; the next turn asks anew."""
    with able(fresh) as client:
        team = begun(client, [LOOKUP, ASK])
        lost = [asked_any(client), asked_any(client)]
    fresh.restart()
    with able(fresh) as client:
        _, follower = client.resume_followed(team.id)
        assert unasked(client) and status_of(client, team.id) == (False, False)
        calls = calls_of(back_history(fresh, team.id))
        assert [(call.success, call.reason) for call in calls] == [(False, "tool_interrupted")] * 2
        client.send_frame(Frame(RESPONSE, METHODS[CALL_TOOL].number, lost[0].stream, SUCCESS, END_OF_STREAM))
        expect_unknown(client, lost[0].stream)
        turn = client.start_turn(team.id, LOOKUP).turn
        call = asked(client)
        assert call.message.call_id != lost[0].message.call_id and call.message.turn == turn
        call.answer("again")
        assert turn_status(follower.until_ended(turn).status) == "COMPLETED"


# Deadlines, interruptions, status


def test_a9_at_its_deadline_a_call_fails_with_a_typed_error(tmp_path):
    """A9: failing with a typed error at their deadline; the request is taken back; the turn continues; a late answer is
    refused."""
    bounds = limits(client_tool_milliseconds=250, user_input_milliseconds=400)
    with Server(tmp_path / "data", environment=bounds) as server, able(server) as client:
        team = begun(client, [LOOKUP, ASK], "!say without an answer")
        calls = [asked_any(client), asked_any(client)]
        outputs = end_of(team)
        assert [(output.success, output.reason) for output in outputs] == [(False, "tool_timeout")] * 2
        for call in calls:
            call.withdrawn()
            call.send(client_pb2.CallToolResponse(success=True) if call.method == CALL_TOOL else
                      client_pb2.RequestUserInputResponse(answer="left", action_hash=call.message.action_hash))
            assert call.refusal().reason == "already_answered"
        at = [event.at for event in team.follower.of_kind("item_completed")
              if event.item_completed.item.HasField("tool_output")]
        # A busy machine makes them late, and then both at once.
        assert all(-5 <= when - call.message.deadline < 60_000 for call, when in zip(calls, at))
        assert calls[1].message.deadline - calls[0].message.deadline >= 100
        # The same where nobody could have answered.
        with server.connect() as mute:
            team = begun(mute, LOOKUP, "!say alone")
            assert [output.reason for output in end_of(team)] == ["tool_timeout"]


def test_a9_t7_a_call_that_was_answered_takes_its_deadline_with_it(tmp_path):
    """A9, T7: behind a rollback the model makes the same call again, under the same id: it has a deadline of its own,
    and does not fail at that of the first, which was answered."""
    short = limits(client_tool_milliseconds=1_000)
    with Server(tmp_path / "data", environment=short) as server, able(server) as client:
        team = begun(client, LOOKUP)
        first = asked(client)
        first.answer("at once")
        end_of(team)
        client.call("Thread.Rollback", thread=team.id, turns=1)
        time.sleep(0.4)  # the two deadlines are to be apart
        team.turn = team.begin(LOOKUP)
        second = asked(client)
        assert second.message.call_id == first.message.call_id
        assert second.message.deadline - first.message.deadline >= 350
        assert [output.reason for output in end_of(team)] == ["tool_timeout"]
        at = next(event.at for event in team.follower.of_kind("item_completed")
                  if event.turn == team.turn and event.item_completed.item.HasField("tool_output"))
        assert at - second.message.deadline >= -5, "it failed before its time"


def test_u3_a9_an_interruption_takes_the_calls_back(client):
    """U3, A9: the turn ends, the requests are withdrawn, the history has an output for each call, late answers are
    refused, and the next turn works."""
    team = begun(client, [LOOKUP, ASK])
    calls = [asked_any(client), asked_any(client)]
    client.call("Turn.Interrupt", thread=team.id, turn=team.turn)
    outputs = end_of(team, "INTERRUPTED")
    assert [(output.success, output.reason) for output in outputs] == [(False, "tool_interrupted")] * 2
    for call in calls:
        call.withdrawn()
    calls[0].answer("too late")
    assert calls[0].refusal().reason == "already_answered"
    assert status_of(client, team.id) == (False, False)
    team.turn = team.begin(LOOKUP)
    asked(client).answer("next")
    assert [output.text for output in end_of(team)] == ["next"]


def test_t4_the_status_says_what_a_turn_waits_for(client):
    """T4: active {waiting on tool, waiting on user}, in reads, in the notices of the subscription and in ListTree; gone
    with the answer."""
    team = begun(client, [LOOKUP, ASK])
    calls = {call.method: call for call in (asked_any(client), asked_any(client))}
    assert status_of(client, team.id) == (True, True)
    [agent] = team.listed().agents
    assert (agent.status.waiting_on_tool, agent.status.waiting_on_user) == (True, True)
    calls[CALL_TOOL].answer("x")
    team.follower.until(lambda message: message.event.item_completed.item.HasField("tool_output"))
    assert status_of(client, team.id) == (False, True)
    calls[REQUEST_USER_INPUT].say("left")
    end_of(team)
    assert status_of(client, team.id) == (False, False)
    seen = [(message.status.status.waiting_on_tool, message.status.status.waiting_on_user)
            for message in team.follower.messages if message.WhichOneof("kind") == "status"]
    assert (True, True) in seen and seen.index((True, True)) < seen.index((False, True))


# Questions


def test_a9_a_question_and_its_answer(client):
    """A9: the question, its choices, a hash and a deadline; the answer is the call's output."""
    team = begun(client, ASK)
    question = asked(client, REQUEST_USER_INPUT)
    assert (question.message.question, list(question.message.choices)) == ("Which one?", ["left", "right"])
    assert len(question.message.action_hash) == 32 and question.message.deadline > time.time() * 1000
    question.say("right")
    assert end_of(team) == [Call("request_user_input", "right", "", True)]


def test_t2_an_answer_counts_for_the_action_that_was_shown_only(client):
    """T2★: an answer for another action than shown → `ABORTED action_changed`; the question stays open; so is a stale
    answer, to an equal question of another call, and one without a hash."""
    team = begun(client, ASK, ASK, [tool("request_user_input", question="Other?"), ASK])
    first = asked(client, REQUEST_USER_INPUT)
    for wrong in (b"", b"x" * 32, first.message.action_hash[:-1], first.message.action_hash + b"\0"):
        first.say("left", wrong)
        error = first.refusal()
        assert (error.code, error.reason) == ("ABORTED", "action_changed"), wrong
    assert status_of(client, team.id) == (False, True)
    first.say("left")
    second = asked(client, REQUEST_USER_INPUT)
    assert second.message.action_hash != first.message.action_hash
    second.say("left", first.message.action_hash)
    assert second.refusal().reason == "action_changed"
    second.say("right")
    third, fourth = asked(client, REQUEST_USER_INPUT), asked(client, REQUEST_USER_INPUT)
    third.say("left", fourth.message.action_hash)
    assert third.refusal().reason == "action_changed"
    fourth.say("left")
    third.say("as you like")
    assert [output.text for output in end_of(team)] == ["left", "right", "as you like", "left"]


def test_t2_an_answer_is_one_of_the_choices(client):
    """T2★, A9: where there are choices, another answer, or one that only looks like one of them, is refused; an empty
    one always."""
    team = begun(client, tool("request_user_input", question="?", choices=["\u00e9", "b"]))
    question = asked(client, REQUEST_USER_INPUT)
    for wrong in ("", "c", "e\u0301", "B"):
        question.say(wrong)
        error = question.refusal()
        assert error.code == "INVALID_ARGUMENT"
        assert error.reason == ("out_of_range" if wrong else "missing_field"), wrong
    question.say("\u00e9")
    assert [output.text for output in end_of(team)] == ["\u00e9"]


@pytest.mark.parametrize("line,said", [
    (tool("request_user_input"), "`question` is missing"), (tool("request_user_input", question=" "), "empty"),
    (tool("request_user_input", question=1), "`question` is text"),
    (tool("request_user_input", question="x", choices="y"), "list of texts"),
    (tool("request_user_input", question="x", choices=["y"] * 65), "64"),
    ("!tool request_user_input x", "not JSON"),
])
def test_a9_questions_that_are_none(client, line, said):
    """A9: a fault in the arguments is told to the model; nobody is asked."""
    team = begun(client, line)
    [call] = end_of(team)
    assert (call.success, call.reason) == (False, "tool_refused") and said in call.text
    assert unasked(client)


def test_a9_a_question_has_as_many_choices_as_it_may(client):
    """A9: 64 choices are asked, each as long as it may be, and so is the longest question; one byte more of either is
    told to the model, and nobody is asked."""
    choices = [f"{n:02}" + "c" * 4_094 for n in range(64)]
    team = begun(client, tool("request_user_input", question="q" * 262_144, choices=choices))
    question = asked(client, REQUEST_USER_INPUT)
    assert (len(question.message.question), list(question.message.choices)) == (262_144, choices)
    question.say(choices[63])
    assert [call.text for call in end_of(team)] == [choices[63]]
    for wrong in ({"question": "q" * 262_145}, {"question": "x", "choices": ["y", "c" * 4_097]}):
        team = begun(client, tool("request_user_input", **wrong))
        [call] = end_of(team)
        assert (call.success, call.reason) == (False, "tool_refused") and "too long" in call.text
        assert unasked(client)


def test_a9_a_thread_that_asks_nobody_has_no_question(client):
    """A9: without asks_user the tool is not there."""
    team = begun(client, ASK, asks_user=False)
    assert [(call.success, call.reason) for call in end_of(team)] == [(False, "tool_unknown")] and unasked(client)


# Tools as they are given


@pytest.mark.parametrize("tools,reason", [
    ([{"name": ""}], "missing_field"), ([{"name": "spawn_agent"}], "reserved_name"),
    ([{"name": "request_user_input"}], "reserved_name"), ([{"name": "list_agents"}], "reserved_name"),
    ([{"name": "x"}, {"name": "x"}], "reserved_name"), ([{"name": f"t{n}"} for n in range(129)], "too_many_elements"),
    ([{"name": "x" * 5_000}], "text_too_long"), ([{"name": "x", "description": "d" * (2 << 20)}], "text_too_long"),
    ([{"name": "x", "schema": "s" * (2 << 20)}], "text_too_long"),
], ids=["no-name", "spawn", "question", "list", "twice", "129", "long-name", "long-text", "long-schema"])
def test_a9_tools_that_are_refused(client, tools, reason):
    """A9: names of the server, two of one name, none, too many, too long → INVALID_ARGUMENT; no thread is made, K."""
    error = client.refusal("Thread.Start", tools=tools, subscribe=False)
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", reason)


def test_a9_tools_as_many_and_as_large_as_they_may_be(client):
    """A9, configuration.md `tools`, `shortTextBytes`, `longTextBytes`: 128 tools are taken, a name of 256 bytes, a
    description and a schema of 256 KiB; one byte more of any is refused, whichever of the tools has it."""
    many = [{"name": f"t{n}"} for n in range(128)]
    assert len(client.call("Thread.Start", tools=many, subscribe=False).thread.tools) == 128
    limits = {"name": 256, "description": 262_144, "schema": 262_144}
    largest = {"name": "n" * 256, "description": "d" * 262_144, "schema": "s" * 262_144}
    assert client.call("Thread.Start", tools=[largest], subscribe=False).thread.tools == ["n" * 256]
    for field, limit in limits.items():
        error = client.refusal("Thread.Start", tools=[{"name": "x"}, {**largest, field: "x" * (limit + 1)}])
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "text_too_long")
        assert error.details == {"field": f"tools.{field}", "limit": str(limit)}


@pytest.mark.parametrize("name", [CALL_TOOL, REQUEST_USER_INPUT])
def test_a9_clients_do_not_call_each_other(client, name):
    """A9: a method of the server's, called by a client → wrong_direction, K."""
    error = client.refusal(name, thread=uuid.uuid4().bytes, turn=uuid.uuid4().bytes)
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "wrong_direction")
    expect_kept(client)


def test_a9_a4_an_agent_has_the_clients_tools_and_asks_who_follows_it(client):
    """A9, A4: a spawned agent may call the tools of its root's client; the agent's followers are asked, too."""
    team = begun(client, spawn("a", LOOKUP), settings={"model": "scripted-v2"})
    end_of(team)
    child = team.until_spawned("/root/a")
    client.call("Thread.Unsubscribe", thread=team.id)
    asked(client).withdrawn()
    team.followers = {child: client.follow(child, 0)}
    call = asked(client)
    assert call.message.thread == child
    call.answer("for the agent")
    assert team.until_turns(child, 1) == ["COMPLETED"]
    mail = client.follow(team.id, 0).until_event("mail_received")
    assert mail_of(mail)[2] == "The tool said: for the agent"


def test_a9_a_fork_has_the_tools_of_its_source(client):
    """A9, T3: the tools come along with a fork, and the question too."""
    team = begun(client, "x")
    end_of(team)
    fork = client.call("Thread.Fork", thread=team.id, subscribe=False).thread
    assert list(fork.tools) == ["lookup", "store"] and fork.asks_user is True
    follower = client.follow(fork.id, fork.sequence)
    turn = client.start_turn(fork.id, script(LOOKUP, ASK)).turn
    asked(client).answer("x")
    asked(client, REQUEST_USER_INPUT).say("left")
    assert turn_status(follower.until_ended(turn).status) == "COMPLETED"


def test_a9_calls_of_one_id_in_two_threads_are_two_calls(server, client):
    """A9: ids of calls are the models' and may be alike: each thread's call is asked, and only its own is taken back when
    somebody else has answered, or when the client lets go of that thread."""
    with able(server) as second:
        teams = [begun(client, LOOKUP) for _ in range(3)]
        calls = {call.message.thread: call for call in (asked(client) for _ in teams)}
        assert len(calls) == 3 and len({call.message.call_id for call in calls.values()}) == 1, "not what is tried here"
        second.follow(teams[0].id)
        asked(second).answer("by another")
        calls[teams[0].id].withdrawn()
        client.call("Thread.Unsubscribe", thread=teams[1].id)
        calls[teams[1].id].withdrawn()
        assert not any(frame.kind == CANCEL for frame in client.inbox), "another thread's call was taken back"
        calls[teams[2].id].answer("by its own")
        assert [call.text for call in end_of(teams[2])] == ["by its own"]
        assert [call.text for call in end_of(teams[0])] == ["by another"]
