"""Processor time of programs that allocate, without the guard of allocations and with it: prints a Markdown table.

Of the ratios, the median of all turns, and that of the best times. FOLDER has the programs, and libpass_on.so.

usage: measure.py LIBRARY FOLDER [--quick]
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import history  # noqa: E402

SETTINGS = ["calls passed on", "`guard=no`, preloaded", "`guard=yes`"]
JSON = """
import json
data = {str(i): {"name": "order %d" % i, "lines": list(range(i, i + 20)), "paid": None} for i in range(2000)}
for i in range(ROUNDS): json.loads(json.dumps(data))
"""


def processor_time(command, environment):
    """Seconds of user and system time of one run."""
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true", help="only try it out")
    given = parser.parse_args()
    pairs, scale = (2, 20) if given.quick else (31, 1)
    # Every object of Python's is then an allocation of libc's.
    python = {**os.environ, "PYTHONMALLOC": "malloc"}
    programs = [
        ("Python reads and writes JSON", ["python3", "-c", JSON.replace("ROUNDS", str(40 // scale))], python),
        ("a tree of texts", [given.folder / "tree", str(600 // scale)], os.environ),
        ("allocates and releases, nothing else", [given.folder / "pieces", str(100_000 // scale)], os.environ),
    ]
    settings = [{}, {"LD_PRELOAD": str(given.folder / "libpass_on.so")},
                {"CRASHKIT_OPTIONS": "guard=no", "LD_PRELOAD": str(given.library)},
                {"CRASHKIT_OPTIONS": "guard=yes", "LD_PRELOAD": str(given.library)}]
    ratios = {}
    print("| | without (s) |", " | ".join(SETTINGS), "|")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, command, environment in programs:
        times = [[] for _ in settings]
        for turn in range(pairs):
            order = range(len(settings)) if turn % 2 == 0 else reversed(range(len(settings)))
            for i in order:
                times[i].append(processor_time(command, {**environment, **settings[i]}))
        cells = [f"{statistics.median(times[0]):.2f} ({min(times[0]):.2f})"]
        for setting, each in zip(SETTINGS, times[1:]):
            ratio = statistics.median(with_it / plain for with_it, plain in zip(each, times[0]))
            ratios[f"{name}, {setting}"] = ratio
            cells.append(f"{ratio:.3f} ({min(each) / min(times[0]):.3f})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    if not given.quick:
        history.append("Allocations", ratios)


if __name__ == "__main__":
    main()
