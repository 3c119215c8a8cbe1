#!/usr/bin/env python3
"""The package's C on aarch64: cross-built, run in an emulated machine, and held to what is right on x86-64.

Builds every C and C++ source with pointer authentication and branch targets, and without a warning. Boots Debian's
arm64 kernel under qemu-system-aarch64 (Scripts/vm/arm64) and runs there:
  probes   the probes of the tests, which must answer as on this machine; Tests/Aarch64/differences.toml has what differs
  locks    the rows of Tests/LockScenarios in C and C++, under the preloaded lock engine
  deaths   the rows of Tests/Deaths that C and C++ bring about
  stacks   crashes of many kinds and fifty waiting threads: each frame's address must be gdb's
  waits    threads that wait for locks of many kinds: what the report of a crash, of a capture and of a core file says
  guard    the guard of allocations: memory that is used wrongly, and programs that allocate all the time

SwiftPM's manifest of a debug build with the tests (.build/debug.yaml) says what is compiled into what. The products of
that build give the answers of this machine, and crashsym.

Exit status: 0 all is as on x86-64; 1 something is not, or there is no machine.
"""

import argparse
import os
import pathlib
import signal
import sys

import aarch64_build
import aarch64_death_checks
import aarch64_deaths
import aarch64_guard
import aarch64_locks
import aarch64_machine
import aarch64_probes
import aarch64_stacks
import aarch64_waits
import support

PARTS = ["probes", "locks", "deaths", "stacks", "waits", "guard"]
PRODUCTS = ["handler-probe", "live-probe", "region-probe", "lock-probe", "CrashKitPreload", "ThreadGuardPreload"]
# Of a probe, in seconds: an emulated processor is a tenth as fast or less.
HERE_LIMIT, THERE_LIMIT = 30, 120
HERE = support.ROOT / ".build" / "debug"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", choices=["bookworm", "trixie"], default="bookworm",
                        help="whose glibc and libunwind: 2.36 and 1.6, or 2.41 and 1.8")
    parser.add_argument("--pages", type=int, choices=[4, 16], default=4, help="size of the kernel's pages in KiB")
    parser.add_argument("--processors", type=int, default=2, metavar="N", help="emulated processors")
    parser.add_argument("--short", action="store_true", help="20 probes, one inversion, and one crash with its stack")
    parser.add_argument("--part", choices=PARTS, action="append", help="this part alone; may be given several times")
    parser.add_argument("--only", metavar="NAME", action="append",
                        help="this question, row or kind alone, of the parts that have it")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave all that the machine left there")
    parser.add_argument("--limit", type=int, default=2400, metavar="SECONDS", help="of the machine's run")
    return parser.parse_args()


def build(release, checks):
    """Compiles everything; returns the build."""
    root = pathlib.Path(aarch64_machine.root(release))
    built = aarch64_build.Build(root, support.ROOT / ".build" / "aarch64" / release)
    count = built.compile_all(os.cpu_count())
    for name in PRODUCTS:
        built.product(name)
    for program in aarch64_locks.PROGRAMS:
        built.lock_program(program)
    aarch64_deaths.build(built)
    aarch64_stacks.build(built)
    aarch64_waits.build(built)
    aarch64_guard.build(built)
    checks.expect(count, f"{count} C and C++ files compile for aarch64 against {release}")
    return built


def chosen(given, checks):
    """What the machine is asked to do."""
    deaths = []
    for row in aarch64_deaths.rows():
        if reason := aarch64_deaths.reason_to_skip(row):
            if not given.only and not given.short and "deaths" in (given.part or PARTS):
                checks.skip(f"death {row.name}", reason)
        else:
            deaths.append(row.name)
    if not given.only and not given.short and "probes" in (given.part or PARTS):
        for name, reason in aarch64_probes.not_asked().items():
            checks.skip(f"handler-probe {name}", reason)
    everything = {
        "probes": aarch64_probes.questions(given.short),
        "locks": aarch64_locks.SHORT if given.short else [row.title for row in aarch64_locks.rows()],
        "deaths": [] if given.short else deaths,
        "stacks": aarch64_stacks.SHORT if given.short else aarch64_stacks.CRASHES,
        "waits": aarch64_waits.KINDS,
        "guard": [] if given.short else aarch64_guard.KINDS,
    }
    for part, names in everything.items():
        if given.part and part not in given.part:
            names = []
        everything[part] = [name for name in names if not given.only or name in given.only]
    fifty = bool(everything["stacks"]) and not given.short and not given.only
    return {**everything, "fifty": fifty, "limit": THERE_LIMIT, "keep": bool(given.keep)}


def judge_machine(checks, given, machine):
    """It must be the one that was asked for."""
    checks.expect((machine["pages"], machine["processors"]) == (given.pages, given.processors),
                  f"kernel {machine['kernel']} with pages of {machine['pages']} KiB, {machine['processors']} processors")


def judge(checks, asked, done, folder, built, temporary):
    if asked["probes"]:
        here = aarch64_probes.ask_all(asked["probes"], HERE, temporary / "here", os.cpu_count(), HERE_LIMIT)
        aarch64_probes.judge(checks, here, done["probes"])
    if asked["locks"]:
        aarch64_locks.judge(checks, done["locks"])
    if asked["deaths"]:
        named = [built.folder / "products" / "diagdemo", built.root / "usr/lib/debug"]
        symbols = aarch64_death_checks.file_symbols(named, HERE / "crashsym", temporary / "symbols")
        aarch64_death_checks.judge(checks, done["deaths"], folder / "runs" / "deaths", HERE, symbols, os.cpu_count())
    if asked["stacks"]:
        aarch64_stacks.judge(checks, done["stacks"])
    places = (folder, built.folder / "products", built.root, HERE / "crashsym")
    if asked["waits"]:
        aarch64_waits.judge(checks, done["waits"], *places)
    if asked["guard"]:
        aarch64_guard.judge(checks, done["guard"], *places)


def main():
    given, checks = arguments(), support.Checks()
    # Under nohup and in a shell's background these are ignored, and the probes here would inherit that; those in the
    # machine do not.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    try:
        built = build(given.release, checks)
        asked = chosen(given, checks)
        with support.temporary_folder() as temporary:
            folder = given.keep or pathlib.Path(temporary) / "machine"
            folder.mkdir(parents=True, exist_ok=True)
            done = aarch64_machine.do(given.release, folder, built.folder / "products", asked, given.limit,
                                      "--pages", given.pages, "--processors", given.processors)
            judge_machine(checks, given, done["machine"])
            judge(checks, asked, done, folder, built, pathlib.Path(temporary))
        print("seconds in the machine:", done["seconds"])
    except (aarch64_build.Failed, aarch64_machine.Failed) as failure:
        sys.exit(f"aarch64: {failure}")
    checks.end()


if __name__ == "__main__":
    main()
