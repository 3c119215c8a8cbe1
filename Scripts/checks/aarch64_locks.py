"""The lock scenarios in C and C++ in the emulated machine, under the preloaded lock engine."""

import concurrent.futures
import dataclasses

import lock_rows
import lock_runs

PROGRAMS = ("c", "cxx")
SHORT = ["inversion-of-two (c)"]
# In seconds; an emulated processor is a tenth as fast or less.
LIMIT, HANG = 150, 60


def rows():
    return [row for row in lock_rows.load() if row.program in PROGRAMS]


def run_all(titles, products, folder, jobs):
    """Runs the rows of these titles in the machine; returns the results as plain data."""
    lock_runs.LIMIT, lock_runs.HANG = LIMIT, HANG
    launch = lock_runs.launch(library=products / "libThreadGuardPreload.so")

    def run(row):
        own = folder / f"{row.program}-{row.name.replace('/', '-').replace(' ', '-')}"
        result = lock_runs.under_thread_guard(row, products / f"{row.program}-plain", launch, own)
        return {**dataclasses.asdict(result), "paths": [], "said": result.said[-2000:]}

    wanted = [row for row in rows() if row.title in titles]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip([row.title for row in wanted], pool.map(run, wanted)))


def judge(checks, done):
    """Holds the results against what is right of each row."""
    import lock_scenarios

    for row in rows():
        if row.title not in done:
            continue
        found = lock_scenarios.complaints(row, lock_runs.Result(**done[row.title]))
        if row.missed:
            checks.expect(found, f"{row.title}: missed, as is known", "no longer: take the mark away")
        else:
            checks.expect(not found, row.title, "; ".join(found))
