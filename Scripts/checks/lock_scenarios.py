#!/usr/bin/env python3
"""The lock scenarios: every row of Tests/LockScenarios/*.toml is run under ThreadGuard, and what it reports is held
against what is right.

With --full, ThreadSanitizer (gcc's, clang's and Swift's), Helgrind and DRD look at the same programs; --table writes what
they all say to Docs/lock-scenarios.md, below the introduction that stands there.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil

import lock_places
import lock_programs
import lock_rows
import lock_runs
import lock_table
import support

PAGE = support.ROOT / "Docs" / "lock-scenarios.md"
OURS = "ThreadGuard"
TOOLS = [OURS, "TSan, gcc", "TSan, clang", "TSan, Swift", "TSan, Swift, all modules", "Helgrind", "DRD"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append", default=[],
                        help="a scenario, a family (the name of a TOML file) or a language; may be given several times")
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--preload", type=pathlib.Path, metavar="LIBRARY",
                        help="preload this library instead of starting the programs by crashsym")
    parser.add_argument("--optimised", action="store_true", help="build the programs with -O2, or -O")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and run none")
    parser.add_argument("--update", action="store_true", help="write Tests/LockScenarios/places.txt anew")
    parser.add_argument("--full", action="store_true", help="the other tools too")
    parser.add_argument("--others", type=pathlib.Path, metavar="FILE",
                        help="with --full: keep the other tools' results in this file, and ask for those alone that "
                             "it does not have")
    parser.add_argument("--table", action="store_true", help="write Docs/lock-scenarios.md; all rows, with --full")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that run at the same time")
    given = parser.parse_args()
    if given.others and not given.full:
        parser.error("--others goes with --full")
    if given.table and (given.only or not given.full):
        parser.error("--table goes with --full and not with --only")
    if given.optimised and given.full:
        parser.error("--optimised does not go with --full")
    if given.update and given.preload:
        parser.error("--update does not go with --preload, which builds no crashsym")
    return given


def complaints(row, result):
    """What of ThreadGuard's result is not right."""
    wanted = [report for report in result.reports if report["kind"] == row.kind]
    others = [report["kind"] for report in result.reports if report["kind"] not in (row.kind, *row.also)]
    found = []
    if others:
        found.append(f"reports {', '.join(others)}")
    if row.kind and row.count == "some" and not wanted:
        found.append(f"no {row.kind}")
    if row.kind and row.count != "some" and len(wanted) != row.count and row.kind not in row.also:
        found.append(f"{len(wanted)} of {row.kind}, not {row.count}")
    if row.kind in row.also and not wanted:
        found.append(f"no {row.kind}")
    for report in wanted:
        violation = report["violation"]
        if violation["severity"] != row.severity:
            found.append(f"{violation['severity']}, not {row.severity}")
        if row.code and violation["code"] != row.code:
            found.append(f"code {violation['code']}, not {row.code}")
    if row.live and not result.alive:
        found.append(f"ended by itself: {result.status}")
    if not row.live and result.status != row.status:
        found.append("hung" if result.status is None else f"status {result.status}, not {row.status}")
    return found


def run_all(rows, run, jobs):
    """The results by the row's title."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip([row.title for row in rows], pool.map(run, rows)))


def look_with_others(rows, programs, folder, checks, jobs, kept):
    """The other tools' results, by tool and title; `kept` are those that are known."""
    results = {tool: dict(kept.get(tool, {})) for tool in TOOLS[1:]}

    def ask(tool, there, run):
        asked = [row for row in there if row.title not in results[tool]]
        results[tool].update(run_all(asked, lambda row: run(row, own_folder(folder, tool, row)), jobs))

    for sanitizer, tool in (("gcc", "TSan, gcc"), ("clang", "TSan, clang"), ("swift", "TSan, Swift")):
        for program in programs:
            if (program == "swift") != (sanitizer == "swift"):
                continue
            path = lock_programs.build(program, folder, sanitizer)
            if path is None:
                checks.skip(tool, "there is no such compiler here")
                continue
            there = [row for row in rows if row.program == program]
            ask(tool, there, lambda row, own: lock_runs.under_thread_sanitizer(row, path, own))
            if sanitizer == "swift":
                ask(tool + ", all modules", there,
                    lambda row, own: lock_runs.under_thread_sanitizer(row, path, own, all_modules=True))
    for tool in ("Helgrind", "DRD"):
        if not shutil.which("valgrind"):
            checks.skip(tool, "there is no valgrind here")
            continue
        ask(tool, rows, lambda row, own: lock_runs.under_valgrind(tool, row, programs[row.program], own))
    return results


def read_kept(path):
    if not path or not path.exists():
        return {}
    return {tool: {title: lock_runs.Result(**fields) for title, fields in there.items()}
            for tool, there in json.loads(path.read_text()).items()}


def keep(path, results):
    if path:
        path.write_text(json.dumps({
            tool: {title: dataclasses.asdict(result) | {"said": ""} for title, result in there.items()}
            for tool, there in results.items()}, indent=1))


def check_places(rows, results, crashsym, given, found):
    """Adds to `found` what begins at a line that took no lock, or keeps all lines as right."""
    def places_of(row):
        level = lock_programs.optimisation(row.program, given.optimised)
        return lock_places.of(results[row.title], f"{row.program} {level}", crashsym)

    known, places = lock_places.known(), run_all(rows, places_of, given.jobs)
    if given.update:
        return lock_places.keep(known.union(*places.values()))
    for title, there in places.items():
        found[title] += [f"begins at another line: {place}" for place in sorted(there - known)]


def own_folder(folder, tool, row):
    return folder / tool.replace(", ", "-").replace(" ", "-") / f"{row.program}-{row.name.replace('/', '-').replace(' ', '-')}"


def main():
    given = arguments()
    everything = lock_rows.load()
    rows = lock_rows.select(everything, given.only)
    if not rows:
        raise SystemExit("no scenario has that name")
    if given.list:
        print("\n".join(row.title for row in rows))
        return
    support.hear_all_signals()
    checks = support.Checks()
    if not given.preload:
        products = given.products or support.swift_build("--product", "crashsym")
        launch, crashsym = lock_runs.launch(products=products.resolve()), products.resolve() / "crashsym"
    else:
        launch, crashsym = lock_runs.launch(library=given.preload), None
        checks.skip("the lines at which locks were taken", "--preload builds no crashsym")
    with support.temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        programs = {program: lock_programs.build(program, folder, optimised=given.optimised)
                    for program in {row.program for row in rows}}
        absent = list(lock_rows.missing_from(
            [row for row in everything if row.program in programs],
            {program: lock_programs.listed(path) for program, path in programs.items()}))
        checks.expect(not absent, "every scenario has a row", "; ".join(absent))
        results = {OURS: run_all(rows, lambda row: lock_runs.under_thread_guard(
            row, programs[row.program], launch, own_folder(folder, OURS, row)), given.jobs)}
        found = {row.title: complaints(row, results[OURS][row.title]) for row in rows}
        if crashsym:
            check_places(rows, results[OURS], crashsym, given, found)
        for row in rows:
            if row.missed:
                checks.expect(found[row.title], row.title, "it is marked as missed and was found: take the mark away")
            else:
                checks.expect(not found[row.title], row.title, "; ".join(found[row.title]))
        if given.full:
            others = look_with_others(rows, programs, folder, checks, given.jobs, read_kept(given.others))
            keep(given.others, others)
            results |= others
        if given.table:
            lock_table.write(PAGE, rows, results, found, TOOLS)
    checks.end()


if __name__ == "__main__":
    main()
