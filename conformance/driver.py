"""A client's driver as a process: steps in, reports out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import struct

from schema import conformance

SILENCE = 10.0


class DriverDied(Exception):
    """The driver ended, or said nothing for ten seconds."""


class Driver:
    def __init__(self, command: list[str], folder: str):
        self.command, self.folder = command, folder
        self.process: asyncio.subprocess.Process | None = None
        self.next_id = 0

    async def start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
        self.process = await asyncio.create_subprocess_exec(
            *self.command, cwd=self.folder, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE, env=environment, limit=1 << 26)
        self.errors = bytearray()
        self._listening = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        while data := await self.process.stderr.read(65_536):
            self.errors += data
            del self.errors[:-20_000]

    async def stop(self) -> None:
        if self.process is None:
            return
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 5)
        except (asyncio.TimeoutError, TimeoutError):
            return await self.kill()
        self._listening.cancel()
        self.process = None

    async def kill(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
            self._listening.cancel()
            self.process = None

    async def step(self, seconds: float = SILENCE, **what) -> conformance.Report:
        if self.process is None or self.process.returncode is not None:
            await self.start()
        self.next_id += 1
        step = conformance.Step(id=self.next_id, **what).SerializeToString()
        try:
            self.process.stdin.write(struct.pack(">I", len(step)) + step)
            await self.process.stdin.drain()
            head = await asyncio.wait_for(self.process.stdout.readexactly(4), seconds)
            body = await asyncio.wait_for(self.process.stdout.readexactly(struct.unpack(">I", head)[0]), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            await self.kill()
            raise DriverDied(f"the driver said nothing for {seconds:g} s: {list(what)}") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            await asyncio.sleep(0.1)
            await self.kill()
            raise DriverDied(f"the driver ended: {self.errors.decode(errors='replace')[-1_500:]}") from None
        report = conformance.Report.FromString(body)
        if report.id != self.next_id:
            raise DriverDied(f"the driver answers step {report.id} instead of {self.next_id}")
        return report
