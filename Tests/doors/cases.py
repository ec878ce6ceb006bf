"""Every method with its answer and every class of error with a reason, in the order in which each client makes the calls.

A server is started for each client, so numbers and lists are its own. The table is checked against the schema: a method
without a case fails the run (`missing`).
"""

from answer import CODES
from harness.messages import METHODS, REASONS
from table import ANY, Case, answered, refused, text_id

KEY, OTHER_KEY = bytes(range(16)), bytes(range(16, 32))
NO_THREAD = text_id(b"no thread has it")
NAME = "Ärger, ☂ \u2028 \U0001f9f5"


def said(*lines: str) -> dict:
    return {"content": [{"text": "\n".join(lines)}]}


THREAD = {"thread": "$thread"}
AGENT_SCRIPT = said('!tool spawn_agent {"message": "!say done"}', "!then", "!tool wait_agent {}", "!then", "!say over")

METHOD_CASES = (
    answered("status", "ServerService/Status", {}, {"serving": "SERVING_STATUS_SERVING", "durability": "synced"}),
    answered("models", "CatalogService/ListModels", {}, {"models": [{"id": "scripted", "is_default": True}]}),
    answered("features", "CatalogService/ListFeatures", {}, {"features": [{"name": "multi_agent"}]}),
    answered("a feature is set", "CatalogService/SetFeature", {"name": "multi_agent_mode", "enabled": True},
             {"feature": {"name": "multi_agent_mode", "enabled": True}}),
    answered("start gives one answer and no events", "ThreadService/Start", {"name": NAME, "subscribe": True},
             {"sequence": "~[0-9]+", "thread": {"id": ANY, "name": NAME}}, save=(("thread", "thread.id"),)),
    answered("start with a key", "ThreadService/Start", {"name": "once", "subscribe": False},
             {"thread": {"name": "once"}}, key=KEY, save=(("once", "thread.id"),)),
    answered("the key repeats the answer", "ThreadService/Start", {"name": "once", "subscribe": False},
             {"thread": {"id": "$once"}, "replayed": True}, key=KEY),
    refused("the key is another request's", "ThreadService/Start", {"name": "twice", "subscribe": False},
            "ALREADY_EXISTS", "idempotency_mismatch", key=KEY),
    answered("read", "ThreadService/Read", THREAD, {"thread": {"id": "$thread", "name": NAME}}),
    answered("list", "ThreadService/List", {"page_size": 200}, {"threads": [{"id": "$thread"}, {"id": "$once"}]}),
    answered("a page", "ThreadService/List", {"page_size": 1}, {"next_cursor": "~.+"}, save=(("cursor", "next_cursor"),)),
    answered("the next page", "ThreadService/List", {"page_size": 1, "cursor": "$cursor"}, {"threads": [{"id": ANY}]}),
    answered("loaded", "ThreadService/ListLoaded", {}, {"threads": ["$thread"]}),
    answered("settings", "SettingsService/Read", THREAD, {"settings": {"model": "scripted"}},
             save=(("revision", "revision"),)),
    answered("metadata that is known and metadata that is not", "SettingsService/Update",
             {"thread": "$thread", "change": {"metadata": [{"name": "a", "value": NAME}], "temperature": 0.5}},
             {"changed": True, "settings": {"metadata": [{"name": "a", "value": NAME}], "temperature": 0.5}},
             metadata=(("x-request-id", "doors-1"), ("x-unknown", "of no meaning"),
                       ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))),
    answered("a turn", "TurnService/Start", {"thread": "$thread", "input": said("!say Hello, ☂.")}, {"turn": ANY},
             save=(("turn", "turn"),)),
    answered("follow to the end of the turn", "ThreadService/Subscribe", {"thread": "$thread", "after": "0"},
             {"event": {"turn_ended": {"turn": "$turn", "status": "TURN_STATUS_COMPLETED"}}}, until="event.turn_ended"),
    answered("turns", "ThreadService/ListTurns", THREAD, {"turns": [{"id": "$turn", "status": "TURN_STATUS_COMPLETED"}]}),
    answered("items", "ThreadService/ListItems", THREAD,
             {"items": [{"item": {"message": {"role": "ROLE_ASSISTANT", "content": [{"text": "Hello, ☂."}]}}}]}),
    answered("name", "ThreadService/SetName", {"thread": "$thread", "name": "renamed"}, {"sequence": ANY}),
    answered("fork", "ThreadService/Fork", {"thread": "$thread", "subscribe": False}, {"thread": {"id": ANY}},
             save=(("fork", "thread.id"),)),
    answered("resume", "ThreadService/Resume", {"thread": "$fork", "subscribe": False}, {"thread": {"id": "$fork"}}),
    answered("compact", "ThreadService/Compact", {"thread": "$fork"}, {"turn": ANY}),
    answered("follow to the end of the compaction", "ThreadService/Subscribe", {"thread": "$fork", "after": "1"},
             {"event": {"context_compacted": ANY}}, until="event.context_compacted"),
    answered("a turn that runs on", "TurnService/Start", {"thread": "$thread", "input": said("!stall")},
             {"status": "TURN_STATUS_RUNNING"}, save=(("running", "turn"),)),
    answered("a turn in the queue", "TurnService/Start", {"thread": "$thread", "input": said("later")},
             {"status": "TURN_STATUS_QUEUED", "place": 1}, save=(("queued", "turn"),)),
    answered("the queue", "TurnService/ListQueue", THREAD, {"turns": [{"id": "$queued"}], "running": "$running"}),
    refused("the queue is full", "TurnService/Start", {"thread": "$thread", "input": said("too late")},
            "RESOURCE_EXHAUSTED", "queue_full", times=3),
    answered("taken from the queue", "TurnService/CancelQueued", {"thread": "$thread", "turn": "$queued"},
             {"sequence": ANY}),
    answered("steer", "TurnService/Steer", {"thread": "$thread", "turn": "$running", "input": said("and this")},
             {"turn": "$running"}),
    answered("interrupt", "TurnService/Interrupt", {"thread": "$thread", "turn": "$running"}, {"sequence": ANY}),
    answered("roll back", "ThreadService/Rollback", {"thread": "$fork", "turns": 1}, {"rolled_back": 1}),
    answered("a thread with agents", "ThreadService/Start", {"settings": {"model": "scripted-v1"}, "subscribe": False},
             {"thread": {"id": ANY}}, save=(("root", "thread.id"),)),
    answered("a turn that spawns", "TurnService/Start", {"thread": "$root", "input": AGENT_SCRIPT}, {"turn": ANY}),
    answered("follow to its end", "ThreadService/Subscribe", {"thread": "$root", "after": "0"},
             {"event": {"turn_ended": {"status": "TURN_STATUS_COMPLETED"}}}, until="event.turn_ended"),
    answered("the tree", "AgentService/ListTree", {"thread": "$root"}, {"agents": [{"thread": "$root"}, {"depth": 1}]},
             save=(("agent", "agents.1.thread"),)),
    answered("interrupt an agent", "AgentService/Interrupt", {"thread": "$agent"}, {"already": True}),
    answered("close an agent", "AgentService/Close", {"thread": "$agent"}, {"closed": 1}),
    answered("a thread with a client's tool", "ThreadService/Start",
             {"tools": [{"name": "gate", "description": "x", "schema": "{}"}], "subscribe": False},
             {"thread": {"id": ANY}}, save=(("caller", "thread.id"),)),
    answered("a turn that calls it", "TurnService/Start",
             {"thread": "$caller", "input": said("!tool gate {}", "!then", "!say over")}, {"turn": ANY},
             save=(("calling", "turn"),)),
    answered("the call comes as an event", "ThreadService/Subscribe",
             {"thread": "$caller", "answers": ["CALL_KIND_CALL_TOOL"]}, {"call": {"tool": {"name": "gate"}}}, until="call",
             save=(("call", "call.tool.call_id"),)),
    answered("and is answered", "CallService/Answer",
             {"thread": "$caller", "turn": "$calling", "call_id": "$call",
              "tool": {"content": [{"text": "open"}], "success": True}}, {"counted": True}),
    refused("once", "CallService/Answer",
            {"thread": "$caller", "turn": "$calling", "call_id": "$call", "tool": {"success": True}}, "ABORTED",
            "already_answered"),
    answered("record", "ServerService/StartCapture", {"share": 1000}, {"capture": {"running": True}}),
    answered("the recording", "ServerService/ReadCapture", {}, {"capture": {"running": True, "file": "~.+"}}),
    answered("the recording ends", "ServerService/StopCapture", {}, {"capture": {"end": "CAPTURE_END_STOPPED"}}),
    answered("archive", "ThreadService/Archive", {"thread": "$once"}, {"sequence": ANY}),
    refused("an archived thread", "TurnService/Start", {"thread": "$once", "input": said("x")},
            "FAILED_PRECONDITION", "archived"),
    answered("unarchive", "ThreadService/Unarchive", {"thread": "$once"}, {"sequence": ANY}),
    answered("unsubscribe where nothing is followed", "ThreadService/Unsubscribe", {"thread": "$once"},
             {"was_subscribed": None}),
    answered("delete", "ThreadService/Delete", {"thread": "$fork"}, {"deleted": 1}),
    refused("the deleted thread", "ThreadService/Read", {"thread": "$fork"}, "NOT_FOUND", "thread"),
    refused("search is planned", "ThreadService/Search", {"text": "x"}, "UNIMPLEMENTED", "not_implemented"),
    refused("injection is planned", "ThreadService/InjectItems", THREAD, "UNIMPLEMENTED", "not_implemented"),
    refused("export is planned", "ThreadService/Export", THREAD, "UNIMPLEMENTED", "not_implemented"),
    refused("a tool call is the server's to make", "ClientService/CallTool", {"thread": "$thread", "turn": "$turn"},
            "INVALID_ARGUMENT", "wrong_direction"),
    refused("a question is the server's to ask", "ClientService/RequestUserInput",
            {"thread": "$thread", "turn": "$turn"}, "INVALID_ARGUMENT", "wrong_direction"),
)

ERROR_CASES = (
    refused("an id of 3 bytes", "ThreadService/Read", {"thread": "AAAA"}, "INVALID_ARGUMENT", "bad_id",
            facts={"field": ".*thread"}),
    refused("no thread in a request that needs one", "ThreadService/SetName", {"name": "x"},
            "INVALID_ARGUMENT", "missing_field", facts={"field": ".*thread"}),
    refused("a model of no catalog", "ThreadService/Start", {"settings": {"model": "nobody's"}},
            "INVALID_ARGUMENT", "unknown_model"),
    refused("a number outside its range", "ThreadService/List", {"page_size": 201}, "INVALID_ARGUMENT", "out_of_range",
            facts={"field": ".*page_size"}),
    refused("no such thread", "ThreadService/Read", {"thread": NO_THREAD}, "NOT_FOUND", "thread"),
    refused("no such thread to follow", "ThreadService/Subscribe", {"thread": NO_THREAD}, "NOT_FOUND", "thread"),
    refused("no such turn runs", "TurnService/Steer", {"thread": "$once", "turn": NO_THREAD, "input": said("x")},
            "FAILED_PRECONDITION", "no_turn"),
    refused("settings that have changed", "SettingsService/Update",
            {"thread": "$thread", "expected_revision": "999", "change": {"temperature": 1}}, "ABORTED",
            "revision_mismatch"),
    refused("a position behind the head", "ThreadService/Subscribe", {"thread": "$thread", "after": "1000000"},
            "OUT_OF_RANGE", "future_seq"),
    refused("a method that no schema has", "ThreadService/Nothing", {}, "UNIMPLEMENTED", "unknown_method",
            needs="unknown methods"),
    refused("a service that no schema has", "NoService/Nothing", {}, "UNIMPLEMENTED", "unknown_method",
            needs="unknown methods"),
    refused("stored bytes that are damaged", "ThreadService/ListItems", {"thread": "$damaged"}, "DATA_LOSS",
            "data_loss"),
    refused("a deadline in the server's hands", "ThreadService/Subscribe", {"thread": "$thread"}, "DEADLINE_EXCEEDED",
            "deadline_exceeded", timeout_ms=300, needs="the server's deadline"),
    refused("no token", "ServerService/Status", {}, "UNAUTHENTICATED", "missing_token", server="tokens"),
    refused("a wrong token", "ServerService/Status", {}, "UNAUTHENTICATED", "invalid_token", server="tokens",
            token="wrong"),
    answered("a token", "ServerService/Status", {}, {"durability": "synced"}, server="tokens", token="alice"),
    refused("a tenant asks for what operators may", "CatalogService/SetFeature", {"name": "multi_agent"},
            "PERMISSION_DENIED", "permission_denied", server="tokens", token="alice"),
    answered("a thread of alice", "ThreadService/Start", {"subscribe": False}, {"thread": {"id": ANY}}, server="tokens",
             token="alice", save=(("hers", "thread.id"),)),
    refused("a thread of another tenant", "ThreadService/Read", {"thread": "$hers"}, "NOT_FOUND", "thread",
            server="tokens", token="bob"),
    refused("more requests than a tenant may send", "ServerService/Status", {}, "RESOURCE_EXHAUSTED", "rate_limited",
            waits=True, server="tokens", token="rushed", times=60),
    refused("a recording without its folder", "ServerService/StartCapture", {"share": 1000}, "UNAVAILABLE",
            "capture_failed", server="tokens", token="root"),
)

# Codes that no request can bring about, with the reason; stories.py has those that take more than one call.
NOT_BY_A_CALL = {"OK": "", "UNKNOWN": "Heddle has no such reason", "INTERNAL": "only a bug of the server",
                 "CANCELLED": "a story"}

CASES: tuple[Case, ...] = METHOD_CASES + ERROR_CASES


def missing() -> list[str]:
    """Methods of the schema and codes of reasons.tsv that have no case."""
    tried = {case.method for case in CASES}
    absent = [name for name in METHODS if f"{name.split('.')[0]}Service/{name.split('.')[1]}" not in tried]
    refusals = {case.refused[0] for case in CASES if case.refused}
    return absent + [code for code in CODES if code in set(REASONS.values()) and code not in refusals
                     and code not in NOT_BY_A_CALL]
