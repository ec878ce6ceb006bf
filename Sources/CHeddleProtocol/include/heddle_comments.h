// Made by `make generate` from proto/; edit that instead.
#ifndef HEDDLE_COMMENTS_H
#define HEDDLE_COMMENTS_H

#include <stdint.h>

// Each takes indices of the schema table, on trust, or the number of a method; lines are separated by a newline.
const char *heddle_message_comment(uint16_t message);
const char *heddle_field_comment(uint16_t message, uint16_t field);
const char *heddle_enum_value_comment(uint16_t enumeration, uint16_t value);
const char *heddle_method_comment(int32_t number);

#endif
