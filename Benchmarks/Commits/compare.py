"""Builds two commits, optimised as Scripts/install does, and runs each row of the table with both, in pairs.

A row's ratio is the median, over the pairs, of the processor time (user and system) of OTHER beside that of COMMIT.
Status 1: a row takes a tenth more, and 8 of 10 pairs agree. Both programs are asked about the same files: crashsym of
COMMIT, its own binary, and the reports of crashes under each commit's library.
"""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Benchmarks" / "Symbolication"), str(ROOT / "Scripts" / "checks")]
import history  # noqa: E402
import support  # noqa: E402
import timing  # noqa: E402

PRODUCTS = ["crashsym", "CrashKitPreload", "ThreadGuardPreload"]
SLOWER = 1.1
AGREEMENT = 0.8


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout


def build(tree, scratch):
    """Returns the folder of the products."""
    for product in PRODUCTS:
        folder = support.swift_build("--scratch-path", str(scratch), "--static-swift-stdlib", "--product", product,
                                     package=tree, configuration="release")
    return folder


def build_commit(name):
    """In a work tree of its own, which goes away; the build stays below .build, so that the next comparison is quick."""
    number = git("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").strip()[:12]
    tree = ROOT / ".build" / "commits" / number
    git("worktree", "prune")
    git("worktree", "add", "--force", "--detach", str(tree), number)
    try:
        return build(tree, ROOT / ".build" / "commits" / f"{number}.build")
    finally:
        git("worktree", "remove", "--force", str(tree))


def addresses(binary, count):
    symbols = subprocess.run(["nm", "--defined-only", str(binary)], check=True, capture_output=True, text=True).stdout
    starts = [int(line.split()[0], 16) for line in symbols.splitlines() if line.split()[1] in "tT"]
    return [start + 4 for start in random.Random(1).choices(starts, k=count)]


class Rows:
    """Each row gives the command, standard input, the environment, and the highest exit status, for a folder of products."""

    def __init__(self, folder, base):
        self.folder = folder
        self.binary = folder / "binary"
        shutil.copy(base / "crashsym", self.binary)
        for count in (1, 10_000):
            (folder / str(count)).write_text("".join(f"{address:#x}\n" for address in addresses(self.binary, count)))
        for name in ("locks", "crash"):
            source = ROOT / "Benchmarks" / "Commits" / f"{name}.c"
            subprocess.run(["gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-pthread", "-o", str(folder / name),
                            str(source)], check=True)
        self.reports = folder / "reports"
        self.reports.mkdir()
        self.run(self.crash(base))
        self.report = next(self.reports.glob("*.json"))

    def lookup(self, count, *options):
        return lambda products: ([products / "crashsym", "lookup", "--format", "json", *options, self.binary],
                                 self.folder / str(count), self.index(products), 0)

    def index(self, products):
        """Each commit has indexes of its own: one may not read what the other wrote."""
        return {"XDG_CACHE_HOME": str(self.folder / "indexes" / str(products).replace("/", "_"))}

    def crash(self, products):
        environment = {"LD_PRELOAD": str(products / "libCrashKitPreload.so"), "CRASHKIT_DIRECTORY": str(self.reports)}
        return [self.folder / "crash"], os.devnull, environment, None

    def all(self):
        guard = {"THREADGUARD_OPTIONS": "summary=no"}
        return {
            "crashsym --version": lambda products: ([products / "crashsym", "--version"], os.devnull, {}, 0),
            "1 address, no index": self.lookup(1, "--no-cache"),
            "10,000 addresses, no index": self.lookup(10_000, "--no-cache"),
            "10,000 addresses, from the index": self.lookup(10_000),
            "a report as text": lambda products: (
                [products / "crashsym", self.report], os.devnull, self.index(products), 0),
            "a crash with 64 threads": self.crash,
            "two nested locks": lambda products: (
                [self.folder / "locks"], os.devnull, {"LD_PRELOAD": str(products / "libThreadGuardPreload.so"), **guard}, 0),
        }

    def run(self, row):
        command, given, environment, most_status = row
        return timing.measure([str(part) for part in command], str(given), environment, most_status)


def compare(rows, builds, pairs):
    """Prints the table and returns the ratios of the rows that became slower."""
    print("| processor time | before (ms) | after (ms) | ratio | |\n| --- | ---: | ---: | ---: | --- |")
    ratios, slower = {}, []
    for name, row in rows.all().items():
        times = [[], []]
        for pair in range(pairs + 1):  # the first fills the page cache and makes the index
            for i in (0, 1) if pair % 2 else (1, 0):
                spent = rows.run(row(builds[i]))[1]
                if pair:
                    times[i].append(spent)
        each = [after / before for before, after in zip(*times)]
        ratios[name] = statistics.median(each)
        is_slower = ratios[name] >= SLOWER and sum(ratio > 1 for ratio in each) >= AGREEMENT * pairs
        before, after = (statistics.median(figures) * 1e3 for figures in times)
        print(f"| {name} | {before:.1f} | {after:.1f} | {ratios[name]:.2f} | {'slower' if is_slower else ''} |", flush=True)
        slower += [name] if is_slower else []
    return ratios, slower


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/compare", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", metavar="COMMIT", help="what was before")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="what is after; what is checked out, if left out")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--record", action="store_true", help="append the ratios to Benchmarks/history.tsv")
    given = parser.parse_args()
    if given.pairs < 1:
        parser.error("--pairs must be 1 or more")
    try:
        before = build_commit(given.commit)
        after = build_commit(given.other) if given.other else build(ROOT, ROOT / ".build" / "install")
    except subprocess.CalledProcessError as error:
        sys.exit(f"compare: {' '.join(map(str, error.cmd[:6]))}: status {error.returncode} {(error.stderr or '').strip()}")
    with tempfile.TemporaryDirectory() as folder:
        ratios, slower = compare(Rows(pathlib.Path(folder), before), (before, after), given.pairs)
    if given.record:
        history.append(f"compare with {given.commit}", ratios)
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
