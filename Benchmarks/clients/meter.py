"""CPU, time and memory of this process between two moments, printed as JSON."""

import json
import resource
import time


def memory() -> int:
    """KiB in memory."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Meter:
    def __enter__(self):
        self.before = memory()
        self.cpu, self.time = self._cpu(), time.monotonic()
        return self

    def remember_memory(self):
        self.before = memory()

    def __exit__(self, *_):
        print(json.dumps({"cpu": self._cpu() - self.cpu, "seconds": time.monotonic() - self.time,
                          "memory": memory() - self.before}), flush=True)

    @staticmethod
    def _cpu() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime
