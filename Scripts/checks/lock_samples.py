"""Runs each sample whose sample.toml says `run = "thread-guard"` under `crashsym run --thread-guard` and compares the
text report of the violation, normalised, with the sample's expected.txt.

--update writes expected.txt anew: look at the difference before you keep it.
"""

import argparse
import pathlib
import re
import subprocess

import sample_rows
import support
from normalise import normalise


def text_of(path, crashsym, sample):
    """The text report, normalised."""
    shown = subprocess.run([crashsym, path], capture_output=True, text=True, check=True).stdout
    # The runtime's pool names a thread by the queue that it serves.
    text = re.sub(r'thread ID "[\w.-]*(qos|overcommit)[\w.-]*"', "thread ID of the pool", normalise(shown))
    return text.split("\n" + sample.shown_until)[0] + "…\n" if sample.shown_until else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--list", action="store_true", help="print the names of the samples and run none")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    if given.list:
        print("\n".join(sample.name for sample in sample_rows.samples("thread-guard")))
        return

    support.hear_all_signals()
    checks = support.Checks()
    if given.products:
        products = given.products.resolve()
    else:
        products = support.swift_build("--product", "crashsym")
        support.swift_build("--product", "ThreadGuardPreload")
    crashsym = products / "crashsym"
    programs = support.swift_build(package=sample_rows.FOLDER)
    for sample in sample_rows.samples("thread-guard"):
        name = sample.name
        program = programs / name
        with support.temporary_folder() as folder:
            run = subprocess.run(
                [crashsym, "run", "--thread-guard", "--quiet", "--output", f"{folder}/reports", "--", program],
                env=support.environment(SWIFT_BACKTRACE="enable=no"), stdin=subprocess.DEVNULL, capture_output=True,
                timeout=60)
            checks.expect(run.returncode == sample.status, f"{name}: ends as it would have", run.returncode)
            reports = [path for path in sorted(pathlib.Path(folder, "reports").glob("*.json"))
                       if not path.name.endswith("-crashReport.json")]
            found = [support.symbolicate(crashsym, path) for path in reports]
            said = [(report["kind"], report["violation"]["code"]) for report in found]
            right = set(said) == {(sample.kind, sample.code)} and len(said) <= sample.most_reports
            if not checks.expect(right, f"{name}: {sample.code}", said):
                continue
            complaints = support.validate(reports[0])
            checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
            text = text_of(reports[0], crashsym, sample)
        checks.expect_kept(sample.expected, text, f"{name}: the report is the expected one", given.update)
    checks.end()


if __name__ == "__main__":
    main()
