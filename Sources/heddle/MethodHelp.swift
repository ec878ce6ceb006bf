// The output of `heddle call METHOD --help`: the fields of the request with the comments of the schema.

import HeddleCore
import HeddleProtocol

enum MethodHelp {
  static func text(_ method: Method) -> String {
    var lines = ["heddle call \(method.path) [<request>]", "", method.comment]
    if method.isMutation { lines.append("It changes what is stored and takes an idempotency key (--key).") }
    if method.isAdmin { lines.append("It is for operators: a tenant's token is refused.") }
    if method.isPlanned { lines.append("It is not there yet: the answer is `not_implemented`.") }
    if method == .threadSubscribe { lines.append("`heddle subscribe` calls it.") }
    for (index, part) in SchemaPart.message(method.requestSchema).reached.enumerated() {
      lines += [""] + section(part, isRequest: index == 0)
    }
    return lines.joined(separator: "\n")
  }

  private static func section(_ part: SchemaPart, isRequest: Bool) -> [String] {
    guard case .message = part else {
      return ["\(part.name), one of:"] + part.values.flatMap { ["  \($0.name)"] + indented($0.comment) }
    }
    let fields = part.fields
    if fields.isEmpty { return [isRequest ? "The request has no fields." : "\(part.name) has no fields."] }
    var lines = [isRequest ? "Fields of the request:" : "\(part.name): \(oneLine(part.comment))"]
    for field in fields { lines += ["  \(field.name): \(field.type)"] + indented(field.comment) }
    for group in Set(fields.map(\.oneof)).sorted() where group != 0 {
      let names = fields.filter { $0.oneof == group }.map(\.name)
      if names.count > 1 { lines.append("  At most one of: \(names.joined(separator: ", ")).") }
    }
    return lines
  }

  private static func indented(_ comment: String) -> [String] {
    comment.split(separator: "\n").map { "      \($0)" }
  }

  private static func oneLine(_ comment: String) -> String { comment.replacing("\n", with: " ") }
}
