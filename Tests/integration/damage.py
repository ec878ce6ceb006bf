"""Damage to a data folder whose server is down, in what one thread has stored and nothing else."""

import contextlib
import pathlib
import sqlite3

from store_pages import seal


def damage(data: pathlib.Path, thread: bytes):
    """Turns bits of every stored event and snapshot of a thread."""
    with contextlib.closing(sqlite3.connect(data / "heddle.db")) as database, database:
        for table in ("events", "snapshots"):
            rows = database.execute(f"SELECT seq, payload FROM {table} WHERE thread = ?", (thread,)).fetchall()
            for sequence, payload in rows:
                changed = bytes(byte ^ 0x55 for byte in payload)
                database.execute(f"UPDATE {table} SET payload = ? WHERE thread = ? AND seq = ?",
                                 (changed, thread, sequence))
    seal(data / "heddle.db")
