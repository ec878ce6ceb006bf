"""`heddle capture` and `heddle show`: what passed is in the file, in order; text and tokens are not."""

import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import time

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.messages import ROOT
from harness.recording import SECRET, TOKEN, Proxy, connect, conversation, record, shown, tool
from harness.server import Server
from test_client_tools import LOOKUP, TOOLS, asked

DISSECTOR = ROOT / "tools" / "heddle.lua"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The conversation at a server with tokens, recorded as everybody would."""
    folder = tmp_path_factory.mktemp("recorded")
    tokens = folder / "tokens"
    tokens.write_text(f"{TOKEN} someone admin\n")
    tokens.chmod(0o600)
    with Server(folder / "data", "--token-file", str(tokens)) as server:
        record(server, folder / "session.pcap", token=TOKEN)
    return folder / "session.pcap"


def test_every_frame_is_in_the_file_in_order(recorded):
    frames = shown(recorded)
    first = [frame for frame in frames if frame["connection"] == 1]
    assert [frame["kind"] for frame in first[:2]] == ["HELLO", "HELLO"]
    asked = {(f["connection"], f["stream"]): f["method"] for f in frames if f["kind"] == "REQUEST"}
    answered = {(f["connection"], f["stream"]): f["method"] for f in frames if f["kind"] in ("RESPONSE", "ERROR")
                and f["from"] == "server"}
    assert asked == answered, "a request without an answer, or the reverse"
    assert "ThreadService/Fork" in asked.values() and "TurnService/Interrupt" in asked.values()
    seconds = [frame["seconds"] for frame in frames]
    assert seconds == sorted(seconds)
    assert [frame["kind"] for frame in frames][-2:] == ["CLOSE", "CLOSE"]


def test_neither_text_nor_tokens_are_in_the_file(recorded):
    data = recorded.read_bytes()
    assert TOKEN.encode() not in data and b"tttttttt" not in data
    for word in (SECRET, "Grenoble", "named by another", "And then?", "slowly"):
        assert word.encode() not in data, f"{word!r} was written"
    assert oct(recorded.stat().st_mode & 0o777) == "0o600"
    asked = [f for f in shown(recorded, "--method", "TurnService/Start") if f["kind"] == "REQUEST"]
    texts = [re.sub("\\b[wxyz]+\\b", lambda word: "x" * len(word[0]), frame["message"]["input"]["content"][0]["text"])
             for frame in asked]
    assert texts == ["xxxx xx xx x xxxx xx xxxxxxxxx", "!chunks 8\n!delay 2000\nxxxx xxxxxx xxxxx xxxxxxx", "xxx xxxxx"]


def test_text_stays_when_asked_but_tokens_never(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{TOKEN} someone admin\n")
    tokens.chmod(0o600)
    with Server(tmp_path / "data", "--token-file", str(tokens)) as server:
        record(server, tmp_path / "session.pcap", "--keep-text", token=TOKEN)
    data = (tmp_path / "session.pcap").read_bytes()
    assert SECRET.encode() in data and TOKEN.encode() not in data


def test_show_filters(recorded):
    turns = shown(recorded, "--method", "TurnService/Start")
    assert {frame["method"] for frame in turns} == {"TurnService/Start"} and len(turns) == 6
    assert {frame["connection"] for frame in shown(recorded, "--connection", "2")} == {2}
    refused = shown(recorded, "--kind", "ERROR")
    assert [frame["message"]["reason"] for frame in refused] == ["thread", "cancelled"]
    assert refused[0]["since_request"] > 0
    fork = next(f for f in shown(recorded, "--kind", "RESPONSE") if f["method"] == "ThreadService/Fork")
    named = shown(recorded, "--id", fork["message"]["thread"]["id"], "--kind", "REQUEST")
    assert [frame["method"] for frame in named] == ["ThreadService/SetName"] * 2
    assert tool("show", recorded, "--method", "No/Such").returncode == 64


def test_the_proxy_changes_nothing(fresh, tmp_path):
    """Large answers, both directions, and an end by the client: the other side sees what it would see without it."""
    with Proxy(fresh.address, tmp_path / "large.pcap") as proxy:
        with connect(proxy.address) as through, fresh.connect() as direct:
            thread, follower = through.start_followed()
            turn = through.start_turn(thread.id, "!flood 3000000").turn
            follower.until_ended(turn, 60)
            item = follower.of_kind("item_completed")[-1].item_completed.item
            assert len(item.message.content[0].text) == 3_000_000
            seen = [event.SerializeToString() for event in follower.events]
            stored = direct.history(thread.id, 60)
            head = follower.subscribed.head if follower.subscribed else thread.sequence
            assert [event.SerializeToString() for event in stored][head:] == seen
        assert proxy.stop()["frames"] > 10
    longest = max(frame["bytes"] for frame in shown(tmp_path / "large.pcap"))
    assert longest > 3_000_000, "a long frame was not put together"


def test_files_that_are_no_capture_are_refused_with_a_word(tmp_path):
    for name, content, word in [
        ("short", b"abc", "too short"), ("noise", b"x" * 100, "no pcap"),
        ("ng", b"\x0a\x0d\x0d\x0a" + bytes(40), "pcapng"),
        ("link", bytes.fromhex("d4c3b2a1020004000000000000000000ffff000093000000"), "link type 147"),
    ]:
        file = tmp_path / name
        file.write_bytes(content)
        ended = tool("show", file)
        assert ended.returncode == 1 and word in ended.stderr, (name, ended.stderr)
    assert "cannot be read" in tool("show", tmp_path / "missing").stderr


def test_a_torn_file_shows_what_is_whole(recorded, tmp_path):
    torn = tmp_path / "torn.pcap"
    data = recorded.read_bytes()
    torn.write_bytes(data[:len(data) // 2])
    ended = tool("show", torn, "--json", "--brief")
    assert ended.returncode == 1 and "ends inside a record" in ended.stderr
    assert len(ended.stdout.splitlines()) > 10


def tshark(file, *arguments) -> list[list[str]]:
    """Rows of fields, with the project's dissector."""
    ended = subprocess.run(["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", file, "-T", "fields", "-E", "separator=/t",
                            *arguments], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and "Lua" not in ended.stderr, ended.stderr
    return [line.split("\t") for line in ended.stdout.splitlines()]


needs_tshark = pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is needed")


@needs_tshark
def test_wireshark_shows_method_stream_and_time_since_the_request(recorded):
    rows = tshark(recorded, "-Y", "heddle.kind", "-e", "heddle.kind", "-e", "heddle.method", "-e", "heddle.stream",
                  "-e", "heddle.time")
    kinds = ["", "REQUEST", "RESPONSE", "EVENT", "ERROR", "CANCEL", "CREDIT", "PING", "PONG", "GOAWAY", "HELLO"]
    frames = [frame for frame in shown(recorded, "--brief") if frame["kind"] != "CLOSE"]
    assert len(rows) == len(frames)
    for (kind, method, stream, since), frame in zip(rows, frames):
        assert (kinds[int(kind)], method, int(stream)) == (frame["kind"], frame.get("method", ""), frame["stream"])
        assert bool(since) == ("since_request" in frame)
        if since:
            assert float(since) == pytest.approx(frame["since_request"], abs=2e-6)
    assert tshark(recorded, "-Y", "heddle.malformed", "-e", "frame.number") == []


@needs_tshark
def test_wireshark_shows_every_field_by_name(recorded):
    """`heddle show` and tshark print the same: ids, numbers, switches, enums, text."""
    read = [frame["message"]["thread"] for frame in shown(recorded, "--method", "ThreadService/Read")
            if frame["kind"] == "RESPONSE"]
    names = ["id", "name", "sequence", "epoch", "turn_count", "version", "version_source", "updated_at"]
    rows = tshark(recorded, "-Y", 'heddle.method == "ThreadService/Read" && heddle.kind == 2',
                  *[word for name in names for word in ("-e", f"heddle.AgentThread.{name}")])
    assert len(rows) == len(read) == 1
    row, thread = dict(zip(names, rows[0])), read[0]
    assert row["id"] == thread["id"] and row["name"] == thread["name"]
    for name in ("sequence", "epoch", "turn_count", "updated_at"):
        assert int(row[name]) == int(thread[name]), name
    assert (row["version"], thread["version"]) == ("1", "V1")
    turn = next(frame["message"] for frame in shown(recorded, "--method", "TurnService/Start")
                if frame["kind"] == "RESPONSE")
    found = tshark(recorded, "-Y", f"heddle.TurnEnded.turn == {turn['turn']}", "-e", "heddle.method")
    assert found == [["ThreadService/Subscribe"]]


needs_tcpdump = pytest.mark.skipif(
    not shutil.which("tcpdump") or os.geteuid() != 0, reason="tcpdump, as root, is needed")


@needs_tcpdump
def test_packets_of_tcpdump_give_the_same_frames_as_the_proxy(fresh, tmp_path):
    """The proxy and tcpdump watch one conversation."""
    port = fresh.address.rsplit(":", 1)[1]
    packets = tmp_path / "packets.pcap"
    dump = subprocess.Popen(["tcpdump", "-i", "lo", "-U", "-B", "65536", "-w", packets, "tcp", "port", port], stderr=subprocess.PIPE)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(dump.stderr, selectors.EVENT_READ)
            assert selector.select(PATIENCE_SECONDS), "tcpdump does not start"
            assert b"listening" in dump.stderr.readline()
        record(fresh, tmp_path / "proxy.pcap")
        await_packets(packets, fresh, port)
    finally:
        dump.send_signal(signal.SIGINT)
        dump.wait(60)
        dump.stderr.close()
    ended = tool("capture", "--import", packets, "--output", tmp_path / "imported.pcap")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["frames"] > 50
    assert SECRET.encode() in packets.read_bytes() and SECRET.encode() not in (tmp_path / "imported.pcap").read_bytes()
    proxied, imported = streams(tmp_path / "proxy.pcap"), streams(tmp_path / "imported.pcap")
    assert imported[:len(proxied)] == proxied
    if shutil.which("tshark"):
        rows = tshark(packets, "-d", f"tcp.port=={port},heddle", "-Y", "heddle.malformed", "-e", "frame.number")
        assert rows == []
        rows = tshark(packets, "-d", f"tcp.port=={port},heddle", "-Y", "heddle", "-e", "heddle.kind")
        assert sum(len(row[0].split(",")) for row in rows) == sum(
            frame["kind"] != "CLOSE" for frame in shown(packets))
    ended = tool("diff", tmp_path / "proxy.pcap", tmp_path / "imported.pcap")
    assert ended.returncode == 0, ended.stdout


def await_packets(packets, server, port):
    """A last connection: when its name is in the file, tcpdump has written everything before it."""
    with connect(server.address) as last:
        last.send_frame(last.request_frame("Thread.Search", b"\x0a\x10the last of them"))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"the last of them" not in packets.read_bytes():
            assert time.monotonic() < deadline, "tcpdump does not write"
            last.call("Server.Status")
            time.sleep(0.01)  # it tells nobody but its file


def streams(file) -> list:
    """The frames of each side of each connection, in order."""
    frames = shown(file)
    return [[(f["kind"], f["stream"], f.get("method"), f["bytes"]) for f in frames
             if f["connection"] == connection and f["from"] == side]
            for connection in range(1, max(f["connection"] for f in frames) + 1) for side in ("client", "server")]


def test_neither_fresh_tokens_nor_what_tools_say_are_in_the_file(tmp_path):
    """A token beside a request goes like that of HELLO; what a client says of its tool that failed is text of its own."""
    fresh_token, failure = "fresh-" + "f" * 40, "the disk of Grenoble is gone"
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{TOKEN} someone\n{fresh_token} someone\n")
    tokens.chmod(0o600)

    def story(address: str, token: str = ""):
        with connect(address, token, features=["call_tool"]) as connection:
            connection.call("Server.Status", metadata={"token": fresh_token})
            thread, follower = connection.start_followed(tools=TOOLS)
            turn = connection.start_turn(thread.id, LOOKUP).turn
            asked(connection).fail("INTERNAL", failure)
            follower.until_ended(turn)

    with Server(tmp_path / "data", "--token-file", str(tokens)) as server:
        record(server, tmp_path / "session.pcap", story=story, token=TOKEN)
        record(server, tmp_path / "kept.pcap", "--keep-text", story=story, token=TOKEN)
    without, kept = (tmp_path / "session.pcap").read_bytes(), (tmp_path / "kept.pcap").read_bytes()
    assert failure.encode() not in without and failure.encode() in kept
    for data in (without, kept):
        assert TOKEN.encode() not in data and fresh_token.encode() not in data
    refreshed = [frame["metadata"]["token"] for frame in shown(tmp_path / "kept.pcap", "--kind", "REQUEST")
                 if "token" in (frame.get("metadata") or {})]
    assert refreshed == ["x" * len(fresh_token)]
