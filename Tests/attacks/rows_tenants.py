"""docs/attacks.md, Authentication and tenancy: those of A1 to A24 that concern tokens of a file and tenants."""

import concurrent.futures
import json
import os
import random
import subprocess
import time

from attack import Attack
from harness.connection import Connection
from harness.ends import expect_goaway, expect_kept, is_refusal, refused_and_kept
from harness.messages import METHODS, SERVED, fields_for, frame_pb2, words
from harness.protobuf import bytes_field
from harness.wire import ERROR, HELLO, RESPONSE, Frame, HeddleError
from rows import OWN
from rows import TOKENS as WITH_TOKENS
from rows import row
from world import CANARY, TOKENS, Server

CONFIGURATION = 78


@row("A1★", on=WITH_TOKENS)
def a1(attack: Attack):
    """no token → missing_token, X"""
    for frame in (Connection.hello_frame(), Frame(HELLO, payload=bytes_field(4, b"")), Frame(HELLO, payload=b"\x08\x01")):
        peer = attack.connect(hello=False)
        peer.send(frame.encode())
        expect_goaway(peer, "UNAUTHENTICATED", "missing_token")
    # PING is legal before HELLO, and needs none.
    assert attack.connect(hello=False).ping().status == frame_pb2.SERVING_STATUS_SERVING


def said_to(attack: Attack, token: str, source: str | None = None) -> tuple[bytes, float]:
    """The answer to a wrong token, and the time until it came."""
    peer = attack.connect(hello=False, source=source)
    clock = attack.clock()
    peer.send(Connection.hello_frame(token, quiet=True).encode())
    refused = expect_goaway(peer, "UNAUTHENTICATED", "invalid_token")
    return refused.error.SerializeToString(), clock.seconds()


@row("A2★", on=WITH_TOKENS)
def a2(attack: Attack):
    """wrong token, whatever is wrong with it → invalid_token, the same bytes for all causes, X"""
    alice = TOKENS["alice"]
    jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."
    answers = {said_to(attack, token, "127.0.3.1")[0] for token in (
        "wrong", alice[:-1], alice + "x", alice.upper(), alice[:-1] + "!", " " + alice, "Bearer " + alice, alice + "\n",
        "." * 10_000, "alice", jwt)}
    assert len(answers) == 1, answers
    again = attack.connect("alice")
    again.call("Server.Status", metadata={"token": alice})
    refused = again.refusal("Server.Status", metadata={"token": TOKENS["bob"]})
    is_refusal(refused, "UNAUTHENTICATED", "invalid_token")


@row("A9", on=WITH_TOKENS)
def a9(attack: Attack):
    """token of 1 MiB → frame_too_large; of 15,000 dots, bad base64 → invalid_token, at once"""
    peer = attack.connect(hello=False)
    try:
        peer.send(Connection.hello_frame("t" * (1 << 20), quiet=True).encode())
    except (BrokenPipeError, ConnectionResetError):
        pass  # closed while it was sent
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "frame_too_large")
    for token in ("." * 15_000, "a.b.c", "=" * 100, "%%%.%%%.%%%", "\u00e9" * 50):
        _, seconds = said_to(attack, token, "127.0.3.2")
        assert seconds < 0.5, f"{seconds:.2f} s for {token[:10]}"


@row("A12★", on=WITH_TOKENS)
def a12(attack: Attack):
    """replayed token from elsewhere → a plain bearer works until it is revoked, said openly, K"""
    expect_kept(attack.connect("alice"))
    expect_kept(attack.connect("alice", source="127.0.4.1"))
    attack.note("test_tls.py has tokens that are bound to a certificate")


def does_not_start(attack: Attack, *arguments, says: str, environment: dict | None = None):
    """Exit 78, nothing on standard output, a line that says why."""
    ended_with = subprocess.run(
        [Server.binary, "serve", "--data", attack.folder / "data", *map(str, arguments)], capture_output=True,
        text=True, timeout=60, stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    assert ended_with.returncode == CONFIGURATION, f"exit {ended_with.returncode} for {arguments}: {ended_with.stderr}"
    assert ended_with.stdout == "" and says in ended_with.stderr.lower(), ended_with
    for token in TOKENS.values():
        assert token not in ended_with.stderr


@row("A16★", on=OWN)
def a16(attack: Attack):
    """an open address without authentication → does not start, exit 78, says why"""
    for listen in ("0.0.0.0:0", "[::]:0", "0:0", "127.0.0.1.example:0"):
        does_not_start(attack, "--listen", listen, says="token")
    does_not_start(attack, says="token", environment={"HEDDLE_LISTEN": "0.0.0.0:0"})


@row("A17", on=OWN)
def a17(attack: Attack):
    """secret < 32 bytes, secret file readable by others, empty, missing → does not start"""
    file = attack.folder / "tokens"
    good = f"{TOKENS['alice']} alice\n"
    for content, mode in ((f"{'t' * 31} tenant\n", 0o600), ("", 0o600), ("# only a comment\n", 0o600), ("\n\n", 0o600),
                          (f"{TOKENS['alice']}\n", 0o600), (f"{TOKENS['alice']} a b c\n", 0o600), (good, 0o640),
                          (good, 0o604), (good, 0o666), ("\ud800", 0o600)):
        file.unlink(missing_ok=True)
        file.touch(mode=0o600)
        file.write_bytes(content.encode("utf-8", "surrogatepass"))
        file.chmod(mode)
        does_not_start(attack, "--listen", "127.0.0.1:0", "--token-file", file, says="token")
    does_not_start(attack, "--listen", "127.0.0.1:0", "--token-file", attack.folder / "nothing", says="token")
    does_not_start(attack, "--listen", "127.0.0.1:0", "--token-file", attack.folder, says="token")


@row("A18★", on=WITH_TOKENS)
def a18(attack: Attack):
    """tenant named in the request → ignored: the tenant is of the token alone; lists and notices show its own"""
    alice, bob = attack.connect("alice"), attack.connect("bob", unwanted_notifications=[])
    hers = {attack.thread(alice, name=f"hers {CANARY}") for _ in range(3)}
    # As a field that the schema does not have, as metadata, as the authority.
    body = METHODS["Thread.Start"].request(name="his", subscribe=False).SerializeToString()
    unknown = bytes_field(99, b"alice") + bytes_field(200, TOKENS["alice"].encode())
    made = bob.call("Thread.Start", body + unknown, metadata={"authority": "alice", "request_id": "alice"}).thread.id
    listed = {row.id for row in bob.call("Thread.List", page_size=200).threads}
    assert made in listed and not listed & hers
    assert made not in {row.id for row in alice.call("Thread.List", page_size=200).threads}
    assert not set(bob.call("Thread.ListLoaded", page_size=200).threads) & hers
    assert not bob.call("Thread.List", page_size=200, text="hers").threads
    stream = bob.open("Thread.Subscribe")
    bob.answer(stream, "Thread.Subscribe")
    alice.call("Thread.Archive", thread=next(iter(hers)))
    attack.thread(alice, name=f"another {CANARY}")
    expect_kept(alice)
    expect_kept(bob)
    told = b"".join(frame.payload for frame in bob.inbox)
    assert CANARY.encode() not in told and not any(thread in told for thread in hers)
    key = os.urandom(16)
    first = alice.call("Thread.Start", key=key, subscribe=False)
    second = bob.call("Thread.Start", key=key, subscribe=False)
    assert not second.replayed and second.thread.id != first.thread.id, "a key is of one tenant"


@row("A19★", on=WITH_TOKENS)
def a19(attack: Attack):
    """admin method with a tenant's token → permission_denied, K; an operator's is served"""
    alice = attack.connect("alice")
    features = alice.call("Catalog.ListFeatures")
    for name in ("multi_agent_mode", "nothing", ""):
        refused_and_kept(alice, "Catalog.SetFeature", METHODS["Catalog.SetFeature"].request(name=name, enabled=True),
                         "PERMISSION_DENIED", "permission_denied")
    assert alice.call("Catalog.ListFeatures") == features
    root = attack.connect("root")
    assert root.call("Catalog.SetFeature", name="multi_agent_mode", enabled=True).feature.enabled
    root.call("Catalog.SetFeature", name="multi_agent_mode")


@row("A20", on=OWN)
def a20(attack: Attack):
    """20 bad tokens a minute from one address → a second's delay each; never a lock-out of the tenant, X"""
    attack.start(tokens=True)
    for _ in range(20):
        _, seconds = said_to(attack, "guess", "127.0.5.1")
        assert seconds < 0.5, f"{seconds:.2f} s too early"
    late = [attack.connect(hello=False, source="127.0.5.1") for _ in range(20)]
    begin = time.monotonic()
    for peer in late:
        peer.send(Connection.hello_frame("guess", quiet=True).encode())
    # The right token is served at once, from there and from elsewhere; a guess from elsewhere is refused at once.
    for source in ("127.0.5.1", "127.0.5.2"):
        clock = attack.clock()
        expect_kept(attack.connect("alice", source=source))
        assert clock.seconds() < 0.5, "the tenant is locked out"
    assert said_to(attack, "guess", "127.0.5.2")[1] < 0.5
    for peer in late:
        expect_goaway(peer, "UNAUTHENTICATED", "invalid_token")
    seconds = time.monotonic() - begin
    assert seconds >= 0.9, f"{seconds:.2f} s"
    attack.note(f"told after {seconds:.1f} s")


@row("A22★", on=OWN)
def a22(attack: Attack):
    """isolation fuzz: two tenants, random calls, ids and cursors swapped → no byte of one in an answer to the other"""
    attack.start(tokens=True, HEDDLE_LIMITS_REQUESTS_PER_SECOND=0, HEDDLE_LIMITS_GLITCHES=100_000_000,
                 HEDDLE_LIMITS_RUNNING_TURNS_PER_TENANT=0)
    seed, calls = random.randrange(1 << 32), attack.size(6_000, 1_000_000)
    attack.note(f"{calls} calls, seed {seed}")
    marks = {who: f"watermark-of-{who}-{os.urandom(8).hex()}" for who in ("alice", "bob")}
    shared = {"alice": [os.urandom(16)], "bob": [os.urandom(16)], "cursors": [""]}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        works = [pool.submit(fuzz, attack, who, marks, shared, random.Random(seed + number), calls // 4)
                 for number, who in enumerate(("alice", "bob", "alice", "bob"))]
        counts = [work.result() for work in works]
    served = sum(served for served, _ in counts)
    assert served > calls // 5, f"only {served} of {calls} were served: nothing was tried"
    attack.note(f"{served} served")


UNSAFE = ("Thread.Delete", "Catalog.SetFeature", "Thread.Subscribe", "Thread.Resume")


def fuzz(attack: Attack, who: str, marks: dict, shared: dict, chance: random.Random, calls: int) -> tuple[int, int]:
    """Random calls of one tenant with ids of both; every answer is looked through for the other's watermark and ids."""
    other = "bob" if who == "alice" else "alice"
    mark, foreign_mark = marks[who], marks[other].encode()
    peer, served, refused = attack.connect(who, timeout=60), 0, 0
    names = [name for name in SERVED if name not in UNSAFE] + ["Thread.Start", "Turn.Start", "Thread.List"] * 3
    for _ in range(calls):
        name = chance.choice(names)
        fields = METHODS[name].request.DESCRIPTOR.fields_by_name
        pool = shared[who if chance.random() < 0.6 else other]
        asked = pool[chance.randrange(len(pool))]
        body = METHODS[name].request(**(fields_for(name, asked) if "thread" in fields else {}))
        if "turn" in fields and chance.random() < 0.5:
            body.turn = chance.choice(shared[other])
        if "name" in fields and name != "Catalog.SetFeature":
            body.name = f"{mark} {chance.random()}"
        if "cursor" in fields:
            body.cursor = chance.choice(shared["cursors"])
            body.page_size = chance.choice((1, 5, 50))
        if "input" in fields and name != "Call.Answer":
            body.input.CopyFrom(words(f"!say {mark}\n{mark}"))
        if "subscribe" in fields:
            body.subscribe = False
        for field in ("parent", "forked_from", "last_turn"):
            if field in fields and chance.random() < 0.3:
                setattr(body, field, chance.choice(shared[other]))
        if "text" in fields and chance.random() < 0.5:
            body.text = marks[other]
        frame = peer.request_frame(name, body)
        answer = peer.raw_answer(frame)
        assert foreign_mark not in answer, f"{name} shows the other's text"
        given = [field for field in ("turn", "parent", "forked_from", "last_turn") if field in fields]
        echoed = {asked, *(getattr(body, field) for field in given)}
        for thread in shared[other][-50:]:
            assert thread in echoed or thread not in answer, f"{name} shows the other's id {thread.hex()}"
        if answer[0] == RESPONSE:
            served += 1
            collect(name, METHODS[name].response.FromString(answer[1:]), who, shared)
            is_foreign = "thread" in fields and asked in shared[other]
            assert name == "Thread.Unsubscribe" or not is_foreign, f"{name} was served"
        else:
            assert answer[0] == ERROR
            refused += 1
            HeddleError(frame_pb2.Error.FromString(answer[1:]))
        peer.asked.clear()
    return served, refused


def collect(name: str, answer, who: str, shared: dict):
    """Ids and cursors that later calls take, of either tenant."""
    if name in ("Thread.Start", "Thread.Fork") and len(shared[who]) < 400:
        shared[who].append(answer.thread.id)
    if name == "Turn.Start" and len(shared[who]) < 400:
        shared[who].append(answer.turn)
    if getattr(answer, "next_cursor", "") and len(shared["cursors"]) < 1_000:
        shared["cursors"].append(answer.next_cursor)


@row("A23", on=OWN)
def a23(attack: Attack):
    """another tenant asks first for a thread that is not loaded, its owner right behind → NOT_FOUND, and served"""
    server = attack.start(tokens=True)
    alice = attack.connect("alice")
    threads = [attack.thread(alice, name=f"hers {number}") for number in range(attack.size(40, 400))]
    for peer in attack.peers:
        peer.close()
    attack.started[-1] = (server, None)  # the witness's connection does not live through the restart
    server.stop()
    server.start()
    alice, bob = attack.connect("alice"), attack.connect("bob")
    for number, thread in enumerate(threads):
        name = ("Thread.Resume", "Thread.SetName", "Turn.Start", "Thread.Read")[number % 4]
        fields = fields_for(name, thread)
        first, second = bob.request_frame(name, **fields), alice.request_frame(name, **fields)
        bob.send(first.encode())
        alice.send(second.encode())
        is_refusal(HeddleError(frame_pb2.Error.FromString(bob.terminal(first.stream).body)), "NOT_FOUND", "thread")
        answer = alice.terminal(second.stream)
        assert answer.kind == RESPONSE, f"{name}: {HeddleError(frame_pb2.Error.FromString(answer.body))}"
        if name == "Turn.Start":
            feed = alice.follow(thread)
            feed.until_completed(METHODS[name].response.FromString(answer.body).turn)


@row("A24★", on=OWN)
def a24(attack: Attack):
    """a file that asks for tokens in a way that nobody reads → does not start, exit 78, names the key"""
    file = attack.folder / "config.json"
    for settings, key in (({"tokenFile": 3}, "tokenFile"), ({"tokenFile": None}, "tokenFile"),
                          ({"tokenfile": "x"}, "tokenFile"), ({"tokenFiles": "x"}, "tokenFile"), ({"jwt": "x"}, "jwt"),
                          ({"jwt": {"keys": "x"}}, "jwt.keys"), ({"jwt": {"secretfile": "x"}}, "jwt.secretFile")):
        file.write_text(json.dumps(settings))
        does_not_start(attack, "--listen", "127.0.0.1:0", "--config", file, says=key.lower())
