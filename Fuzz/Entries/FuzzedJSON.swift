// Input: a JSON text, read by the strict rules and by those of files from elsewhere.
//
// What the strict rules accept the others read as the same value, and so does whoever reads it as it is written again. The
// bytes at each value's position are that value. A refusal names a byte of the text.

import HeddleJSON

enum FuzzedJSON {
  private static let lenient = JSONRules(isStrict: false, depth: 512, bytes: 1 << 20)

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    let text = Array(bytes)
    let strict = try read(text, .strict)
    let node = try read(text, lenient)
    if FuzzPlant.json.isSet { FuzzPlant.trustEscapes(text) }
    if let node { try checkPlaces(node, text) }
    guard let strict else { return }
    guard node?.value == strict.value.withoutNUL else { throw Finding("the rules disagree about \(strict.value)") }
    for pretty in [false, true] {
      let again = try? JSONValue(parsing: strict.value.written(pretty: pretty))
      guard again == strict.value else { throw Finding("\(strict.value) is written as another value") }
    }
  }

  private static func read(_ text: [UInt8], _ rules: JSONRules) throws(Finding) -> JSONNode? {
    var parser = JSONParser(text, rules: rules)
    do throws(JSONError) {
      let node = try parser.node()
      return parser.next() == nil ? node : nil
    } catch {
      guard let offset = error.offset, (0...text.count).contains(offset), !error.message.isEmpty else {
        throw Finding("a refusal of a place that the text does not have: \(error)")
      }
      return nil
    }
  }

  private static func checkPlaces(_ node: JSONNode, _ text: [UInt8]) throws(Finding) {
    var parser = JSONParser(text, in: node.range, rules: lenient)
    guard (try? parser.value()) == node.value, parser.at == node.range.upperBound else {
      throw Finding("\(node.value) is not at \(node.range)")
    }
    for inner in node.elements ?? node.members?.map(\.value) ?? [] { try checkPlaces(inner, text) }
  }
}
