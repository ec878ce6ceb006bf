#include <sqlite3.h>

// SQLITE_TRANSIENT and SQLITE_STATIC are casts, which Swift does not import.
static inline sqlite3_destructor_type heddle_sqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type heddle_sqlite_static(void) { return SQLITE_STATIC; }
