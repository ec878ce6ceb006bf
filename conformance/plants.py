"""conformance-bites: plants fifteen bugs in the Python client, one after the other, and fails unless the suite finds each.

    python conformance/plants.py [NAME]
"""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = "clients/python/src/heddle"

# Name, file, what stands there, what stands there instead, a case that must fail.
PLANTS = [
    ("resume-after-received", "_subscription.py", "request.after = self.cursor", "request.after = self.received or 0",
     "resume.not_after_what_was_only_received"),
    ("duplicates-pass", "_subscription.py", "if last is not None and sequence <= last:", "if False:",
     "subscribe.duplicates_are_dropped"),
    ("gaps-pass", "_subscription.py", "if last is not None and sequence != last + 1:", "if False:",
     "subscribe.a_gap_is_asked_for_again"),
    ("epoch-unchecked", "_subscription.py", "if self.epoch is not None and self.epoch != epoch:", "if False:",
     "subscribe.another_epoch_after_a_resume_is_no_silent_jump"),
    ("credit-at-once", "_subscription.py", "        if kind is None:\n", "        self._taken(message, size)\n        if kind is None:\n",
     "subscribe.credit_comes_back_as_the_program_takes"),
    ("new-key-each-attempt", "_attempts.py", "beside.idempotency_key = self.key", "beside.idempotency_key = os.urandom(16)",
     "retry.lost_after_sending_has_the_same_key"),
    ("repeats-what-must-not", "_attempts.py", "if is_open and not self.method.repeatable:", "if False:",
     "retry.a_change_without_a_key_is_not_repeated"),
    ("ignores-retry-after", "_attempts.py", "wait = max(wait, cause.retry_after)", "pass",
     "retry.waits_as_long_as_the_server_says"),
    ("deadline-per-attempt", "_attempts.py", "(self.deadline - self.loop.time()) * 1_000", "5_000", "retry.deadline_is_over_all_attempts"),
    ("no-cancel", "_connection.py", "            self.write(frames.CANCEL, 0, stream, b\"\")", "            pass", "calls.cancel_once"),
    ("above-last-stream-lost", "_connection.py", "if s > notice.last_stream", "if s > 0xFFFFFF", "going.above_the_last_stream_is_sent_again"),
    ("ignores-limit-in-flight", "_connection.py", "while self.in_flight >= self.limit and", "while False and",
     "hello.limit_of_requests_in_flight"),
    ("tool-runs-twice", "_tools.py", "run = self._runs.get(key)", "run = None", "tools.asked_again_runs_once"),
    ("text-twice", "_turn.py", "return raw[seen - offset:].decode(errors=\"replace\")", "return text",
     "turn.lost_midway_has_each_byte_once"),
    ("logs-the-token", "_client.py", "        hello = frame_pb2.ClientHello(", "        log.debug(\"token %s\", token)\n        hello = frame_pb2.ClientHello(",
     "auth.token_is_in_hello"),
]

def planted(folder: pathlib.Path, name: str, file: str, old: str, new: str) -> None:
    path = folder / SOURCE / file
    text = path.read_text()
    assert text.count(old) == 1, f"{name}: {file} has `{old}` {text.count(old)} times"
    path.write_text(text.replace(old, new))


def main() -> None:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    found = missed = 0
    for name, file, old, new, case in PLANTS:
        if wanted not in name:
            continue
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            for part in ("proto", "conformance", "clients/python"):
                shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "dist"))
            planted(folder, name, file, old, new)
            clients = folder / "conformance/clients.yaml"
            clients.write_text(f"- name: python\n  command: env PYTHONPATH=src {sys.executable} -m conformance\n  folder: clients/python\n")
            ran = subprocess.run([sys.executable, "conformance"], cwd=folder, capture_output=True, text=True, timeout=300)
            failed = re.findall(r"FAILED python \S*?/(\S+)", ran.stdout)
        if case in failed:
            found += 1
            print(f"planted: {name} found by {case}" + (f" and {len(failed) - 1} more" if len(failed) > 1 else ""))
        else:
            missed += 1
            print(f"planted: {name} MISSED; failed: {failed}\n{ran.stdout[-500:]}{ran.stderr[-500:]}")
    print(f"planted: bugs={found + missed} found={found} missed={missed}")
    sys.exit(bool(missed))


main()
