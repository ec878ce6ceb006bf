"""Model providers behind HTTP, against a server that speaks their streams (docs/providers.md): what is sent, what is
stored, what is tried again, what is given up, and that a key is shown to nobody. Hostile streams are in
test_providers_hostile.py, agents in test_providers_agents.py."""

import collections
import itertools
import json
import socket
import subprocess
import sys
import time

import pytest

from harness.ends import eventually
from harness.messages import ROOT, item_pb2, item_text, settings_pb2, thread_pb2, turn_pb2
from harness.model_server import Call, Cut, Hold, ModelServer, Reply, Reset, Text, Thought, Usage, error, event, stream
from provided import HEADER_SECRET, KEYS, KINDS, Conversation, ProvidedServer, answer_call, quick

FAILED, INTERRUPTED = 3, 2
SCHEMA = '{"type":"object","properties":{"place":{"type":"string"}}}'


@pytest.fixture(scope="module")
def server(upstream, tmp_path_factory):
    """One server for all tests of this file. At its end no secret is in its log, or in anything that a client got."""
    folder = tmp_path_factory.mktemp("providers")
    key_file = folder / "key"
    key_file.write_text(KEYS["chat"] + "\n")
    headers = [f"X-Trace: {HEADER_SECRET}", "User-Agent: mine"]
    providers = {
        "responses": quick(upstream, "responses", key=KEYS["responses"], headers=headers),
        "chat": quick(upstream, "chat", keyFile=str(key_file), headers=headers),
        "anthropic": quick(upstream, "anthropic", keyVariable="A_KEY_OF_MINE", headers=headers),
        "other": quick(upstream, "responses"),
        "single": quick(upstream, "responses", concurrency=1),
        "patient": quick(upstream, "responses", concurrency=1, retryMilliseconds=60_000),
        **{f"short-{kind}": quick(upstream, kind, firstByteMilliseconds=3_000, idleMilliseconds=3_000, concurrency=1)
           for kind in KINDS},
    }
    models = {"lost": {"provider": "nobody"}, **{f"v2-{kind}": {"provider": kind, "version": "V2"} for kind in KINDS}}
    with ProvidedServer(folder, providers, models=models, features={"multiAgentMode": True},
                        environment={"A_KEY_OF_MINE": KEYS["anthropic"]}) as running:
        yield running
        assert running.alive, f"the server died: {running.log_text()[-2000:]}"
        for place, text in (("log", running.log_text().encode()), ("frames", bytes(running.received))):
            for secret in (*KEYS.values(), HEADER_SECRET):
                assert secret.encode() not in text, f"a secret is in the {place}"


def steps_with(kind: str, parts: list, before: bytes, step) -> list:
    """The stream of an answer with a step in front of the first event that has `before` in it."""
    events = stream(kind, parts)
    place = next(place for place, piece in enumerate(events) if before in piece)
    return [*events[:place], step, *events[place:]]


def in_the_middle(kind: str, *steps) -> Reply:
    """Half of an answer, then something else."""
    events = stream(kind, [Text("half of it, and the rest", 2)])
    place = next(place for place, piece in enumerate(events) if b" the rest" in piece or b"and the" in piece)
    return Reply([*events[:place], *steps])


# Answers


@pytest.mark.parametrize("kind", KINDS)
def test_text_streams_to_followers_and_is_stored(connection, model, kind):
    """Text reaches a client while the model still writes; what is stored is the whole."""
    hold = Hold()
    model.answers.append(Reply(steps_with(kind, [Text("The quick brown fox jumps.", 13)], b"fo", hold)))
    thread = Conversation(connection, kind)
    turn = thread.begin("tell me")
    seen = thread.follower.until_text()
    assert getattr(seen, seen.WhichOneof("kind")).text.startswith("Th")
    hold.let_go()
    ended = thread.ended(turn)
    deltas = "".join(message.delta.text for message in thread.follower.messages if message.HasField("delta"))
    assert (ended.status, ended.answer, deltas) == ("COMPLETED", "The quick brown fox jumps.", ended.answer)
    listed = connection.call("Thread.ListItems", thread=thread.id).items
    assert [item_text(entry.item) for entry in listed] == ["tell me", "The quick brown fox jumps."]
    [request] = model.requests
    assert (request.kind, request.body["model"], request.body["stream"]) == (kind, kind, True)
    assert request.of("user") == [("tell me",)]


@pytest.mark.parametrize("kind", KINDS)
def test_usage_is_in_the_turn_and_adds_up_in_the_thread(connection, model, kind):
    """U5: tokens as the provider counts them, cached ones within the input."""
    model.answers += [Reply(stream(kind, [Text("one")], Usage(100, 40, 20))),
                      Reply(stream(kind, [Text("two")], Usage(7, 0, 3)))]
    thread = Conversation(connection, kind)
    used = [thread.turn().ended.usage for _ in range(2)]
    assert [(usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) for usage in used] == [
        (100, 40, 20), (7, 0, 3)]
    total = thread.follower.of_kind("usage_reported")[-1].usage_reported.thread_usage
    assert (total.input_tokens, total.output_tokens) == (107, 23)


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_without_usage_is_as_good(connection, model, kind):
    """Many servers count nothing."""
    model.answers.append(Reply(stream(kind, [Text("fine")], None)))
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.answer, turn.ended.usage.output_tokens in (0, 1)) == ("COMPLETED", "fine", True)


@pytest.mark.parametrize("kind", KINDS)
def test_thoughts_go_back_to_their_provider_only(connection, model, kind):
    """A thought is stored, goes back as it came to the provider that thought it, and to no other."""
    model.answers.append([Thought("hm, rain?", "ENCRYPTED-BLOB"), Text("Rain.")])
    thread = Conversation(connection, kind, reasoning_effort="low")
    first = thread.turn("weather?")
    [thought] = [item.reasoning for item in first.items if item.HasField("reasoning")]
    assert list(thought.summary) == ["hm, rain?"]
    for name in (kind, "other", kind):
        assert thread.turn("and?", settings={"model": name, "model_provider": name}).status == "COMPLETED"
    own = [("ENCRYPTED-BLOB",)] if kind != "chat" else []
    assert [request.of("thought") for request in model.requests] == [[], own, [], own]
    assert "ENCRYPTED-BLOB" not in json.dumps(model.requests[2].body)
    if kind == "anthropic":
        [block] = [block for message in model.requests[1].body["messages"] for block in message["content"]
                   if block["type"] == "thinking"]
        assert block == {"type": "thinking", "thinking": "hm, rain?", "signature": "ENCRYPTED-BLOB"}
    if kind == "responses":
        assert model.requests[0].body["include"] == ["reasoning.encrypted_content"]
        assert model.requests[0].body["store"] is False


@pytest.mark.parametrize("kind", KINDS)
def test_parallel_calls_go_back_in_pairs(server, model, kind):
    """Two calls of one answer are both carried out; the next request has each with its output."""
    with server.connect(features=["call_tool"], unwanted_notifications=["thread_started"]) as connection:
        calls = [Call("weather", '{"place": "Rome"}', "c-1"), Call("weather", '{"place": "Oslo"}', "c-2", 5)]
        model.answers += [[Text("I look."), *calls], [Text("Sun and snow.")]]
        tool = thread_pb2.StartThreadRequest().tools.add(name="weather", description="Says it.", schema=SCHEMA)
        thread = Conversation(connection, kind, tools=[tool])
        turn = thread.begin("where is it warm?")
        asked = {}
        for _ in range(2):
            call = answer_call(connection, f"answer {len(asked) + 1}")
            asked[call.call_id] = (json.loads(call.arguments)["place"], f"answer {len(asked) + 1}")
        ended = thread.ended(turn)
    assert (ended.status, ended.answer) == ("COMPLETED", "I look.Sun and snow.")
    assert {call: place for call, (place, _) in asked.items()} == {"c-1": "Rome", "c-2": "Oslo"}
    first, second = model.requests
    assert first.tools == second.tools == ["weather"]
    after = second.said[second.said.index(("user", "where is it warm?")) + 1:]
    assert [entry[:2] for entry in after] == [
        ("assistant", "I look."), ("call", "c-1"), ("call", "c-2"), ("output", "c-1"), ("output", "c-2")]
    assert [json.loads(entry[3]) for entry in after[1:3]] == [{"place": "Rome"}, {"place": "Oslo"}]
    assert [entry[2] for entry in after[3:]] == [asked["c-1"][1], asked["c-2"][1]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("arguments", "said"), [
    ('{"place": ', ["not JSON", "at byte 10", "one JSON object"]),
    ('{"place": "Rome"} and more', ["not JSON", "at byte 18", "one JSON object"]),
    ("[" * 1_000, ["not JSON", "at byte 64", "one JSON object"]), ('["Rome"]', ["not one JSON object"]),
], ids=["cut", "more text", "nested deep", "a list"])
def test_arguments_that_are_no_object_become_the_output_of_their_call(server, model, kind, arguments, said):
    """A10 the call is kept as it was written, no client is asked, its output says what is wrong and where, and the turn
    goes on; the provider gets an object back, which shows the text."""
    with server.connect(features=["call_tool"], unwanted_notifications=["thread_started"]) as connection:
        model.answers += [[Call("weather", arguments, "c-1"), Call("weather", '{"place": "Oslo"}', "c-2")],
                          [Text("I give up.")]]
        tool = thread_pb2.StartThreadRequest().tools.add(name="weather", description="Says it.", schema=SCHEMA)
        thread = Conversation(connection, kind, tools=[tool])
        turn = thread.begin("where is it warm?")
        assert answer_call(connection, "snow").call_id == "c-2"
        ended = thread.ended(turn)
        assert (ended.status, ended.answer, ended.retries) == ("COMPLETED", "I give up.", [])
    assert [item.tool_call.arguments for item in ended.items if item.HasField("tool_call")][0] == arguments
    wrong, right = [item.tool_output for item in ended.items if item.HasField("tool_output")]
    assert (wrong.call_id, wrong.success, wrong.reason, right.call_id) == ("c-1", False, "tool_refused", "c-2")
    assert all(words in wrong.content[0].text for words in said), wrong.content[0].text
    first, second = model.requests
    assert [(call, json.loads(text)) for call, _, text in second.of("call")] == [
        ("c-1", {"INVALID_JSON": arguments}), ("c-2", {"place": "Oslo"})]
    assert second.of("output") == [("c-1", wrong.content[0].text), ("c-2", "snow")]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_answer_completes_the_turn(connection, model, kind):
    """A model may have nothing to say."""
    model.answers.append([] if kind != "chat" else Reply(stream("chat", [])))
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.answer) == ("COMPLETED", "")


# Requests


def test_instructions_hints_and_modes_come_in_their_roles(connection, model):
    """Base and developer instructions, the usage hint and the mode reach each API in the role it has for them; a mode
    that changes later is told in the place where it changed."""
    mode = settings_pb2.MultiAgentMode.Value
    for kind in KINDS:
        model.requests.clear()
        thread = Conversation(connection, f"v2-{kind}", base_instructions="BASE", developer_instructions="DEV",
                              mode={"set": mode("MULTI_AGENT_MODE_PROACTIVE")})
        thread.turn("first")
        thread.turn("second", settings={"mode": {"set": mode("MULTI_AGENT_MODE_EXPLICIT_REQUEST_ONLY")}})
        first, second = model.requests
        front = "\n".join(text for (text,) in first.of("system"))
        if kind == "responses":
            assert (first.body["instructions"], front) == ("BASE", "BASE")
            developer = "\n".join(text for (text,) in first.of("developer"))
            assert all(item["role"] in ("developer", "user", "assistant") for item in second.body["input"])
        else:
            assert front.startswith("BASE\n")
            developer = front
        assert all(text in developer for text in ("DEV", "`/root`", "<multi_agent_mode>")), developer
        assert developer.count("<multi_agent_mode>") == 1
        later = second.said[second.said.index(("user", "first")) + 1:]
        roles = {"responses": "developer", "chat": "user", "anthropic": "user"}
        told = [role for role, text in later if "<multi_agent_mode>" in text]
        assert told == [roles[kind]], later
        if kind != "responses":
            assert any(text.startswith("<developer_message>\n<multi_agent_mode>") for _, text in later)
        assert "spawn_agent" in first.tools


def test_keys_and_headers_are_sent_and_ours_win(connection, model):
    """The key is where each API wants it, from the setting, a file, a variable; a configured header replaces ours."""
    for kind in KINDS:
        Conversation(connection, kind).turn()
        headers = model.requests[-1].headers
        bearer = headers.get("x-api-key") if kind == "anthropic" else headers.get("authorization", "")[len("Bearer "):]
        assert bearer == KEYS[kind]
        assert (headers["x-trace"], headers["user-agent"]) == (HEADER_SECRET, "mine")
        assert headers["content-type"] == "application/json"
    assert headers["anthropic-version"] == "2023-06-01"
    thread = Conversation(connection, "other")
    thread.turn()
    headers = model.requests[-1].headers
    assert "authorization" not in headers
    assert bytes.fromhex(headers["thread-id"].replace("-", "")) == thread.id
    assert headers["session-id"] == headers["thread-id"]


def test_settings_are_translated(connection, model):
    """Effort, tier, temperature and the shape of the answer, in the words of each API."""
    schema = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}'
    bodies = {}
    for kind in KINDS:
        Conversation(connection, kind, reasoning_effort="high", service_tier="flex", temperature=0.5).turn(
            output_schema=schema)
        bodies[kind] = model.requests[-1].body
    for body in bodies.values():
        assert body["service_tier"] == "flex"
    assert bodies["responses"]["reasoning"] == {"effort": "high"}
    assert bodies["responses"]["text"]["format"]["schema"] == json.loads(schema)
    assert (bodies["responses"]["temperature"], bodies["chat"]["temperature"]) == (0.5, 0.5)
    assert bodies["chat"]["reasoning_effort"] == "high"
    assert bodies["chat"]["response_format"]["json_schema"]["schema"] == json.loads(schema)
    assert bodies["anthropic"]["thinking"]["type"] == "adaptive" and "temperature" not in bodies["anthropic"]
    assert bodies["anthropic"]["output_config"]["format"]["schema"] == json.loads(schema)


def test_what_a_provider_is_configured_to_be_sent(tmp_path, model):
    """docs/providers.md: `maximumOutputTokens`, `encryptsThoughts`, `budgetsThoughts` and `developerRole`, other than
    they are without configuration, are in every request that they concern."""
    mode, most = settings_pb2.MultiAgentMode.Value, 5_000
    providers = {kind: quick(model, kind, maximumOutputTokens=most, encryptsThoughts=False, budgetsThoughts=True,
                             developerRole="developer") for kind in KINDS}
    sent = {}
    with ProvidedServer(tmp_path, providers, models={kind: {"version": "V2"} for kind in KINDS},
                        features={"multiAgentMode": True}) as server, server.connect() as connection:
        for kind in KINDS:
            thread = Conversation(connection, kind, reasoning_effort="high")
            thread.turn("first")
            assert thread.turn("second", settings={"mode": {"set": mode("MULTI_AGENT_MODE_PROACTIVE")}}).status == \
                "COMPLETED"
            sent[kind] = model.requests[-1].body
    assert (sent["responses"]["max_output_tokens"], "include" in sent["responses"]) == (most, False)
    assert sent["chat"]["max_tokens"] == most
    [told] = [message for message in sent["chat"]["messages"][1:] if "<multi_agent_mode>" in message["content"]]
    assert told["role"] == "developer" and told["content"].startswith("<multi_agent_mode>")
    assert sent["anthropic"]["max_tokens"] == most
    # The largest budget that leaves room for an answer.
    assert sent["anthropic"]["thinking"] == {"type": "enabled", "budget_tokens": most - 1_024}
    assert "output_config" not in sent["anthropic"]


def test_images_reach_every_api(connection, model):
    """An image as a data URL, in the form of each API."""
    url = "data:image/png;base64,iVBORw0KGgo="
    content = [item_pb2.ContentPart(text="what is it?"), item_pb2.ContentPart(image=item_pb2.ImagePart(url=url))]
    sent = {}
    for kind in KINDS:
        thread = Conversation(connection, kind)
        turn = connection.call("Turn.Start", thread=thread.id, input=turn_pb2.TurnInput(content=content)).turn
        assert thread.ended(turn).status == "COMPLETED"
        sent[kind] = json.dumps(model.requests[-1].body)
    assert f'"image_url": "{url}"' in sent["responses"] and f'"url": "{url}"' in sent["chat"]
    assert '"media_type": "image/png", "data": "iVBORw0KGgo="' in sent["anthropic"]


def test_what_never_leaves(tmp_path, model):
    """Names, metadata, folders, tenants, tokens and clients are nobody's business but ours."""
    secrets = ["a-thread-name", "a-metadata-name", "a-metadata-value", "/home/a-folder", "a-tenant-of-ours", "t" * 40,
               "a-client-name", "a-client-id"]
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{'t' * 40} a-tenant-of-ours\n")
    providers = {kind: quick(model, kind) for kind in KINDS}
    with ProvidedServer(tmp_path, providers, "--token-file", str(tokens)) as server, \
            server.connect("t" * 40, client_name="a-client-name") as connection:
        for kind in KINDS:
            thread = Conversation(connection, kind, working_folder="/home/a-folder",
                                  metadata=[{"name": "a-metadata-name", "value": "a-metadata-value"}])
            connection.call("Thread.SetName", thread=thread.id, name="a-thread-name")
            content = turn_pb2.TurnInput(content=[item_pb2.ContentPart(text="hello")], client_id="a-client-id")
            turn = connection.call("Turn.Start", thread=thread.id, input=content).turn
            assert thread.ended(turn).status == "COMPLETED"
    assert len(model.requests) == 3
    for request in model.requests:
        sent = json.dumps([request.path, request.headers, request.body])
        assert [secret for secret in secrets if secret in sent] == []


# Retries


def test_a_rate_limit_is_waited_for_as_long_as_the_provider_asks(connection, model):
    """attacks.md M24 429 with Retry-After: one event that says how long, then another request, not before.
    `RetryPolicyTests` has every form of the header."""
    kind = "chat"
    model.answers += [error(429, "slow down", "rate_limit_error", retry_after_ms="300"), [Text("now")]]
    thread = Conversation(connection, kind)
    turn = thread.begin()
    first, second = model.wait(2)
    # From before the refusal was sent to behind the next request: no less than what was waited, on any machine.
    waited = (second.at - first.at) * 1000
    ended = thread.ended(turn)
    [retry] = ended.retries
    assert (ended.status, ended.answer, retry.attempt, retry.error.reason) == (
        "COMPLETED", "now", 1, "model_rate_limited")
    assert 300 <= retry.wait_ms <= 310
    assert waited >= retry.wait_ms - 5, (waited, retry.wait_ms)


def test_many_threads_that_are_refused_at_once_all_get_their_answers(connection, model):
    """M24★: forty turns at three providers, each refused twice, are forty answers of their own."""
    seen = collections.Counter()

    def brain(request):
        [text] = request.of("user")[0]
        with model.changed:
            seen[text] += 1
            return error(503, "busy") if seen[text] <= 2 else [Text(f"to {text}")]
    model.brain, own = brain, model.brain
    try:
        begun = [(f"turn {n}", thread := Conversation(connection, KINDS[n % 3]), thread.begin(f"turn {n}"))
                 for n in range(40)]
        for text, thread, turn in begun:
            ended = thread.ended(turn)
            assert (ended.status, ended.answer, len(ended.retries)) == ("COMPLETED", f"to {text}", 2)
    finally:
        model.brain = own
    assert set(seen.values()) == {3}


def test_a_wait_that_is_too_long_ends_the_turn(connection, model):
    """Nobody waits for an hour in a turn: it fails at once and says why."""
    model.answers.append(error(429, retry_after="3600"))
    turn = Conversation(connection, "responses").turn()
    assert (turn.status, turn.reason, turn.retries, len(model.requests)) == ("FAILED", "model_rate_limited", [], 1)


PASSING = {
    "429": (lambda kind: error(429, "slow", "rate_limit_error"), "model_rate_limited"),
    "500": (lambda kind: error(500, "oops", "server_error"), "model_failed"),
    "503 with HTML": (lambda kind: Reply([b"<html>gone</html>"], 503, type="text/html"), "model_failed"),
    "529": (lambda kind: error(529, "busy", "overloaded_error"), "model_rate_limited"),
    "reset before the head": (lambda kind: Reply(before=[Reset()]), "model_failed"),
    "closed before the head": (lambda kind: Reply(before=[Cut()]), "model_failed"),
    "reset in the middle": (lambda kind: in_the_middle(kind, Reset()), "model_output_invalid"),
    "cut in the middle": (lambda kind: in_the_middle(kind, Cut()), "model_output_invalid"),
    "a body that ends early": (lambda kind: in_the_middle(kind), "model_output_invalid"),
    "an error in the stream": (lambda kind: in_the_middle(kind, mid_error(kind)), "model_rate_limited"),
}


def mid_error(kind: str) -> bytes:
    """How each API says in the middle of a stream that it is overloaded."""
    inner = {"type": "overloaded_error", "code": "overloaded", "message": "too much to do"}
    return event({"type": "error", "error": inner} if kind != "chat" else {"error": inner}, "error")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again_and_seen(connection, model, kind, fault):
    """M24★ each failed try is an event; what it said is cut off, is not in the answer, and not in the next request."""
    make, reason = PASSING[fault]
    model.answers += [make(kind), make(kind), [Text("whole")]]
    thread = Conversation(connection, kind)
    turn = thread.turn()
    assert (turn.status, turn.answer, len(model.requests)) == ("COMPLETED", "whole", 3)
    assert [(retry.attempt, retry.error.reason) for retry in turn.retries] == [(1, reason), (2, reason)]
    assert all(retry.error.message for retry in turn.retries)
    cut_off = [item_text(item) for item in turn.items if item.status == FAILED]
    if "early" in fault or "stream" in fault:
        assert cut_off == ["half of it, "] * 2
    else:
        # A connection that breaks may take along what came last.
        assert set(cut_off) <= ({"half of it, "} if "middle" in fault else set())
    thread.turn("next")
    assert model.requests[-1].of("assistant") == [("whole",)]


@pytest.mark.parametrize("kind", KINDS)
def test_retries_come_to_an_end(connection, model, kind):
    """M24★ four further tries after the first, each an event, then the turn fails with the last reason."""
    model.answers += [error(500, "oops")] * 6
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.reason, len(model.requests)) == ("FAILED", "model_failed", 5)
    assert [retry.attempt for retry in turn.retries] == [1, 2, 3, 4]
    assert kind in turn.message and "HTTP 500: oops" in turn.message


REFUSALS = {
    400: ("model_failed", "settings"), 401: ("model_unauthorized", "key"), 402: ("model_rate_limited", "billing"),
    403: ("model_unauthorized", "key"), 404: ("model_failed", "such model or address"),
    422: ("model_failed", "settings"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", REFUSALS)
def test_a_refusal_is_not_tried_again_and_says_what_to_do(connection, model, kind, status):
    """One request, a typed error, words to act on; the provider's own text only without secrets."""
    reason, hint = REFUSALS[status]
    model.answers.append(error(status, f"no\x1b[31m to {KEYS[kind]} and {HEADER_SECRET}\n"))
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.reason, turn.retries, len(model.requests)) == ("FAILED", reason, [], 1)
    assert hint in turn.message and kind in turn.message
    assert "\x1b" not in turn.message and "\n" not in turn.message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", ["server_error", "api_error", "timeout_error"])
def test_a_refusal_that_calls_itself_a_failure_is_not_tried_again(connection, model, kind, code):
    """docs/providers.md: HTTP 400 ends the turn at the first try, whatever type its body has."""
    model.answers.append(error(400, "no such thing", code, code))
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.reason, turn.retries, len(model.requests)) == ("FAILED", "model_failed", [], 1)
    assert "HTTP 400: no such thing" in turn.message


def test_a_context_that_is_too_long_is_summed_up_once(connection, model):
    """T7: the history is put into a summary by the same provider, without tools, and the request made again."""
    for kind in KINDS:
        model.requests.clear()
        thread = Conversation(connection, f"v2-{kind}")
        thread.turn("much to remember")
        model.answers += [error(400, "too long", "invalid_request_error", "context_length_exceeded"),
                          [Text("THE SUMMARY")], [Text("fine again")]]
        turn = thread.turn("go on")
        assert (turn.status, turn.answer) == ("COMPLETED", "fine again"), turn.ended
        refused, summing, again = model.requests[1:]
        assert (summing.tools, again.tools) == ([], refused.tools)
        assert "THE SUMMARY" in json.dumps(again.body) and "go on" in json.dumps(again.body)


# Failures without a retry


@pytest.mark.parametrize("silence,kind", [
    ("before the head", "responses"), ("before the first byte", "chat"), ("in the middle", "anthropic"),
    ("comments only", "responses")])
def test_silence_ends_the_turn_and_frees_the_slot(connection, server, model, kind, silence):
    """M22★ `model_timeout`, not tried again; the connection is closed and the only slot goes to the next turn.
    `HTTPModelProviderTests` has every silence of every API, to the millisecond."""
    model.answers.append({
        "before the head": lambda: Reply(before=[Hold()]),
        "before the first byte": lambda: Reply([Hold()]),
        "in the middle": lambda: in_the_middle(kind, Hold()),
        # An endless line is no progress.
        "comments only": lambda: in_the_middle(kind, *[b": ", 0.5, b"still ", 0.5, b"here", Hold()]),
    }[silence]())
    thread = Conversation(connection, f"short-{kind}")
    first, second = thread.begin("one"), thread.begin("two")
    ended = thread.ended(first)
    assert (ended.status, ended.reason, ended.retries) == ("FAILED", "model_timeout", [])
    assert "3000 ms" in ended.message
    assert model.requests[0].gone.wait(60), "the connection was kept"
    assert thread.ended(second).status == "COMPLETED"
    eventually(lambda: server.status_of(connection, f"short-{kind}").running == 0, "the slot is not free")


def test_signs_of_life_are_no_answer(tmp_path, model):
    """U7 comments and empty events for ever: `model_timeout` after `modelContentMilliseconds`, not tried again; the
    connection is closed. `HTTPModelProviderTests` has every API's signs of life."""
    kind, sign = "responses", event({"type": "response.in_progress", "response": {}})
    signs = itertools.chain.from_iterable(itertools.repeat([b": ping\n\n", sign, 0.05]))
    half = in_the_middle(kind)
    model.answers.append(Reply(itertools.chain(half.steps, signs)))
    with ProvidedServer(tmp_path, {kind: quick(model, kind)}, limits={"modelContentMilliseconds": 2_000}) as server, \
            server.connect() as connection:
        ended = Conversation(connection, kind).turn()
        assert (ended.status, ended.reason, ended.retries) == ("FAILED", "model_timeout", [])
        assert "nothing of an answer came for 2000 ms" in ended.message
        assert model.requests[0].gone.wait(60), "the connection was kept"


def test_a_turn_that_takes_too_long(tmp_path, model):
    """U7 a model that writes without end ends with `turn_timeout` where turns have a limit, and its connection with it."""
    *front, last = in_the_middle("chat").steps
    model.answers.append(Reply(itertools.chain(
        [*front, last], itertools.chain.from_iterable(itertools.repeat([last, 0.05])))))
    with ProvidedServer(tmp_path, {"chat": quick(model, "chat")}, limits={"turnMilliseconds": 3_000}) as server, \
            server.connect() as connection:
        ended = Conversation(connection, "chat").turn()
        assert (ended.status, ended.reason, ended.retries) == ("FAILED", "turn_timeout", [])
        assert "longer than 3 s" in ended.message
        assert model.requests[0].gone.wait(60), "the connection was kept"


def test_a_provider_that_does_not_take_connections(tmp_path, model):
    """Connecting has its own time; a refused connection is tried again at once, and both say what to check."""
    with socket.socket() as full, socket.socket() as closed:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        closed.bind(("127.0.0.1", 0))
        # One more than the queue has places: the next one is not answered at all.
        crowd = [socket.socket() for _ in range(2)]
        for one in crowd:
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        def provider(of, **settings):
            return {"kind": "chat", "baseURL": f"http://127.0.0.1:{of.getsockname()[1]}/v1", "retryMilliseconds": 1,
                    **settings}
        providers = {"full": provider(full, connectMilliseconds=300, retries=1, concurrency=1),
                     "closed": provider(closed, retries=2), "fine": quick(model, "chat")}
        with ProvidedServer(tmp_path, providers) as server, server.connect() as connection:
            thread = Conversation(connection, "full")
            turns = [thread.begin(), thread.begin()]
            for turn in turns:
                ended = thread.ended(turn)
                assert (ended.status, ended.reason) == ("FAILED", "model_timeout")
                assert [retry.error.reason for retry in ended.retries] == ["model_timeout"]
                assert "300 ms" in ended.message
            ended = Conversation(connection, "closed").turn()
            assert (ended.status, ended.reason, len(ended.retries)) == ("FAILED", "model_failed", 2)
            assert "address" in ended.message
            assert Conversation(connection, "fine").turn().status == "COMPLETED"
        for one in crowd:
            one.close()


# Order of requests


def test_a_provider_is_asked_as_often_at_once_as_it_allows(connection, server, model):
    """Concurrency 1: the second request comes when the first is answered; Status shows who waits."""
    holds = [Hold() for _ in range(3)]
    model.answers += [Reply([hold, *stream("responses", [Text("x")])]) for hold in holds]
    threads = [Conversation(connection, "single") for _ in range(3)]
    turns = [thread.begin() for thread in threads]
    model.wait(1)
    deadline = time.monotonic() + 60
    while (status := server.status_of(connection, "single")).waiting < 2:
        assert time.monotonic() < deadline, status
    assert (status.running, status.waiting, status.limit, len(model.requests)) == (1, 2, 1, 1)
    for count, hold in enumerate(holds, 1):
        assert len(model.wait(count)) == count, "asked more than once at a time"
        hold.let_go()
    for thread, turn in zip(threads, turns):
        assert thread.ended(turn).status == "COMPLETED"
    eventually(lambda: server.status_of(connection, "single").running == 0, "the slot is not free")


def test_tenants_take_turns_at_a_provider(tmp_path, model):
    """One tenant's queue holds up another one's turn by a single place."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{'a' * 40} alice\n{'b' * 40} bob\n")
    hold = Hold()
    model.answers.append(Reply([hold, *stream("responses", [Text("x")])]))
    with ProvidedServer(tmp_path, {"single": quick(model, "responses", concurrency=1)}, "--token-file",
                        str(tokens)) as server, \
            server.connect("a" * 40) as alice, server.connect("b" * 40) as bob:
        begun = []
        for name in ("a1", "a2", "a3", "a4"):
            thread = Conversation(alice, "single")
            begun.append((thread, thread.begin(name)))
            waiting_until(server, alice, len(begun) - 1)
        thread = Conversation(bob, "single")
        begun.append((thread, thread.begin("b1")))
        waiting_until(server, bob, 4)
        hold.let_go()
        for thread, turn in begun:
            assert thread.ended(turn).status == "COMPLETED"
    order = [request.of("user")[0][0] for request in model.requests]
    assert order == ["a1", "a2", "b1", "a3", "a4"]


def waiting_until(server, connection, count: int):
    deadline = time.monotonic() + 60
    while (status := server.status_of(connection, "single")).waiting < count or not status.running:
        assert time.monotonic() < deadline, status
        time.sleep(0.01)  # nobody is told who waits, and a tenant has a rate


def test_several_providers_answer_at_the_same_time(connection, model):
    """A turn at each provider, none waits for another: they end in the reverse order."""
    holds = {}
    for kind in KINDS:
        holds[kind] = Hold()
    model.brain, brain = (lambda request: Reply([holds[request.kind], *stream(request.kind, [Text(request.kind)])])), \
        model.brain
    try:
        begun = [(kind, thread := Conversation(connection, kind), thread.begin()) for kind in KINDS]
        model.wait(3)
        for kind, thread, turn in reversed(begun):
            holds[kind].let_go()
            assert thread.ended(turn).answer == kind
    finally:
        model.brain = brain


def test_a_provider_without_a_bound_is_asked_by_all_at_once(connection, model):
    """docs/providers.md, `concurrency` 0: no limit, not one of the connection pool either."""
    hold = Hold()
    model.answers += [Reply([hold, *stream("responses", [Text("x")])])] * 12
    threads = [Conversation(connection, "other") for _ in range(12)]
    turns = [thread.begin() for thread in threads]
    try:
        assert len(model.wait(12)) == 12
    finally:
        hold.let_go()
    for thread, turn in zip(threads, turns):
        ended = thread.ended(turn)
        assert (ended.status, ended.answer, ended.retries) == ("COMPLETED", "x", [])


def test_a_model_of_a_provider_that_is_not_configured(connection, model):
    """Its turns fail and say so; nobody else is asked instead."""
    turn = Conversation(connection, "lost").turn()
    assert (turn.status, turn.reason, model.requests) == ("FAILED", "model_provider_missing", [])
    assert "nobody" in turn.message


# Interruption and crash


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["before the head", "in the middle"])
def test_an_interrupt_closes_the_connection(connection, model, kind, place):
    """U3: the turn ends and the provider's connection is closed while the provider still holds its stream."""
    hold = Hold()
    model.answers.append(Reply(before=[hold]) if place == "before the head" else in_the_middle(kind, hold))
    thread = Conversation(connection, kind)
    turn = thread.begin()
    [request] = model.wait(1)
    if place == "in the middle":
        thread.follower.until_text()
    thread.interrupt(turn)
    assert thread.ended(turn).status == "INTERRUPTED"
    assert request.gone.wait(50), "the provider still writes for nobody"
    assert not hold.free.is_set()
    assert thread.turn("next").status == "COMPLETED"


def test_an_interrupt_ends_waiting_for_a_place_and_for_a_retry(connection, server, model):
    """U3 where no connection is open: the slot of the one, and the place of the other, are free at once."""
    model.answers.append(error(500, "oops", retry_after="50"))
    waits, queues = Conversation(connection, "patient"), Conversation(connection, "patient")
    first = waits.begin()
    waits.follower.until_event("model_retried")
    second = queues.begin()
    deadline = time.monotonic() + 60
    while server.status_of(connection, "patient").waiting < 1:
        assert time.monotonic() < deadline
    for thread, turn in ((queues, second), (waits, first)):
        thread.interrupt(turn)
        assert thread.ended(turn).status == "INTERRUPTED"
    assert Conversation(connection, "patient").turn().status == "COMPLETED"
    assert len(model.requests) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_kill_in_the_middle_of_a_stream(tmp_path, model, kind):
    """M25★, D5, U4: what was streamed and safe is there, the turn is interrupted once, the next one runs."""
    model.answers.append(in_the_middle(kind, Hold()))
    with ProvidedServer(tmp_path, {kind: quick(model, kind)}) as server:
        with server.connect() as connection:
            thread = Conversation(connection, kind)
            turn = thread.begin("before")
            checkpoint = thread.follower.until_event("item_checkpoint").item_checkpoint
            server.kill()
        assert model.requests[0].gone.wait(60)
        server.start()
        with server.connect() as connection:
            ends = [event.turn_ended for event in connection.history(thread.id)
                    if event.WhichOneof("kind") == "turn_ended"]
            assert [(end.turn, end.status) for end in ends] == [(turn, turn_pb2.TURN_STATUS_INTERRUPTED)]
            listed = [entry.item for entry in connection.call("Thread.ListItems", thread=thread.id).items]
            [cut_off] = [item for item in listed if item.status == INTERRUPTED]
            assert item_text(cut_off) == checkpoint.text == "half of it, "
            state, follower = connection.resume_followed(thread.id)
            follower.run("after", thread=thread.id)
    assert [text for text, in model.requests[-1].of("user")][0] == "before"
    assert ("after",) in model.requests[-1].of("user")


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_is_told_to_end_lets_go_of_its_providers(tmp_path, model, kind):
    """SIGTERM in the middle of a stream: the server ends in good order after its time, the connection is closed, and the
    next start has the turn interrupted once, with its text."""
    model.answers.append(in_the_middle(kind, Hold()))
    with ProvidedServer(tmp_path, {kind: quick(model, kind)}, limits={"drainMilliseconds": 200}) as server:
        with server.connect() as connection:
            thread = Conversation(connection, kind)
            thread.begin()
            thread.follower.until_event("item_checkpoint")
            server.terminate()
            assert server.wait(60) == 0
        assert model.requests[0].gone.wait(60)
        server.start()
        with server.connect() as connection:
            ends = [event.turn_ended.status for event in connection.history(thread.id)
                    if event.WhichOneof("kind") == "turn_ended"]
            assert ends == [turn_pb2.TURN_STATUS_INTERRUPTED]
            state, follower = connection.resume_followed(thread.id)
            follower.run("after", thread=thread.id)


# Addresses that get the key


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused(connection, model, kind, status):
    """The key is for the configured address: another one gets no request, and the error says what to configure."""
    with ModelServer() as elsewhere:
        location = elsewhere.url + "/responses"
        model.answers.append(Reply([b""], status, {"Location": location}, framing="length", type=None))
        turn = Conversation(connection, kind).turn()
        assert (turn.status, turn.reason, turn.retries) == ("FAILED", "model_failed", [])
        assert "points elsewhere" in turn.message and elsewhere.connections == 0
    assert len(model.requests) == 1


def test_the_model_server_by_hand(tmp_path):
    """docs/providers.md: started from a prompt it echoes and calls tools, in every API."""
    command = [sys.executable, ROOT / "Tests" / "harness" / "model_server.py", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            url = json.loads(process.stdout.readline())["url"]
            providers = {kind: {"kind": kind, "baseURL": url} for kind in KINDS}
            models = {kind: {"version": "V1"} for kind in KINDS}
            with ProvidedServer(tmp_path, providers, models=models) as server, server.connect() as connection:
                for kind in KINDS:
                    thread = Conversation(connection, kind)
                    assert thread.turn("hello").answer == "You said: hello"
                    turn = thread.turn('!think hm\n!tool nothing {"a": 1}\n!then\n!say Done.')
                    assert turn.answer == "Done."
                    assert [item.tool_call.name for item in turn.items if item.HasField("tool_call")] == ["nothing"]
        finally:
            process.terminate()


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_whose_first_try_broke_off_is_the_second_one(connection, model, kind):
    """T7, M24★: what was written before another try does not count, in a summary either."""
    thread = Conversation(connection, kind)
    thread.turn("much to remember")
    model.answers += [in_the_middle(kind), [Text("THE SUMMARY")]]
    turn = thread.ended(connection.call("Thread.Compact", thread=thread.id).turn)
    assert (turn.status, len(turn.retries)) == ("COMPLETED", 1)
    [event] = turn.of_kind("context_compacted")
    assert event.compaction.summary == "THE SUMMARY"
