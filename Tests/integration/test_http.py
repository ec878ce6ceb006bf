"""The HTTP door over sockets: probes, calls by Connect, server-sent events, metrics, and what operators may see."""

import base64
import contextlib
import http.client
import json
import shutil
import socket
import struct
import subprocess

import pytest
from google.protobuf import json_format
from harness.certificates import Authority, client_context
from harness.ends import eventually
from harness.http_door import HTTP, Events, place, raw
from harness.messages import server_pb2, thread_pb2
from harness.server import Server, heddle

TOKENS = {name: f"{name}-" + "secret" * 8 for name in ("alice", "root")}


@pytest.fixture
def peer(server):
    with HTTP(server) as connected:
        yield connected


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that knows its callers."""
    folder = tmp_path_factory.mktemp("guarded")
    file = folder / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"{TOKENS['alice']} alice\n{TOKENS['root']} root admin\n")
    with Server(folder / "data", "--token-file", str(file)) as running:
        yield running


def envelope(message: bytes, flags: int = 0) -> bytes:
    return struct.pack(">BI", flags, len(message)) + message


def envelopes(data: bytes) -> list[tuple[int, bytes]]:
    out = []
    while data:
        flags, length = struct.unpack(">BI", data[:5])
        out.append((flags, data[5:5 + length]))
        data = data[5 + length:]
    return out


def started(peer: HTTP, **more) -> str:
    """The id of a new thread, as canonical JSON has it."""
    answer = peer.call("ThreadService/Start", more)
    assert answer.status == 200, answer.text
    return answer.json["thread"]["id"]


def uuid(identifier: str) -> str:
    digits = base64.b64decode(identifier).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def test_probes_answer_on_one_connection(peer):
    for path in ("/livez", "/healthz", "/readyz"):
        answer = peer.get(path)
        assert (answer.status, answer.text) == (200, "ok\n")
        head = peer.ask("HEAD", path)
        assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "3")


def test_unknown_paths_and_verbs(peer):
    assert peer.get("/nothing").status == 404
    refused = peer.ask("POST", "/livez", b"")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")
    refused = peer.get("/heddle.v1.ServerService/Status")
    assert (refused.status, refused.headers["allow"]) == (405, "POST")
    assert peer.get("/livez").status == 200


def test_a_call_with_json_answers_canonical_json(peer):
    answer = peer.call("ServerService/Status")
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    status = json_format.Parse(answer.body, server_pb2.ServerStatusResponse())
    assert status.version and answer.json["serving"] == "SERVING_STATUS_SERVING"
    assert isinstance(answer.json["uptimeMs"], str), "64-bit integers are text"


def test_a_call_with_protobuf(peer):
    request = thread_pb2.StartThreadRequest(name="of bytes")
    answer = peer.ask("POST", "/heddle.v1.ThreadService/Start", request.SerializeToString(),
                      content_type="application/proto", connect_protocol_version="1")
    assert answer.status == 200 and answer.headers["content-type"] == "application/proto"
    assert thread_pb2.StartThreadResponse.FromString(answer.body).thread.name == "of bytes"


def test_an_error_has_connects_form(peer):
    answer = peer.call("ThreadService/Read", {"thread": "00000000-0000-0000-0000-000000000001"})
    assert (answer.status, answer.reason) == (404, "thread")
    error = answer.json
    assert error["code"] == "not_found" and error["message"]
    detail = error["details"][0]
    assert detail["type"] == "google.rpc.ErrorInfo"
    value = base64.b64decode(detail["value"] + "=" * (-len(detail["value"]) % 4))
    assert b"thread" in value and b"heddle.v1" in value
    assert peer.call("ThreadService/Nothing").json["code"] == "unimplemented"


def test_media_types_and_codings(peer):
    path = "/heddle.v1.ServerService/Status"
    assert peer.ask("POST", path, b"{}", content_type="text/plain").status == 415
    assert peer.ask("POST", path, b"", content_type="application/grpc").status == 415
    assert peer.ask("POST", path, b"{}", content_type="application/connect+json").status == 415
    assert peer.ask("POST", path, b"{}", content_type="application/json; charset=utf-8").status == 200
    coded = peer.call("ServerService/Status", content_encoding="gzip")
    assert (coded.status, coded.json["code"], coded.headers["accept-encoding"]) == (501, "unimplemented", "identity")
    assert peer.call("ServerService/Status", connect_protocol_version="2").status == 400
    # curl names a form by default; a browser cannot send one without its origin.
    form = {"content_type": "application/x-www-form-urlencoded"}
    assert peer.ask("POST", path, b"{}", **form).status == 200
    assert peer.ask("POST", path, b"{}", origin=f"http://{peer.host}:{peer.port}", **form).status == 415


def test_deadlines(peer):
    zero = peer.call("ServerService/Status", connect_timeout_ms="0")
    assert (zero.status, zero.json["code"]) == (504, "deadline_exceeded")
    assert peer.call("ServerService/Status", connect_timeout_ms="soon").reason == "out_of_range"
    assert peer.call("ServerService/Status", connect_timeout_ms="10000").status == 200


def test_a_key_makes_one_thread_of_two_calls(peer):
    key = {"heddle_idempotency_key_bin": base64.b64encode(b"0123456789abcdef").decode()}
    first, second = (peer.call("ThreadService/Start", {"name": "once"}, **key) for _ in range(2))
    assert first.json["thread"]["id"] == second.json["thread"]["id"]
    assert second.json["replayed"] and "replayed" not in first.json
    assert peer.call("ThreadService/Start", **{"heddle_idempotency_key_bin": "?"}).reason == "bad_id"


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_curl_as_the_page_says(server):
    done = subprocess.run(["curl", "-sS", "-d", "{}", f"{server.ready['http']}/heddle.v1.ServerService/Status"],
                          capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout)["serving"] == "SERVING_STATUS_SERVING", done


def test_subscribe_by_connect(peer, server):
    thread = started(peer)
    request = json.dumps({"thread": thread, "after": 0}).encode()
    with HTTP(server) as follower:
        follower.request("POST", "/heddle.v1.ThreadService/Subscribe", envelope(request),
                         {"content-type": "application/connect+json"})
        response = follower.getresponse()
        assert response.status == 200 and response.headers["content-type"] == "application/connect+json"
        seen = []
        while not any("live" in message for message in seen):
            flags, length = struct.unpack(">BI", response.read(5))
            assert flags == 0
            seen.append(json.loads(response.read(length)))
        assert "subscribed" in seen[0] and seen[1]["event"]["sequence"] == "1"


def test_a_stream_that_is_refused_ends_with_its_error(peer):
    request = thread_pb2.SubscribeRequest(thread=bytes(15) + b"1").SerializeToString()
    answer = peer.ask("POST", "/heddle.v1.ThreadService/Subscribe", envelope(request),
                      content_type="application/connect+proto")
    [(flags, end)] = envelopes(answer.body)
    assert (answer.status, flags, json.loads(end)["error"]["code"]) == (200, 2, "not_found")


def test_server_sent_events_resume_by_their_number(peer, server):
    thread = started(peer)
    path = f"/v1/threads/{uuid(thread)}/events"
    with Events(server, f"{path}?after=0") as events:
        seen = events.until("live")
        assert seen[0]["event"] == "subscribed" and seen[1]["id"] == "1"
        named = peer.call("ThreadService/SetName", {"thread": thread, "name": "a name"})
        assert named.status == 200
        event = events.until("event")[-1]
        assert event["data"]["event"]["nameChanged"]["name"] == "a name"
    last = int(event["id"])
    with Events(server, path, last_event_id=last - 1) as events:
        assert [found["id"] for found in events.until("live") if "id" in found] == [str(last)]
    refused = peer.get(path, last_event_id=str(last + 1000))
    assert (refused.status, refused.reason) == (400, "future_seq")
    assert peer.get(path, last_event_id="text").reason == "out_of_range"
    assert peer.get("/v1/threads/00000000-0000-0000-0000-000000000001/events").reason == "thread"


def test_callers_are_known_by_their_tokens(guarded):
    with HTTP(guarded) as stranger, HTTP(guarded, TOKENS["alice"]) as alice, HTTP(guarded, TOKENS["root"]) as root:
        assert stranger.get("/readyz").status == 200
        refused = stranger.call("ServerService/Status")
        assert (refused.status, refused.reason) == (401, "missing_token")
        assert refused.headers["www-authenticate"] == "Bearer"
        assert stranger.call("ServerService/Status", authorization="Bearer wrong").reason == "invalid_token"
        assert stranger.call("ServerService/Status", authorization="Basic YTpi").reason == "invalid_token"
        assert alice.call("ServerService/Status").status == 200
        thread = started(alice)
        # Another principal on the same connection is another caller.
        other = {"authorization": f"Bearer {TOKENS['root']}"}
        assert alice.call("ThreadService/Read", {"thread": thread}, **other).status == 404
        assert alice.call("ThreadService/Read", {"thread": thread}).status == 200
        for path in ("/debug/state", "/debug/log-level"):
            assert stranger.get(path).status == 401 and alice.get(path).status == 403 and root.get(path).status == 200


def test_the_level_of_the_log_changes(guarded):
    with HTTP(guarded, TOKENS["root"]) as root:
        before = root.get("/debug/log-level").text
        assert root.ask("PUT", "/debug/log-level", b"debug").text == "debug\n"
        assert root.get("/debug/state").json["logLevel"] == "debug"
        assert root.ask("PUT", "/debug/log-level", b"loud").status == 400
        assert root.ask("PUT", "/debug/log-level", before.encode()).text == before


def test_metrics(peer):
    peer.call("ServerService/Status")
    answer = peer.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    assert any(line.startswith("heddle_build_info{version=") for line in lines)
    counted = 'heddle_request_seconds_count{door="http",method="ServerService/Status"}'
    assert any(line.startswith(counted) for line in lines)
    assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    if promtool := shutil.which("promtool"):
        checked = subprocess.run([promtool, "check", "metrics"], input=answer.body, capture_output=True, timeout=60)
        assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_the_door_stays_closed_or_says_what_is_wrong(tmp_path):
    with Server(tmp_path / "data", "--http", "off") as running:
        assert running.ready["http"] == "off"
    for address in ("nowhere", "0.0.0.0:0"):
        ended = heddle("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--http", address)
        assert ended.returncode == 78 and ended.stderr


def test_a_drain_is_told(tmp_path):
    with Server(tmp_path / "data") as running, HTTP(running) as peer:
        thread = started(peer)
        with Events(running, f"/v1/threads/{uuid(thread)}/events") as events:
            events.until("live")
            running.terminate()
            assert events.until("end")[-1]["data"]["code"] == "unavailable"
        assert running.wait() == 0


def test_the_door_speaks_tls(tmp_path):
    """The keys of tls hold for this door too, and so does the scheme of an origin."""
    authority = Authority(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"tls": authority.server().settings}))
    with Server(tmp_path / "data", "--config", config) as running:
        assert "http" in running.ready["tls"].split(",")
        host, port = place(running.ready["http"])
        context = client_context(authority, protocols=("http/1.1",))
        with contextlib.closing(http.client.HTTPSConnection(host, port, context=context, timeout=60)) as peer:
            for origin, status in ((f"https://{host}:{port}", 200), (f"http://{host}:{port}", 403)):
                peer.request("POST", "/heddle.v1.ServerService/Status", b"{}",
                             {"content-type": "application/json", "origin": origin})
                answer = peer.getresponse()
                assert answer.status == status, answer.read()
                answer.read()


def test_r13_bodies_that_do_not_end_share_a_bound(tmp_path):
    """Half bodies above the bound are refused, small ones are served, and what has gone is room again."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"limits": {"bufferedBytes": 1_000_000}}))
    head = (b"POST /heddle.v1.ThreadService/Start HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 4000000\r\n\r\n")
    with Server(tmp_path / "data", "--config", config) as running, contextlib.ExitStack() as stack:
        for _ in range(2):
            held = stack.enter_context(socket.create_connection(place(running.ready["http"]), 60))
            held.sendall(head + b" " * 450_000)
        with HTTP(running) as peer:
            name = 'heddle_received_bytes_total{door="http"}'
            eventually(lambda: (peer.metric(name) or 0) >= 900_000, "the server reads what was sent")
            assert b"too_many_in_flight" in raw(running, head + b" " * 300_000)
            assert peer.call("ServerService/Status").status == 200
            stack.close()
            answer = peer.call("ThreadService/Start", {"name": "n" * 100_000})
            assert answer.reason == "text_too_long"


def test_a_page_of_a_listed_origin_may_call_and_read(tmp_path):
    page = "https://pages.example"
    with Server(tmp_path / "data", environment={"HEDDLE_HTTP_ORIGINS": page}) as server, HTTP(server) as peer:
        asked = {"origin": page, "access-control-request-method": "POST",
                 "access-control-request-headers": "content-type,connect-protocol-version"}
        answer = peer.ask("OPTIONS", "/heddle.v1.ServerService/Status", **asked)
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == page and answer.headers["vary"] == "origin"
        assert answer.headers["access-control-allow-methods"] == "POST"
        assert "connect-protocol-version" in answer.headers["access-control-allow-headers"]
        answer = peer.call("ServerService/Status", origin=page)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, page)
        refused = peer.call("ThreadService/Read", {}, origin=page)
        assert refused.status >= 400 and refused.headers["access-control-allow-origin"] == page
        assert "heddle-reason" in refused.headers["access-control-expose-headers"]
        # Its own pages need no permission, strangers get none, and a request of OPTIONS alone is no preflight.
        own = peer.call("ServerService/Status", origin=f"http://{server.ready['http']}")
        assert own.status == 200 and own.headers["access-control-allow-origin"] is None
        stranger = peer.ask("OPTIONS", "/heddle.v1.ServerService/Status", **(asked | {"origin": page + ".evil"}))
        assert stranger.status == 403 and stranger.headers["access-control-allow-origin"] is None
        assert peer.ask("OPTIONS", "/heddle.v1.ServerService/Status", origin=page).status == 405


def test_a_page_of_a_listed_origin_may_follow_events(tmp_path):
    page = "https://pages.example"
    with Server(tmp_path / "data", environment={"HEDDLE_HTTP_ORIGINS": page}) as server, HTTP(server) as peer:
        thread = uuid(started(peer))
        with contextlib.closing(HTTP(server)) as other:
            other.request("GET", f"/v1/threads/{thread}/events", headers={"origin": page})
            assert other.getresponse().headers["access-control-allow-origin"] == page
