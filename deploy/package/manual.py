"""Manual pages from the program's own description of its commands: `heddle.1`, and `heddle-COMMAND.1` for each command.

usage: manual.py HEDDLE FOLDER SECONDS, where SECONDS is the time that the pages are dated with.
"""

import json
import pathlib
import subprocess
import sys
import time

FILES = [("/etc/heddle/config.json", "Settings of the service. Each key is described in docs/configuration.md."),
         ("/var/lib/heddle", "Data of the service, readable by its user only.")]
EXIT_CODES = [("0", "ended by a signal, or answered"), ("1", "refused, or no server"), ("64", "wrong arguments"),
              ("75", "may pass by itself: the folder is in use, the address is taken, the disk failed"),
              ("78", "the configuration has to be changed first")]


def text(words: str) -> str:
    """Characters that troff would take for something else."""
    words = words.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in words.splitlines())


def names(argument: dict) -> str:
    value = f" \\fI{text(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
    if argument["kind"] == "positional":
        return f"\\fI{text(argument['valueName'])}\\fR"
    shown = ["-" * (1 if name["kind"] == "short" else 2) + name["name"] for name in argument["names"]]
    return ", ".join(f"\\fB{text(name)}\\fR" for name in shown) + value


def synopsis(argument: dict) -> str:
    shown = names({**argument, "names": [argument["preferredName"]]} if argument["names"] else argument)
    shown += " ..." if argument["isRepeating"] else ""
    return f"[{shown}]" if argument["isOptional"] else shown


def page(command: dict, parents: list[str], date: str, version: str) -> str:
    name = "-".join([*parents, command["commandName"]])
    shown = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    for argument in shown:
        argument.setdefault("names", [])
    commands = [inner for inner in command.get("subcommands", []) if inner["shouldDisplay"] and inner["commandName"] != "help"]
    words = [*parents, command["commandName"]]
    lines = [f'.TH "{name.upper()}" "1" "{date}" "heddle {version}" "Heddle"', ".SH NAME",
             f"{text(name)} \\- {text(command['abstract']).rstrip('.')}", ".SH SYNOPSIS",
             "\\fB" + text(" ".join(words)) + "\\fR" + (" \\fICOMMAND\\fR ..." if commands else "")]
    lines += [synopsis(argument) for argument in shown]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", text(command["discussion"])]
    if commands:
        lines.append(".SH COMMANDS")
        for inner in commands:
            lines += [".TP", f"\\fB{text(inner['commandName'])}\\fR", text(inner["abstract"])]
    if shown:
        lines.append(".SH OPTIONS")
        for argument in shown:
            lines += [".TP", names(argument), text(argument.get("abstract", "") or "As above.")]
    if not parents or command["commandName"] == "serve":
        lines.append(".SH EXIT STATUS")
        for code, meaning in EXIT_CODES:
            lines += [".TP", f"\\fB{code}\\fR", text(meaning)]
        lines.append(".SH FILES")
        for file, meaning in FILES:
            lines += [".TP", f"\\fI{text(file)}\\fR", text(meaning)]
    related = ["-".join([*words, inner["commandName"]]) for inner in commands] or ["-".join(parents)]
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{text(name)}\\fR(1)" for name in related)]
    return "\n".join(lines) + "\n"


def write(command: dict, parents: list[str], folder: pathlib.Path, date: str, version: str):
    if command["commandName"] == "help" or not command.get("shouldDisplay", True):
        return
    name = "-".join([*parents, command["commandName"]])
    (folder / f"{name}.1").write_text(page(command, parents, date, version))
    for inner in command.get("subcommands", []):
        write(inner, [*parents, command["commandName"]], folder, date, version)


def main(program: str, folder: str, seconds: str):
    told = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    date = time.strftime("%Y-%m-%d", time.gmtime(int(seconds)))
    write(json.loads(told)["command"], [], pathlib.Path(folder), date, version)


if __name__ == "__main__":
    main(*sys.argv[1:])
