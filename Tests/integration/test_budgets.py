"""rules.md S1, U1, U5, T7, M7, A3, attacks.md R18, T5: budgets of tokens, turns of a tenant, contexts that are summed
up, over real sockets; what a model was given is read from the request record."""

import json

import pytest

from agents import GATE, STALL, V1, V2, Team, agents_server, calls_of, held, script, spawn, spawn_v1, state_name, tool
from harness.messages import METHODS, turn_status, words
from harness.server import Server
from harness.wire import RESPONSE, HeddleError
from provided import answer_call
from recorded import features, quiet

ALICE, BOB = "alice-" + "a" * 40, "bob-" + "b" * 42
NOTHING = tool("no_such_tool")
INTRODUCTION = "The conversation so far was replaced by this summary of it:"
PROACTIVE = {"mode": {"set": 2}}
LONG = "!repeat 300\n!say yyyyyyyyyy"  # 750 tokens of output for a few of input


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    with agents_server(tmp_path_factory.mktemp("budgets"), **features(multi_agent_mode=True)) as pair:
        yield pair[0]


@pytest.fixture
def connection(recorded):
    with quiet(recorded) as connected:
        yield connected


def total(usage) -> int:
    return usage.input_tokens + usage.output_tokens


def read(connection, thread: bytes):
    return connection.call("Thread.Read", thread=thread).thread


def check_refusal(error: HeddleError, kind: str, limit: int, used: int | None = None):
    """attacks.md T5: RESOURCE_EXHAUSTED quota{kind}, with what is used and what is allowed."""
    assert (error.code, error.reason, error.details["kind"]) == ("RESOURCE_EXHAUSTED", "quota", kind)
    assert error.details["limit"] == str(limit) and int(error.details["used"]) >= limit
    assert used is None or error.details["used"] == str(used)


# Tokens


def test_u5_usage_is_the_sum_of_what_the_model_reported(connection, recorded):
    """U5, U6: each report adds up to its turn, its thread, the tree and the tenant; the turn's end has the turn's sum;
    the same after the thread was read from disk."""
    before = connection.call("Server.Status").usage
    team = Team.start(recorded, connection)
    team.run(NOTHING, spawn("a"), "!say three steps")
    team.until_mail(1)
    team.run("another turn")
    reports = [event.usage_reported for event in team.follower.of_kind("usage_reported")]
    ends = [event.turn_ended.usage for event in team.follower.of_kind("turn_ended")]
    assert total(reports[-1].thread_usage) == sum(total(report.usage) for report in reports)
    assert sum(total(usage) for usage in ends) == total(reports[-1].thread_usage) > 0
    assert read(connection, team.id).usage == reports[-1].thread_usage
    turns = connection.call("Thread.ListTurns", thread=team.id).turns
    assert [turn.usage for turn in reversed(turns)] == ends
    tree = team.listed()
    assert total(tree.usage) == sum(total(agent.usage) for agent in tree.agents)
    assert total(connection.call("Server.Status").usage) - total(before) == total(tree.usage)


def test_s1_a_turn_whose_budget_is_used_up_asks_the_model_no_more(connection, recorded):
    """S1, U5 turn_tokens: the turn ends `failed quota` with a text that names the budget; the next turn has its own."""
    team = Team.start(recorded, connection, settings={"turn_tokens": 150})
    turn = team.begin(*[NOTHING] * 20, "x" * 200)
    ended = team.follower.until_ended(turn)
    assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "quota")
    assert "turn_tokens" in ended.error.message and "150" in ended.error.message
    asked = len(team.requests())
    assert 1 <= asked < 20 and total(ended.usage) >= 150
    before = total(team.follower.of_kind("usage_reported")[-2].usage if asked > 1 else ended.usage)
    assert asked == 1 or before < 150
    connection.call("Settings.Update", thread=team.id, change={"clear": [8]})
    team.run("and on")


def test_s1_a_thread_whose_budget_is_used_up_starts_no_turn(connection, recorded):
    """S1, attacks.md T5: thread_tokens: RESOURCE_EXHAUSTED quota{kind, used, limit}, nothing appended, K; raised or
    unset, the thread continues; the turn itself may bring more along."""
    team = Team.start(recorded, connection, settings={"thread_tokens": 60})
    team.run("x" * 300)
    thread = read(connection, team.id)
    error = connection.refusal("Turn.Start", thread=team.id, input=words("x"))
    check_refusal(error, "thread_tokens", 60, total(thread.usage))
    check_refusal(connection.refusal("Thread.Compact", thread=team.id), "thread_tokens", 60)
    assert read(connection, team.id) == thread
    team.run("x", settings={"thread_tokens": 100_000})
    connection.call("Settings.Update", thread=team.id, change={"thread_tokens": 60})
    assert connection.refusal("Turn.Start", thread=team.id, input=words("x")).reason == "quota"
    connection.call("Settings.Update", thread=team.id, change={"clear": [9]})
    team.run("unset")


def test_s1_a_thread_budget_ends_a_turn_between_two_steps(connection, recorded):
    """S1, U5: thread_tokens used up in the middle of a turn: no further request, `failed quota`."""
    team = Team.start(recorded, connection, settings={"thread_tokens": 200})
    turn = team.begin(*[NOTHING] * 20, "x" * 200)
    ended = team.follower.until_ended(turn)
    assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "quota")
    assert "thread_tokens" in ended.error.message and len(team.requests()) < 20


def test_u1_s1_a_turn_that_waits_when_the_budget_ends_is_reported_cancelled(connection, recorded):
    """U1: a queued turn either runs or is reported cancelled: a budget that ends before it is no exception."""
    team = Team.start(recorded, connection, settings={"thread_tokens": 60}, tools=[GATE])
    running = team.begin(tool("gate"), "!say never said\n" + "x" * 300)
    waiting = team.begin("never")
    answer_call(connection, "now")
    team.follower.until_event("queued_turn_cancelled", turn=waiting)
    assert waiting not in [event.turn_started.turn for event in team.follower.of_kind("turn_started")]
    assert [event.turn_ended.turn for event in team.follower.of_kind("turn_ended")] == [running]
    assert state_name(read(connection, team.id).status) == "IDLE"


def test_s1_a3_the_budget_of_a_tree_is_one_for_all(connection, recorded):
    """S1, A3, attacks.md T5: tree_tokens of the root's settings counts what all agents use: the root starts no turn, a
    running one stops between two steps; raised at the root, all go on; lowered, nobody does."""
    team = Team.start(recorded, connection, tools=[GATE])
    # Their answers come when the root's turn has ended, so that it is not given them.
    team.run([spawn(name, held(LONG)) for name in "abc"])
    for name in "abc":
        team.let_go(f"/root/{name}")
    team.until_mail(3)
    used = total(team.listed().usage)
    assert used >= 2_000 > total(read(connection, team.id).usage) * 2
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": 2_000})
    check_refusal(connection.refusal("Turn.Start", thread=team.id, input=words("x")), "tree_tokens", 2_000, used)
    assert connection.call("Settings.Update", thread=team.id, change={"tree_tokens": used + 300}).changed
    # The root's next request holds the three answers, which is more than is left.
    turn = team.begin(*[NOTHING] * 20)
    ended = team.follower.until_ended(turn)
    assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "quota")
    assert "tree_tokens" in ended.error.message and len(team.requests()) < 10
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": used + 100_000})
    team.run(tool("followup_task", target="a", message="!say more"))
    team.until_turns("/root/a", 2)
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": 1})
    assert connection.refusal("Turn.Start", thread=team.id, input=words("x")).details["kind"] == "tree_tokens"


def test_s1_t6_what_a_deleted_agent_has_used_does_not_count(connection, recorded):
    """S1, T6: the budget of a tree counts those that are in it, as ListTree shows them: at once, not only when the tree is
    read again."""
    team = Team.start(recorded, connection, tools=[GATE])
    team.run([spawn("a", held(LONG))])
    team.let_go("/root/a")
    team.until_mail(1)
    used = total(team.listed().usage)
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": used})
    check_refusal(connection.refusal("Turn.Start", thread=team.id, input=words("x")), "tree_tokens", used, used)
    assert connection.call("Thread.Delete", thread=team.thread("/root/a")).deleted == 1
    left = total(team.listed().usage)
    assert left < used
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": left})
    check_refusal(connection.refusal("Turn.Start", thread=team.id, input=words("x")), "tree_tokens", left, left)
    connection.call("Settings.Update", thread=team.id, change={"tree_tokens": used})
    team.follower.until_ended(connection.start_turn(team.id, "!say hello").turn)


@pytest.mark.parametrize("budget", ["turn_tokens", "thread_tokens", "tree_tokens"])
def test_s1_the_step_that_uses_a_budget_up_is_the_last(connection, recorded, budget):
    """S1, attacks.md T5: the turn asks the model no more behind the step that used its budget up."""
    team = Team.start(recorded, connection, settings={budget: 100})
    turn = team.begin(*[NOTHING] * 5, "x" * 500)
    ended = team.follower.until_ended(turn)
    assert ended.error.reason == "quota" and budget in ended.error.message
    assert len(team.requests()) == 1


def test_s1_the_budget_of_a_tree_holds_from_the_first_turn_after_a_restart(tmp_path):
    """S1, A6: what the agents used before counts after a kill -9, for the very first turn too, of a root that used
    little itself."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection, tools=[GATE])
        team.run(spawn("a", held(LONG)))
        team.let_go("/root/a")
        team.until_mail(1)
        used = total(team.listed().usage)
        assert used >= 700 > total(read(connection, team.id).usage) * 2
        connection.call("Settings.Update", thread=team.id, change={"tree_tokens": 700})
        server.restart()
        with quiet(server) as connection:
            error = connection.refusal("Turn.Start", thread=team.id, input=words("x"))
            check_refusal(error, "tree_tokens", 700, used)


def test_s1_the_budget_of_a_tree_holds_for_an_agent_that_is_read_again(tmp_path):
    """S1, A6: an agent that is loaded after its tree was read, and after the others have used the budget up, starts no
    turn either."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection, V1)
        team.run(spawn_v1(LONG), tool("wait_agent", targets=["{agent:1}"], timeout_ms=60_000))
        used = total(team.listed().usage)
        assert connection.call("Settings.Update", thread=team.id, change={"tree_tokens": 700}).changed
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            [agent] = team.agents()
            assert state_name(agent.status) == "NOT_LOADED"
            error = connection.refusal("Turn.Start", thread=agent.thread, input=words("x"))
            check_refusal(error, "tree_tokens", 700, used)


def test_s1_what_one_agent_uses_another_has_no_more(connection, recorded):
    """S1, A3: the budget of the tree ends a turn of an agent between two steps when an agent below it has used it up,
    while nothing happens at the root."""
    team = Team.start(recorded, connection, settings={"tree_tokens": 20_000}, tools=[GATE])
    large = held("!repeat 10000\n!say yyyyyyyyyy")  # 25,000 tokens
    team.run(spawn("a", script(spawn("b", large), tool("wait_agent", timeout_ms=60_000), *[NOTHING] * 5)))
    agent, below = team.follow("/root/a"), team.until_spawned("/root/a/b")
    agent.until(lambda message: message.event.item_completed.item.tool_call.name == "wait_agent")
    team.let_go(below)
    assert team.until_turns("/root/a", 1) == ["FAILED"]
    [ended] = agent.of_kind("turn_ended")
    assert ended.turn_ended.error.reason == "quota" and "tree_tokens" in ended.turn_ended.error.message
    assert len(team.requests("/root/a")) == 2


# Turns of a tenant


@pytest.fixture
def tenants(tmp_path):
    """Two tenants, each with three turns at once."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{ALICE} alice\n{BOB} bob\n")
    bound = {"HEDDLE_LIMITS_RUNNING_TURNS_PER_TENANT": "3"}
    with Server(tmp_path / "data", "--token-file", tokens, environment=bound) as server:
        with server.connect(ALICE) as alice, server.connect(BOB) as bob:
            yield alice, bob


def stalled(connection) -> tuple:
    thread, follower = connection.start_followed(settings={"model": V2})
    turn = connection.start_turn(thread.id, STALL).turn
    follower.until_event("turn_started", turn=turn)
    return thread.id, turn


def test_r18_the_turns_of_one_tenant_are_bounded_and_another_does_not_notice(tenants):
    """attacks.md R18, U1: RESOURCE_EXHAUSTED too_many_turns{limit}, nothing appended, K; what queues behind a running
    turn takes no place; another tenant starts its own; a place is free as soon as a turn ends."""
    alice, bob = tenants
    running = [stalled(alice) for _ in range(3)]
    idle = alice.new_thread()
    error = alice.refusal("Turn.Start", thread=idle.id, input=words("x"))
    assert (error.code, error.reason, error.details["limit"]) == ("RESOURCE_EXHAUSTED", "too_many_turns", "3")
    assert read(alice, idle.id).sequence == idle.sequence
    assert turn_status(alice.start_turn(running[0][0], "later").status) == "QUEUED"
    for _ in range(3):
        stalled(bob)
    assert bob.refusal("Turn.Start", thread=bob.new_thread().id, input=words("x")).reason == "too_many_turns"
    alice.call("Turn.Interrupt", thread=running[1][0], turn=running[1][1])
    follower = alice.follow(idle.id, idle.sequence)
    follower.run("!say at last", thread=idle.id)


def test_r18_a_model_that_spawns_meets_the_bound_of_its_tenant(tenants):
    """attacks.md R18, A3: agents count as turns of their tenant; the call is told the bound."""
    alice, _ = tenants
    stalled(alice)
    thread, follower = alice.start_followed(settings={"model": V2})
    turn = alice.start_turn(thread.id, script(spawn("a", STALL), spawn("b", STALL))).turn
    follower.until_ended(turn)
    calls = calls_of(follower.events, turn)
    assert [call.success is not False for call in calls] == [True, False] and "3" in calls[1].text


def test_r18_a_burst_of_starts_meets_the_same_bound(tenants):
    """attacks.md R18: 60 starts on 60 threads, sent in one go: no more than three run, the others are refused."""
    alice, _ = tenants
    threads = [alice.new_thread().id for _ in range(60)]
    frames = [alice.request_frame("Turn.Start", METHODS["Turn.Start"].request(thread=thread, input=words(STALL)))
              for thread in threads]
    alice.send(b"".join(frame.encode() for frame in frames))
    served = sum(alice.terminal(frame.stream).kind == RESPONSE for frame in frames)
    assert served == 3 == alice.call("Server.Status").running_turns


def test_r18_mail_that_wants_a_turn_waits_for_a_place(tenants):
    """attacks.md R18, A5: a turn that mail wants takes a place like any other; without one the mail waits, and the turn
    begins as soon as another one ends."""
    alice, _ = tenants
    stalled(alice)
    thread, follower = alice.start_followed(settings={"model": V2})
    calls = [spawn("a", STALL), tool("followup_task", target="a", message="!say at last")]
    follower.until_ended(alice.start_turn(thread.id, script(*calls)).turn)
    running, turn = stalled(alice)
    agent = alice.call("Agent.ListTree", thread=thread.id).agents[1].thread
    idle = alice.new_thread().id
    # The place that the interruption gives back is taken before the mail asks for it.
    frames = [alice.request_frame("Agent.Interrupt", METHODS["Agent.Interrupt"].request(thread=agent)),
              alice.request_frame("Turn.Start", METHODS["Turn.Start"].request(thread=idle, input=words(STALL)))]
    alice.send(b"".join(frame.encode() for frame in frames))
    assert [alice.terminal(frame.stream).kind for frame in frames] == [RESPONSE, RESPONSE]
    told = alice.call("Agent.ListTree", thread=thread.id).agents[1]
    assert (told.waiting_messages, state_name(told.status)) == (1, "IDLE")
    of_agent = alice.follow(agent, read(alice, agent).sequence)
    alice.call("Turn.Interrupt", thread=running, turn=turn)
    ended = of_agent.until_event("turn_ended").turn_ended
    assert turn_status(ended.status) == "COMPLETED"
    assert alice.call("Server.Status").running_turns == 2


def test_r18_t6_who_waits_for_a_place_behind_a_deleted_thread_gets_it(tenants):
    """attacks.md R18, A5, T6: two agents have mail that waits for a place, and the first of them is deleted: the place
    that is free then is the other's, whose mail would wait without end otherwise."""
    alice, _ = tenants
    team = Team.start(None, alice)
    names = ("a", "b")
    team.run([spawn(name, STALL) for name in names],
             [tool("followup_task", target=name, message="!say at last") for name in names])
    running, turn = stalled(alice)
    agents = [team.thread(f"/root/{name}") for name in names]
    for agent in agents:
        team.until_started(agent)
    frames = []
    for agent, idle in zip(agents, [alice.new_thread().id for _ in agents]):
        # The place that the interruption gives back is taken before the mail asks for it.
        frames += [alice.request_frame("Agent.Interrupt", METHODS["Agent.Interrupt"].request(thread=agent)),
                   alice.request_frame("Turn.Start", METHODS["Turn.Start"].request(thread=idle, input=words(STALL)))]
    alice.send(b"".join(frame.encode() for frame in frames))
    assert [alice.terminal(frame.stream).kind for frame in frames] == [RESPONSE] * 4
    assert [(agent.waiting_messages, state_name(agent.status)) for agent in team.agents()] == [(1, "IDLE")] * 2
    alice.call("Thread.Delete", thread=agents[0])
    alice.call("Turn.Interrupt", thread=running, turn=turn)
    assert team.until_turns(agents[1], 2) == ["INTERRUPTED", "COMPLETED"]
    assert alice.call("Server.Status").running_turns == 2, "it began because another one gave up"


def test_r18_without_tokens_there_is_one_tenant_and_no_bound(tmp_path):
    """attacks.md R18: quotas protect tenants from one another: a server without tokens has none, for agents neither."""
    with agents_server(tmp_path, HEDDLE_LIMITS_RUNNING_TURNS_PER_TENANT="2") as (server, connection):
        for _ in range(4):
            stalled(connection)
        team = Team.start(server, connection)
        assert team.one(spawn("a")).success is not False


# T7: compaction


def compacted(team: Team) -> bytes:
    turn = team.connection.call("Thread.Compact", thread=team.id).turn
    assert turn_status(team.follower.until_ended(turn).status) == "COMPLETED"
    return turn


def roles(request) -> list[tuple]:
    return [(item["role"], item["text"]) for item in request.items]


def test_t7_m7_a_summary_replaces_the_context_and_the_initial_context_is_given_anew(connection, recorded):
    """T7 compact: the model's context is what the user said and the summary that the model wrote; M7 after a compaction
    the initial context is emitted anew, once; the log keeps everything."""
    team = Team.start(recorded, connection, settings=PROACTIVE)
    team.run("!say a long answer\nfirst words")
    team.run(NOTHING, "!say another\nsecond words")
    before = connection.call("Thread.ListItems", thread=team.id, page_size=200).items
    asked = len(team.requests())
    turn = compacted(team)
    [summing] = team.requests()[asked:]
    assert summing.compaction is True and summing.turn == turn and summing.tools == []
    assert roles(summing)[:-1] == roles(team.requests()[asked - 1]) + [("ASSISTANT", "another")]
    assert summing.items[-1]["role"] == "USER" and "replaces the conversation" in summing.texts[-1]
    [event] = team.follower.of_kind("context_compacted")
    summary = event.context_compacted.compaction.summary
    assert summary.startswith("A summary of")
    team.run("third words")
    given = roles(team.requests()[-1])
    assert given[:3] == [("USER", before[2].item.message.content[0].text),
                         ("USER", [entry.item.message.content[0].text for entry in before
                                   if entry.item.message.role == 1][1]),
                         ("USER", f"{INTRODUCTION}\n\n{summary}")]
    assert [role for role, _ in given[3:]] == ["DEVELOPER", "DEVELOPER", "USER"] and given[-1][1] == "third words"
    assert len(team.requests()[-1].fragments) == 1 and team.requests()[-1].effective_mode == "PROACTIVE"
    after = connection.call("Thread.ListItems", thread=team.id, page_size=200).items
    assert list(after[:len(before)]) == list(before)
    listed = connection.call("Thread.ListTurns", thread=team.id, order=2).turns
    assert [(turn.cause, turn_status(turn.status)) for turn in listed] == [
        (0, "COMPLETED"), (0, "COMPLETED"), (2, "COMPLETED"), (0, "COMPLETED")]
    assert total(listed[2].usage) > 0


def test_t7_a_second_summary_takes_the_place_of_the_first(connection, recorded):
    """T7: summed up twice, the context has one summary: the first went into the second."""
    team = Team.start(recorded, connection)
    team.run("first words")
    compacted(team)
    team.run("second words")
    compacted(team)
    team.run("third words")
    texts = team.requests()[-1].texts
    assert [text for text in texts if text in ("first words", "second words", "third words")] == [
        "first words", "second words", "third words"]
    assert sum(text.startswith(INTRODUCTION) for text in texts) == 1


def test_t7_what_is_summed_up_stays_so_after_a_restart(tmp_path):
    """T7, M7: the context after a kill -9 is the one before it, and the initial context is not given twice."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection)
        team.run("first words")
        compacted(team)
        server.restart()
        with quiet(server) as connection:
            team = Team.resume(server, connection, team.id)
            team.run("second words")
            team.run("third words")
            last = team.requests()[-1]
            assert [text for role, text in roles(last) if role == "USER"][0::2][:2] == ["first words", "second words"]
            assert len(last.fragments) == 1 and sum(text.startswith(INTRODUCTION) for text in last.texts) == 1


def test_t7_rolling_a_compaction_back_brings_the_context_back(connection, recorded):
    """T7, M7: a turn that summed up is rolled back like any other: the model is given the whole history again, with one
    fragment."""
    team = Team.start(recorded, connection)
    team.run("first words")
    compacted(team)
    connection.call("Thread.Rollback", thread=team.id, turns=1)
    team.run("second words")
    request = team.requests()[-1]
    assert [text for role, text in roles(request) if role != "DEVELOPER"] == [
        "first words", "You said: first words", "second words"]
    assert len(request.fragments) == 1 and not any(text.startswith(INTRODUCTION) for text in request.texts)


def test_t7_two_rollbacks_in_one_segment_are_one_after_the_other(connection, recorded):
    """T7, M7: the second takes back the compaction in front of the turn that the first takes back: the model is given
    the whole history again, as after two rollbacks each of which was waited for."""
    team = Team.start(recorded, connection)
    team.run("first words")
    compacted(team)
    team.run("second words")
    body = METHODS["Thread.Rollback"].request(thread=team.id, turns=1)
    frames = [connection.request_frame("Thread.Rollback", body) for _ in range(2)]
    connection.send(b"".join(frame.encode() for frame in frames))
    for frame in frames:
        connection.answer(frame.stream, "Thread.Rollback")
    team.run("third words")
    request = team.requests()[-1]
    assert [text for role, text in roles(request) if role != "DEVELOPER"] == [
        "first words", "You said: first words", "third words"]
    assert len(request.fragments) == 1


def test_t7_t3_a_fork_does_not_begin_behind_a_summary_that_was_taken_back(connection, recorded):
    """T7, T3, M7: a fork in front of a summary begins with the newest summary that stays, and not with one that was
    rolled back: its model is given everything that was said, and the initial context once."""
    team = Team.start(recorded, connection)
    team.run("first words")
    compacted(team)
    connection.call("Thread.Rollback", thread=team.id, turns=1)
    last = team.begin("second words")
    team.follower.until_ended(last)
    compacted(team)
    fork = connection.call("Thread.Fork", thread=team.id, last_turn=last, subscribe=False).thread
    forked = Team.resume(recorded, connection, fork.id)
    forked.run("third words")
    request = forked.requests()[-1]
    assert [text for role, text in roles(request) if role != "DEVELOPER"] == [
        "first words", "You said: first words", "second words", "You said: second words", "third words"]
    assert len(request.fragments) == 1


def test_t7_the_words_that_stay_are_bounded(tmp_path):
    """T7: the newest words of the user stay, whole messages, up to the bound."""
    with agents_server(tmp_path, HEDDLE_LIMITS_KEPT_INPUT_BYTES="25") as (server, connection):
        team = Team.start(server, connection)
        for text in ("0123456789", "abcdefghij", "ABCDEFGHIJ"):
            team.run(text)
        compacted(team)
        team.run("x")
        assert [text for role, text in roles(team.requests()[-1]) if role == "USER"][:2] == ["abcdefghij", "ABCDEFGHIJ"]


def test_t7_when_there_is_nothing_to_sum_up_or_no_time_for_it(connection, recorded):
    """T7 compact of a new thread → FAILED_PRECONDITION nothing_to_compact; while a turn runs → turn_in_progress; of an
    archived one → archived; nothing appended, K; an interruption ends it and leaves the context as it was."""
    thread = connection.new_thread()
    error = connection.refusal("Thread.Compact", thread=thread.id)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "nothing_to_compact")
    assert read(connection, thread.id).sequence == thread.sequence
    running, turn = stalled(connection)
    error = connection.refusal("Thread.Compact", thread=running)
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "turn_in_progress")
    connection.call("Turn.Interrupt", thread=running, turn=turn)
    connection.call("Thread.Archive", thread=running)
    assert connection.refusal("Thread.Compact", thread=running).reason == "archived"


def test_t7_the_same_key_sums_up_once(connection, recorded):
    """E2, T7: a retry with the same key returns the first result."""
    team = Team.start(recorded, connection)
    team.run("x")
    answers = [connection.call("Thread.Compact", thread=team.id, key=b"sum up just once") for _ in range(3)]
    assert {answer.turn for answer in answers} == {answers[0].turn}
    assert [answer.replayed for answer in answers] == [False, True, True]
    team.follower.until_ended(answers[0].turn)
    team.run("y")
    assert len(team.follower.of_kind("context_compacted")) == 1


def narrow(tmp_path, window: int) -> list[str]:
    """A catalog whose models have a small window."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": model, "provider": "scripted", "version": version, "context_window": window}
        for model, version in ((V1, "V1"), (V2, "V2"))]}))
    return ["--catalog", str(catalog)]


@pytest.mark.parametrize("model", [V1, V2])
def test_t7_m7_the_context_is_summed_up_before_the_window_is_full(tmp_path, model):
    """T7, M7: when the last step has filled 90 % of the model's window the next one is preceded by a summary, in the
    same turn; what the model is given then begins anew with the initial context, once, and no request is larger than
    the window; the turn continues as if nothing had been."""
    window = 1_000
    with agents_server(tmp_path, *narrow(tmp_path, window), **features(multi_agent_mode=True)) as (server, connection):
        team = Team.start(server, connection, model)
        for number in range(12):
            team.run(f"!repeat 40\n!say yyyyyyyyyy\nquestion {number}")
        requests = team.requests()
        summaries = [request for request in requests if request.compaction]
        assert len(summaries) == len(team.follower.of_kind("context_compacted")) >= 1
        for request in requests:
            assert sum(item["bytes"] for item in request.items) / 4 <= window
        first = requests.index(summaries[0])
        assert requests[first + 1].turn == summaries[0].turn and not requests[first + 1].compaction
        hint, mode = (1, 1) if model == V2 else (0, 0)
        for request in requests:
            if not request.compaction:
                assert len(request.fragments) == mode
                assert sum("the user talks to" in text for text in request.texts) == hint
        after = [text for role, text in roles(requests[first + 1]) if role == "USER"]
        assert after[-1].startswith(INTRODUCTION) and after[-2].startswith("!repeat")
        assert [turn_status(turn.status) for turn in connection.call("Thread.ListTurns", thread=team.id).turns] == [
            "COMPLETED"] * 12


def test_t7_what_stays_fits_into_the_window(tmp_path):
    """T7: a summary makes room, with long words of the user too: the request after it fits into the window."""
    window = 1_000
    with agents_server(tmp_path, *narrow(tmp_path, window)) as (server, connection):
        team = Team.start(server, connection)
        for number in range(12):
            team.run(f"!say {number}\n" + "x" * 500)
        requests = team.requests()
        behind = [after for before, after in zip(requests, requests[1:]) if before.compaction]
        assert behind
        for request in behind:
            assert sum(item["bytes"] for item in request.items) / 4 <= window


def test_t7_nobody_is_summed_up_when_the_operator_says_so(tmp_path):
    """T7: compactionPercent 0 sums nothing up by itself."""
    with agents_server(tmp_path, *narrow(tmp_path, 500), HEDDLE_LIMITS_COMPACTION_PERCENT="0") as (server, connection):
        team = Team.start(server, connection)
        for _ in range(6):
            team.run("!say " + "y" * 800)
        assert not team.follower.of_kind("context_compacted")


def test_t7_a5_mail_and_notices_go_through_a_compaction(connection, recorded):
    """T7, A5: what an agent sent before or while the context was summed up is given once, before or after."""
    team = Team.start(recorded, connection, tools=[GATE])
    team.run(spawn("a", held("!say from a")))
    team.let_go("/root/a")
    team.until_mail(1)
    compacted(team)
    team.run("what came?")
    assert team.requests()[-1].texts.count("from a") == 1
    one = Team.start(recorded, connection, V1)
    one.run(spawn_v1("!say from a"))
    one.until_mail(1)
    one.run("what came?")
    compacted(one)
    one.run("and now?")
    assert one.requests()[-1].texts[-1] == "and now?"


def test_r18_t6_a_turn_that_goes_with_its_thread_gives_its_place_back(tenants):
    """attacks.md R18, T6: a deleted thread runs nothing: its turn's place is free at once, and that place alone."""
    alice, _ = tenants
    running = [stalled(alice) for _ in range(3)]
    alice.call("Thread.Delete", thread=running[0][0])
    stalled(alice)
    assert alice.refusal("Turn.Start", thread=alice.new_thread().id, input=words("x")).reason == "too_many_turns"


def test_r18_whatever_begins_a_turn_meets_the_bound(tenants):
    """attacks.md R18, A1, T7: a task and an input for an idle agent are refused in words, and leave neither mail nor a
    slot taken; a compaction is refused like a start."""
    alice, _ = tenants
    idle, follower = alice.start_followed()
    follower.run("x", thread=idle.id)
    team, one = Team.start(None, alice), Team.start(None, alice, V1)
    team.run(spawn("a"))
    one.run(spawn_v1())
    for each in (team, one):
        each.until_mail(1)
    for _ in range(2):
        stalled(alice)
    calls = [team.one(tool("followup_task", target="a", message="!say more")),
             one.one(tool("send_input", target="{agent:1}", message="!say more"))]
    for call in calls:
        assert (call.success, call.reason) == (False, "tool_refused") and "3 turns" in call.text, call
    for each in (team, one):
        [agent] = each.agents()
        assert (agent.waiting_messages, read(alice, agent.thread).turn_count) == (0, 1)
    assert team.listed().free_slots == 3
    stalled(alice)
    assert alice.refusal("Thread.Compact", thread=idle.id).reason == "too_many_turns"
    assert read(alice, idle.id).turn_count == 1


def test_r18_a3_an_agent_without_a_place_takes_no_slot(tenants):
    """attacks.md R18, A3: a spawn that its tenant's bound refuses leaves the tree as much room as before."""
    alice, _ = tenants
    stalled(alice)
    team = Team.start(None, alice)
    calls = team.run(spawn("a", STALL), spawn("b", STALL))
    assert [call.success is not False for call in calls] == [True, False]
    assert (len(team.agents()), team.listed().free_slots) == (1, 2)


def test_u1_s1_a_turn_that_waits_meets_the_budget_of_its_tree_after_a_restart(tmp_path):
    """U1, S1, A6: a turn that waited when the server was killed begins by itself if the budget of its tree allows; what
    the agents used counts, so it is reported cancelled."""
    with agents_server(tmp_path) as (server, connection):
        team = Team.start(server, connection, tools=[GATE])
        team.run(spawn("a", held(LONG)))
        team.let_go("/root/a")
        team.until_mail(1)
        running = team.begin(STALL)
        team.follower.until_event("turn_started", turn=running)
        waiting = team.begin("never")
        connection.call("Settings.Update", thread=team.id, change={"tree_tokens": 700})
        server.restart()
        with quiet(server) as connection:
            events = connection.history(team.id)
            assert [event.queued_turn_cancelled.turn for event in events
                    if event.WhichOneof("kind") == "queued_turn_cancelled"] == [waiting]
            assert waiting not in [event.turn_started.turn for event in events
                                   if event.WhichOneof("kind") == "turn_started"]
            assert state_name(read(connection, team.id).status) == "IDLE"
