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
    case .serverStartCapture: self = .serverStartCapture(try codec.decode(StartCaptureRequest.self, bytes))
    case .serverStopCapture: self = .serverStopCapture(try codec.decode(StopCaptureRequest.self, bytes))
    case .serverReadCapture: self = .serverReadCapture(try codec.decode(ReadCaptureRequest.self, bytes))
    default: return nil
    }
  }

}

extension Request: WireWritable {
  /// The request's canonical bytes: what an idempotency key is bound to (durability.md, exactly once).
  public func write(_ out: inout BackwardWriter) {
    switch self {
    case .threadStart(let v): v.write(&out)
    case .threadResume(let v): v.write(&out)
    case .threadFork(let v): v.write(&out)
    case .threadRead(let v): v.write(&out)
    case .threadList(let v): v.write(&out)
    case .threadListLoaded(let v): v.write(&out)
    case .threadSearch(let v): v.write(&out)
    case .threadListTurns(let v): v.write(&out)
    case .threadListItems(let v): v.write(&out)
    case .threadSetName(let v): v.write(&out)
    case .threadArchive(let v): v.write(&out)
    case .threadUnarchive(let v): v.write(&out)
    case .threadDelete(let v): v.write(&out)
    case .threadRollback(let v): v.write(&out)
    case .threadCompact(let v): v.write(&out)
    case .threadInjectItems(let v): v.write(&out)
    case .threadExport(let v): v.write(&out)
    case .threadSubscribe(let v): v.write(&out)
    case .threadUnsubscribe(let v): v.write(&out)
    case .turnStart(let v): v.write(&out)
    case .turnSteer(let v): v.write(&out)
    case .turnInterrupt(let v): v.write(&out)
    case .turnListQueue(let v): v.write(&out)
    case .turnCancelQueued(let v): v.write(&out)
    case .settingsRead(let v): v.write(&out)
    case .settingsUpdate(let v): v.write(&out)
    case .agentListTree(let v): v.write(&out)
    case .agentInterrupt(let v): v.write(&out)
    case .agentClose(let v): v.write(&out)
    case .catalogListModels(let v): v.write(&out)
    case .catalogListFeatures(let v): v.write(&out)
    case .catalogSetFeature(let v): v.write(&out)
    case .serverStatus(let v): v.write(&out)
    case .serverStartCapture(let v): v.write(&out)
    case .serverStopCapture(let v): v.write(&out)
    case .serverReadCapture(let v): v.write(&out)
    }
  }
}

extension Response: WireWritable {
  public func write(_ out: inout BackwardWriter) {
    switch self {
    case .threadStart(let v): v.write(&out)
    case .threadResume(let v): v.write(&out)
    case .threadFork(let v): v.write(&out)
    case .threadRead(let v): v.write(&out)
    case .threadList(let v): v.write(&out)
    case .threadListLoaded(let v): v.write(&out)
    case .threadSearch(let v): v.write(&out)
    case .threadListTurns(let v): v.write(&out)
    case .threadListItems(let v): v.write(&out)
    case .threadSetName(let v): v.write(&out)
    case .threadArchive(let v): v.write(&out)
    case .threadUnarchive(let v): v.write(&out)
    case .threadDelete(let v): v.write(&out)
    case .threadRollback(let v): v.write(&out)
    case .threadCompact(let v): v.write(&out)
    case .threadInjectItems(let v): v.write(&out)
    case .threadExport(let v): v.write(&out)
    case .threadSubscribe(let v): v.write(&out)
    case .threadUnsubscribe(let v): v.write(&out)
    case .turnStart(let v): v.write(&out)
    case .turnSteer(let v): v.write(&out)
    case .turnInterrupt(let v): v.write(&out)
    case .turnListQueue(let v): v.write(&out)
    case .turnCancelQueued(let v): v.write(&out)
    case .settingsRead(let v): v.write(&out)
    case .settingsUpdate(let v): v.write(&out)
    case .agentListTree(let v): v.write(&out)
    case .agentInterrupt(let v): v.write(&out)
    case .agentClose(let v): v.write(&out)
    case .catalogListModels(let v): v.write(&out)
    case .catalogListFeatures(let v): v.write(&out)
    case .catalogSetFeature(let v): v.write(&out)
    case .serverStatus(let v): v.write(&out)
    case .serverStartCapture(let v): v.write(&out)
    case .serverStopCapture(let v): v.write(&out)
    case .serverReadCapture(let v): v.write(&out)
    }
  }
}

extension Response {
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
    case .serverStartCapture: self = .serverStartCapture(try codec.decode(StartCaptureResponse.self, bytes))
    case .serverStopCapture: self = .serverStopCapture(try codec.decode(StopCaptureResponse.self, bytes))
    case .serverReadCapture: self = .serverReadCapture(try codec.decode(ReadCaptureResponse.self, bytes))
    default: return nil
    }
  }
}

extension Method {
  /// Index of the request message in the schema table.
  public var requestSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 125
    case .threadResume: 127
    case .threadFork: 129
    case .threadRead: 131
    case .threadList: 133
    case .threadListLoaded: 135
    case .threadSearch: 137
    case .threadListTurns: 140
    case .threadListItems: 143
    case .threadSetName: 145
    case .threadArchive: 147
    case .threadUnarchive: 149
    case .threadDelete: 151
    case .threadRollback: 153
    case .threadCompact: 155
    case .threadInjectItems: 157
    case .threadExport: 159
    case .threadSubscribe: 161
    case .threadUnsubscribe: 162
    case .turnStart: 28
    case .turnSteer: 30
    case .turnInterrupt: 32
    case .turnListQueue: 34
    case .turnCancelQueued: 36
    case .settingsRead: 18
    case .settingsUpdate: 20
    case .agentListTree: 78
    case .agentInterrupt: 80
    case .agentClose: 82
    case .catalogListModels: 85
    case .catalogListFeatures: 88
    case .catalogSetFeature: 90
    case .serverStatus: 106
    case .serverStartCapture: 109
    case .serverStopCapture: 112
    case .serverReadCapture: 114
    case .clientCallTool: 92
    case .clientRequestUserInput: 94
    }
  }
  /// Index of the response message in the schema table.
  public var responseSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 126
    case .threadResume: 128
    case .threadFork: 130
    case .threadRead: 132
    case .threadList: 134
    case .threadListLoaded: 136
    case .threadSearch: 139
    case .threadListTurns: 141
    case .threadListItems: 144
    case .threadSetName: 146
    case .threadArchive: 148
    case .threadUnarchive: 150
    case .threadDelete: 152
    case .threadRollback: 154
    case .threadCompact: 156
    case .threadInjectItems: 158
    case .threadExport: 160
    case .threadSubscribe: 76
    case .threadUnsubscribe: 163
    case .turnStart: 29
    case .turnSteer: 31
    case .turnInterrupt: 33
    case .turnListQueue: 35
    case .turnCancelQueued: 37
    case .settingsRead: 19
    case .settingsUpdate: 21
    case .agentListTree: 79
    case .agentInterrupt: 81
    case .agentClose: 83
    case .catalogListModels: 86
    case .catalogListFeatures: 89
    case .catalogSetFeature: 91
    case .serverStatus: 108
    case .serverStartCapture: 111
    case .serverStopCapture: 113
    case .serverReadCapture: 115
    case .clientCallTool: 93
    case .clientRequestUserInput: 95
    }
  }
}
