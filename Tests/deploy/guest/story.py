"""Runs inside a booted Debian, as a service of it: the package's units under a real systemd. Writes one JSON object to
/story.json and powers the machine off. Needs nothing but Python's own modules: frames are written by hand."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time
import traceback

PING = bytes.fromhex("fa070000000000000100000000000000")
PATIENCE_SECONDS = 60
told: dict = {}


def run(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True)
    return (ended.stdout + ended.stderr).strip() if ended.returncode else ended.stdout.strip()


def shown(*names: str) -> dict:
    lines = run("systemctl", "show", "heddle.service", *(f"--property={name}" for name in names)).splitlines()
    return dict(line.split("=", 1) for line in lines)


def until(what, wanted):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not wanted(value := what()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"still {value}")
        time.sleep(0.05)
    return value


def pong() -> bytes:
    """One PING, answered."""
    with socket.create_connection(("127.0.0.1", 7420), PATIENCE_SECONDS) as connection:
        connection.sendall(PING)
        answer = b""
        while len(answer) < 16 and (piece := connection.recv(100)):
            answer += piece
        return answer


def running(after: str = "") -> str:
    """The main process, once it is ready and another one than `after`."""
    return until(lambda: shown("ActiveState", "SubState", "MainPID"), lambda found: (
        found["ActiveState"], found["SubState"]) == ("active", "running") and found["MainPID"] not in ("0", after))["MainPID"]


def protection(pid: str) -> dict:
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    return {"uid": status["Uid"].split()[0], "no_new_privileges": status["NoNewPrivs"], "seccomp": status["Seccomp"],
            "capabilities": status["CapBnd"], "descriptors": [
                line.split()[3:5] for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines()
                if line.startswith("Max open files")][0]}


def restart_under_load() -> dict:
    """systemd holds the socket: clients connect all the time while the service is restarted three times."""
    run("systemctl", "stop", "heddle.service")
    run("systemctl", "enable", "--now", "heddle.socket")
    running_before = shown("ActiveState")["ActiveState"]
    first = pong()  # the first client starts the service
    counts, faults, over = {"answered": 0, "goodbyes": 0}, [], threading.Event()

    def visit():
        while not over.is_set():
            try:
                answer = pong()
                # 8: PONG, 9: GOAWAY; nothing else may come.
                name = {8: "answered", 9: "goodbyes"}.get(answer[1] if len(answer) > 1 else 0)
                if name is None:
                    faults.append(f"closed with {answer.hex()}")
                else:
                    counts[name] += 1
            except OSError as fault:
                faults.append(repr(fault))

    clients = [threading.Thread(target=visit) for _ in range(4)]
    for client in clients:
        client.start()
    pids = [running()]
    for _ in range(3):
        goal = counts["answered"] + 50
        until(lambda: counts["answered"], lambda count: count >= goal)
        run("systemctl", "restart", "heddle.service")
        pids.append(running(pids[-1]))
    goal = counts["answered"] + 50
    until(lambda: counts["answered"], lambda count: count >= goal)
    over.set()
    for client in clients:
        client.join()
    return {"before": running_before, "first": first.hex(), "processes": len(set(pids)), "faults": faults[:5], **counts}


def story():
    pid = running()
    told["status"] = shown("StatusText", "Type", "NRestarts")
    told["pong"] = pong().hex()
    told["protection"] = protection(pid)
    told["data"] = oct(pathlib.Path("/var/lib/heddle").stat().st_mode)
    told["reload"] = run("systemctl", "reload", "heddle.service")
    told["same_after_reload"] = running() == pid
    os.kill(int(pid), signal.SIGKILL)
    pid = running(pid)
    told["restarts_after_kill"] = shown("NRestarts")["NRestarts"]
    # The watchdog's time is shorter in this machine; a process that is stopped answers nothing.
    os.kill(int(pid), signal.SIGSTOP)
    pid = running(pid)
    told["watchdog"] = "watchdog" in run("journalctl", "-u", "heddle.service", "-o", "cat").lower()
    told["load"] = restart_under_load()
    run("systemctl", "stop", "heddle.socket", "heddle.service")
    told["stopped"] = shown("ActiveState", "Result", "ExecMainStatus")
    pathlib.Path("/etc/heddle/config.json").write_text('{"nonsense": 1}')
    run("systemctl", "start", "heddle.service")
    told["wrong"] = until(lambda: shown("ActiveState", "ExecMainStatus", "NRestarts"),
                          lambda found: found["ActiveState"] == "failed")


try:
    story()
except Exception:  # noqa: BLE001
    told["failed"] = traceback.format_exc() + run("journalctl", "-u", "heddle.service", "-n", "50", "--no-pager")
pathlib.Path("/story.json").write_text(json.dumps(told))
os.sync()
subprocess.run(["systemctl", "poweroff", "--force"])
