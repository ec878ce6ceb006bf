"""Comments that begin with a clause in place of a noun: `What waits`, though `Requests that wait` names the subject.

    python scripts/clauses.py

lists them. The count may only fall; `clauses.txt` has the number of those that are left.
"""

import re
from functools import cache
from pathlib import Path

from source_text import comments, is_generated

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = ROOT / "scripts" / "clauses.txt"
FOLDERS = ("Sources", "Simulator", "Fuzz", "Tests")

WORDS = re.compile(r"(?:What|Whatever|Who|Whom|Whose|Whoever|Whomever|Whichever|That which|Those who)\b")
# `Where it listens.` is a noun; `Where only ids count, a request waits` is not, and its comma tells.
WHERE = re.compile(r"Where(?:ver)?\b[^,.]*(?:[:;.]|$)")


def is_clause(comment: str) -> bool:
    return bool(WORDS.match(comment) or WHERE.match(" ".join(comment.split())))


@cache
def found() -> list[tuple[Path, int, str]]:
    """(file, line, comment) of each, in files that people write."""
    result = []
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            inside = file.relative_to(ROOT).parts
            if file.suffix in (".swift", ".py", ".c", ".h") and not {".build", "Fixtures"} & set(inside):
                text = file.read_text()
                if not is_generated(text):
                    result += [(file, line, words) for line, words in comments(file, text) if is_clause(words)]
    return result


def count() -> int:
    return len(found())


def by_folder() -> dict[str, int]:
    """By two levels of folders: `Sources/HeddleCore`."""
    counts: dict[str, int] = {}
    for file, _, _ in found():
        folder = "/".join(file.relative_to(ROOT).parts[:2])
        counts[folder] = counts.get(folder, 0) + 1
    return counts


def allowed() -> int:
    return int(ALLOWED.read_text())


def lower() -> None:
    """Makes today's count the most that is allowed, if it is less."""
    if count() < allowed():
        ALLOWED.write_text(f"{count()}\n")


def main() -> None:
    for file, line, words in found():
        print(f"{file.relative_to(ROOT)}:{line}: {' '.join(words.split())[:100]}")
    print(f"clauses: {count()}, allowed {allowed()}")


if __name__ == "__main__":
    main()
