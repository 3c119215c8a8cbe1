"""Lets each sample die and compares its text report, normalised, with the sample's expected.txt, and its functions,
files, lines and inlined calls with those of the toolchain's llvm-symbolizer.

--update writes expected.txt anew: look at the difference before you keep it.
"""

import argparse
import difflib
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
    for name in SAMPLES:
        text = text_report(programs / name, crashsym, checks, name)
        if text is None:
            continue
        file = support.ROOT / "Samples" / name / "expected.txt"
        if arguments.update:
            file.write_text(text)
        difference = list(difflib.unified_diff(file.read_text().splitlines(), text.splitlines(), "expected", "given",
                                               lineterm=""))
        if not checks.expect(not difference, f"{name}: the report is the expected one"):
            print("\n".join(difference))
    checks.end()


if __name__ == "__main__":
    main()
