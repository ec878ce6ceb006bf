#include "crc32c.h"

#include <string.h>

// Eight bytes a step by eight tables, where the processor has no instruction for it that we use.
static uint32_t tables[8][256];

__attribute__((constructor)) static void make_tables(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    tables[0][byte] = crc;
  }
  for (int table = 1; table < 8; table++) {
    for (int byte = 0; byte < 256; byte++) {
      uint32_t before = tables[table - 1][byte];
      tables[table][byte] = before >> 8 ^ tables[0][before & 255];
    }
  }
}

static uint32_t by_tables(uint32_t crc, const unsigned char *bytes, size_t count) {
  for (; count >= 8; count -= 8, bytes += 8) {
    uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
    crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24];
    crc ^= tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
  }
  for (; count; count--, bytes++) crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255];
  return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const unsigned char *bytes, size_t count) {
  uint64_t wide = crc;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  crc = (uint32_t)wide;
  for (; count; count--, bytes++) crc = _mm_crc32_u8(crc, *bytes);
  return crc;
}
#endif

uint32_t heddle_crc32c(uint32_t before, const void *bytes, size_t count) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(~before, bytes, count);
#endif
  return ~by_tables(~before, bytes, count);
}

uint32_t heddle_crc32c_by_tables(uint32_t before, const void *bytes, size_t count) {
  return ~by_tables(~before, bytes, count);
}
