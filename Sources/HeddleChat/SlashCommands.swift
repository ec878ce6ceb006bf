// The lines that a person may write: one for the model, or a command that begins with `/`.

import HeddleCore

public enum SlashCommand: Equatable, Sendable {
  case help, interrupt, queued, agents, new, threads, fork, compact, models, status, decline, quit
  case mode(ModeSelection.Choice?)
  case model(String?)
  case effort(String?)
  case queue(String)
  case cancel(Int)
  case stop(String)
  case close(String)
  case open(String)
  case name(String)
  case rollback(Int)

  /// A line as it was entered.
  public enum Line: Equatable, Sendable {
    case text(String)
    case command(SlashCommand)
    /// No command; what to do instead.
    case mistake(String)
  }

  static let usages: [(usage: String, text: String)] = [
    ("/mode [explicit|proactive|unset]", "whether agents may be started unasked; which it is, without a name"),
    ("/model [NAME]", "the model of later turns; /models lists them"),
    ("/effort [LEVEL]", "how hard it thinks in later turns"),
    ("/interrupt", "end the running turn; so does Ctrl-C"),
    ("/queue [TEXT]", "a turn of its own after the running one; the queue, without a text"),
    ("/cancel N", "take a turn out of the queue"),
    ("/agents", "the tree of agents"),
    ("/stop AGENT, /close AGENT", "end what an agent does; close it and those below it"),
    ("/decline", "do not answer the question"),
    ("/new, /threads, /open N", "another thread: a new one, the newest to choose from, one of them or an id"),
    ("/fork, /name TEXT", "go on in a copy of this thread; give this one a name"),
    ("/rollback [N]", "take the last turns out of the context"),
    ("/compact", "replace the context by a summary"),
    ("/status", "thread, settings, tokens"),
    ("/quit", "leave; so do Ctrl-D and Ctrl-C twice"),
  ]

  /// The text that Tab adds to the beginning of a command: as much as all that begin like this have in common. Nil when the text is
  /// no such beginning.
  static func completion(of text: String) -> String? {
    guard text.hasPrefix("/"), !text.contains(where: \.isWhitespace) else { return nil }
    let commands = usages.flatMap { $0.usage.split(whereSeparator: { $0 == " " || $0 == "," }) }
      .filter { $0.hasPrefix(text) }
    guard let first = commands.first else { return "" }
    let common = commands.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    return common.dropFirst(text.count) + (commands.count == 1 ? " " : "")
  }

  public static func parse(_ line: String) -> Line {
    let text = line.trimmingSuffixWhitespace()
    guard text.hasPrefix("/") else { return .text(line) }
    // Two of them are one that is meant.
    if text.hasPrefix("//") { return .text(String(line.dropFirst())) }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    let rest = words.count > 1 ? words[1].drop { $0 == " " } : ""
    let argument = rest.isEmpty ? nil : String(rest)
    switch words.first.map(String.init) ?? "" {
    case "help", "?", "h": return .command(.help)
    case "mode": return mode(argument)
    case "model": return .command(.model(argument))
    case "models": return .command(.models)
    case "effort": return .command(.effort(argument))
    case "interrupt": return .command(.interrupt)
    case "queue": return .command(argument.map { .queue($0) } ?? .queued)
    case "cancel": return number(argument, "/cancel N: /queue lists them.") { .cancel($0) }
    case "agents", "tree": return .command(.agents)
    case "stop": return named(argument, "/stop AGENT: /agents lists them.") { .stop($0) }
    case "close": return named(argument, "/close AGENT: /agents lists them.") { .close($0) }
    case "decline": return .command(.decline)
    case "new": return .command(.new)
    case "threads": return .command(.threads)
    case "open": return named(argument, "/open N, or an id: /threads lists them.") { .open($0) }
    case "fork": return .command(.fork)
    case "name": return named(argument, "/name TEXT") { .name($0) }
    case "rollback": return number(argument ?? "1", "/rollback N, at least 1.") { .rollback($0) }
    case "compact": return .command(.compact)
    case "status", "settings": return .command(.status)
    case "quit", "exit", "q": return .command(.quit)
    case let other:
      return .mistake("There is no /\(other); /help lists the commands. A text that begins with / is written as //.")
    }
  }

  private static func mode(_ name: String?) -> Line {
    switch name?.lowercased() {
    case nil: .command(.mode(nil))
    case "explicit", "explicit_request_only": .command(.mode(.set(.explicitRequestOnly)))
    case "proactive": .command(.mode(.set(.proactive)))
    case "unset", "none": .command(.mode(.clear(true)))
    case _?: .mistake("/mode explicit, proactive or unset.")
    }
  }

  private static func number(_ text: String?, _ usage: String, _ make: (Int) -> SlashCommand) -> Line {
    guard let number = text.flatMap({ Int($0) }), (1...Int(Int32.max)).contains(number) else { return .mistake(usage) }
    return .command(make(number))
  }

  private static func named(_ text: String?, _ usage: String, _ make: (String) -> SlashCommand) -> Line {
    text.map { .command(make($0)) } ?? .mistake(usage)
  }
}

extension Substring {
  fileprivate func commonPrefix(with other: Substring) -> Substring {
    prefix(zip(self, other).prefix { $0 == $1 }.count)
  }
}

extension String {
  func trimmingSuffixWhitespace() -> String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension MultiAgentMode {
  var label: String {
    switch self {
    case .explicitRequestOnly: "explicit"
    case .proactive: "proactive"
    case .unspecified: "unset"
    }
  }
}
