"""Reads Samples/NAME/sample.toml: what each sample does, and what its reports must hold.

run             "alone" (the sample links CrashKit) or "thread-guard" (`crashsym run --thread-guard` runs it)
ends            its exit status, or the name of the signal that ends it
kind            the kind of its one report

With run = "alone" only:
options         what CRASHKIT_OPTIONS has while it runs
input           text for its standard input, given once waiting_threads of its threads wait
shows           what expected.txt holds of the text report: "report" (the default), "crashed thread" or "nothing"
hangs           whether it never ends by itself: the signal of `ends` ends it once it has left a report
lines           for each kind of report, code in the source line that its first frame of Main.swift is at

With run = "thread-guard" only:
code            the code of its violation
most_reports    how many reports of that kind and code it may leave; 1 by default
shown_until     expected.txt ends before the first line that begins so
"""

import dataclasses
import signal
import tomllib

import support

FOLDER = support.ROOT / "Samples"
ONLY_FOR = {"alone": {"hangs", "input", "lines", "options", "shows", "waiting_threads"},
            "thread-guard": {"code", "most_reports", "shown_until"}}
CHOICES = {"run": ("alone", "thread-guard"), "shows": ("report", "crashed thread", "nothing")}


class BadRow(ValueError):
    """A sample.toml that makes no sense; the text names the file."""


@dataclasses.dataclass(frozen=True)
class Sample:
    name: str
    run: str
    ends: int | str
    kind: str | None = None
    code: str | None = None
    most_reports: int = 1
    options: str | None = None
    input: str = ""
    waiting_threads: int = 1
    shows: str = "report"
    shown_until: str | None = None
    hangs: bool = False
    lines: dict = dataclasses.field(default_factory=dict)

    @property
    def status(self):
        """Its exit status as subprocess has it: of a signal, the negative number."""
        return self.ends if isinstance(self.ends, int) else -signal.Signals[self.ends]

    @property
    def expected(self):
        return FOLDER / self.name / "expected.txt"

    @property
    def source(self):
        return FOLDER / self.name / "Main.swift"


def row(file):
    """The sample of one sample.toml."""
    try:
        given = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise BadRow(f"{file}: {error}") from None
    known = {field.name for field in dataclasses.fields(Sample)} - {"name"}
    if unknown := sorted(set(given) - known):
        raise BadRow(f"{file}: unknown keys: {', '.join(unknown)}")
    if missing := sorted({"run", "ends"} - set(given)):
        raise BadRow(f"{file}: missing keys: {', '.join(missing)}")
    for key, choices in CHOICES.items():
        if given.get(key, choices[0]) not in choices:
            raise BadRow(f"{file}: {key} is {given[key]!r}, not one of {', '.join(choices)}")
    for run, keys in ONLY_FOR.items():
        if run != given["run"] and (unused := sorted(keys & set(given))):
            raise BadRow(f"{file}: with run = {given['run']!r} nothing reads: {', '.join(unused)}")
    if isinstance(given["ends"], str) and given["ends"] not in signal.Signals.__members__:
        raise BadRow(f"{file}: ends is {given['ends']!r}, not a signal's name")
    if given.get("hangs") and not isinstance(given["ends"], str):
        raise BadRow(f"{file}: it hangs, and ends is no signal that would end it")
    sample = Sample(file.parent.name, **given)
    if sample.shows != "nothing" and sample.kind is None:
        raise BadRow(f"{file}: missing key: kind, of its one report")
    if sample.shows == "nothing" and not sample.lines:
        raise BadRow(f"{file}: without a text and without lines, nothing would be checked")
    return sample


def samples(run, folder=FOLDER):
    """The samples that are run so, by name."""
    found = [row(file) for file in sorted(folder.glob("*/sample.toml"))]
    return [sample for sample in found if sample.run == run]


def without_row(folder=FOLDER):
    """The folders with a Main.swift and no sample.toml: no check would run them."""
    return sorted(path.parent.name for path in folder.glob("*/Main.swift")
                  if not (path.parent / "sample.toml").exists())
