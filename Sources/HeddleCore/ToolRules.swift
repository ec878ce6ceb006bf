// The tools of a client and their changes: rules.md A9, S6. Pure: a selection in, tools or words out.

extension ToolSelection {
  /// The selection that an event records for these tools.
  init(choosing tools: [ToolDefinition]) { self.init(set: tools, clear: tools.isEmpty) }

  /// The tools that it asks for; nil: those that are there. Throws the fault that a client has to mend.
  public func chosen(_ limits: Limits) throws(Refusal) -> [ToolDefinition]? {
    if clear, !set.isEmpty { throw Refusal(.emptyChange, [("field", "tools.clear")]) }
    try checkTools(set, limits)
    return clear || !set.isEmpty ? set : nil
  }
}

extension [ToolDefinition] {
  /// By bytes: `==` takes texts for equal that only look alike (attacks.md M21).
  func isIdentical(to other: [ToolDefinition]) -> Bool {
    elementsEqual(other) { one, two in
      one.name.utf8.elementsEqual(two.name.utf8) && one.description.utf8.elementsEqual(two.description.utf8)
        && one.schema.utf8.elementsEqual(two.schema.utf8)
    }
  }
}

extension ThreadRecord {
  /// The client's tools in the running turn, and between turns those of the next one (rules.md S2, S6).
  public var toolsInUse: [ToolDefinition] { running?.tools?.set ?? tools }
}

/// Numbers, names and lengths of the tools that a client brings.
public func checkTools(_ tools: [ToolDefinition], _ limits: Limits) throws(Refusal) {
  guard tools.count <= limits.tools else {
    throw Refusal(.tooManyElements, [("field", "tools"), ("limit", "\(limits.tools)")])
  }
  for tool in tools {
    if tool.name.isEmpty { throw Refusal(.missingField, [("field", "tools.name")]) }
    if CollaborationTools.isReserved(tool.name) || tools.count(where: { $0.name == tool.name }) > 1 {
      throw Refusal(.reservedName, [("field", "tools.name"), ("name", tool.name)])
    }
    try checkLength(tool.name, "tools.name", limits.shortTextBytes)
    try checkLength(tool.description, "tools.description", limits.longTextBytes)
    try checkLength(tool.schema, "tools.schema", limits.longTextBytes)
  }
}

/// The note to a model whose tools differ from those of its last request (rules.md S6).
public func toolsFragment(_ tools: [ToolDefinition], limitBytes: Int) -> String {
  let open = "<client_tools>"
  let close = "</client_tools>"
  let body =
    tools.isEmpty
    ? "The tools of the client have changed: there are none now. Do not call those from before."
    : "The tools of the client have changed. Call only those that are offered now: "
      + tools.map { "`\($0.name)`" }.joined(separator: ", ") + "."
  return open + body.prefix(utf8Bytes: limitBytes - open.utf8.count - close.utf8.count) + close
}
