"""Laws that a compiler does not know: purity of the core, length of files and functions, no traps on a peer's bytes."""

import re
import sys
from pathlib import Path

import clauses
import rule_numbers

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"

# (pattern, where it is forbidden, what to do instead)
WORDS = [
    (r"\bimport\b", ["HeddleCore"], "the core imports nothing: hand in what it needs"),
    (r"\b(async|await|actor)\b|\bTask\s*[{(]", ["HeddleCore", "HeddleJSON", "HeddleProtocol"], "waiting belongs to the runtime"),
    (r"\bDate\(|\bUUID\(|SystemRandomNumberGenerator|\.random\(in", ["HeddleCore", "HeddleProtocol"],
     "time, randomness and ids are handed in"),
    (r"^\s*(public |private |fileprivate )?(nonisolated\(unsafe\) )?var ", ["HeddleCore@top"], "no global state"),
    (r"\bprint\(", ["HeddleCore", "HeddleProtocol", "HeddleStorage", "HeddleSQLite", "HeddleRuntime", "HeddleTokens",
                    "HeddleService", "HeddleListener", "HeddleFrames", "HeddleRPC", "HeddleGRPC", "HeddleHTTP",
                    "HeddleRecorder", "HeddleServer", "HeddleModels"],
     "log it, or return it"),
    (r"\btry!|\bas!|\bfatalError\(|\bunsafeBitCast\(", ["*"], "answer an error; a client's bytes must not end the process"),
    (r"\bTODO\b|\bFIXME\b|\bXXX\b", ["*"], "do it, or open an issue"),
]

FILE_LINES = 800
FUNCTION_LINES = 70


def targets():
    for folder in sorted(SOURCES.iterdir()):
        if folder.is_dir():
            yield folder


def code(line: str) -> str:
    """The line without comments and texts."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//")[0]


def check_words(folder: Path, file: Path, lines: list[str], problems: list) -> None:
    for pattern, where, instead in WORDS:
        top = f"{folder.name}@top" in where
        if folder.name not in where and "*" not in where and not top:
            continue
        for number, line in enumerate(lines, 1):
            text = line if "TODO" in pattern else code(line)
            if top and line[:1].isspace():
                continue
            if re.search(pattern, text):
                problems.append((f"{file.relative_to(ROOT)}:{number}: {line.strip()}", instead))


def check_unchecked(file: Path, lines: list[str], problems: list) -> None:
    """`@unchecked Sendable` carries its proof in the comment above it."""
    for number, line in enumerate(lines, 1):
        if "@unchecked Sendable" in code(line):
            above = lines[max(0, number - 4) : number - 1]
            if not any(a.strip().startswith("//") for a in above):
                problems.append((f"{file.relative_to(ROOT)}:{number}: @unchecked Sendable without its proof above",
                                 "say in the line above what makes it safe"))


# Files that may ask a feature flag: resolving a version, a turn's mode, and reporting the flags (rules.md V10).
ASKS_FLAGS = {
    "HeddleCore/Catalog.swift", "HeddleCore/VersionRules.swift", "HeddleCore/ThreadTurns.swift",
    "HeddleRuntime/Recovery.swift", "HeddleRuntime/TreeRequests.swift", "HeddleService/Router.swift",
    "heddle/ServeSettings.swift",
}


def check_flags(file: Path, lines: list[str], problems: list) -> None:
    """V10: the pinned version decides, and nothing else; no other code asks a feature flag."""
    inside = file.relative_to(SOURCES).as_posix()
    # The store keeps flags without reading them; the features of HELLO are no flags.
    if inside in ASKS_FLAGS or inside.startswith(("HeddleStorage/", "HeddleSQLite/", "HeddleClient/")):
        return
    for number, line in enumerate(lines, 1):
        if re.search(r"\b(features|multiAgent|multiAgentV2|multiAgentMode)\b\s*[.(:]|\.(multiAgentV2|multiAgentMode)\b", code(line)):
            problems.append((f"{file.relative_to(ROOT)}:{number}: asks a feature flag: {line.strip()}",
                             "ask the version in the turn's context"))


def check_lengths(file: Path, lines: list[str], problems: list) -> None:
    if len(lines) > FILE_LINES:
        problems.append((f"{file.relative_to(ROOT)}: {len(lines)} lines", f"at most {FILE_LINES}: cut it by subject"))
    start = None
    indent = ""
    for number, line in enumerate(lines, 1):
        found = re.match(r"(\s*)(?:@\w+(?:\([^)]*\))? )*(?:[a-z]+(?:\([a-z]+\))? )*(?:func |init[?]?[(<]|subscript\()", line)
        if found and start is None:
            start, indent = number, found.group(1)
        elif start is not None and line.startswith(indent + "}") and not line.startswith(indent + " "):
            if number - start + 1 > FUNCTION_LINES:
                problems.append((f"{file.relative_to(ROOT)}:{start}: function of {number - start + 1} lines",
                                 f"at most {FUNCTION_LINES}: name its parts"))
            start = None
        elif found and line.rstrip().endswith("}"):
            start = None


def check_dictionary_order(folder: Path, file: Path, lines: list[str], problems: list) -> None:
    """Swift seeds hashing per process, so an order that comes out of a dictionary differs from run to run."""
    if folder.name != "HeddleCore":
        return
    for number, line in enumerate(lines, 1):
        if re.search(r":\s*\[\w+\s*:\s*\w+\]|\bDictionary<|\bSet<", code(line)):
            problems.append((f"{file.relative_to(ROOT)}:{number}: {line.strip()}", "use a sorted array in the core"))


def check_clauses(problems: list) -> None:
    """A sentence has a subject that is a thing. Comments that lack one are older than this law, and only get fewer."""
    if "--explain" in sys.argv:
        clauses.lower()
    count, allowed = clauses.count(), clauses.allowed()
    if count > allowed:
        problems.append((f"{count} comments begin with a clause (What, Who, Where …), allowed are {allowed}",
                         "begin with the thing that the comment is about; python scripts/clauses.py lists them"))
    elif count < allowed:
        problems.append((f"{count} comments begin with a clause, scripts/clauses.txt still allows {allowed}",
                         "make fix-laws lowers it"))


def check_rule_numbers(problems: list) -> None:
    """A quotation says whose number it is. Quotations that do not are older than this law, and only get fewer."""
    if "--explain" in sys.argv:
        rule_numbers.lower()
    for text in rule_numbers.twice():
        problems.append((text, "give one of them a number that its owner has never used"))
    counts, allowed = rule_numbers.counts(), rule_numbers.allowed()
    for quotation in rule_numbers.ambiguous():
        file = quotation.file.relative_to(ROOT).as_posix()
        if counts[file] > allowed.get(file, 0):
            problems.append((str(quotation), "write whose it is: `Session.N1`, `attacks.md R8`; CONTRIBUTING, Add a rule"))
    for file, count in allowed.items():
        if counts.get(file, 0) < count:
            problems.append((f"{file}: scripts/rule_numbers.txt allows more ambiguous rule numbers than there are",
                             "make fix-laws lowers it"))


def main() -> None:
    problems: list = []
    check_clauses(problems)
    check_rule_numbers(problems)
    count = 0
    for folder in targets():
        for file in sorted(folder.rglob("*.swift")):
            if "Generated" in file.parts:
                continue
            count += 1
            lines = file.read_text().splitlines()
            check_words(folder, file, lines, problems)
            check_unchecked(file, lines, problems)
            check_flags(file, lines, problems)
            check_lengths(file, lines, problems)
            check_dictionary_order(folder, file, lines, problems)
            if not lines or not lines[0].startswith("//"):
                problems.append((f"{file.relative_to(ROOT)}: does not begin with what it is for", "add a line"))
    for text, instead in problems:
        print(text)
        if "--explain" in sys.argv:
            print(f"    {instead}")
    print(f"laws: {count} files, {len(problems)} broken")
    sys.exit(bool(problems) and "--explain" not in sys.argv)


if __name__ == "__main__":
    main()
