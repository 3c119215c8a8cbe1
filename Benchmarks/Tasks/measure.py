"""Captures of programs with many suspended tasks, beside Go's dump of as many goroutines: prints Markdown tables.

usage: measure.py TASK-CAPTURES GOROUTINES [--quick]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import history  # noqa: E402


def lines(program, *words):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CRASHKIT_DIRECTORY": folder, "TMPDIR": folder, "SWIFT_BACKTRACE": "enable=no"}
        run = subprocess.run([program, *map(str, words)], env=environment, check=True, capture_output=True, text=True)
    return [[float(word) for word in line.split()] for line in run.stdout.splitlines()]


def spread(values):
    return f"{statistics.median(values):.3g} ({min(values):.3g})"


def captures(programs, rounds):
    print("| tasks or goroutines | memory (MB) | CrashKit (ms) | CrashKit's processor time (ms) | report (bytes) "
          "| Go (ms) | Go's processor time (ms) | Go's dump (bytes) |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count in (10, 1_000, 100_000):
        for megabytes in (60, 1024):
            cells = [f"{count}", f"{megabytes}"]
            for program in programs:
                clock, processor, size = zip(*lines(program, "captures", count, megabytes, rounds))
                cells += [spread(clock), spread(processor), f"{statistics.median(size):.0f}"]
            print("| " + " | ".join(cells) + " |", flush=True)


def churn(programs, seconds, pairs):
    """Returns the ratio of each program."""
    ratios = {}
    print("\n| | without (a second) | captured once a second | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for name, program in zip(("Swift tasks, CrashKit", "goroutines, Go"), programs):
        both = [[lines(program, "churn", seconds, each)[0][0] for each in (0, 1)] for _ in range(pairs)]
        without, captured = zip(*both)
        ratio = ratios[name] = statistics.median(one / other for other, one in both)
        print(f"| {name} | {statistics.median(without):.0f} | {statistics.median(captured):.0f} | {ratio:.3f} |",
              flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs=2)
    parser.add_argument("--quick", action="store_true", help="only try it out")
    given = parser.parse_args()
    captures(given.programs, 3 if given.quick else 21)
    ratios = churn(given.programs, 1 if given.quick else 5, 1 if given.quick else 5)
    if not given.quick:
        history.append("Tasks", ratios)


if __name__ == "__main__":
    main()
