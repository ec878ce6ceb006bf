#include "page_checksums.h"

#include <crc32c.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  TRUST = 0x48444C01,  // operations of sqlite3_file_control; SQLite's own are small
  START = 0x48444C02,
  FILE_OF = 0x48444C03,
  LARGEST_PAGE = 65536,
  NUMBERS = HEDDLE_WRONG_PAGES
};

// The file object that SQLite holds for a database or its log. The object of the VFS below lies behind it.
typedef struct {
  sqlite3_file base;
  const char *path;  // SQLite keeps it until the file is closed
  int is_watched;
  int was_changed;   // by another program, while it was watched
  struct stat after_write;
  int is_kept;   // its pages have checksums; never those of a log
  int is_trusted;
  int page_size;
  uint64_t wrong_reads;
  int wrong_count;
  uint32_t wrong[NUMBERS];
} checked_file;

enum { OWN_SIZE = (sizeof(checked_file) + 15) / 16 * 16 };

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((char *)file + OWN_SIZE); }

#define BELOW(file, method, ...) below(file)->pMethods->method(below(file), ##__VA_ARGS__)

static uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t checksum(const unsigned char *page, size_t size, uint32_t number) {
  unsigned char place[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16), (unsigned char)(number >> 8),
                            (unsigned char)number};
  return heddle_crc32c(heddle_crc32c(0, place, sizeof place), page, size - HEDDLE_PAGE_RESERVE);
}

void heddle_page_seal(void *page, size_t size, uint32_t number) {
  unsigned char *end = (unsigned char *)page + size - HEDDLE_PAGE_RESERVE;
  uint32_t sum = checksum(page, size, number);
  for (int i = 0; i < 4; i++) end[i] = (unsigned char)(sum >> (24 - 8 * i));
}

// The number of the page if these bytes are one; 0 if not.
static uint32_t page_number(int count, sqlite3_int64 offset) {
  if (count < 512 || count > LARGEST_PAGE || (count & (count - 1)) || offset % count) return 0;
  return (uint32_t)(offset / count + 1);
}

static void note_wrong(checked_file *file, uint32_t number) {
  file->wrong_reads++;
  for (int i = 0; i < file->wrong_count; i++) {
    if (file->wrong[i] == number) return;
  }
  if (file->wrong_count < NUMBERS) file->wrong[file->wrong_count++] = number;
}

static int is_whole(checked_file *file, const unsigned char *page, int size, uint32_t number) {
  if (big_endian(page + size - HEDDLE_PAGE_RESERVE) == checksum(page, (size_t)size, number)) return 1;
  note_wrong(file, number);
  return 0;
}

// SQLite takes some disk errors for a damaged file system and reports them as damage to the database. The bytes were not
// read, so nothing is known about them.
static int read_below(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = BELOW(file, xRead, bytes, count, offset);
  return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

// Some versions of SQLite read the part of an overflow page that they need, when it is not in the log.
static int read_part(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  checked_file *file = (checked_file *)base;
  unsigned char page[LARGEST_PAGE];
  int code = read_below(base, page, file->page_size, offset);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
  uint32_t number = page_number(file->page_size, offset);
  if (!is_whole(file, page, file->page_size, number) && !file->is_trusted) return SQLITE_IOERR_DATA;
  memcpy(bytes, page, (size_t)count);
  return SQLITE_OK;
}

static int checked_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  checked_file *file = (checked_file *)base;
  if (file->is_kept && offset && count < file->page_size && offset % file->page_size == 0) {
    return read_part(base, bytes, count, offset);
  }
  int code = read_below(base, bytes, count, offset);
  uint32_t number = page_number(count, offset);
  if (!number || !file->is_kept) return code;
  // A page that the file ends in was cut off: what is read is zeros at its end.
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
  if (is_whole(file, bytes, count, number) || file->is_trusted) return code;
  return SQLITE_IOERR_DATA;
}

// The file as it is after this connection's own write.
static void remember(checked_file *file) {
  if (file->is_watched && stat(file->path, &file->after_write) != 0) file->was_changed = 1;
}

// Notes a write that this connection did not make.
static void compare(checked_file *file) {
  struct stat now;
  if (!file->is_watched) return;
  if (stat(file->path, &now) != 0 || now.st_size != file->after_write.st_size ||
      now.st_mtim.tv_sec != file->after_write.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != file->after_write.st_mtim.tv_nsec) {
    file->was_changed = 1;
  }
}

static int write_below(checked_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  compare(file);
  int code = BELOW(&file->base, xWrite, bytes, count, offset);
  remember(file);
  return code;
}

static int checked_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  checked_file *file = (checked_file *)base;
  uint32_t number = page_number(count, offset);
  if (!number || !file->is_kept) return write_below(file, bytes, count, offset);
  unsigned char page[LARGEST_PAGE];
  memcpy(page, bytes, (size_t)count);
  heddle_page_seal(page, (size_t)count, number);
  return write_below(file, page, count, offset);
}

static int checked_control(sqlite3_file *base, int operation, void *argument) {
  checked_file *file = (checked_file *)base;
  switch (operation) {
    case TRUST:
      file->is_trusted = *(int *)argument;
      return SQLITE_OK;
    case FILE_OF:
      *(checked_file **)argument = file;
      return SQLITE_OK;
    case START:
      file->is_kept = 1;
      file->page_size = *(int *)argument;
      return SQLITE_OK;
    default: return BELOW(base, xFileControl, operation, argument);
  }
}

// Parts of a page are not read: they have no checksum.
static int checked_character(sqlite3_file *base) {
  int character = BELOW(base, xDeviceCharacteristics);
#ifdef SQLITE_IOCAP_SUBPAGE_READ
  character &= ~SQLITE_IOCAP_SUBPAGE_READ;
#endif
  return character;
}

static int checked_close(sqlite3_file *base) { return BELOW(base, xClose); }
static int checked_truncate(sqlite3_file *base, sqlite3_int64 size) {
  checked_file *file = (checked_file *)base;
  compare(file);
  int code = BELOW(base, xTruncate, size);
  remember(file);
  return code;
}
static int checked_sync(sqlite3_file *base, int flags) { return BELOW(base, xSync, flags); }
static int checked_size(sqlite3_file *base, sqlite3_int64 *size) { return BELOW(base, xFileSize, size); }
static int checked_lock(sqlite3_file *base, int level) { return BELOW(base, xLock, level); }
static int checked_unlock(sqlite3_file *base, int level) { return BELOW(base, xUnlock, level); }
static int checked_check_lock(sqlite3_file *base, int *result) { return BELOW(base, xCheckReservedLock, result); }
static int checked_sector(sqlite3_file *base) { return BELOW(base, xSectorSize); }
static int checked_map(sqlite3_file *base, int index, int size, int extends, void volatile **region) {
  return BELOW(base, xShmMap, index, size, extends, region);
}
static int checked_map_lock(sqlite3_file *base, int offset, int count, int flags) {
  return BELOW(base, xShmLock, offset, count, flags);
}
static void checked_barrier(sqlite3_file *base) { BELOW(base, xShmBarrier); }
static int checked_unmap(sqlite3_file *base, int deletes) { return BELOW(base, xShmUnmap, deletes); }

// Version 2: no memory-mapped pages, which nobody would check.
static const sqlite3_io_methods methods = {
    2,            checked_close,      checked_read,    checked_write,   checked_truncate,  checked_sync,
    checked_size, checked_lock,       checked_unlock,  checked_check_lock, checked_control, checked_sector,
    checked_character, checked_map,   checked_map_lock, checked_barrier, checked_unmap,    NULL,
    NULL};

static sqlite3_vfs *under(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int checked_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
  sqlite3_vfs *down = under(vfs);
  if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) return down->xOpen(down, name, base, flags, out_flags);
  memset(base, 0, OWN_SIZE);
  memset(below(base), 0, (size_t)down->szOsFile);
  int code = down->xOpen(down, name, below(base), flags, out_flags);
  // A file that has methods is closed.
  if (below(base)->pMethods) base->pMethods = &methods;
  ((checked_file *)base)->path = name;
  return code;
}

static int checked_delete(sqlite3_vfs *vfs, const char *name, int syncs) { return under(vfs)->xDelete(under(vfs), name, syncs); }
static int checked_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  return under(vfs)->xAccess(under(vfs), name, flags, result);
}
static int checked_path(sqlite3_vfs *vfs, const char *name, int count, char *out) {
  return under(vfs)->xFullPathname(under(vfs), name, count, out);
}
static int checked_randomness(sqlite3_vfs *vfs, int count, char *out) { return under(vfs)->xRandomness(under(vfs), count, out); }
static int checked_sleep(sqlite3_vfs *vfs, int microseconds) { return under(vfs)->xSleep(under(vfs), microseconds); }
static int checked_time(sqlite3_vfs *vfs, double *days) { return under(vfs)->xCurrentTime(under(vfs), days); }
static int checked_last_error(sqlite3_vfs *vfs, int count, char *out) { return under(vfs)->xGetLastError(under(vfs), count, out); }

int heddle_page_checksums_register(const char *name, const char *down_name) {
  if (sqlite3_vfs_find(name)) return SQLITE_OK;
  sqlite3_vfs *down = sqlite3_vfs_find(down_name);
  if (!down) return SQLITE_ERROR;
  sqlite3_vfs *vfs = calloc(1, sizeof *vfs);
  if (!vfs) return SQLITE_NOMEM;
  vfs->iVersion = 1;
  vfs->szOsFile = OWN_SIZE + down->szOsFile;
  vfs->mxPathname = down->mxPathname;
  vfs->zName = strdup(name);
  vfs->pAppData = down;
  vfs->xOpen = checked_open;
  vfs->xDelete = checked_delete;
  vfs->xAccess = checked_access;
  vfs->xFullPathname = checked_path;
  vfs->xRandomness = checked_randomness;
  vfs->xSleep = checked_sleep;
  vfs->xCurrentTime = checked_time;
  vfs->xGetLastError = checked_last_error;
  if (!vfs->zName) return SQLITE_NOMEM;
  return sqlite3_vfs_register(vfs, 0);
}

int heddle_page_checksums_make_room(sqlite3 *database) {
  int bytes = HEDDLE_PAGE_RESERVE;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

int heddle_page_checksums_reserve(sqlite3 *database) {
  int bytes = -1;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes) == SQLITE_OK ? bytes : -1;
}

int heddle_page_checksums_start(sqlite3 *database) {
  sqlite3_stmt *statement = NULL;
  int size = 0;
  if (sqlite3_prepare_v2(database, "PRAGMA page_size", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    size = sqlite3_column_int(statement, 0);
  }
  int code = sqlite3_finalize(statement);
  if (code != SQLITE_OK) return code;
  code = sqlite3_file_control(database, "main", START, &size);
  // Pages that were read before were not looked at.
  return code == SQLITE_OK ? sqlite3_db_release_memory(database) : code;
}

int heddle_page_checksums_trust(sqlite3 *database, int trusts) {
  int code = sqlite3_file_control(database, "main", TRUST, &trusts);
  return code == SQLITE_OK ? sqlite3_db_release_memory(database) : code;
}

static checked_file *file_of(sqlite3 *database) {
  checked_file *file = NULL;
  return sqlite3_file_control(database, "main", FILE_OF, &file) == SQLITE_OK ? file : NULL;
}

void heddle_database_watch(sqlite3 *database) {
  checked_file *file = file_of(database);
  if (!file || !file->path) return;
  file->was_changed = 0;
  file->is_watched = 1;
  remember(file);
}

int heddle_database_was_changed(sqlite3 *database) {
  checked_file *file = file_of(database);
  if (!file) return 0;
  compare(file);
  file->is_watched = 0;
  return file->was_changed;
}

uint64_t heddle_page_checksums_wrong_reads(sqlite3 *database) {
  checked_file *file = file_of(database);
  return file ? file->wrong_reads : 0;
}

int heddle_page_checksums_wrong(sqlite3 *database, uint32_t *numbers, int limit) {
  checked_file *file = file_of(database);
  if (!file) return 0;
  int count = file->wrong_count < limit ? file->wrong_count : limit;
  memcpy(numbers, file->wrong, sizeof *numbers * (size_t)count);
  file->wrong_count = 0;
  return count;
}
