"""The emulated machine, as the checks use it: a folder with the programs and the scripts, and a job that runs them."""

import json
import os
import shutil
import subprocess
import tarfile

import support

ARM64 = support.ROOT / "Scripts" / "vm" / "arm64"
# What the scripts read in the machine, below the same paths.
SHARED = ["Scripts/checks", "Tests/Deaths", "Tests/LockScenarios", "Tests/HandlerProbe", "Tests/LockProbe",
          "Tests/Aarch64", "Tests/EndToEndTests/Programs", "Sources/diagdemo/Kinds", "Docs/report.schema.json", "Sources/Ground/CReportTerms/own_code.def",
          "Samples"]
JOB = "export PYTHONDONTWRITEBYTECODE=1\ncd /out && exec python3 Scripts/checks/aarch64_in_machine.py\n"


class Failed(Exception):
    """Why the machine did not do what it was asked."""


def run(*words):
    ended = subprocess.run([ARM64, *map(str, words)], capture_output=True, text=True, check=False)
    if ended.returncode in (64, 69, 70):
        raise Failed(ended.stderr.strip())
    return ended


def root(release):
    """The machine's root on this machine, fetched if it is not there yet."""
    return run("--release", release, "--show-root").stdout.strip()


def swift(release):
    """The compiler of Swift for the machine, fetched if it is not there yet; the machine has its libraries then."""
    return run("--release", release, "--show-swift").stdout.strip()


def do(release, folder, products, asked, limit, *options):
    """Boots the machine, has it do what is asked, and returns what it left; options are those of Scripts/vm/arm64."""
    for path in SHARED:
        source, target = support.ROOT / path, folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", ".build"))
        else:
            shutil.copy(source, target)
    shutil.copytree(products, folder / "products", dirs_exist_ok=True)
    (folder / "job.sh").write_text(JOB)
    (folder / "asked.json").write_text(json.dumps({**asked, "jobs": os.cpu_count()}))
    ended = run("--release", release, "--limit", limit, *options, folder)
    log = (folder / "job.log").read_text(errors="replace")
    if ended.returncode != 0:
        raise Failed(f"the job ended with {ended.returncode}: {log.strip()[-600:]}")
    if (folder / "runs.tar").exists():
        with tarfile.open(folder / "runs.tar") as archive:
            archive.extractall(folder / "runs", filter="fully_trusted")
    return json.loads((folder / "done.json").read_text())
