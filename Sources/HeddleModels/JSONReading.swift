// How request bodies are written and answers of providers are read: every look is allowed to find something else.

import HeddleProtocol

extension JSONValue {
  /// An object; members that are nil are left out.
  static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(pairs.compactMap { pair in pair.value.map { Member(pair.key, $0) } })
  }

  static func whole(_ number: Int) -> JSONValue { .number(String(number)) }

  /// A member of an object; nil when there is none, or it is null.
  subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members.first(where: { $0.name == name })?.value,
      value != .null
    else { return nil }
    return value
  }

  var string: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  var elements: [JSONValue]? {
    guard case .list(let list) = self else { return nil }
    return list
  }

  var isObject: Bool {
    guard case .object = self else { return false }
    return true
  }

  /// A count; providers that write `12.0` mean 12.
  var count: UInt64? {
    guard case .number(let literal) = self else { return nil }
    if let value = UInt64(literal) { return value }
    guard let value = Double(literal), value >= 0, value < 1e15 else { return nil }
    return UInt64(value)
  }

  /// An index into a list of the answer.
  var index: Int? { count.flatMap { $0 <= 1_000_000 ? Int($0) : nil } }
}
