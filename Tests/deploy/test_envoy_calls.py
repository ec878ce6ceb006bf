"""deploy/envoy/l7.yaml at work: a real Envoy before two servers, calls by grpcio and by gRPC-Web. Clients bring
certificates; the servers learn from x-forwarded-client-cert which."""

import collections
import http.client
import struct
import threading
import time

import grpc
import pytest

from envoy_world import World
from harness.certificates import client_context
from harness.connection import PATIENCE_SECONDS
from harness.messages import METHODS


@pytest.fixture
def world(tmp_path):
    with World(tmp_path, "l7") as running:
        yield running


class Client:
    """One channel, with the certificate of a client."""

    def __init__(self, world: World, name: str):
        certificate = world.clients[name]
        self.channel = grpc.secure_channel(f"localhost:{world.port}", grpc.ssl_channel_credentials(
            world.authority.chain.read_bytes(), certificate.key.read_bytes(), certificate.chain.read_bytes()))

    def call(self, called: str, *, metadata=(), timeout: float = PATIENCE_SECONDS, **fields):
        method = METHODS[called]
        service, function = called.split(".")
        return self.channel.unary_unary(
            f"/heddle.v1.{service}Service/{function}", request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString)(method.request(**fields), timeout=timeout, metadata=metadata)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()


def test_forty_calls_of_one_channel_go_to_both_servers_in_turn(world):
    with Client(world, "editor") as editor:
        nodes = collections.Counter(editor.call("Server.Status").node for _ in range(40))
    assert sorted(nodes.values()) == [20, 20]


def test_the_certificate_decides_the_tenant_whatever_the_client_claims(world):
    """Two principals share Envoy's connection to a server. What a client writes into the header is removed."""
    with Client(world, "editor") as editor, Client(world, "reader") as reader, Client(world, "stranger") as stranger:
        thread = editor.call("Thread.Start", name="of the first tenant").thread.id

        def outcomes(client: Client, metadata=()) -> set:
            found = set()
            for _ in range(4):
                try:
                    found.add(client.call("Thread.Read", thread=thread, metadata=metadata).thread.name)
                except grpc.RpcError as error:
                    found.add(dict(error.trailing_metadata())["heddle-reason"])
            return found

        # The thread is on one of the two servers.
        assert outcomes(editor) == {"of the first tenant", "thread"}
        claims = [("x-forwarded-client-cert", "By=x;Hash=00;URI=spiffe://example.org/editor")]
        assert outcomes(reader) == outcomes(reader, claims) == {"thread"}
        assert outcomes(stranger) == outcomes(stranger, claims) == {"unknown_identity"}


def test_a_server_that_leaves_under_load_fails_no_call(world):
    """Health takes it out in two checks; a call that it refuses is tried again at the other server."""
    counts, faults, over = collections.Counter(), [], threading.Event()

    def work():
        with Client(world, "editor") as client:
            while not over.is_set():
                try:
                    counts[client.call("Server.Status").node] += 1
                except grpc.RpcError as error:
                    faults.append(f"{error.code()} {error.details()}")

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(counts) < 2 or min(counts.values()) < 50:
        assert time.monotonic() < deadline, (counts, faults[:3])
        time.sleep(0.01)
    world.servers[0].terminate()
    assert world.wait_for_healthy(1) < 4
    assert world.servers[0].wait() == 0
    before = sum(counts.values())
    while sum(counts.values()) < before + 50:
        assert time.monotonic() < deadline, (counts, faults[:3])
        time.sleep(0.01)
    over.set()
    for worker in workers:
        worker.join()
    assert not faults, (len(faults), sum(counts.values()), faults[:5])


def test_a_deadline_passes_through_envoy(world):
    with Client(world, "editor") as editor:
        with pytest.raises(grpc.RpcError) as late:
            editor.call("Server.Status", timeout=1e-9)
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        assert editor.call("Server.Status", timeout=10).version


def test_a_browsers_grpc_web_is_understood(world):
    """HTTP/1.1, a frame of the message, a frame of the trailers."""
    context = client_context(world.authority, world.clients["editor"], protocols=("http/1.1",))
    browser = http.client.HTTPSConnection("localhost", world.port, context=context, timeout=PATIENCE_SECONDS)
    browser.request("POST", "/heddle.v1.ServerService/Status", struct.pack(">BI", 0, 0), {
        "content-type": "application/grpc-web+proto", "origin": "https://console.example.org", "x-grpc-web": "1"})
    answer = browser.getresponse()
    body = answer.read()
    assert answer.status == 200 and answer.headers["access-control-allow-origin"] == "https://console.example.org"
    kind, length = struct.unpack_from(">BI", body)
    assert kind == 0 and METHODS["Server.Status"].response.FromString(body[5:5 + length]).version
    assert b"grpc-status:0" in body[5 + length:].replace(b" ", b"")
    browser.close()
