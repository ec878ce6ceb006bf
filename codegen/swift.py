"""Swift from the schema: plain values without an import, and the glue between them and the C structs of protoc-c."""

from __future__ import annotations

from schema import F, ID_TYPES, Field, Message, Schema, snake
from table import c_lower, c_type

NOTE = "// Made by `make generate` from proto/; edit that instead.\n// swift-format-ignore-file\n\n"
KEYWORDS = {"internal", "default", "case", "import", "operator", "set", "where", "in", "is", "self", "public", "repeat"}

# Names that would hide something of the standard library.
RENAMED = {"Error": "WireError"}

SCALARS = {
    F.TYPE_BOOL: ("Bool", "false"),
    F.TYPE_UINT32: ("UInt32", "0"),
    F.TYPE_UINT64: ("UInt64", "0"),
    F.TYPE_INT32: ("Int32", "0"),
    F.TYPE_INT64: ("Int64", "0"),
    F.TYPE_FLOAT: ("Float", "0"),
    F.TYPE_STRING: ("String", '""'),
}


def file_stem(file: str) -> str:
    name = file.rsplit("/", 1)[1].removesuffix(".proto")
    return name[0].upper() + name[1:] + "Values"


def type_name(name: str) -> str:
    return RENAMED.get(name, name)


def camel(name: str) -> str:
    head, *tail = name.lower().split("_")
    return head + "".join(t[:1].upper() + t[1:] for t in tail)


def quoted(name: str) -> str:
    return f"`{name}`" if name in KEYWORDS else name


def case_name(enum, value: str) -> str:
    return camel(value.removeprefix(enum.prefix))


def base_type(f: Field) -> str:
    if f.type in SCALARS:
        return SCALARS[f.type][0]
    if f.type == F.TYPE_BYTES:
        return ID_TYPES[f.id_kind] if f.id_kind else "[UInt8]"
    return type_name(f.type_name)


def swift_type(f: Field) -> str:
    base = base_type(f)
    if f.repeated:
        return f"[{base}]"
    if f.optional or f.type == F.TYPE_MESSAGE:
        return base + "?"
    return base


def default(f: Field) -> str:
    if f.repeated:
        return "[]"
    if f.optional or f.type == F.TYPE_MESSAGE:
        return "nil"
    if f.type in SCALARS:
        return SCALARS[f.type][1]
    if f.type == F.TYPE_BYTES:
        return f"{ID_TYPES[f.id_kind]}()" if f.id_kind else "[]"
    return ".unspecified"


def comment(text: str, indent: str = "") -> str:
    return "".join(f"{indent}/// {line.strip()}\n" for line in text.split("\n"))


def properties(m: Message):
    """(name, type, default, comment) of each stored property, a oneof being one."""
    seen = set()
    for f in m.fields:
        if f.oneof:
            if f.oneof not in seen:
                seen.add(f.oneof)
                kind = oneof_type(f.oneof)
                yield camel(f.oneof), kind + "?", "nil", m.oneofs[f.oneof]
        else:
            yield camel(f.name), swift_type(f), default(f), f.comment


def oneof_type(name: str) -> str:
    c = camel(name)
    return c[0].upper() + c[1:]


def values(schema: Schema, file: str) -> str:
    out = [NOTE]
    for e in schema.enums.values():
        if e.file != file:
            continue
        out.append(comment(e.comment) + f"public enum {e.name}: Int32, Sendable, CaseIterable, Hashable {{\n")
        for value, number, text in e.values:
            out.append(comment(text, "  ") + f"  case {quoted(case_name(e, value))} = {number}\n")
        out.append("\n  /// The value's name in the schema, without the enum's prefix.\n  public var name: String {\n    switch self {\n")
        for value, _, _ in e.values:
            out.append(f'    case .{case_name(e, value)}: "{value.removeprefix(e.prefix)}"\n')
        out.append("    }\n  }\n}\n\n")
    for m in schema.messages.values():
        if m.file == file:
            out.append(value_struct(m))
    return "".join(out)


def value_struct(m: Message) -> str:
    name = type_name(m.name)
    out = [comment(m.comment) + f"public struct {name}: Equatable, Sendable {{\n"]
    for oneof, text in m.oneofs.items():
        # Messages of many kinds are passed from hand to hand: a box makes that one reference instead of a copy of the
        # largest kind with all the texts in it.
        kinds = [f for f in m.fields if f.oneof == oneof and f.type == F.TYPE_MESSAGE]
        boxed = "indirect " if len(kinds) > 3 else ""
        out.append(comment(text, "  ") + f"  public {boxed}enum {oneof_type(oneof)}: Equatable, Sendable {{\n")
        for f in m.fields:
            if f.oneof == oneof:
                out.append(comment(f.comment, "    ") + f"    case {quoted(camel(f.name))}({base_type(f)})\n")
        out.append("\n    /// The member's field number.\n    public var number: UInt8 {\n      switch self {\n")
        for f in m.fields:
            if f.oneof == oneof:
                out.append(f"      case .{camel(f.name)}: {f.number}\n")
        out.append("      }\n    }\n  }\n\n")
    props = list(properties(m))
    for prop, kind, value, text in props:
        out.append(comment(text, "  ") + f"  public var {quoted(prop)}: {kind} = {value}\n")
    if props:
        args = ", ".join(f"{p}: {k} = {v}" for p, k, v, _ in props)
        out.append(f"\n  public init() {{}}\n\n  public init({args}) {{\n")
        for p, _, _, _ in props:
            out.append(f"    self.{p} = {quoted(p)}\n")
        out.append("  }\n")
    else:
        out.append("  public init() {}\n")
    out.append("}\n\n")
    return "".join(out)


def glue(schema: Schema, file: str) -> str:
    out = [NOTE + "import CHeddleProtocol\nimport HeddleCore\n\n"]
    for m in schema.messages.values():
        if m.file == file:
            out.append(glue_message(schema, m))
    return "".join(out)


def glue_message(schema: Schema, m: Message) -> str:
    name = type_name(m.name)
    out = [f"extension {name}: WireMessage {{\n"]
    out.append(f"  public typealias CMessage = {c_type(m.name)}\n")
    out.append(f"  public static var schemaIndex: UInt16 {{ {m.index} }}\n")
    out.append(
        f"  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {{ heddle_descriptor_{snake(m.name)}() }}\n"
    )
    out.append(f"\n  public init(c: UnsafePointer<{c_type(m.name)}>) throws(DecodeError) {{\n    self.init()\n")
    for f in m.fields:
        if not f.oneof:
            out.append(read_field(f))
    for oneof in m.oneofs:
        out.append(read_oneof(m, oneof))
    out.append("  }\n")
    out.append(f"\n  public func fill(_ c: UnsafeMutablePointer<{c_type(m.name)}>, _ arena: Arena) {{\n")
    out.append(f"    {c_lower(m.name)}__init(c)\n")
    for f in m.fields:
        if not f.oneof:
            out.append(write_field(f))
    for oneof in m.oneofs:
        out.append(write_oneof(m, oneof))
    out.append("  }\n}\n\n")
    return "".join(out)


def read_one(f: Field, source: str, owned_bytes: bool = False) -> str:
    """An expression that reads one value of the field from the C expression `source`."""
    where = f'"{f.name}"'
    if f.type == F.TYPE_STRING:
        return f"readText({source})"
    if f.type == F.TYPE_BYTES:
        if f.id_kind:
            return f"try readID({source}, {where})"
        return f"readBytes({source})"
    if f.type == F.TYPE_BOOL:
        return f"{source} != 0"
    if f.type == F.TYPE_ENUM:
        zero = "true" if f.zero_means else "false"
        return f"try readEnum({source}.rawValue, {where}, allowsZero: {zero})"
    if f.type == F.TYPE_MESSAGE:
        return f"try {type_name(f.type_name)}(c: UnsafePointer({source}))"
    return source


def read_field(f: Field) -> str:
    swift, c = camel(f.name), f.name
    p = f"c.pointee.{c}"
    if f.repeated:
        element = "p[i]"
        if f.type == F.TYPE_MESSAGE:
            body = f"if let e = p[i] {{ {swift}.append(try {type_name(f.type_name)}(c: UnsafePointer(e))) }}"
        else:
            body = f"{swift}.append({read_one(f, element)})"
        return (
            f"    if let p = {p} {{\n      {swift}.reserveCapacity(c.pointee.n_{c})\n"
            f"      for i in 0..<c.pointee.n_{c} {{ {body} }}\n    }}\n"
        )
    if f.type == F.TYPE_MESSAGE:
        return f"    if let p = {p} {{ {swift} = {read_one(f, 'p')} }}\n"
    text = f"    if c.pointee.has_{c} != 0 {{ {swift} = {read_one(f, p)} }}"
    if f.required:
        text += f' else {{ throw .missingField("{f.name}") }}'
    return text + "\n"


def read_oneof(m: Message, oneof: str) -> str:
    prop = camel(oneof)
    out = [f"    switch c.pointee.{oneof}_case.rawValue {{\n"]
    for f in m.fields:
        if f.oneof != oneof:
            continue
        if f.type == F.TYPE_MESSAGE:
            body = f"if let p = c.pointee.{f.name} {{ {prop} = .{camel(f.name)}({read_one(f, 'p')}) }}"
        else:
            body = f"{prop} = .{camel(f.name)}({read_one(f, f'c.pointee.{f.name}')})"
        out.append(f"    case {f.number}: {body}\n")
    out.append("    default: break\n    }\n")
    return "".join(out)


def write_one(f: Field, value: str) -> str:
    if f.type == F.TYPE_STRING:
        return f"arena.text({value})"
    if f.type == F.TYPE_BYTES:
        return f"arena.id({value})" if f.id_kind else f"arena.bytes({value})"
    if f.type == F.TYPE_BOOL:
        return f"{value} ? 1 : 0"
    if f.type == F.TYPE_ENUM:
        return f"{c_type(f.type_name)}(rawValue: UInt32(bitPattern: {value}.rawValue))"
    if f.type == F.TYPE_MESSAGE:
        return f"arena.message({value})"
    return value


def write_field(f: Field) -> str:
    swift, c = camel(f.name), f.name
    if f.repeated:
        if f.type == F.TYPE_MESSAGE:
            call = f"arena.messages({swift})"
        else:
            call = f"arena.array({swift}) {{ {write_one(f, '$0')} }}"
        return f"    if !{swift}.isEmpty {{ c.pointee.n_{c} = {swift}.count; c.pointee.{c} = {call} }}\n"
    if f.type == F.TYPE_MESSAGE:
        return f"    if let v = {swift} {{ c.pointee.{c} = {write_one(f, 'v')} }}\n"
    if f.optional:
        return f"    if let v = {swift} {{ c.pointee.has_{c} = 1; c.pointee.{c} = {write_one(f, 'v')} }}\n"
    if f.type == F.TYPE_BOOL:
        test = swift
    elif f.type in (F.TYPE_STRING,):
        test = f"!{swift}.isEmpty"
    elif f.type == F.TYPE_BYTES:
        test = f"{swift} != {ID_TYPES[f.id_kind]}()" if f.id_kind else f"!{swift}.isEmpty"
    elif f.type == F.TYPE_ENUM:
        test = f"{swift} != .unspecified"
    else:
        test = f"{swift} != 0"
    return f"    if {test} {{ c.pointee.has_{c} = 1; c.pointee.{c} = {write_one(f, swift)} }}\n"


def write_oneof(m: Message, oneof: str) -> str:
    prop = camel(oneof)
    out = [f"    switch {prop} {{\n    case nil: break\n"]
    for f in m.fields:
        if f.oneof == oneof:
            case = f"{c_type(m.name)}__{oneof_type(oneof)}Case"
            out.append(
                f"    case .{camel(f.name)}(let v)?: c.pointee.{oneof}_case = {case}(rawValue: {f.number}); "
                f"c.pointee.{f.name} = {write_one(f, 'v')}\n"
            )
    out.append("    }\n")
    return "".join(out)


def requests(schema: Schema) -> str:
    served = [m for m in schema.methods if not m.server_calls_client]
    out = [NOTE]
    out.append("extension Method {\n  /// `ThreadService/Start`: the name of docs, logs and the prompt.\n")
    out.append("  public var path: String {\n    switch self {\n    case .unspecified: \"\"\n")
    for m in schema.methods:
        out.append(f'    case .{m.case}: "{m.service}/{m.name}"\n')
    out.append("    }\n  }\n")
    for prop, text, test in (
        ("isMutation", "Changes durable state and takes an idempotency key.", lambda m: m.mutation),
        ("isPlanned", "In the schema, but answered with `not_implemented`.", lambda m: m.planned),
        ("isAdmin", "Refused to a tenant's token.", lambda m: m.admin),
        ("isServerCall", "The server calls the client with it.", lambda m: m.server_calls_client),
    ):
        cases = ", ".join(f".{m.case}" for m in schema.methods if test(m))
        out.append(f"\n  /// {text}\n  public var {prop}: Bool {{\n    switch self {{\n")
        out.append(f"    case {cases}: true\n    default: false\n    }}\n  }}\n")
    out.append("}\n\n/// What a client asks: one case a method.\npublic indirect enum Request: Equatable, Sendable {\n")
    for m in served:
        out.append(comment(m.comment, "  ") + f"  case {m.case}({m.request})\n")
    out.append("\n  /// The method that the request belongs to.\n  public var method: Method {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}: .{m.case}\n")
    out.append("    }\n  }\n}\n\n")
    out.append("/// What a method answers: one case a method.\npublic indirect enum Response: Equatable, Sendable {\n")
    for m in served:
        out.append(f"  case {m.case}({m.response})\n")
    out.append("\n  /// The method that the answer belongs to.\n  public var method: Method {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}: .{m.case}\n")
    out.append("    }\n  }\n}\n")
    return "".join(out)


def requests_glue(schema: Schema) -> str:
    served = [m for m in schema.methods if not m.server_calls_client]
    out = [NOTE + "import CHeddleProtocol\nimport HeddleCore\n\nextension Request {\n"]
    out.append("  /// Decodes the request of a method; nil for a method that only the server calls.\n")
    out.append("  public init?(_ method: Method, _ bytes: UnsafeRawBufferPointer, _ codec: inout Codec) throws(DecodeError) {\n")
    out.append("    switch method {\n")
    for m in served:
        out.append(f"    case .{m.case}: self = .{m.case}(try codec.decode({m.request}.self, bytes))\n")
    out.append("    default: return nil\n    }\n  }\n\n")
    out.append("  /// The request's canonical bytes: what an idempotency key is bound to (durability.md, exactly once).\n")
    out.append("  public func encode(_ codec: inout Codec) -> [UInt8] {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}(let v): codec.encode(v)\n")
    out.append("    }\n  }\n}\n\nextension Response {\n")
    out.append("  /// Appends the answer's bytes to `sink`.\n")
    out.append("  public func encode(_ codec: inout Codec, into sink: inout some ByteSink) {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}(let v): codec.encode(v, into: &sink)\n")
    out.append("    }\n  }\n\n  /// Decodes the answer of a method; nil for a method that only the server calls.\n")
    out.append("  public init?(_ method: Method, _ bytes: UnsafeRawBufferPointer, _ codec: inout Codec) throws(DecodeError) {\n")
    out.append("    switch method {\n")
    for m in served:
        out.append(f"    case .{m.case}: self = .{m.case}(try codec.decode({m.response}.self, bytes))\n")
    out.append("    default: return nil\n    }\n  }\n}\n\nextension Method {\n")
    for prop, pick in (("requestSchema", lambda m: m.request), ("responseSchema", lambda m: m.response)):
        out.append(f"  /// Index of the {prop.removesuffix('Schema')} message in the schema table.\n")
        out.append(f"  public var {prop}: UInt16 {{\n    switch self {{\n    case .unspecified: 0\n")
        for m in schema.methods:
            out.append(f"    case .{m.case}: {schema.messages[pick(m)].index}\n")
        out.append("    }\n  }\n")
    out.append("}\n")
    return "".join(out)


def reasons(items) -> str:
    out = [NOTE + "/// Why a request was not served: stable names that clients may switch on.\n"]
    out.append("public enum Reason: String, Sendable, CaseIterable, Hashable {\n")
    for r in items:
        out.append(f"  /// {r.advice}\n  case {quoted(camel(r.name))} = \"{r.name}\"\n")
    out.append("\n  /// The canonical code that goes with it.\n  public var code: Code {\n    switch self {\n")
    for r in items:
        out.append(f"    case .{camel(r.name)}: .{camel(r.code)}\n")
    out.append("    }\n  }\n\n  /// What happened and what to do about it.\n  public var advice: String {\n    switch self {\n")
    for r in items:
        text = r.advice.replace('"', '\\"')
        out.append(f'    case .{camel(r.name)}: "{text}"\n')
    out.append("    }\n  }\n}\n")
    return "".join(out)
