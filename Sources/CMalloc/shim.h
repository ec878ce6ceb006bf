// glibc keeps these out of the headers that Swift sees.
#include <malloc.h>

// Bytes that the program has in use. The struct and the function have one name, which Swift takes for the struct.
static inline size_t heddle_used_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
