"""Watcher in the emulated machine: a program prints what it reads of the machine's memory and processors."""

import re
import subprocess

import support

NAME = "watching"
PROGRAM = support.ROOT / "Tests" / "Aarch64" / "Watching.swift"
LIMIT = 120
READINGS = {"memory.load": r"0\.\d+", "cpu.load": r"[01]\.\d+"}


def build(swift):
    swift.program(NAME, PROGRAM, ["Watcher"])


def run(products):
    """In the machine: what the program printed, or why it did not end."""
    try:
        ended = subprocess.run([products / "Onone" / NAME], capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT} s"
    return ended.stdout + ended.stderr


def judge(checks, said):
    for name, pattern in READINGS.items():
        checks.expect(re.search(rf"^{re.escape(name)} {pattern}$", said, re.M), f"Watcher reads {name}", said)
