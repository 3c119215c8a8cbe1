"""Appends to Benchmarks/history.tsv what a benchmark measured: one line a run, each figure as a ratio to a named peer's."""

import datetime
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILE = ROOT / "Benchmarks" / "history.tsv"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def commit():
    """The commit that is checked out, with a plus sign if files differ from it."""
    def git(*arguments):
        return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def append(benchmark, ratios):
    """`ratios` maps a figure's name to its ratio. A name has no tab, line end or equals sign."""
    cells = [f"{name}={ratio:.3f}" for name, ratio in ratios.items()]
    now = datetime.datetime.now(datetime.timezone.utc)
    with open(FILE, "a", encoding="utf-8") as file:
        file.write("\t".join([f"{now:%Y-%m-%dT%H:%MZ}", commit(), processor(), benchmark, *cells]) + "\n")
