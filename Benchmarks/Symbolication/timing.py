"""Times commands as whole processes, in turn, so that whatever else the machine does meets all of them."""

import os
import statistics
import time


def measure(command, stdin=os.devnull, environment=None, most_status=0):
    """Seconds from start to end, seconds of processor time, and MiB of memory at the peak. Without `most_status` the
    command may end in any way."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.execvpe(command[0], command, {**os.environ, **(environment or {})})
    _, status, usage = os.wait4(pid, 0)
    if most_status is not None and os.waitstatus_to_exitcode(status) not in range(most_status + 1):
        raise RuntimeError(f"{' '.join(command)} ended with {status}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Turns:
    """Results of several commands that took turns, each to be compared with the first of its own round."""

    def __init__(self, names):
        self.names = list(names)
        self.results = {name: [] for name in self.names}

    def add(self, name, result):
        self.results[name].append(result)

    def best(self, name, figure=0):
        return min(result[figure] for result in self.results[name])

    def share(self, name, figure=0):
        """The median over all rounds of what a command took beside the first."""
        base = self.results[self.names[0]]
        return statistics.median(mine[figure] / other[figure] for mine, other in zip(self.results[name], base))
