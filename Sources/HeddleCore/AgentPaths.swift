// Names of agents in their tree: `/root`, `/root/tests`, `/root/tests/api` (rules.md, agent path). A segment is
// `[a-z0-9_]+`. An agent names another one by its absolute path, by its path below the caller's own, or by its thread.

/// Why an agent's tool call is not carried out, in words for the model.
public struct AgentError: Error, Equatable, Sendable {
  public var text: String
  public init(_ text: String) { self.text = text }
}

public enum AgentPath {
  public static let root = "/root"
  /// Bytes of one segment: a name, not a sentence.
  public static let segmentBytes = 64

  /// Checks the name of a new agent.
  public static func check(segment: String) throws(AgentError) {
    if segment.isEmpty { throw AgentError("The agent's name is empty; give it one of a-z, 0-9 and _.") }
    if segment == "root" { throw AgentError("The name `root` is taken by the agent at the top; choose another.") }
    if segment == "." || segment == ".." {
      throw AgentError("`\(segment)` is not a name; use a-z, 0-9 and _.")
    }
    if segment.contains("/") { throw AgentError("A name has no `/`; an agent's path is made from its parent's.") }
    guard segment.utf8.allSatisfy(isNameByte) else {
      throw AgentError("The name `\(segment.prefix(utf8Bytes: 80))` may hold a-z, 0-9 and _ only.")
    }
    guard segment.utf8.count <= segmentBytes else {
      throw AgentError("The name is longer than \(segmentBytes) characters; shorten it.")
    }
  }

  /// The absolute path that `target` means when the agent at `caller` says it.
  public static func resolve(_ target: String, from caller: String) throws(AgentError) -> String {
    if target.isEmpty { throw AgentError("The target is empty; name an agent, see list_agents.") }
    if target.hasPrefix("/") {
      guard target == root || target.hasPrefix(root + "/") else {
        throw AgentError("An absolute path begins with `\(root)`; see list_agents.")
      }
      if target.hasSuffix("/") { throw AgentError("A path does not end with `/`.") }
      return target
    }
    if target.hasSuffix("/") { throw AgentError("A path does not end with `/`.") }
    for segment in target.split(separator: "/", omittingEmptySubsequences: false) {
      try check(segment: String(segment))
    }
    return caller + "/" + target
  }

  /// The prefix of a list: like a target, but the empty one means everything.
  public static func prefix(_ prefix: String, from caller: String) throws(AgentError) -> String {
    if prefix.isEmpty || prefix == "/" { return root }
    return try resolve(prefix.count > 1 && prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix, from: caller)
  }

  /// Whether `path` is `prefix` or below it.
  public static func isBelow(_ path: String, _ prefix: String) -> Bool {
    path == prefix || path.hasPrefix(prefix + "/")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

/// Names for people. An agent gets one that no other agent of its tree has.
public enum AgentNicknames {
  static let names = [
    "Abel", "Ada", "Agnes", "Alba", "Alma", "Amos", "Anouk", "Arlo", "Asta", "August", "Aya", "Bea", "Beno", "Birk",
    "Bruno", "Cato", "Cleo", "Cora", "Dag", "Dalia", "Dina", "Edda", "Edgar", "Eino", "Ella", "Elio", "Emil", "Enzo",
    "Esme", "Ezra", "Faye", "Felix", "Finn", "Flora", "Frida", "Gero", "Greta", "Gus", "Hanna", "Hedy", "Hugo", "Ida",
    "Igor", "Ilse", "Ines", "Iris", "Ivo", "Jana", "Jasper", "Joan", "Juno", "Kai", "Kira", "Klara", "Lars", "Lea",
    "Leif", "Lena", "Levi", "Lina", "Livia", "Luca", "Lulu", "Maja", "Malte", "Mara", "Mats", "Milo", "Mina", "Nela",
    "Nils", "Noa", "Nora", "Odin", "Olga", "Orla", "Oskar", "Otto", "Pia", "Quinn", "Rafa", "Remy", "Rosa", "Runa",
    "Sami", "Selma", "Sven", "Tara", "Theo", "Thora", "Tilda", "Tove", "Ugo", "Una", "Vera", "Vito", "Wanda", "Wim",
    "Yara", "Yves", "Zoe", "Zora",
  ]

  /// The next free name from a place that chance gives; when all are taken, `Ada 2`.
  public static func next(taken: [String], chance: UInt64) -> String {
    let taken = taken.sorted()
    let start = Int(chance % UInt64(names.count))
    for round in 1...max(1, taken.count + 1) {
      for offset in names.indices {
        let name = names[(start + offset) % names.count]
        let full = round == 1 ? name : "\(name) \(round)"
        if !isIn(taken, full) { return full }
      }
    }
    return "Agent \(taken.count + 1)"
  }

  private static func isIn(_ sorted: [String], _ name: String) -> Bool {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == name
  }
}
