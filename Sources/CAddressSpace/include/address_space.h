// The least address space with which a Swift program comes as far as its first line.
#define HEDDLE_LEAST_ADDRESS_SPACE (128UL << 20)
