// The message type of a frame, by its kind, its method and its sender.

import HeddleCore
import HeddleProtocol

public enum FrameMessages {
  public static let metadata = Metadata.schemaIndex
  public static let event = SubscriptionEvent.schemaIndex

  /// The message's place in the schema table; nil for frames without one and for methods that the schema lacks.
  public static func schema(_ header: FrameHeader, fromClient: Bool) -> UInt16? {
    switch header.knownKind {
    case .request: method(header)?.requestSchema
    case .response: method(header)?.responseSchema
    case .event: event
    case .error: WireError.schemaIndex
    case .credit: Credit.schemaIndex
    case .ping: Ping.schemaIndex
    case .pong: Pong.schemaIndex
    case .goaway: GoAway.schemaIndex
    case .hello: fromClient ? ClientHello.schemaIndex : ServerHello.schemaIndex
    case .cancel, .unspecified, nil: nil
    }
  }

  /// The method of a header; nil for 0 and for numbers that the schema lacks.
  public static func method(_ header: FrameHeader) -> Method? {
    guard header.method != 0 else { return nil }
    return Method(rawValue: Int32(header.method))
  }

  /// `REQUEST`, `EVENT`, …; `LOST` stands where frames are missing.
  public static func kindName(_ header: FrameHeader) -> String {
    if header.kind == CaptureFormat.lostKind { return "LOST" }
    return header.knownKind.map { "\($0)".uppercased() } ?? "KIND \(header.kind)"
  }
}
