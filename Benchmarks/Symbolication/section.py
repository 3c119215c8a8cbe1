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

The tables compare `crashsym lookup --format json` with other symbolizers. The installed crashsym is a release build with a static
standard library, as `Scripts/install` makes it. All tools are asked to demangle names and to show inlined calls. The tools take turns:
{rounds} rounds each, but only {fewest} rounds for slow tools. A share is the tool's figure, divided by the figure of the toolchain's
llvm-symbolizer ({line}) in the same round. The tables show the median share of the rounds, with the aim in brackets. For elapsed time,
processor time and memory, the best round is shown. Measured on {datetime.date.today():%-d %B %Y}: {os.cpu_count()} cores,
{platform.machine()}, Linux {platform.release()}.""")


def notes(results, aims, memory_aim, found):
    """What holds for all tables, and what the aims came to; `results` are those on the release server by the number of
    addresses, `found` the names of the tools."""
    print("""
Memory below 17 MiB cannot be measured, because the measuring process itself uses 17 MiB when it starts a tool. eu-addr2line 0.188 finds
nothing for Swift addresses, so it was measured with one address only. The default build of crashsym is a debug build that links the Swift
libraries dynamically. The time of llvm-gsymutil does not include the time to make its file. gimli's addr2line comes from
Debian's packages. llvm-symbolizer and gimli's addr2line print Swift names without making them readable. blazesym is absent, because
no package of it was available.""")
    if "gimli addr2line 0.19" not in found:
        print("gimli's addr2line was not measured: it needs Debian's librust-addr2line-dev and a Rust compiler.")
    if not results:
        return
    print("""
The next table compares the shares with the aims, for the release build of the Hummingbird sample:

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
The run took {seconds / 60:.0f} minutes, including the builds. The load was {started[1]:.1f} at its start and {os.getloadavg()[0]:.1f} at its end; the
run itself causes one to two of that. To measure again: `Benchmarks/Symbolication/run`, which prints this section; `compare.py --help` lists
options for existing builds. `Scripts/checks/faithful.py` checks that crashsym's answers
equal those of llvm-symbolizer.""")
