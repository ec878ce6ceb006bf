// Counts allocations of a process, for `make bench-counts`: loaded in front of it with LD_PRELOAD.
// The counters lie in the file that HEDDLE_BENCH_COUNTERS names (32 bytes: allocations, bytes, frees, moves), mapped
// and shared, so they are read from outside without asking the process. Without that variable nothing is counted.
//
// It also copies the mask that sigsuspend is given: Valgrind 3.19 writes into it, and libdispatch's is constant.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALLOCATIONS, BYTES, FREES, MOVES, COUNTERS };
static uint64_t unused[COUNTERS], *counters = unused;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void count(int what, uint64_t by) { __atomic_fetch_add(&counters[what], by, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("HEDDLE_BENCH_COUNTERS");
    if (!path) return;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *place = mmap(NULL, sizeof unused, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (place != MAP_FAILED) counters = place;
}

void *malloc(size_t size) {
    count(ALLOCATIONS, 1);
    count(BYTES, size);
    return __libc_malloc(size);
}
void *calloc(size_t number, size_t size) {
    count(ALLOCATIONS, 1);
    count(BYTES, number * size);
    return __libc_calloc(number, size);
}
// One that only changes its size is a move; it counts as an allocation too, since it may be one.
void *realloc(void *place, size_t size) {
    count(ALLOCATIONS, 1);
    count(MOVES, 1);
    count(BYTES, size);
    return __libc_realloc(place, size);
}
void *memalign(size_t alignment, size_t size) {
    count(ALLOCATIONS, 1);
    count(BYTES, size);
    return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **place, size_t alignment, size_t size) {
    *place = memalign(alignment, size);
    return *place ? 0 : ENOMEM;
}
void free(void *place) {
    if (place) count(FREES, 1);
    __libc_free(place);
}

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    static int (*next)(const sigset_t *);
    if (!next) next = (int (*)(const sigset_t *))dlsym(RTLD_NEXT, "sigsuspend");
    return next(&copy);
}
