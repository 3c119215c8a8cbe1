"""The rows of the lock scenarios: Tests/LockScenarios/*.toml, and what is right of each."""

import dataclasses
import re
import tomllib

import support

FOLDER = support.ROOT / "Tests" / "LockScenarios"


@dataclasses.dataclass
class Row:
    """One scenario of one program, and what is right of it.

    A table's name in the file is the scenario, with the program's arguments after it; {a,b} stands for either. What "*"
    says holds for all rows of the file.
    """
    name: str
    family: str
    program: str  # c, cxx or swift
    group: str  # the table's name in the file
    # Without a kind, silence is right.
    kind: str | None = None
    severity: str | None = None
    code: str | None = None
    # How many reports of the kind; or "some", where it is the tool's to say how many mistakes they are.
    count: int | str = 1
    # Kinds that may be reported beside it.
    also: list = dataclasses.field(default_factory=list)
    # A deadlock that happens: reported while it hangs.
    live: bool = False
    # As subprocess has it; of a program that ends by itself.
    status: int = 0
    # THREADGUARD_OPTIONS.
    options: str | None = None
    # Of the table in Docs.
    why: str = ""
    # What ThreadGuard lacks to decide it as is right; the row fails once it does.
    missed: str = ""

    @property
    def title(self):
        return f"{self.name} ({self.program})"

    @property
    def right(self):
        if self.kind is None:
            return "silent"
        return "report" if self.severity == "error" else self.severity


def spelled_out(pattern):
    """What a name with {a,b} stands for."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if not found:
        return [pattern]
    before, after = pattern[:found.start()], pattern[found.end():]
    return [name for word in found[1].split(",") for name in spelled_out(before + word + after)]


def load():
    """Every row, file by file."""
    rows = []
    for path in sorted(FOLDER.glob("*.toml")):
        tables = tomllib.loads(path.read_text())
        general = tables.pop("*", {})
        for group, said in tables.items():
            said = general | said
            for name in spelled_out(group):
                for program in said["in"]:
                    fields = {key: value for key, value in said.items() if key != "in"}
                    try:
                        rows.append(Row(name=name, family=path.stem, program=program, group=group, **fields))
                    except TypeError as error:
                        raise ValueError(f"{path}: {group}: {error}") from None
    return rows


def select(rows, names):
    """The rows that are named: a scenario, a family, a program or a table."""
    return [row for row in rows if not names or {row.name, row.family, row.program, row.group} & set(names)]


def missing_from(rows, listed):
    """Scenarios that a program has and no row speaks of, and the other way round."""
    spoken = {}
    for row in rows:
        spoken.setdefault(row.program, set()).add(row.name.split()[0])
    for program, names in listed.items():
        for name in sorted((spoken.get(program, set()) - {"philosophers"}) ^ names):
            yield f"{program}: {name}"
