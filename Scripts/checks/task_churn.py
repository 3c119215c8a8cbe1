#!/usr/bin/env python3
"""Captures of a program while a million Swift tasks come and go: none shows a task that was not there.

tasks-probe keeps account of its tasks. It compares each capture with that, and misses none of the tasks that last.
"""

import argparse
import pathlib
import re
import subprocess

import support

TASKS = 1_000_000
RESULT = re.compile(r"^looks (\d+) made (\d+) seen (\d+) unknown (\d+) missing (\d+) cut (\d+)$", re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=pathlib.Path, required=True, help="folder of built programs")
    parser.add_argument("--captures", type=int, default=10_000)
    parser.add_argument("--limit", type=int, default=1700, help="seconds until the program is ended")
    options = parser.parse_args()
    support.hear_all_signals()
    checks = support.Checks()
    with support.temporary_folder() as folder:
        command = [options.products.resolve() / "tasks-probe", "churn", str(options.captures), "capture"]
        try:
            run = subprocess.run(command, env=support.environment(folder), stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace", timeout=options.limit)
        except subprocess.TimeoutExpired:
            checks.expect(False, "the captures end in time", f"not after {options.limit} s")
            checks.end()
        checks.expect(run.returncode == 0, "the program ends as it would without captures", run.stdout)
        left = [file.name for file in pathlib.Path(folder).rglob("*.json")]
        checks.expect(not left, "no crash left a report", left)
    result = RESULT.search(run.stdout)
    if checks.expect(result, "the program says what it saw", run.stdout):
        print(result[0])
        looks, made, seen, unknown, missing, cut = map(int, result.groups())
        checks.expect(looks == options.captures, f"{options.captures:,} captures were made", looks)
        checks.expect(made >= TASKS, f"{TASKS:,} tasks came and went meanwhile", made)
        checks.expect(seen > 0, "captures saw tasks that came and went", seen)
        checks.expect(unknown == 0, "no task was seen that was not there", run.stdout)
        checks.expect(missing == 0, "complete captures have every task that lasts", missing)
        checks.expect(cut < looks, "not every capture was cut short", cut)
    checks.end()


if __name__ == "__main__":
    main()
