"""Plants a fault behind every assertion of the harness and checks that it is reported.

    python Tests/attacks --self-test --heddle .build/release/heddle
"""

import contextlib
import os
import pathlib
import signal
import socket
import threading
import time
from collections.abc import Callable

import rows
from attack import Attack
from harness import ends, watch
from harness.connection import Connection
from harness.ends import eventually, expect_goaway, expect_kept, expect_silence, is_refusal
from harness.messages import METHODS, frame_pb2
from harness.store_pages import damage
from harness.wire import ERROR, FRAME_BYTES, GOAWAY, HELLO, REQUEST, RESPONSE, Frame
from rows import OWN, PLAIN, Row
from runner import Run
from world import CANARY, TOKENS


class FakeServer:
    """Says HELLO, and then answers each request as `answer` says."""

    def __init__(self, answer: Callable[[int], bytes], lingers: float = 0.0):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.answer, self.lingers = answer, lingers
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(Frame(HELLO, payload=frame_pb2.ServerHello(version=1).SerializeToString()).encode())
                connection.recv(65536)
                connection.sendall(self.answer(1))
                time.sleep(self.lingers)

    def peer(self) -> Connection:
        peer = Connection(self.address)
        peer.hello(quiet=True)
        return peer


def response(stream: int) -> bytes:
    return Frame(RESPONSE, METHODS["Server.Status"].number, stream, flags=2).encode()


def error(stream: int, reason: str = "thread", code: int = 5, message: str = "There is no such thread.") -> bytes:
    said = frame_pb2.Error(code=code, reason=reason, message=message)
    return Frame(ERROR, 0, stream, said.SerializeToString(), flags=2).encode()


# Planted faults: a function, the words that must be reported, and the server that it runs on.

PLANTED: list[tuple[str, Callable, str, rows.Setup]] = []


def planted(name: str, told: str, on: rows.Setup = PLAIN):
    def register(drive: Callable) -> Callable:
        PLANTED.append((name, drive, told, on))
        return drive
    return register


@planted("nothing at all", "")
def nothing(attack: Attack):
    expect_kept(attack.connect())


@planted("a wrong reason", "wanted NOT_FOUND turn, got NOT_FOUND thread")
def wrong_reason(attack: Attack):
    is_refusal(attack.connect().refusal("Thread.Read", thread=b"0123456789abcdef"), "NOT_FOUND", "turn")


@planted("a served request that must be refused", "was served")
def served(attack: Attack):
    attack.connect().refusal("Server.Status")


@planted("a GOAWAY that does not come", "wanted empty_frame")
def no_goaway(attack: Attack):
    peer = attack.connect(hello=False)
    peer.send(b"\x16\x03\x01")
    expect_goaway(peer, "INVALID_ARGUMENT", "empty_frame")


@planted("words where there must be none", "said b'HTTP")
def words_said(attack: Attack):
    peer = attack.connect(hello=False)
    peer.send(b"GET / HTTP/1.1\r\n\r\n")
    expect_silence(peer)


@planted("a dead server", "the process died")
def dead_server(attack: Attack):
    expect_kept(attack.connect())
    os.kill(attack.server.pid, signal.SIGKILL)
    attack.server.process.wait(60)


@planted("a dead server of the row's own", "the process died", OWN)
def dead_own_server(attack: Attack):
    server = attack.start()
    os.kill(server.pid, signal.SIGKILL)
    server.process.wait(60)


@planted("a secret in the log", "the token of bob is in the log")
def leaked_secret(attack: Attack):
    with open(attack.server.log, "a") as log:
        log.write(f"somebody came with {TOKENS['bob']}\n")


@planted("a secret in the log, as hexadecimal digits", "the token of carol is in the log")
def leaked_digits(attack: Attack):
    with open(attack.server.log, "a") as log:
        log.write(TOKENS["carol"].encode().hex() + "\n")


@planted("a payload in the log, as base64", "a payload is in the log", OWN)
def leaked_payload(attack: Attack):
    import base64
    server = attack.start()
    with open(server.log, "a") as log:
        log.write(base64.b64encode(f"some text with {CANARY} in its middle".encode()).decode() + "\n")


@planted("a witness that waits", "the witness waited")
def slow_witness(attack: Attack):
    for _ in range(4):
        os.kill(attack.server.pid, signal.SIGSTOP)
        time.sleep(0.6)  # the fault itself
        os.kill(attack.server.pid, signal.SIGCONT)
        time.sleep(0.5)  # enough answers beside those that waited, on a slow machine too


@planted("a witness that gets another answer", "an answer that is not right")
def wrong_witness(attack: Attack):
    peer = attack.connect()
    thread = peer.call("Thread.List", text="the witness's own").threads[0].id
    peer.call("Thread.SetName", thread=thread, name="somebody else's")
    time.sleep(1)  # the witness looks every 20 ms


@planted("memory that grows", "memory grew by")
def memory(attack: Attack):
    frame = Frame(REQUEST, METHODS["Server.Status"].number, 1, bytes(FRAME_BYTES)).encode()
    quiet = attack.server.resident_bytes()
    for peer in attack.connect_many(30):
        peer.send(frame[:-1])
    grown = quiet + 1.2 * rows.MEMORY_BYTES
    eventually(lambda: attack.server.resident_bytes() > grown, "the server has read what was sent", 20)
    time.sleep(0.5)  # memory is sampled every 50 ms


@planted("sockets that stay", "sockets,")
def sockets(attack: Attack):
    left = [Connection(attack.server.address) for _ in range(3)]
    for peer in left:
        peer.hello(quiet=True)
    attack.server.left = left


@planted("a turn that runs on", "turns are left running",
         rows.Setup("short drain", environment=(("HEDDLE_LIMITS_DRAIN_MILLISECONDS", "200"),)))
def running_turn(attack: Attack):
    peer = attack.connect()
    attack.turn(peer, attack.thread(peer), "!stall")


@planted("two terminal replies", "had its terminal reply")
def two_replies(attack: Attack):
    with FakeServer(lambda stream: response(stream) + error(stream)).peer() as peer:
        peer.answer(peer.open("Server.Status"), "Server.Status")
        while peer.receive() is not None:
            pass


@planted("no terminal reply", "no terminal reply")
def no_reply(attack: Attack):
    with FakeServer(lambda stream: b"", lingers=30).peer() as peer:
        peer.open("Server.Status")
        peer.settle(0.5)


@planted("an error that is not on the list", "not in proto/reasons.tsv")
def unlisted(attack: Attack):
    with FakeServer(lambda stream: error(stream, "made_up")).peer() as peer:
        peer.refusal("Server.Status")


@planted("an error that tells of the inside", "tells of the inside")
def inside(attack: Attack):
    with FakeServer(lambda stream: error(stream, message="cannot open /root/data/heddle.db")).peer() as peer:
        peer.refusal("Server.Status")


@planted("a connection that stays open behind its GOAWAY", "s after GOAWAY")
def stays_open(attack: Attack):
    goaway = frame_pb2.GoAway(error=frame_pb2.Error(code=3, reason="malformed", message="Encode it from the schema."))
    said = Frame(GOAWAY, payload=goaway.SerializeToString()).encode()
    with FakeServer(lambda stream: said, lingers=6).peer() as peer:
        peer.open("Server.Status")
        expect_goaway(peer, "INVALID_ARGUMENT", "malformed")


@planted("a data folder that is damaged at the end", "heddle check", OWN)
def damaged(attack: Attack):
    server = attack.start(watched=False)
    with attack.connect() as peer:
        thread = attack.thread(peer)
    server.stop()
    damage(server.data, thread)
    server.start()


def register_check() -> list[str]:
    """The register must report a row that no function drives, a star that differs, and a row that is not listed."""
    listed = rows.page()
    first = next(iter(rows.ROWS))
    missing = []
    for change, words in (({"X1": listed[first]}, "X1 is neither driven"), ({first: None}, f"{first} is not in docs")):
        page = {name: one for name, one in {**listed, **change}.items() if one is not None}
        if not any(words in problem for problem in rows.check(page, {})):
            missing.append(words)
    starred = {**listed, first: rows.ListedRow(first, not listed[first].is_starred, "", "")}
    if not any("the star differs" in problem for problem in rows.check(starred, {})):
        missing.append("the star differs")
    return missing


def self_test(folder: pathlib.Path) -> int:
    # Planted delays are seconds; no tolerance for a busy machine is needed.
    watch.BACK_SECONDS, watch.LATE_SECONDS, ends.LATE_SECONDS = 5.0, 0.0, 1.0
    told = 0
    for name, drive, wanted, on in PLANTED:
        lines: list[str] = []
        run = Run(folder / name.replace(" ", "-").replace("'", ""), full=False, say=lines.append)
        run.folder.mkdir()
        run.all([Row("planted", False, on, rows.MEMORY_BYTES, name, drive)])
        text = "\n".join(lines)
        is_told = wanted in text and bool(run.failed) if wanted else not run.failed
        told += is_told
        if not is_told:
            print(f"self-test: planted {name}: NOT TOLD, wanted {wanted!r}, got {text[:600]!r}")
    missing = register_check()
    for words in missing:
        print(f"self-test: the register does not tell: {words}")
    print(f"attacks: self-test planted={len(PLANTED) + 3} told={told + 3 - len(missing)}")
    return 0 if told == len(PLANTED) and not missing else 1
