"""How often diagdemo's faulty variants are found, within a second, ten and sixty, over many seeds.

A variant is found when everything that was planted in it has been reported with the right lines. Prints a table for the
documentation: found of so many seeds, without perturbation and with it (THREADGUARD_OPTIONS=perturb=SEED).
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

LIMITS = (1, 10, 60)


def variants(diagdemo, workloads):
    """The faulty variants, as (workload, variant), out of `diagdemo stress --list`."""
    listing = subprocess.run([diagdemo, "stress", "--list"], check=True, capture_output=True, text=True).stdout
    found = []
    workload = None
    for line in listing.splitlines():
        if line.startswith("  "):
            variant = line.split()[0]
            if variant != "correct" and (not workloads or workload in workloads):
                found.append((workload, variant))
        else:
            workload = line.split(":")[0]
    return found


def seconds_until_found(diagdemo, workload, variant, seed, perturbed, folder):
    """Seconds from the process's start until all was found; None where it was not within the longest limit."""
    environment = dict(os.environ)
    environment.pop("THREADGUARD_OPTIONS", None)
    if perturbed:
        environment["THREADGUARD_OPTIONS"] = f"perturb={seed}"
    run = subprocess.run(
        [diagdemo, "stress", "--workload", workload, "--variant", variant, "--seed", str(seed), "--until-found",
         "--duration", str(LIMITS[-1]), "--format", "json", "--output", folder],
        env=environment, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"diagdemo ended with status {run.returncode}: {run.stderr}")
    planted = json.loads(run.stdout)["variants"][0]["planted"]
    if not all("report" in plant for plant in planted):
        return None
    return max(age_of_finding(plant["report"]) for plant in planted)


def age_of_finding(path):
    """Seconds from the start of the process to what the report tells of: reading reports takes its own time."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    moments = [report["timestamp"], report["process"]["startedAt"]]
    found, started = (datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")) for moment in moments)
    return (found - started).total_seconds()


def cells(times):
    return [sum(1 for time in times if time is not None and time <= limit) for limit in LIMITS]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", default=".build/debug", help="where diagdemo is")
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds, from 1 on")
    parser.add_argument("--workload", action="append", default=[], help="these only; may be repeated")
    parser.add_argument("--without-perturbation", action="store_true", help="leave the perturbed runs out")
    options = parser.parse_args()
    diagdemo = os.path.join(options.products, "diagdemo")
    modes = [False] if options.without_perturbation else [False, True]
    heads = [f"{limit} s{', perturbed' if mode else ''}" for mode in modes for limit in LIMITS]
    print("| variant | " + " | ".join(heads) + " |")
    print("| --- |" + " ---: |" * len(heads), flush=True)
    for workload, variant in variants(diagdemo, options.workload):
        counts = []
        for perturbed in modes:
            times = []
            for seed in range(1, options.seeds + 1):
                with tempfile.TemporaryDirectory() as folder:
                    times.append(seconds_until_found(diagdemo, workload, variant, seed, perturbed, folder))
            counts += cells(times)
        print(f"| `{workload}/{variant}` | " + " | ".join(f"{count}/{options.seeds}" for count in counts) + " |",
              flush=True)


if __name__ == "__main__":
    main()
