// A disk in memory behind an SQLite VFS, for one thread. Unsynced writes are uncertain: a power cut keeps, drops, tears or
// trashes each of them. All chance comes from one seed.

#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdint.h>

// Chances are out of a million, for each call.
typedef struct {
  uint32_t write_error;  // EIO, nothing is written
  uint32_t sync_error;   // EIO; unsynced writes are lost or not, and a later sync does not bring them back
  uint32_t disk_full;    // ENOSPC for one write
  uint32_t read_error;   // EIO, nothing is read; a later try may succeed
  uint32_t keeps;        // unsynced writes at a power cut: written as if they had been synced
  uint32_t tears;        // … only a beginning is written, in sectors of 512 bytes
  uint32_t trashes;      // … random bytes are written; the rest is dropped
  // Planted faults of the disk itself: a checker has to see that they lose acknowledged writes.
  uint8_t ignores_syncs;
} simulated_disk_faults;

typedef struct {
  uint64_t writes, bytes, syncs, truncations;
  uint64_t write_errors, sync_errors, read_errors, full;
  uint64_t cuts, kept, dropped, torn, trashed;
} simulated_disk_counts;

// Registers the VFS under this name; 0 on success.
int simulated_disk_register(const char *name);
// An empty disk.
void simulated_disk_reset(uint64_t seed);
void simulated_disk_set_faults(simulated_disk_faults faults);
// No more than this many bytes in all files; 0: any number.
void simulated_disk_set_capacity(int64_t bytes);
int64_t simulated_disk_size(void);
// The bytes of a file as the process sees them, until the next change; NULL: there is no such file.
const unsigned char *simulated_disk_bytes(const char *name, int64_t *size);
// Cuts the power at the write, truncation or sync with this number, counted from now; neither it nor a later one happens.
// 0: not at all. `simulated_disk_is_off` says that it has happened; `simulated_disk_cut` is still to be called.
void simulated_disk_cut_after(int64_t calls);
int simulated_disk_is_off(void);
// Replaces a file by a synced copy of itself, as a server does with its log before it reads it.
void simulated_disk_renew(const char *name);
// The power goes: open files cannot be used any more, and the fate of unsynced writes is decided.
void simulated_disk_cut(void);
// The process goes and the machine stays: open files cannot be used any more, nothing is lost.
void simulated_disk_kill(void);
simulated_disk_counts simulated_disk_count(void);

#endif
