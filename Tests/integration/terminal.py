"""A terminal for one program: a pty, and a screen that understands what `heddle chat` writes, and nothing else."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

SEQUENCE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])")


class Screen:
    """Rows of cells. Rows that scroll off the top stay, as they do in a terminal's scroll-back."""

    def __init__(self, width: int, height: int):
        self.width, self.height = width, height
        self.rows: list[list[str]] = [[]]
        self.row = self.column = 0
        self.full = False
        self.rest = ""
        # Rows that the terminal broke: the next one goes on with them.
        self.broken: set[int] = set()

    def resize(self, width: int, height: int):
        """Lines are broken anew, as most terminals do, and the cursor stays with its cell."""
        lines, at = [], (0, 0)
        for index, row in enumerate(self.rows):
            if index - 1 not in self.broken:
                lines.append([])
            if index == self.row:
                at = len(lines) - 1, len(lines[-1]) + self.column + self.full
            lines[-1] += row
        self.rows, self.broken, self.full, self.width, self.height = [], set(), False, width, height
        for number, line in enumerate(lines):
            start = len(self.rows)
            self.rows += [line[cell:cell + width] for cell in range(0, len(line), width)] or [[]]
            self.broken |= set(range(start, len(self.rows) - 1))
            if number == at[0]:
                self.row, self.column = start + at[1] // width, at[1] % width
                self.rows += [[] for _ in range(self.row + 1 - len(self.rows))]

    @property
    def lines(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.rows]

    def write(self, text: str):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if found is None:
                    # Cut in the middle by a read, or nothing that this program may write.
                    assert len(text) - at < 16, f"an unknown sequence: {text[at:at + 20]!r}"
                    self.rest = text[at:]
                    return
                self._sequence(*found.groups())
                at = found.end()
                continue
            self._character(text[at])
            at += 1

    def _character(self, character: str):
        if character == "\n":
            self._line_feed(self.column)
        elif character == "\r":
            self.column, self.full = 0, False
        else:
            assert character >= " " and not "\x7f" <= character <= "\x9f", f"a control character: {character!r}"
            self._put(character)

    def _line_feed(self, column: int, breaks: bool = False):
        self.broken = self.broken | {self.row} if breaks else self.broken - {self.row}
        self.row += 1
        self.column, self.full = column, False
        if self.row == len(self.rows):
            self.rows.append([])

    def _put(self, character: str):
        if unicodedata.combining(character):
            self.rows[self.row][self.column - 1] += character
            return
        cells = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.full or self.column + cells > self.width:
            self._line_feed(0, breaks=True)
        row = self.rows[self.row]
        row.extend(" " * (self.column + cells - len(row)))
        row[self.column] = character
        if cells == 2:
            row[self.column + 1] = ""
        self.column += cells
        self.full = self.column == self.width
        if self.full:
            self.column -= 1

    def _sequence(self, parameters: str, last: str):
        count = int(parameters) if parameters.isdigit() else 1
        if last == "A":
            assert self.row - count >= max(0, len(self.rows) - self.height), "the cursor leaves the screen"
            self.row, self.full = self.row - count, False
        elif last == "C":
            self.column, self.full = min(self.width - 1, self.column + count), False
        elif last == "J" and parameters == "":
            del self.rows[self.row][self.column:]
            del self.rows[self.row + 1:]
            self.broken = {row for row in self.broken if row < self.row}
        elif last == "m" or (last in "hl" and parameters == "?2004"):
            pass
        else:
            raise AssertionError(f"a sequence that is not known: {parameters}{last}")


class Terminal:
    """A program on a pty of its own. Everything that is awaited has a deadline."""

    SECONDS = 60.0

    def __init__(self, *command, width: int = 100, height: int = 40, environment: dict | None = None):
        self.screen = Screen(width, height)
        self.raw = b""
        self.pending = b""
        self.main, self.side = pty.openpty()
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.before = termios.tcgetattr(self.side)
        # A test that names no place of its own keeps nothing in the home of the person who runs it.
        named = {"HOME", "XDG_STATE_HOME", "HEDDLE_CHAT_HISTORY"} & set(environment or {})
        # None takes a variable away.
        variables = {**os.environ, "TERM": "xterm-256color", **({} if named else {"HEDDLE_CHAT_HISTORY": ""}),
                     **(environment or {})}
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=self.side, stdout=self.side, stderr=self.side,
            start_new_session=True, preexec_fn=self._make_controlling,
            env={name: value for name, value in variables.items() if value is not None})

    @staticmethod
    def _make_controlling():
        """Runs in the child, after setsid: a shell has job control on a terminal of its own only. A shell ignores these
        signals for what it starts in the background, and a program inherits that."""
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        os.close(self.main)
        os.close(self.side)

    # In

    def type(self, text: str):
        os.write(self.main, text.encode())

    def enter(self, text: str):
        """A line, or several with Alt-Enter between them."""
        self.type(text.replace("\n", "\x1b\r") + "\r")

    def resize(self, width: int, height: int = 40):
        self.screen.resize(width, height)
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.signal(signal.SIGWINCH)

    def look(self, seconds: float):
        """Takes in all that is written in this time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._read(deadline)

    def signal(self, number: int):
        self.process.send_signal(number)

    # Out

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self.main], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return False
        data = os.read(self.main, 1 << 16)
        self.raw += data
        text, self.pending = self._decode(self.pending + data)
        self.screen.write(text)
        return True

    @staticmethod
    def _decode(data: bytes) -> tuple[str, bytes]:
        for cut in range(4):
            try:
                return data[:len(data) - cut].decode(), data[len(data) - cut:]
            except UnicodeDecodeError:
                continue
        raise AssertionError(f"not UTF-8: {data[-40:]!r}")

    @property
    def text(self) -> str:
        return "\n".join(self.screen.lines)

    def wait(self, wanted, count: int = 1) -> str:
        """Until the screen has this text so many times, or a function of the whole text says yes."""
        deadline = time.monotonic() + self.SECONDS
        met = wanted if callable(wanted) else lambda text: text.count(wanted) >= count
        while not met(self.text):
            if not self._read(deadline):
                raise AssertionError(f"never saw {wanted!r}; the screen:\n{self.text}")
        return self.text

    def end(self) -> int:
        """The status that the program ends with."""
        deadline = time.monotonic() + self.SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end; the screen:\n{self.text}"
            self._read(min(deadline, time.monotonic() + 0.05))
        while self._read(time.monotonic()):
            pass
        return self.process.returncode

    @property
    def is_restored(self) -> bool:
        """The terminal is as it was, and pasted text is plain again."""
        on, off = self.raw.rfind(b"\x1b[?2004h"), self.raw.rfind(b"\x1b[?2004l")
        return termios.tcgetattr(self.side) == self.before and off >= on

    @property
    def is_raw(self) -> bool:
        return not termios.tcgetattr(self.side)[3] & (termios.ICANON | termios.ECHO)
