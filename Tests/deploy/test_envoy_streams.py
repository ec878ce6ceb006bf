"""Streams through deploy/envoy/l7.yaml: they share Envoy's connection to a server, and end where their client ends them."""

import json
import time
import urllib.request

import grpc
import pytest

from envoy_world import World
from harness.connection import PATIENCE_SECONDS
from harness.ends import eventually
from harness.messages import METHODS, words
from test_envoy_calls import Client

SUBSCRIBE = METHODS["Thread.Subscribe"]


@pytest.fixture
def world(tmp_path):
    """One of the two servers is gone, so that all calls meet the other one."""
    with World(tmp_path, "l7") as running:
        running.servers[1].kill()
        running.servers[1].may_end = True
        running.wait_for_healthy(1)
        yield running


def follow(client: Client, thread: bytes, **options):
    stream = client.channel.unary_stream(
        "/heddle.v1.ThreadService/Subscribe", request_serializer=SUBSCRIBE.request.SerializeToString,
        response_deserializer=SUBSCRIBE.response.FromString)(SUBSCRIBE.request(thread=thread, after=0), **options)
    assert next(stream).HasField("subscribed")
    return stream


def upstream_connections(world: World) -> int:
    """Envoy's connections to servers, without those of its health checks, which are counted apart."""
    url = f"http://127.0.0.1:{world.admin}/stats?format=json&filter=cluster.heddle_grpc.upstream_cx_active"
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
        return json.load(answer)["stats"][0]["value"]


def subscriptions(world: World) -> int:
    """Streams that Envoy has open at its servers."""
    url = f"http://127.0.0.1:{world.admin}/stats?format=json&filter=cluster.heddle_grpc.upstream_rq_active"
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as answer:
        return json.load(answer)["stats"][0]["value"]


def test_two_principals_share_a_connection_and_stay_apart(world):
    """Each follows its own thread at the same time; neither reads the other's, and both streams get their own events."""
    with Client(world, "editor") as editor, Client(world, "reader") as reader:
        clients = {"first": editor, "second": reader}
        threads = {name: client.call("Thread.Start", name=name).thread.id for name, client in clients.items()}
        streams = {name: follow(client, threads[name]) for name, client in clients.items()}
        assert upstream_connections(world) == 1
        for name, client in clients.items():
            client.call("Thread.SetName", thread=threads[name], name=f"renamed by {name}")
        for name, stream in streams.items():
            renamed = next(one.event.name_changed.name for one in stream if one.event.HasField("name_changed"))
            assert renamed == f"renamed by {name}"
        for name, other in (("first", "second"), ("second", "first")):
            with pytest.raises(grpc.RpcError) as refused:
                clients[name].call("Thread.Read", thread=threads[other])
            assert dict(refused.value.trailing_metadata())["heddle-reason"] == "thread"
        assert upstream_connections(world) == 1


def test_a_cancel_passes_through_envoy(world):
    with Client(world, "editor") as editor:
        thread = editor.call("Thread.Start").thread.id
        stream = follow(editor, thread)
        other = follow(editor, thread)
        assert subscriptions(world) == 2
        stream.cancel()
        eventually(lambda: subscriptions(world) == 1, "Envoy keeps the cancelled stream")
        editor.call("Thread.SetName", thread=thread, name="x")
        assert next(one for one in other if one.event.HasField("name_changed")).event.name_changed.name == "x"


def test_a_deadline_ends_a_subscription(world):
    with Client(world, "editor") as editor:
        began = time.monotonic()
        stream = follow(editor, editor.call("Thread.Start").thread.id, timeout=1)
        with pytest.raises(grpc.RpcError) as late:
            list(stream)
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED and time.monotonic() - began > 0.9
        eventually(lambda: subscriptions(world) == 0, "Envoy keeps the stream")


def test_a_slow_reader_does_not_hold_up_others(world):
    """12 MiB wait for a client that reads nothing; another call of the same channel is answered; then all of it comes."""
    with Client(world, "editor") as editor:
        thread = editor.call("Thread.Start").thread.id
        for _ in range(12):
            editor.call("Turn.Start", thread=thread, input=words("!flood 1000000"))
            eventually(lambda: not editor.call("Thread.Read", thread=thread).thread.HasField("running_turn"))
        before = world.servers[0].resident_bytes()
        stream = follow(editor, thread)
        time.sleep(1)
        assert editor.call("Server.Status", timeout=10).version
        assert world.servers[0].resident_bytes() - before < 8 << 20
        sequences = []
        for one in stream:
            if one.HasField("live"):
                break
            if one.HasField("event"):
                sequences.append(one.event.sequence)
        assert sequences == list(range(1, len(sequences) + 1)) and len(sequences) > 36
