"""Runs each sample with a mistake in its locking under `crashsym run --thread-guard` and compares the text report of the
violation, normalised, with the sample's expected.txt.

--update writes expected.txt anew: look at the difference before you keep it.
"""

import argparse
import pathlib
import re
import subprocess

import support
from normalise import normalise

# Kind and code of the one violation, and the program's status, as subprocess has it.
SAMPLES = {
    "lock-inversion": ("lockOrderInversion", "cycle", 0),
    "deinit-sync": ("deadlock", "self-deadlock", -4),
    "lock-across-await": ("lockMisuse", "held-across-await", 0),
}


# Where a lock held across an await is noticed depends on what the thread does next: what is kept ends before that.
HERE = "\nHere, "


def text_of(path, crashsym, code):
    """The text report, normalised."""
    shown = subprocess.run([crashsym, path], capture_output=True, text=True, check=True).stdout
    # The runtime's pool names its threads by whichever queue they serve.
    text = re.sub(r'thread ID "[\w.-]*(qos|overcommit)[\w.-]*"', "thread ID of the pool", normalise(shown))
    return text.split(HERE)[0] + "…\n" if code == "held-across-await" else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=pathlib.Path, help="folder of built programs; built without it")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()

    support.hear_all_signals()
    checks = support.Checks()
    if given.products:
        products = given.products.resolve()
    else:
        products = support.swift_build("--product", "crashsym")
        support.swift_build("--product", "ThreadGuardPreload")
    crashsym = products / "crashsym"
    for name, (kind, code, status) in SAMPLES.items():
        program = support.swift_build("--product", name, package=support.ROOT / "Samples") / name
        with support.temporary_folder() as folder:
            run = subprocess.run(
                [crashsym, "run", "--thread-guard", "--quiet", "--output", f"{folder}/reports", "--", program],
                env=support.environment(SWIFT_BACKTRACE="enable=no"), stdin=subprocess.DEVNULL, capture_output=True,
                timeout=60)
            checks.expect(run.returncode == status, f"{name}: ends as it would have", run.returncode)
            reports = [path for path in sorted(pathlib.Path(folder, "reports").glob("*.json"))
                       if not path.name.endswith("-crashReport.json")]
            found = [support.symbolicate(crashsym, path) for path in reports]
            said = [(report["kind"], report["violation"]["code"]) for report in found]
            # A lock held across an await may be told twice: as the thread does other work, and as another one unlocks it.
            limit = 2 if code == "held-across-await" else 1
            if not checks.expect(set(said) == {(kind, code)} and len(said) <= limit, f"{name}: {code}", said):
                continue
            complaints = support.validate(reports[0])
            checks.expect(not complaints, f"{name}: valid by the schema", "; ".join(complaints[:3]))
            text = text_of(reports[0], crashsym, code)
        file = support.ROOT / "Samples" / name / "expected.txt"
        checks.expect_kept(file, text, f"{name}: the report is the expected one", given.update)
    checks.end()


if __name__ == "__main__":
    main()
