// Looks into a value whose shape is not known: each may find something else.

extension JSONValue {
  /// A member of an object that is not null. Of two members with one name the last counts.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members.last(where: { $0.name == name })?.value,
      value != .null
    else { return nil }
    return value
  }

  public var string: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  public var flag: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  public var elements: [JSONValue]? {
    guard case .list(let list) = self else { return nil }
    return list
  }

  public var isObject: Bool {
    guard case .object = self else { return false }
    return true
  }

  /// The number, if it is whole and fits; never traps.
  public var integer: Int64? {
    guard case .number(let literal) = self else { return nil }
    if let exact = Int64(literal) { return exact }
    return Double(literal).flatMap { Int64(exactly: $0) }
  }

  /// A count; writers of `12.0` mean 12.
  public var count: UInt64? {
    guard case .number(let literal) = self else { return nil }
    if let value = UInt64(literal) { return value }
    guard let value = Double(literal), value >= 0, value < 1e15 else { return nil }
    return UInt64(value)
  }
}
