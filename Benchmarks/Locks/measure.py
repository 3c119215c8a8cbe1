#!/usr/bin/env python3
"""Runs the programs that time locks in turns, each turn one of each, and prints what they say as Markdown tables."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import history  # noqa: E402

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
    "bytes-alone": "never held together with another lock",
    "bytes-nested": "held together with one other lock, including the record of their order",
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

    def cell(self, row):
        """The median over the processes, and in brackets the highest."""
        if row not in self.figures:
            return "–"
        values = self.figures[row]
        return f"{figure(statistics.median(values))} ({figure(max(values))})"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=["full", "quick"], default="full", help="how much is timed in each run")
    parser.add_argument("--turns", type=int, default=30)
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
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def table(title, unit, columns, rows):
    print(f"\n{title}\n")
    print(f"| {unit} |", " | ".join(columns), "|")
    print("| --- |", " | ".join("---:" for _ in columns), "|")
    for name, cells in rows:
        print(f"| {name} |", " | ".join(cells), "|")


def ratios(kind, plain, row):
    """Of the two processes of each turn."""
    return [ours / theirs for ours, theirs in zip(kind.figures[row], plain.figures[row])]


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
    print(f"{given.turns} turns; load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores of {history.processor()}")
    table("The median of the turns, and in brackets the highest:", "ns", [kind.title for kind in all_kinds],
          [(name, [kind.cell(row) for kind in all_kinds]) for row, name in ROWS.items()])
    multiples = {(row, kind.title): ratios(kind, plain, row) for row in ROWS for kind in (linked, preloaded)}
    table("As a multiple of plain glibc's in the same turn, median and highest:", "", [linked.title, preloaded.title],
          [(name, [f"{statistics.median(multiples[row, kind.title]):.2f} ({max(multiples[row, kind.title]):.2f})"
                   for kind in (linked, preloaded)]) for row, name in ROWS.items()])
    table("Memory for a lock:", "bytes", [kind.title for kind in all_kinds],
          [(name, [figure(statistics.median(kind.figures[row])) for kind in all_kinds]) for row, name in MEMORY.items()])
    if given.size == "full":
        history.append("Locks", {f"{ROWS[row]} {title}": statistics.median(values)
                                 for (row, title), values in multiples.items()})


if __name__ == "__main__":
    main()
