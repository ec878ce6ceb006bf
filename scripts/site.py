"""Builds the documentation site in .build/site: guides, reference, clients, and the Swift client's own pages by DocC.

    python scripts/site.py [--serve]

Every link between pages is checked, anchors too; a page that no page links to is an error. Needs `swift build -c release
--product heddle`, for DocC.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / ".build" / "site-source"
PAGES = WORK / "pages"
SITE = ROOT / ".build" / "site"
NAVIGATION = [
    {"Heddle": "README.md"},
    {"Guides": ["docs/guides/README.md", *(f"docs/guides/{name}.md" for name in (
        "chat", "tools", "agents", "resume", "pages", "tokens", "browser"))]},
    {"Clients": [{"Python": "clients/python/README.md"}, {"JavaScript": "clients/javascript/README.md"},
                 {"Go": "clients/go/README.md"}, {"Rust": "clients/rust/README.md"}, {"Java": "clients/java/README.md"},
                 {"C++": "clients/cpp/README.md"}, {"Swift": "clients/swift/README.md"},
                 {"C, Ruby, PHP": "clients/examples/README.md"}, {"Conformance": "docs/conformance.md"},
                 {"Rules and cases": "conformance/README.md"}]},
    {"Reference": [{"Protocol": "docs/protocol.md"}, {"Methods": "docs/methods.md"}, {"Messages": "docs/messages.md"},
                   {"Errors": "docs/errors.md"}, {"gRPC": "docs/grpc.md"}, {"HTTP": "docs/http.md"},
                   {"Rules": "docs/rules.md"}, {"Durability": "docs/durability.md"}]},
    {"Operate": [{"Configuration": "docs/configuration.md"}, {"Deploying": "docs/deploying.md"},
                 {"Metrics": "docs/metrics.md"}, {"Model providers": "docs/providers.md"},
                 {"Scripted model": "docs/scripted-model.md"}, {"Chat at the prompt": "docs/chat.md"},
                 {"Recording and replay": "docs/replay.md"}, {"Performance": "docs/performance.md"},
                 {"Growth": "docs/growth.md"}]},
    {"Develop": [{"Architecture": "ARCHITECTURE.md"}, {"Contributing": "CONTRIBUTING.md"},
                 {"Attacks": "docs/attacks.md"}, {"Fuzzing": "docs/fuzzing.md"}, {"Coverage": "docs/coverage.md"}]},
]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return [name for name in listed if (ROOT / name).exists()]


def copy(pages: set[str]) -> list[str]:
    """The pages with their links; a link to a file that is no page becomes its text. Gives links to nothing."""
    broken = []
    for name in sorted(pages):
        def relink(match: re.Match) -> str:
            text, target = match.groups()
            path, _, anchor = target.partition("#")
            if not path or "://" in path:
                return match[0]
            file = (ROOT / name).parent / path
            if not file.exists():
                broken.append(f"{name}: {target}")
                return text
            found = file.resolve().relative_to(ROOT).as_posix()
            if (file / "README.md").exists() and f"{found}/README.md" in pages:
                return f"[{text}]({path.rstrip('/')}/README.md{'#' + anchor if anchor else ''})"
            return match[0] if found in pages else text

        parts = CODE.split((ROOT / name).read_text())
        parts = [part if part.startswith("`") else LINK.sub(relink, part) for part in parts]
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / name).write_text("".join(parts))
    return broken


def named(part) -> set[str]:
    if isinstance(part, str):
        return {part}
    if isinstance(part, dict):
        return set().union(*(named(value) for value in part.values()))
    return set().union(*(named(value) for value in part))


def existing(part):
    """The navigation without pages that are not there."""
    if isinstance(part, str):
        return part if (ROOT / part).exists() else None
    if isinstance(part, dict):
        (title, inner), = part.items()
        inner = existing(inner)
        return {title: inner} if inner else None
    return [found for one in part if (found := existing(one))]


def build_pages() -> None:
    navigation = existing(NAVIGATION)
    pages = named(navigation)
    others = [name for name in tracked() if name.startswith("docs/") and name not in pages]
    assert not others, f"pages that the navigation in scripts/site.py does not name: {others}"
    broken = copy(pages)
    assert not broken, f"links to nothing: {broken}"
    settings = {
        "site_name": "Heddle", "site_description": "The session server for AI agents", "docs_dir": str(PAGES),
        "site_dir": str(SITE), "nav": navigation, "use_directory_urls": False, "strict": True,
        "theme": {"name": "material", "font": False, "features": ["navigation.tabs", "navigation.top", "content.code.copy"],
                  "palette": [{"scheme": "default", "primary": "indigo"}]},
        "plugins": ["search"], "markdown_extensions": ["tables", "fenced_code", "toc", "pymdownx.highlight", "pymdownx.superfences"],
        "validation": {"omitted_files": "warn", "absolute_links": "warn", "unrecognized_links": "warn", "anchors": "warn",
                       "nav": {"omitted_files": "warn", "not_found": "warn", "absolute_links": "ignore"}},
    }
    file = WORK / "mkdocs.yml"
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    # Not with --quiet, which would silence the warnings that --strict counts.
    built = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", file], env=quiet,
                           capture_output=True, text=True)
    assert built.returncode == 0, "\n".join(line for line in built.stderr.splitlines() if not line.startswith("INFO"))


def build_swift() -> None:
    """The public symbols of HeddleClient, by DocC."""
    release = ROOT / ".build" / "release"
    graphs, catalog, out = WORK / "graphs", WORK / "HeddleClient.docc", WORK / "swift"
    graphs.mkdir(parents=True)
    catalog.mkdir()
    (catalog / "HeddleClient.md").write_text(
        "# ``HeddleClient``\n\nThe client of Heddle for Swift: threads, turns, settings, and the events of all of them.\n\n"
        "## Overview\n\nConnect with ``HeddleClient/HeddleClient/connect(_:_:)``, or with a ``ClientConfiguration``. Requests and answers "
        "are structs of the module HeddleCore, one for each message of the protocol.\n")
    includes = {f"-I{file.parent}" for file in (ROOT / ".build" / "checkouts").glob("**/include/module.modulemap")}
    # The headers of our own C targets include each other by their folder.
    headers = [folder for folder in sorted((ROOT / "Sources").glob("*/include"))]
    maps = [file for file in [*release.glob("*.build/**/module.modulemap"), *(ROOT / "Sources").glob("**/module.modulemap")]
            if "ArgumentParser" not in str(file)]
    subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", "HeddleClient", "-I", release / "Modules", "-target",
         "x86_64-unknown-linux-gnu", "-minimum-access-level", "public", "-output-dir", graphs, *sorted(includes),
         *(part for folder in headers for part in ("-Xcc", f"-I{folder}")),
         *(part for file in maps for part in ("-Xcc", f"-fmodule-map-file={file}"))], check=True)
    subprocess.run(
        ["docc", "convert", catalog, "--additional-symbol-graph-dir", graphs, "--fallback-display-name", "HeddleClient",
         "--fallback-bundle-identifier", "heddle.client", "--transform-for-static-hosting", "--hosting-base-path", "swift",
         "--warnings-as-errors", "--output-path", out], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve", action="store_true", help="serve the site on http://127.0.0.1:8000 when it is built")
    options = parser.parse_args()
    shutil.rmtree(WORK, ignore_errors=True)
    PAGES.mkdir(parents=True)
    try:
        build_swift()
        build_pages()
    except AssertionError as error:
        sys.exit(f"docs: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"docs: {Path(str(error.cmd[0])).name} failed")
    shutil.copytree(WORK / "swift", SITE / "swift")
    pages = len(list(SITE.rglob("*.html")))
    print(f"docs: pages={pages} folder={SITE.relative_to(ROOT)}")
    if options.serve:
        subprocess.run([sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", SITE, "8000"], check=False)


if __name__ == "__main__":
    main()
