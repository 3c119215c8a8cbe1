"""The source lines at which the stacks of the lock scenarios begin. Tests/LockScenarios/places.txt lists them all:
a stack that begins at any other line names a line that took no lock."""

import pathlib

import lock_rows
import support

FILE = lock_rows.FOLDER / "places.txt"
HEAD = """\
# Every line of the scenarios' sources at which a stack of a violation may begin: the program and its optimisation, what
# the stack is, and the line. Scripts/checks/lock_scenarios.py --update writes this file; read the difference.
# An optimised function may have no line: one that ends with the call is gone, and one that was merged with its like has no
# lines. Then the caller's line is the first.
"""


def stacks(report):
    """Each stack of a violation, with what it is."""
    violation = report["violation"]
    for edge in violation["edges"]:
        yield "from", edge["fromFrames"]
        yield "to", edge["toFrames"]
    for stack in violation["stacks"]:
        yield stack["label"], stack["frames"]


def first_line(frames):
    """The text of the innermost line of the scenarios' sources; None if the stack has none."""
    for frame in frames:
        place = frame.get("sourceLocation", {})
        path = pathlib.Path(place.get("file", ""))
        if path.is_relative_to(lock_rows.FOLDER) and place["line"] > 0:
            return path.read_text().splitlines()[place["line"] - 1].strip()
    return None


def of(result, title, crashsym):
    """The places of one run."""
    reports = [support.symbolicate(crashsym, path) for path in result.paths]
    lines = [(role, first_line(frames)) for report in reports for role, frames in stacks(report)]
    return {f"{title}: {role}: {line}" for role, line in lines if line}


def known():
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    return {line for line in lines if line and not line.startswith("#")}


def keep(places):
    FILE.write_text(HEAD + "".join(f"{place}\n" for place in sorted(places)))
