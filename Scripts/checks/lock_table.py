"""Docs/lock-scenarios.md: what each tool says of each scenario, beside what is right."""

import itertools
import pathlib
import re
import subprocess

MARK = "<!-- What follows is written by Scripts/checks/lock_scenarios.py. -->\n"
# In the order of the page. Families without a title follow, by their names.
TITLES = {
    "orders": "The order of locks", "misuse": "Misuse", "waits": "Waiting while something is held",
    "live": "Deadlocks that happen", "stress": "The shapes of a deadlock detector's stress test",
    "self-test": "The cases of a kernel's lock validator", "cxx": "The C++ standard library",
    "swift": "Foundation, Dispatch and tasks",
}


def versions():
    def first(pattern, *command):
        try:
            said = subprocess.run(command, capture_output=True, text=True).stdout
        except OSError:
            return "none"
        found = re.search(pattern, said)
        return found[1] if found else "none"

    import lock_programs
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    system = dict(line.split("=", 1) for line in lines if "=" in line)
    return (f"{system['PRETTY_NAME'].strip(chr(34))}, glibc {first(r'([0-9.]+)$', 'getconf', 'GNU_LIBC_VERSION')}, "
            f"gcc {first(r'^([0-9.]+)', 'gcc', '-dumpfullversion')}, "
            f"clang {first(r'version ([0-9.]+)', lock_programs.find_clang('c') or 'clang', '--version')}, "
            f"Swift {first(r'Swift version ([0-9.]+)', 'swift', '--version')}, "
            f"Valgrind {first(r'valgrind-([0-9.]+)', 'valgrind', '--version')}.")


def is_right(row, result):
    """Whether a tool that knows no severities found what there is to be found, and no more."""
    return bool(result.reports) == (row.kind is not None)


def cell(row, result, complaints=None):
    """What a tool said, in bold where that is not right; complaints are of ours alone, which is held to all of it."""
    if result is None:
        return "–"
    if not result.reports:
        word = "·"
    elif complaints is None:
        word = "●" if len(result.reports) == 1 else f"● {len(result.reports)}×"
    else:
        severities = {report["violation"]["severity"] for report in result.reports}
        word = "●" if "error" in severities else "warning" if "warning" in severities else "note"
        word += f" {len(result.reports)}×" if len(result.reports) > 1 else ""
    if result.late:
        word += " at its end"
    right = not complaints if complaints is not None else is_right(row, result)
    return word if right else f"**{word}**"


def group_cell(cells):
    """One cell for several rows: their word, or how many have which."""
    words = [(word, sum(1 for _ in same)) for word, same in itertools.groupby(sorted(cells))]
    return words[0][0] if len(words) == 1 else ", ".join(f"{count} {word}" for word, count in words)


def write(path, rows, results, complaints, tools):
    """`results` by tool and row; the first tool is ours."""
    lines = []
    for family in [*TITLES, *sorted({row.family for row in rows} - set(TITLES))]:
        for program in ("c", "cxx", "swift"):
            there = [row for row in rows if row.family == family and row.program == program]
            if there:
                lines += section(family, program, there, results, complaints, tools)
    head = path.read_text().split(MARK)[0] if path.exists() else ""
    path.write_text(head + MARK + "\n" + versions() + "\n\n" + summary(rows, results, complaints, tools)
                    + "\n" + "\n".join(lines) + "\n")


def asked(rows, results, tool):
    return [row for row in rows if results[tool].get(row.title) is not None]


def summary(rows, results, complaints, tools):
    """How many each tool decided as is right."""
    lines = ["| tool | scenarios | rightly flagged | rightly silent | missed | false alarms |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for tool in tools:
        count = {"flagged": 0, "silent": 0, "missed": 0, "false": 0}
        there = asked(rows, results, tool)
        for row in there:
            found = bool(results[tool][row.title].reports)
            wanted = row.kind is not None
            count["flagged" if found and wanted else "silent" if not found and not wanted
                  else "missed" if wanted else "false"] += 1
        lines.append(f"| {tool} | {len(there)} | {count['flagged']} | {count['silent']} | {count['missed']} | "
                     f"{count['false']} |")
    wrong = sum(1 for row in rows if complaints.get(row.title))
    lines.append("")
    lines.append(f"{len(rows) - wrong} of ThreadGuard's results are also right in kind, severity and number."
                 if wrong else "ThreadGuard's reports are also right in kind, severity and number.")
    return "\n".join(lines) + "\n"


def section(family, program, rows, results, complaints, tools):
    shown = [tool for tool in tools if asked(rows, results, tool)]
    language = {"c": "C", "cxx": "C++", "swift": "Swift"}[program]
    title = TITLES.get(family, family) + (f", in {language}" if family == "self-test" else "")
    lines = ["", f"## {title}", "", "| scenario | right | " + " | ".join(shown) + " |",
             "| --- | --- |" + " --- |" * len(shown)]
    for group, same in itertools.groupby(rows, lambda row: row.group):
        same = list(same)
        parts = [same] if family == "self-test" else [[row] for row in same]
        for part in parts:
            name = part[0].name.replace("|", "\\|") if len(part) == 1 else f"{group} ({len(part)})"
            name = name.removeprefix("self-test/").removeprefix("stress/")
            right = part[0].right + (f": {part[0].why}" if part[0].why else "")
            cells = []
            for tool in shown:
                own = tool == tools[0]
                cells.append(group_cell([
                    cell(row, results[tool].get(row.title), complaints.get(row.title, []) if own else None)
                    for row in part]))
            lines.append(f"| {name} | {right} | " + " | ".join(cells) + " |")
    return lines
