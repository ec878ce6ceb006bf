"""Made by `make generate` from proto/; edit that instead."""

from heddle._method import Method
from heddle.v1 import agent_pb2, catalog_pb2, client_pb2, event_pb2, server_pb2, settings_pb2, thread_pb2, turn_pb2

SCHEMA_HASH = "7a5afdadcf3c350e"

THREAD_START = Method(
    101, "ThreadService/Start", thread_pb2.StartThreadRequest,
    thread_pb2.StartThreadResponse, keyed=True, repeatable=True, items="")
THREAD_RESUME = Method(
    102, "ThreadService/Resume", thread_pb2.ResumeThreadRequest,
    thread_pb2.ResumeThreadResponse, keyed=True, repeatable=True, items="")
THREAD_FORK = Method(
    103, "ThreadService/Fork", thread_pb2.ForkThreadRequest,
    thread_pb2.ForkThreadResponse, keyed=True, repeatable=True, items="")
THREAD_READ = Method(
    104, "ThreadService/Read", thread_pb2.ReadThreadRequest,
    thread_pb2.ReadThreadResponse, keyed=False, repeatable=True, items="")
THREAD_LIST = Method(
    105, "ThreadService/List", thread_pb2.ListThreadsRequest,
    thread_pb2.ListThreadsResponse, keyed=False, repeatable=True, items="threads")
THREAD_LIST_LOADED = Method(
    106, "ThreadService/ListLoaded", thread_pb2.ListLoadedThreadsRequest,
    thread_pb2.ListLoadedThreadsResponse, keyed=False, repeatable=True, items="threads")
THREAD_SEARCH = Method(
    107, "ThreadService/Search", thread_pb2.SearchThreadsRequest,
    thread_pb2.SearchThreadsResponse, keyed=False, repeatable=True, items="hits")
THREAD_LIST_TURNS = Method(
    108, "ThreadService/ListTurns", thread_pb2.ListTurnsRequest,
    thread_pb2.ListTurnsResponse, keyed=False, repeatable=True, items="turns")
THREAD_LIST_ITEMS = Method(
    109, "ThreadService/ListItems", thread_pb2.ListItemsRequest,
    thread_pb2.ListItemsResponse, keyed=False, repeatable=True, items="items")
THREAD_SET_NAME = Method(
    110, "ThreadService/SetName", thread_pb2.SetThreadNameRequest,
    thread_pb2.SetThreadNameResponse, keyed=True, repeatable=True, items="")
THREAD_ARCHIVE = Method(
    111, "ThreadService/Archive", thread_pb2.ArchiveThreadRequest,
    thread_pb2.ArchiveThreadResponse, keyed=True, repeatable=True, items="")
THREAD_UNARCHIVE = Method(
    112, "ThreadService/Unarchive", thread_pb2.UnarchiveThreadRequest,
    thread_pb2.UnarchiveThreadResponse, keyed=True, repeatable=True, items="")
THREAD_DELETE = Method(
    113, "ThreadService/Delete", thread_pb2.DeleteThreadRequest,
    thread_pb2.DeleteThreadResponse, keyed=True, repeatable=True, items="")
THREAD_ROLLBACK = Method(
    114, "ThreadService/Rollback", thread_pb2.RollbackThreadRequest,
    thread_pb2.RollbackThreadResponse, keyed=True, repeatable=True, items="")
THREAD_COMPACT = Method(
    115, "ThreadService/Compact", thread_pb2.CompactThreadRequest,
    thread_pb2.CompactThreadResponse, keyed=True, repeatable=True, items="")
THREAD_INJECT_ITEMS = Method(
    116, "ThreadService/InjectItems", thread_pb2.InjectItemsRequest,
    thread_pb2.InjectItemsResponse, keyed=True, repeatable=True, items="")
THREAD_EXPORT = Method(
    117, "ThreadService/Export", thread_pb2.ExportThreadRequest,
    thread_pb2.ExportThreadResponse, keyed=False, repeatable=True, items="")
THREAD_SUBSCRIBE = Method(
    118, "ThreadService/Subscribe", thread_pb2.SubscribeRequest,
    event_pb2.SubscriptionEvent, keyed=False, repeatable=True, items="")
THREAD_UNSUBSCRIBE = Method(
    119, "ThreadService/Unsubscribe", thread_pb2.UnsubscribeRequest,
    thread_pb2.UnsubscribeResponse, keyed=False, repeatable=True, items="")
TURN_START = Method(
    201, "TurnService/Start", turn_pb2.StartTurnRequest,
    turn_pb2.StartTurnResponse, keyed=True, repeatable=True, items="")
TURN_STEER = Method(
    202, "TurnService/Steer", turn_pb2.SteerTurnRequest,
    turn_pb2.SteerTurnResponse, keyed=True, repeatable=True, items="")
TURN_INTERRUPT = Method(
    203, "TurnService/Interrupt", turn_pb2.InterruptTurnRequest,
    turn_pb2.InterruptTurnResponse, keyed=True, repeatable=True, items="")
TURN_LIST_QUEUE = Method(
    204, "TurnService/ListQueue", turn_pb2.ListQueueRequest,
    turn_pb2.ListQueueResponse, keyed=False, repeatable=True, items="")
TURN_CANCEL_QUEUED = Method(
    205, "TurnService/CancelQueued", turn_pb2.CancelQueuedTurnRequest,
    turn_pb2.CancelQueuedTurnResponse, keyed=True, repeatable=True, items="")
SETTINGS_READ = Method(
    301, "SettingsService/Read", settings_pb2.ReadSettingsRequest,
    settings_pb2.ReadSettingsResponse, keyed=False, repeatable=True, items="")
SETTINGS_UPDATE = Method(
    302, "SettingsService/Update", settings_pb2.UpdateSettingsRequest,
    settings_pb2.UpdateSettingsResponse, keyed=True, repeatable=True, items="")
AGENT_LIST_TREE = Method(
    401, "AgentService/ListTree", agent_pb2.ListTreeRequest,
    agent_pb2.ListTreeResponse, keyed=False, repeatable=True, items="")
AGENT_INTERRUPT = Method(
    402, "AgentService/Interrupt", agent_pb2.InterruptAgentRequest,
    agent_pb2.InterruptAgentResponse, keyed=True, repeatable=True, items="")
AGENT_CLOSE = Method(
    403, "AgentService/Close", agent_pb2.CloseAgentRequest,
    agent_pb2.CloseAgentResponse, keyed=True, repeatable=True, items="")
CATALOG_LIST_MODELS = Method(
    501, "CatalogService/ListModels", catalog_pb2.ListModelsRequest,
    catalog_pb2.ListModelsResponse, keyed=False, repeatable=True, items="")
CATALOG_LIST_FEATURES = Method(
    502, "CatalogService/ListFeatures", catalog_pb2.ListFeaturesRequest,
    catalog_pb2.ListFeaturesResponse, keyed=False, repeatable=True, items="")
CATALOG_SET_FEATURE = Method(
    503, "CatalogService/SetFeature", catalog_pb2.SetFeatureRequest,
    catalog_pb2.SetFeatureResponse, keyed=True, repeatable=True, items="")
SERVER_STATUS = Method(
    601, "ServerService/Status", server_pb2.ServerStatusRequest,
    server_pb2.ServerStatusResponse, keyed=False, repeatable=True, items="")
SERVER_START_CAPTURE = Method(
    602, "ServerService/StartCapture", server_pb2.StartCaptureRequest,
    server_pb2.StartCaptureResponse, keyed=False, repeatable=False, items="")
SERVER_STOP_CAPTURE = Method(
    603, "ServerService/StopCapture", server_pb2.StopCaptureRequest,
    server_pb2.StopCaptureResponse, keyed=False, repeatable=False, items="")
SERVER_READ_CAPTURE = Method(
    604, "ServerService/ReadCapture", server_pb2.ReadCaptureRequest,
    server_pb2.ReadCaptureResponse, keyed=False, repeatable=True, items="")
CALL_ANSWER = Method(
    801, "CallService/Answer", client_pb2.AnswerCallRequest,
    client_pb2.AnswerCallResponse, keyed=True, repeatable=True, items="")

BY_PATH = {method.path: method for method in (
    THREAD_START, THREAD_RESUME, THREAD_FORK, THREAD_READ, THREAD_LIST, THREAD_LIST_LOADED, THREAD_SEARCH,
    THREAD_LIST_TURNS, THREAD_LIST_ITEMS, THREAD_SET_NAME, THREAD_ARCHIVE, THREAD_UNARCHIVE, THREAD_DELETE,
    THREAD_ROLLBACK, THREAD_COMPACT, THREAD_INJECT_ITEMS, THREAD_EXPORT, THREAD_SUBSCRIBE, THREAD_UNSUBSCRIBE,
    TURN_START, TURN_STEER, TURN_INTERRUPT, TURN_LIST_QUEUE, TURN_CANCEL_QUEUED, SETTINGS_READ, SETTINGS_UPDATE,
    AGENT_LIST_TREE, AGENT_INTERRUPT, AGENT_CLOSE, CATALOG_LIST_MODELS, CATALOG_LIST_FEATURES,
    CATALOG_SET_FEATURE, SERVER_STATUS, SERVER_START_CAPTURE, SERVER_STOP_CAPTURE, SERVER_READ_CAPTURE,
    CALL_ANSWER
)}

# The methods that the server calls on a client.
CLIENT_CALL_TOOL = 701
CLIENT_REQUEST_USER_INPUT = 702
