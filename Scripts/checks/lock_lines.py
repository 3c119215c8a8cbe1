#!/usr/bin/env python3
"""Holds what ThreadGuard reports to the exact line at which each lock was taken.

Every way of Tests/LockLines/* is built plain and optimised, and run under ThreadGuard. The sources mark the lines:
`// WAY: A first, B second from`: lock A was taken there first; the function that took lock B second was called there.
`maybe`: an optimised build has no such frame, for the call is the last of its function.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

import lock_rows
import lock_runs
import support

FOLDER = support.ROOT / "Tests" / "LockLines"
MARK = re.compile(r"// ([\w-]+): ((?:[AB] (?:first|second)|here|taken).*)$")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-g", "-pthread"]
LIVE = {"never-returns"}


@dataclasses.dataclass
class Build:
    source: str
    command: list

    @property
    def title(self):
        return f"{self.source}, {pathlib.Path(self.command[0]).name} {self.command[-1]}"

    def into(self, folder):
        """The built program."""
        target = folder / re.sub(r"\W+", "-", self.title)
        subprocess.run([*self.command, FOLDER / self.source, "-o", target], check=True)
        return target


def builds(checks):
    swift = ["-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-g"]
    for source, compilers, flags, levels in (
            ("lines.c", ("gcc", "clang"), ["-std=gnu17", *WARNINGS], ("-O0", "-O2", "-Os")),
            ("lines.cpp", ("g++", "clang++"), ["-std=gnu++17", *WARNINGS], ("-O0", "-O2")),
            ("lines.swift", ("swiftc",), swift, ("-Onone", "-O"))):
        for compiler in compilers:
            if not shutil.which(compiler):
                checks.skip(f"{source}, {compiler}", "there is no such compiler here")
                continue
            for level in levels:
                yield Build(source, [compiler, *flags, level])


def marks_of(source):
    """The marked line of each role, by way."""
    marks = {}
    for number, line in enumerate((FOLDER / source).read_text().splitlines(), 1):
        found = MARK.search(line)
        for role in found[2].split(", ") if found else ():
            if marks.setdefault(found[1], {}).setdefault(role, number) != number:
                raise ValueError(f"{source}:{number}: {found[1]}: {role} is marked twice")
    return marks


def own_lines(frames, source):
    """The lines of the program's own source on a stack, innermost first."""
    places = [frame.get("sourceLocation", {}) for frame in frames]
    return [place["line"] for place in places if place.get("file", "").endswith(f"/{source}") and place["line"] > 0]


def complaint(frames, role, marks, source):
    """What is wrong with a stack, or None."""
    lines = own_lines(frames, source)
    if lines and lines[0] == marks.get(f"{role} maybe"):
        lines = lines[1:]
    wanted = [marks[name] for name in (role, f"{role} from") if name in marks]
    return None if lines[:len(wanted)] == wanted else f"{role}: {source}:{lines[:len(wanted)]}, not {wanted}"


def order_complaints(violation, marks, source, names):
    """The stacks of both orders, with the locks named so."""
    stacks = []
    for edge in violation["edges"]:
        stacks.append((edge["fromFrames"], f"{names[edge['from']]} first"))
        stacks.append((edge["toFrames"], f"{names[edge['to']]} second"))
    # Locks that are made at run time were seen then.
    if not source.endswith(".swift"):
        for lock, role in zip(violation["locks"], ("A first", "B second") if names == "AB" else ("B second", "A first")):
            stacks.append((lock["origin"], role))
    return [found for found in (complaint(frames, role, marks, source) for frames, role in stacks) if found]


def complaints(report, marks, source):
    violation = report["violation"]
    if report["kind"] == "lockOrderInversion":
        # Nothing in the report says which lock the source calls A.
        return min((order_complaints(violation, marks, source, names) for names in ("AB", "BA")), key=len)
    [edge] = violation["edges"]
    stacks = ((edge["fromFrames"], "taken"), (edge["toFrames"], "here"))
    return [found for found in (complaint(frames, role, marks, source) for frames, role in stacks) if found]


def short_block_complaints(said, program, crashsym, marks, source):
    """The places that the lines on standard error begin with, looked up by hand."""
    wanted, found = {marks["A second"], marks["B second"]}, set()
    for offset in re.findall(rf"(?:one order|another): {re.escape(program.name)}\+(0x[0-9a-f]+)", said):
        shown = subprocess.run([crashsym, "lookup", program, offset], check=True, capture_output=True, text=True).stdout
        found |= {int(line) for line in re.findall(rf"/{source}:(\d+)", shown)}
    return [] if found == wanted else [f"standard error: {source}:{sorted(found)}, not {sorted(wanted)}"]


def run(build, program, way, launch, crashsym, folder):
    """What is wrong with the reports of one way."""
    marks = marks_of(build.source)[way]
    kind = "deadlock" if way in LIVE else "lockOrderInversion"
    row = lock_rows.Row(name=way, family="lines", program=build.source, group=way, kind=kind, live=way in LIVE)
    own = folder / f"{program.name}-{way}"
    result = lock_runs.under_thread_guard(row, program, launch, own)
    paths = [path for path in (own / "reports").glob("*.json") if path.name.endswith(f"-{kind}.json")]
    if len(paths) != 1:
        return [f"{len(paths)} reports of {kind}; status {result.status}"]
    found = complaints(support.symbolicate(crashsym, paths[0]), marks, build.source)
    if way == "plain" and build.source == "lines.c":
        found += short_block_complaints(result.said, program, crashsym, marks, build.source)
    # None of the programs has one, but Foundation does.
    if "Mutex of Synchronization" in result.said:
        found.append("the last lines speak of Mutex")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--only", metavar="SOURCE", help="the builds of one source file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that run at the same time")
    given = parser.parse_args()
    support.hear_all_signals()
    checks = support.Checks()
    products = (given.products or support.swift_build("--product", "crashsym")).resolve()
    launch, crashsym = lock_runs.launch(products=products), products / "crashsym"
    with support.temporary_folder() as temporary, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        folder = pathlib.Path(temporary)
        for build in builds(checks):
            if given.only not in (None, build.source):
                continue
            program = build.into(folder)
            ways = marks_of(build.source)
            found = pool.map(lambda way: run(build, program, way, launch, crashsym, folder), ways)
            for way, wrong in zip(ways, found):
                checks.expect(not wrong, f"{build.title}: {way}", "; ".join(wrong))
    checks.end()


if __name__ == "__main__":
    main()
