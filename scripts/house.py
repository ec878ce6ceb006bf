"""Counts how the house stands: size, circles of files, wide types, callbacks, unsafe confinements; with goals beside.

    python scripts/house.py [TARGET]

With a target it names, for each file of the target's largest circle, the types that it needs of the others.
Targets and what they depend on come from Package.swift, everything else from the files below Sources/; generated files
do not count. There is no Swift parser here: comments and texts are taken out, the rest is read by patterns.
"""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import clauses
from source_text import is_generated, swift_code

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"

LONG_FILE = 400
GOALS = {"circle": 20, "properties": 20, "escaping": 10, "answers": 1, "unsafe": 11}

# The goal for callbacks is this target's; the table shows the others.
RUNTIME = "HeddleRuntime"
# A parameter that says how a request ended. Change the types along with the protocols that hand them to a door.
OUTCOME = re.compile(r":\s*(?:(?:Answer|Refusal|Response|WireError)\b|\[UInt8\])")
# A frame that ends a request, as it is written: `send(.response, …`, `frame(.error, …`.
WRITES_OUTCOME = re.compile(r"\b\w+\(\s*\.(?:response|error)\s*,")
UNSAFE = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)")
# A value that is carried past the compiler's check in a wrapper that is declared unsafe once.
WRAPPED = re.compile(r"\bConfined\w*\s*[({]")

MODIFIERS = r"(?P<modifiers>(?:@\w+(?:\([^)\n]*\))?\s+|[a-z]+(?:\([a-z]+\))?[ \t]+)*)"
TYPE = re.compile(
    rf"^(?P<indent>[ \t]*){MODIFIERS}(?P<kind>struct|class|enum|actor|protocol|typealias)[ \t]+(?!func\b|var\b|let\b)(?P<name>\w+)",
    re.MULTILINE)
EXTENSION = re.compile(rf"^{MODIFIERS}extension[ \t]+(?P<name>\w+)", re.MULTILINE)
FUNCTION = re.compile(rf"^(?P<indent>[ \t]*){MODIFIERS}func[ \t]+(?P<name>\w+)", re.MULTILINE)
PROPERTY = re.compile(rf"{MODIFIERS}(?P<kind>let|var)[ \t]+(?P<name>\w+|\()")
HIDDEN = re.compile(r"\b(?:private|fileprivate)\b(?!\()")


class File:
    def __init__(self, path: Path):
        text = path.read_text()
        self.path = path
        self.is_swift = path.suffix == ".swift"
        self.is_generated = is_generated(text)
        self.lines = text.count("\n")
        self.code = swift_code(text) if self.is_swift and not self.is_generated else ""
        self.words = set(re.findall(r"\w+", self.code))
        self.calls = set(re.findall(r"(?<!func )\b(\w+)\s*(?=[(<{])", self.code))


class Target:
    def __init__(self, description: dict):
        self.name = description["name"]
        self.is_program = description["type"] == "executable"
        self.needs = [d[kind][0] for d in description["dependencies"] for kind in ("byName", "target") if kind in d]
        folder = SOURCES / self.name
        found = [File(path) for path in sorted(folder.rglob("*")) if path.suffix in (".swift", ".c", ".h")]
        self.files = [file for file in found if not file.is_generated]
        self.swift = [file for file in self.files if file.is_swift]
        self.lines = sum(file.lines for file in self.files)

    def count(self, pattern: re.Pattern | str) -> int:
        return sum(len(re.findall(pattern, file.code)) for file in self.swift)


def closing(code: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`."""
    pairs = {"(": ")", "{": "}"}
    opening, depth = code[at], 0
    for found in re.finditer(re.escape(opening) + "|" + re.escape(pairs[opening]), code[at:]):
        depth += 1 if found.group() == opening else -1
        if depth == 0:
            return at + found.start()
    return len(code)


def body(code: str, after: int) -> tuple[int, int]:
    """From the brace that opens behind `after` to the one that closes it."""
    begin = code.find("{", after)
    return (begin, closing(code, begin)) if begin >= 0 else (len(code), len(code))


# ---- Circles of files

def declared(target: Target, pattern: re.Pattern) -> dict[str, set[File]]:
    """Types or functions that stand in a file by themselves and that other files can see. Nested types and methods are
    reached through their type, so they need no edge of their own."""
    names: dict[str, set[File]] = defaultdict(set)
    for file in target.swift:
        for found in pattern.finditer(file.code):
            if not found["indent"] and not HIDDEN.search(found["modifiers"]):
                names[found["name"]].add(file)
    return names


def added(target: Target, types: dict[str, set[File]]) -> dict[str, set[File]]:
    """Methods that an extension adds to a type of another file, by name, if no other file has a function of that name."""
    owners: dict[str, set[File]] = defaultdict(set)
    methods: dict[str, set[File]] = {}
    for file in target.swift:
        for function in FUNCTION.finditer(file.code):
            owners[function["name"]].add(file)
        for extension in EXTENSION.finditer(file.code):
            home = types.get(extension["name"])
            if home and file not in home:
                for method in FUNCTION.finditer(file.code, *body(file.code, extension.end())):
                    if not HIDDEN.search(method["modifiers"]):
                        methods[method["name"]] = {file}
    return {name: files for name, files in methods.items() if len(owners[name]) == 1}


def circle(target: Target, methods: bool) -> tuple[float, list[File]]:
    """The largest set of files that all need each other, and its share of the target's lines in per cent."""
    types = declared(target, TYPE)
    calls = declared(target, FUNCTION) | (added(target, types) if methods else {})
    edges: dict[File, set[File]] = {}
    for file in target.swift:
        needed = [files for name, files in types.items() if name in file.words]
        needed += [files for name, files in calls.items() if name in file.calls]
        edges[file] = set().union(*needed) - {file}
    circles = [c for c in strongly_connected(edges) if len(c) > 1]
    largest = max(circles, key=lambda files: sum(file.lines for file in files), default=[])
    return 100 * sum(file.lines for file in largest) / max(1, target.lines), largest


def strongly_connected(edges: dict) -> list[list]:
    """Groups of files that reach each other. Targets have few files, so each file's reach is worked out by itself."""
    reached = {}
    for start in edges:
        seen, waiting = set(), [start]
        while waiting:
            for other in edges[waiting.pop()]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        reached[start] = seen
    found, done = [], set()
    for file in edges:
        if file not in done:
            together = [other for other in edges if other is file or other in reached[file] and file in reached[other]]
            done.update(together)
            found.append(together)
    return found


def explain(target: Target) -> None:
    types, together = declared(target, TYPE), circle(target, methods=False)[1]
    for file in together:
        print(file.path.relative_to(ROOT))
        for other in together:
            names = [name for name, files in types.items() if other in files and name in file.words]
            if names and other is not file:
                print(f"    {other.path.name}: {', '.join(names)}")
    print(f"house: {target.name}, {len(together)} files need each other")


# ---- Types and their stored properties

def is_stored(code: str, at: int) -> bool:
    """`at` is behind a property's name. A computed one has braces before any `=`, and they do not hold observers."""
    while at < len(code):
        mark = code[at]
        if mark == "(":
            at = closing(code, at)
        elif mark == "{":
            return bool(re.match(r"\{\s*(?:willSet|didSet)\b", code[at:]))
        elif mark in "=\n}":
            return True
        at += 1
    return True


def stored_properties(code: str, begin: int, end: int) -> int:
    """Of the type whose body this is; types in it and bodies of functions are stepped over."""
    count, at = 0, begin + 1
    while at < end:
        line_end = code.find("\n", at)
        line_end = end if line_end < 0 else min(line_end, end)
        start = at + len(code[at:line_end]) - len(code[at:line_end].lstrip())
        found = PROPERTY.match(code, start, line_end)
        if found:
            at = found.end()
            count += not re.search(r"\b(?:static|class)\b", found["modifiers"]) and is_stored(code, at)
        brace = re.compile(r"[{(]").search(code, at, line_end)
        at = closing(code, brace.start()) + 1 if brace else line_end + 1
    return count


def widest(targets: list[Target]) -> tuple[str, int]:
    """The type with most stored properties. A type without functions, such as `Limits`, is a list and is left out."""
    best = ("–", 0)
    for target in targets:
        for file in target.swift:
            for found in TYPE.finditer(file.code):
                inside = body(file.code, found.end())
                if found["kind"] in ("struct", "class", "actor") and FUNCTION.search(file.code, *inside):
                    count = stored_properties(file.code, *inside)
                    if count > best[1]:
                        best = (found["name"], count)
    return best


# ---- Doors

def functions(file: File):
    """(name, parameters, body) of each function with a body."""
    for found in FUNCTION.finditer(file.code):
        opening = file.code.find("(", found.end())
        end = closing(file.code, opening)
        yield found["name"], file.code[opening : end + 1], file.code[slice(*body(file.code, end))]


def requirements(targets: list[Target]) -> dict[str, set[str]]:
    """By protocol: its functions, and those that it inherits, that hand over how a request ended, and which one."""
    found: dict[str, set[str]] = {}
    inherits: dict[str, list[str]] = {}
    for file in [file for target in targets for file in target.swift]:
        for protocol in TYPE.finditer(file.code):
            if protocol["kind"] == "protocol":
                begin, end = body(file.code, protocol.end())
                found[protocol["name"]] = {
                    function["name"] for line in file.code[begin:end].splitlines()
                    if (function := FUNCTION.match(line)) and "," in line and OUTCOME.search(line)}
                inherits[protocol["name"]] = re.findall(r"\w+", file.code[protocol.end() : begin])
    for name in found:
        waiting = list(inherits[name])
        for parent in waiting:
            found[name] |= found.get(parent, set())
            waiting += [new for new in inherits.get(parent, []) if new not in waiting]
    return found


def answering(target: Target, targets: dict[str, Target]) -> list[str]:
    """Functions that answer a request: they write the frame that ends it, or another target notifies them of its end."""
    if RUNTIME not in closure(target.name, targets):
        return []
    told = set()
    inner = [targets[name] for name in closure(target.name, targets) - {target.name}]
    for protocol, names in requirements(inner).items():
        if names and target.count(rf"\b(?:class|struct|actor|extension)[ \t]+\w+[^{{]*\b{protocol}\b"):
            told |= names
    return [
        name for file in target.swift for name, parameters, code in functions(file)
        if WRITES_OUTCOME.search(code) or name in told and "," in parameters and OUTCOME.search(parameters)
    ]


def closure(name: str, targets: dict[str, Target]) -> set[str]:
    """The target and all that it needs."""
    seen, waiting = {name}, [name]
    while waiting:
        new = {need for need in targets[waiting.pop()].needs if need in targets} - seen
        seen |= new
        waiting += new
    return seen


# ---- The table

def table(rows: list[list[str]], left: tuple[int, ...]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for index, row in enumerate(rows):
        cells = [cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("| " + " | ".join(cells) + " |")
        if index == 0:
            print("|" + "|".join("-" * (w + 1) + (":" if i not in left else "-") for i, w in enumerate(widths)) + "|")


def goal(what: str, value: int, most: int, detail: str) -> list[str]:
    return [what, str(value), f"≤ {most}", "kept" if value <= most else "missed", detail]


def listed(names: list[str]) -> str:
    return ", ".join(name + (f" ×{count}" if count > 1 else "") for name, count in sorted(Counter(names).items()))


def main() -> None:
    package = json.loads(subprocess.check_output(["swift", "package", "dump-package"], cwd=ROOT))
    described = [t for t in package["targets"] if t["type"] != "test" and not t.get("path")]
    targets = {t["name"]: Target(t) for t in described if (SOURCES / t["name"]).is_dir()}
    if sys.argv[1:]:
        return explain(targets[sys.argv[1]])
    order = sorted(targets.values(), key=lambda t: t.name)

    rows = [["target", "lines", "files", f"over {LONG_FILE}", "circle", "with extensions", "widest type", "properties",
             "@escaping", "unsafe", "answers", "clauses"]]
    circles, answers = {}, {}
    by_folder = clauses.by_folder()
    for target in order:
        circles[target.name] = circle(target, methods=False)
        answers[target.name] = answering(target, targets)
        share, whole = circles[target.name][0], circle(target, methods=True)[0]
        name, count = widest([target])
        rows.append([
            target.name, f"{target.lines:,}", str(len(target.files)),
            str(sum(file.lines > LONG_FILE for file in target.files)), f"{share:.0f} %", f"{whole:.0f} %",
            name, str(count), str(target.count("@escaping")), str(target.count(UNSAFE)),
            str(len(answers[target.name])), str(by_folder.get(f"Sources/{target.name}", 0))])
    files = [file for target in order for file in target.files]
    rows.append([
        "all", f"{sum(f.lines for f in files):,}", str(len(files)), str(sum(f.lines > LONG_FILE for f in files)), "", "",
        "", "", str(sum(t.count("@escaping") for t in order)), str(sum(t.count(UNSAFE) for t in order)),
        str(sum(map(len, answers.values()))), str(sum(n for f, n in by_folder.items() if f.startswith("Sources/")))])
    table(rows, left=(0, 6))

    print("\nIn the table: the largest circle of files that need each other's types, as a share of the target's lines; the")
    print("same if calls of methods count that an extension in another file adds; stored properties of the widest type\nthat has functions.\n")

    name, count = widest(order)
    runtime = targets.get(RUNTIME)
    goals = [["figure", "now", "goal", "", "where"]]
    for target in sorted(order, key=lambda t: -circles[t.name][0]):
        share, together = circles[target.name]
        if share > GOALS["circle"] or target.name == RUNTIME:
            goals.append(goal("largest circle, %", round(share), GOALS["circle"], f"{target.name}, {len(together)} files"))
    goals.append(goal("properties of the widest type", count, GOALS["properties"], name))
    if runtime:
        goals.append(goal("@escaping", runtime.count("@escaping"), GOALS["escaping"], RUNTIME))
    for door, names in answers.items():
        if names:
            goals.append(goal("functions that answer a request", len(names), GOALS["answers"], f"{door}: {listed(names)}"))
    if not any(answers.values()):
        goals.append(["functions that answer a request", "?", "", "", "none found: see OUTCOME in scripts/house.py"])
    unsafe = sum(t.count(UNSAFE) for t in order if not t.is_program)
    wrapped = sum(t.count(WRAPPED) for t in order)
    goals.append(goal("unsafe confinements", unsafe, GOALS["unsafe"], f"in libraries; besides, {wrapped} values are wrapped"))
    goals.append(goal("comments that begin with a clause", clauses.count(), clauses.allowed(), ", ".join(clauses.FOLDERS)))
    table(goals, left=(0, 3, 4))


if __name__ == "__main__":
    main()
