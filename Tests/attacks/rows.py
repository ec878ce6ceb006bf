"""The register: every row of docs/attacks.md is driven by one function, or named with the reason why not."""

import dataclasses
import re
from collections.abc import Callable

from harness.messages import ROOT
from harness.watch import MEMORY_BYTES

STAR = "★"


@dataclasses.dataclass(frozen=True)
class Setup:
    """How a server is started. Rows with the same setup share one; in a `lane` they all run at the same time."""

    name: str
    arguments: tuple = ("--log-format", "json", "--log-level", "debug")
    environment: tuple = ()
    tokens: bool = False
    lane: bool = False


PLAIN = Setup("one tenant")
TOKENS = Setup("tokens", tokens=True)
SLOW = Setup("slow", lane=True)
OWN = Setup("a server of its own")


@dataclasses.dataclass(frozen=True)
class Row:
    """One row and its function. `memory` is the growth that the server may have while it runs."""

    id: str
    is_starred: bool
    on: Setup
    memory: int
    title: str
    drive: Callable

    @property
    def label(self) -> str:
        return self.id + (STAR if self.is_starred else "")


ROWS: dict[str, Row] = {}


def row(label: str, on: Setup = PLAIN, memory: int = MEMORY_BYTES):
    """Registers the function of a row: `@row("F1★")`."""
    def register(drive: Callable) -> Callable:
        name = label.removesuffix(STAR)
        assert name not in ROWS, f"{name} is driven twice"
        title = (drive.__doc__ or "").strip().splitlines()[0]
        ROWS[name] = Row(name, label.endswith(STAR), on, memory, title, drive)
        return drive
    return register


@dataclasses.dataclass(frozen=True)
class ListedRow:
    """One row of the page."""

    id: str
    is_starred: bool
    input: str
    answer: str


def page() -> dict[str, ListedRow]:
    """The rows of docs/attacks.md, in its order."""
    found = {}
    for line in (ROOT / "docs" / "attacks.md").read_text().splitlines():
        if match := re.match(r"\| ([A-Z]\d+)(★?) \| (.*)$", line):
            # A bar inside code is no border of a cell.
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", match[3])]
            assert match[1] not in found, f"{match[1]} stands twice in docs/attacks.md"
            found[match[1]] = ListedRow(match[1], bool(match[2]), cells[0], cells[1])
    return found


def check(listed: dict[str, ListedRow], not_driven: dict[str, str]) -> list[str]:
    """Differences between the register and the page."""
    problems = []
    for name, one in listed.items():
        if name not in ROWS and name not in not_driven:
            problems.append(f"{name} is neither driven nor named with a reason")
        if name in ROWS and name in not_driven:
            problems.append(f"{name} is driven, and named as not driven")
        if name in ROWS and ROWS[name].is_starred != one.is_starred:
            problems.append(f"{name}: the star differs from docs/attacks.md")
    for name in {*ROWS, *not_driven} - set(listed):
        problems.append(f"{name} is not in docs/attacks.md")
    return problems
