"""Swift: the services of `Sources/HeddleClient` with their methods and pages; messages and reasons are HeddleCore's own."""

from __future__ import annotations

from pathlib import Path

from clients import NOTE, OWN_FORM, PLURALS, Call, Surface
from schema import Field
from swift import base_type, camel, type_name

HEAD = f"// {NOTE}\n// swift-format-ignore-file\n\nimport HeddleCore\nimport HeddleProtocol\n"


def case(call: Call) -> str:
    return camel(f"{call.method.service.removesuffix('Service').lower()}_{call.snake}")


def lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def words(text: str) -> str:
    return " ".join(text.split())


def services(surface: Surface) -> str:
    offered = surface.services()
    fixed = [case(call) for calls in offered.values() for call in calls if not call.repeatable]
    lines = [HEAD, "extension Method {", "  /// Sending it again does no harm where it is not known whether it was served.",
             f"  var isRepeatable: Bool {{ {' && '.join(f'self != .{name}' for name in fixed)} }}", "}", "", "extension HeddleClient {"]
    for name in offered:
        lines += [f"  public var {PLURALS[name]}: {PLURALS[name].capitalize()}Service {{ {PLURALS[name].capitalize()}Service(client: self) }}"]
    lines += ["}"]
    for name, calls in offered.items():
        lines += ["", f"/// The methods of {name}Service.", f"public struct {PLURALS[name].capitalize()}Service: Sendable {{",
                  "  let client: HeddleClient"]
        for call in calls:
            if call.short not in OWN_FORM:
                lines += method(surface, call)
        lines += ["}"]
    return "\n".join(lines) + "\n"


def method(surface: Surface, call: Call) -> list[str]:
    request, response = type_name(call.method.request), type_name(call.method.response)
    planned = " Not built yet." if call.method.planned else ""
    key = "key: IdempotencyKey? = nil, " if call.keyed else ""
    given = "key: key, " if call.keyed else ""
    # There is one way to follow a thread, which is `subscribe`.
    follows = any(f.name == "subscribe" for f in surface.schema.messages[call.method.request].fields)
    own = ["    var request = request", "    request.subscribe = false"] if follows else []
    name = lower(call.method.name)
    lines = ["", f"  /// {words(call.method.comment)}{planned}",
             f"  public func {name}(_ request: {request} = {request}(), {key}deadline: Duration? = nil) async throws -> {response} {{", *own,
             f"    return try await client.call(.{case(call)}, request, {given}deadline: deadline)", "  }"]
    if call.paged:
        field: Field = next(f for f in surface.schema.messages[call.method.response].fields if f.name == call.items)
        lines += ["", f"  /// Iterates over the {call.items} of all pages.",
                  f"  public func each{call.method.name}(_ request: {request} = {request}()) -> Pages<{base_type(field)}> {{",
                  "    Pages { cursor in", "      var request = request", "      request.cursor = cursor ?? request.cursor",
                  f"      let page = try await {name}(request)", f"      return (page.{camel(call.items)}, page.nextCursor)", "    }", "  }"]
    return lines


def write(surface: Surface, root: Path) -> None:
    folder = root.parent / "Sources/HeddleClient/Generated"
    folder.mkdir(exist_ok=True)
    (folder / "Services.swift").write_text(services(surface))
