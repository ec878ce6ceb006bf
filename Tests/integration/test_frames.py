"""Beside the rows of attacks.md about frames, which `Tests/attacks` drives: many ways to close one's side (F21)."""

import json
import socket
import time

import pytest

from harness.messages import METHODS, frame_pb2
from harness.server import Server
from harness.wire import CANCEL, ERROR, REQUEST, RESPONSE, Frame, HeddleError

pytestmark = pytest.mark.usefixtures("unharmed")


def list_models(stream: int) -> Frame:
    return Frame(REQUEST, METHODS["Catalog.ListModels"].number, stream)


# Ends


def three_hundred_then_fin(connection):
    """As one piece, so that the FIN is there before the first turn of 64 frames is over."""
    connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    connection.send(b"".join(list_models(stream).encode() for stream in range(1, 601, 2)))
    connection.finish()


def test_f21_three_hundred_requests_then_fin_get_three_hundred_replies(server):
    """F21, F9: more requests than one turn serves, and the FIN right behind them → as many replies, then close."""
    for _ in range(5):
        with server.connect() as connection:
            three_hundred_then_fin(connection)
            streams = [frame.stream for frame in iter(connection.receive, None) if frame.kind == RESPONSE]
            assert streams == list(range(1, 601, 2))


def test_f21_three_hundred_replies_to_a_slow_reader(tmp_path):
    """F21: what does not fit into the socket when the FIN comes is served when the reader has made room."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": f"{number}-{'m' * 200}", "provider": "scripted", "version": "V1"} for number in range(400)]}))
    with Server(tmp_path / "data", "--catalog", catalog) as large, large.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        three_hundred_then_fin(slow_reader)
        time.sleep(2)  # the slow reader is what the row is about
        streams = [frame.stream for frame in iter(slow_reader.receive, None) if frame.kind == RESPONSE]
        assert streams == list(range(1, 601, 2))


@pytest.mark.parametrize("last", ["Thread.Subscribe", "Thread.Resume", "cancelled", "stored"])
def test_f21_whatever_the_last_request_is_fin_ends_the_connection(connection, last):
    """F21 with a subscription, a cancelled request or a replayed answer as the last one → answered, then close."""
    thread, key = connection.new_thread().id, last.encode().ljust(16, b"!")
    connection.call("Thread.SetName", key=key, thread=thread, name=last)
    if last == "stored":
        connection.open("Thread.SetName", key=key, thread=thread, name=last)
    elif last == "cancelled":
        frame = connection.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(thread=thread, name="x"))
        connection.send(frame.encode() + Frame(CANCEL, stream=frame.stream).encode())
    else:
        connection.open(last, thread=thread)
    connection.finish()
    answered = False
    while (frame := connection.receive(timeout=60)) is not None:
        answered = answered or frame.kind in (RESPONSE, ERROR)
    assert answered


@pytest.mark.parametrize("end", ["Unsubscribe", "CANCEL"])
def test_f21_a_subscription_that_ended_while_it_opened_does_not_keep_the_connection(connection, end):
    """F21, S6: a subscription whose thread is looked for on the disk, ended before it is found, and FIN → `cancelled`,
    once, then close: its slot is free again."""
    thread = b"0123456789abcdef"
    opening = connection.request_frame("Thread.Subscribe", METHODS["Thread.Subscribe"].request(thread=thread))
    if end == "CANCEL":
        ending = Frame(CANCEL, stream=opening.stream)
    else:
        ending = connection.request_frame("Thread.Unsubscribe", METHODS["Thread.Unsubscribe"].request(thread=thread))
    connection.send(opening.encode() + ending.encode())
    connection.finish()
    frames = list(iter(connection.receive, None))
    ends = [frame for frame in frames if frame.stream == opening.stream]
    assert [HeddleError(frame_pb2.Error.FromString(frame.body)).reason for frame in ends] == ["cancelled"]
    assert len(frames) == (1 if end == "CANCEL" else 2)


def test_f21_large_replies_to_a_slow_reader_arrive_whole(server):
    """F21 on a slow link: the end comes behind the last reply, not half a second after the FIN."""
    with server.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        follower.run("!flood 3900000\nx", thread=thread.id, timeout=60)
    with server.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        streams = [slow_reader.open("Thread.ListItems", thread=thread.id) for _ in range(10)]
        slow_reader.finish()
        time.sleep(2)  # the slow reader is what the row is about
        for stream in streams:
            assert len(slow_reader.answer(stream, "Thread.ListItems").items) == 2
        assert slow_reader.receive() is None
