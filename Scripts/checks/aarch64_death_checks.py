"""What the emulated machine left of each death, held against the rows of Tests/Deaths on this machine."""

import dataclasses
import subprocess

import aarch64_deaths
import core_notes
import death_checks
import death_runs

# An emulated processor needs many times a real one's time for a report.
EMULATED_SECONDS = 20


def run_of(said, folder):
    if said is None:
        return None
    core = said["core"] and core_notes.CoreSignal(**{**said["core"], "threads": frozenset(said["core"]["threads"])})
    return death_runs.Run(said["status"], said["pid"], said["stderr"], folder / said["folder"], core)


def judge(checks, done, folder, products, symbols, jobs):
    """Holds what the machine left below `folder` against the rows."""
    deaths = []
    for row in aarch64_deaths.rows():
        if row.name not in done:
            continue
        said = done[row.name]
        row = dataclasses.replace(row, seconds=row.seconds * EMULATED_SECONDS)
        deaths.append(death_runs.Death(row, run_of(said["ours"], folder), run_of(said["bare"], folder),
                                       skipped=said["skipped"], symbols=symbols))
    death_runs.symbolicate_all(deaths, products, jobs)
    for death in deaths:
        if death.skipped:
            checks.skip(f"death {death.row.name}", death.skipped)
            continue
        found = death_checks.complaints(death)
        checks.expect(not found, f"death {death.row.name}", "; ".join(found))


def file_symbols(programs, crashsym, folder):
    """Files the debug information of the machine's programs and libraries, for reports that name no file of this machine."""
    subprocess.run([crashsym, "symbols", "add", *programs, "--to", folder], check=True, capture_output=True)
    return folder
