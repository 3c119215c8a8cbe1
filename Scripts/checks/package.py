#!/usr/bin/env python3
"""Installs the Debian package of Scripts/package in clean roots of Debian, and tries it there.

crashsym needs the glibc of the system that built it. The libraries that it preloads need 2.31, so Debian 11 gets these
alone. Each root is made by debootstrap, with nothing but the smallest system, and removed afterwards. It needs root's
rights and a mirror of Debian; without them it exits with 75.
"""

import argparse
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import package_ci

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRROR = "http://deb.debian.org/debian"
# perl is part of the smallest system.
CRASH = "exec crashsym run --output /tmp/reports -- perl -e 'kill SEGV => $$'"
QUIET = "exec crashsym run --thread-guard --output /tmp/reports -- perl -e 'exit 7'"
SHOP = "static void charge(int *price) { *price = 1; }\nint main(void) { charge(0); }\n"
DEMO = "CRASHKIT_DIRECTORY=/tmp/demo diagdemo crash null-read; crashsym /tmp/demo/*.json"
# Of the oldest glibc that the preload libraries load with.
OLDEST = "bullseye"
RELEASES = [OLDEST, "bookworm", "trixie"]
LIBRARIES = ["libCrashKitGuardPreload.so", "libCrashKitPreload.so", "libThreadGuardPreload.so"]
PRELOADED = """CRASHKIT_DIRECTORY=/tmp/preloaded CRASHKIT_OPTIONS=guard=1 LD_PRELOAD='{libraries}' exec perl -e '{program}'"""


def in_root(root, command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["chroot", root, "sh", "-c", command], env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


def build_shop(root):
    """A small C program with debug information, built here: it runs on this release and on later ones."""
    source = root / "tmp" / "shop.c"
    source.write_text(SHOP)
    subprocess.run(["cc", "-g", "-O0", f"-fdebug-prefix-map={root}=", "-o", root / "tmp" / "shop", source], check=True)


def checks(root, package):
    """What is tried in a root, each with an empty text or what is wrong."""
    shutil.copy(package, root / "tmp" / "crashsym.deb")
    run = in_root(root, "apt-get update -q && apt-get install -y -q /tmp/crashsym.deb")
    yield "installs with what it depends on", "" if run.returncode == 0 else run.stdout + run.stderr
    if run.returncode != 0:
        return
    run = in_root(root, "crashsym --version && crashsym help nosuch")
    yield "starts, and knows a wrong command", "" if run.returncode == 64 and run.stdout.count("\n") == 1 else run.stderr
    run = in_root(root, CRASH)
    # The shell may have become crashsym, which dies of the same signal.
    shown = "perl died of SIGSEGV" in run.stdout + run.stderr and run.returncode in (139, -11)
    yield "shows the report of a program that dies", "" if shown else f"status {run.returncode}\n{run.stdout}{run.stderr}"
    run = in_root(root, "crashsym --format json /tmp/reports/*.json | grep -c libunwind")
    yield "unwinds by libunwind, which it recommends", "" if run.returncode == 0 else run.stdout + run.stderr
    run = in_root(root, QUIET)
    yield "passes a status on under ThreadGuard", "" if run.returncode == 7 else f"status {run.returncode}\n{run.stdout}{run.stderr}"
    build_shop(root)
    run = in_root(root, "crashsym run --output /tmp/shops -- /tmp/shop")
    shown = "shop died of SIGSEGV" in run.stdout + run.stderr and "charge" in run.stdout + run.stderr and "shop.c:1" in run.stdout + run.stderr
    yield "shows the line of a C program that dies", "" if shown else f"status {run.returncode}\n{run.stdout}{run.stderr}"
    run = in_root(root, DEMO)
    shown = "diagdemo died of SIGSEGV" in run.stdout and "read_at" in run.stdout
    yield "brings diagdemo, whose report names its functions", "" if shown else run.stdout + run.stderr
    for command, subcommand in (("crashsym", "run"), ("diagdemo", "crash")):
        run = in_root(root, f"test -s /usr/share/man/man1/{command}-{subcommand}.1.gz || grep -r path-exclude=/usr/share/man /etc/dpkg")
        yield f"has manual pages of {command}", run.stdout + run.stderr if run.returncode else ""
        run = in_root(root, f"bash -c '. /usr/share/bash-completion/completions/{command} && complete -p {command}'")
        yield f"has completions of {command} for bash", run.stdout + run.stderr if run.returncode else ""
    yield from package_ci.checks(root, package, in_root)
    run = in_root(root, "apt-get purge -y -q crashsym && ! find /usr -path '*crash*' -type f | grep crashsym")
    yield "is gone after its removal", run.stdout + run.stderr if run.returncode else ""


def library_checks(root, package):
    """The preload libraries without crashsym, each with an empty text or what is wrong."""
    subprocess.run(["dpkg-deb", "--extract", package, root / "opt"], check=True)
    libraries = " ".join(f"/opt/usr/lib/crashkit/{name}" for name in LIBRARIES)
    run = in_root(root, PRELOADED.format(libraries=libraries, program="exit 7"))
    wrong = run.returncode != 7 or "ThreadGuard[" not in run.stderr
    yield "its libraries load, and a program ends as without them", f"status {run.returncode}\n{run.stderr}" if wrong else ""
    in_root(root, "apt-get update -q && apt-get install -y -q libunwind8")
    run = in_root(root, PRELOADED.format(libraries=libraries, program="kill SEGV => $$"))
    reports = list((root / "tmp" / "preloaded").glob("*-crashReport.json"))
    found = [json.loads(report.read_text()) for report in reports]
    shown = [(report["process"]["name"], report["signal"]["name"], report["threads"][0].get("unwoundBy")) for report in found]
    wrong = run.returncode not in (139, -11) or shown != [("perl", "SIGSEGV", "cfi")]
    yield "its libraries leave a report of a program that dies, unwound by libunwind", f"status {run.returncode}: {shown}\n{run.stderr}" if wrong else ""
    shutil.rmtree(root / "opt" / "usr")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=pathlib.Path, help="the .deb")
    parser.add_argument("--release", action="append", help=f"of Debian; by default {', '.join(RELEASES)}")
    parser.add_argument("--root", action="append", default=[], type=pathlib.Path, help="a root that is there; it is kept")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("SKIPPED: the package was not installed in clean roots: that needs root's rights and debootstrap")
        return 75
    failed = 0
    for place in [*options.root, *(options.release or ([] if options.root else RELEASES))]:
        kept = isinstance(place, pathlib.Path)
        root = place if kept else pathlib.Path(tempfile.mkdtemp(prefix="crashkit-package."))
        try:
            if not kept:
                made = subprocess.run(["debootstrap", "--variant=minbase", place, root, MIRROR], capture_output=True, text=True, check=False)
                if made.returncode != 0:
                    print(f"SKIPPED: debootstrap made no root of {place}: {made.stdout[-300:]}")
                    continue
            tried = library_checks(root, options.package)
            if place != OLDEST:
                tried = itertools.chain(tried, checks(root, options.package))
            for name, error in tried:
                print(f"{'FAILED' if error else 'ok    '} {place}: {name}" + (f"\n{error}" if error else ""))
                failed += bool(error)
        finally:
            if not kept:
                shutil.rmtree(root, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
