"""A server with the scripted model, for tests."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
from typing import Any

BINARY = os.environ.get("HEDDLE_BIN", str(pathlib.Path(__file__).resolve().parents[3] / ".build/release/heddle"))


class Server:
    def __init__(self, folder: pathlib.Path, *arguments: str):
        self.folder, self.arguments, self.port = folder, arguments, 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        command = [BINARY, "serve", "--data", str(self.folder / "data"), "--listen", f"127.0.0.1:{self.port}",
                   "--grpc", "off", "--http", "off", *self.arguments]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        assert self.process.stdout is not None
        ready: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.port = int(ready["listen"].rsplit(":", 1)[1])
        return self

    @property
    def url(self) -> str:
        return f"heddle://127.0.0.1:{self.port}"

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None and self.process.stdout is not None
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.end(signal.SIGKILL)
