"""deploy/envoy/l4.yaml at work: a real Envoy before two servers, with the files as they ship. Clients bring certificates;
the servers learn from Envoy's PROXY header which."""

import collections
import contextlib

import pytest

from envoy_world import World
from harness.certificates import TLSConnection, client_context
from harness.messages import frame_pb2
from harness.wire import Closed, HeddleError


def connect(world: World, name: str = "editor") -> TLSConnection:
    connection = TLSConnection(f"127.0.0.1:{world.port}", client_context(world.authority, world.clients[name]))
    connection.hello()
    return connection


@pytest.fixture
def world(tmp_path):
    with World(tmp_path, "l4") as running:
        yield running


def test_the_certificate_decides_the_tenant(world):
    """The same through Envoy as without: what one tenant started, the other one cannot see; a stranger is refused."""
    with connect(world, "editor") as editor:
        thread = editor.new_thread(name="of the first tenant").id
        # To the same server, and to the other one, which never had it.
        for _ in range(4):
            with connect(world, "reader") as reader, pytest.raises(HeddleError) as refused:
                reader.call("Thread.Read", thread=thread)
            assert refused.value.reason == "thread"
        assert editor.call("Thread.Read", thread=thread).thread.name == "of the first tenant"
    with pytest.raises((HeddleError, Closed)) as refused:
        connect(world, "stranger")
    said = refused.value.goaway if isinstance(refused.value, Closed) else refused.value
    assert said.reason == "unknown_identity"


def test_connections_are_spread_and_a_server_that_leaves_gets_no_more(world):
    with contextlib.ExitStack() as stack:
        connections = [stack.enter_context(connect(world)) for _ in range(40)]
        threads = [connection.new_thread(name=f"{number}").id for number, connection in enumerate(connections)]
        # Each server counts its own; a health check may be there beside them.
        found = [connection.call("Server.Status").connections for connection in connections]
        assert min(found) == 20 and max(found) <= 22, found
        world.servers[0].terminate()
        # Two checks, a second apart, and the delay is 5 s.
        assert world.wait_for_healthy(1) < 4
        for _ in range(10):
            with connect(world) as later:
                assert later.ping().status == frame_pb2.SERVING_STATUS_SERVING
        # The connections that the server had were served on until the delay was over.
        statuses = collections.Counter(connection.ping().status for connection in connections)
        assert statuses == {frame_pb2.SERVING_STATUS_DRAINING: 20, frame_pb2.SERVING_STATUS_SERVING: 20}
        for thread, connection in zip(threads, connections, strict=True):
            assert connection.call("Thread.Read", thread=thread).thread.id == thread
        assert world.servers[0].wait() == 0
