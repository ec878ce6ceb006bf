"""The import graph: a target imports what Package.swift lists for it, and the layers stay in order.

SwiftPM lets a target import whatever it reaches through another; this script does not.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Libraries of the toolchain, and where they may be used: the core uses nothing at all.
SYSTEM = {
    "HeddleCore": set(),
    "HeddleJSON": set(),
    "HeddleProtocol": {"Glibc"},
    "HeddleImport": set(),
    "HeddleMetrics": {"Synchronization"},
    "HeddleStorage": {"Glibc", "Synchronization"},
    "HeddleSQLite": {"Glibc", "Synchronization"},
    "HeddleRuntime": {"Synchronization"},
    "HeddleTraces": {"Synchronization"},
    "HeddleModels": {"Glibc", "Synchronization"},
    "HeddleTokens": {"Foundation", "Synchronization"},
    "HeddleService": {"Foundation", "Synchronization"},
    "HeddleListener": {"Foundation", "Synchronization"},
    "HeddleFrames": {"Foundation", "Synchronization"},
    "HeddleRPC": {"Foundation", "Synchronization"},
    "HeddleGRPC": {"Foundation", "Synchronization"},
    "HeddleHTTP": {"Foundation", "Glibc", "Synchronization"},
    "HeddleRecorder": {"Dispatch", "Foundation", "Synchronization"},
    "HeddleServer": {"Foundation"},
    "HeddleClient": {"Synchronization", "Foundation"},
    "HeddleCapture": {"Glibc", "Synchronization"},
    "HeddleReplay": {"Glibc", "Synchronization"},
    "HeddleChat": set(),
    "heddle": {"Foundation", "Dispatch", "Glibc", "Synchronization"},
}

# From inner to outer; a target may use only what stands before it.
LAYERS = [
    "CProtobufC", "CSQLite", "CNghttp2", "CMalloc", "CAddressSpace", "CHeddleProtocol", "CCRC32C", "CPageChecksums", "HeddleCore", "HeddleJSON",
    "HeddleMetrics", "HeddleProtocol",
    "HeddleCapture", "HeddleImport", "HeddleStorage", "HeddleRuntime", "HeddleTraces", "HeddleModels", "HeddleTokens", "HeddleService",
    "HeddleListener", "HeddleFrames", "HeddleRPC", "HeddleGRPC", "HeddleHTTP",
    "HeddleRecorder", "HeddleServer", "HeddleClient", "HeddleChat", "HeddleReplay", "HeddleSQLite", "heddle",
]

# Packages of other people depend on these products, and unsafe flags would get into their builds. SwiftPM since 6.2
# lets that happen without a word.
FOR_OTHERS = ["HeddleClient"]

# Products whose module has another name, and modules that come along with a product by design.
ALSO = {"swift-configuration": {"SystemPackage"}}


def unsafe_flags(package: dict) -> list[str]:
    """Targets with unsafe flags among those that the products for others need."""
    targets = {target["name"]: target for target in package["targets"]}
    needed = [name for product in package["products"] if product["name"] in FOR_OTHERS for name in product["targets"]]
    for name in needed:
        inner = [d["byName"][0] for d in targets[name]["dependencies"] if "byName" in d]
        needed += [d for d in inner if d in targets and d not in needed]
    return [
        f"Package.swift: {name} has unsafe flags, which packages that use {', '.join(FOR_OTHERS)} would be built with"
        for name in needed if any("unsafeFlags" in setting["kind"] for setting in targets[name].get("settings", []))
    ]


def main() -> None:
    package = json.loads(subprocess.check_output(["swift", "package", "dump-package"], cwd=ROOT))
    problems = unsafe_flags(package)
    for target in package["targets"]:
        name = target["name"]
        # Targets outside of Sources are tools around the product, not layers of it.
        if target["type"] not in ("regular", "executable") or target.get("path"):
            continue
        allowed = set(SYSTEM.get(name, set()))
        for dependency in target["dependencies"]:
            if "byName" in dependency:
                allowed.add(dependency["byName"][0])
            if "product" in dependency:
                allowed.add(dependency["product"][0])
                allowed |= ALSO.get(dependency["product"][1], set())
        inner = [d for d in allowed if d in LAYERS]
        for dependency in inner:
            if LAYERS.index(dependency) >= LAYERS.index(name):
                problems.append(f"Package.swift: {name} may not depend on {dependency}: it is an outer layer")
        for file in sorted((ROOT / "Sources" / name).rglob("*.swift")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                found = re.match(r"\s*(?:@\w+ )?(?:public |internal )?import (?:struct |class |func |enum )?(\w+)", line)
                if found and found.group(1) not in allowed:
                    where = f"{file.relative_to(ROOT)}:{number}"
                    problems.append(f"{where}: {name} imports {found.group(1)}, which Package.swift does not list for it")
    for problem in problems:
        print(problem)
        if "--explain" in sys.argv:
            print("    remove the import, or list it for the target and give the reason in ARCHITECTURE.md")
    print(f"imports: {len(problems)} wrong")
    sys.exit(bool(problems) and "--explain" not in sys.argv)


if __name__ == "__main__":
    main()
