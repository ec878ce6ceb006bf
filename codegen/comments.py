"""The schema's comments on its fields, as texts in C: `heddle call METHOD --help` prints them.

They stand beside the schema table and not in it: the table is walked along for every message, its texts by people only.
"""

from __future__ import annotations

import json

from schema import Field, Schema, snake
from table import NOTE


def header() -> str:
    return (
        NOTE
        + """#ifndef HEDDLE_COMMENTS_H
#define HEDDLE_COMMENTS_H

#include <stdint.h>

// Each takes indices of the schema table, on trust, or the number of a method; lines are separated by a newline.
const char *heddle_message_comment(uint16_t message);
const char *heddle_field_comment(uint16_t message, uint16_t field);
const char *heddle_enum_value_comment(uint16_t enumeration, uint16_t value);
const char *heddle_method_comment(int32_t number);

#endif
"""
    )


def text(comment: str) -> str:
    # JSON escapes what C does; other letters stay as they are.
    return json.dumps(comment, ensure_ascii=False)


def field_text(f: Field) -> str:
    """The comment, and what the options say that the comment does not."""
    parts = [f.comment]
    if f.required:
        parts.append("Required.")
    if f.zero_means:
        parts.append(f"Unspecified: {f.zero_means}.")
    return "\n".join(parts)


def lists(kind: str, groups: list[tuple[str, list[str]]]) -> list[str]:
    """An array of texts for each group, and one that finds it by the group's index."""
    out = []
    for name, texts in groups:
        if texts:
            out.append(f"static const char *const {kind}_{name}[] = {{")
            out += [f"  {text(one)}," for one in texts]
            out.append("};")
    out.append(f"static const char *const *const {kind}[] = {{")
    out += [f"  {f'{kind}_{name}' if texts else '0'}," for name, texts in groups]
    return [*out, "};\n"]


def source(schema: Schema) -> str:
    messages, enums = schema.messages.values(), schema.enums.values()
    out = [NOTE, '#include "heddle_comments.h"\n']
    out.append("static const char *const messages[] = {")
    out += [f"  {text(m.comment)}," for m in messages]
    out.append("};\n")
    out += lists("fields", [(snake(m.name), [field_text(f) for f in m.fields]) for m in messages])
    out += lists("values", [(snake(e.name), [comment for _, _, comment in e.values]) for e in enums])
    out.append("const char *heddle_message_comment(uint16_t message) { return messages[message]; }")
    out.append("const char *heddle_field_comment(uint16_t message, uint16_t field) { return fields[message][field]; }")
    out.append("const char *heddle_enum_value_comment(uint16_t enumeration, uint16_t value) {")
    out.append("  return values[enumeration][value];\n}")
    out.append("const char *heddle_method_comment(int32_t number) {\n  switch (number) {")
    out += [f"  case {m.number}: return {text(m.comment)};" for m in schema.methods]
    out.append('  default: return "";\n  }\n}')
    return "\n".join(out) + "\n"
