"""Swift from the schema: plain values without an import, and the glue between them and the C structs of protoc-c."""

from __future__ import annotations

from schema import F, ID_TYPES, Field, Message, Schema, snake
from table import c_type

NOTE = "// Made by `make generate` from proto/; edit that instead.\n// swift-format-ignore-file\n\n"
KEYWORDS = {"internal", "default", "case", "import", "operator", "set", "where", "in", "is", "self", "public", "repeat"}

# Messages of many texts that pass from hand to hand within one request: a reference to what does not change, instead of
# a copy of every text in them at each step.
SHARED = {"Settings", "SettingsChange", "TurnContext"}

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
            out.append(value_struct(schema, m))
    return "".join(out)


# What a case of an enum may take and still stand in it, in bytes.
SMALL = 40


def is_large(schema: Schema, message: str) -> bool:
    return size(schema, message) > SMALL


def size(schema: Schema, message: str) -> int:
    """About how many bytes the value of a message takes."""
    if message in SHARED:
        return 8
    total, oneofs = 0, {}
    for f in schema.messages[message].fields:
        bytes_ = field_size(schema, f)
        if f.oneof:
            oneofs[f.oneof] = max(oneofs.get(f.oneof, 0), bytes_ + 1)
        else:
            total += bytes_
    return total + sum(oneofs.values())


def field_size(schema: Schema, f: Field) -> int:
    if f.repeated:
        return 8
    if f.type == F.TYPE_MESSAGE:
        return size(schema, f.type_name)
    if f.type == F.TYPE_STRING or f.id_kind:
        return 16
    return 8


def value_struct(schema: Schema, m: Message) -> str:
    name = type_name(m.name)
    out = [comment(m.comment) + f"public struct {name}: Equatable, Sendable {{\n"]
    for oneof, text in m.oneofs.items():
        # Messages of many kinds are passed from hand to hand: boxes make that one reference instead of a copy of the
        # largest kind with all the texts in it. Small kinds need none.
        kinds = [f for f in m.fields if f.oneof == oneof and f.type == F.TYPE_MESSAGE]
        out.append(comment(text, "  ") + f"  public enum {oneof_type(oneof)}: Equatable, Sendable {{\n")
        for f in m.fields:
            if f.oneof == oneof:
                boxed = "indirect " if f in kinds and len(kinds) > 3 and is_large(schema, f.type_name) else ""
                out.append(comment(f.comment, "    ") + f"    {boxed}case {quoted(camel(f.name))}({base_type(f)})\n")
        out.append("\n    /// The member's field number.\n    public var number: UInt8 {\n      switch self {\n")
        for f in m.fields:
            if f.oneof == oneof:
                out.append(f"      case .{camel(f.name)}: {f.number}\n")
        out.append("      }\n    }\n  }\n\n")
    props = list(properties(m))
    out.append(shared_body(props) if m.name in SHARED else plain_body(props))
    out.append("}\n\n")
    return "".join(out)


def stored(props, indent: str) -> str:
    return "".join(
        comment(text, indent) + f"{indent}public var {quoted(prop)}: {kind} = {value}\n" for prop, kind, value, text in props)


def arguments(props) -> str:
    return ", ".join(f"{p}: {k} = {v}" for p, k, v, _ in props)


def plain_body(props) -> str:
    if not props:
        return "  public init() {}\n"
    out = [stored(props, "  "), f"\n  public init() {{}}\n\n  public init({arguments(props)}) {{\n"]
    out += [f"    self.{p} = {quoted(p)}\n" for p, _, _, _ in props]
    return "".join(out) + "  }\n"


def shared_body(props) -> str:
    """The fields behind one reference. Nobody changes what is behind it: a change makes another."""
    out = ["  /// What the message holds. To change several fields, change a copy of this and make a message of it.\n"]
    out.append(f"  public struct Fields: Equatable, Sendable {{\n{stored(props, '    ')}\n    public init() {{}}\n  }}\n\n")
    out.append(
        "  @usableFromInline\n  final class Box: Sendable {\n    @usableFromInline let fields: Fields\n"
        "    @inlinable init(_ fields: consuming Fields) { self.fields = fields }\n  }\n\n"
        "  @usableFromInline var box: Box\n  private static let none = Box(Fields())\n\n"
        "  @inlinable public var fields: Fields {\n    get { box.fields }\n    set { box = Box(newValue) }\n  }\n\n"
        "  public init() { box = Self.none }\n\n  @inlinable public init(fields: consuming Fields) { box = Box(fields) }\n\n")
    out.append(f"  public init({arguments(props)}) {{\n    var fields = Fields()\n")
    out += [f"    fields.{p} = {quoted(p)}\n" for p, _, _, _ in props]
    out.append("    box = Box(fields)\n  }\n\n")
    out.append("  public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.fields == b.box.fields }\n")
    for p, kind, _, text in props:
        out.append("\n" + comment(text, "  ") + f"  @inlinable public var {quoted(p)}: {kind} {{\n")
        out.append(f"    get {{ box.fields.{p} }}\n    set {{ fields.{p} = newValue }}\n  }}\n")
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
    shared = m.name in SHARED
    start = "var fields = Fields()" if shared else "self.init()"
    to = "fields." if shared else ""
    out.append(f"\n  public init(c: UnsafePointer<{c_type(m.name)}>) throws(DecodeError) {{\n    {start}\n")
    for f in m.fields:
        if not f.oneof:
            out.append(read_field(f, to))
    for oneof in m.oneofs:
        out.append(read_oneof(m, oneof))
    if shared:
        out.append("    self.init(fields: fields)\n")
    out.append("  }\n")
    out.append("\n  public func write(_ out: inout BackwardWriter) {\n")
    for group in reversed(groups(m)):
        out.append(write_oneof(group) if group[0].oneof else write_field(group[0]))
    out.append("  }\n}\n\n")
    return "".join(out)


def groups(m: Message) -> list[list[Field]]:
    """The fields by number; neighbours of one oneof together, since at most one of them is there."""
    out: list[list[Field]] = []
    for f in sorted(m.fields, key=lambda f: f.number):
        if f.oneof and out and out[-1][0].oneof == f.oneof:
            out[-1].append(f)
        else:
            out.append([f])
    return out


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


def read_field(f: Field, to: str) -> str:
    swift, c = to + camel(f.name), f.name
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
    # An empty text says no more than an absent one, and is not there any more when it is packed again.
    filled = f", {p}.len > 0" if f.required and f.type == F.TYPE_STRING else ""
    text = f"    if c.pointee.has_{c} != 0{filled} {{ {swift} = {read_one(f, p)} }}"
    if f.required:
        text += f' else {{ try missing("{f.name}") }}'
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


WRITERS = {
    F.TYPE_BOOL: "bool",
    F.TYPE_UINT32: "unsigned",
    F.TYPE_UINT64: "unsigned",
    F.TYPE_INT32: "signed",
    F.TYPE_INT64: "signed",
    F.TYPE_FLOAT: "float",
    F.TYPE_STRING: "text",
    F.TYPE_MESSAGE: "message",
    F.TYPE_ENUM: "signed",
}
WIRE_TYPES = {F.TYPE_FLOAT: 5, F.TYPE_STRING: 2, F.TYPE_BYTES: 2, F.TYPE_MESSAGE: 2}


def tag(f: Field) -> int:
    return f.number << 3 | WIRE_TYPES.get(f.type, 0)


def write_one(f: Field, value: str) -> str:
    """A statement that writes one value with its tag."""
    writer = ("id" if f.id_kind else "bytes") if f.type == F.TYPE_BYTES else WRITERS[f.type]
    return f"out.{writer}({value}{'.rawValue' if f.type == F.TYPE_ENUM else ''}, {tag(f)})"


def write_field(f: Field) -> str:
    swift = camel(f.name)
    if f.repeated:
        if f.type in WIRE_TYPES:
            return f"    for v in {swift}.reversed() {{ {write_one(f, 'v')} }}\n"
        # Numbers stand packed, behind one tag.
        value = "v.rawValue" if f.type == F.TYPE_ENUM else "v"
        return f"    out.packed({swift}, {f.number << 3 | 2}) {{ out, v in out.{WRITERS[f.type]}({value}) }}\n"
    if f.optional or f.type == F.TYPE_MESSAGE:
        return f"    if let v = {swift} {{ {write_one(f, 'v')} }}\n"
    if f.type == F.TYPE_BOOL:
        test = swift
    elif f.type == F.TYPE_STRING:
        test = f"!{swift}.isEmpty"
    elif f.type == F.TYPE_BYTES:
        test = f"{swift} != {ID_TYPES[f.id_kind]}()" if f.id_kind else f"!{swift}.isEmpty"
    elif f.type == F.TYPE_ENUM:
        test = f"{swift} != .unspecified"
    else:
        test = f"{swift} != 0"
    return f"    if {test} {{ {write_one(f, swift)} }}\n"


def write_oneof(group: list[Field]) -> str:
    prop = camel(group[0].oneof)
    if len(group) == 1:
        return f"    if case .{camel(group[0].name)}(let v)? = {prop} {{ {write_one(group[0], 'v')} }}\n"
    out = [f"    switch {prop} {{\n"]
    out += [f"    case .{camel(f.name)}(let v)?: {write_one(f, 'v')}\n" for f in group]
    return "".join(out) + "    default: break\n    }\n"


def boxed(schema: Schema, message: str) -> str:
    return "indirect " if is_large(schema, message) else ""


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
    out.append("}\n\n/// What a client asks: one case a method.\npublic enum Request: Equatable, Sendable {\n")
    for m in served:
        out.append(comment(m.comment, "  ") + f"  {boxed(schema, m.request)}case {m.case}({m.request})\n")
    out.append("\n  /// The method that the request belongs to.\n  public var method: Method {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}: .{m.case}\n")
    out.append("    }\n  }\n}\n\n")
    out.append("/// What a method answers: one case a method.\npublic enum Response: Equatable, Sendable {\n")
    for m in served:
        out.append(f"  {boxed(schema, m.response)}case {m.case}({m.response})\n")
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
    out.append("}\n\nextension Request: WireWritable {\n")
    out.append("  /// The request's canonical bytes: what an idempotency key is bound to (durability.md, exactly once).\n")
    out.append("  public func write(_ out: inout BackwardWriter) {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}(let v): v.write(&out)\n")
    out.append("    }\n  }\n}\n\nextension Response: WireWritable {\n")
    out.append("  public func write(_ out: inout BackwardWriter) {\n    switch self {\n")
    for m in served:
        out.append(f"    case .{m.case}(let v): v.write(&out)\n")
    out.append("    }\n  }\n}\n\nextension Response {\n")
    out.append("  /// Decodes the answer of a method; nil for a method that only the server calls.\n")
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


def message_types(schema: Schema) -> str:
    out = [NOTE + "import HeddleCore\n\n/// Every message of the schema as a type.\npublic enum MessageTypes {\n"]
    out.append("  /// In the order of the schema table: a message stands at its `schemaIndex`.\n")
    out.append("  public static let all: [any WireMessage.Type] = [\n")
    for m in sorted(schema.messages.values(), key=lambda m: m.index):
        out.append(f"    {type_name(m.name)}.self,\n")
    out.append("  ]\n}\n")
    return "".join(out)


def reasons(items) -> str:
    out = [NOTE + "/// Why a request was not served: stable names that clients may switch on.\n"]
    out.append("public enum Reason: String, Sendable, CaseIterable, Hashable {\n")
    for r in items:
        out.append(f"  /// {r.advice}\n  case {quoted(camel(r.name))} = \"{r.name}\"\n")
    out.append("\n  /// The canonical code that goes with it.\n  public var code: Code {\n    switch self {\n")
    for r in items:
        out.append(f"    case .{camel(r.name)}: .{camel(r.code)}\n")
    out.append("    }\n  }\n\n  /// The next step of a client whose call is refused for this reason.\n  public var retry: Retry {\n    switch self {\n")
    for kind in ("wait", "reconnect", "token"):
        names = ", ".join(f".{camel(r.name)}" for r in items if r.retry == kind)
        out.append(f"    case {names}: .{kind}\n")
    out.append("    default: .never\n")
    out.append("    }\n  }\n\n  /// What happened and what to do about it.\n  public var advice: String {\n    switch self {\n")
    for r in items:
        text = r.advice.replace('"', '\\"')
        out.append(f'    case .{camel(r.name)}: "{text}"\n')
    out.append("    }\n  }\n}\n")
    return "".join(out)
