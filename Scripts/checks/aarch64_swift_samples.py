"""The samples of Samples/ in the emulated machine: what they leave there, held to each sample's expected.txt.

The runtime, the C library and the compiler are others than those that expected.txt was written with. So the lines of
the samples' own code are compared: functions, files, lines and columns in their order, and the chain of asynchronous
callers. With -O, functions are inlined into one another: each line of the crashed thread must be there, in its order.
Tests/Aarch64/samples.toml lists what differs.
"""

import json
import re
import signal
import subprocess
import tomllib

import normalise
import sample_rows
import samples
import support

# In seconds; an emulated processor is a tenth as fast or less.
LIMIT = 300
DIFFERENCES = support.ROOT / "Tests" / "Aarch64" / "samples.toml"
IMPORTED = "CrashKit ThreadGuard".split()
CXX = "CxxConfiguration"
THREAD_GUARD, MEMORY_GUARD = "ThreadGuardPreload", "CrashKitGuardPreload"
OWN_LINE = re.compile(r"^ *> *\d+ +(?!\|)(?P<function>.*?)(?:  (?:near )?(?P<place>\S+))?$", re.MULTILINE)
OTHER_THREAD = re.compile(r"^(Thread |\d+ threads )(?!.* crashed)")
# What optimisation did to a function, and how far into it an address is that has no line.
REMARKS = re.compile(r" \[(inlined|specialized|merged|, )+\]| \+OFFSET")


def rows():
    """Every sample that runs there, by its name."""
    return {sample.name: sample for run in sample_rows.CHOICES["run"] for sample in sample_rows.samples(run)
            if "lacks" not in differences().get(sample.name, {})}


def differences():
    return tomllib.loads(DIFFERENCES.read_text())


# --- Building ----------------------------------------------------------------------------------------------------


def build(swift, sample):
    """Builds a sample. If `crashsym run` runs it, it links nothing of the package."""
    options, objects = [], []
    if f"import {CXX}" in sample.source.read_text():
        options, objects = cxx_module(swift.built)
    swift.program(sample.name, sample.source, IMPORTED if sample.run == "alone" else [], options, objects)


def cxx_module(built):
    """The C++ that a sample calls: the options that find its header, and its object."""
    folder = sample_rows.FOLDER / CXX
    modules = built.folder / "objects" / CXX / "module.modulemap"
    modules.parent.mkdir(parents=True, exist_ok=True)
    modules.write_text(f'module {CXX} {{ umbrella "{folder}/include" export * }}\n')
    compiled = modules.with_name("configuration.o")
    built.compile_with([built.clang["cpp"], *built.base, "-std=gnu++17", "-O0", "-g", "-Werror",
                        f"-I{folder}/include", "-c", folder / "configuration.cpp"], compiled)
    return ["-Xcc", f"-fmodule-map-file={modules}"], [compiled]


# --- In the machine ----------------------------------------------------------------------------------------------


def run_all(programs, products, folder):
    """Runs each program, LEVEL/NAME, below `products`; returns how each ended."""
    known = rows()
    return {program: run(products / program, known[program.split("/")[1]], products, folder / program)
            for program in programs}


def run(program, sample, products, folder):
    folder.mkdir(parents=True)
    library = preloaded(sample)
    variables = {"LD_PRELOAD": str(products / f"lib{library}.so")} if library else {}
    return samples.run(program, folder, sample, LIMIT, variables)


def preloaded(sample):
    """The library that a sample is run with, if any. It has the guard of allocations instead of linking it."""
    if sample.run == "thread-guard":
        return THREAD_GUARD
    return MEMORY_GUARD if (sample.options or "").startswith("guard=") else None


# --- On this machine ---------------------------------------------------------------------------------------------


def status(sample):
    """How a sample ends there: a trap is another signal."""
    return -signal.SIGTRAP if sample.ends == "SIGILL" else sample.status


def shown(report, crashsym, symbols, sample):
    """The text report, normalised."""
    folders = [word for folder in symbols for word in ("--symbols", folder)]
    run = subprocess.run([crashsym, *folders, report], capture_output=True, text=True, check=True)
    text = normalise.normalise(run.stdout, sample.shows == "crashed thread")
    return text.split("\n" + sample.shown_until)[0] if sample.shown_until else text


def crashed_only(text):
    """A text report without the threads that wait. With -O, a call in the last place leaves no frame of its caller."""
    return "\n".join(section for section in normalise.sections(text) if not OTHER_THREAD.match(section))


def own_lines(text, name):
    """The lines of a text report that are of a sample's own code, as pairs: the function and its place.

    The functions that the compiler writes around main are left out: their lines are the compiler's choice.
    """
    found = [(line["function"], line["place"] or "") for line in OWN_LINE.finditer(text)]
    around_main = (f"{name.replace('-', '_')}_main", "async_Main")
    return [pair for pair in found if not pair[0].startswith(around_main)]


def difference(expected, given):
    """The first difference of two lists of lines in words, or an empty text."""
    for index in range(max(len(expected), len(given))):
        pair = [" ".join(lines[index]) if index < len(lines) else "no line" for lines in (expected, given)]
        if pair[0] != pair[1]:
            return f"line {index + 1} of {len(expected)}: expected {pair[0]}, given {pair[1]}"
    return ""


def plain(line):
    """A line as it is at any level of optimisation: without its column, and without what was done to the function."""
    function, place = line
    file, _, rest = place.partition(":")
    return (REMARKS.sub("", function).replace(" [async]", ""), f"{file}:{rest.split(':')[0]}" if rest else None)


def missing(expected, given):
    """The first expected line that an optimised program's report does not have in its order, or an empty text.

    A function may come without its line: where an asynchronous caller goes on need not have one.
    """
    left = iter([plain(line) for line in given])
    for line in expected:
        function, place = plain(line)
        if not any(other == function and (there in (None, place)) for other, there in left):
            return f"{' '.join(line)} is missing"
    return ""


def judge(checks, program, ended, folder, crashsym, symbols):
    """Holds what one program left in its folder against its sample."""
    level, name = program.split("/")
    sample, differs = rows()[name], differences().get(name, {})
    title = f"{name} (-{level})"
    checks.expect(ended == status(sample), f"{title}: ends as it would have", ended)
    reports = samples.all_reports_in(folder)
    kinds = [json.loads(report.read_text())["kind"] for report in reports]
    right = set(kinds) == {sample.kind or "crashReport"} and len(kinds) <= sample.most_reports
    if not checks.expect(right, f"{title}: one report of its kind", kinds):
        return
    complaints = support.validate(reports[0])
    checks.expect(not complaints, f"{title}: valid by the schema", "; ".join(complaints[:3]))
    text = shown(reports[0], crashsym, symbols, sample)
    if "says" in differs:
        checks.expect(differs["says"] in text, f"{title}: {differs['says']}", text[:200])
        return
    texts = [sample.expected.read_text(), text]
    if level == "Onone":
        expected, given = (own_lines(each, name) for each in texts)
        more = [tuple(line.split("  ")) for line in differs.get("more", [])]
        found = difference(expected, [line for line in given if line not in more])
        found = found or "; ".join(" ".join(line) for line in more if line not in given)
    else:
        expected, given = (own_lines(crashed_only(each), name) for each in texts)
        found = missing(expected, given)
    checks.expect(expected and not found, f"{title}: {len(expected)} lines as in its expected.txt", found)
