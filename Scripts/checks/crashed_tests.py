#!/usr/bin/env python3
"""The tests of Tests/CrashedTests crash, each in its own run: every format names the test.

Tests of Swift Testing and of XCTest, in a debug build, and with --full in a release build too. One run of each library is of
`swift test`, with the JUnit file that it leaves.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import xml.etree.ElementTree

import support

PACKAGE = support.ROOT / "Tests" / "CrashedTests"
PROGRAM = "crashed-testsPackageTests.xctest"
LIMIT = 300  # seconds: far more than a run takes on a busy machine
# The filter of Swift Testing; the test as reports name it; the others that run.
SWIFT_TESTING = [
    (r"Orders/sync\(", "Orders/sync()", []),
    (r"Orders/async\(", "Orders/async()", []),
    (r"Orders/hops\(", "Orders/hops()", []),
    (r"Orders/group\(", "Orders/group()", []),
    (r"Orders/detached\(", "Orders/detached()", []),
    (r"Orders/queue\(", "Orders/queue()", []),
    (r"Orders/onMain\(", "Orders/onMain()", []),
    (r"Orders/named\(", "Orders/named()", []),
    (r"Orders/pairs\(", "Orders/pairs(case 4)", [f"Orders/pairs(case {case})" for case in (1, 2, 3, 5, 6)]),
    (r"Refunds/throwing\(", "Orders/Refunds/throwing()", []),
    (r"Orders/parallel\(|Others", "Orders/parallel()", ["Others/first()", "Others/second()"]),
    (r"\.free\(", "free()", []),
]
XCTEST = [
    ("OrderTests/testSync", "OrderTests/testSync"), ("OrderTests/testThrows", "OrderTests/testThrows"),
    ("OrderTests/testAsync", "OrderTests/testAsync"), ("OrderTests/testAsyncThrows", "OrderTests/testAsyncThrows"),
    ("OrderTests/testGroup", "OrderTests/testGroup"), ("OrderTests/testDetached", "OrderTests/testDetached"),
    ("OrderTests/testQueue", "OrderTests/testQueue"), ("OrderTests/testOnMain", "OrderTests/testOnMain"),
    ("SetUpTests/testAfter", "SetUpTests/setUp"),
]


def run(command, folder):
    """Runs tests that crash. Returns the report, if there is one alone, and what was said."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    ended = subprocess.run(command, cwd=PACKAGE, env=support.environment(), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT)
    reports = support.reports_in(folder)
    return (reports[0] if len(reports) == 1 else None), ended.stdout[-300:]


def crash(crashsym, program, arguments, folder):
    return run([crashsym, "run", "--quiet", "--output", folder, "--", program, *arguments], folder)


def show(crashsym, reports, *options):
    """What crashsym prints of the reports, in their order."""
    shown = subprocess.run([crashsym, *options, *reports], capture_output=True, text=True)
    return shown.stdout


def shown_in(crashsym, reports):
    """What each format shows of each report, by the format's name."""
    shown = {}
    text = show(crashsym, reports)
    shown["text"] = re.split(rf"^(?={re.escape(PROGRAM)} died of )", text, flags=re.M)[1:]
    shown["github"] = show(crashsym, reports, "--format", "github").splitlines()
    results = json.loads(show(crashsym, reports, "--format", "sarif"))["runs"][0]["results"]
    shown["sarif"] = [result["message"]["text"].replace("\\", "") for result in results]
    cases = xml.etree.ElementTree.fromstring(show(crashsym, reports, "--format", "junit")).iter("testcase")
    shown["junit"] = ["\n".join([case.get("classname"), case.get("name"), case[0].get("message"), case[0].text])
                      for case in cases]
    grouped = json.loads(show(crashsym, reports, "group", "--format", "json"))["groups"]
    shown["group"] = ["\n".join(test for group in grouped for test in group["tests"])] * len(reports)
    return shown


def judge(checks, crashsym, kind, crashes):
    """Holds what all formats show against what crashed: crashes are (words, others, report, what was said)."""
    for words, _, report, said in crashes:
        checks.expect(report, f"{kind}: {words} left a report", said)
    crashes = [entry for entry in crashes if entry[2]]
    reports = [report for _, _, report, _ in crashes]
    for form, shown in shown_in(crashsym, reports).items():
        if not checks.expect(len(shown) == len(crashes), f"{kind}: {form} shows all reports", len(shown)):
            continue
        for (words, others, _, _), text in zip(crashes, shown):
            sentence = rf"(in|while) test {re.escape(words)}( ran)?(%0A|\n|$)"
            named = re.search(rf"^{re.escape(words)}$" if form == "group" else sentence, text, re.M)
            checks.expect(named, f"{kind}: {form} names {words}", text[:300])
            missing = [other for other in others if other not in text]
            if form != "group":
                checks.expect(not missing, f"{kind}: {form} lists what ran beside {words}", missing)


def judge_json(checks, crashsym, kind, crashes):
    """The keys of each framework, valid by the schema of reports."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads(support.SCHEMA.read_text()))
    lines = show(crashsym, [report for _, _, report, _ in crashes if report], "--format", "json").splitlines()
    for line in lines:
        report = json.loads(line)
        complaints = [f"{e.json_path}: {e.message[:200]}" for e in validator.iter_errors(report)]
        test = report.get("test", {})
        checks.expect(not complaints, f"{kind}: {test.get('name')} is valid by the schema", complaints[:2])
        module = {"swiftTesting": "SwiftTestingCrashes", "xctest": "XCTestCrashes"}.get(test.get("framework"))
        checks.expect(module and test.get("module") in (module, None), f"{kind}: {test.get('name')} has its module", test)


def crashes_of(crashsym, program, folder, kind):
    """Runs every test that crashes."""
    wanted = [(["--testing-library", "swift-testing", "--filter", given], words, others)
              for given, words, others in SWIFT_TESTING]
    wanted += [([f"XCTestCrashes.{given}"], words, []) for given, words in XCTEST]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        runs = [pool.submit(crash, crashsym, program, arguments, folder / f"{kind}-{number}")
                for number, (arguments, _, _) in enumerate(wanted)]
        return [(words, others, *started.result()) for (_, words, others), started in zip(wanted, runs)]


def merges(checks, crashsym, folder, library, options, case):
    """The JUnit file that `swift test` leaves has the test that crashed."""
    file = folder / f"{library}.xml"
    # Of both libraries, the name is that of XCTest's file; Swift Testing adds its own to it.
    left = folder / (f"{library}-swift-testing.xml" if library == "swift-testing" else file.name)
    report, said = run([crashsym, "run", "--follow", "--quiet", "--output", folder / library, "--junit", left, "--",
                        "swift", "test", "--skip-build", "--xunit-output", file, *options], folder / library)
    checks.expect(report, f"swift test, {library}: it left a report", said)
    found = [(each.get("classname"), each.get("name")) for each in xml.etree.ElementTree.parse(left).iter("testcase")]
    checks.expect(case in found, f"swift test, {library}: the JUnit file has the test", f"{found} {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="tests of a release build too")
    parser.add_argument("--products", type=pathlib.Path, required=True, help="the folder of the built commands")
    arguments = parser.parse_args()
    support.hear_all_signals()
    crashsym = (arguments.products / "crashsym").resolve()
    checks = support.Checks()
    with support.temporary_folder() as name:
        folder = pathlib.Path(name)
        kinds = [("debug", [])] + ([("release", ["-Xswiftc", "-enable-testing"])] if arguments.full else [])
        for kind, more in kinds:
            products = support.swift_build("--build-tests", *more, package=PACKAGE, configuration=kind)
            crashes = crashes_of(crashsym, products / PROGRAM, folder, kind)
            judge(checks, crashsym, kind, crashes)
            judge_json(checks, crashsym, kind, crashes)
        merges(checks, crashsym, folder, "swift-testing", ["--disable-xctest", "--filter", r"Orders/group\("],
               ("SwiftTestingCrashes.Orders", "group()"))
        merges(checks, crashsym, folder, "xctest", ["--disable-swift-testing", "--filter", "OrderTests/testSync"],
               ("XCTestCrashes.OrderTests", "testSync"))
    checks.end()


if __name__ == "__main__":
    main()
