"""Lets each sample die and compares its text report, normalised, with the sample's expected.txt, and its functions,
files, lines and inlined calls with those of the toolchain's llvm-symbolizer.

The samples of threading mistakes go on: the one report of each is the violation, at the line of the mistake. nan-story has
three: the overlapping accesses, the birth of the NaN, and the crash that it leads to.

--update writes expected.txt anew: look at the difference before you keep it.
"""

import argparse
import json
import pathlib
import subprocess

import llvm_symbolizer
import support
from normalise import normalise

SAMPLES = {"worker-index": "SIGILL", "async-task": "SIGILL", "cxx-exception": "SIGABRT"}
SIGNALS = {"SIGILL": 4, "SIGABRT": 6}
# What a sample reads once all its threads wait: so that each time each of them waits at the same place.
WAITING_THREADS = 5
INPUT = {"worker-index": b"4711\n"}
# Where an asynchronous main leaves its thread, and how far it has come with that, is the runtime's business.
CRASHED_THREAD_ONLY = {"async-task"}
# Programs that go on, and the kind of the one violation of each.
VIOLATIONS = {"main-queue-after-background": "mainQueueViolation", "store-callback": "mainQueueViolation"}
# What tells of the mistakes of nan-story, by kind: the code of the line that the report's own first frame is at.
STORY = {"nan": "return busy / total", "dataRace": "previous", "crashReport": "Int(load * 100)"}


def run(program, folder, text):
    """Runs a sample to its death; returns its status as subprocess does."""
    process = subprocess.Popen([program], env=support.environment(folder), stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if text:
            support.wait_until_all_wait(process.pid, threads=WAITING_THREADS)
            process.stdin.write(text)
        process.stdin.close()
        return process.wait(timeout=60)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def text_report(program, crashsym, checks, name):
    """The normalised text report of one death, or None."""
    with support.temporary_folder() as folder:
        status = run(program, folder, INPUT.get(name))
        checks.expect(status == -SIGNALS[SAMPLES[name]], f"{name}: dies by {SAMPLES[name]}", status)
        reports = support.reports_in(folder)
        if not checks.expect(len(reports) == 1, f"{name}: one report", len(reports)):
            return None
        complaints = support.validate(reports[0])
        checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
        compare_with_llvm(reports[0], crashsym, checks, name)
        shown = subprocess.run([crashsym, reports[0]], capture_output=True, text=True, check=True)
        return normalise(shown.stdout, name in CRASHED_THREAD_ONLY)


def all_reports_in(folder):
    return sorted(pathlib.Path(folder).glob("*.json"))


def violation_text(program, crashsym, checks, name):
    """The normalised text report of a violation, or None."""
    with support.temporary_folder() as folder:
        status = run(program, folder, None)
        checks.expect(status == 0, f"{name}: goes on", status)
        reports = all_reports_in(folder)
        if not checks.expect(len(reports) == 1, f"{name}: one report", len(reports)):
            return None
        complaints = support.validate(reports[0])
        checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
        kind = json.loads(reports[0].read_text())["kind"]
        checks.expect(kind == VIOLATIONS[name], f"{name}: is a {VIOLATIONS[name]}", kind)
        shown = subprocess.run([crashsym, reports[0]], capture_output=True, text=True, check=True)
        return normalise(shown.stdout, True)


def tell_story(program, crashsym, checks):
    """nan-story says each of its mistakes, at its line."""
    source = (support.ROOT / "Samples/nan-story/Main.swift").read_text().splitlines()
    with support.temporary_folder() as folder:
        status = run(program, folder, None)
        checks.expect(status == -SIGNALS["SIGILL"], "nan-story: dies by SIGILL", status)
        lines = {kind: set() for kind in STORY}
        for report in all_reports_in(folder):
            shown = support.symbolicate(crashsym, report)
            locations = [frame["sourceLocation"] for frame in first_frames(shown)
                         if frame.get("sourceLocation", {}).get("file", "").endswith("nan-story/Main.swift")]
            if locations:
                lines.setdefault(shown["kind"], set()).add(source[locations[0]["line"] - 1].strip())
        for kind, code in STORY.items():
            checks.expect(any(code in line for line in lines[kind]), f"nan-story: {kind} at its line",
                          "; ".join(sorted(lines[kind])))


def first_frames(report):
    """The frames of the stack that a report is about."""
    stacks = report.get("violation", {}).get("stacks")
    if stacks:
        return stacks[0]["frames"]
    return next(thread["frames"] for thread in report["threads"] if thread.get("crashed"))


def compare_with_llvm(report, crashsym, checks, name):
    symbolizer = llvm_symbolizer.toolchain_symbolizer()
    if symbolizer is None:
        return checks.skip(f"{name}: locations as llvm-symbolizer's", "the toolchain has none")
    found, frames, calls = llvm_symbolizer.differences(support.symbolicate(crashsym, report), symbolizer)
    checks.expect(frames and not found, f"{name}: {frames} frames with {calls} calls as llvm-symbolizer's",
                  "; ".join(found[:5]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()

    checks = support.Checks()
    crashsym = support.swift_build("--product", "crashsym") / "crashsym"
    programs = support.swift_build(package=support.ROOT / "Samples")
    tell_story(programs / "nan-story", crashsym, checks)
    for name in [*SAMPLES, *VIOLATIONS]:
        make = text_report if name in SAMPLES else violation_text
        text = make(programs / name, crashsym, checks, name)
        if text is None:
            continue
        file = support.ROOT / "Samples" / name / "expected.txt"
        checks.expect_kept(file, text, f"{name}: the report is the expected one", arguments.update)
    checks.end()


if __name__ == "__main__":
    main()
