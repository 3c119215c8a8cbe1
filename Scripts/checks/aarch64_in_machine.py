"""Run inside the emulated machine: does what /out/asked.json asks for, and leaves what came of it in /out/done.json."""

import json
import os
import pathlib
import shutil
import time

import aarch64_deaths
import aarch64_locks
import aarch64_probes
import aarch64_stacks

OUT = pathlib.Path("/out")
PRODUCTS = OUT / "products"
RUNS = pathlib.Path("/tmp/runs")


def main():
    asked = json.loads((OUT / "asked.json").read_text())
    RUNS.mkdir()
    done, started, jobs = {}, time.monotonic(), os.cpu_count()

    def finish(part, result):
        done[part] = result
        done.setdefault("seconds", {})[part] = round(time.monotonic() - started, 1)
        (OUT / "done.json").write_text(json.dumps(done))

    if asked.get("probes"):
        finish("probes", aarch64_probes.ask_all(asked["probes"], PRODUCTS, RUNS / "probes", jobs, asked["limit"]))
    if asked.get("locks"):
        finish("locks", aarch64_locks.run_all(asked["locks"], PRODUCTS, RUNS / "locks", jobs))
    if asked.get("deaths"):
        finish("deaths", aarch64_deaths.die(asked["deaths"], PRODUCTS, RUNS / "deaths", jobs))
        # What is judged of a death on the other machine is its files.
        shutil.copytree(RUNS / "deaths", OUT / "deaths", symlinks=True)
    if asked.get("stacks"):
        finish("stacks", aarch64_stacks.compare_all(asked["stacks"], PRODUCTS, RUNS / "stacks", jobs, asked["waits"]))
    if asked.get("keep"):
        shutil.copytree(RUNS, OUT / "runs", symlinks=True)


if __name__ == "__main__":
    main()
