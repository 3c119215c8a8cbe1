#!/usr/bin/env python3
"""Runs swift test with the given arguments: what passes is counted; the slowest tests and those that hang are named.

Where nothing is said for ten minutes, the tests that had begun, the processes and the stacks of the tests' threads are
shown, and all of them are ended. Exit status: that of swift test; 1 after a hang.
"""

import os
import queue
import re
import signal
import subprocess
import sys
import threading

SILENCE = float(os.environ.get("CRASHKIT_TEST_SILENCE", 600))  # seconds
BEGUN = re.compile(r"◇ Test (?!run |case )(.*) started\.$")
ENDED = re.compile(r"[✔✘] Test (?!run |case )(.*?)(?: with \d+ test cases?)? (?:passed|failed) after ([\d.]+) seconds")
NAMED_SLOWEST = 10


class Output:
    """What swift test says, without what passes; and the tests that have begun and not ended."""

    def __init__(self):
        self.running = set()
        self.seconds = {}
        self.is_inside = False

    def take(self, line):
        if begun := BEGUN.search(line):
            self.running.add(begun[1])
        elif ended := ENDED.search(line):
            self.running.discard(ended[1])
            self.seconds[ended[1]] = float(ended[2])
        # An argument may have several lines.
        continues, self.is_inside = self.is_inside, False
        if line.startswith("◇") or continues:
            self.is_inside = not line.endswith(" started.") and (continues or " passing " in line)
        elif not line.startswith("✔") or line.startswith("✔ Test run with "):
            print(line, flush=True)

    def print_slowest(self):
        """By the clock, beside what else ran."""
        slowest = sorted(self.seconds, key=self.seconds.get, reverse=True)[:NAMED_SLOWEST]
        print("slowest: " + ", ".join(f"{name} {self.seconds[name]:.1f} s" for name in slowest))


def descendants(root):
    shown = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in shown.splitlines()]
    found = [root]
    for parent in found:
        found += [pid for pid, of in pairs if of == parent]
    return found


def tell_hang(root, running):
    print(f"nothing was said for {SILENCE:g} s; begun and not ended:")
    print("\n".join(f"  {name}" for name in sorted(running)) or "  no test")
    processes = descendants(root)
    subprocess.run(["ps", "-o", "pid,ppid,stat,etime,time,wchan:24,args", "-p", ",".join(map(str, processes))])
    for pid in processes:
        try:
            subprocess.run(["eu-stack", "-p", str(pid)], stderr=subprocess.DEVNULL, timeout=60)
        except (FileNotFoundError, subprocess.TimeoutExpired) as error:
            print(f"no stacks of {pid}: {error}")
    for pid in processes:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    tests = subprocess.Popen(["swift", "test", *sys.argv[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = queue.Queue()

    def read():
        for line in tests.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    output = Output()
    while True:
        try:
            line = lines.get(timeout=SILENCE)
        except queue.Empty:
            sys.stdout.flush()
            tell_hang(tests.pid, output.running)
            return 1
        if line is None:
            output.print_slowest()
            return tests.wait()
        output.take(line)


if __name__ == "__main__":
    sys.exit(main())
