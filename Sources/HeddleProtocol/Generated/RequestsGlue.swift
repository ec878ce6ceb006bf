// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Request {
  /// Decodes the request of a method; nil for a method that only the server calls.
  public init?(_ method: Method, _ bytes: UnsafeRawBufferPointer, _ codec: inout Codec) throws(DecodeError) {
    switch method {
    case .threadStart: self = .threadStart(try codec.decode(StartThreadRequest.self, bytes))
    case .threadResume: self = .threadResume(try codec.decode(ResumeThreadRequest.self, bytes))
    case .threadFork: self = .threadFork(try codec.decode(ForkThreadRequest.self, bytes))
    case .threadRead: self = .threadRead(try codec.decode(ReadThreadRequest.self, bytes))
    case .threadList: self = .threadList(try codec.decode(ListThreadsRequest.self, bytes))
    case .threadListLoaded: self = .threadListLoaded(try codec.decode(ListLoadedThreadsRequest.self, bytes))
    case .threadSearch: self = .threadSearch(try codec.decode(SearchThreadsRequest.self, bytes))
    case .threadListTurns: self = .threadListTurns(try codec.decode(ListTurnsRequest.self, bytes))
    case .threadListItems: self = .threadListItems(try codec.decode(ListItemsRequest.self, bytes))
    case .threadSetName: self = .threadSetName(try codec.decode(SetThreadNameRequest.self, bytes))
    case .threadArchive: self = .threadArchive(try codec.decode(ArchiveThreadRequest.self, bytes))
    case .threadUnarchive: self = .threadUnarchive(try codec.decode(UnarchiveThreadRequest.self, bytes))
    case .threadDelete: self = .threadDelete(try codec.decode(DeleteThreadRequest.self, bytes))
    case .threadRollback: self = .threadRollback(try codec.decode(RollbackThreadRequest.self, bytes))
    case .threadCompact: self = .threadCompact(try codec.decode(CompactThreadRequest.self, bytes))
    case .threadInjectItems: self = .threadInjectItems(try codec.decode(InjectItemsRequest.self, bytes))
    case .threadExport: self = .threadExport(try codec.decode(ExportThreadRequest.self, bytes))
    case .threadSubscribe: self = .threadSubscribe(try codec.decode(SubscribeRequest.self, bytes))
    case .threadUnsubscribe: self = .threadUnsubscribe(try codec.decode(UnsubscribeRequest.self, bytes))
    case .turnStart: self = .turnStart(try codec.decode(StartTurnRequest.self, bytes))
    case .turnSteer: self = .turnSteer(try codec.decode(SteerTurnRequest.self, bytes))
    case .turnInterrupt: self = .turnInterrupt(try codec.decode(InterruptTurnRequest.self, bytes))
    case .turnListQueue: self = .turnListQueue(try codec.decode(ListQueueRequest.self, bytes))
    case .turnCancelQueued: self = .turnCancelQueued(try codec.decode(CancelQueuedTurnRequest.self, bytes))
    case .settingsRead: self = .settingsRead(try codec.decode(ReadSettingsRequest.self, bytes))
    case .settingsUpdate: self = .settingsUpdate(try codec.decode(UpdateSettingsRequest.self, bytes))
    case .agentListTree: self = .agentListTree(try codec.decode(ListTreeRequest.self, bytes))
    case .agentInterrupt: self = .agentInterrupt(try codec.decode(InterruptAgentRequest.self, bytes))
    case .agentClose: self = .agentClose(try codec.decode(CloseAgentRequest.self, bytes))
    case .catalogListModels: self = .catalogListModels(try codec.decode(ListModelsRequest.self, bytes))
    case .catalogListFeatures: self = .catalogListFeatures(try codec.decode(ListFeaturesRequest.self, bytes))
    case .catalogSetFeature: self = .catalogSetFeature(try codec.decode(SetFeatureRequest.self, bytes))
    case .serverStatus: self = .serverStatus(try codec.decode(ServerStatusRequest.self, bytes))
    default: return nil
    }
  }

  /// The request's canonical bytes: what an idempotency key is bound to (durability.md, exactly once).
  public func encode(_ codec: inout Codec) -> [UInt8] {
    switch self {
    case .threadStart(let v): codec.encode(v)
    case .threadResume(let v): codec.encode(v)
    case .threadFork(let v): codec.encode(v)
    case .threadRead(let v): codec.encode(v)
    case .threadList(let v): codec.encode(v)
    case .threadListLoaded(let v): codec.encode(v)
    case .threadSearch(let v): codec.encode(v)
    case .threadListTurns(let v): codec.encode(v)
    case .threadListItems(let v): codec.encode(v)
    case .threadSetName(let v): codec.encode(v)
    case .threadArchive(let v): codec.encode(v)
    case .threadUnarchive(let v): codec.encode(v)
    case .threadDelete(let v): codec.encode(v)
    case .threadRollback(let v): codec.encode(v)
    case .threadCompact(let v): codec.encode(v)
    case .threadInjectItems(let v): codec.encode(v)
    case .threadExport(let v): codec.encode(v)
    case .threadSubscribe(let v): codec.encode(v)
    case .threadUnsubscribe(let v): codec.encode(v)
    case .turnStart(let v): codec.encode(v)
    case .turnSteer(let v): codec.encode(v)
    case .turnInterrupt(let v): codec.encode(v)
    case .turnListQueue(let v): codec.encode(v)
    case .turnCancelQueued(let v): codec.encode(v)
    case .settingsRead(let v): codec.encode(v)
    case .settingsUpdate(let v): codec.encode(v)
    case .agentListTree(let v): codec.encode(v)
    case .agentInterrupt(let v): codec.encode(v)
    case .agentClose(let v): codec.encode(v)
    case .catalogListModels(let v): codec.encode(v)
    case .catalogListFeatures(let v): codec.encode(v)
    case .catalogSetFeature(let v): codec.encode(v)
    case .serverStatus(let v): codec.encode(v)
    }
  }
}

extension Response {
  /// Appends the answer's bytes to `sink`.
  public func encode(_ codec: inout Codec, into sink: inout some ByteSink) {
    switch self {
    case .threadStart(let v): codec.encode(v, into: &sink)
    case .threadResume(let v): codec.encode(v, into: &sink)
    case .threadFork(let v): codec.encode(v, into: &sink)
    case .threadRead(let v): codec.encode(v, into: &sink)
    case .threadList(let v): codec.encode(v, into: &sink)
    case .threadListLoaded(let v): codec.encode(v, into: &sink)
    case .threadSearch(let v): codec.encode(v, into: &sink)
    case .threadListTurns(let v): codec.encode(v, into: &sink)
    case .threadListItems(let v): codec.encode(v, into: &sink)
    case .threadSetName(let v): codec.encode(v, into: &sink)
    case .threadArchive(let v): codec.encode(v, into: &sink)
    case .threadUnarchive(let v): codec.encode(v, into: &sink)
    case .threadDelete(let v): codec.encode(v, into: &sink)
    case .threadRollback(let v): codec.encode(v, into: &sink)
    case .threadCompact(let v): codec.encode(v, into: &sink)
    case .threadInjectItems(let v): codec.encode(v, into: &sink)
    case .threadExport(let v): codec.encode(v, into: &sink)
    case .threadSubscribe(let v): codec.encode(v, into: &sink)
    case .threadUnsubscribe(let v): codec.encode(v, into: &sink)
    case .turnStart(let v): codec.encode(v, into: &sink)
    case .turnSteer(let v): codec.encode(v, into: &sink)
    case .turnInterrupt(let v): codec.encode(v, into: &sink)
    case .turnListQueue(let v): codec.encode(v, into: &sink)
    case .turnCancelQueued(let v): codec.encode(v, into: &sink)
    case .settingsRead(let v): codec.encode(v, into: &sink)
    case .settingsUpdate(let v): codec.encode(v, into: &sink)
    case .agentListTree(let v): codec.encode(v, into: &sink)
    case .agentInterrupt(let v): codec.encode(v, into: &sink)
    case .agentClose(let v): codec.encode(v, into: &sink)
    case .catalogListModels(let v): codec.encode(v, into: &sink)
    case .catalogListFeatures(let v): codec.encode(v, into: &sink)
    case .catalogSetFeature(let v): codec.encode(v, into: &sink)
    case .serverStatus(let v): codec.encode(v, into: &sink)
    }
  }

  /// Decodes the answer of a method; nil for a method that only the server calls.
  public init?(_ method: Method, _ bytes: UnsafeRawBufferPointer, _ codec: inout Codec) throws(DecodeError) {
    switch method {
    case .threadStart: self = .threadStart(try codec.decode(StartThreadResponse.self, bytes))
    case .threadResume: self = .threadResume(try codec.decode(ResumeThreadResponse.self, bytes))
    case .threadFork: self = .threadFork(try codec.decode(ForkThreadResponse.self, bytes))
    case .threadRead: self = .threadRead(try codec.decode(ReadThreadResponse.self, bytes))
    case .threadList: self = .threadList(try codec.decode(ListThreadsResponse.self, bytes))
    case .threadListLoaded: self = .threadListLoaded(try codec.decode(ListLoadedThreadsResponse.self, bytes))
    case .threadSearch: self = .threadSearch(try codec.decode(SearchThreadsResponse.self, bytes))
    case .threadListTurns: self = .threadListTurns(try codec.decode(ListTurnsResponse.self, bytes))
    case .threadListItems: self = .threadListItems(try codec.decode(ListItemsResponse.self, bytes))
    case .threadSetName: self = .threadSetName(try codec.decode(SetThreadNameResponse.self, bytes))
    case .threadArchive: self = .threadArchive(try codec.decode(ArchiveThreadResponse.self, bytes))
    case .threadUnarchive: self = .threadUnarchive(try codec.decode(UnarchiveThreadResponse.self, bytes))
    case .threadDelete: self = .threadDelete(try codec.decode(DeleteThreadResponse.self, bytes))
    case .threadRollback: self = .threadRollback(try codec.decode(RollbackThreadResponse.self, bytes))
    case .threadCompact: self = .threadCompact(try codec.decode(CompactThreadResponse.self, bytes))
    case .threadInjectItems: self = .threadInjectItems(try codec.decode(InjectItemsResponse.self, bytes))
    case .threadExport: self = .threadExport(try codec.decode(ExportThreadResponse.self, bytes))
    case .threadSubscribe: self = .threadSubscribe(try codec.decode(SubscriptionEvent.self, bytes))
    case .threadUnsubscribe: self = .threadUnsubscribe(try codec.decode(UnsubscribeResponse.self, bytes))
    case .turnStart: self = .turnStart(try codec.decode(StartTurnResponse.self, bytes))
    case .turnSteer: self = .turnSteer(try codec.decode(SteerTurnResponse.self, bytes))
    case .turnInterrupt: self = .turnInterrupt(try codec.decode(InterruptTurnResponse.self, bytes))
    case .turnListQueue: self = .turnListQueue(try codec.decode(ListQueueResponse.self, bytes))
    case .turnCancelQueued: self = .turnCancelQueued(try codec.decode(CancelQueuedTurnResponse.self, bytes))
    case .settingsRead: self = .settingsRead(try codec.decode(ReadSettingsResponse.self, bytes))
    case .settingsUpdate: self = .settingsUpdate(try codec.decode(UpdateSettingsResponse.self, bytes))
    case .agentListTree: self = .agentListTree(try codec.decode(ListTreeResponse.self, bytes))
    case .agentInterrupt: self = .agentInterrupt(try codec.decode(InterruptAgentResponse.self, bytes))
    case .agentClose: self = .agentClose(try codec.decode(CloseAgentResponse.self, bytes))
    case .catalogListModels: self = .catalogListModels(try codec.decode(ListModelsResponse.self, bytes))
    case .catalogListFeatures: self = .catalogListFeatures(try codec.decode(ListFeaturesResponse.self, bytes))
    case .catalogSetFeature: self = .catalogSetFeature(try codec.decode(SetFeatureResponse.self, bytes))
    case .serverStatus: self = .serverStatus(try codec.decode(ServerStatusResponse.self, bytes))
    default: return nil
    }
  }
}

extension Method {
  /// Index of the request message in the schema table.
  public var requestSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 108
    case .threadResume: 110
    case .threadFork: 112
    case .threadRead: 114
    case .threadList: 116
    case .threadListLoaded: 118
    case .threadSearch: 120
    case .threadListTurns: 123
    case .threadListItems: 126
    case .threadSetName: 128
    case .threadArchive: 130
    case .threadUnarchive: 132
    case .threadDelete: 134
    case .threadRollback: 136
    case .threadCompact: 138
    case .threadInjectItems: 140
    case .threadExport: 142
    case .threadSubscribe: 144
    case .threadUnsubscribe: 145
    case .turnStart: 25
    case .turnSteer: 27
    case .turnInterrupt: 29
    case .turnListQueue: 31
    case .turnCancelQueued: 33
    case .settingsRead: 15
    case .settingsUpdate: 17
    case .agentListTree: 70
    case .agentInterrupt: 72
    case .agentClose: 74
    case .catalogListModels: 77
    case .catalogListFeatures: 80
    case .catalogSetFeature: 82
    case .serverStatus: 98
    case .clientCallTool: 84
    case .clientRequestUserInput: 86
    }
  }
  /// Index of the response message in the schema table.
  public var responseSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 109
    case .threadResume: 111
    case .threadFork: 113
    case .threadRead: 115
    case .threadList: 117
    case .threadListLoaded: 119
    case .threadSearch: 122
    case .threadListTurns: 124
    case .threadListItems: 127
    case .threadSetName: 129
    case .threadArchive: 131
    case .threadUnarchive: 133
    case .threadDelete: 135
    case .threadRollback: 137
    case .threadCompact: 139
    case .threadInjectItems: 141
    case .threadExport: 143
    case .threadSubscribe: 68
    case .threadUnsubscribe: 146
    case .turnStart: 26
    case .turnSteer: 28
    case .turnInterrupt: 30
    case .turnListQueue: 32
    case .turnCancelQueued: 34
    case .settingsRead: 16
    case .settingsUpdate: 18
    case .agentListTree: 71
    case .agentInterrupt: 73
    case .agentClose: 75
    case .catalogListModels: 78
    case .catalogListFeatures: 81
    case .catalogSetFeature: 83
    case .serverStatus: 99
    case .clientCallTool: 85
    case .clientRequestUserInput: 87
    }
  }
}
