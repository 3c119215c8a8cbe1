#!/usr/bin/env python3
"""Runs the programs that time locks in turns, each turn one of each, and prints what they say as Markdown tables."""

import argparse
import os
import statistics
import subprocess
import sys

ROWS = {
    "pair": "one mutex",
    "nested": "two, nested",
    "read": "read-write lock, reading",
    "write": "read-write lock, writing",
    "contended": "two threads, 100 ns of work inside and outside",
    "contended-empty": "two threads, no work",
    "nslock": "`NSLock`",
    "queue.sync": "`queue.sync`",
}
MEMORY = {
    "bytes-alone": "that was never held with another",
    "bytes-nested": "that was taken with one other, the order between them included",
}
LIMIT = 600  # seconds for one program


class Kind:
    """A way to run the rows: its column's title, the command, what is added to the environment, and how often."""

    def __init__(self, title, command, size, turns, **environment):
        self.title, self.command, self.turns = title, [*command, size], turns
        self.environment = {**os.environ, **environment}
        self.figures = {}

    def run(self):
        done = subprocess.run(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT)
        if done.returncode != 0:
            sys.exit(f"measure.py: {self.title}: status {done.returncode}: {done.stderr[-400:]}")
        for line in done.stdout.splitlines():
            row, value = line.split()
            self.figures.setdefault(row, []).append(float(value))

    def best(self, row):
        return min(self.figures[row], default=None) if row in self.figures else None

    def median(self, row):
        return statistics.median(self.figures[row]) if row in self.figures else None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=["full", "quick"], default="full", help="how much is timed in each run")
    parser.add_argument("--turns", type=int, default=15)
    for name in ("plain", "linked", "preload", "tsan", "abseil"):
        parser.add_argument(f"--{name}", required=True, metavar="FILE")
    return parser.parse_args()


def kinds(given):
    quiet = {"THREADGUARD_OPTIONS": "summary=no"}
    few = min(given.turns, 3)
    helgrind = ["valgrind", "-q", "--tool=helgrind"]
    abseil = Kind("abseil, no detection", [given.abseil], given.size, given.turns)
    abseil.command.append("off")
    return [
        Kind("plain glibc", [given.plain], given.size, given.turns),
        Kind("linked", [given.linked], given.size, given.turns, **quiet),
        Kind("preloaded", [given.plain], given.size, given.turns, LD_PRELOAD=given.preload, **quiet),
        Kind("TSan", [given.tsan], "quick", few),
        Kind("Helgrind", [*helgrind, given.plain], "slow", min(few, 2)),
        Kind("abseil", [given.abseil], given.size, given.turns),
        abseil,
    ]


def figure(value):
    return "" if value is None else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def table(title, unit, columns, rows):
    print(f"\n{title}\n")
    print(f"| {unit} |", " | ".join(columns), "|")
    print("| --- |", " | ".join("---:" for _ in columns), "|")
    for name, cells in rows:
        print(f"| {name} |", " | ".join(cells), "|")


def ratio(kind, plain, row):
    """Of the best figures, and in brackets the median of each turn's."""
    turns = [ours / theirs for ours, theirs in zip(kind.figures[row], plain.figures[row])]
    return f"{kind.best(row) / plain.best(row):.2f} ({statistics.median(turns):.2f})"


def main():
    given = arguments()
    all_kinds = kinds(given)
    loads = []
    for turn in range(given.turns):
        loads.append(os.getloadavg()[0])
        for kind in all_kinds:
            if turn < kind.turns:
                kind.run()
    plain, linked, preloaded = all_kinds[:3]
    print(f"{given.turns} turns; load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores")
    table("Best, and in brackets the median of the turns:", "ns", [kind.title for kind in all_kinds],
          [(name, [f"{figure(kind.best(row))} ({figure(kind.median(row))})" if kind.best(row) is not None else "–"
                   for kind in all_kinds]) for row, name in ROWS.items()])
    table("As a multiple of plain glibc's:", "", [linked.title, preloaded.title],
          [(name, [ratio(kind, plain, row) for kind in (linked, preloaded)]) for row, name in ROWS.items()])
    table("Memory for a lock:", "bytes", [kind.title for kind in all_kinds],
          [(name, [figure(kind.median(row)) or "–" for kind in all_kinds]) for row, name in MEMORY.items()])


if __name__ == "__main__":
    main()
