#ifndef PAGE_CHECKSUMS_H
#define PAGE_CHECKSUMS_H

// Checksums of SQLite's pages (docs/durability.md D7): a VFS that lies on another one and writes CRC32C over a page's
// number and its bytes into the page's last four bytes, which the database leaves free for it. A page that is read and has
// another checksum is SQLITE_IOERR_DATA.
//
// A page gets its checksum when it is moved from the log into the database; in the log SQLite has checksums of its own.
// A program that writes to such a database without this VFS leaves pages behind that look damaged.

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

// Bytes at the end of each page.
enum { HEDDLE_PAGE_RESERVE = 4 };

// Wrong pages that a connection remembers.
enum { HEDDLE_WRONG_PAGES = 1024 };

// Writes the checksum of page `number`, counted from 1, into its last bytes.
void heddle_page_seal(void *page, size_t size, uint32_t number);

// Makes the VFS `name` over the VFS `below`, the machine's if that is NULL. Not from two threads at once.
int heddle_page_checksums_register(const char *name, const char *below);

// Makes an empty database, or what the next VACUUM makes of this one, leave room for checksums.
int heddle_page_checksums_make_room(sqlite3 *database);

// How many bytes this database leaves free at the end of its pages, or will when room was asked for; -1 if that cannot be
// told.
int heddle_page_checksums_reserve(sqlite3 *database);

// From now on this connection writes and checks the checksums of pages, for which there must be room. To be called outside
// of transactions. Nobody guesses from the file: its first page may be older than the log, or half written.
int heddle_page_checksums_start(sqlite3 *database);

// Whether this connection reads pages whose checksum is wrong as if it were right. To be called outside of transactions:
// pages that were read before are forgotten.
int heddle_page_checksums_trust(sqlite3 *database, int trusts);

// How often a page was read whose checksum was wrong. One in the connection's cache is not read.
uint64_t heddle_page_checksums_wrong_reads(sqlite3 *database);

// Which pages that were read since the last call had a wrong checksum: writes up to `limit` numbers, each once, and
// returns how many.
int heddle_page_checksums_wrong(sqlite3 *database, uint32_t *numbers, int limit);

// Begins to watch the file of the database for writes of other programs, while this connection writes to it.
void heddle_database_watch(sqlite3 *database);

// Ends that. Whether another program changed the size or the time of the file since then.
int heddle_database_was_changed(sqlite3 *database);

#endif
