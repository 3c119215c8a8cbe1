"""Holds crashsym to the reports that each release wrote: it shows and groups them as it did when they were kept.

Tests/Releases/VERSION has the reports of a release, and expected.toml: the headline and the fingerprint of each. A fingerprint may change only
with its version, which is its first number. Scripts/checks/sending_hostile.py sends the same reports to each destination.

--keep makes the reports of this version, before it is released: samples and other programs are run, and what is of this machine alone (folders,
names of hosts, build IDs, the kernel) is replaced. Look at them before you commit them.
"""

import argparse
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tomllib

import sample_rows
import support

FOLDER = support.ROOT / "Tests" / "Releases"
VERSION = re.search(r'CRP_VERSION "(.+)"', (
    support.ROOT / "Sources" / "Ground" / "CReportParts" / "include" / "CReportParts" / "version.h").read_text())[1]
# Samples whose reports are kept: the kinds of reports, and what makes a crash special.
SAMPLES = ("async-task", "blocked-event-loop", "cxx-exception", "main-queue-after-background", "mutex-deadlock", "starved-pool",
           "try-far-from-throw", "use-after-free", "lock-inversion", "lock-across-await")
# Kept with functions and lines too, as somebody keeps them who symbolicates first.
SYMBOLICATED = ("cxx-exception", "starved-pool", "lock-inversion")
FORMATS = ("text", "json", "html", "markdown", "sarif", "junit", "github")


def shown(crashsym, path, form="json"):
    """What crashsym makes of a report on a machine that has none of its binaries."""
    return subprocess.run([crashsym, "--no-cache", "--format", form, path], capture_output=True, text=True,
                          env=support.environment(DEBUGINFOD_URLS="", CRASHSYM_SYMBOLS=None))


def facts(crashsym, path):
    """What must stay."""
    report = json.loads(shown(crashsym, path).stdout)
    text = shown(crashsym, path, "text").stdout.strip()
    return {"headline": text.splitlines()[0], "kind": report["kind"], "fingerprint": report["fingerprint"]["value"],
            "class": report["fingerprint"]["class"]}


def check_release(checks, crashsym, folder):
    expected = tomllib.loads((folder / "expected.toml").read_text())
    files = sorted(folder.glob("*.json"))
    checks.expect(files and {path.name for path in files} == set(expected), f"{folder.name}: each report has its row",
                  {path.name for path in files} ^ set(expected))
    for path in files:
        runs = [(form, shown(crashsym, path, form)) for form in FORMATS]
        wrong = [f"{form}: {run.returncode} {run.stderr}" for form, run in runs if run.returncode or run.stderr or not run.stdout]
        if not checks.expect(not wrong, f"{folder.name}: {path.name}: {len(FORMATS)} formats", "; ".join(wrong)):
            continue
        row, now = expected.get(path.name, {}), facts(crashsym, path)
        is_of_version = row.get("fingerprint", "").split("-")[0] == now["fingerprint"].split("-")[0]
        same = {key: value for key, value in row.items() if key not in ("fingerprint", "class") or is_of_version}
        wrong = {key: now[key] for key, value in same.items() if now[key] != value}
        checks.expect(row and not wrong, f"{folder.name}: {path.name}: as it was kept", wrong)
        # What crashsym itself says of a running program names no version of the schema.
        if "schema" in json.loads(path.read_text()):
            complaints = support.validate(path)
            checks.expect(not complaints, f"{folder.name}: {path.name}: valid by the schema", "; ".join(complaints[:3]))
    run = subprocess.run([crashsym, "group", "--no-cache", *files], capture_output=True, text=True)
    groups = len({row["fingerprint"] for row in expected.values()})
    last = run.stdout.strip().splitlines()[-1:]
    checks.expect(run.returncode == 0 and last == [f"{len(files)} reports in {groups} groups"], f"{folder.name}: {groups} groups",
                  f"{last} {run.stderr}")


# --- Keeping -------------------------------------------------------------------------------------------------------


def run_sample(crashsym, program, sample, folder):
    """Runs a sample to its end; the first of its reports."""
    guarded = [crashsym, "run", "--thread-guard", "--quiet", "--output", folder, "--"] if sample.run == "thread-guard" else []
    process = subprocess.Popen([*guarded, program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=support.environment(folder, CRASHKIT_OPTIONS=sample.options))
    if sample.input:
        support.wait_until_all_wait(process.pid, threads=sample.waiting_threads)
        process.stdin.write(sample.input.encode())
    process.stdin.close()
    support.comes_true(lambda: process.poll() is not None or sample.hangs and any(folder.glob("*.json")), 60)
    process.kill()
    process.wait()
    return next(path for path in sorted(folder.glob("*.json")) if path.name.endswith(f"-{sample.kind}.json"))


def kept_by_crashsym(products, crashsym, folder):
    """The kinds of reports that crashsym makes itself."""
    probe = [products / "previous-runs-probe", "end", "kill"]
    subprocess.run([crashsym, "run", "--quiet", "--output", folder, "--", *probe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    unclean = next(folder.glob("*-uncleanExit.json"))
    stopped = subprocess.Popen(["sleep", "60"])
    support.wait_until_all_wait(stopped.pid)
    capture = folder / "capture.json"
    with open(capture, "w") as output:
        subprocess.run([crashsym, "capture", "--stop", "--format", "json", str(stopped.pid)], stdout=output, check=True)
    stopped.kill()
    stopped.wait()
    return {"unclean-exit": unclean, "capture": capture}


def neutral(text):
    """Without what is of this machine alone."""
    for own, other in ((str(support.ROOT), "/srv/shop"), (platform.release(), "6.1.0-50-amd64"), (os.path.expanduser("~"), "/home/shop")):
        text = text.replace(json.dumps(own)[1:-1], other)
    report = json.loads(text)
    # No machine may have these binaries: then each shows the same.
    for image in report.get("images", []):
        if "buildId" in image:
            image["buildId"] = hashlib.sha1(image["buildId"].encode()).hexdigest()
    if "host" in report:
        report["host"]["name"] = "shop-1"
        report["host"].pop("containerId", None)
    return json.dumps(report, separators=(",", ":"), ensure_ascii=False) + "\n"


def keep(products):
    crashsym = products / "crashsym"
    folder = FOLDER / VERSION
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    programs = support.swift_build(package=sample_rows.FOLDER)
    rows = {sample.name: sample for run in ("alone", "thread-guard") for sample in sample_rows.samples(run)}
    with support.temporary_folder() as temporary:
        made = {}
        for name in SAMPLES:
            place = pathlib.Path(temporary, name)
            place.mkdir()
            made[name] = run_sample(crashsym, programs / name, rows[name], place)
        place = pathlib.Path(temporary, "crashsym")
        place.mkdir()
        made |= kept_by_crashsym(products, crashsym, place)
        for name, path in made.items():
            (folder / f"{name}.json").write_text(neutral(path.read_text()))
            if name in SYMBOLICATED:
                report = subprocess.run([crashsym, "--format", "json", path], check=True, capture_output=True, text=True)
                (folder / f"{name}-symbolicated.json").write_text(neutral(report.stdout))
    lines = []
    for path in sorted(folder.glob("*.json")):
        lines += [f'["{path.name}"]', *(f"{key} = {json.dumps(value)}" for key, value in facts(crashsym, path).items()), ""]
    (folder / "expected.toml").write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--keep", action="store_true", help="make the reports of this version anew")
    given = parser.parse_args()
    support.hear_all_signals()
    products = given.products.resolve() if given.products else support.swift_build()
    if given.keep:
        keep(products)
    checks = support.Checks()
    checks.expect((FOLDER / VERSION).is_dir(), f"the reports of {VERSION} are kept")
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        check_release(checks, products / "crashsym", folder)
    checks.end()


if __name__ == "__main__":
    main()
