// The simulator's disk under SQLite with the sanitizers in it: transactions, faults, power cuts, kills and full disks by
// chance, and after each start a database that is whole and has what was committed before the last one that went wrong.
// Its pages have checksums, as the server's have: one that was wrongly written or left out would make it look damaged.
//
// usage: disk SEEDS

#include "page_checksums.h"
#include "simulated_disk.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t chance(uint64_t below) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (state >> 33) % below;
}

static void stop(uint64_t seed, const char *what) {
  fprintf(stderr, "disk: seed=%llu: %s\n", (unsigned long long)seed, what);
  exit(1);
}

static int64_t ask(sqlite3 *database, const char *query) {
  sqlite3_stmt *statement = NULL;
  int64_t answer = -1;
  if (sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW) {
    answer = sqlite3_column_int64(statement, 0);
    const unsigned char *text = sqlite3_column_text(statement, 0);
    if (strstr(query, "integrity_check")) answer = text && strcmp((const char *)text, "ok") == 0;
  }
  sqlite3_finalize(statement);
  return answer;
}

static sqlite3 *start(void) {
  sqlite3 *database = NULL;
  if (sqlite3_open_v2("d", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "checked") != SQLITE_OK ||
      heddle_page_checksums_make_room(database) != SQLITE_OK ||
      sqlite3_exec(database,
                   "pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 50;"
                   "create table if not exists t (number integer primary key, bytes blob)",
                   NULL, NULL, NULL) != SQLITE_OK ||
      heddle_page_checksums_reserve(database) != HEDDLE_PAGE_RESERVE ||
      heddle_page_checksums_start(database) != SQLITE_OK) {
    sqlite3_close(database);
    return NULL;
  }
  return database;
}

// Rows 1 to `committed` are acknowledged. After a commit that failed its row may be there or not.
static void one(uint64_t seed) {
  state = seed;
  simulated_disk_reset(seed);
  int64_t committed = 0;
  for (int life = 0; life < 6; life++) {
    simulated_disk_set_faults((simulated_disk_faults){0});
    simulated_disk_set_capacity(0);
    sqlite3 *database = start();
    if (!database) stop(seed, "cannot be opened without faults");
    if (ask(database, "pragma integrity_check") != 1) stop(seed, "is damaged");
    int64_t there = ask(database, "select count(*) from t");
    if (there < committed || there > committed + 1) stop(seed, "lost what was committed, or has what never was");
    committed = there;
    simulated_disk_set_faults((simulated_disk_faults){
        .write_error = (uint32_t)chance(2) * 20000, .disk_full = (uint32_t)chance(2) * 20000,
        .keeps = 300000, .tears = 300000, .trashes = 200000});
    if (chance(3) == 0) simulated_disk_set_capacity(simulated_disk_size() + (int64_t)chance(200000));
    if (chance(2)) simulated_disk_cut_after(1 + (int64_t)chance(200));
    for (int i = 0; i < 100; i++) {
      char insert[96];
      snprintf(insert, sizeof insert, "insert into t values (%lld, randomblob(%llu))", (long long)committed + 1,
               (unsigned long long)chance(9000));
      if (sqlite3_exec(database, insert, NULL, NULL, NULL) != SQLITE_OK) break;
      committed++;
      if (chance(20) == 0) sqlite3_exec(database, "vacuum", NULL, NULL, NULL);
      if (chance(20) == 0) sqlite3_exec(database, "pragma wal_checkpoint(truncate)", NULL, NULL, NULL);
    }
    int cuts = simulated_disk_is_off() || chance(2);
    if (cuts) simulated_disk_cut();
    else simulated_disk_kill();
    sqlite3_close(database);
    if (!cuts) simulated_disk_renew("d-wal");
  }
}

int main(int count, char **arguments) {
  uint64_t seeds = count > 1 ? strtoull(arguments[1], NULL, 10) : 100;
  if (simulated_disk_register("simulated") != 0) stop(0, "cannot be registered");
  if (heddle_page_checksums_register("checked", "simulated") != SQLITE_OK) stop(0, "checksums cannot be registered");
  uint64_t cuts = 0, torn = 0, errors = 0;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    one(seed);
    simulated_disk_counts counts = simulated_disk_count();
    cuts += counts.cuts;
    torn += counts.torn + counts.trashed;
    errors += counts.write_errors + counts.full;
  }
  simulated_disk_reset(0);
  printf("disk: seeds=%llu cuts=%llu torn=%llu errors=%llu\n", (unsigned long long)seeds, (unsigned long long)cuts,
         (unsigned long long)torn, (unsigned long long)errors);
  return 0;
}
