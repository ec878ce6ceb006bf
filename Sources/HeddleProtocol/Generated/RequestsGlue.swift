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
    case .callAnswer: self = .callAnswer(try codec.decode(AnswerCallRequest.self, bytes))
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
    case .callAnswer(let v): v.write(&out)
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
    case .callAnswer(let v): v.write(&out)
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
    case .callAnswer: self = .callAnswer(try codec.decode(AnswerCallResponse.self, bytes))
    default: return nil
    }
  }
}

extension Method {
  /// Index of the request message in the schema table.
  public var requestSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 129
    case .threadResume: 131
    case .threadFork: 133
    case .threadRead: 135
    case .threadList: 137
    case .threadListLoaded: 139
    case .threadSearch: 141
    case .threadListTurns: 144
    case .threadListItems: 147
    case .threadSetName: 149
    case .threadArchive: 151
    case .threadUnarchive: 153
    case .threadDelete: 155
    case .threadRollback: 157
    case .threadCompact: 159
    case .threadInjectItems: 161
    case .threadExport: 163
    case .threadSubscribe: 165
    case .threadUnsubscribe: 166
    case .turnStart: 46
    case .turnSteer: 48
    case .turnInterrupt: 50
    case .turnListQueue: 52
    case .turnCancelQueued: 54
    case .settingsRead: 36
    case .settingsUpdate: 38
    case .agentListTree: 96
    case .agentInterrupt: 98
    case .agentClose: 100
    case .catalogListModels: 103
    case .catalogListFeatures: 106
    case .catalogSetFeature: 108
    case .serverStatus: 110
    case .serverStartCapture: 113
    case .serverStopCapture: 116
    case .serverReadCapture: 118
    case .clientCallTool: 22
    case .clientRequestUserInput: 24
    case .callAnswer: 28
    }
  }
  /// Index of the response message in the schema table.
  public var responseSchema: UInt16 {
    switch self {
    case .unspecified: 0
    case .threadStart: 130
    case .threadResume: 132
    case .threadFork: 134
    case .threadRead: 136
    case .threadList: 138
    case .threadListLoaded: 140
    case .threadSearch: 143
    case .threadListTurns: 145
    case .threadListItems: 148
    case .threadSetName: 150
    case .threadArchive: 152
    case .threadUnarchive: 154
    case .threadDelete: 156
    case .threadRollback: 158
    case .threadCompact: 160
    case .threadInjectItems: 162
    case .threadExport: 164
    case .threadSubscribe: 94
    case .threadUnsubscribe: 167
    case .turnStart: 47
    case .turnSteer: 49
    case .turnInterrupt: 51
    case .turnListQueue: 53
    case .turnCancelQueued: 55
    case .settingsRead: 37
    case .settingsUpdate: 39
    case .agentListTree: 97
    case .agentInterrupt: 99
    case .agentClose: 101
    case .catalogListModels: 104
    case .catalogListFeatures: 107
    case .catalogSetFeature: 109
    case .serverStatus: 112
    case .serverStartCapture: 115
    case .serverStopCapture: 117
    case .serverReadCapture: 119
    case .clientCallTool: 23
    case .clientRequestUserInput: 25
    case .callAnswer: 29
    }
  }
}
