"""The text of the section "Addresses" of Docs/benchmarks.md, around the tables."""

import datetime
import os
import platform
import subprocess
import sys

import tools


def tell(what):
    """What is under way, for whoever waits."""
    print(f"{datetime.datetime.now():%H:%M:%S} {what}", file=sys.stderr, flush=True)


def state():
    return datetime.datetime.now(), os.getloadavg()[0]


def begin(rounds, fewest):
    version = subprocess.run([tools.toolchain().command[0], "--version"], capture_output=True, text=True, check=True).stdout
    line = next((line.strip() for line in version.splitlines() if "version" in line), "of an unknown version")
    print(f"""## Addresses

`crashsym lookup --format json`, release build with a static standard library as `Scripts/install` makes it, beside other symbolizers; all
demangle and tell inlined calls. The tools take turns, {rounds} each, those that take long {fewest}; the share is the median over the rounds of
what each took beside the toolchain's llvm-symbolizer ({line}) in the same round, time, processor and memory are the best. Measured on
{datetime.date.today():%-d %B %Y}: {os.cpu_count()} cores, {platform.machine()}, Linux {platform.release()}.""")


def notes(results, aims, memory_aim, found):
    """What holds for all tables, and what the aims came to; `results` are those on the release server by the number of
    addresses, `found` the names of the tools."""
    print("""
Memory of less than 17 MiB cannot be told: the measuring process has as much when it starts another. eu-addr2line 0.188 finds no Swift
address and is asked for one only. The default build is a debug build with the Swift libraries linked dynamically. llvm-gsymutil's file was
made before. gimli's addr2line is Debian's and writes Swift names as they are. blazesym is absent: no package or mirror here has it.""")
    if "gimli addr2line 0.19" not in found:
        print("gimli's addr2line is absent: it needs Debian's librust-addr2line-dev and a Rust compiler.")
    if not results:
        return
    print("""
What the aims came to on the release server:

| | addresses | processor | aim | | time | memory | aim | |
| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | --- |""")
    for tool, by_count in aims.items():
        for count, aim in by_count.items():
            turns = results.get(count)
            if turns is None or not turns.results.get(tool):
                continue
            time, processor, memory = (turns.share(tool, figure) for figure in range(3))
            print(f"| {tool} | {count:,} | {processor:.3f} | {aim} | {verdict(processor, aim)} | {time:.3f} | {memory:.2f} "
                  f"| {memory_aim} | {verdict(memory, memory_aim)} |")


def verdict(share, aim):
    return "met" if share <= aim else "missed"


def end(started):
    seconds = (datetime.datetime.now() - started[0]).total_seconds()
    print(f"""
The whole took {seconds / 60:.0f} minutes, what had to be built included; the load was {started[1]:.1f} at its start and {os.getloadavg()[0]:.1f} at its
end, its own one to two. Again: `Benchmarks/Symbolication/run`, whose output is this section; `compare.py --help` names options for what is built
already. That the answers are llvm-symbolizer's is what `Scripts/checks/faithful.py` checks.""")
