#!/usr/bin/env python3
"""Compiles CrashKit, ThreadGuard and Watcher as on systems where they do not work, runs the tests of that, and compares the public
faces with the real ones.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess

import support
import swift_modules

PACKAGE = support.ROOT / "Tests" / "Elsewhere"
PRETENDING = {**os.environ, "CRASHKIT_PRETEND_UNSUPPORTED": "yes"}
MODULES = "CrashKit ThreadGuard Watcher".split()
TARGET = f"{platform.machine()}-unknown-linux-gnu"


def face(module, products, folder):
    """The public declarations of a module, and what its types conform to, by the names that the linker has."""
    folder.mkdir(parents=True)
    subprocess.run(["swift", "symbolgraph-extract", "-module-name", module, "-target", TARGET, "-output-dir", folder,
                    "-minimum-access-level", "public", *swift_modules.arguments(products)], check=True)
    names = set()
    for file in folder.glob("*.symbols.json"):
        graph = json.loads(file.read_text())
        names |= {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        names |= {f"{one['source']} is {one['target']}" for one in graph["relationships"] if one["kind"] == "conformsTo"}
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, help="folder of a debug build; built without it")
    given = parser.parse_args()
    checks = support.Checks()
    products = (given.products or support.swift_build("--product", "diagdemo")).resolve()
    tested = subprocess.run(["swift", "test", "--package-path", PACKAGE], env=PRETENDING, check=False)
    if checks.expect(tested.returncode == 0, "they compile, and the tests pass", f"status {tested.returncode}"):
        with support.temporary_folder() as temporary:
            for module in MODULES:
                real = face(module, products, pathlib.Path(temporary, module, "real"))
                pretended = face(module, PACKAGE / ".build" / "debug", pathlib.Path(temporary, module, "pretended"))
                checks.expect(len(real) > 100 and real == pretended, f"the public face of {module} is the same",
                              f"of {len(real)}, missing {sorted(real - pretended)}, more {sorted(pretended - real)}")
    checks.end()


if __name__ == "__main__":
    main()
