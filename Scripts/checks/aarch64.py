#!/usr/bin/env python3
"""The package's C on aarch64: cross-built, run in an emulated machine, and held to what is right on x86-64.

Builds every C source with pointer authentication and branch targets, and without a warning. Boots Debian's arm64
kernel under qemu-system-aarch64 (Scripts/vm/arm64) and runs there the probes of the tests. SwiftPM's manifest of a debug
build with the tests (.build/debug.yaml) says what is compiled into what, and its products give the answers of x86-64.

Exit status: 0 all is as on x86-64; 1 something is not, or there is no machine.
"""

import argparse
import os
import pathlib
import sys

import aarch64_build
import aarch64_machine
import aarch64_probes
import support

PRODUCTS = ["handler-probe", "live-probe", "region-probe", "lock-probe", "CrashKitPreload", "ThreadGuardPreload"]
# Of a probe, in seconds: an emulated processor is a tenth as fast or less.
HERE_LIMIT, THERE_LIMIT = 30, 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", choices=["bookworm", "trixie"], default="bookworm",
                        help="whose glibc and libunwind: 2.36 and 1.6, or 2.41 and 1.8")
    parser.add_argument("--short", action="store_true", help="20 probes, one crash and one inversion")
    parser.add_argument("--only", metavar="QUESTION", action="append", help="ask probes this alone")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave all that the machine left there")
    parser.add_argument("--limit", type=int, default=1800, metavar="SECONDS", help="of the machine's run")
    return parser.parse_args()


def build(release, checks):
    """Compiles everything; returns the build."""
    root = pathlib.Path(aarch64_machine.root(release))
    built = aarch64_build.Build(root, support.ROOT / ".build" / "aarch64" / release)
    count = built.compile_all(os.cpu_count())
    for name in PRODUCTS:
        built.product(name)
    checks.expect(count, f"{count} C and C++ files compile for aarch64 against {release}")
    return built


def main():
    given, checks = arguments(), support.Checks()
    try:
        built = build(given.release, checks)
        questions = given.only or aarch64_probes.questions(given.short)
        with support.temporary_folder() as temporary:
            folder = given.keep or pathlib.Path(temporary) / "machine"
            folder.mkdir(parents=True, exist_ok=True)
            asked = {"probes": questions, "limit": THERE_LIMIT, "keep": bool(given.keep)}
            done = aarch64_machine.do(given.release, folder, built.folder / "products", asked, given.limit)
            here = aarch64_probes.ask_all(questions, support.ROOT / ".build" / "debug", pathlib.Path(temporary) / "here",
                                          os.cpu_count(), HERE_LIMIT)
        aarch64_probes.judge(checks, here, done["probes"])
        print("seconds in the machine:", done["seconds"])
    except (aarch64_build.Failed, aarch64_machine.Failed) as failure:
        sys.exit(f"aarch64: {failure}")
    checks.end()


if __name__ == "__main__":
    main()
