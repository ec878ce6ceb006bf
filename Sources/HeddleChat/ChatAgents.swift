// The tree of agents below the thread, and the state of each.

import HeddleCore

public struct ChatAgents: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public var id: ThreadID
    public var parent: ThreadID
    /// Its path in V2, its nickname in V1.
    public var name: String
    public var depth: Int
    public var state: String
    public var isRunning = false
    var isFollowed = false
    /// The last text of the turn that runs.
    var lastAnswer = ""
    var task = ""
  }

  /// Parents before children, in the order in which they were met.
  public private(set) var members: [Member] = []

  public var runningCount: Int { members.filter(\.isRunning).count }

  subscript(_ id: ThreadID) -> Member? {
    get { members.first { $0.id == id } }
    set {
      guard let newValue else { return members.removeAll { $0.id == id } }
      if let index = members.firstIndex(where: { $0.id == id }) { members[index] = newValue } else { insert(newValue) }
    }
  }

  /// Behind its parent and what is below that already.
  private mutating func insert(_ member: Member) {
    guard let parent = members.firstIndex(where: { $0.id == member.parent }) else { return members.append(member) }
    var end = parent + 1
    while end < members.count, members[end].depth > members[parent].depth { end += 1 }
    var member = member
    member.depth = members[parent].depth + 1
    members.insert(member, at: end)
  }

  /// By path, the end of a path, nickname or id.
  func named(_ name: String) -> Member? {
    members.first { $0.name == name || $0.id.description == name } ?? members.first { $0.name.hasSuffix("/" + name) }
  }

  /// The tree, a row each.
  public var rows: [[Span]] {
    members.enumerated().map { index, member in
      let isLast = !members[(index + 1)...].prefix { $0.depth >= member.depth }.contains { $0.depth == member.depth }
      let branch = String(repeating: "   ", count: max(0, member.depth - 1)) + (isLast ? "└─ " : "├─ ")
      return [
        Span(.faint, "  " + branch), Span(.agent, member.shortName),
        Span(member.isRunning ? .note : .faint, "  \(member.state)"),
        Span(.faint, member.task.isEmpty ? "" : "  \(TerminalText.summary(member.task, cells: 60))"),
      ]
    }
  }
}

extension ChatAgents.Member {
  /// The last segment of a path.
  var shortName: String { name.split(separator: "/").last.map(String.init) ?? name }
}
