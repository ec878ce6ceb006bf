// The C that decodes and encodes, with the sanitizers in it: the generated descriptors, the schema table, and protobuf-c
// itself where its source could be had. Reads messages that the pre-scan accepts (messages.py writes them) and does to
// each what Codec.swift does, and what may happen to it there:
//
//   decode     from memory that ends with the last byte
//   encode     into memory that ends with the last byte; decoded and encoded again it is the same
//   budget     each allocation in turn is refused, as the arena does at its budget
//   cut, flip  protobuf-c alone on bytes that the pre-scan would refuse: no part of the promise, but it must not fall
//
// usage: messages CORPUS…

#include "CHeddleProtocol.h"

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ProtobufCMessageDescriptor *const descriptors[] = {
#define DESCRIPTOR(name) &heddle__v1__##name##__descriptor,
#include "descriptors.inc"
};
enum { DESCRIPTORS = sizeof descriptors / sizeof *descriptors };

static struct {
  unsigned long messages, refused, cut, flipped;
  unsigned char seen[DESCRIPTORS];
} counts;

static void stop(const char *what, const char *message) {
  fprintf(stderr, "messages: %s: %s\n", message, what);
  exit(1);
}

// ---- Memory: as long as it is used, and no longer; the n-th allocation may be refused

typedef struct {
  long left;  // allocations until one is refused; below 0: never
  long made, freed;
} memory;

static void *allocate(void *data, size_t size) {
  memory *memory = data;
  if (memory->left == 0) return NULL;
  memory->left--;
  memory->made++;
  return malloc(size);
}

static void release(void *data, void *pointer) {
  memory *memory = data;
  if (pointer) memory->freed++;
  free(pointer);
}

static ProtobufCAllocator allocator(memory *memory) { return (ProtobufCAllocator){allocate, release, memory}; }

static unsigned char *exact(const unsigned char *bytes, size_t length) {
  unsigned char *copy = malloc(length ? length : 1);
  if (!copy) exit(2);
  if (length) memcpy(copy, bytes, length);
  return copy;
}

// ---- What is done to a message

typedef struct {
  const ProtobufCMessageDescriptor *type;
  unsigned char *bytes;
  size_t length;
} message;

static unsigned char *encode(const ProtobufCMessage *decoded, size_t *length) {
  *length = protobuf_c_message_get_packed_size(decoded);
  unsigned char *out = malloc(*length ? *length : 1);
  if (!out) exit(2);
  if (protobuf_c_message_pack(decoded, out) != *length) stop("its size is not its size", decoded->descriptor->name);
  return out;
}

static void round_trip(const message *message) {
  memory memory = {.left = -1};
  ProtobufCAllocator from = allocator(&memory);
  ProtobufCMessage *first = protobuf_c_message_unpack(message->type, &from, message->length, message->bytes);
  if (!first) stop("refused", message->type->name);
  if (!protobuf_c_message_check(first)) stop("decoded to what is no message", message->type->name);
  size_t length = 0, again_length = 0;
  unsigned char *once = encode(first, &length);
  ProtobufCMessage *second = protobuf_c_message_unpack(message->type, &from, length, once);
  if (!second) stop("its own encoding is refused", message->type->name);
  unsigned char *twice = encode(second, &again_length);
  if (length != again_length || memcmp(once, twice, length) != 0) stop("encodes differently", message->type->name);
  protobuf_c_message_free_unpacked(first, &from);
  protobuf_c_message_free_unpacked(second, &from);
  if (memory.made != memory.freed) stop("memory was not given back", message->type->name);
  free(once);
  free(twice);
}

static int decodes(const message *message, const unsigned char *bytes, size_t length, long left) {
  memory memory = {.left = left};
  ProtobufCAllocator from = allocator(&memory);
  ProtobufCMessage *decoded = protobuf_c_message_unpack(message->type, &from, length, bytes);
  if (decoded) {
    size_t packed = 0;
    free(encode(decoded, &packed));
    protobuf_c_message_free_unpacked(decoded, &from);
  }
  return decoded != NULL;
}

static void refuse_each_allocation(const message *message) {
  long left = 0;
  while (!decodes(message, message->bytes, message->length, left)) {
    counts.refused++;
    if (++left > 100000) stop("asks for memory without end", message->type->name);
  }
}

static void damage(const message *message) {
  for (size_t length = 0; length < message->length; length++) {
    unsigned char *part = exact(message->bytes, length);
    decodes(message, part, length, -1);
    free(part);
    counts.cut++;
  }
  for (size_t bit = 0; bit < message->length * 8; bit++) {
    message->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    decodes(message, message->bytes, message->length, -1);
    message->bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    counts.flipped++;
  }
}

// ---- The schema table: what the pre-scan walks by

static void walk_schema(void) {
  for (unsigned index = 0; index < heddle_schema_message_count; index++) {
    const heddle_message *message = heddle_schema_message((uint16_t)index);
    for (unsigned number = 0; number < message->number_count; number++) {
      unsigned place = message->by_number[number];
      if (place == 255) continue;
      if (place >= message->field_count) stop("names a field that is not there", message->name);
      const heddle_field *field = &message->fields[place];
      if (field->number != number) stop("names another field", message->name);
      unsigned targets = field->flags & HEDDLE_ENUM ? heddle_schema_enum_count : heddle_schema_message_count;
      if (field->target >= targets) stop("leads nowhere", field->name);
    }
  }
  for (unsigned index = 0; index < heddle_schema_enum_count; index++) {
    const heddle_enum *list = heddle_schema_enum((uint16_t)index);
    for (unsigned value = 0; value < list->value_count; value++) {
      if (!strlen(list->values[value].name)) stop("has a value without a name", list->name);
    }
  }
  if (!strlen(heddle_schema_hash())) stop("has no hash", "schema");
}

// Each default value that generated code writes over fresh memory.
static void initialize_each(void) {
  for (int index = 0; index < DESCRIPTORS; index++) {
    ProtobufCMessage *made = malloc(descriptors[index]->sizeof_message);
    if (!made) exit(2);
    protobuf_c_message_init(descriptors[index], made);
    if (protobuf_c_message_get_packed_size(made) != 0) stop("is not empty when it is new", descriptors[index]->name);
    free(made);
  }
}

// ---- The corpus: name, NUL, length in four bytes (big-endian), bytes; again and again

static void replay(FILE *corpus) {
  char name[256];
  for (;;) {
    size_t at = 0;
    int byte = 0;
    while ((byte = fgetc(corpus)) > 0 && at < sizeof name - 1) name[at++] = (char)byte;
    if (byte == EOF && at == 0) return;
    name[at] = 0;
    unsigned char prefix[4];
    if (fread(prefix, 1, 4, corpus) != 4) stop("ends in the middle", "corpus");
    message message = {.length = (size_t)prefix[0] << 24 | (size_t)prefix[1] << 16 | (size_t)prefix[2] << 8 | prefix[3]};
    for (int index = 0; index < DESCRIPTORS; index++) {
      if (strcmp(descriptors[index]->name, name) != 0) continue;
      message.type = descriptors[index];
      counts.seen[index] = 1;
    }
    if (!message.type) stop("is no message of the schema", name);
    message.bytes = malloc(message.length ? message.length : 1);
    if (!message.bytes || fread(message.bytes, 1, message.length, corpus) != message.length) stop("is cut", name);
    counts.messages++;
    round_trip(&message);
    refuse_each_allocation(&message);
    if (message.length <= 512) damage(&message);
    free(message.bytes);
  }
}

int main(int count, char **arguments) {
  walk_schema();
  initialize_each();
  for (int index = 1; index < count; index++) {
    FILE *corpus = fopen(arguments[index], "rb");
    if (!corpus) stop("cannot be opened", arguments[index]);
    replay(corpus);
    fclose(corpus);
  }
  for (int index = 0; index < DESCRIPTORS; index++) {
    if (!counts.seen[index]) stop("is in no corpus", descriptors[index]->name);
  }
  printf("messages: types=%d messages=%lu refused-allocations=%lu cut=%lu flipped=%lu\n", DESCRIPTORS, counts.messages,
         counts.refused, counts.cut, counts.flipped);
  return 0;
}
