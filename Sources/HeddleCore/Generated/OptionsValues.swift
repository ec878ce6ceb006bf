// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// The kind of object that a 16-byte id field identifies. Capture, replay and the generated Swift types depend on it.
public enum IdKind: Int32, Sendable, CaseIterable, Hashable {
  /// Never used on a field.
  case unspecified = 0
  /// An agent thread.
  case thread = 1
  /// A turn.
  case turn = 2
  /// An item.
  case item = 3
  /// One connection to a server.
  case connection = 4
  /// One server node.
  case node = 5
  /// An idempotency key, made by a client so that a retry returns the first result.
  case key = 6

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .thread: "THREAD"
    case .turn: "TURN"
    case .item: "ITEM"
    case .connection: "CONNECTION"
    case .node: "NODE"
    case .key: "KEY"
    }
  }
}

