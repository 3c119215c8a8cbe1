#!/usr/bin/env python3
"""crashsym reads aarch64 on this machine: core files as gdb-multiarch does, addresses as llvm-symbolizer does.

  cores    programs of many kinds die in the emulated machine (Scripts/vm/arm64). Each thread's frames in their core
           files must have the addresses that gdb-multiarch finds, and the program's own functions their names
  kinds    the same of the crashes of diagdemo that aarch64.py looks at; this part runs with --full
  lookup   addresses all over Debian's libraries for arm64 and programs of our own: each answer whole, see faithful.py

It builds with the compiler that SwiftPM's manifest names, so run swift build --build-tests first.

Exit status: 0 all is equal; 1 something is not, or there is no machine.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import aarch64_build
import aarch64_core_programs
import aarch64_deaths
import aarch64_machine
import aarch64_stacks
import cores_like_gdb
import faithful
import faithful_binaries
import gdb_cores
import llvm_symbolizer
import support

PARTS = ["cores", "kinds", "lookup"]
CRASHSYM = support.ROOT / ".build" / "debug" / "crashsym"
PROBES = ["handler-probe", "lock-probe"]
# The stacks are small so that the cores are: every thread's is part of its core.
JOB = """
ulimit -S -c unlimited
ulimit -S -s 256
mkdir /tmp/cores
run() {
  core=/tmp/cores/$1; shift
  mkdir /tmp/run; cd /tmp/run
  "$@"; mv core* $core
  cd /; rm -r /tmp/run
}
gcore_of() {
  core=/tmp/cores/$1; shift
  "$@" & sleep 2
  gdb -batch -nx -p $! -ex "gcore $core"; kill -KILL $!
}
%s
tar -C /tmp/cores -cf /out/cores.tar .
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", choices=["bookworm", "trixie"], default="bookworm", help="of Debian's packages")
    parser.add_argument("--full", action="store_true", help="all parts")
    parser.add_argument("--part", choices=PARTS, action="append", help="this part alone")
    parser.add_argument("--only", metavar="NAME", action="append", help="this program, kind or library alone")
    parser.add_argument("--count", type=int, default=2000, help="addresses of each binary")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS", help="of the machine's run")
    given = parser.parse_args()
    given.part = given.part or [part for part in PARTS if given.full or part != "kinds"]
    return given


# --- Core files --------------------------------------------------------------------------------------------------


def make_cores(release, cases, folder, limit):
    """Runs each program in the machine, and leaves its core file under its name in the folder."""
    lines = [f"{case.command} {case.name} /out/{case.program} {case.argument}" for case in cases]
    (folder / "job.sh").write_text(JOB % "\n".join(lines))
    ended = aarch64_machine.run("--release", release, "--limit", limit, folder)
    if ended.returncode != 0:
        said = (folder / "job.log").read_text(errors="replace")
        raise aarch64_machine.Failed(f"the job ended with {ended.returncode}: {said.strip()[-600:]}")
    with tarfile.open(folder / "cores.tar") as archive:
        archive.extractall(folder / "cores", filter="fully_trusted")


def names_of_crashed(core, symbols):
    run = subprocess.run([CRASHSYM, "--no-cache", "--format", "json", *symbols, core], check=True, capture_output=True,
                         text=True)
    return {frame.get("symbol") for frame in json.loads(run.stdout)["threads"][0]["frames"]}


def check_core(checks, case, folder, root):
    core = folder / "cores" / case.name
    if not checks.expect(core.exists(), f"{case.name}: there is a core file"):
        return
    # The store's debug files come first, the machine's libraries last.
    symbols = [word for place in (*case.stores, folder, root, root / "usr/lib/debug")
               for word in ("--symbols", str(place))]
    theirs = gdb_cores.stacks(folder / case.program, core, root=root)
    if case.is_return:
        theirs = {thread: addresses[:1] for thread, addresses in theirs.items()}
    ours = cores_like_gdb.our_stacks(core, symbols)
    found = cores_like_gdb.differences(theirs, ours)
    frames = sum(len(addresses) for addresses in theirs.values())
    checks.expect(not found, f"{case.name}: {len(theirs)} threads, {frames} frames as gdb has them",
                  f"{len(found)} differ: {'; '.join(found)}")
    if case.functions:
        missing = set(case.functions) - names_of_crashed(core, symbols)
        checks.expect(not missing, f"{case.name}: the program's functions have names", f"without {missing}")


def check_cores(checks, given, root, built, folder):
    cases = [case for case in aarch64_core_programs.CASES if not given.only or case.name in given.only]
    for case in cases:
        shutil.copy(aarch64_core_programs.make(built, case, folder / "stores", CRASHSYM), folder / case.program)
    check_all(checks, given, cases, root, folder)


def check_kinds(checks, given, root, built, folder):
    built.compile_all(os.cpu_count())
    aarch64_deaths.build(built)
    shutil.copy(built.folder / "products" / "diagdemo", folder)
    kinds = [name for name in aarch64_stacks.CRASHES if not given.only or name in given.only]
    check_all(checks, given, [aarch64_core_programs.kind(name) for name in kinds], root, folder)


def check_all(checks, given, cases, root, folder):
    if cases:
        make_cores(given.release, cases, folder, given.limit)
    for case in cases:
        check_core(checks, case, folder, root)


# --- Addresses ---------------------------------------------------------------------------------------------------


def with_debug_file(binary, root):
    """A library of the machine, asked with its debug file, and that file alone for the oracle."""
    notes = faithful_binaries.run("readelf", "-n", binary)
    build_id = notes.split("Build ID: ")[1].split()[0]
    debug = root / "usr/lib/debug/.build-id" / build_id[:2] / (build_id[2:] + ".debug")
    return faithful_binaries.Case(binary.name, binary, debug, ["--symbols", str(root / "usr/lib/debug")], inlined=0)


def binaries(root, built):
    libraries = root / "usr/lib/aarch64-linux-gnu"
    for name in ("libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"):
        yield with_debug_file(libraries / name, root)
    # Of these, there are the exported names.
    exported = [libraries / "libstdc++.so.6", libraries / "libcrypto.so.3", *(root / "usr/bin").glob("python3.??")]
    for binary in exported:
        binary = binary.resolve()
        yield faithful_binaries.Case(binary.name, binary, binary, lines=0, inlined=0, functions=0.1, has_index=False)
    for name in PROBES:
        for host_object in built.objects_of(name):
            built.compile(host_object)
        program = built.product(name)
        yield faithful_binaries.Case(name, program, program, inlined=0)


def check_lookup(checks, given, root, built):
    symbolizer = llvm_symbolizer.toolchain_symbolizer()
    for case in binaries(root, built):
        if not given.only or case.name in given.only:
            faithful.compare(checks, case, CRASHSYM, symbolizer, given.count)


def main():
    given, checks = arguments(), support.Checks()
    try:
        root = pathlib.Path(aarch64_machine.root(given.release))
        built = aarch64_build.Build(root, support.ROOT / ".build" / "aarch64" / given.release)
        for part, check in (("cores", check_cores), ("kinds", check_kinds)):
            if part in given.part:
                with support.temporary_folder() as temporary:
                    check(checks, given, root, built, pathlib.Path(temporary))
        if "lookup" in given.part:
            check_lookup(checks, given, root, built)
    except (aarch64_build.Failed, aarch64_machine.Failed) as failure:
        sys.exit(f"aarch64_reading: {failure}")
    checks.end()


if __name__ == "__main__":
    main()
