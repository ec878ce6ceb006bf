"""The schema as a table in C: what the pre-scan, the JSON transcoder and the log redaction walk along."""

from __future__ import annotations

from schema import F, Schema, snake

NOTE = "// Made by `make generate` from proto/; edit that instead.\n"

# Classes of fields as the pre-scan sees them.
VARINT, FIXED32, FIXED64, TEXT, BYTES, MESSAGE = range(1, 7)


def wire_class(f) -> int:
    if f.type == F.TYPE_MESSAGE:
        return MESSAGE
    if f.type == F.TYPE_STRING:
        return TEXT
    if f.type == F.TYPE_BYTES:
        return BYTES
    if f.type in (F.TYPE_FLOAT, F.TYPE_FIXED32, F.TYPE_SFIXED32):
        return FIXED32
    if f.type in (F.TYPE_DOUBLE, F.TYPE_FIXED64, F.TYPE_SFIXED64):
        return FIXED64
    return VARINT


def c_type(name: str) -> str:
    return f"Heddle__V1__{name}"


def c_lower(name: str) -> str:
    return f"heddle__v1__{snake(name)}"


def umbrella(schema: Schema) -> str:
    out = [NOTE, "#ifndef CHEDDLEPROTOCOL_H\n#define CHEDDLEPROTOCOL_H\n"]
    out.append('#include "heddle_schema.h"\n#include "heddle_comments.h"')
    for file in schema.files:
        if not file.endswith("options.proto"):
            out.append(f'#include "{file.removesuffix(".proto")}.pb-c.h"')
    out.append("\n// Swift does not see the address of a C global through its value, so each descriptor has an accessor.")
    for m in schema.messages.values():
        out.append(
            f"static inline const ProtobufCMessageDescriptor *heddle_descriptor_{snake(m.name)}(void) "
            f"{{ return &{c_lower(m.name)}__descriptor; }}"
        )
    out.append("\n#endif\n")
    return "\n".join(out)


def header() -> str:
    return (
        NOTE
        + """#ifndef HEDDLE_SCHEMA_H
#define HEDDLE_SCHEMA_H

#include <stdint.h>

enum { HEDDLE_VARINT = 1, HEDDLE_FIXED32, HEDDLE_FIXED64, HEDDLE_TEXT, HEDDLE_BYTES, HEDDLE_MESSAGE };
enum { HEDDLE_REPEATED = 1, HEDDLE_PRESENCE = 2, HEDDLE_SENSITIVE = 4, HEDDLE_ID = 8, HEDDLE_SIGNED = 16, HEDDLE_BOOL = 32, HEDDLE_ENUM = 64, HEDDLE_WIDE = 128 };

typedef struct {
  const char *name;
  uint16_t number;
  uint8_t wire_class;
  uint8_t flags;
  uint16_t target; // message or enum, by index
  uint8_t id_kind;
  uint8_t oneof; // 0: none; fields of one oneof share a number, from 1
} heddle_field;

typedef struct {
  const char *name;
  const heddle_field *fields;
  const uint8_t *by_number; // 255: unknown
  uint16_t field_count;
  uint16_t number_count; // length of by_number
} heddle_message;

typedef struct {
  const char *name; // without the prefix of the enum
  int32_t number;
} heddle_enum_value;

typedef struct {
  const char *name;
  const char *prefix;
  const heddle_enum_value *values;
  uint16_t value_count;
} heddle_enum;

const heddle_message *heddle_schema_message(uint16_t index);
const heddle_enum *heddle_schema_enum(uint16_t index);
extern const uint16_t heddle_schema_message_count;
extern const uint16_t heddle_schema_enum_count;
const char *heddle_schema_hash(void);

#endif
"""
    )


def field_flags(f) -> str:
    flags = []
    if f.repeated:
        flags.append("HEDDLE_REPEATED")
    if f.optional or f.oneof or f.type == F.TYPE_MESSAGE:
        flags.append("HEDDLE_PRESENCE")
    if f.sensitive:
        flags.append("HEDDLE_SENSITIVE")
    if f.id_kind:
        flags.append("HEDDLE_ID")
    if f.type in (F.TYPE_INT32, F.TYPE_INT64):
        flags.append("HEDDLE_SIGNED")
    if f.type == F.TYPE_BOOL:
        flags.append("HEDDLE_BOOL")
    if f.type == F.TYPE_ENUM:
        flags.append("HEDDLE_ENUM")
    if f.type in (F.TYPE_INT64, F.TYPE_UINT64):
        flags.append("HEDDLE_WIDE")
    return " | ".join(flags) or "0"


def source(schema: Schema, digest: str) -> str:
    out = [NOTE, '#include "heddle_schema.h"\n']
    for m in schema.messages.values():
        name = snake(m.name)
        if not m.fields:
            continue
        out.append(f"static const heddle_field fields_{name}[] = {{")
        oneofs = {name: i + 1 for i, name in enumerate(m.oneofs)}
        for f in m.fields:
            target = 0
            if f.type == F.TYPE_MESSAGE:
                target = schema.messages[f.type_name].index
            elif f.type == F.TYPE_ENUM:
                target = schema.enums[f.type_name].index
            out.append(
                f'  {{ "{f.name}", {f.number}, {wire_class(f)}, {field_flags(f)}, {target}, {f.id_kind}, '
                f"{oneofs.get(f.oneof, 0)} }},"
            )
        out.append("};")
        top = max(f.number for f in m.fields)
        lookup = ["255"] * (top + 1)
        for i, f in enumerate(m.fields):
            lookup[f.number] = str(i)
        out.append(f"static const uint8_t numbers_{name}[] = {{ {', '.join(lookup)} }};\n")
    out.append("static const heddle_message messages[] = {")
    for m in schema.messages.values():
        name = snake(m.name)
        if m.fields:
            top = max(f.number for f in m.fields) + 1
            out.append(f'  {{ "{m.name}", fields_{name}, numbers_{name}, {len(m.fields)}, {top} }},')
        else:
            out.append(f'  {{ "{m.name}", 0, 0, 0, 0 }},')
    out.append("};\n")
    for e in schema.enums.values():
        out.append(f"static const heddle_enum_value values_{snake(e.name)}[] = {{")
        for value, number, _ in e.values:
            out.append(f'  {{ "{value.removeprefix(e.prefix)}", {number} }},')
        out.append("};")
    out.append("\nstatic const heddle_enum enums[] = {")
    for e in schema.enums.values():
        out.append(f'  {{ "{e.name}", "{e.prefix}", values_{snake(e.name)}, {len(e.values)} }},')
    out.append("};\n")
    out.append(f"const uint16_t heddle_schema_message_count = {len(schema.messages)};")
    out.append(f"const uint16_t heddle_schema_enum_count = {len(schema.enums)};")
    out.append("const heddle_message *heddle_schema_message(uint16_t index) { return &messages[index]; }")
    out.append("const heddle_enum *heddle_schema_enum(uint16_t index) { return &enums[index]; }")
    out.append(f'const char *heddle_schema_hash(void) {{ return "{digest}"; }}')
    return "\n".join(out) + "\n"
