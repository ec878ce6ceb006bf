"""The program that answers for the server: batches in, answers out, and whose message it was when it dies."""

import os
import pathlib
import struct
import subprocess

HEAD, RECORD, ANSWER = struct.Struct("<I"), struct.Struct("<HI"), struct.Struct("<BI")


class Died(Exception):
    """The decoder ended. `index` is the message of the batch that it did not answer."""

    def __init__(self, index: int, code: int):
        super().__init__(f"the decoder ended with {code}")
        self.index = index


class Decoder:
    def __init__(self, program: pathlib.Path, *arguments: str):
        self.command = [program, *arguments]
        self.process: subprocess.Popen | None = None
        self.each = False

    def listed(self) -> list[str]:
        out = subprocess.run([self.command[0], "--list"], capture_output=True, text=True, check=True, timeout=30)
        return out.stdout.split()

    def send(self, batch: list):
        """A list of (shape, bytes). The answers are to be read before the next batch is sent."""
        if self.process is None:
            command = self.command + (["--each"] if self.each else [])
            # A crash is reported by its message, not by a backtrace.
            environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        body = b"".join(RECORD.pack(shape.index, len(data)) + data for shape, data in batch)
        try:
            self.process.stdin.write(HEAD.pack(len(body)) + body)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # `answers` reports it

    def answers(self, batch: list) -> list:
        """(what, bytes) for each message. If the decoder dies, it gets the messages again, one at a time."""
        try:
            return self._read(len(batch))
        except Died:
            if self.each:
                raise
        self.each = True
        try:
            self.send(batch)
            out = self._read(len(batch))
        finally:
            self.close()
            self.each = False
        return out

    def _read(self, count: int) -> list:
        out: list = []
        while len(out) < count:
            body = self._exactly(*HEAD.unpack(self._exactly(HEAD.size, len(out))), len(out))
            at = 0
            while at < len(body):
                what, size = ANSWER.unpack_from(body, at)
                at += ANSWER.size
                out.append((what, body[at:at + size]))
                at += size
        return out

    def _exactly(self, count: int, index: int) -> bytes:
        data = self.process.stdout.read(count)
        if len(data) < count:
            process, self.process = self.process, None
            raise Died(index, process.wait(30))
        return data

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait(30)
            self.process = None
