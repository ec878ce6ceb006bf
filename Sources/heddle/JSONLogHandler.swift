// One JSON object a line, so that no text that a client sent can begin a line of its own (attacks.md L1).

import Foundation
import HeddleJSON
import Logging

struct JSONLogHandler: LogHandler {
  let label: String
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  init(label: String) { self.label = label }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var members = [
      JSONValue.Member("time", .text(Date().formatted(.iso8601))), JSONValue.Member("level", .text("\(event.level)")),
      JSONValue.Member("logger", .text(label)), JSONValue.Member("message", .text("\(event.message)")),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    for (name, value) in all.sorted(by: { $0.key < $1.key }) {
      members.append(JSONValue.Member(name, .text("\(value)")))
    }
    printError(JSONValue.object(members).written())
  }
}
