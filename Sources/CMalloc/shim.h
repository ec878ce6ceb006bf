// glibc keeps these out of the headers that Swift sees.
#include <malloc.h>

// Bytes that the program has freed and that the allocator holds. The struct and the function have one name, which Swift
// takes for the struct.
static inline size_t heddle_free_bytes(void) { return mallinfo2().fordblks; }
