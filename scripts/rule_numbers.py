"""Rule numbers and their owners: who defines `N1`, and what a quotation of it means.

    python scripts/rule_numbers.py [--owners] [--all]

lists the quotations that a reader could take for another rule; `--owners` lists who defines what, `--all` each quotation
with its meaning. A number is defined by a page (rules.md, durability.md, attacks.md, performance.md) or at the head of
the file that keeps it (`N1  An answer …`), and the name of that file is its type. Quotations say which one they mean:

    Session.N1, Store.P1 to P9      an invariant of a type; so is `N1 of Session.swift`
    attacks.md R8, R13 · M4★        a number of a page; the star is a row of attacks.md
    N1                              the file's own; in `ReadPoolTests.swift` that of ReadPool; in folders of `HOMES` that of
                                    their page; else a rule of rules.md or durability.md, unless a file beside
                                    it defines that number too. Where the head of a test names
                                    attacks.md, and not rules.md, its rows come before those rules
"""

import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Iterator, NamedTuple

from source_text import comments, is_generated

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = ROOT / "scripts" / "rule_numbers.txt"
FOLDERS = ("Sources", "Simulator", "Fuzz", "Tests", "Benchmarks", "codegen", "scripts", "proto", "docs")

# Where each page defines its numbers.
PAGES = {
    "rules": r"^- \*\*([A-Z]\d+)\*\*",
    "durability": r"^\| (D\d+) \|",
    "attacks": r"^\| ([A-Z]\d+)★? \|",
    "performance": r"^\| (P\d+) \|",
}
# Pages whose numbers need no name, everywhere.
DEFAULT = ("rules", "durability")
# Folders and pages whose bare numbers have an owner of their own.
HOMES = {
    "Tests/attacks/": "attacks", "Tests/differential/": "attacks", "Tests/many/": "attacks",
    "Sources/HeddleProtocol/DecodeError.swift": "attacks", "Tests/StoreContract/": "Store",
    "Benchmarks/": "performance", "docs/growth.md": "performance",
    **{f"docs/{page}.md": page for page in PAGES},
}

NUMBER = r"[A-Z]\d{1,2}(?!\w|\.\d)"
DEFINITION = re.compile(rf"(?:(?P<type>\w+)\.)?(?P<number>{NUMBER})(?:  |: )\S")
QUOTED = re.compile(rf"(?<![\w.#%/$-])(?P<number>{NUMBER})(?P<star>★?)")
QUALIFIED = re.compile(rf"\b(?P<type>[A-Z]\w+)\.(?P<number>{NUMBER})")
# A list that a name stands in front of: `attacks.md R8, R13`, `Store.P1 to P9`.
LIST = r"(?:[A-Z]\d{1,2}★?(?:, | and | or | to | ))*$"
NAMED = re.compile(rf"(?:\b(?P<page>{'|'.join(PAGES)})\.md,? |\b(?P<type>[A-Z]\w+)\.(?=[A-Z]\d)){LIST}")
OF = re.compile(rf"(?:(?:, | and | to )[A-Z]\d{{1,2}})* of (?:(?P<page>{'|'.join(PAGES)})\.md|(?P<type>[A-Z]\w+)\.swift)")
LOOSE = re.compile(rf"\b(?P<type>[A-Z]\w+)(?:\.swift)?,? {LIST}")


class Quotation(NamedTuple):
    file: Path
    line: int
    number: str
    owner: str | None
    problem: str

    def __str__(self) -> str:
        where = f"{self.file.relative_to(ROOT)}:{self.line}: {self.number}"
        return f"{where}: {self.problem}" if self.problem else f"{where} is {self.owner}'s"


@cache
def files() -> list[Path]:
    found = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            inside = file.relative_to(ROOT).parts
            if file.suffix in (".swift", ".py", ".c", ".h", ".md", ".proto") and not {".build", "Fixtures"} & set(inside):
                found.append(file)
    return [file for file in found if file != Path(__file__).resolve() and not is_generated(text(file))]


@cache
def text(file: Path) -> str:
    return file.read_text()


@cache
def head(file: Path) -> str:
    """The comment that a file begins with."""
    if file.suffix == ".py":
        found = re.match(r'(?:#.*\n)*\s*"""(.*?)"""', text(file), re.S)
        return found.group(1) if found else ""
    lines = []
    for line in text(file).splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return "\n".join(lines)


@cache
def definitions(file: Path) -> list[str]:
    if file.suffix not in (".swift", ".py", ".c", ".h"):
        return []
    found = [m for m in map(DEFINITION.match, map(str.strip, head(file).splitlines())) if m]
    # The head of a test says `I2: …` of a rule that it tests; a program in Tests lists its own with two spaces.
    if "Tests" in file.relative_to(ROOT).parts:
        found = [m for m in found if m.group().endswith("  " + m.group()[-1])]
    return [m["number"] for m in found]


@cache
def owners() -> dict[str, Counter]:
    """How often each page and each type defines each number."""
    found: dict[str, Counter] = defaultdict(Counter)
    for page, pattern in PAGES.items():
        numbers = re.findall(pattern, text(ROOT / f"docs/{page}.md"), re.M)
        # Results of performance.md have several lines a target.
        found[page].update(set(numbers) if page == "performance" else numbers)
    for file in files():
        if numbers := definitions(file):
            found[file.stem].update(numbers)
    return found


@cache
def known() -> set[str]:
    return {number for numbers in owners().values() for number in numbers}


@cache
def home(file: Path) -> str | None:
    """The owner that bare numbers of this file have before the default."""
    inside = file.relative_to(ROOT).as_posix()
    for place, owner in HOMES.items():
        if inside.startswith(place):
            return owner
    return "attacks" if names_attacks(file) and "rules.md" not in head(file) else None


def names_attacks(file: Path) -> bool:
    """The head of a test says which page it is about; elsewhere a name in the head is one of many."""
    return "Tests" in file.relative_to(ROOT).parts and "attacks.md" in head(file)


@cache
def neighbours(folder: Path) -> set[str]:
    """Numbers that files of a folder define."""
    return {number for file in files() if file.parent == folder for number in definitions(file)}


def meaning(file: Path, number: str) -> str | None:
    """The owner of a number that is quoted without a name."""
    near = [file.stem if number in definitions(file) else None]
    near += [file.stem.removesuffix("Tests") if file.stem.endswith("Tests") else None, home(file)]
    # A reader may take it for the rule of a page or for the invariant of a file beside this one.
    far = [*DEFAULT] if number not in neighbours(file.parent) else []
    far.append("attacks" if names_attacks(file) else None)
    return next((owner for owner in near + far if owner and number in owners().get(owner, {})), None)


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Comments, names of tests and findings of the simulator, or the lines of a page."""
    if file.suffix in (".md", ".proto"):
        for line, words in enumerate(text(file).splitlines(), 1):
            if file.suffix == ".md" or "//" in words:
                yield line, words
        return
    for line, words in comments(file, text(file)):
        yield line, " ".join(re.sub(r"^[/*#!]+", "", part.strip()).strip() for part in words.splitlines())
    if file.suffix == ".swift":
        for found in re.finditer(r'(?:@Test|StoreRule|violated|Violation)\((?:text: )?\s*"((?:[^"\\]|\\.)*)"', text(file)):
            yield text(file).count("\n", 0, found.start()) + 1, found.group(1)


def quotations(file: Path) -> Iterator[Quotation]:
    for line, words in texts(file):
        # A number in backticks is no rule: `V2` is a version. A name with its number is one.
        words = re.sub(r"`([^`]*)`", lambda m: m[1] if QUALIFIED.fullmatch(m[1]) else " " * len(m[0]), words)
        for found in QUALIFIED.finditer(words):
            owner, number = found["type"], found["number"]
            if owner in owners():
                lacks = number not in owners()[owner]
                yield Quotation(file, line, number, owner, f"{owner} defines no {number}" if lacks else "")
        for found in QUOTED.finditer(words):
            if found["number"] in known():
                yield quotation(file, line, found, words)


def quotation(file: Path, line: int, found: re.Match, words: str) -> Quotation:
    number, before = found["number"], words[: found.start()]
    named, loose = NAMED.search(before) or OF.match(words, found.end()), LOOSE.search(before)
    if found["star"] and number in owners()["attacks"]:
        owner = "attacks"
    elif named and number in owners().get(named["page"] or named["type"], {}):
        owner = named["page"] or named["type"]
    elif loose and number in owners().get(loose["type"], {}):
        return Quotation(file, line, number, loose["type"], f"write {loose['type']}.{number}")
    else:
        owner = meaning(file, number)
    if owner is None:
        names = [name if name not in PAGES else f"{name}.md" for name, numbers in owners().items() if number in numbers]
        return Quotation(file, line, number, None, f"may be that of {', '.join(names)}")
    return Quotation(file, line, number, owner, "")


def of_page(page: str, file: Path, words: str) -> list[str]:
    """The numbers of this page among those that `words` of a file quote."""
    found = (quotation(file, 0, found, words) for found in QUOTED.finditer(words))
    return [quotation.number for quotation in found if quotation.owner == page]


@cache
def ambiguous() -> list[Quotation]:
    return [quotation for file in files() for quotation in quotations(file) if quotation.problem]


def twice() -> list[str]:
    """Numbers that one owner defines twice: two files of one name, or two lines of a page."""
    return [f"{owner} defines {number} twice" for owner, numbers in owners().items()
            for number, times in numbers.items() if times > 1]


def counts() -> dict[str, int]:
    return dict(Counter(quotation.file.relative_to(ROOT).as_posix() for quotation in ambiguous()))


def allowed() -> dict[str, int]:
    """By file; a file that is not listed is allowed none."""
    return {file: int(count) for file, count in map(str.split, ALLOWED.read_text().splitlines())}


def lower() -> None:
    """Makes today's counts the most that is allowed, where they are less."""
    now = counts()
    kept = {file: min(count, now[file]) for file, count in allowed().items() if file in now}
    ALLOWED.write_text("".join(f"{file} {count}\n" for file, count in sorted(kept.items())))


def main() -> None:
    if "--owners" in sys.argv:
        for owner, numbers in owners().items():
            print(f"{owner}: {' '.join(numbers)}")
    if "--all" in sys.argv:
        for file in files():
            print(*quotations(file), sep="\n")
    else:
        print(*ambiguous(), sep="\n")
    print(f"rule numbers: {len(known())}, with several owners "
          f"{sum(sum(number in numbers for numbers in owners().values()) > 1 for number in known())}; "
          f"ambiguous quotations {len(ambiguous())}, allowed {sum(allowed().values())}")


if __name__ == "__main__":
    main()
