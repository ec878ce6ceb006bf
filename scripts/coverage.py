"""Regions that tests reach, by target and file, and unreached ones that docs/coverage.md does not explain.

    python scripts/coverage.py EXPORT [--all]

EXPORT is the output of `llvm-cov export`. A region is one piece of source that is run or not as a whole; it is reached if any
copy of it (a generic function has several) is. `--all` prints the explained ones too.

docs/coverage.md explains a region by a line `- `File.swift`: `code`` under a heading that is the reason: `code` is part of
the first line of the region, or all of it if it is no more than a brace. With `*.swift` it is any file, and the region begins with `code` or right behind it. An
explanation that no region needed this time is named.
"""

import argparse
import collections
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPLANATIONS = ROOT / "docs" / "coverage.md"
# Shares of the regions that are to be reached.
AIMS = {"HeddleCore": 95.0, "HeddleJSON": 95.0, "HeddleProtocol": 95.0, "HeddleStorage": 92.0, "HeddleSQLite": 92.0}
CODE = 0  # kind of a region that is code; others are gaps and skipped text


def regions(export: dict) -> dict:
    """file → {(line, column, line, column): count}"""
    found = collections.defaultdict(dict)
    for function in export["data"][0]["functions"]:
        for first, column, last, end, count, file, _, kind in function["regions"]:
            if kind != CODE:
                continue
            name = function["filenames"][file]
            if "/Sources/Heddle" not in name:
                continue
            place = (first, column, last, end)
            found[name][place] = max(found[name].get(place, 0), count)
    return found


def explanations() -> list[tuple[str, str]]:
    """(file, code) of each line that explains."""
    if not EXPLANATIONS.exists():
        return []
    return re.findall(r"^- `([^`]+\.swift)`: ``? ?(.+?) ?``?$", EXPLANATIONS.read_text(), re.MULTILINE)


def explain(file: str, line: str, column: int, known: list[tuple[str, str]]) -> tuple[str, str] | None:
    def fits(one: tuple[str, str]) -> bool:
        name, code = one
        if name == "*.swift":
            return line[column - 1:].startswith(code) or line[:column - 1].rstrip().endswith(code)
        return name == Path(file).name and (code == line.strip() if code in ("}", "else {") else code in line)
    return next(filter(fits, known), None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("export", type=Path)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    found, known = regions(json.loads(options.export.read_text())), explanations()
    used, unexplained, rows = set(), [], []
    totals = collections.defaultdict(lambda: [0, 0])
    for file in sorted(found):
        target = re.search(r"/Sources/(\w+)/", file)[1]
        if target not in AIMS:
            continue
        lines = Path(file).read_text().splitlines()
        missed = sorted(place for place, count in found[file].items() if count == 0)
        for total in (target, f"{target}, {'generated' if '/Generated/' in file else 'by hand'}"):
            totals[total][0] += len(found[file]) - len(missed)
            totals[total][1] += len(found[file])
        rows.append((target, Path(file).name, len(found[file]) - len(missed), len(found[file])))
        for first, column, last, end in missed:
            text = lines[first - 1][column - 1:].strip() or lines[first - 1].strip()
            why = explain(file, lines[first - 1], column, known)
            if why:
                used.add(why)
            else:
                unexplained.append(f"{Path(file).name}:{first}:{column}-{last}:{end}")
            if options.all or not why:
                print(f"{Path(file).name}:{first}:{column}: {lines[first - 1].strip()}   [{text[:40]}]"
                      + (f"   explained by `{why[1]}`" if why else ""))
    print("\n| target | file | reached | regions | % |\n|---|---|---:|---:|---:|")
    for target, name, reached, count in rows:
        print(f"| {target} | {name} | {reached} | {count} | {100 * reached / max(1, count):.1f} |")
    shares = {target: 100 * totals[target][0] / max(1, totals[target][1]) for target in AIMS}
    for total, (reached, count) in sorted(totals.items()):
        print(f"| **{total}** | all | {reached} | {count} | **{100 * reached / max(1, count):.1f}** |")
    idle = [one for one in known if one not in used]
    for file, code in idle:
        print(f"docs/coverage.md: nothing needs `{file}`: `{code}` this time")
    print("coverage: " + " ".join(f"{target}={share:.1f}%" for target, share in shares.items())
          + f" unexplained={len(unexplained)} idle-explanations={len(idle)}")
    return 1 if unexplained or any(shares[target] < aim for target, aim in AIMS.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
