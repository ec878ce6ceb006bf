"""Tenants and their tokens, an operator, and their quotas, beside the rows of attacks.md that `Tests/attacks` drives: M2,
A18, A19, R2, R7 and R18 where a thread is on disk or ephemeral, and where limits meet.

With JSON Web Tokens: test_jwt.py.
"""

import contextlib
import time

import pytest

from harness.ends import EARLY_SECONDS, expect_goaway, expect_kept
from harness.messages import METHODS, ON_A_THREAD, frame_pb2, options_pb2, words
from harness.server import Server
from harness.watch import Watch
from harness.wire import (
    CANCEL, END_OF_STREAM, ERROR, GOAWAY, HELLO, PING, PONG, RESPONSE, Frame, HeddleError)

ALICE, BOB, ROOT = "alice-" + "a" * 32, "bob-" + "b" * 32, "root-" + "r" * 32
CANARY = "canary-5d0c7a19"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server with tokens for all tests of this file."""
    folder = tmp_path_factory.mktemp("tenants")
    tokens = folder / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"# who may come in\n{ALICE} alice\n\n{BOB} bob\n{ROOT} operators admin\n")
    with Server(folder / "data", "--token-file", tokens) as running:
        yield running
        assert running.alive, running.log_text()[-2000:]


@pytest.fixture(scope="module")
def witness(server):
    watching = Watch(server, ROOT)
    yield watching
    watching.close()


pytestmark = pytest.mark.usefixtures("unharmed")


@pytest.fixture
def alice(server):
    with server.connect(ALICE, unwanted_notifications=["thread_started"]) as connected:
        yield connected


@pytest.fixture
def bob(server):
    with server.connect(BOB) as connected:
        yield connected


def test_m2_another_tenants_thread_that_is_not_loaded_is_an_unknown_thread(tmp_path):
    """M2★, A18: threads of another tenant that are on disk only, archived ones and others, are unknown ones in every
    method that takes an id, K. Their tenant reads them on."""
    with served_with(tmp_path, f"{ALICE} alice\n{BOB} bob\n") as server:
        with server.connect(ALICE) as alice:
            threads = []
            for name in ("archived", "not archived"):
                thread, follower = alice.start_followed(name=f"alice's, {name}")
                follower.run("hers alone", thread=thread.id)
                threads.append(thread.id)
            alice.call("Thread.Archive", thread=threads[0])
        server.restart()
        with server.connect(ALICE) as alice, server.connect(BOB) as bob:
            # Those that read first: a request that loads a thread knows its tenant from then on.
            for name in sorted(ON_A_THREAD, key=lambda name: METHODS[name].has(options_pb2.mutation)):
                unknown = bob.told(name, b"0123456789abcdef")
                assert [bob.told(name, thread) for thread in threads] == [unknown] * 2, name
                assert alice.call("Server.Status").loaded_threads == 0, f"{name} has loaded it"
            for thread, archived in zip(threads, (True, False)):
                assert alice.call("Thread.Read", thread=thread).thread.archived is archived
                assert len(alice.call("Thread.ListItems", thread=thread).items) == 2
            expect_kept(bob)


# Quotas: they protect tenants from one another, so only a server with tokens has them. Last in this file: they leave the
# tenants at their limits for a moment.


def test_r18_a_tenant_over_its_rate_is_told_when_to_come_back(tmp_path):
    """R18 tenant A over its quota → A: RESOURCE_EXHAUSTED rate_limited{retry_after}; B is served, K."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{ALICE} alice\n{BOB} bob\n")
    # So few that a slow machine is over them too.
    few = {"HEDDLE_LIMITS_REQUEST_BURST": "200", "HEDDLE_LIMITS_REQUESTS_PER_SECOND": "10"}
    with Server(tmp_path / "data", "--token-file", tokens, environment=few) as server, \
            server.connect(ALICE) as alice, server.connect(BOB) as bob:
        refused = None
        for _ in range(40):
            streams = [alice.open("Server.Status") for _ in range(100)]
            ends = [alice.terminal(stream) for stream in streams]
            errors = [HeddleError(frame_pb2.Error.FromString(end.body)) for end in ends if end.kind == ERROR]
            if errors:
                refused = errors[0]
                break
        assert refused and (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "rate_limited")
        assert 0 < refused.error.retry_after_ms <= 1000
        expect_kept(bob)


@pytest.fixture
def small(tmp_path):
    """A server where a tenant may have two connections; alice has two, and the first watches."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"{ALICE} alice\n{BOB} bob\n")
    two = {"HEDDLE_LIMITS_CONNECTIONS_PER_TENANT": "2", "HEDDLE_LIMITS_REQUESTS_PER_SECOND": "0",
           "HEDDLE_LIMITS_HELLO_MILLISECONDS": "60000"}
    with Server(tmp_path / "data", "--token-file", tokens, environment=two) as server, \
            server.connect(ALICE) as first, server.connect(ALICE) as second:
        yield server, first, second


def until_open(watching, count: int):
    deadline = time.monotonic() + 60
    while watching.call("Server.Status").connections != count:
        assert time.monotonic() < deadline, "closed connections are still counted"
        time.sleep(0.02)  # the server tells nobody when a connection goes


def newcomers(server, watching, count: int) -> list[str]:
    """The answers to `count` further connections of alice's; afterwards they are closed, for the server too."""
    before, told = watching.call("Server.Status").connections, []
    with contextlib.ExitStack() as stack:
        open_now = [stack.enter_context(server.connect(hello=False)) for _ in range(count)]
        for connection in open_now:
            connection.send_message(HELLO, frame_pb2.ClientHello(token=ALICE))
        for connection in open_now:
            frame = connection.wait_for(lambda frame: frame.kind in (HELLO, GOAWAY))
            is_refusal = frame.kind == GOAWAY
            told.append(frame_pb2.GoAway.FromString(frame.body).error.reason if is_refusal else "welcome")
    until_open(watching, before)
    return told


def test_r2_who_was_refused_makes_no_room(small):
    """R2★ 1,001st of a tenant → too_many_connections, X: the one after it is no different; one that leaves makes room."""
    server, first, second = small
    for _ in range(3):
        assert newcomers(server, first, 2) == ["too_many_connections"] * 2
    second.close()
    until_open(first, 1)
    assert sorted(newcomers(server, first, 2)) == ["too_many_connections", "welcome"]


def test_r2_who_was_refused_does_not_stand_in_the_door(small):
    """R2★, configuration.md `connectionsPerAddressBeforeHello`: 100 of an address may be there before HELLO, and a
    refused one that has gone is not: after more than 100 refusals there is room for 60 that wait, and another tenant."""
    server, first, _ = small
    refused = 0
    while refused <= 100:
        refused += newcomers(server, first, 40).count("too_many_connections")
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(server.connect(hello=False)) for _ in range(60)]
        for connection in waiting:
            assert connection.ping().status == frame_pb2.SERVING_STATUS_SERVING
        expect_kept(stack.enter_context(server.connect(BOB)))


def test_too_many_turns_of_one_tenant(server, bob):
    """protocol.md, limits: 100 running turns of a tenant; the next is refused with too_many_turns, for that tenant."""
    limit = bob.server_hello.limits.tenant_running_turns
    threads = [bob.new_thread().id for _ in range(limit + 1)]
    turns = [bob.start_turn(thread, "!stall\nx").turn for thread in threads[:limit]]
    error = bob.refusal("Turn.Start", thread=threads[limit], input=words("one too many"))
    assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "too_many_turns")
    bob.call("Turn.Interrupt", thread=threads[0], turn=turns[0])
    assert bob.start_turn(threads[limit], "now").turn
    for thread, turn in zip(threads[1:limit], turns[1:]):
        bob.call("Turn.Interrupt", thread=thread, turn=turn)


@pytest.mark.parametrize("name", ON_A_THREAD)
def test_m2_another_tenants_thread_in_memory_is_an_unknown_thread(alice, bob, name):
    """M2★ the same for an ephemeral thread: its lists and its deletion do not ask the disk whose it
    is, K."""
    thread, follower = alice.start_followed(ephemeral=True, name="alice's")
    follower.run("hers alone", thread=thread.id)
    before = alice.call("Thread.Read", thread=thread.id).thread
    assert bob.told(name, thread.id) == bob.told(name, b"0123456789abcdef")
    assert alice.call("Thread.Read", thread=thread.id).thread == before
    assert len(alice.call("Thread.ListItems", thread=thread.id).items) == 2


def test_a18_what_a_tenant_has_used_is_its_own(alice, bob):
    """A18★, U5: tokens of one tenant are not in the status of another."""
    before, hers = bob.call("Server.Status").usage, alice.call("Server.Status").usage
    thread, follower = alice.start_followed()
    follower.run("hello", thread=thread.id)
    assert bob.call("Server.Status").usage == before
    assert alice.call("Server.Status").usage.input_tokens > hers.input_tokens


def served_with(tmp_path, lines: str, **limits) -> Server:
    """A server of its own with these tokens and limits."""
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(lines)
    return Server(tmp_path / "data", "--token-file", tokens, environment={
        f"HEDDLE_LIMITS_{name.upper()}": str(value) for name, value in limits.items()})


def test_a10_a_fresh_token_brings_its_own_rights(tmp_path):
    """A10, frame.proto Metadata.token: from then on its rights count: those of an operator come, and go."""
    operator = "alice-operator-" + "o" * 32
    setting = {"name": "multi_agent_mode", "enabled": True}
    with served_with(tmp_path, f"{ALICE} alice\n{operator} alice admin\n") as server, server.connect(ALICE) as connection:
        assert connection.refusal("Catalog.SetFeature", **setting).reason == "permission_denied"
        connection.call("Server.Status", metadata={"token": operator})
        assert connection.call("Catalog.SetFeature", **setting).feature.enabled
        connection.call("Server.Status", metadata={"token": ALICE})
        assert connection.refusal("Catalog.SetFeature", **setting).reason == "permission_denied"


def test_a2_who_guesses_beside_requests_is_stopped(server):
    """A2, R9: a wrong token beside a request → invalid_token and a glitch: 200, then enhance_your_calm, X."""
    with server.connect(ALICE) as guessing:
        body, limit = METHODS["Server.Status"].request(), guessing.server_hello.limits.glitches
        frames = [guessing.request_frame("Server.Status", body, metadata={"token": f"guess {number}"})
                  for number in range(limit + 1)]
        guessing.send(b"".join(frame.encode() for frame in frames))
        for frame in frames[:limit]:
            end = HeddleError(frame_pb2.Error.FromString(guessing.terminal(frame.stream).body))
            assert (end.code, end.reason) == ("UNAUTHENTICATED", "invalid_token")
        expect_goaway(guessing, "RESOURCE_EXHAUSTED", "enhance_your_calm")


def refused_until_the_end(connection, frames: list[Frame]) -> list[str]:
    """Sends all at once and a PING behind, which nobody answers; the reasons of what was refused before the GOAWAY
    enhance_your_calm."""
    ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"still there").SerializeToString())
    connection.send(b"".join(frame.encode() for frame in [*frames, ping]))
    reasons = []
    while (frame := connection.receive()) is not None:
        if frame.kind == ERROR:
            reasons.append(HeddleError(frame_pb2.Error.FromString(frame.body)).reason)
        elif frame.kind == GOAWAY:
            error = HeddleError(frame_pb2.GoAway.FromString(frame.body).error)
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "enhance_your_calm")
            return reasons
        assert frame.kind != PONG, f"it is served on behind {len(reasons)} errors"
    raise AssertionError(f"closed without GOAWAY, behind {len(reasons)} errors")


def test_r9_r18_who_floods_over_the_rate_is_stopped(tmp_path):
    """R18, R11, protocol.md "A glitch is": a request over the rate asks the client to wait, which is no glitch; a client
    that does not wait 20,000 times in half a minute (here 300) is stopped. Another tenant does not notice."""
    few = {"request_burst": 5, "requests_per_second": 1, "ignored_refusals": 300}
    with served_with(tmp_path, f"{ALICE} alice\n{BOB} bob\n", **few) as server, \
            server.connect(ALICE) as alice, server.connect(BOB) as bob:
        assert alice.server_hello.limits.glitches == 200
        body = METHODS["Server.Status"].request()
        # Some are served: five, and one for each second that this takes.
        frames = [alice.request_frame("Server.Status", body) for _ in range(600)]
        assert refused_until_the_end(alice, frames) == ["rate_limited"] * 301
        expect_kept(bob)


def switching(connection, count: int) -> list[Frame]:
    """Requests that are for operators."""
    body = METHODS["Catalog.SetFeature"].request(name="multi_agent_mode", enabled=True)
    return [connection.request_frame("Catalog.SetFeature", body) for _ in range(count)]


def test_a19_r9_who_asks_for_what_is_the_operators_again_and_again_is_stopped(tmp_path):
    """A19★, R9, protocol.md "A glitch is": an operators' method is refused and the connection kept, 200 times; one more
    ends it."""
    with served_with(tmp_path, f"{ALICE} alice\n", requests_per_second=0) as server, server.connect(ALICE) as alice:
        limit = alice.server_hello.limits.glitches
        frames = switching(alice, limit)
        alice.send(b"".join(frame.encode() for frame in frames))
        for frame in frames:
            error = HeddleError(frame_pb2.Error.FromString(alice.terminal(frame.stream).body))
            assert (error.code, error.reason) == ("PERMISSION_DENIED", "permission_denied")
        expect_kept(alice)
        assert refused_until_the_end(alice, switching(alice, 1)) == ["permission_denied"]


def test_a19_r18_rights_are_looked_at_before_the_rate(tmp_path):
    """A19★, R18, protocol.md, the order of the checks: an operators' method that is refused takes nothing of what the
    tenant may ask, and a tenant that may ask nothing now is told that it never may ask this."""
    few = {"request_burst": 5, "requests_per_second": 1}
    with served_with(tmp_path, f"{ALICE} alice\n", **few) as server, server.connect(ALICE) as alice:
        frames = switching(alice, 50)
        alice.send(b"".join(frame.encode() for frame in frames))
        ends = [alice.terminal(frame.stream) for frame in frames]
        assert {HeddleError(frame_pb2.Error.FromString(end.body)).reason for end in ends} == {"permission_denied"}
        expect_kept(alice)


def test_r7_r9_who_floods_over_its_subscriptions_is_stopped(tmp_path):
    """R7★, R9, protocol.md "A glitch is": a subscription too many is refused and the connection kept, 200 times; one
    more ends it."""
    with served_with(tmp_path, f"{ALICE} alice\n", subscriptions=1, requests_per_second=0) as server, \
            server.connect(ALICE) as alice:
        limit, threads = alice.server_hello.limits.glitches, [alice.new_thread().id for _ in range(2)]
        alice.follow(threads[0])
        body = METHODS["Thread.Subscribe"].request(thread=threads[1])
        frames = [alice.request_frame("Thread.Subscribe", body) for _ in range(limit)]
        alice.send(b"".join(frame.encode() for frame in frames))
        for frame in frames:
            end = HeddleError(frame_pb2.Error.FromString(alice.terminal(frame.stream).body))
            assert (end.code, end.reason) == ("RESOURCE_EXHAUSTED", "too_many_subscriptions")
        expect_kept(alice)
        assert refused_until_the_end(alice, [alice.request_frame("Thread.Subscribe", body)]) == [
            "too_many_subscriptions"]


def test_u5_status_tells_a_tenant_its_own_usage(alice, bob):
    """U5, A18: tokens that a tenant has used are nobody else's to know."""
    before = bob.call("Server.Status").usage
    thread, follower = alice.start_followed()
    follower.run("some words that cost alice something", thread=thread.id)
    assert alice.call("Server.Status").usage.output_tokens > 0
    assert bob.call("Server.Status").usage == before


def test_r7_a_refusal_takes_no_place_of_the_tenants(tmp_path):
    """R7★: a connection at its own limit is refused, however often, without using up what its tenant may have; places of
    subscriptions that ended, be it by Unsubscribe, CANCEL or a deletion, are free again."""
    few = {"subscriptions": 2, "subscriptions_per_tenant": 4, "requests_per_second": 0}
    with served_with(tmp_path, f"{ALICE} alice\n", **few) as server, \
            server.connect(ALICE) as one, server.connect(ALICE) as two:
        threads = [one.new_thread().id for _ in range(4)]
        followers = [one.follow(thread) for thread in threads[:2]]
        for _ in range(5):
            assert one.refusal("Thread.Subscribe", thread=threads[2]).reason == "too_many_subscriptions"
        # The tenant has two places left.
        deleted, _ = [two.follow(thread) for thread in threads[2:]]
        three = server.connect(ALICE)
        assert three.refusal("Thread.Subscribe", thread=threads[0]).reason == "too_many_subscriptions"
        one.call("Thread.Unsubscribe", thread=threads[0])
        three.follow(threads[0])
        one.send_frame(Frame(CANCEL, stream=followers[1].stream))
        expect_kept(one)
        three.follow(threads[1])
        two.call("Thread.Delete", thread=threads[2])
        # Its loop hears of the deletion by itself, perhaps after the answer.
        assert two.error(stream=deleted.stream).reason == "thread"
        one.follow(threads[3])
        assert one.refusal("Thread.Subscribe", thread=threads[0]).reason == "too_many_subscriptions"
        three.close()


def guess_often(server):
    """As often as is answered at once."""
    for _ in range(20):
        with server.connect(hello=False) as guessing:
            guessing.send_message(HELLO, frame_pb2.ClientHello(token="guess"))
            expect_goaway(guessing, "UNAUTHENTICATED", "invalid_token")


def test_a20_who_guesses_does_not_guess_on_while_the_answer_waits(tmp_path):
    """A20: behind 20 wrong tokens of an address the answer to the next one waits a second, and what its connection
    sends meanwhile is not looked at, or each could try as many as it likes in that second. Nobody is locked out."""
    hellos = [Frame(HELLO, payload=frame_pb2.ClientHello(token=token).SerializeToString())
              for token in ("guess", ALICE)]
    with served_with(tmp_path, f"{ALICE} alice\n") as server:
        guess_often(server)
        with server.connect(hello=False) as guessing:
            guessing.send(b"".join(frame.encode() for frame in hellos))
            frames = list(iter(guessing.receive, None))
            assert [frame.kind for frame in frames] == [GOAWAY]
            assert frame_pb2.GoAway.FromString(frames[0].body).error.reason == "invalid_token"
        with server.connect(ALICE) as connection:
            expect_kept(connection)


def test_a20_who_guesses_and_says_no_more_waits_as_long(tmp_path):
    """A20: the answer to a wrong token waits its second, and comes, also when the FIN is right behind the token: nobody
    guesses faster for half-closing."""
    with served_with(tmp_path, f"{ALICE} alice\n") as server:
        guess_often(server)
        with server.connect(hello=False) as guessing:
            began = time.monotonic()
            guessing.send_message(HELLO, frame_pb2.ClientHello(token="guess"))
            guessing.finish()
            expect_goaway(guessing, "UNAUTHENTICATED", "invalid_token")
            waited = time.monotonic() - began
        assert waited >= 1 - EARLY_SECONDS, f"told after {waited:.2f} s"


def test_a20_r21_who_guesses_often_does_not_fill_the_log(tmp_path):
    """A20, configuration.md, JSON Web Tokens: why a token was refused is logged at `info`; from the 21st wrong one of
    an address in a minute on only at `debug`."""
    with served_with(tmp_path, f"{ALICE} alice\n") as server, contextlib.ExitStack() as stack:
        guess_often(server)
        late = [stack.enter_context(server.connect(hello=False)) for _ in range(5)]
        for guessing in late:
            guessing.send_message(HELLO, frame_pb2.ClientHello(token="guess"))
        for guessing in late:
            expect_goaway(guessing, "UNAUTHENTICATED", "invalid_token")
        assert server.log_text().count("a token was refused") == 20


def test_r7_resuming_a_thread_twice_takes_one_place(tmp_path):
    """R7★, rules.md T1: of two Resumes of a thread that are answered at once one follows it, and the other takes none of the
    places that the tenant has."""
    few = {"subscriptions_per_tenant": 2, "requests_per_second": 0}
    with served_with(tmp_path, f"{ALICE} alice\n", **few) as server, server.connect(ALICE) as connection:
        threads = [connection.new_thread().id for _ in range(3)]
        rename = METHODS["Thread.SetName"].request(thread=threads[0], name="a")
        resume = METHODS["Thread.Resume"].request(thread=threads[0])
        # Neither is answered before the name is on the disk: when they come, nobody follows the thread yet.
        frames = [connection.request_frame("Thread.SetName", rename),
                  *(connection.request_frame("Thread.Resume", resume) for _ in range(2))]
        connection.send(b"".join(frame.encode() for frame in frames))
        ends = [connection.terminal(frame.stream) for frame in frames]
        assert [(end.kind, end.flags) for end in ends[1:]] == [(RESPONSE, 0), (RESPONSE, END_OF_STREAM)]
        connection.follow(threads[1])
        assert connection.refusal("Thread.Subscribe", thread=threads[2]).reason == "too_many_subscriptions"
