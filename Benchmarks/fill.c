// fill: multiplies one stored thread into many, so that a store of a million threads takes a minute to make and not a day.
//
//   fill heddle.db THREAD COUNT     THREAD: the id of the thread to copy, 32 hexadecimal digits
//
// Nobody else may have the database open. Every row that the server wrote for THREAD is written COUNT times more, under
// new ids (UUIDv7, ascending), with the id, the time of creation and the number in the name replaced in the payloads too,
// and with the checksums of docs/durability.md made anew: `heddle check` finds nothing wrong with the result. THREAD's
// name must end in seven digits. The copies are older than THREAD, a millisecond apart. Turns and items keep their ids;
// they are looked for within their thread only.
#include <page_checksums.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint8_t u8; typedef uint64_t u64; typedef int64_t i64; typedef uint32_t u32;

static sqlite3 *db;
static void fail(const char *what) { fprintf(stderr, "fill: %s: %s\n", what, db ? sqlite3_errmsg(db) : ""); exit(1); }
static void run(const char *sql) { if (sqlite3_exec(db, sql, 0, 0, 0) != SQLITE_OK) fail(sql); }
static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *s;
  if (sqlite3_prepare_v2(db, sql, -1, &s, 0) != SQLITE_OK) fail(sql);
  return s;
}

// ---- CRC32C, as it is between its beginning and its end
static u32 crc_add(u32 c, const void *bytes, size_t n) { return ~heddle_crc32c(~c, bytes, n); }
static u32 crc_number(u32 c, u64 v) { return crc_add(c, &v, 8); }   // little-endian machines only

// ---- A value of a row, read once and written many times with what differs replaced
typedef struct { int type; i64 number; u8 *bytes; int count; } Value;
enum { MAX_COLUMNS = 20 };
typedef struct { Value values[MAX_COLUMNS]; } Row;
typedef struct { const char *name; int columns, crc, count; Row *rows; sqlite3_stmt *insert; } Table;

static u8 source[16], fresh[16];
static char source_name[8], fresh_name[8];          // seven digits
static u8 source_time[6], fresh_time[6];            // a varint of six bytes: times from 1971 to 2109
static i64 source_created, fresh_created;

static void varint(u8 *out, u64 v) { for (int i = 0; i < 6; i++, v >>= 7) out[i] = (v & 127) | (i < 5 ? 128 : 0); }

static void replace(u8 *bytes, int count, const void *old, const void *new, int width) {
  for (int i = 0; i + width <= count; i++)
    if (bytes[i] == *(u8 *)old && !memcmp(bytes + i, old, width)) { memcpy(bytes + i, new, width); i += width - 1; }
}

static void load(Table *t, const char *columns, const char *key) {
  char sql[512];
  snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE %s = ?1", columns, t->name, key);
  sqlite3_stmt *s = prepare(sql);
  sqlite3_bind_blob(s, 1, source, 16, SQLITE_STATIC);
  t->columns = sqlite3_column_count(s);
  while (sqlite3_step(s) == SQLITE_ROW) {
    t->rows = realloc(t->rows, (t->count + 1) * sizeof(Row));
    Row *row = &t->rows[t->count++];
    for (int i = 0; i < t->columns; i++) {
      Value *v = &row->values[i];
      v->type = sqlite3_column_type(s, i);
      v->number = sqlite3_column_int64(s, i);
      v->bytes = 0; v->count = 0;
      if (v->type == SQLITE_BLOB || v->type == SQLITE_TEXT) {
        const void *bytes = sqlite3_column_blob(s, i);
        v->count = sqlite3_column_bytes(s, i);
        v->bytes = malloc(v->count + 1);
        if (v->count) memcpy(v->bytes, bytes, v->count);
      }
    }
  }
  sqlite3_finalize(s);
  char marks[128] = "?1";
  for (int i = 2; i <= t->columns; i++) sprintf(marks + strlen(marks), ",?%d", i);
  snprintf(sql, sizeof sql, "INSERT INTO %s(%s) VALUES(%s)", t->name, columns, marks);
  t->insert = prepare(sql);
}

// The checksum of a row of threads or turns: all columns before `crc`.
static u32 crc_row(Row *row, int columns) {
  u32 c = ~0u;
  for (int i = 0; i < columns; i++) {
    Value *v = &row->values[i];
    if (v->type == SQLITE_NULL) c = crc_number(c, (u64)-1);
    else if (v->type == SQLITE_INTEGER) c = crc_number(c, v->number);
    else c = crc_add(crc_number(c, v->count), v->bytes, v->count);
  }
  return ~c;
}

static u64 big(const u8 *p) { u64 v = 0; for (int i = 0; i < 8; i++) v = v << 8 | p[i]; return v; }

// events: thread, seq, kind, ordinal, at, crc, payload; snapshots: thread, seq, crc, payload.
static u32 crc_event(Row *row, int numbers) {
  u32 c = crc_number(crc_number(~0u, big(fresh)), big(fresh + 8));
  for (int i = 1; i <= numbers; i++) c = crc_number(c, row->values[i].number);
  Value *payload = &row->values[numbers + 2];
  return ~crc_add(c, payload->bytes, payload->count);
}

static void write_row(Table *t, Row *row) {
  for (int i = 0; i < t->columns; i++) {
    Value *v = &row->values[i];
    int code = v->type == SQLITE_NULL ? sqlite3_bind_null(t->insert, i + 1)
      : v->type == SQLITE_INTEGER ? sqlite3_bind_int64(t->insert, i + 1, v->number)
      : v->type == SQLITE_TEXT ? sqlite3_bind_text(t->insert, i + 1, (char *)v->bytes, v->count, SQLITE_STATIC)
      : v->count ? sqlite3_bind_blob(t->insert, i + 1, v->bytes, v->count, SQLITE_STATIC)
      : sqlite3_bind_zeroblob(t->insert, i + 1, 0);
    if (code != SQLITE_OK) fail("bind");
  }
  if (sqlite3_step(t->insert) != SQLITE_DONE) fail(t->name);
  sqlite3_reset(t->insert);
}

static Table tables[] = {
  {.name = "threads"}, {.name = "events"}, {.name = "stretches"}, {.name = "snapshots"}, {.name = "turns"}};
enum { THREADS, EVENTS, STRETCHES, SNAPSHOTS, TURNS, TABLES };

// Puts `new` where `old` is in everything that was read: the rows themselves are changed, copy by copy.
static void rewrite(void) {
  for (int t = 0; t < TABLES; t++)
    for (int r = 0; r < tables[t].count; r++)
      for (int i = 0; i < tables[t].columns; i++) {
        Value *v = &tables[t].rows[r].values[i];
        if (!v->bytes) continue;
        replace(v->bytes, v->count, source, fresh, 16);
        replace(v->bytes, v->count, source_name, fresh_name, 7);
        replace(v->bytes, v->count, source_time, fresh_time, 6);
      }
  memcpy(source, fresh, 16); memcpy(source_name, fresh_name, 7); memcpy(source_time, fresh_time, 6);
}

static u64 state = 0x9E3779B97F4A7C15ull;
static u64 random64(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }

int main(int argc, char **argv) {
  if (argc != 4 || strlen(argv[2]) != 32) { fprintf(stderr, "usage: fill heddle.db THREAD COUNT\n"); return 2; }
  for (int i = 0; i < 16; i++) { unsigned b; if (sscanf(argv[2] + 2 * i, "%2x", &b) != 1) fail("the id"); source[i] = b; }
  long count = atol(argv[3]);
  if (count < 0 || count > 9999999) fail("COUNT is 0 to 9,999,999");
  if (heddle_page_checksums_register("heddle", 0) != SQLITE_OK) fail("checksums of pages");
  if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, "heddle") != SQLITE_OK) fail(argv[1]);
  if (heddle_page_checksums_start(db) != SQLITE_OK) fail("checksums of pages");
  // A crash in the middle costs the store; the next fill makes it anew.
  run("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 20000");
  load(&tables[THREADS],
       "id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at, archived, name, preview, provider, "
       "folder, active, sequence, segments, deleted, snapshot, crc", "id");
  load(&tables[EVENTS], "thread, seq, kind, ordinal, at, crc, payload", "thread");
  load(&tables[STRETCHES], "thread, first, ordinal", "thread");
  load(&tables[SNAPSHOTS], "thread, seq, crc, payload", "thread");
  load(&tables[TURNS], "thread, ordinal, id, payload, crc", "thread");
  if (tables[THREADS].count != 1) fail("there is no such thread");
  Row *thread = tables[THREADS].rows;
  Value *name = &thread->values[10];
  if (name->count < 7) fail("the thread's name does not end in seven digits");
  memcpy(source_name, name->bytes + name->count - 7, 7);
  source_created = thread->values[7].number;
  varint(source_time, source_created);
  i64 first = source_created - count;
  run("BEGIN");
  for (long n = 0; n < count; n++) {
    fresh_created = first + n;
    for (int i = 0; i < 6; i++) fresh[i] = fresh_created >> (40 - 8 * i);
    u64 high = random64(), low = random64();
    memcpy(fresh + 6, &high, 2); memcpy(fresh + 8, &low, 8);
    fresh[6] = 0x70 | (fresh[6] & 15); fresh[8] = 0x80 | (fresh[8] & 63);
    char digits[24];
    snprintf(digits, sizeof digits, "%07ld", n);
    memcpy(fresh_name, digits, 7);
    varint(fresh_time, fresh_created);
    rewrite();
    thread->values[7].number = fresh_created;
    thread->values[19].number = crc_row(thread, 19);
    for (int r = 0; r < tables[EVENTS].count; r++) tables[EVENTS].rows[r].values[5].number = crc_event(&tables[EVENTS].rows[r], 4);
    for (int r = 0; r < tables[SNAPSHOTS].count; r++) tables[SNAPSHOTS].rows[r].values[2].number = crc_event(&tables[SNAPSHOTS].rows[r], 1);
    for (int r = 0; r < tables[TURNS].count; r++) tables[TURNS].rows[r].values[4].number = crc_row(&tables[TURNS].rows[r], 4);
    for (int t = 0; t < TABLES; t++)
      for (int r = 0; r < tables[t].count; r++) write_row(&tables[t], &tables[t].rows[r]);
    if (n % 20000 == 19999) run("COMMIT; BEGIN");
  }
  run("COMMIT");
  for (int t = 0; t < TABLES; t++) sqlite3_finalize(tables[t].insert);
  run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL");
  if (sqlite3_close(db) != SQLITE_OK) fail("close");
  return 0;
}
