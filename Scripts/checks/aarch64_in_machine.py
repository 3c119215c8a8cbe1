"""Run inside the emulated machine: does what /out/asked.json asks for, and leaves what came of it in /out/done.json."""

import json
import os
import pathlib
import subprocess
import time

import aarch64_deaths
import aarch64_guard
import aarch64_locks
import aarch64_probes
import aarch64_stacks
import aarch64_swift_command
import aarch64_swift_samples
import aarch64_swift_waits
import aarch64_swift_watcher
import aarch64_waits

OUT = pathlib.Path("/out")
PRODUCTS = OUT / "products"
RUNS = pathlib.Path("/tmp/runs")


def machine():
    return {"kernel": os.uname().release, "pages": os.sysconf("SC_PAGESIZE") // 1024, "processors": os.cpu_count()}


def main():
    asked = json.loads((OUT / "asked.json").read_text())
    RUNS.mkdir()
    done, started = {"machine": machine()}, time.monotonic()
    # Emulated processors beyond the real ones do no more work in the same time, and reports have a time limit.
    jobs = min(os.cpu_count(), asked["jobs"])

    def finish(part, result):
        done[part] = result
        done.setdefault("seconds", {})[part] = round(time.monotonic() - started, 1)
        (OUT / "done.json").write_text(json.dumps(done))

    if asked.get("probes"):
        finish("probes", aarch64_probes.ask_all(asked["probes"], PRODUCTS, RUNS / "probes", jobs, asked["limit"],
                                                OUT / "answers.jsonl"))
    if asked.get("locks"):
        finish("locks", aarch64_locks.run_all(asked["locks"], PRODUCTS, RUNS / "locks", jobs))
    if asked.get("deaths"):
        finish("deaths", aarch64_deaths.die(asked["deaths"], PRODUCTS, RUNS / "deaths", jobs))
    if asked.get("stacks"):
        finish("stacks", aarch64_stacks.compare_all(asked["stacks"], PRODUCTS, RUNS / "stacks", jobs, asked["fifty"]))
    if asked.get("waits"):
        finish("waits", aarch64_waits.ask_all(asked["waits"], PRODUCTS, RUNS / "waits", OUT))
    if asked.get("guard"):
        finish("guard", aarch64_guard.ask_all(asked["guard"], PRODUCTS, RUNS / "guard", OUT))
    if asked.get("swift"):
        finish("swift", aarch64_swift_samples.run_all(asked["swift"], PRODUCTS, RUNS / "swift"))
        finish("dispatch", aarch64_swift_waits.run_all(PRODUCTS, RUNS / "dispatch", OUT))
        finish("watcher", aarch64_swift_watcher.run(PRODUCTS))
        finish("crashsym", aarch64_swift_command.run(asked["swift"], PRODUCTS, RUNS / "swift"))
    # In one file: each file of a shared folder costs the machine many calls.
    if asked.get("keep") or asked.get("deaths") or asked.get("swift"):
        subprocess.run(["tar", "-C", RUNS, "-cf", OUT / "runs.tar", "."], check=True)


if __name__ == "__main__":
    main()
