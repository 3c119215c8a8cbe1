#!/usr/bin/env python3
"""Makes the DocC documentation of every library without a warning, and asks that each public declaration has words.

The code in the catalogues is compiled: each block of Swift in an article, and each file of a tutorial. swift-docc-plugin
belongs to packages of the tests, and to this package if the variable below is set, so no user fetches it.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import support
import swift_modules

TESTS = support.ROOT / "Tests"
WANTED = {**os.environ, "CRASHKIT_DOCUMENTATION": "yes"}
# Each library is documented where a step builds it anyway.
PLACES = {
    support.ROOT: "CrashKit CrashKitNIO ThreadGuard ThreadGuardSynchronization ThreadGuardTesting Watcher WatcherCombine "
                  "WatcherDesk WatcherJournal WatcherMetrics",
    TESTS / "OptionalProducts": "CrashKitLogging CrashKitService CrashKitTesting CrashKitTracing",
    TESTS / "UploadProduct": "CrashKitUpload",
    TESTS / "DeskProduct": "CrashKitHummingbird DeskServer DeskStore",
}
SWIFT = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)


def generate(package, module):
    """Runs the plugin for one library. What is wrong, or an empty text."""
    run = subprocess.run(["swift", "package", "--package-path", package, "generate-documentation", "--warnings-as-errors",
                          "--target", module], env=WANTED, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else (run.stdout + run.stderr)[-3000:]


def undocumented(package, module):
    """How many public declarations a library has, and those that stand in its source without a word."""
    folders = [folder for folder in package.glob(f".build/*/extracted-symbols/*/{module}") if folder.is_dir()]
    symbols = [symbol for folder in folders for file in folder.glob("*.symbols.json")
               for symbol in json.loads(file.read_text())["symbols"]]
    bare = {f"{pathlib.Path(symbol['location']['uri']).name}:{symbol['location']['position']['line'] + 1} "
            f"{'.'.join(symbol['pathComponents'])}"
            for symbol in symbols
            if "location" in symbol and "docComment" not in symbol and symbol["kind"]["identifier"] != "swift.extension"}
    return len(symbols), sorted(bare)


def catalogue_of(module):
    return next((support.ROOT / "Sources").rglob(f"{module}.docc"))


def pieces(catalogue):
    """The code of a catalogue: its name, and its text."""
    for file in sorted(catalogue.rglob("*.md")):
        for number, text in enumerate(SWIFT.findall(file.read_text()), 1):
            yield f"{file.name}, block {number}", text
    for file in sorted(catalogue.rglob("*.swift")):
        if not file.name.startswith("Package"):
            yield file.name, file.read_text()


def compiled(text, package, folder):
    """Whether code compiles as a program's main file: what the compiler prints, or an empty text."""
    folder.mkdir()
    main = folder / "main.swift"
    main.write_text(text)
    run = subprocess.run(["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors",
                          *swift_modules.arguments(package / ".build" / "debug", package), main],
                         capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="libraries; all by default")
    wanted = parser.parse_args().modules
    checks = support.Checks()
    with support.temporary_folder() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for package, modules in PLACES.items():
            for module in modules.split():
                if wanted and module not in wanted:
                    continue
                wrong = generate(package, module)
                if not checks.expect(not wrong, f"the documentation of {module} has no warning", wrong):
                    print(wrong)
                    continue
                count, bare = undocumented(package, module)
                checks.expect(count and not bare, f"each public declaration of {module} is documented",
                              f"of {count}, without a word: {', '.join(bare)}")
                code = list(pieces(catalogue_of(module)))
                folders = [pathlib.Path(temporary, f"{module}-{number}") for number in range(len(code))]
                for (name, _), error in zip(code, pool.map(compiled, [text for _, text in code], [package] * len(code), folders)):
                    if not checks.expect(not error, f"the code of {module} compiles: {name}", error):
                        print(error)
    checks.end()


if __name__ == "__main__":
    main()
