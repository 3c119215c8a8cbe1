#!/usr/bin/env python3
"""Runs swift test with the given arguments: what passes is only counted, and tests that hang are named.

--apart PATTERN runs the tests that match in a process of their own, beside the others. Most tests wait for programs,
and Swift Testing runs no more of them at a time than there are processors. It needs --skip-build.

If nothing is said for ten minutes, the tests that had begun, the processes and the stacks of the tests' threads are
shown, and all of them are ended. Exit status: that of the first swift test that failed; 1 after a hang.
"""

import argparse
import os
import queue
import re
import signal
import subprocess
import sys
import threading

SILENCE = float(os.environ.get("CRASHKIT_TEST_SILENCE", 600))  # seconds
BEGUN = re.compile(r"◇ Test (?!run |case )(.*) started\.$")
ENDED = re.compile(r"[✔✘] Test (?!run |case )(.*?)(?: with \d+ test cases?)? (?:passed|failed) after ")


class Output:
    """What swift test says, without what passes; and the tests that have begun and not ended."""

    def __init__(self):
        self.running = set()
        self.is_inside = False

    def take(self, line):
        if begun := BEGUN.search(line):
            self.running.add(begun[1])
        elif ended := ENDED.search(line):
            self.running.discard(ended[1])
        # An argument may have several lines.
        continues, self.is_inside = self.is_inside, False
        if line.startswith("◇") or continues:
            self.is_inside = not line.endswith(" started.") and (continues or " passing " in line)
        elif not line.startswith("✔") or line.startswith("✔ Test run with "):
            print(line, flush=True)


def descendants(root):
    shown = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in shown.splitlines()]
    found = [root]
    for parent in found:
        found += [pid for pid, of in pairs if of == parent]
    return found


def tell_hang(roots, running):
    print(f"nothing was said for {SILENCE:g} s; begun and not ended:")
    print("\n".join(f"  {name}" for name in sorted(running)) or "  no test")
    processes = [process for root in roots for process in descendants(root)]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apart", action="append", default=[], metavar="PATTERN")
    options, arguments = parser.parse_known_args()
    parts = [[argument for pattern in options.apart for argument in ("--skip", pattern)]]
    if options.apart:
        parts.append([argument for pattern in options.apart for argument in ("--filter", pattern)])
    # Without the option it would wait until every other swift of this package has ended.
    shared = ["--ignore-lock"] if "--skip-build" in arguments else []
    lines, runs, outputs = queue.Queue(), [], []

    def read(run, output, has_begun):
        for line in run.stdout:
            if line.startswith("◇"):
                has_begun.set()
            lines.put((output, line.rstrip("\n")))
        has_begun.set()
        lines.put((output, None))

    for part in parts:
        run = subprocess.Popen(["swift", "test", *shared, *arguments, *part], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        runs.append(run)
        outputs.append(Output())
        has_begun = threading.Event()
        threading.Thread(target=read, args=(run, outputs[-1], has_begun), daemon=True).start()
        # While it plans, SwiftPM has a database of the build to itself.
        has_begun.wait()
    reading = len(runs)
    while reading > 0:
        try:
            output, line = lines.get(timeout=SILENCE)
        except queue.Empty:
            sys.stdout.flush()
            tell_hang([run.pid for run in runs if run.poll() is None], set().union(*(o.running for o in outputs)))
            return 1
        if line is None:
            reading -= 1
        else:
            output.take(line)
    return next((status for status in [run.wait() for run in runs] if status != 0), 0)


if __name__ == "__main__":
    sys.exit(main())
