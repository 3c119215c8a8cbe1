#!/usr/bin/env python3
"""The package's Swift on aarch64: cross-built with Debian 13's Swift 6.0, and run in an emulated machine.

Compiles CrashKit, ThreadGuard, Watcher and crashsym with all that they need, without a warning. Builds the samples of
Samples/, runs them in the machine (Scripts/vm/arm64), and has crashsym show their reports, the one of this machine and
the one there. The lines of their own code, with the chains of asynchronous callers, must be those of each sample's
expected.txt. Some are built with -O too.

SwiftPM's manifest of a debug build with the tests (.build/debug.yaml) says what each module is compiled from. The
products of that build give crashsym.

Exit status: 0 all is as on x86-64; 1 something is not, or there is no machine.
"""

import argparse
import pathlib
import sys

import aarch64_build
import aarch64_death_checks
import aarch64_machine
import aarch64_swift_build
import aarch64_swift_command
import aarch64_swift_samples
import aarch64_swift_waits
import aarch64_swift_watcher
import support

RELEASE = "trixie"
MODULES = "CrashKit ThreadGuard Watcher".split()
OPTIMISED = ["async-task", "cxx-exception", "worker-index"]
PRELOADED = [aarch64_swift_samples.THREAD_GUARD, aarch64_swift_samples.MEMORY_GUARD]
MANIFEST = support.ROOT / ".build" / "debug.yaml"
HERE = support.ROOT / ".build" / "debug"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="SAMPLE", action="append",
                        help="this sample alone; may be given several times")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave all that the machine left there")
    parser.add_argument("--limit", type=int, default=1200, metavar="SECONDS", help="of the machine's run")
    return parser.parse_args()


def build(wanted, checks):
    """Compiles the modules and the programs; returns the build, and the names of the samples' programs."""
    root, compiler = pathlib.Path(aarch64_machine.root(RELEASE)), aarch64_machine.swift(RELEASE)
    built = aarch64_build.Build(root, support.ROOT / ".build" / "aarch64" / f"{RELEASE}-swift", MANIFEST)
    for library in (*PRELOADED, aarch64_swift_waits.LIBRARY):
        for path in built.objects_of(library):
            built.compile(path)
        built.product(library)
    modules, programs = aarch64_swift_build.read_modules(MANIFEST), []
    for level, names in {"-Onone": list(aarch64_swift_samples.rows()), "-O": OPTIMISED}.items():
        swift = aarch64_swift_build.SwiftBuild(built, compiler, level, modules)
        for name in MODULES if level == "-Onone" else []:
            swift.module(name)
        for name in [name for name in names if name in (wanted or names)]:
            aarch64_swift_samples.build(swift, aarch64_swift_samples.rows()[name])
            programs.append(f"{level[1:]}/{name}")
        if level == "-Onone":
            aarch64_swift_watcher.build(swift)
            aarch64_swift_waits.build(swift)
            aarch64_swift_command.build(swift)
        seconds = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in swift.seconds.items())
        checks.expect(swift.seconds or wanted, f"Swift compiles for aarch64 with {level}: {seconds}")
    return built, programs


def judge(checks, programs, done, folder, symbols):
    crashsym = HERE / "crashsym"
    for program in programs:
        aarch64_swift_samples.judge(checks, program, done["swift"][program], folder / program, crashsym, symbols)
    aarch64_swift_watcher.judge(checks, done["watcher"])
    aarch64_swift_command.judge(checks, done["crashsym"])


def main():
    given, checks = arguments(), support.Checks()
    try:
        built, programs = build(given.only, checks)
        products = built.folder / "products"
        with support.temporary_folder() as temporary:
            folder = given.keep or pathlib.Path(temporary) / "machine"
            folder.mkdir(parents=True, exist_ok=True)
            done = aarch64_machine.do(RELEASE, folder, products, {"swift": programs}, given.limit)
            libraries = [products / f"lib{library}.so" for library in PRELOADED]
            named = [*(products / program for program in programs), *libraries, built.root / "usr/lib/debug"]
            symbols = aarch64_death_checks.file_symbols(named, HERE / "crashsym", pathlib.Path(temporary) / "symbols")
            judge(checks, programs, done, folder / "runs" / "swift", [symbols, built.root])
            aarch64_swift_waits.judge(checks, done["dispatch"], folder, products, built.root, HERE / "crashsym")
        print("seconds in the machine:", done["seconds"])
    except (aarch64_build.Failed, aarch64_machine.Failed) as failure:
        sys.exit(f"aarch64_swift: {failure}")
    checks.end()


if __name__ == "__main__":
    main()
