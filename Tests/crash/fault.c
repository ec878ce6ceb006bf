// Loaded in front of libc (LD_PRELOAD): sees every call by which the server changes its data folder, fails or kills at
// the requested one, and logs writes, syncs and sends, in order.
//
// | variable            | what it does                                                                       |
// |---------------------|------------------------------------------------------------------------------------|
// | HEDDLE_FAULT_FOLDER | the data folder, absolute; only files in it are looked at                          |
// | HEDDLE_FAULT        | CLASS:N:ACTION, the fault at the N-th call of the class; CLASS:N+:ACTION from it on |
// | HEDDLE_FAULT_WHILE  | a file: faults happen only while it is there                                        |
// | HEDDLE_FAULT_COUNTS | a file of one 64-bit counter for each class; it outlives a kill                     |
// | HEDDLE_FAULT_FIRED  | a file that gets a line for each fault that happened                               |
// | HEDDLE_FAULT_LOG    | a file that gets a record for each call, with its bytes (disk.py reads it)          |
//
// Classes: write, sync, open, rename, truncate, allocate, unlink, read.
// Actions: kill (before the call), after (kill behind it), tear (half of the write, then kill), short (half of the
// write is done and said), eio, enospc, emfile (the call fails and does nothing), nosync (the sync says 0 and does nothing),
// slow (the call takes 50 ms longer, so that code that does not wait for it shows).
//
// Order in the log: a write is noted under the log's lock; a sync is noted when it begins and when it has returned, so a
// send in between stands in between; a send is noted with the bytes that left.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, OPEN, RENAME, TRUNCATE, ALLOCATE, UNLINK, READ, CLASSES };
enum { NONE, KILL, AFTER, TEAR, SHORT, FAIL, NOSYNC, SLOW };

#define DESCRIPTORS 4096
#define NAME_BYTES 64

static const char *const class_names[CLASSES] = {"write", "sync", "open", "rename", "truncate", "allocate", "unlink",
                                                 "read"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
// Names below the folder; the folder itself is "/". An empty name: not ours.
static char names[DESCRIPTORS][NAME_BYTES];
static int log_descriptor = -1, fired_descriptor = -1;
static uint64_t own_counts[CLASSES];
static uint64_t *counts = own_counts;
static int plan_class = -1, plan_action = NONE, plan_errno, plan_goes_on;
static uint64_t plan_when;
static const char *plan_while;

#define REAL(result, name, ...)                                       \
  static result (*real_##name)(__VA_ARGS__);                          \
  static inline void find_##name(void) {                              \
    if (!real_##name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name); \
  }
REAL(int, open, const char *, int, ...)
REAL(int, openat, int, const char *, int, ...)
REAL(int, close, int)
REAL(ssize_t, write, int, const void *, size_t)
REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)
REAL(ssize_t, read, int, void *, size_t)
REAL(ssize_t, pread64, int, void *, size_t, off64_t)
REAL(ssize_t, writev, int, const struct iovec *, int)
REAL(ssize_t, send, int, const void *, size_t, int)
REAL(ssize_t, sendmsg, int, const struct msghdr *, int)
REAL(int, ftruncate64, int, off64_t)
REAL(int, truncate64, const char *, off64_t)
REAL(int, fsync, int)
REAL(int, fdatasync, int)
REAL(int, rename, const char *, const char *)
REAL(int, unlink, const char *)
REAL(int, posix_fallocate64, int, off64_t, off64_t)

static void die_of(const char *what) {
  dprintf(2, "fault.c: %s: %s\n", what, strerror(errno));
  _exit(70);
}

static void read_plan(const char *text) {
  char class[16], when[24], action[16];
  if (sscanf(text, "%15[^:]:%23[^:]:%15s", class, when, action) != 3) die_of("HEDDLE_FAULT is not CLASS:N:ACTION");
  for (int i = 0; i < CLASSES; i++)
    if (!strcmp(class, class_names[i])) plan_class = i;
  plan_goes_on = strchr(when, '+') != NULL;
  plan_when = strtoull(when, NULL, 10);
  static const struct { const char *name; int action, error; } actions[] = {
      {"kill", KILL, 0},      {"after", AFTER, 0},        {"tear", TEAR, 0},          {"short", SHORT, 0},
      {"eio", FAIL, EIO},     {"enospc", FAIL, ENOSPC},   {"emfile", FAIL, EMFILE},   {"nosync", NOSYNC, 0},
      {"slow", SLOW, 0}};
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (!strcmp(action, actions[i].name)) plan_action = actions[i].action, plan_errno = actions[i].error;
  if (plan_class < 0 || plan_action == NONE || !plan_when) die_of("HEDDLE_FAULT names no class, action or number");
}

static int own_file(const char *variable, int flags) {
  const char *path = getenv(variable);
  if (!path) return -1;
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) die_of(path);
  // A high number: out of the way of code that counts descriptors or closes all of them.
  int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 100);
  if (high < 0) return descriptor;
  syscall(SYS_close, descriptor);
  return high;
}

__attribute__((constructor)) static void begin(void) {
  find_open(), find_openat(), find_close(), find_write(), find_pwrite64(), find_writev(), find_send(), find_sendmsg();
  find_ftruncate64(), find_truncate64(), find_fsync(), find_fdatasync(), find_rename(), find_unlink();
  find_posix_fallocate64(), find_read(), find_pread64();
  const char *path = getenv("HEDDLE_FAULT_FOLDER");
  if (!path) return;
  snprintf(folder, sizeof folder, "%s", path);
  folder_length = strlen(folder);
  plan_while = getenv("HEDDLE_FAULT_WHILE");
  const char *plan = getenv("HEDDLE_FAULT");
  if (plan && *plan) read_plan(plan);
  log_descriptor = own_file("HEDDLE_FAULT_LOG", O_WRONLY | O_APPEND);
  fired_descriptor = own_file("HEDDLE_FAULT_FIRED", O_WRONLY | O_APPEND);
  int counting = own_file("HEDDLE_FAULT_COUNTS", O_RDWR);
  if (counting >= 0) {
    if (syscall(SYS_ftruncate, counting, (long)sizeof own_counts)) die_of("HEDDLE_FAULT_COUNTS");
    void *place = mmap(NULL, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, counting, 0);
    if (place == MAP_FAILED) die_of("HEDDLE_FAULT_COUNTS");
    counts = place;
  }
}

// ---- Whose file it is

static int name_of_path(const char *path, char *out) {
  out[0] = 0;
  if (!folder_length || strncmp(path, folder, folder_length)) return 0;
  const char *rest = path + folder_length;
  if (*rest == 0 || !strcmp(rest, "/")) {
    strcpy(out, "/");
    return 1;
  }
  if (*rest != '/' || !strncmp(rest, "/..", 3) || strlen(rest + 1) >= NAME_BYTES) return 0;
  while (*rest == '/') rest++;
  strcpy(out, rest);
  return 1;
}

static const char *name_of(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && names[descriptor][0] ? names[descriptor] : NULL;
}

// ---- The log

struct record {
  uint8_t kind, name_length;
  uint16_t port;
  int32_t thread;
  int64_t result;
  uint64_t offset, length;
};

// With the lock held, except for a constructor's.
static void note(char kind, const char *name, int64_t result, uint64_t offset, const struct iovec *data, int pieces,
                 uint64_t length, uint16_t port) {
  if (log_descriptor < 0) return;
  int32_t thread = (int32_t)syscall(SYS_gettid);
  struct record record = {(uint8_t)kind, (uint8_t)strlen(name), port, thread, result, offset, length};
  struct iovec parts[66] = {{&record, sizeof record}, {(void *)name, strlen(name)}};
  int count = 2;
  uint64_t left = data ? length : 0;
  for (int i = 0; i < pieces && i < 64 && left; i++) {
    uint64_t some = data[i].iov_len < left ? data[i].iov_len : left;
    parts[count++] = (struct iovec){data[i].iov_base, some};
    left -= some;
  }
  int saved = errno;
  size_t total = 0;
  for (int i = 0; i < count; i++) total += parts[i].iov_len;
  // A regular file takes all or fails; half a record would make the rest unreadable.
  if (left || (size_t)syscall(SYS_writev, log_descriptor, parts, count) != total) die_of("the log of calls");
  errno = saved;
}

static void note_bytes(char kind, const char *name, int64_t result, uint64_t offset, const void *bytes,
                       uint64_t length) {
  struct iovec data = {(void *)bytes, length};
  note(kind, name, result, offset, bytes ? &data : NULL, bytes ? 1 : 0, length, 0);
}

// ---- The fault

static _Noreturn void end_process(void) {
  for (;;) syscall(SYS_kill, getpid(), SIGKILL);
}

// Counts a call; says what is to happen at it. The fault is on record before it happens.
static int meet(int class, const char *name) {
  uint64_t now = __atomic_add_fetch(&counts[class], 1, __ATOMIC_SEQ_CST);
  if (class != plan_class || (plan_goes_on ? now < plan_when : now != plan_when)) return NONE;
  if (plan_while && syscall(SYS_faccessat, AT_FDCWD, plan_while, F_OK)) return NONE;
  if (fired_descriptor >= 0) {
    char line[160];
    int length = snprintf(line, sizeof line, "%s %llu %s\n", class_names[class], (unsigned long long)now, name);
    int saved = errno;
    if (syscall(SYS_write, fired_descriptor, line, length) != length) die_of("HEDDLE_FAULT_FIRED");
    errno = saved;
  }
  // The fault itself: a disk that takes its time.
  if (plan_action == SLOW) usleep(50000);
  if (plan_action == KILL || (plan_action == TEAR && class != WRITE)) end_process();
  return plan_action;
}

static int64_t finish(int action, int64_t result) {
  if (action == AFTER || action == TEAR) end_process();
  return result;
}

// ---- Opening and closing

static int opened(int descriptor, const char *name, int existed) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) strcpy(names[descriptor], name);
  if (descriptor >= 0 && !existed) note_bytes('O', name, descriptor, 0, NULL, 0);
  return descriptor;
}

static int open_named(int at, const char *path, int flags, mode_t mode) {
  char name[NAME_BYTES];
  if ((at != AT_FDCWD && path[0] != '/') || !name_of_path(path, name)) {
    int descriptor = real_openat(at, path, flags, mode);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) names[descriptor][0] = 0;
    return descriptor;
  }
  int action = meet(OPEN, name);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  int existed = !(flags & O_CREAT) || syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
  int descriptor = real_openat(at, path, flags, mode);
  opened(descriptor, name, existed);
  if (descriptor >= 0 && (flags & O_TRUNC)) note_bytes('T', name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, descriptor);
}

#define MODE_OF(flags, last)                            \
  mode_t mode = 0;                                      \
  if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
    va_list list;                                       \
    va_start(list, last);                               \
    mode = va_arg(list, mode_t);                        \
    va_end(list);                                       \
  }

int open(const char *path, int flags, ...) {
  find_openat();
  MODE_OF(flags, flags)
  return open_named(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  find_openat();
  MODE_OF(flags, flags)
  return open_named(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int openat(int at, const char *path, int flags, ...) {
  find_openat();
  MODE_OF(flags, flags)
  return open_named(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  find_openat();
  MODE_OF(flags, flags)
  return open_named(at, path, flags | O_LARGEFILE, mode);
}
int creat(const char *path, mode_t mode) {
  find_openat();
  return open_named(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int descriptor) {
  find_close();
  if (descriptor >= 0 && (descriptor == log_descriptor || descriptor == fired_descriptor)) return 0;
  if (name_of(descriptor)) names[descriptor][0] = 0;
  return real_close(descriptor);
}

// ---- Writing

static ssize_t put(int descriptor, const char *name, const void *bytes, size_t length, off64_t offset, int at_place) {
  int action = meet(WRITE, name);
  if (action == FAIL) return errno = plan_errno, -1;
  if ((action == SHORT || action == TEAR) && length > 1) length /= 2;
  pthread_mutex_lock(&lock);
  if (!at_place) offset = lseek64(descriptor, 0, fcntl(descriptor, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
  ssize_t done = at_place ? real_pwrite64(descriptor, bytes, length, offset) : real_write(descriptor, bytes, length);
  if (done > 0) note_bytes('W', name, done, (uint64_t)offset, bytes, (uint64_t)done);
  pthread_mutex_unlock(&lock);
  return finish(action, done);
}

// ---- Reading

static ssize_t fails_to_read(const char *name) {
  if (!name || meet(READ, name) != FAIL) return 0;
  errno = plan_errno;
  return -1;
}

ssize_t read(int descriptor, void *bytes, size_t length) {
  find_read();
  return fails_to_read(name_of(descriptor)) ? -1 : real_read(descriptor, bytes, length);
}
ssize_t pread64(int descriptor, void *bytes, size_t length, off64_t offset) {
  find_pread64();
  return fails_to_read(name_of(descriptor)) ? -1 : real_pread64(descriptor, bytes, length, offset);
}
ssize_t pread(int descriptor, void *bytes, size_t length, off_t offset) {
  return pread64(descriptor, bytes, length, offset);
}

static uint16_t port_of_peer(int descriptor) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getpeername(descriptor, (struct sockaddr *)&address, &length)) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

// A send is done and noted under one lock: no sync or write can come in between and be noted on the wrong side.
#define SENT(descriptor, pieces, count, call)                                   \
  do {                                                                          \
    uint16_t port = log_descriptor < 0 ? 0 : port_of_peer(descriptor);          \
    if (!port) return call;                                                     \
    pthread_mutex_lock(&lock);                                                  \
    ssize_t sent = call;                                                        \
    if (sent > 0) note('X', "", sent, 0, pieces, (int)(count), (uint64_t)sent, port); \
    pthread_mutex_unlock(&lock);                                                \
    return sent;                                                                \
  } while (0)

ssize_t write(int descriptor, const void *bytes, size_t length) {
  find_write();
  const char *name = name_of(descriptor);
  if (name) return put(descriptor, name, bytes, length, 0, 0);
  struct iovec piece = {(void *)bytes, length};
  SENT(descriptor, &piece, 1, real_write(descriptor, bytes, length));
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  find_pwrite64();
  const char *name = name_of(descriptor);
  return name ? put(descriptor, name, bytes, length, offset, 1) : real_pwrite64(descriptor, bytes, length, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite64(descriptor, bytes, length, offset);
}
ssize_t writev(int descriptor, const struct iovec *pieces, int count) {
  find_writev();
  if (name_of(descriptor)) die_of("writev to a stored file is not understood");
  SENT(descriptor, pieces, count, real_writev(descriptor, pieces, count));
}
ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
  find_send();
  struct iovec piece = {(void *)bytes, length};
  SENT(descriptor, &piece, 1, real_send(descriptor, bytes, length, flags));
}
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  find_sendmsg();
  SENT(descriptor, message->msg_iov, message->msg_iovlen, real_sendmsg(descriptor, message, flags));
}
ssize_t pwritev(int descriptor, const struct iovec *pieces, int count, off_t offset) {
  if (name_of(descriptor)) die_of("pwritev to a stored file is not understood");
  return syscall(SYS_pwritev, descriptor, pieces, count, offset, 0);
}

// ---- Lengths

int ftruncate64(int descriptor, off64_t length) {
  find_ftruncate64();
  const char *name = name_of(descriptor);
  if (!name) return real_ftruncate64(descriptor, length);
  int action = meet(TRUNCATE, name);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  int result = real_ftruncate64(descriptor, length);
  if (!result) note_bytes('T', name, 0, (uint64_t)length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int truncate64(const char *path, off64_t length) {
  find_truncate64();
  char name[NAME_BYTES];
  if (!name_of_path(path, name)) return real_truncate64(path, length);
  int action = meet(TRUNCATE, name);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  int result = real_truncate64(path, length);
  if (!result) note_bytes('T', name, 0, (uint64_t)length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
int truncate(const char *path, off_t length) { return truncate64(path, length); }

int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
  find_posix_fallocate64();
  const char *name = name_of(descriptor);
  if (!name) return real_posix_fallocate64(descriptor, offset, length);
  int action = meet(ALLOCATE, name);
  // It returns its error instead of leaving it in errno.
  if (action == FAIL) return plan_errno;
  pthread_mutex_lock(&lock);
  int result = real_posix_fallocate64(descriptor, offset, length);
  if (!result) note_bytes('A', name, 0, (uint64_t)offset, NULL, (uint64_t)length);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return posix_fallocate64(descriptor, offset, length);
}

// ---- Syncing

static int sync_with(int descriptor, int (*call)(int)) {
  const char *known = name_of(descriptor);
  if (!known) return call(descriptor);
  char name[NAME_BYTES];
  strcpy(name, known);
  int action = meet(SYNC, name);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  note_bytes(action == NOSYNC ? 'N' : 's', name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (action == NOSYNC) return 0;
  int result = call(descriptor);
  pthread_mutex_lock(&lock);
  if (!result) note_bytes('S', name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
int fsync(int descriptor) {
  find_fsync();
  return sync_with(descriptor, real_fsync);
}
int fdatasync(int descriptor) {
  find_fdatasync();
  return sync_with(descriptor, real_fdatasync);
}

// ---- Names

int rename(const char *from, const char *to) {
  find_rename();
  char old[NAME_BYTES], new[NAME_BYTES];
  if (!name_of_path(from, old) || !name_of_path(to, new)) return real_rename(from, to);
  int action = meet(RENAME, old);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  int result = real_rename(from, to);
  if (!result) {
    note_bytes('R', old, 0, 0, new, strlen(new));
    for (int i = 0; i < DESCRIPTORS; i++)
      if (!strcmp(names[i], old)) strcpy(names[i], new);
  }
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  if (from[0] == '/' && to[0] == '/') return rename(from, to);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
  if (from[0] == '/' && to[0] == '/' && !flags) return rename(from, to);
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
  find_unlink();
  char name[NAME_BYTES];
  if (!name_of_path(path, name)) return real_unlink(path);
  int action = meet(UNLINK, name);
  if (action == FAIL) return errno = plan_errno, -1;
  pthread_mutex_lock(&lock);
  int result = real_unlink(path);
  if (!result) note_bytes('U', name, 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return (int)finish(action, result);
}
