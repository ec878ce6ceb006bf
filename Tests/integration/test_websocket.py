"""Frames by WebSocket on the HTTP door: the same connection as on TCP, and the ways in which it may begin and end."""

import json
import socket
import struct

import pytest
from harness.certificates import Authority, client_context
from harness.connection import Connection
from harness.ends import eventually
from harness.http_door import HTTP, place, raw
from harness.server import Server
from harness.websocket import BINARY, CLOSE, PING, PONG, Raw, WebSocket, frame, handshake
from harness.wire import GOAWAY, HELLO, Frame
from websockets.exceptions import InvalidStatus


@pytest.mark.parametrize("piece", [1, 7, 65_536])
def test_a_conversation_whose_messages_cut_it_anywhere(server, piece):
    with WebSocket(server, piece) as peer:
        assert peer.hello().limits.frame_bytes == 4 << 20
        thread, events = peer.start_followed(name="first")
        peer.call("Thread.SetName", thread=thread.id, name="second")
        assert events.next().event.name_changed.name == "second"
        assert peer.call("Thread.Read", thread=thread.id).thread.name == "second"
        assert peer.ping(b"opaque").opaque == b"opaque"


def test_much_goes_both_ways(server):
    with WebSocket(server) as peer:
        peer.hello()
        thread = peer.new_thread()
        text = "x" * 900_000
        peer.call("Thread.SetName", thread=thread.id, name="n")
        refused = peer.refusal("Thread.SetName", thread=thread.id, name=text)
        assert refused.reason, refused
        streams = [peer.open("Thread.Read", thread=thread.id) for _ in range(64)]
        for stream in streams:
            assert peer.answer(stream, "Thread.Read").thread.name == "n"


def test_the_token_is_in_the_hello(tmp_path):
    token, file = "t" * 40, tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"{token} alice\n")
    with Server(tmp_path / "data", "--token-file", str(file)) as server:
        with WebSocket(server) as peer:
            peer.hello(token)
            assert peer.new_thread().id
        with WebSocket(server, authorization=f"Bearer {token}") as peer:
            peer.send_frame(peer.hello_frame())
            away = peer.receive()
            assert away.kind == GOAWAY and b"missing_token" in away.body
            assert peer.receive() is None


def test_it_is_encrypted_like_the_door(tmp_path):
    authority = Authority(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"tls": authority.server().settings}))
    context = client_context(authority, protocols=("http/1.1",))
    with Server(tmp_path / "data", "--config", config) as server, WebSocket(server, ssl=context) as peer:
        peer.hello()
        assert peer.call("Server.Status").version


def test_the_answer_to_the_handshake(server):
    with Raw(server, sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==") as peer:
        head = peer.head.decode().lower()
        assert head.startswith("http/1.1 101 switching protocols\r\n")
        # The example of RFC 6455, section 1.3.
        assert "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=" in head
        assert "sec-websocket-protocol: heddle.v1" in head and "extensions" not in head


@pytest.mark.parametrize(("changes", "status"), [
    ({"upgrade": None}, 426), ({"upgrade": "h2c"}, 426), ({"connection": "keep-alive"}, 426),
    ({"sec_websocket_version": "8"}, 426), ({"sec_websocket_version": None}, 426),
    ({"sec_websocket_key": None}, 400), ({"sec_websocket_key": "c2hvcnQ="}, 400),
    ({"sec_websocket_key": "!" * 24}, 400), ({"sec_websocket_protocol": None}, 400),
    ({"sec_websocket_protocol": "chat, heddle.v2"}, 400), ({"content_length": "3"}, 400),
    ({"host": "elsewhere.example"}, 421), ({"origin": "https://elsewhere.example"}, 403), ({"origin": "null"}, 403),
])
def test_requests_that_get_no_socket(server, changes, status):
    answer = raw(server, handshake(**changes) + (b"abc" if "content_length" in changes else b""),
                 finish=True)
    assert int(answer.split(b" ")[1]) == status, answer
    if status == 426:
        assert b"\r\nupgrade: websocket\r\n" in answer and b"\r\nsec-websocket-version: 13\r\n" in answer


def test_one_of_several_subprotocols_is_chosen(server):
    with Raw(server, sec_websocket_protocol="other, heddle.v1", origin="http://localhost") as peer:
        assert b"101" in peer.head


def test_a_page_of_a_listed_origin(tmp_path):
    with Server(tmp_path / "data", environment={"HEDDLE_HTTP_ORIGINS": "https://pages.example"}) as server:
        with WebSocket(server, origin="https://pages.example") as peer:
            peer.hello()
        with pytest.raises(InvalidStatus), WebSocket(server, origin="https://pages.example.evil"):
            pass


def test_bytes_that_come_before_the_answer(server):
    for data in (handshake() + frame(BINARY, b"early"), handshake() + b"\x00"):
        with socket.create_connection(place(server.ready["http"]), 30) as peer:
            peer.sendall(data)
            answer = b""
            while piece := peer.recv(65_536):
                answer += piece
            assert answer.startswith(b"HTTP/1.1 400 "), answer


def test_calls_before_it_on_the_same_connection(server):
    with HTTP(server) as peer:
        assert peer.call("ServerService/Status").status == 200
        peer.sock.sendall(handshake())
        answer = peer.sock.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 101 ")
        hello = Connection.hello_frame().encode()
        peer.sock.sendall(frame(BINARY, hello[:5], last=False) + frame(PING, b"amid") + frame(0, hello[5:]))
        assert peer.sock.recv(65_536).startswith(b"\x8a\x04amid")


@pytest.mark.parametrize(("data", "code"), [
    (frame(BINARY, b"x", mask=None), 1002), (frame(BINARY, b"x", reserved=4), 1002), (frame(3, b"x"), 1002),
    (frame(11), 1002), (frame(0, b"x"), 1002), (frame(BINARY, b"\xfa", last=False) + frame(BINARY, b"y"), 1002),
    (frame(1, b"text"), 1003), (frame(PING, b"x" * 126), 1002), (frame(PING, b"", last=False), 1002),
    (frame(BINARY, length=1 << 63), 1002), (frame(CLOSE, b"\x03"), 1002), (frame(PING) * 5, 1008),
    (frame(PONG) * 1_001, 1008), (frame(BINARY) * 1_001, 1008),
])
def test_what_breaks_the_rules_of_websockets(server, data, code):
    with Raw(server) as peer:
        peer.send(data)
        assert peer.close_code() == code
        with pytest.raises(EOFError):
            peer.next()


def test_the_end_of_either_side(server):
    hello = Connection.hello_frame().encode()
    with Raw(server) as peer:
        peer.send(frame(BINARY, hello))
        assert peer.next()[1][1] == HELLO
        peer.send(frame(CLOSE, struct.pack(">H", 1000)))
        assert peer.close_code() == 1000
    with Raw(server) as peer:
        # No frame of ours: the server says why, then closes.
        peer.send(frame(BINARY, hello) + frame(BINARY, Frame(0x63, 0, 0, b"").encode()))
        said = b""
        while True:
            opcode, payload = peer.next()
            if opcode == CLOSE:
                break
            said += payload
        assert b"unknown_frame" in said and struct.unpack(">H", payload[:2])[0] == 1000


def test_a_drain_is_told_as_on_tcp(tmp_path):
    with Server(tmp_path / "data") as server, WebSocket(server) as peer:
        peer.hello()
        server.terminate()
        away = peer.wait_for(lambda frame: frame.kind == GOAWAY)
        assert b"shutting_down" in away.body
        assert peer.receive() is None
        assert server.wait() == 0


def test_it_counts_as_a_connection_of_frames(tmp_path):
    with Server(tmp_path / "data") as server, HTTP(server) as watcher:
        def settles(frames: int, http: int):
            for door, count in (("frames", frames), ("http", http)):
                eventually(lambda: watcher.metric(f'heddle_connections{{door="{door}"}}') == count, door)  # noqa: B023
        with WebSocket(server) as peer:
            peer.hello()
            settles(1, 1)
        settles(0, 1)
