"""The rows of the matrix of deaths: Tests/Deaths/*.toml, and what each is tried as."""

import dataclasses
import os
import pathlib
import re
import tomllib

import support

FOLDER = support.ROOT / "Tests" / "Deaths"
# Families whose rows are tried on a thread too, and with all descriptors used up, unless a row says otherwise.
VARIED = ("memory", "swift", "c")
VARIANTS = ("thread", "exhaustfd")
# The quick set tries the variants of these alone.
QUICK_VARIANTS = ("null-read", "abort", "fatal-error", "stack-overflow")


@dataclasses.dataclass
class Row:
    """One way to die; what a table of the file says, with the kind as its name.

    [kind.release], [kind.thread] and [kind.exhaustfd] say what differs in an optimised build and in a variant, and
    [kind.aarch64] what differs on that processor, as it is emulated by Scripts/checks/aarch64.py.
    """
    kind: str
    family: str
    # The kind that diagdemo is asked for, where the row's name is another; where it dies (places_to_die.py).
    of: str | None = None
    place: str | None = None
    prefix: str = ""
    # Why there is nothing to see in such a build.
    skip: str | None = None
    # Of the report: exact, but for `cause` and `message`, which are parts of what it says.
    signal: str | None = None
    code: str | None = None
    # Or a list, of which chance takes one.
    address: str | list | None = None
    cause: str | None = None
    message: str | None = None
    # The crashed thread's first frame in diagdemo's sources: part of its function, and [file, text of that line alone].
    function: str | None = None
    at: list | None = None
    # Functions that follow one another on that stack, continuations among them, with others in between.
    chain: list = dataclasses.field(default_factory=list)
    # The crashed thread's Swift task; the number that it has by the program's own account is checked as well.
    task: str | None = None
    # At least that many; without it, as many as diagdemo counted before.
    threads: int | None = None
    # "any" where the case destroys the stack, and it cannot be followed to the thread's entry.
    stacks: str = "entry"
    # At least that many on the crashed thread, kept or counted.
    frames: int = 0
    # Or "uncleanExit", made by the next program in the same folder; "stderr", as numbered lines; "none".
    report: str = "crashReport"
    # "signal": by `signal`; or "exit N". What the undisturbed program does is compared in any case.
    ends: str = "signal"
    # Limit for the handler.
    seconds: float = 1
    # The last one that is recorded.
    breadcrumb: str = "about to crash"
    # Paths into the report, such as "threads.0.unwoundBy", and what stands there; "*" is every element, "-1" the last.
    holds: dict = dataclasses.field(default_factory=dict)
    # Part of what stands on stderr; patterns of files of the working directory that are there, or are there and empty.
    stderr: str | None = None
    leaves: list = dataclasses.field(default_factory=list)
    empty: list = dataclasses.field(default_factory=list)
    # The program's own handler raises the signal again: the core is of that one, the report of the first.
    raised_again: bool = False
    # Left to the full set, unless it is named.
    full: bool = False
    # Of VARIANTS, and both together if both are named; by default both for the families in VARIED, else none.
    variants: list | None = None
    # What the machine must have, else the row is skipped: see missing().
    needs: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    # A command that starts another, put before the program.
    launcher: list = dataclasses.field(default_factory=list)
    # What differs in a variant, by its name.
    thread: dict = dataclasses.field(default_factory=dict)
    exhaustfd: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self):
        return self.prefix + self.kind

    @property
    def asked(self):
        """What diagdemo is asked for."""
        return self.prefix + (self.of or self.kind)

    def all_variants(self):
        """The prefixes that this row is tried with beside none."""
        named = self.variants
        if named is None:
            named = VARIANTS if self.family in VARIED else []
        prefixes = [name + "-" for name in named]
        return prefixes + (["exhaustfd-thread-"] if len(named) == len(VARIANTS) else [])

    def variant(self, prefix):
        """The row as it is to be with that prefix."""
        differs = {}
        for name in VARIANTS:
            if name + "-" in prefix:
                differs |= getattr(self, name)
        return dataclasses.replace(self, prefix=prefix, **differs)


def load(configuration, processor="x86_64"):
    """Every row, as it is to be in a build of that configuration, on that processor."""
    rows = {}
    for path in sorted(FOLDER.glob("*.toml")):
        for kind, said in tomllib.loads(path.read_text()).items():
            said = dict(said)
            release, aarch64 = said.pop("release", {}), said.pop("aarch64", {})
            if configuration == "release":
                said.update(release)
            if processor == "aarch64":
                said.update(aarch64)
            if kind in rows:
                raise ValueError(f"{path}: {kind} stands in {rows[kind].family}.toml too")
            try:
                rows[kind] = Row(kind=kind, family=path.stem, **said)
            except TypeError as error:
                raise ValueError(f"{path}: {kind}: {error}") from None
    return list(rows.values())


def select(rows, names, full):
    """The rows to run: those named (a family, a kind, or a kind with a prefix), with their variants."""
    result = []
    for row in rows:
        wanted = row.all_variants() if full or row.kind in QUICK_VARIANTS else []
        for prefix in ["", *wanted]:
            if row.full and not full and not names:
                continue
            if not names or {row.kind, row.family, prefix + row.kind} & set(names):
                result.append(row.variant(prefix))
        for name in names:
            prefix = name.removesuffix(row.kind)
            if name.endswith("-" + row.kind) and re.fullmatch(r"((thread|exhaustfd)-)+", prefix):
                if not any(prefix == found.prefix and found.kind == row.kind for found in result):
                    result.append(row.variant(prefix))
    return result


def missing(row):
    """Why this machine cannot run the row; None where it can."""
    if row.skip:
        return row.skip
    for need in row.needs:
        if need == "root" and os.geteuid() != 0:
            return "needs root"
        if need == "cgroup" and not cgroup_is_writable():
            return "needs a cgroup v2 hierarchy that can be written to"
        if need == "x86_64" and os.uname().machine != "x86_64":
            return "is of x86-64"
        if need not in ("root", "cgroup", "x86_64"):
            raise ValueError(f"{row.kind}: nobody knows what needs = {need!r} means")
    return None


def cgroup_is_writable():
    """Whether a group with a limit of its own can be made."""
    root = pathlib.Path("/sys/fs/cgroup")
    controllers = root / "cgroup.controllers"
    return controllers.is_file() and "memory" in controllers.read_text().split() and os.access(root, os.W_OK)
