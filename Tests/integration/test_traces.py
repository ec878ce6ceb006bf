"""Traces: `traceparent` reaches providers and logs; with a collector, requests, turns, steps and tool calls are spans of
one trace, over agents too. The collector's side is read with OpenTelemetry's own messages."""

import http.server
import json
import subprocess
import threading
import time

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from agents import V2, script, spawn, tool
from harness.ends import eventually
from harness.http_door import HTTP
from harness.model_server import Call, Text, error
from harness.server import Server
from provided import Conversation, ProvidedServer, answer_call, quick

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = f"00-{TRACE}-{PARENT}-01"
SCHEMA = '{"type":"object","properties":{"place":{"type":"string"}}}'


class Collector:
    """A collector of OTLP over HTTP; `statuses` are its next answers, then 200."""

    def __init__(self):
        self.statuses: list[int] = []
        self.batches: list[ExportTraceServiceRequest] = []
        self.headers: list[dict] = []
        self.came = threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status = outer.statuses.pop(0) if outer.statuses else 200
                if status == 200 and self.path == "/v1/traces":
                    with outer.came:
                        outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                        outer.batches.append(ExportTraceServiceRequest.FromString(body))
                        outer.came.notify_all()
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                """Nothing: batches are kept."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def spans(self) -> list[Span]:
        return [span for batch in self.batches for resource in batch.resource_spans
                for scope in resource.scope_spans for span in scope.spans]

    def wait(self, wanted, timeout: float = 30.0) -> list[Span]:
        with self.came:
            assert self.came.wait_for(lambda: wanted(self.spans), timeout), [span.name for span in self.spans]
            return self.spans

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def collector():
    running = Collector()
    yield running
    running.close()


def named(spans: list[Span], name: str) -> Span:
    [found] = [span for span in spans if span.name == name]
    return found


def value(span: Span, name: str):
    [found] = [pair.value for pair in span.attributes if pair.key == name]
    return getattr(found, found.WhichOneof("value"))


def start(conversation: Conversation, text: str = "hello", **metadata) -> bytes:
    connection = conversation.connection
    return connection.call("Turn.Start", thread=conversation.id, metadata=metadata,
                           input={"content": [{"text": text}]}).turn


@pytest.mark.parametrize("kind", ["responses", "chat", "anthropic"])
def test_a_traceparent_reaches_the_provider_without_a_collector(tmp_path, model, kind):
    with ProvidedServer(tmp_path, {kind: quick(model, kind)}) as server, server.connect() as connection:
        conversation = Conversation(connection, kind)
        conversation.ended(start(conversation, traceparent=SAMPLED, tracestate="vendor=1"))
        conversation.turn()
        conversation.ended(start(conversation, traceparent="rubbish"))
        with_trace, without, rubbish = model.requests
    assert with_trace.headers["traceparent"] == SAMPLED and with_trace.headers["tracestate"] == "vendor=1"
    assert "traceparent" not in without.headers and "traceparent" not in rubbish.headers


def test_the_spans_of_a_turn_with_a_tool(tmp_path, model, collector):
    model.answers += [[Call("look", '{"place":"here"}', "c1")], [Text("seen")]]
    otlp = {"endpoint": collector.url, "headers": ["x-key: secret-of-the-collector"]}
    with ProvidedServer(tmp_path, {"responses": quick(model, "responses")}, otlp=otlp) as server:
        with server.connect(features=["call_tool"]) as connection:
            conversation = Conversation(connection, "responses", tools=[
                {"name": "look", "description": "looks", "schema": SCHEMA}])
            turn = start(conversation, "a secret of the user", traceparent=SAMPLED, tracestate="vendor=1")
            answer_call(connection, "a secret of the tool")
            assert conversation.ended(turn).status == "COMPLETED"
        spans = collector.wait(lambda spans: any(span.name == "turn" for span in spans))
        log = server.log_text()
    assert {span.trace_id.hex() for span in spans} == {TRACE} and {span.trace_state for span in spans} == {"vendor=1"}
    request, whole = named(spans, "heddle.v1.TurnService/Start"), named(spans, "turn")
    steps, used = [span for span in spans if span.name == "chat responses"], named(spans, "execute_tool look")
    assert request.parent_span_id.hex() == PARENT and request.kind == Span.SPAN_KIND_SERVER
    assert whole.parent_span_id == request.span_id
    assert len(steps) == 2 and {step.parent_span_id for step in [*steps, used]} == {whole.span_id}
    assert all(step.kind == Span.SPAN_KIND_CLIENT for step in steps)
    assert [step.span_id.hex() for step in steps] == [asked.headers["traceparent"].split("-")[2]
                                                      for asked in model.requests]
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    assert abs(request.start_time_unix_nano / 1e9 - time.time()) < 600
    assert value(whole, "gen_ai.usage.output_tokens") > 0
    assert value(used, "gen_ai.tool.name") == "look"
    resource = {pair.key: pair.value.string_value for pair in collector.batches[0].resource_spans[0].resource.attributes}
    assert resource["service.name"] == "heddle" and resource["service.version"] and resource["service.instance.id"]
    assert collector.headers[0]["x-key"] == "secret-of-the-collector"
    assert collector.headers[0]["content-type"] == "application/x-protobuf"
    told = b"".join(batch.SerializeToString() for batch in collector.batches)
    assert b"secret" not in told and "secret-of-the-collector" not in log


def test_a_failure_stands_in_spans_and_log(tmp_path, model, collector):
    model.answers.append(error(400, "no"))
    with ProvidedServer(tmp_path, {"responses": quick(model, "responses")}, otlp={"endpoint": collector.url},
                        logFormat="json") as server:
        with server.connect() as connection:
            conversation = Conversation(connection, "responses")
            ended = conversation.ended(start(conversation, traceparent=SAMPLED))
            assert ended.status == "FAILED"
        spans = collector.wait(lambda spans: any(span.name == "turn" for span in spans))
        lines = [json.loads(line) for line in server.log_text().splitlines() if line.startswith("{")]
    for name in ("turn", "chat responses"):
        assert named(spans, name).status.code == Status.STATUS_CODE_ERROR
        assert named(spans, name).status.message == value(named(spans, name), "error.type") == ended.reason
    [told] = [line for line in lines if line["message"] == "a request to a model provider failed"]
    assert told["trace_id"] == TRACE and told["span_id"] == named(spans, "chat responses").span_id.hex()


def test_agents_belong_to_the_trace_of_the_turn_that_made_them(tmp_path, collector):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"otlp": {"endpoint": collector.url}, "features": {"multiAgentV2": True}}))
    with Server(tmp_path / "data", "--config", config) as server, server.connect() as connection:
        thread, follower = connection.start_followed(settings={"model": V2})
        asked = script(spawn("child", "!say done"), tool("wait_agent", timeout_ms=30_000), "!say all")
        turn = connection.call("Turn.Start", thread=thread.id, metadata={"traceparent": SAMPLED},
                               input={"content": [{"text": asked}]}).turn
        follower.until_ended(turn)
        spans = collector.wait(lambda spans: sum(span.name == "turn" for span in spans) >= 2)
    assert {span.trace_id.hex() for span in spans} == {TRACE}
    turns = {span.span_id: span for span in spans if span.name == "turn"}
    threads = {value(span, "heddle.thread") for span in turns.values()}
    assert len(threads) == 2
    inner = [span for span in turns.values() if span.parent_span_id in turns]
    assert inner and all(value(span, "heddle.thread") != value(turns[span.parent_span_id], "heddle.thread")
                         for span in inner)


def test_only_sampled_traces_and_a_share_of_the_rest_are_recorded(tmp_path, collector):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"otlp": {"endpoint": collector.url, "ratio": 0.5}}))
    with Server(tmp_path / "data", "--config", config) as server, server.connect() as connection:
        for _ in range(20):
            connection.call("Server.Status", metadata={"traceparent": SAMPLED[:-1] + "0"})
        connection.call("Server.Status", metadata={"traceparent": SAMPLED})
        for _ in range(200):
            connection.call("Server.Status")
        assert server.stop() == 0
    # The last batch is sent as the server ends.
    roots = [span for span in collector.spans if not span.parent_span_id]
    assert [span.parent_span_id.hex() for span in collector.spans if span.parent_span_id] == [PARENT]
    assert 50 <= len(roots) <= 150 and len({span.trace_id for span in roots}) == len(roots)


def test_a_collector_that_is_away_for_a_while_loses_nothing_and_a_bad_one_is_counted(tmp_path, collector):
    collector.statuses += [503, 429]
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"otlp": {"endpoint": collector.url}}))
    with Server(tmp_path / "data", "--config", config) as server, server.connect() as connection:
        connection.call("Server.Status", metadata={"traceparent": SAMPLED})
        collector.wait(lambda spans: len(spans) == 1)
        collector.statuses.append(400)
        connection.call("Server.Status", metadata={"traceparent": SAMPLED})
        with HTTP(server) as peer:
            eventually(lambda: peer.metric("heddle_spans_dropped_total") == 1, "the span is counted")
        log = server.log_text()
    assert log.count("spans do not reach the collector") == 2 and "spans reach the collector again" in log


@pytest.mark.parametrize("settings, word", [
    ({"endpoint": "localhost:4318"}, "otlp.endpoint"), ({"ratio": 2}, "otlp.ratio"), ({"ratio": "half"}, "otlp.ratio"),
    ({"endpoint": "http://there", "headers": ["no colon"]}, "otlp.headers")])
def test_settings_that_make_no_sense_end_the_start_with_78(tmp_path, settings, word):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"otlp": settings}))
    ended = subprocess.run([Server.binary, "serve", "--data", tmp_path / "data", "--config", config],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 78 and word in ended.stderr, ended.stderr
