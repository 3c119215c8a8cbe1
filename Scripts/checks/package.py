#!/usr/bin/env python3
"""Installs the Debian package of Scripts/package in clean roots of Debian, and tries it there.

Each root is made by debootstrap, with nothing but the smallest system, and removed afterwards. It needs root's rights and a
mirror of Debian; without them it exits with 75.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRROR = "http://deb.debian.org/debian"
# perl is part of the smallest system.
CRASH = "exec crashsym run --output /tmp/reports -- perl -e 'kill SEGV => $$'"
QUIET = "exec crashsym run --thread-guard --output /tmp/reports -- perl -e 'exit 7'"


def in_root(root, command):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(["chroot", root, "sh", "-c", command], env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


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
    run = in_root(root, "test -s /usr/share/man/man1/crashsym-run.1.gz || grep -r path-exclude=/usr/share/man /etc/dpkg")
    yield "has manual pages", run.stdout + run.stderr if run.returncode else ""
    run = in_root(root, "bash -c '. /usr/share/bash-completion/completions/crashsym && complete -p crashsym'")
    yield "has completions of bash", run.stdout + run.stderr if run.returncode else ""
    run = in_root(root, "apt-get purge -y -q crashsym && ! find /usr -path '*crash*' -type f | grep crashsym")
    yield "is gone after its removal", run.stdout + run.stderr if run.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=pathlib.Path, help="the .deb")
    parser.add_argument("--release", action="append", help="of Debian; by default bookworm and trixie")
    parser.add_argument("--root", action="append", default=[], type=pathlib.Path, help="a root that is there; it is kept")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("SKIPPED: the package was not installed in clean roots: that needs root's rights and debootstrap")
        return 75
    failed = 0
    for place in [*options.root, *(options.release or ([] if options.root else ["bookworm", "trixie"]))]:
        kept = isinstance(place, pathlib.Path)
        root = place if kept else pathlib.Path(tempfile.mkdtemp(prefix="crashkit-package."))
        try:
            if not kept:
                made = subprocess.run(["debootstrap", "--variant=minbase", place, root, MIRROR], capture_output=True, text=True, check=False)
                if made.returncode != 0:
                    print(f"SKIPPED: debootstrap made no root of {place}: {made.stdout[-300:]}")
                    continue
            for name, error in checks(root, options.package):
                print(f"{'FAILED' if error else 'ok    '} {place}: {name}" + (f"\n{error}" if error else ""))
                failed += bool(error)
        finally:
            if not kept:
                shutil.rmtree(root, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
