"""docs/grpc.md: the gRPC door, by grpcio."""

import concurrent.futures
import secrets
import time

import grpc
import pytest

from harness.grpc_client import ON, Client, Refused, kinds, path, refusal, refused, stored
from harness.messages import METHODS, words
from harness.server import Server

HEALTH = "/grpc.health.v1.Health/"
SERVING, NOT_SERVING, SERVICE_UNKNOWN = b"\x08\x01", b"\x08\x02", b"\x08\x03"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("server") / "data", *ON) as running:
        yield running
        assert running.alive, f"the server died: {running.log_text()[-2000:]}"


@pytest.fixture
def client(server):
    with Client(server.ready["grpc"]) as client:
        yield client


# Calls


def test_a_mutation_and_a_read(client):
    thread = client.thread(name="over gRPC")
    assert client.call("Thread.Read", thread=thread.id).thread.name == "over gRPC"


def test_a_key_that_is_used_again_gets_the_stored_answer(client):
    key = secrets.token_bytes(16)
    first = client.call("Thread.Start", key=key, name="once")
    second = client.call("Thread.Start", key=key, name="once")
    assert (first.thread.id, first.replayed, second.replayed) == (second.thread.id, False, True)
    refused(lambda: client.call("Thread.Start", key=key, name="other"), "ALREADY_EXISTS", "idempotency_mismatch")


def test_frames_and_grpc_see_the_same_threads(server, client):
    thread = client.thread(name="shared")
    with server.connect() as frames:
        assert frames.call("Thread.Read", thread=thread.id).thread.name == "shared"


def test_many_calls_at_once_on_one_channel(client):
    threads = [client.future("Thread.Start", name=f"thread {number}") for number in range(100)]
    assert len({future.result().thread.id for future in threads}) == 100


def test_a_message_of_a_megabyte(client):
    thread = client.thread()
    text = "x" * 900_000
    started = client.call("Turn.Start", thread=thread.id, input=words(text))
    assert started.turn


# Errors


@pytest.mark.parametrize("name, fields, status, reason", [
    ("Thread.Read", {"thread": secrets.token_bytes(16)}, "NOT_FOUND", "thread"),
    ("Thread.Read", {}, "INVALID_ARGUMENT", "missing_field"),
    ("Thread.Read", {"thread": b"short"}, "INVALID_ARGUMENT", "bad_id"),
])
def test_errors_of_requests(client, name, fields, status, reason):
    found = refused(lambda: client.call(name, **fields), status, reason)
    assert found.message
    details = found.trailers["grpc-status-details-bin"]
    assert b"type.googleapis.com/google.rpc.ErrorInfo" in details and reason.encode() in details


def test_an_unknown_method(client):
    refused(lambda: client.unary("/heddle.v1.ThreadService/Nothing", b""), "UNIMPLEMENTED", "unknown_method")
    refused(lambda: client.unary("/other.Service/Read", b""), "UNIMPLEMENTED", "unknown_method")


def test_a_message_that_cannot_be_read(client):
    refused(lambda: client.unary(path("Thread.Read"), b"\xff\xff\xff"), "INVALID_ARGUMENT", "malformed")


def test_a_message_that_is_too_large(client):
    refused(lambda: client.unary(path("Thread.Read"), bytes(4 * 1024 * 1024 + 1)), "RESOURCE_EXHAUSTED",
            "frame_too_large")


def test_compression_is_not_spoken(client):
    call = client.channel.unary_unary(path("Server.Status"))
    with pytest.raises(grpc.RpcError) as caught:
        call(bytes(10_000), compression=grpc.Compression.Gzip, timeout=30)
    found = refusal(caught.value)
    assert (found.status, found.reason) == ("UNIMPLEMENTED", "unknown_flags")
    assert found.trailers.get("grpc-accept-encoding", "identity") == "identity"


def test_a_key_that_is_none(client):
    refused(lambda: client.call("Thread.Start", key=b"short"), "INVALID_ARGUMENT", "bad_id")


def test_requests_of_the_server_cannot_be_sent(client):
    refused(lambda: client.call("Client.CallTool"), "INVALID_ARGUMENT", "wrong_direction")


def test_metadata_that_means_nothing_is_ignored(client):
    more = (("x-unknown", "1"), ("traceparent", f"00-{'ab' * 16}-{'cd' * 8}-01"), ("x-request-id", "r-1"))
    assert client.call("Server.Status", more=more).durability == "synced"


# Time


def test_a_deadline_that_is_over(client):
    refused(lambda: client.call("Server.Status", timeout=-1), "DEADLINE_EXCEEDED", "")


def test_a_client_takes_a_subscription_back_and_the_channel_stays(client):
    thread = client.thread()
    stream = client.subscribe(thread=thread.id, after=0)
    stored(stream, 1)
    stream.cancel()
    assert client.call("Thread.Read", thread=thread.id).thread.id == thread.id


# Subscriptions


def test_a_subscription_brings_the_log_and_what_follows(client):
    thread = client.thread()
    stream = client.subscribe(thread=thread.id, after=0)
    assert next(iter(stream)).WhichOneof("kind") == "subscribed"
    assert [event.sequence for event in stored(stream, 1)] == [1]
    client.call("Thread.SetName", thread=thread.id, name="new")
    assert [event.sequence for event in stored(stream, 1)] == [2]


def test_several_subscriptions_of_one_thread_on_one_channel(client):
    thread = client.thread()
    streams = [client.subscribe(thread=thread.id, after=0) for _ in range(20)]
    for stream in streams:
        stored(stream, 1)
    client.call("Thread.SetName", thread=thread.id, name="all hear it")
    assert [stored(stream, 1)[0].sequence for stream in streams] == [2] * 20


def test_a_turn_comes_as_events(client):
    thread = client.thread()
    stream = client.subscribe(thread=thread.id, after=0)
    client.call("Turn.Start", thread=thread.id, input=words("hello"))
    for message in stream:
        if message.WhichOneof("kind") == "event" and message.event.WhichOneof("kind") == "turn_ended":
            break
    else:
        raise AssertionError("the turn did not end")


def test_start_does_not_follow(client):
    """Thread.Start answers once, whatever `subscribe` says."""
    assert client.thread(subscribe=True).id


def test_a_cursor_beyond_the_log(client):
    thread = client.thread()
    with pytest.raises(grpc.RpcError) as caught:
        next(iter(client.subscribe(thread=thread.id, after=1_000)))
    found = refusal(caught.value)
    assert (found.status, found.reason) == ("OUT_OF_RANGE", "future_seq")


def test_a_slow_reader_gets_every_event_once(server):
    with Client(server.ready["grpc"]) as slow, Client(server.ready["grpc"]) as writer:
        thread = writer.thread()
        stream = slow.subscribe(thread=thread.id, after=0, timeout=120)
        for number in range(300):
            writer.call("Thread.SetName", thread=thread.id, name=f"{number} {'x' * 200}")
        events = stored(stream, 301)
        assert [event.sequence for event in events] == list(range(1, 302))


# Health and reflection


def test_health(client):
    assert client.unary(HEALTH + "Check", b"") == SERVING
    service = b"heddle.v1.ThreadService"
    assert client.unary(HEALTH + "Check", b"\x0a" + bytes([len(service)]) + service) == SERVING
    refused(lambda: client.unary(HEALTH + "Check", b"\x0a\x07nothing"), "NOT_FOUND", "")
    assert service in client.unary(HEALTH + "List", b"")
    watch = client.channel.unary_stream(HEALTH + "Watch")
    assert next(watch(b"", timeout=30)) == SERVING
    assert next(watch(b"\x0a\x07nothing", timeout=30)) == SERVICE_UNKNOWN


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_lists_services(client, version):
    ask = client.channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
    # ServerReflectionRequest.list_services is field 7.
    answer = next(ask(iter([b"\x3a\x01*"]), timeout=30))
    assert b"heddle.v1.ThreadService" in answer


# Principals


@pytest.fixture
def tokens(tmp_path):
    names = {name: f"{name}-{secrets.token_hex(20)}" for name in ("alice", "bob")}
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text("".join(f"{token} {name}\n" for name, token in names.items()))
    with Server(tmp_path / "data", *ON, "--token-file", str(file)) as running:
        yield running, names


def test_two_principals_on_one_channel_stay_apart(tokens):
    server, names = tokens
    with Client(server.ready["grpc"]) as client:
        thread = client.thread(token=names["alice"])
        refused(lambda: client.call("Thread.Read", token=names["bob"], thread=thread.id), "NOT_FOUND", "thread")
        key = secrets.token_bytes(16)
        first = client.call("Thread.Start", token=names["alice"], key=key, name="a")
        second = client.call("Thread.Start", token=names["bob"], key=key, name="b")
        assert first.thread.id != second.thread.id and not second.replayed
        listed = client.call("Thread.List", token=names["bob"])
        assert [found.id for found in listed.threads] == [second.thread.id]


def test_calls_without_a_right_token(tokens):
    server, names = tokens
    with Client(server.ready["grpc"]) as client:
        for token in ("", "wrong"):
            with pytest.raises(Refused) as caught:
                client.call("Server.Status", token=token)
            assert caught.value.status == "UNAUTHENTICATED", caught.value
        assert client.unary(HEALTH + "Check", b"") == SERVING
        assert client.call("Server.Status", token=names["alice"]).durability == "synced"


# The end of a connection


def test_a_drain_loses_no_call_and_tells_health_first(tmp_path):
    server = Server(tmp_path / "data", *ON).start()
    with server, Client(server.ready["grpc"]) as client:
        thread = client.thread()
        stream = client.subscribe(thread=thread.id, after=0)
        stored(stream, 1)
        watch = client.channel.unary_stream(HEALTH + "Watch")(b"", timeout=60)
        assert next(watch) == SERVING
        calls = [client.future("Thread.SetName", thread=thread.id, name=f"{number}") for number in range(50)]
        server.terminate()
        assert next(watch) == NOT_SERVING
        assert len([call.result() for call in calls]) == 50
        with pytest.raises(grpc.RpcError) as caught:
            for _ in stream:
                pass
        assert refusal(caught.value).status == "UNAVAILABLE"
        assert server.wait() == 0


def test_a_connection_that_is_old_ends_and_the_calls_go_on(tmp_path):
    environment = {"HEDDLE_CONNECTIONS_MAX_AGE_SECONDS": "2", "HEDDLE_CONNECTIONS_MAX_AGE_GRACE_SECONDS": "1"}
    with Server(tmp_path / "data", *ON, environment=environment) as server, Client(server.ready["grpc"]) as client:
        thread = client.thread()
        stream = client.subscribe(thread=thread.id, after=0, timeout=60)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            ended = pool.submit(lambda: [message for message in stream])
            until = time.monotonic() + 6
            while time.monotonic() < until:
                client.call("Server.Status")
                time.sleep(0.01)
            with pytest.raises(grpc.RpcError) as caught:
                ended.result(30)
        found = refusal(caught.value)
        assert (found.status, found.reason) == ("UNAVAILABLE", "connection_age")
        assert b"last_sequence" in found.trailers["grpc-status-details-bin"]


def test_an_age_that_is_no_number_of_seconds(tmp_path):
    server = Server(tmp_path / "data", *ON, environment={"HEDDLE_CONNECTIONS_MAX_AGE_SECONDS": "-1"})
    with pytest.raises(AssertionError):
        server.start()
    server.process.wait(30)
    Server.started.discard(server.process)
    assert "connections.maxAgeSeconds: 0 to 31536000" in server.log_text()


def test_every_method_has_a_path(client):
    """Each method that a client may call is known: an empty request gets no `unknown_method`."""
    for name, method in METHODS.items():
        if method.is_planned or name == "Thread.Subscribe":
            continue
        try:
            client.unary(path(name), b"")
        except Refused as refused:
            assert refused.reason != "unknown_method", name
