"""docs/attacks.md, Logs, files, leaks: L1 to L10."""

import json
import os
import re
import subprocess
import time

from attack import Attack, NotHere, history
from harness.connection import Connection
from harness.ends import expect_goaway, expect_kept, is_refusal, refused_and_kept
from harness.messages import METHODS, ON_A_THREAD, item_text, words
from harness.protobuf import bytes_field
from harness.server import heddle, heddle_timed
from harness.store_pages import damage
from harness.watch import spellings
from harness.wire import HeddleError
from rows import OWN, row
from rows_semantics import hostile
from world import CANARY, TOKENS, Server

NASTY = ["a\r\nlevel=critical forged\r\n", "\x1b[2J\x1b[31mred", "\u2028\u2029line", "%n%s%x%p", "${jndi:ldap://x/y}",
         '"},{"level":"critical","message":"forged', "\\u0000\\n", "<script>alert(1)</script>", "\x7f\x01\x02"]


@row("L1★", on=OWN)
def l1(attack: Attack):
    """CR LF, ANSI, U+2028, formats in every text field → one JSON line each, escaped; the text format likewise"""
    for log_format in ("json", "text"):
        server = attack.start("--log-format", log_format, "--log-level", "trace", name=log_format)
        for text in NASTY:
            nasty_everywhere(attack, text)
        lines = server.log.read_bytes().split(b"\n")
        for line in lines:
            if log_format == "json" and line:
                entry = json.loads(line)
                assert "forged" not in str(entry.get("level")), entry
            assert not line.startswith(b"level=critical") and not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", line), line
            assert "\u2028".encode() not in line and b"forged" not in line, line
        attack.note(f"{len(lines)} lines of {log_format}")


def nasty_everywhere(attack: Attack, text: str):
    """A text in each field that takes one; most are refused, which is what gets logged."""
    peer = attack.connect(timeout=60, client_name=text, client_version=text, features=[text],
                          unwanted_notifications=[text])
    thread = attack.thread(peer, name=text)
    change = {"metadata": [{"name": text, "value": text}], "base_instructions": text, "developer_instructions": text,
              "working_folder": text, "service_tier": text, "reasoning_effort": text, "reasoning_summary": text}
    tools = [{"name": text, "description": text, "schema": text}]
    for name, fields in (
            ("Settings.Update", {"thread": thread, "change": change}),
            ("Settings.Update", {"thread": thread, "change": {"model": text}}),
            ("Settings.Update", {"thread": thread, "change": {"model_provider": text}}),
            ("Thread.Start", {"tools": tools, "subscribe": False}), ("Thread.List", {"cursor": text}),
            ("Thread.List", {"text": text, "working_folder": text, "model_provider": text}),
            ("Catalog.SetFeature", {"name": text, "enabled": True}),
            ("Turn.Start", {"thread": thread, "input": words(f"!tool {text}"), "output_schema": text}),
            ("Turn.Start", {"thread": thread, "input": words(f"!fail\n{text}")})):
        try:
            metadata = dict.fromkeys(("request_id", "traceparent", "tracestate", "authority"), text)
            peer.call(name, metadata=metadata, **fields)
        except HeddleError:
            pass
    feed = peer.follow(thread)
    feed.until_kind("live")
    turn = peer.call("Turn.Start", thread=thread, input=words(f"!say {text}")).turn
    feed.until_ended(turn)
    broken = METHODS["Thread.SetName"].request(thread=thread, name=text).SerializeToString()
    refused_and_kept(peer, "Thread.SetName", broken + b"\x12\x7f" + text.encode(), "INVALID_ARGUMENT", "malformed")


@row("L2★", on=OWN)
def l2(attack: Attack):
    """canary secrets: tokens, a provider's key that the provider echoes → 0 hits in log, answers, data folder, core"""
    _, server = hostile(attack, tokens=True)
    peer = attack.connect("alice", timeout=60)
    settings = {"developer_instructions": CANARY, "metadata": [{"name": "n", "value": CANARY}]}
    thread, feed = attack.follow_new(peer, name=f"name {CANARY}", settings=settings)
    for order in ("status 401", "status 400", "status 500", "reset 99", "garbage", "ok"):
        feed.until_ended(attack.turn(peer, thread, f"HOSTILE {order}"), timeout=60)
    peer.refusal("Thread.SetName", thread=thread, name=CANARY * 200)
    cut = METHODS["Thread.SetName"].request(thread=thread, name=CANARY).SerializeToString() + b"\x12\x7f" + CANARY.encode()
    is_refusal(peer.refusal("Thread.SetName", cut), "INVALID_ARGUMENT", "malformed")
    wrong = attack.connect(hello=False)
    wrong.send(Connection.hello_frame(TOKENS["bob"][:-1], quiet=True).encode())
    expect_goaway(wrong, "UNAUTHENTICATED", "invalid_token")
    peer.refusal("Server.Status", metadata={"token": TOKENS["bob"]})
    # The texts that clients get: all events of the thread, lists, the status.
    told = b"".join(event.SerializeToString() for event in history(attack, thread, "alice"))
    for name, fields in (("Server.Status", {}), ("Catalog.ListModels", {"include_hidden": True}), ("Thread.List", {}),
                         ("Thread.ListTurns", {"thread": thread}), ("Thread.ListItems", {"thread": thread})):
        told += peer.call(name, **fields).SerializeToString()
    places = {"what was told": told, "the log": server.log.read_bytes()}
    for file in server.data.rglob("*"):
        if file.is_file():
            places[file.name] = file.read_bytes()
    for name, token in TOKENS.items():
        for spelling in spellings(token):
            for place, content in places.items():
                assert spelling not in content, f"the secret of {name} is in {place}"
    for spelling in spellings(CANARY):
        assert spelling not in places["the log"], "a payload is in the log"
    assert not list(attack.folder.rglob("core*")), "a core file"
    attack.note(f"{len(places)} places, {sum(map(len, places.values())) >> 10} KiB looked through")


@row("L3★")
def l3(attack: Attack):
    """thread id as a path, encoded, absolute, NUL, 4 KiB, U+2215, in every method → bad_id, K"""
    peer = attack.connect()
    bad = (b"../../etc/passwd.", b"%2e%2e%2f", b"/abs", b"a\x00b", b"x" * 4096, "∕".encode(), b"x" * 15, b"x" * 17,
           b"01a20048-1de9-7741-9f2a-5075f14ebf37")
    for value in bad:
        refused_and_kept(peer, "Thread.Read", bytes_field(1, value), "INVALID_ARGUMENT", "bad_id", "thread")
    for name in ON_A_THREAD:
        refused_and_kept(peer, name, bytes_field(1, b"../../etc/passwd."), "INVALID_ARGUMENT", "bad_id", "thread")
    for key in (b"", b"short", b"x" * 17):
        is_refusal(peer.refusal("Thread.Start", key=key), "INVALID_ARGUMENT", "bad_id")
    # 16 bytes are an id, whatever they spell.
    refused_and_kept(peer, "Thread.Read", bytes_field(1, b"../../etc/passwd"), "NOT_FOUND", "thread")


@row("L4", on=OWN)
def l4(attack: Attack):
    """symlink or FIFO planted in the data folder → not followed, neither for reading nor for writing"""
    victim, elsewhere = attack.folder / "victim", attack.folder / "made-by-the-server"
    content = b"v" * 32  # as long as a key is, so that it could be taken for one
    found = []
    for name in ("LOCK", "heddle.db", "heddle.db-wal", "reserve", "cursor.key", "probe"):
        for kind in ("symlink", "dangling", "fifo"):
            victim.write_bytes(content)
            data = attack.folder / f"{name}-{kind}"
            first = attack.start(data=data, name=f"{name}-{kind}-log", watched=False)
            with attack.connect(server=first) as peer:
                attack.thread(peer)
            first.stop()
            first.may_end = first.may_be_damaged = True
            plant(data / name, kind, victim, elsewhere)
            started = serves(data)
            if victim.read_bytes() != content:
                found.append(f"{name}: wrote behind a {kind}")
            if elsewhere.exists():
                found.append(f"{name}: made a file behind a {kind}")
                elsewhere.unlink()
            if started and kind == "symlink" and (data / name).is_symlink() and name not in ("reserve", "probe"):
                found.append(f"{name}: read behind a {kind}")
    victim.write_bytes(content)
    if not short_of_space(attack, victim, content):
        found.append("reserve: cut the file behind a symlink when the disk was short")
    assert not found, "; ".join(found)


def plant(planted, kind: str, victim, elsewhere):
    planted.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(planted)
    else:
        planted.symlink_to(victim if kind == "symlink" else elsewhere)


def short_of_space(attack: Attack, victim, content: bytes) -> bool:
    """On a full disk the server gives its reserve back; true if another program's file is unchanged."""
    disk = attack.folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        attack.note("a small disk cannot be mounted by this user")
        return True
    attack.when_over(lambda: subprocess.run(["umount", "-l", disk], check=True))
    data = disk / "data"
    data.mkdir(mode=0o700)
    (data / "reserve").symlink_to(victim)
    serves(data)
    return victim.read_bytes() == content


def serves(data) -> bool:
    """Whether a server starts on a folder; it is ended at once."""
    process = subprocess.Popen([Server.binary, "serve", "--data", data, "--listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        os.set_blocking(process.stdout.fileno(), False)
        while time.monotonic() < deadline:
            if process.poll() is not None:
                assert process.returncode in (1, 75, 78), f"exit {process.returncode}"
                return False
            if process.stdout.read():
                return True
            time.sleep(0.02)  # it starts or it ends
        raise AssertionError("it neither starts nor ends")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@row("L5", on=OWN)
def l5(attack: Attack):
    """data folder writable by others; cursor.key readable by others → does not start, exit 78, names the file"""
    for mode in (0o777, 0o770, 0o722, 0o702):
        data = attack.folder / f"data-{mode:o}"
        data.mkdir()
        data.chmod(mode)
        ended_with = heddle("serve", "--data", data, "--listen", "127.0.0.1:0", timeout=60)
        assert ended_with.returncode == 78 and ended_with.stdout == "", ended_with
    for mode in (0o644, 0o640, 0o604):
        data = attack.folder / f"key-{mode:o}"
        data.mkdir(mode=0o700)
        key = data / "cursor.key"
        key.write_bytes(b"k" * 32)
        key.chmod(mode)
        ended_with = heddle("serve", "--data", data, "--listen", "127.0.0.1:0", timeout=60)
        assert ended_with.returncode == 78 and str(key) in ended_with.stderr, ended_with


@row("L6★", on=OWN)
def l6(attack: Attack):
    """second server on the folder → exits 75 within a second, names the owner; the first does not notice (D13)"""
    server = attack.start()
    second, seconds = heddle_timed("serve", "--data", server.data, "--listen", "127.0.0.1:0")
    assert second.returncode == 75 and str(server.pid) in second.stderr, second
    assert seconds < 1 + 2, f"{seconds:.1f} s"  # a debug build takes its time to load
    expect_kept(attack.connect())
    assert heddle("check", server.data).returncode == 75
    server.restart()
    attack.started[-1] = (server, None)
    expect_kept(attack.connect())


@row("L7")
def l7(attack: Attack):
    """SQL in ids, names, search → stored or not found; parameters only"""
    peer = attack.connect()
    keeper = attack.thread(peer, name="keeper")
    for text in ("'; DROP TABLE threads; --", '" OR 1=1 --', "') UNION SELECT * FROM keys; --", "%", "_", "\\", "*",
                 "x' --"):
        thread, feed = attack.follow_new(peer, name=text)
        assert peer.call("Thread.Read", thread=thread).thread.name == text
        found = peer.call("Thread.List", text=text, page_size=200).threads
        assert thread in {one.id for one in found} and keeper not in {one.id for one in found}, f"{text}: {len(found)}"
        for field in ("model_provider", "working_folder"):
            assert not peer.call("Thread.List", page_size=200, **{field: text}).threads
        feed.until_completed(peer.call("Turn.Start", thread=thread, input=words(f"!say {text}")).turn)
        assert item_text(feed.of_kind("item_completed")[-1].item_completed.item) == text
    refused_and_kept(peer, "Thread.Read", bytes_field(1, b"' OR 1=1 --     "), "NOT_FOUND", "thread")
    assert peer.call("Thread.Read", thread=keeper).thread.name == "keeper"


@row("L8★", on=OWN)
def l8(attack: Attack):
    """error texts → no path, SQL, pointer, stack; a debug_id that the log has"""
    server = attack.start()
    peer = attack.connect()
    thread = attack.thread(peer)
    peer.close()
    attack.started[-1][1].close()
    attack.started[-1] = (server, None)
    server.stop()
    damage(server.data, thread)
    server.may_be_damaged = True
    server.start()
    peer, found = attack.connect(), set()
    for name in ("Thread.Resume", "Thread.Read", "Turn.Start", "Thread.Subscribe", "Thread.ListItems", "Thread.Fork"):
        try:
            body = {"thread": thread, **({"input": words("x")} if name == "Turn.Start" else {}),
                    **({"after": 0} if name == "Thread.Subscribe" else {})}
            if name == "Thread.Subscribe":
                feed = peer.follow(thread)
                feed.until_kind("live")
            else:
                peer.call(name, **body)
            raise AssertionError(f"{name} served damaged bytes")
        except HeddleError as refused:
            is_refusal(refused, "DATA_LOSS", "data_loss")
            assert refused.error.debug_id, f"{name}: no debug_id"
            found.add(refused.error.debug_id)
    log = server.log.read_text()
    missing = [debug_id for debug_id in found if debug_id not in log]
    assert not missing, f"the log does not know {missing}"
    assert len(found) > 1, "all errors have one debug_id"


@row("L9", on=OWN)
def l9(attack: Attack):
    """log disk full → serving goes on"""
    if not os.path.exists("/dev/full"):
        raise NotHere("there is no /dev/full")
    for log_format in ("json", "text"):
        data = attack.folder / f"data-{log_format}"
        with open("/dev/full", "wb") as full:
            process = subprocess.Popen(
                [Server.binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "trace",
                 "--log-format", log_format], stdout=subprocess.PIPE, stderr=full, stdin=subprocess.DEVNULL)
        try:
            ready = json.loads(process.stdout.readline())
            peer = Connection(ready["listen"])
            peer.hello(quiet=True)
            for number in range(20):
                thread = peer.call("Thread.Start", subscribe=False).thread.id
                peer.call("Turn.Start", thread=thread, input=words("!fail"))
                peer.refusal("Thread.SetName", bytes_field(1, b"x"))
                with Connection(ready["listen"]) as other:
                    other.send(b"\xfa" * 16)
            expect_kept(peer)
            peer.close()
            assert process.poll() is None
        finally:
            process.kill()
            process.communicate()


@row("L10", on=OWN)
def l10(attack: Attack):
    """stored bytes of one thread are damaged → data_loss for it; lists, other threads and the start go on, K"""
    server = attack.start()
    peer = attack.connect(timeout=60)
    threads = []
    for number in range(6):
        thread, feed = attack.follow_new(peer, name=f"thread {number}")
        feed.until_completed(attack.turn(peer, thread, "some text"))
        threads.append(thread)
    peer.close()
    attack.started[-1][1].close()
    attack.started[-1] = (server, None)
    server.stop()
    damage(server.data, threads[3])
    server.may_be_damaged = True
    server.start()
    peer = attack.connect(timeout=60)
    for name in ("Thread.Resume", "Thread.ListItems"):
        refused_and_kept(peer, name, None, "DATA_LOSS", "data_loss", thread=threads[3])
    for order in (1, 2):
        listed = [one.id for one in peer.call("Thread.List", page_size=200, order=order).threads]
        assert set(listed) - {threads[3]} >= set(threads) - {threads[3]}, f"{len(listed)} of {len(threads)} are listed"
        small = walk_all(peer, order)
        assert set(threads) - {threads[3]} <= set(small)
    for thread in threads:
        if thread != threads[3]:
            feed = peer.follow(thread)
            feed.until_kind("live")
            feed.until_completed(attack.turn(peer, thread, "goes on"))
    checked = heddle("check", server.data)
    assert checked.returncode == 75
    expect_kept(peer)
    peer.close()
    server.stop()
    assert heddle("check", server.data).returncode == 1, "check does not see the damage"
    server.may_end = True


def walk_all(peer: Connection, order: int) -> list[bytes]:
    seen, cursor = [], ""
    for _ in range(100):
        answer = peer.call("Thread.List", page_size=1, order=order, cursor=cursor)
        seen += [one.id for one in answer.threads]
        cursor = answer.next_cursor
        if not cursor:
            return seen
    raise AssertionError("a list without an end")

