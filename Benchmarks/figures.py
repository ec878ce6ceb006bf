"""The names under which the measurements of growth use wire.py and lg: a server on a given folder, one connection, one load."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import sections
import wire
from wire import HEADER, ROOT, Connection, Frame

__all__ = ["HEADER", "ROOT", "Connection", "Frame", "Server", "load", "sync_rate"]


class Server(wire.Heddle):
    """On a folder that stays; ended by its own pid."""

    def __init__(self, heddle: Path, folder: str, *arguments: str):
        super().__init__(heddle, *arguments, folder=folder)


def load(tools: Path, port: int, pid: int, hello: Path, requests: Path, connections: int, depth: int, seconds: float):
    """All that lg says about a closed loop of these requests."""
    out = subprocess.run(
        [tools / "lg", "-p", str(port), "-F", "heddle", "-I", hello, "-f", requests, "-c", str(connections),
         "-d", str(depth), "-t", str(seconds), "-S", str(pid)], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def sync_rate(seconds: float = 2) -> dict:
    return {"figure": "fdatasync of 4 KiB appends", "per_second": sections.syncs(None, seconds)["per_second"]}
