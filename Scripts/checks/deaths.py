#!/usr/bin/env python3
"""The matrix of deaths: every row of Tests/Deaths/*.toml is brought about for real, and its report looked at.

Each row asks for: exactly one report, private, whole, valid by the schema; signal, code, address, cause and message;
all threads with whole stacks; function and line; the last breadcrumb; the exit status, and the core's signal, code,
sender and address, of the undisturbed program; a handler that was done in time.
"""

import argparse
import os
import pathlib
import platform

import death_checks
import death_rows
import death_runs
import support


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", help="kinds, prefixed kinds or families to run; all without any")
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--configuration", choices=["debug", "release"], default="debug",
                        help="what the programs were built for: rows say what differs")
    parser.add_argument("--full", action="store_true", help="every row's variants too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="rows that run at the same time")
    parser.add_argument("--compare", action="store_true", help="run each row under the Swift runtime's backtracer too")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and run none")
    parser.add_argument("--table", type=pathlib.Path, help="with --compare: write the comparison to this file")
    given = parser.parse_args()
    if given.table and not given.compare:
        parser.error("--table goes with --compare")
    return given


def main():
    given = arguments()
    rows = death_rows.select(death_rows.load(given.configuration, platform.machine()), given.kinds, given.full)
    if given.list:
        print("\n".join(row.name for row in rows))
        return
    support.hear_all_signals()
    products = given.products or support.swift_build(configuration=given.configuration)
    checks = support.Checks()
    possible = []
    for row in rows:
        if reason := death_rows.missing(row):
            checks.skip(row.name, reason)
        else:
            possible.append(row)
    with support.temporary_folder() as folder:
        deaths = death_runs.die_all(possible, products.resolve(), pathlib.Path(folder), given.compare, given.jobs)
        for death in deaths:
            if death.skipped:
                checks.skip(death.row.name, death.skipped)
                continue
            found = death_checks.complaints(death)
            checks.expect(not found, death.row.name, "; ".join(found))
        if not any(death.bare and death.bare.core for death in deaths):
            checks.skip("cores", "the kernel leaves none in the working directory (core_pattern)")
        if given.table:
            import death_table
            death_table.write(deaths, given.table)
    checks.end()


if __name__ == "__main__":
    main()
