#ifndef CRC32C_H
#define CRC32C_H

// The checksum of stored rows and pages (docs/durability.md D7).

#include <stddef.h>
#include <stdint.h>

// CRC32C (Castagnoli) of these bytes, begun with that of the bytes in front of them or with 0.
uint32_t heddle_crc32c(uint32_t before, const void *bytes, size_t count);

// The same as machines without an instruction for it do it; for tests.
uint32_t heddle_crc32c_by_tables(uint32_t before, const void *bytes, size_t count);

#endif
