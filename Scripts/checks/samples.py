"""Runs each sample that links CrashKit, as its sample.toml says, and compares its text report, normalised, with the
sample's expected.txt. If the sample crashes, its functions, files, lines and inlined calls must also be those that the
toolchain's llvm-symbolizer finds.

--update writes expected.txt anew: look at the difference before you keep it.
"""

import argparse
import json
import pathlib
import signal
import subprocess

import llvm_symbolizer
import sample_rows
import support
from normalise import normalise


def run(program, folder, sample, limit=60, variables=None):
    """Runs a sample to its end, at most `limit` seconds; returns its status as subprocess does."""
    environment = support.environment(folder, CRASHKIT_OPTIONS=sample.options, **(variables or {}))
    process = subprocess.Popen([program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        if sample.input:
            support.wait_until_all_wait(process.pid, threads=sample.waiting_threads, seconds=limit / 3)
            process.stdin.write(sample.input.encode())
        process.stdin.close()
        if sample.hangs:
            support.comes_true(lambda: process.poll() is not None or all_reports_in(folder), limit / 2)
            process.send_signal(signal.Signals[sample.ends])
        return process.wait(timeout=limit)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def all_reports_in(folder):
    return sorted(pathlib.Path(folder).glob("*.json"))


def text_report(program, crashsym, checks, sample):
    """The normalised text of the one report, or None."""
    name = sample.name
    with support.temporary_folder() as folder:
        status = run(program, folder, sample)
        checks.expect(status == sample.status, f"{name}: ends as it would have ({sample.ends})", status)
        reports = all_reports_in(folder)
        if not checks.expect(len(reports) == 1, f"{name}: one report", len(reports)):
            return None
        complaints = support.validate(reports[0])
        checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
        kind = json.loads(reports[0].read_text())["kind"]
        checks.expect(kind == sample.kind, f"{name}: is a {sample.kind}", kind)
        if kind == "crashReport":
            compare_with_llvm(reports[0], crashsym, checks, name)
        shown = subprocess.run([crashsym, reports[0]], capture_output=True, text=True, check=True)
        return normalise(shown.stdout, sample.shows == "crashed thread")


def check_lines(program, crashsym, checks, sample):
    """The sample reports each of its mistakes, at its line."""
    source = sample.source.read_text().splitlines()
    with support.temporary_folder() as folder:
        status = run(program, folder, sample)
        checks.expect(status == sample.status, f"{sample.name}: ends as it would have ({sample.ends})", status)
        lines = {kind: set() for kind in sample.lines}
        for report in all_reports_in(folder):
            shown = support.symbolicate(crashsym, report)
            locations = [frame["sourceLocation"] for frame in first_frames(shown)
                         if frame.get("sourceLocation", {}).get("file", "").endswith(f"{sample.name}/Main.swift")]
            if locations:
                lines.setdefault(shown["kind"], set()).add(source[locations[0]["line"] - 1].strip())
        for kind, code in sample.lines.items():
            checks.expect(any(code in line for line in lines[kind]), f"{sample.name}: {kind} at its line",
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
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--list", action="store_true", help="print the names of the samples and run none")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(sample.name for sample in sample_rows.samples("alone")))
        return

    support.hear_all_signals()
    checks = support.Checks()
    products = arguments.products.resolve() if arguments.products else support.swift_build("--product", "crashsym")
    crashsym = products / "crashsym"
    programs = support.swift_build(package=sample_rows.FOLDER)
    missing = sample_rows.without_row()
    checks.expect(not missing, "each sample has a sample.toml", ", ".join(missing))
    for sample in sample_rows.samples("alone"):
        if sample.lines:
            check_lines(programs / sample.name, crashsym, checks, sample)
        if sample.shows == "nothing":
            continue
        text = text_report(programs / sample.name, crashsym, checks, sample)
        if text is not None:
            checks.expect_kept(sample.expected, text, f"{sample.name}: the report is the expected one",
                               arguments.update)
    checks.end()


if __name__ == "__main__":
    main()
