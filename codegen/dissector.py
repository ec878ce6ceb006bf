"""The dissector for Wireshark: the tables of the schema in Lua, in front of the code that walks along them."""

from __future__ import annotations

from pathlib import Path

from schema import F, Schema, reachable

CODE = Path(__file__).resolve().parent / "dissector.lua"


def kind(schema: Schema, f) -> str:
    """The display of a field: the name of a ProtoField, or `message`."""
    if f.type == F.TYPE_MESSAGE:
        return "message"
    if f.id_kind:
        return "guid"
    return {
        F.TYPE_STRING: "string", F.TYPE_BYTES: "bytes", F.TYPE_BOOL: "bool", F.TYPE_ENUM: "enum", F.TYPE_FLOAT: "float",
        F.TYPE_DOUBLE: "double", F.TYPE_INT32: "int64", F.TYPE_INT64: "int64", F.TYPE_UINT32: "uint64",
        F.TYPE_UINT64: "uint64",
    }[f.type]


def target(schema: Schema, f) -> str:
    if f.type == F.TYPE_MESSAGE:
        return f', "{schema.messages[f.type_name].name}"'
    if f.type == F.TYPE_ENUM:
        return f', "{schema.enums[f.type_name].name}"'
    return ""


# Messages in frames beside requests and answers; messages of the disk would only be noise.
ROOTS = ["Metadata", "ClientHello", "ServerHello", "Error", "Credit", "Ping", "Pong", "GoAway", "SubscriptionEvent"]


def lua(schema: Schema) -> str:
    names = {m.name: m for m in schema.messages.values()}
    out = ["-- Made by `make generate` from proto/; edit codegen/dissector.lua or the schema instead.", ""]
    out.append("local methods = {")
    for m in sorted(schema.methods, key=lambda m: m.number):
        request, response = m.request.split(".")[-1], m.response.split(".")[-1]
        out.append(f'  [{m.number}] = {{ "{m.service}/{m.name}", "{request}", "{response}" }},')
    out += ["}", "", "local enums = {"]
    for e in schema.enums.values():
        values = ", ".join(f'[{number}] = "{value.removeprefix(e.prefix)}"' for value, number, _ in e.values)
        out.append(f"  {e.name} = {{ {values} }},")
    out += ["}", "", "local messages = {"]
    roots = ROOTS + [name.split(".")[-1] for m in schema.methods for name in (m.request, m.response)]
    for name in sorted(reachable(schema, roots)):
        fields = ", ".join(
            f'[{f.number}] = {{ "{f.name}", "{kind(schema, f)}"{target(schema, f)} }}' for f in names[name].fields)
        out.append(f"  {name} = {{ {fields} }},")
    out += ["}", ""]
    return "\n".join(out) + CODE.read_text()
