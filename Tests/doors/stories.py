"""Stories that take more than one call: streams, their cancel and deadline, a slow reader, health, reflection, drain."""

import base64
import time
from collections.abc import Callable

from google.protobuf import descriptor_pb2, json_format

from cases import said
from harness.messages import METHODS, words
from prepare import BUILT
from runner import LeftOut, Run
from table import at_path

STORIES: dict[str, Callable] = {}
SUBSCRIBE = "heddle.v1.ThreadService/Subscribe"
HEALTH = "grpc.health.v1.Health"
# The server's own delay of a drain, and the time that it gives to what is underway.
DRAIN_SECONDS = 40.0
SLOW_EVENTS, SLOW_EVENT_BYTES = 12, 1 << 20


def story(work: Callable) -> Callable:
    STORIES[work.__doc__.splitlines()[0]] = work
    return work


def new_thread(run: Run) -> str:
    started = run.open.call("heddle.v1.ThreadService/Start", {"subscribe": False})
    return started.message["thread"]["id"]


def numbers(messages: list[dict]) -> list[int]:
    return [int(message["event"]["sequence"]) for message in messages if "event" in message]


def follow(run: Run, thread: str, **more):
    """A subscription that has begun."""
    options = {name: more.pop(name) for name in ("timeout_ms", "read") if name in more}
    stream = run.open.open(SUBSCRIBE, {"thread": thread, **more}, **options)
    if options.get("read") != 0:
        assert "subscribed" in (first := stream.next()), first
    return stream


def needs_one_connection(run: Run):
    if not run.open.shares_connection:
        raise LeftOut("each call has a process and a connection of its own")


@story
def catch_up(run: Run):
    """a subscription: stored events without a gap, the same as over frames, then live"""
    thread = run.variables["thread"]
    stream = follow(run, thread, after="0")
    stream.until(lambda message: "live" in message)
    stream.cancel()
    events = [message["event"] for message in stream.answer.messages if "event" in message]
    with run.server.connect() as connection:
        follower = connection.follow(base64.b64decode(thread), after=0)
        follower.until_kind("live")
    wanted = [json_format.MessageToDict(event, preserving_proto_field_name=True) for event in follower.events]
    assert events == wanted, f"{len(events)} events, over frames {len(wanted)}"


@story
def live(run: Run):
    """a subscription: text as it is streamed, and events as they happen"""
    thread = new_thread(run)
    stream = follow(run, thread)
    with run.server.connect() as connection:
        connection.call("Turn.Start", thread=base64.b64decode(thread), input=words("!delay 20\n!say one two three four"))
    stream.until(lambda message: at_path(message, "event.turn_ended") is not None)
    stream.cancel()
    messages = stream.answer.messages
    text = "".join(message["delta"].get("text", "") for message in messages if "delta" in message)
    assert text == "one two three four", text
    seen = numbers(messages)
    assert seen == list(range(seen[0], seen[0] + len(seen))), seen


@story
def slow_reader(run: Run):
    """a client that does not read a long history holds up neither the server nor its own other calls"""
    thread = new_thread(run)
    with run.server.connect() as connection:
        for _ in range(SLOW_EVENTS):
            turn = connection.start_turn(base64.b64decode(thread), f"!flood {SLOW_EVENT_BYTES}").turn
            until_idle(connection, base64.b64decode(thread), turn)
    before = run.server.resident_bytes()
    stream = follow(run, thread, after="0", read=0)
    time.sleep(1)
    if run.open.shares_connection:
        assert run.open.call("heddle.v1.ServerService/Status", {}, timeout_ms=10_000).code == "OK"
        stream.allow(-1)
    grown = run.server.resident_bytes() - before
    # All bytes underway in windows, buffers and caches; the history is three times as long.
    assert grown < SLOW_EVENTS * SLOW_EVENT_BYTES / 3 + (4 << 20), f"{grown >> 10} KiB wait in the server"
    stream.until(lambda message: "live" in message)
    stream.cancel()
    seen = numbers(stream.answer.messages)
    assert seen == list(range(1, len(seen) + 1)) and len(seen) > 3 * SLOW_EVENTS, seen


def until_idle(connection, thread: bytes, turn: bytes):
    for _ in range(1200):
        listed = connection.call("Thread.ListTurns", thread=thread, page_size=1).turns
        if listed and listed[0].id == turn and listed[0].HasField("ended_at"):
            return
        time.sleep(0.05)
    raise AssertionError("the turn does not end")


@story
def cancel(run: Run):
    """cancel: one of two subscriptions of a thread ends with CANCELLED, the other one goes on"""
    run.client.needs("cancel")
    needs_one_connection(run)
    thread = new_thread(run)
    first, second = follow(run, thread), follow(run, thread)
    first.cancel()
    answer = first.to_end()
    assert answer.code == "CANCELLED", answer
    run.open.call("heddle.v1.ThreadService/SetName", {"thread": thread, "name": "x"}).message
    second.until(lambda message: at_path(message, "event.name_changed.name") == "x")
    second.cancel()


@story
def deadline(run: Run):
    """deadline: a stream ends with DEADLINE_EXCEEDED when its time is over, and not before"""
    thread = new_thread(run)
    began = time.monotonic()
    answer = follow(run, thread, timeout_ms=1000).to_end()
    assert answer.code == "DEADLINE_EXCEEDED", answer
    assert time.monotonic() - began > 0.9


@story
def unsubscribe(run: Run):
    """Unsubscribe ends the stream of the same caller with CANCELLED"""
    needs_one_connection(run)
    run.client.needs("one connection for all calls")
    thread = new_thread(run)
    stream = follow(run, thread)
    said = run.open.call("heddle.v1.ThreadService/Unsubscribe", {"thread": thread})
    assert said.message == {"was_subscribed": True}, said
    stream.to_end().expect_refused("CANCELLED", "cancelled")


@story
def many_at_once(run: Run):
    """40 calls at once on a connection are all answered"""
    needs_one_connection(run)
    thread = new_thread(run)
    streams = [run.open.open("heddle.v1.ThreadService/SetName", {"thread": thread, "name": f"name {at}"})
               for at in range(40)]
    answers = [stream.to_end() for stream in streams]
    assert all(answer.code == "OK" for answer in answers), [answer for answer in answers if answer.code != "OK"][:3]
    assert len({answer.message["sequence"] for answer in answers}) == 40


@story
def large_messages(run: Run):
    """a request of 900 KiB is taken whole"""
    run.client.needs("requests of megabytes")
    thread = new_thread(run)
    text = "x" * (900 << 10)
    run.open.call("heddle.v1.TurnService/Start", {"thread": thread, "input": said("!say y", text)}).message


@story
def too_large(run: Run):
    """a request of more than 4 MiB is refused with frame_too_large"""
    run.client.needs("requests of megabytes")
    run.client.needs("an answer before the request is sent")
    answer = run.open.call("heddle.v1.TurnService/Start", {"thread": new_thread(run), "input": said("z" * (4 << 20))})
    answer.expect_refused("RESOURCE_EXHAUSTED", "frame_too_large", {"limit": "4194304"})


# Health and reflection


def grpc_only(run: Run):
    if run.open.is_connect:
        raise LeftOut("not a service of Connect")


@story
def health_check(run: Run):
    """health: Check of the server, of a service and of an unknown one, without a token"""
    grpc_only(run)
    for server in ("open", "tokens"):
        for service in ("", "heddle.v1.ThreadService", "heddle.v1.TurnService"):
            answer = run.connected[server].call(f"{HEALTH}/Check", {"service": service})
            assert answer.message == {"status": "SERVING"}, f"{server} {service}: {answer}"
    assert run.open.call(f"{HEALTH}/Check", {"service": "nobody's"}).code == "NOT_FOUND"


@story
def health_list(run: Run):
    """health: List names every service"""
    grpc_only(run)
    statuses = run.open.call(f"{HEALTH}/List", {}).message["statuses"]
    wanted = {""} | {f"heddle.v1.{name.split('.')[0]}Service" for name in METHODS if not METHODS[name].asks_client}
    assert wanted <= set(statuses), wanted - set(statuses)
    assert all(one == {"status": "SERVING"} for one in statuses.values()), statuses


@story
def health_watch(run: Run):
    """health: Watch says SERVING at once, SERVICE_UNKNOWN of an unknown service"""
    grpc_only(run)
    for service, wanted in (("", "SERVING"), ("nobody's", "SERVICE_UNKNOWN")):
        stream = run.open.open(f"{HEALTH}/Watch", {"service": service})
        assert stream.next() == {"status": wanted}, stream.answer
        stream.cancel()


def descriptors() -> dict[str, descriptor_pb2.FileDescriptorProto]:
    """The files of proto/, by name."""
    files = descriptor_pb2.FileDescriptorSet.FromString((BUILT / "schema.bin").read_bytes()).file
    return {one.name: one for one in files}


def bare(file: descriptor_pb2.FileDescriptorProto) -> bytes:
    """Without comments, the names that JSON has anyhow, and options: ours and those of languages mean nothing to a client."""
    file.ClearField("source_code_info")
    file.ClearField("options")
    others = [name for name in file.dependency if name != "heddle/v1/options.proto"]
    file.ClearField("dependency")
    file.dependency.extend(others)
    for field in (field for message in file.message_type for field in message.field):
        field.ClearField("json_name")
        field.ClearField("options")
    for method in (method for service in file.service for method in service.method):
        method.ClearField("options")
    return file.SerializeToString(deterministic=True)


def reflected(run: Run, version: str):
    grpc_only(run)
    method = f"grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"

    def ask(**request) -> dict:
        answer = run.open.call(method, request)
        assert answer.code == "OK" and len(answer.messages) == 1, answer
        return {name.replace("Response", "_response"): value for name, value in answer.messages[0].items()}

    listed = ask(list_services="")
    listed = listed.get("list_services_response") or listed["listServices_response"]
    services = {one["name"] for one in listed["service"]}
    wanted = {"heddle.v1.ThreadService", "heddle.v1.SettingsService", HEALTH, f"grpc.reflection.{version}.ServerReflection"}
    assert wanted <= services, services
    files = descriptors()
    for service in sorted(services):
        if not service.startswith("heddle.v1."):
            continue
        said = ask(file_containing_symbol=service)
        said = said.get("file_descriptor_response") or said["fileDescriptor_response"]
        raw = said.get("file_descriptor_proto") or said["fileDescriptorProto"]
        for one in (descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(text)) for text in raw):
            assert bare(one) == bare(files[one.name]), f"{one.name} is not that of proto/"
    unknown = ask(file_containing_symbol="heddle.v1.Nothing")
    assert (unknown.get("error_response") or unknown["error_response"])["error_code" if "error_code" in
            unknown["error_response"] else "errorCode"] == 5, unknown


@story
def reflection_v1(run: Run):
    """reflection v1: the services, and files that are those of proto/"""
    reflected(run, "v1")


@story
def reflection_v1alpha(run: Run):
    """reflection v1alpha: the same"""
    reflected(run, "v1alpha")


# The end


@story
def drain(run: Run):
    """SIGTERM: Watch says NOT_SERVING, a subscription ends with UNAVAILABLE shutting_down, the server with 0"""
    run.client.needs("trailers of a connection that ends")
    thread = new_thread(run)
    stream = follow(run, thread)
    watch = None
    if not run.open.is_connect:
        watch = run.open.open(f"{HEALTH}/Watch", {"service": ""})
        assert watch.next() == {"status": "SERVING"}
    run.server.terminate()
    answer = stream.to_end(DRAIN_SECONDS)
    answer.expect_refused("UNAVAILABLE", "shutting_down")
    if watch is not None:
        watch.to_end(DRAIN_SECONDS)
        assert {"status": "NOT_SERVING"} in watch.answer.messages, watch.answer
        watch.answer.expect_refused("UNAVAILABLE", "shutting_down")
    assert run.server.wait(30) == 0
    run.server.may_end = True
