// Shorthands for writing request bodies and reading answers of providers.

import HeddleJSON

extension JSONValue {
  /// An object; members that are nil are left out.
  static func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(pairs.compactMap { pair in pair.value.map { Member(pair.key, $0) } })
  }

  static func whole(_ number: Int) -> JSONValue { .number(String(number)) }

  /// An index into a list of the answer.
  var index: Int? { count.flatMap { $0 <= 1_000_000 ? Int($0) : nil } }
}
