// Made by `make generate` from proto/; edit that instead.
#ifndef HEDDLE_SCHEMA_H
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
