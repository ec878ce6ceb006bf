#include <sqlite3.h>

// SQLITE_TRANSIENT and SQLITE_STATIC are casts, which Swift does not import.
static inline sqlite3_destructor_type heddle_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type heddle_sqlite_static(void) { return SQLITE_STATIC; }

// Variadic in SQLite, which Swift does not import: closing must not checkpoint by itself, since it drops the error.
static inline int heddle_sqlite_no_checkpoint_on_close(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// SQLITE_IOERR_DATA is an expression, which Swift does not import.
static const int heddle_sqlite_wrong_page = SQLITE_IOERR_DATA;
static const int heddle_sqlite_failed_read = SQLITE_IOERR_READ;
