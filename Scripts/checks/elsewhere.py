#!/usr/bin/env python3
"""Compiles CrashKit and ThreadGuard as on systems where they do not work, runs the tests of that, and compares the public
faces with the real ones.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess

import support

PACKAGE = support.ROOT / "Tests" / "Elsewhere"
PRETENDING = {**os.environ, "CRASHKIT_PRETEND_UNSUPPORTED": "yes"}
MODULES = "CrashKit ThreadGuard".split()
TARGET = f"{platform.machine()}-unknown-linux-gnu"


def module_maps(products):
    """What the compiler needs to read a module that imports C: the module maps of sources and of the build."""
    sources = support.ROOT / "Sources"
    for file in [*sources.rglob("module.modulemap"), *products.glob("*.build/module.modulemap")]:
        yield from ["-Xcc", f"-fmodule-map-file={file}"]
    for folder in sources.rglob("include"):
        yield from ["-Xcc", f"-I{folder}"]


def face(module, products, folder):
    """The public declarations of a module, and what its types conform to, by the names that the linker has."""
    folder.mkdir(parents=True)
    subprocess.run(["swift", "symbolgraph-extract", "-module-name", module, "-I", products / "Modules", "-target", TARGET,
                    "-output-dir", folder, "-minimum-access-level", "public", *module_maps(products)], check=True)
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
    products = (given.products or support.swift_build("--product", "guarded-probe")).resolve()
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
