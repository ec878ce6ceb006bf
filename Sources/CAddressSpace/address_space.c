// With too little address space (RLIMIT_AS, `ulimit -v`) libdispatch waits for memory for ever, before the program's first
// line runs. So the limit is looked at when the program is loaded. AddressSpace.swift has what a server needs beyond that.
#include "address_space.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

__attribute__((constructor)) static void heddle_check_address_space(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= HEDDLE_LEAST_ADDRESS_SPACE) return;
    char line[160];
    int length = snprintf(line, sizeof line,
                          "the process may have %lu KiB of address space, which is too little to start; run: ulimit -v "
                          "unlimited\n",
                          (unsigned long)limit.rlim_cur / 1024);
    ssize_t ignored = length > 0 ? write(STDERR_FILENO, line, (size_t)length) : 0;
    (void)ignored;
    // EX_CONFIG of sysexits.h.
    _exit(78);
}
