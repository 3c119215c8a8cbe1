"""Run inside the emulated machine: does what /out/asked.json asks for, and leaves what came of it in /out/done.json."""

import json
import os
import pathlib
import shutil
import time

import aarch64_probes

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
    if asked.get("keep"):
        shutil.copytree(RUNS, OUT / "runs", symlinks=True)


if __name__ == "__main__":
    main()
