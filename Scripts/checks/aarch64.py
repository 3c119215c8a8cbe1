"""Compiles the package's C for aarch64, with the flags of the debug build, as far as that goes without its libraries.

Nothing is linked or run: what is found is what would not compile there. Files that need libunwind's own headers for
aarch64, which Debian does not carry for x86-64, are named and left out.
"""
import argparse
import json
import os
import subprocess
import sys

HEADERS = "/usr/aarch64-linux-gnu/include"
LIBUNWIND = "libunwind.h"


def commands(manifest, sources):
    """The compiler's command line for each C file below a folder, from what SwiftPM wrote down for its build."""
    with open(manifest, encoding="utf-8") as file:
        for line in file:
            name, _, value = line.strip().partition(": ")
            if name != "args" or '"-c"' not in value:
                continue
            arguments = json.loads(value)
            path = arguments[arguments.index("-c") + 1]
            if path.endswith(".c") and path.startswith(sources + os.sep):
                yield path, arguments


def for_aarch64(arguments):
    """The same command for the other processor, without anything that it would write."""
    kept, skipped = [], False
    for argument in arguments:
        if skipped:
            skipped = False
        elif argument in ("-MT", "-MF", "-o", "-index-store-path"):
            skipped = True
        elif argument not in ("-MD", "-c"):
            kept.append(argument.replace("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
                        if not argument.startswith(("/", "-")) else argument)
    return kept + ["-fsyntax-only", "-Werror", "-isystem", HEADERS, "-idirafter", "/usr/include"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", default=".build/debug.yaml", help="SwiftPM's manifest of a build")
    options = parser.parse_args()
    if not os.path.isdir(HEADERS):
        sys.exit(f"there is no {HEADERS}: install libc6-dev-arm64-cross")
    sources = os.path.abspath("Sources")
    count, failed, left_out = 0, [], []
    for path, arguments in commands(options.manifest, sources):
        count += 1
        run = subprocess.run(for_aarch64(arguments), capture_output=True, text=True)
        if run.returncode == 0:
            continue
        name = os.path.relpath(path, sources)
        if f"'{LIBUNWIND}' file not found" in run.stderr:
            left_out.append(name)
        else:
            failed.append(name)
            print(run.stderr)
    for name in left_out:
        print(f"left out {name}: it needs {LIBUNWIND} for aarch64")
    print(f"{count - len(failed) - len(left_out)} of {count} C files compile for aarch64, {len(left_out)} left out")
    if failed or count == len(left_out):
        sys.exit(f"failed: {', '.join(failed) or 'nothing was compiled'}")


if __name__ == "__main__":
    main()
