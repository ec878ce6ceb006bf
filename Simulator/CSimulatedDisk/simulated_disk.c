#include "simulated_disk.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512

// A write or a truncation that has not been synced.
typedef struct change {
  struct change *next;
  int64_t offset;
  int64_t length;  // of the bytes; for a truncation the new size
  int truncates;
  unsigned char bytes[];
} change;

typedef struct {
  unsigned char *bytes;
  int64_t size;
  int64_t capacity;
} image;

typedef struct stored_file {
  struct stored_file *next;
  char name[64];
  image now;      // contents as the process sees them
  image durable;  // synced contents; a power cut leaves them and a selection of the changes
  change *first, *last;
} stored_file;

// SQLite's handle of a file.
typedef struct {
  sqlite3_file base;
  stored_file *file;
  uint64_t generation;
  int is_private;  // a temporary file: gone when it is closed
} open_file;

static struct {
  stored_file *files;
  uint64_t generation;
  uint64_t random;
  simulated_disk_faults faults;
  simulated_disk_counts counts;
  int64_t capacity;
  int64_t calls_left;  // until the power goes; 0: it does not
  int is_off;
  void *regions[16];
  int region_count;
  // Regions of processes that are gone: connections that are still to be closed may look at them.
  void **old_regions;
  int old_region_count;
  int region_bytes;
} disk;

// SplitMix64.
static uint64_t next_random(void) {
  uint64_t z = (disk.random += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

static int chance(uint32_t of_a_million) { return of_a_million && next_random() % 1000000 < of_a_million; }

// ---- Images

static int grow(image *image, int64_t size) {
  if (size <= image->capacity) return 1;
  int64_t capacity = image->capacity ? image->capacity : 4096;
  while (capacity < size) capacity *= 2;
  unsigned char *bytes = realloc(image->bytes, (size_t)capacity);
  if (!bytes) return 0;
  image->bytes = bytes;
  image->capacity = capacity;
  return 1;
}

static int put(image *image, int64_t offset, const unsigned char *bytes, int64_t length) {
  if (!grow(image, offset + length)) return 0;
  if (offset > image->size) memset(image->bytes + image->size, 0, (size_t)(offset - image->size));
  memcpy(image->bytes + offset, bytes, (size_t)length);
  if (offset + length > image->size) image->size = offset + length;
  return 1;
}

static int cut_to(image *image, int64_t size) {
  if (size > image->size) {
    if (!grow(image, size)) return 0;
    memset(image->bytes + image->size, 0, (size_t)(size - image->size));
  }
  image->size = size;
  return 1;
}

static int copy(image *to, const image *from) {
  if (!grow(to, from->size)) return 0;
  if (from->size) memcpy(to->bytes, from->bytes, (size_t)from->size);
  to->size = from->size;
  return 1;
}

// ---- Files

static void forget_changes(stored_file *file) {
  while (file->first) {
    change *next = file->first->next;
    free(file->first);
    file->first = next;
  }
  file->last = NULL;
}

static void apply(image *image, const change *change) {
  if (change->truncates) {
    cut_to(image, change->length);
  } else {
    put(image, change->offset, change->bytes, change->length);
  }
}

static void destroy(stored_file *file) {
  forget_changes(file);
  free(file->now.bytes);
  free(file->durable.bytes);
  free(file);
}

static stored_file *find(const char *name) {
  for (stored_file *file = disk.files; file; file = file->next) {
    if (strcmp(file->name, name) == 0) return file;
  }
  return NULL;
}

static stored_file *make(const char *name) {
  stored_file *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  strncpy(file->name, name, sizeof file->name - 1);
  return file;
}

static void drop_regions(void) {
  if (!disk.region_count) return;
  void **old = realloc(disk.old_regions, sizeof(void *) * (size_t)(disk.old_region_count + disk.region_count));
  if (!old) return;
  disk.old_regions = old;
  for (int i = 0; i < disk.region_count; i++) old[disk.old_region_count++] = disk.regions[i];
  disk.region_count = 0;
}

static void free_regions(void) {
  drop_regions();
  for (int i = 0; i < disk.old_region_count; i++) free(disk.old_regions[i]);
  free(disk.old_regions);
  disk.old_regions = NULL;
  disk.old_region_count = 0;
}

int64_t simulated_disk_size(void) {
  int64_t size = 0;
  for (stored_file *file = disk.files; file; file = file->next) size += file->now.size;
  return size;
}

const unsigned char *simulated_disk_bytes(const char *name, int64_t *size) {
  stored_file *file = find(name);
  if (!file) return NULL;
  *size = file->now.size;
  // An empty file may have no memory yet.
  return file->now.bytes ? file->now.bytes : (const unsigned char *)"";
}

// ---- What SQLite calls

static int gone(open_file *open) {
  return (disk.is_off || open->generation != disk.generation) && !open->is_private;
}

// Counts a call that changes the disk; true if the power goes with it.
static int goes_off(open_file *open) {
  if (open->is_private || !disk.calls_left) return 0;
  disk.is_off = --disk.calls_left == 0;
  return disk.is_off;
}

static int sim_close(sqlite3_file *base) {
  open_file *open = (open_file *)base;
  if (open->is_private) destroy(open->file);
  return SQLITE_OK;
}

static int sim_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  open_file *open = (open_file *)base;
  if (gone(open)) return SQLITE_IOERR_READ;
  if (!open->is_private && chance(disk.faults.read_error)) {
    disk.counts.read_errors++;
    return SQLITE_IOERR_READ;
  }
  image *image = &open->file->now;
  int64_t there = image->size > offset ? image->size - offset : 0;
  if (there > count) there = count;
  if (there > 0) memcpy(bytes, image->bytes + offset, (size_t)there);
  if (there == count) return SQLITE_OK;
  memset((unsigned char *)bytes + there, 0, (size_t)(count - there));
  return SQLITE_IOERR_SHORT_READ;
}

static int remember(stored_file *file, int64_t offset, const void *bytes, int64_t length, int truncates) {
  change *made = malloc(sizeof *made + (truncates ? 0 : (size_t)length));
  if (!made) return 0;
  made->next = NULL;
  made->offset = offset;
  made->length = length;
  made->truncates = truncates;
  if (!truncates) memcpy(made->bytes, bytes, (size_t)length);
  if (file->last) file->last->next = made;
  else file->first = made;
  file->last = made;
  return 1;
}

static int sim_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  open_file *open = (open_file *)base;
  if (gone(open) || goes_off(open)) return SQLITE_IOERR_WRITE;
  stored_file *file = open->file;
  if (!open->is_private) {
    disk.counts.writes++;
    disk.counts.bytes += (uint64_t)count;
    if (chance(disk.faults.write_error)) {
      disk.counts.write_errors++;
      return SQLITE_IOERR_WRITE;
    }
    int64_t added = offset + count - file->now.size;
    int has_no_room = disk.capacity && added > 0 && simulated_disk_size() + added > disk.capacity;
    if (has_no_room || chance(disk.faults.disk_full)) {
      disk.counts.full++;
      return SQLITE_FULL;
    }
    if (!remember(file, offset, bytes, count, 0)) return SQLITE_IOERR_NOMEM;
  }
  return put(&file->now, offset, bytes, count) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static int sim_truncate(sqlite3_file *base, sqlite3_int64 size) {
  open_file *open = (open_file *)base;
  if (gone(open) || goes_off(open)) return SQLITE_IOERR_TRUNCATE;
  if (!open->is_private) {
    disk.counts.truncations++;
    if (!remember(open->file, 0, NULL, size, 1)) return SQLITE_IOERR_NOMEM;
  }
  return cut_to(&open->file->now, size) ? SQLITE_OK : SQLITE_IOERR_NOMEM;
}

static int sim_sync(sqlite3_file *base, int flags) {
  (void)flags;
  open_file *open = (open_file *)base;
  if (gone(open) || goes_off(open)) return SQLITE_IOERR_FSYNC;
  if (open->is_private) return SQLITE_OK;
  stored_file *file = open->file;
  disk.counts.syncs++;
  if (disk.faults.ignores_syncs) return SQLITE_OK;
  if (chance(disk.faults.sync_error)) {
    // The pages are clean now and may never reach the disk: the result of a second sync means nothing.
    disk.counts.sync_errors++;
    for (change *change = file->first; change; change = change->next) {
      if (next_random() & 1) apply(&file->durable, change);
    }
    forget_changes(file);
    return SQLITE_IOERR_FSYNC;
  }
  for (change *change = file->first; change; change = change->next) apply(&file->durable, change);
  forget_changes(file);
  return SQLITE_OK;
}

static int sim_size(sqlite3_file *base, sqlite3_int64 *size) {
  open_file *open = (open_file *)base;
  if (gone(open)) return SQLITE_IOERR_FSTAT;
  *size = open->file->now.size;
  return SQLITE_OK;
}

// One thread runs one transaction at a time, so every lock is free.
static int sim_lock(sqlite3_file *base, int level) {
  (void)level;
  return gone((open_file *)base) ? SQLITE_IOERR_LOCK : SQLITE_OK;
}
static int sim_unlock(sqlite3_file *base, int level) { return (void)base, (void)level, SQLITE_OK; }
static int sim_check_lock(sqlite3_file *base, int *is_reserved) {
  (void)base;
  *is_reserved = 0;
  return SQLITE_OK;
}
static int sim_control(sqlite3_file *base, int operation, void *argument) {
  (void)base, (void)operation, (void)argument;
  return SQLITE_NOTFOUND;
}
static int sim_sector(sqlite3_file *base) { return (void)base, 4096; }
static int sim_character(sqlite3_file *base) { return (void)base, SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

// The index of the log: memory that all connections of one process share.
static int sim_map(sqlite3_file *base, int index, int bytes, int extend, void volatile **region) {
  *region = NULL;
  if (gone((open_file *)base)) return SQLITE_IOERR_SHMMAP;
  if (index >= 16) return SQLITE_IOERR_SHMSIZE;
  while (disk.region_count <= index) {
    if (!extend) return SQLITE_OK;
    void *made = calloc(1, (size_t)bytes);
    if (!made) return SQLITE_IOERR_NOMEM;
    disk.regions[disk.region_count++] = made;
  }
  *region = disk.regions[index];
  return SQLITE_OK;
}
static int sim_shared_lock(sqlite3_file *base, int offset, int count, int flags) {
  (void)offset, (void)count, (void)flags;
  return gone((open_file *)base) ? SQLITE_IOERR_SHMLOCK : SQLITE_OK;
}
static void sim_barrier(sqlite3_file *base) { (void)base; }
static int sim_unmap(sqlite3_file *base, int deletes) { return (void)base, (void)deletes, SQLITE_OK; }

static const sqlite3_io_methods methods = {
    2,         sim_close,        sim_read,    sim_write,  sim_truncate,  sim_sync, sim_size,        sim_lock,    sim_unlock,
    sim_check_lock, sim_control, sim_sector, sim_character, sim_map, sim_shared_lock, sim_barrier, sim_unmap, NULL, NULL};

static int sim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
  (void)vfs;
  open_file *open = (open_file *)base;
  memset(open, 0, sizeof *open);
  open->generation = disk.generation;
  open->is_private = name == NULL;
  if (name) open->file = find(name);
  if (!open->file) {
    if (name && !(flags & SQLITE_OPEN_CREATE) && !(flags & SQLITE_OPEN_MAIN_DB)) return SQLITE_CANTOPEN;
    open->file = make(name ? name : "");
    if (!open->file) return SQLITE_IOERR_NOMEM;
    if (name) {
      open->file->next = disk.files;
      disk.files = open->file;
    }
  }
  open->base.pMethods = &methods;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

static int sim_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  (void)vfs, (void)syncs;
  stored_file **place = &disk.files;
  while (*place && strcmp((*place)->name, name) != 0) place = &(*place)->next;
  if (!*place) return SQLITE_IOERR_DELETE_NOENT;
  stored_file *file = *place;
  *place = file->next;
  destroy(file);
  return SQLITE_OK;
}

static int sim_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs, (void)flags;
  *result = find(name) != NULL;
  return SQLITE_OK;
}

static int sim_full_path(sqlite3_vfs *vfs, const char *name, int count, char *out) {
  (void)vfs;
  sqlite3_snprintf(count, out, "%s", name);
  return SQLITE_OK;
}

static int sim_randomness(sqlite3_vfs *vfs, int count, char *out) {
  (void)vfs;
  for (int i = 0; i < count; i++) out[i] = (char)next_random();
  return count;
}
static int sim_sleep(sqlite3_vfs *vfs, int microseconds) { return (void)vfs, microseconds; }
static int sim_time(sqlite3_vfs *vfs, double *days) {
  (void)vfs;
  *days = 2460000.5;
  return SQLITE_OK;
}
static int sim_last_error(sqlite3_vfs *vfs, int count, char *out) {
  (void)vfs, (void)count, (void)out;
  return 0;
}

int simulated_disk_register(const char *name) {
  static sqlite3_vfs vfs;
  if (vfs.zName) return 0;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(open_file);
  vfs.mxPathname = 63;
  vfs.zName = strdup(name);
  vfs.xOpen = sim_open;
  vfs.xDelete = sim_delete;
  vfs.xAccess = sim_access;
  vfs.xFullPathname = sim_full_path;
  vfs.xRandomness = sim_randomness;
  vfs.xSleep = sim_sleep;
  vfs.xCurrentTime = sim_time;
  vfs.xGetLastError = sim_last_error;
  return sqlite3_vfs_register(&vfs, 0);
}

// ---- What the simulator calls

void simulated_disk_reset(uint64_t seed) {
  while (disk.files) {
    stored_file *next = disk.files->next;
    destroy(disk.files);
    disk.files = next;
  }
  free_regions();
  disk.generation++;
  disk.random = seed;
  disk.capacity = 0;
  disk.calls_left = 0;
  disk.is_off = 0;
  memset(&disk.faults, 0, sizeof disk.faults);
  memset(&disk.counts, 0, sizeof disk.counts);
  // SQLite keeps random bytes of its own; without this they would continue from the previous seed.
  sqlite3_randomness(0, NULL);
}

void simulated_disk_set_faults(simulated_disk_faults faults) { disk.faults = faults; }
void simulated_disk_set_capacity(int64_t bytes) { disk.capacity = bytes; }
simulated_disk_counts simulated_disk_count(void) { return disk.counts; }

static void decide(image *durable, change *change) {
  uint64_t lot = next_random() % 1000000;
  if (lot < disk.faults.keeps) {
    disk.counts.kept++;
    apply(durable, change);
  } else if (change->truncates) {
    disk.counts.dropped++;
  } else if (lot < (uint64_t)disk.faults.keeps + disk.faults.tears) {
    disk.counts.torn++;
    int64_t sectors = (change->length + SECTOR - 1) / SECTOR;
    int64_t kept = (int64_t)(next_random() % (uint64_t)(sectors + 1)) * SECTOR;
    if (kept > change->length) kept = change->length;
    if (kept) put(durable, change->offset, change->bytes, kept);
  } else if (lot < (uint64_t)disk.faults.keeps + disk.faults.tears + disk.faults.trashes) {
    disk.counts.trashed++;
    for (int64_t i = 0; i < change->length; i++) change->bytes[i] = (unsigned char)next_random();
    put(durable, change->offset, change->bytes, change->length);
  } else {
    disk.counts.dropped++;
  }
}

void simulated_disk_renew(const char *name) {
  stored_file *file = find(name);
  if (!file || disk.is_off) return;
  // A copy is written and synced, then it takes the place of the file at once: until then the old one is as it was.
  for (int calls = 0; calls < 3; calls++) {
    if (disk.calls_left && --disk.calls_left == 0) {
      disk.is_off = 1;
      return;
    }
  }
  copy(&file->durable, &file->now);
  forget_changes(file);
}

void simulated_disk_cut_after(int64_t calls) { disk.calls_left = calls; }
int simulated_disk_is_off(void) { return disk.is_off; }

void simulated_disk_cut(void) {
  disk.calls_left = 0;
  disk.is_off = 0;
  disk.generation++;
  disk.counts.cuts++;
  drop_regions();
  for (stored_file *file = disk.files; file; file = file->next) {
    for (change *change = file->first; change; change = change->next) decide(&file->durable, change);
    forget_changes(file);
    copy(&file->now, &file->durable);
  }
}

void simulated_disk_kill(void) {
  disk.calls_left = 0;
  disk.is_off = 0;
  disk.generation++;
  drop_regions();
}
