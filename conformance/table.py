"""The table of families and clients."""

from __future__ import annotations

TITLES = {"framing": "Framing", "hello": "HELLO", "calls": "Calls", "retry": "Retry", "subscribe": "Subscriptions",
          "going": "Going away and pings", "tools": "Tools", "auth": "Tokens and TLS", "pages": "Pages", "turn": "Turns",
          "end": "The end", "vectors": "Messages"}


def rows(everything: dict) -> list[list[str]]:
    families = {result.family for results in everything.values() for result in results}
    lines = []
    for family in [name for name in TITLES if name in families] + sorted(families - TITLES.keys()):
        line = [TITLES.get(family, family)]
        for results in everything.values():
            mine = [result for result in results if result.family == family]
            passed = sum(not result.problem and not result.left_out for result in mine)
            line.append(f"{passed}/{len(mine)}")
        lines.append(line)
    return lines


def table(everything: dict) -> str:
    lines = [["", *everything], *rows(everything)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
                     for line in lines)


def document(everything: dict) -> str:
    lines = ["# Conformance of the clients", "",
             "Cases that pass, of all cases of the family. Made by `make conformance`; the suite is in",
             "[conformance/](../conformance/README.md).", "",
             "| family | " + " | ".join(everything) + " |", "|---|" + "---|" * len(everything)]
    lines += ["| " + " | ".join(line) + " |" for line in rows(everything)]
    for client, results in everything.items():
        if failing := sorted(f"`{result.name}`" for result in results if result.problem):
            lines += ["", f"{client} does not pass {', '.join(failing)}; [the reason](../clients/{client}/known-failing.txt)."]
    return "\n".join(lines) + "\n"
