// A JSON value with its position in the bytes that it was read from, so that a part that means nothing to the reader can
// be kept exactly as it was written.

/// The position of one value and of the values in it, in their order.
struct JSONPlace: Sendable {
  let range: Range<Int>
  let inner: [JSONPlace]
}

public struct JSONNode: Sendable {
  public let value: JSONValue
  private let place: JSONPlace

  init(_ value: JSONValue, _ place: JSONPlace) {
    self.value = value
    self.place = place
  }

  /// The value's bytes in the bytes that were read.
  public var range: Range<Int> { place.range }

  /// The elements of a list.
  public var elements: [JSONNode]? {
    guard case .list(let values) = value else { return nil }
    return zip(values, place.inner).map { JSONNode($0, $1) }
  }

  /// The members of an object.
  public var members: [(name: String, value: JSONNode)]? {
    guard case .object(let members) = value else { return nil }
    return zip(members, place.inner).map { ($0.name, JSONNode($0.value, $1)) }
  }

  /// A member of an object, which may be null: for the few places where null is not the same as absent. Of two members
  /// with one name the last counts.
  public func member(_ name: String) -> JSONNode? {
    guard case .object(let members) = value, let index = members.lastIndex(where: { $0.name == name }),
      place.inner.indices.contains(index)
    else { return nil }
    return JSONNode(members[index].value, place.inner[index])
  }

  /// A member of an object that is not null.
  public subscript(_ name: String) -> JSONNode? { member(name).flatMap { $0.isNull ? nil : $0 } }

  /// A text member; nil as well when it is empty.
  public func text(_ name: String) -> String? {
    guard let text = self[name]?.string, !text.isEmpty else { return nil }
    return text
  }

  public var isNull: Bool { value == .null }
  public var isObject: Bool { value.isObject }
  public var string: String? { value.string }
  public var flag: Bool? { value.flag }
  public var integer: Int64? { value.integer }
}
