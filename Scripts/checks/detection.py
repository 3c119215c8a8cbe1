"""How soon diagdemo's faulty variants are found: within a second, ten and sixty, over many seeds.

A variant is found when everything that was planted in it has been reported with the right lines. Prints a table in
Markdown: found of so many seeds, and the median time, without scheduling noise and with it
(THREADGUARD_OPTIONS=perturb=SEED). Each seed is run for up to ten seconds; those whose
mistake did not show are run again for up to sixty.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

LIMITS = (1, 10, 60)
MODES = (False, True)


def seconds_until_found(options, seed, perturbed, limit, workload=None, variant="faulty"):
    """Seconds from the process's start until all was found, by variant; None where it was not within the limit."""
    environment = dict(os.environ)
    environment.pop("THREADGUARD_OPTIONS", None)
    if perturbed:
        environment["THREADGUARD_OPTIONS"] = f"perturb={seed}"
    chosen = [workload] if workload else options.workload
    command = [os.path.join(options.products, "diagdemo"), "stress", "--variant", variant, "--seed", str(seed),
               "--until-found", "--duration", str(limit), "--jobs", str(options.jobs), "--format", "json"]
    for name in chosen:
        command += ["--workload", name]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command + ["--output", folder], env=environment, capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit(f"diagdemo ended with status {run.returncode}: {run.stderr}")
        times = {}
        for row in json.loads(run.stdout)["variants"]:
            ages = [age_of_finding(plant["report"]) if "report" in plant else None for plant in row["planted"]]
            times[row["workload"], row["variant"]] = None if None in ages else max(ages)
        return times


def age_of_finding(path):
    """Seconds from the start of the process to what the report tells of: reading reports takes its own time."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    moments = [report["timestamp"], report["process"]["startedAt"]]
    found, started = (datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")) for moment in moments)
    return (found - started).total_seconds()


def measure(options):
    """All times: of each variant and mode, one for each seed."""
    times = {}
    for seed in range(1, options.seeds + 1):
        for perturbed in MODES:
            for name, seconds in seconds_until_found(options, seed, perturbed, LIMITS[1]).items():
                times.setdefault((name, perturbed), {})[seed] = seconds
            print(f"seed {seed}{' perturbed' if perturbed else ''}: done", file=sys.stderr, flush=True)
    for ((workload, variant), perturbed), of_seeds in times.items():
        for seed, seconds in of_seeds.items():
            if seconds is None:
                again = seconds_until_found(options, seed, perturbed, LIMITS[2], workload, variant)[workload, variant]
                # A second run has had a second chance: what it found at once was not found within ten seconds.
                of_seeds[seed] = None if again is None else max(again, LIMITS[1] + 1)
                print(f"{workload}/{variant}, seed {seed} again: {again}", file=sys.stderr, flush=True)
    return times


def cells(of_seeds):
    found = [seconds for seconds in of_seeds.values() if seconds is not None]
    counts = [str(sum(1 for seconds in found if seconds <= limit)) for limit in LIMITS]
    # The median of all seeds, those included that never came to an end.
    middle = statistics.median([float("inf") if seconds is None else seconds for seconds in of_seeds.values()])
    return counts + ["–" if middle > LIMITS[1] else f"{middle:.2f} s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", default=".build/debug", help="where diagdemo is")
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds, from 1 on")
    parser.add_argument("--workload", action="append", default=[], help="these only; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, help="variants that run at once")
    options = parser.parse_args()
    begun = datetime.datetime.now()
    times = measure(options)
    heads = [f"{limit} s" for limit in LIMITS] + ["median"]
    print("| variant | " + " | ".join(heads + [f"{head}, noise" for head in heads]) + " |")
    print("| --- |" + " ---: |" * len(heads) * len(MODES))
    names = list(dict.fromkeys(name for name, _ in times))
    for workload, variant in names:
        row = [cell for perturbed in MODES for cell in cells(times[(workload, variant), perturbed])]
        print(f"| `{workload}/{variant}` | " + " | ".join(row) + " |")
    minutes = (datetime.datetime.now() - begun).total_seconds() / 60
    load = os.getloadavg()[0]
    print(f"\n{len(names)} variants, {options.seeds} seeds each, {options.jobs} at once, {minutes:.0f} minutes on "
          f"{os.cpu_count()} processors ({platform.machine()}) with a load of {load:.0f}.")


if __name__ == "__main__":
    main()
