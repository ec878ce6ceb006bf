"""The age of connections of frames: they end without losing a request (docs/protocol.md, Keeping a connection)."""

import pytest
from harness.messages import frame_pb2
from harness.server import Server
from harness.wire import GOAWAY, Closed, HeddleError


@pytest.fixture
def aging(tmp_path):
    environment = {"HEDDLE_CONNECTIONS_MAX_AGE_SECONDS": "2", "HEDDLE_CONNECTIONS_MAX_AGE_GRACE_SECONDS": "2"}
    with Server(tmp_path / "data", environment=environment) as running:
        yield running


def goaway(peer):
    return frame_pb2.GoAway.FromString(peer.wait_for(lambda frame: frame.kind == GOAWAY).body)


def test_a_connection_without_work_ends_a_second_after_it_is_told(aging):
    with aging.connect() as peer:
        peer.call("Server.Status")
        away = goaway(peer)
        assert (away.error.reason, away.last_stream) == ("connection_age", 1)
        assert peer.receive() is None


def test_a_request_after_the_goaway_is_not_served_and_a_subscription_ends_by_itself(aging):
    with aging.connect() as peer:
        thread, events = peer.start_followed()
        stream = peer.next_stream - 2
        away = goaway(peer)
        assert away.last_stream == stream
        refused = peer.refusal("Thread.SetName", thread=thread.id, name="never")
        assert (refused.code, refused.reason) == ("UNAVAILABLE", "connection_age")
        with pytest.raises(HeddleError) as caught:
            while True:
                events.next()
        assert caught.value.reason == "connection_age"
        assert caught.value.details["last_sequence"] == str(thread.sequence)
        assert peer.receive() is None
    with aging.connect() as peer:
        assert peer.call("Thread.Read", thread=thread.id).thread.name == ""


def test_changes_and_events_go_on_over_many_connections(aging):
    """Each change is made once and each event seen once, by a client that opens a new connection at GOAWAY and repeats with
    the same key what had no answer by then."""
    with aging.connect() as first:
        thread = first.new_thread()
    after, made, seen = thread.sequence, 0, []

    def change(peer):
        peer.call("Thread.SetName", key=made.to_bytes(16, "big"), thread=thread.id, name=f"name {made}")

    for _ in range(4):
        with aging.connect() as peer:
            follower = peer.follow(thread.id, after=after)
            try:
                while True:
                    change(peer)
                    made += 1
                    seen.append(follower.until_event("name_changed").name_changed.name)
                    after = follower.last
            except (HeddleError, Closed) as error:
                assert "connection_age" in str(error), error
    with aging.connect() as last:
        change(last)
        names = [event.name_changed.name for event in last.history(thread.id) if event.HasField("name_changed")]
    assert names == [f"name {number}" for number in range(made + 1)]
    # An event that came behind the GOAWAY was not waited for.
    numbers = [int(name.split()[1]) for name in seen]
    assert numbers == sorted(set(numbers)) and len(numbers) >= made - 4
