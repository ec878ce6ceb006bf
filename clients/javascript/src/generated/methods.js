// Made by `make generate` from proto/; edit that instead.

export const SCHEMA_HASH = "7a5afdadcf3c350e"

/** @type {Record<string, import('../client.js').Method>} By path. */
export const methods = {
  "ThreadService/Start": { number: 101, path: "ThreadService/Start", request: "StartThreadRequest", response: "StartThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Resume": { number: 102, path: "ThreadService/Resume", request: "ResumeThreadRequest", response: "ResumeThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Fork": { number: 103, path: "ThreadService/Fork", request: "ForkThreadRequest", response: "ForkThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Read": { number: 104, path: "ThreadService/Read", request: "ReadThreadRequest", response: "ReadThreadResponse", keyed: false, repeatable: true, items: "" },
  "ThreadService/List": { number: 105, path: "ThreadService/List", request: "ListThreadsRequest", response: "ListThreadsResponse", keyed: false, repeatable: true, items: "threads" },
  "ThreadService/ListLoaded": { number: 106, path: "ThreadService/ListLoaded", request: "ListLoadedThreadsRequest", response: "ListLoadedThreadsResponse", keyed: false, repeatable: true, items: "threads" },
  "ThreadService/Search": { number: 107, path: "ThreadService/Search", request: "SearchThreadsRequest", response: "SearchThreadsResponse", keyed: false, repeatable: true, items: "hits" },
  "ThreadService/ListTurns": { number: 108, path: "ThreadService/ListTurns", request: "ListTurnsRequest", response: "ListTurnsResponse", keyed: false, repeatable: true, items: "turns" },
  "ThreadService/ListItems": { number: 109, path: "ThreadService/ListItems", request: "ListItemsRequest", response: "ListItemsResponse", keyed: false, repeatable: true, items: "items" },
  "ThreadService/SetName": { number: 110, path: "ThreadService/SetName", request: "SetThreadNameRequest", response: "SetThreadNameResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Archive": { number: 111, path: "ThreadService/Archive", request: "ArchiveThreadRequest", response: "ArchiveThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Unarchive": { number: 112, path: "ThreadService/Unarchive", request: "UnarchiveThreadRequest", response: "UnarchiveThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Delete": { number: 113, path: "ThreadService/Delete", request: "DeleteThreadRequest", response: "DeleteThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Rollback": { number: 114, path: "ThreadService/Rollback", request: "RollbackThreadRequest", response: "RollbackThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Compact": { number: 115, path: "ThreadService/Compact", request: "CompactThreadRequest", response: "CompactThreadResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/InjectItems": { number: 116, path: "ThreadService/InjectItems", request: "InjectItemsRequest", response: "InjectItemsResponse", keyed: true, repeatable: true, items: "" },
  "ThreadService/Export": { number: 117, path: "ThreadService/Export", request: "ExportThreadRequest", response: "ExportThreadResponse", keyed: false, repeatable: true, items: "" },
  "ThreadService/Subscribe": { number: 118, path: "ThreadService/Subscribe", request: "SubscribeRequest", response: "SubscriptionEvent", keyed: false, repeatable: true, items: "" },
  "ThreadService/Unsubscribe": { number: 119, path: "ThreadService/Unsubscribe", request: "UnsubscribeRequest", response: "UnsubscribeResponse", keyed: false, repeatable: true, items: "" },
  "TurnService/Start": { number: 201, path: "TurnService/Start", request: "StartTurnRequest", response: "StartTurnResponse", keyed: true, repeatable: true, items: "" },
  "TurnService/Steer": { number: 202, path: "TurnService/Steer", request: "SteerTurnRequest", response: "SteerTurnResponse", keyed: true, repeatable: true, items: "" },
  "TurnService/Interrupt": { number: 203, path: "TurnService/Interrupt", request: "InterruptTurnRequest", response: "InterruptTurnResponse", keyed: true, repeatable: true, items: "" },
  "TurnService/ListQueue": { number: 204, path: "TurnService/ListQueue", request: "ListQueueRequest", response: "ListQueueResponse", keyed: false, repeatable: true, items: "" },
  "TurnService/CancelQueued": { number: 205, path: "TurnService/CancelQueued", request: "CancelQueuedTurnRequest", response: "CancelQueuedTurnResponse", keyed: true, repeatable: true, items: "" },
  "SettingsService/Read": { number: 301, path: "SettingsService/Read", request: "ReadSettingsRequest", response: "ReadSettingsResponse", keyed: false, repeatable: true, items: "" },
  "SettingsService/Update": { number: 302, path: "SettingsService/Update", request: "UpdateSettingsRequest", response: "UpdateSettingsResponse", keyed: true, repeatable: true, items: "" },
  "AgentService/ListTree": { number: 401, path: "AgentService/ListTree", request: "ListTreeRequest", response: "ListTreeResponse", keyed: false, repeatable: true, items: "" },
  "AgentService/Interrupt": { number: 402, path: "AgentService/Interrupt", request: "InterruptAgentRequest", response: "InterruptAgentResponse", keyed: true, repeatable: true, items: "" },
  "AgentService/Close": { number: 403, path: "AgentService/Close", request: "CloseAgentRequest", response: "CloseAgentResponse", keyed: true, repeatable: true, items: "" },
  "CatalogService/ListModels": { number: 501, path: "CatalogService/ListModels", request: "ListModelsRequest", response: "ListModelsResponse", keyed: false, repeatable: true, items: "" },
  "CatalogService/ListFeatures": { number: 502, path: "CatalogService/ListFeatures", request: "ListFeaturesRequest", response: "ListFeaturesResponse", keyed: false, repeatable: true, items: "" },
  "CatalogService/SetFeature": { number: 503, path: "CatalogService/SetFeature", request: "SetFeatureRequest", response: "SetFeatureResponse", keyed: true, repeatable: true, items: "" },
  "ServerService/Status": { number: 601, path: "ServerService/Status", request: "ServerStatusRequest", response: "ServerStatusResponse", keyed: false, repeatable: true, items: "" },
  "ServerService/StartCapture": { number: 602, path: "ServerService/StartCapture", request: "StartCaptureRequest", response: "StartCaptureResponse", keyed: false, repeatable: false, items: "" },
  "ServerService/StopCapture": { number: 603, path: "ServerService/StopCapture", request: "StopCaptureRequest", response: "StopCaptureResponse", keyed: false, repeatable: false, items: "" },
  "ServerService/ReadCapture": { number: 604, path: "ServerService/ReadCapture", request: "ReadCaptureRequest", response: "ReadCaptureResponse", keyed: false, repeatable: true, items: "" },
  "CallService/Answer": { number: 801, path: "CallService/Answer", request: "AnswerCallRequest", response: "AnswerCallResponse", keyed: true, repeatable: true, items: "" },
}

/** The methods that the server calls on a client. */
export const CALL_TOOL = 701
export const REQUEST_USER_INPUT = 702
