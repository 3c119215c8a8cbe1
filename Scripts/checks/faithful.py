"""Looks up addresses all over the code of many binaries, and compares each answer whole with llvm-symbolizer's.

Function, file, line and column of every call of the inlined chain, and where the function starts, are to be equal. Kinds
of differences that are meant to be stand with their reasons in faithful/differences.toml; any other fails. Every binary
is asked about without an index, with one that has yet to be made, and from it: each answer is to be the same, byte by byte.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import tomllib

import faithful_binaries
import llvm_symbolizer
import support

KEYS = ("FunctionName", "FileName", "Line", "Column", "StartAddress")
EXPLAINED = tomllib.loads((faithful_binaries.SOURCES / "differences.toml").read_text())
FAILURE = "Swift runtime failure: "


def text_section(binary):
    for line in faithful_binaries.run("readelf", "-SW", binary).splitlines():
        fields = line.partition("]")[2].split()
        if fields[:1] == [".text"]:
            return int(fields[2], 16), int(fields[4], 16)
    raise ValueError(f"{binary} has no .text")


def addresses(binary, count):
    """Spread over .text, and the same in every run."""
    start, size = text_section(binary)
    generator = random.Random(4)
    return [start + generator.randrange(size) for _ in range(count)]


def write(command, asked, **environment):
    text = "".join(f"{address:#x}\n" for address in asked)
    return subprocess.run([str(part) for part in command], input=text, check=True, capture_output=True, text=True,
                          env=support.environment(**environment))


def ask(command, asked):
    run = write(command, asked)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if [int(answer["Address"], 16) for answer in answers] != asked:
        raise ValueError(f"{command[0]} did not answer each address in order")
    return answers


def chain(answer):
    return [tuple(call[key] for key in KEYS) for call in answer["Symbol"]]


def names_by_address(binary):
    """The names that its symbol table has for each address."""
    names = collections.defaultdict(set)
    for line in faithful_binaries.run("nm", "--defined-only", "--format=posix", binary).splitlines():
        name, _, value = line.split()[:3]
        names[f"0x{value.lstrip('0')}"].add(name)
    return names


def kind_of_difference(ours, theirs, names):
    """The name of an explained kind, or None. `names` are those of each symbol, where two tables share them."""
    mine, other = chain(ours), chain(theirs)
    calls = [call for call in other if not call[0].startswith(FAILURE)]
    failures = [call[0][len(FAILURE):] for call in other if call[0].startswith(FAILURE)]
    if failures and mine == calls and ours.get("RuntimeFailure") == failures[0]:
        return "runtime-failure"
    if len(other) != 1 or len(mine) != 1:
        return None
    name, file, line, _, start = other[0]
    if name and line == 0 and "/" not in file and mine[0] == (name, "", 0, 0, start):
        return "object-file"
    if {name, mine[0][0]} <= names.get(start, set()) and mine[0][1:] == other[0][1:]:
        return "two-names"
    if not name and line == 0 and mine[0] == ("", "", 0, 0, ""):
        return "no-function-no-line"
    return None


def compare(checks, case, crashsym, symbolizer, count):
    """Checks a binary, and returns how many answers were of each kind."""
    asked = addresses(case.oracle, count)
    command = [crashsym, "lookup", "--format", "json", *case.options, case.binary]
    ours = ask(command + ["--no-cache"], asked)
    compare_with_index(checks, case, command, asked)
    theirs = ask([symbolizer, f"--obj={case.oracle}", "--output-style=JSON", "--inlines", "--no-demangle"], asked)
    names = names_by_address(case.oracle) if case.has_two_tables else {}
    kinds, unexplained = collections.Counter(), []
    for mine, other in zip(ours, theirs):
        if chain(mine) == chain(other):
            kinds["equal"] += 1
            continue
        kind = kind_of_difference(mine, other, names)
        if kind in EXPLAINED:
            kinds[kind] += 1
        else:
            unexplained.append(f"{other['Address']}: {chain(mine)} against {chain(other)}")
    explained = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    checks.expect(not unexplained, f"{case.name}: {explained}", f"{len(unexplained)} of {count}: {unexplained[:1]}")

    for share, least, what in (
            (sum(any(call["Line"] for call in a["Symbol"]) for a in theirs), case.lines, "lines"),
            (sum(len(a["Symbol"]) > 1 for a in theirs), case.inlined, "inlined calls"),
            (sum(bool(a["Symbol"][0]["FunctionName"]) for a in theirs), case.functions, "functions")):
        if share < least * count:
            checks.expect(False, f"{case.name}: there is something to compare", f"{share} of {count} have {what}")
    return kinds


def compare_with_index(checks, case, command, asked):
    """Half of the addresses make the index, all add to it, and all are asked for once more."""
    with support.temporary_folder() as folder:
        own = {"XDG_CACHE_HOME": folder, "CRASHSYM_CACHE_LIMIT": "1024"}
        plain = write(command + ["--no-cache"], asked).stdout
        half = write(command, asked[:len(asked) // 2], **own).stdout
        answers = [write(command, asked, **own).stdout for _ in range(2)]
        files = list(pathlib.Path(folder).glob("crashsym/*.index"))
        sizes = ", ".join(f"{file.stat().st_size >> 10} KiB" for file in files)
    same = plain.startswith(half) and half and all(answer == plain for answer in answers)
    checks.expect(same, f"{case.name}: the same with an index ({sizes or 'which it does not need'})")
    if case.has_index:
        checks.expect(len(files) == 1, f"{case.name}: there is an index", files)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="10,000 addresses of each binary, the servers among them")
    parser.add_argument("--crashsym", help="a crashsym that is already built")
    for kind in ("release", "debug", "static"):
        parser.add_argument(f"--{kind}-server", help="a Hummingbird sample that is already built so")
    arguments = parser.parse_args()

    checks = support.Checks()
    symbolizer = llvm_symbolizer.toolchain_symbolizer()
    crashsym = arguments.crashsym or support.swift_build("--product", "crashsym") / "crashsym"
    servers = {kind: getattr(arguments, f"{kind}_server") for kind in ("release", "debug", "static")}
    if arguments.full:
        servers = {kind: given or faithful_binaries.server(kind) for kind, given in servers.items()}
    servers = {kind: binary for kind, binary in servers.items() if binary}

    used = collections.Counter()
    with support.temporary_folder() as folder:
        system = faithful_binaries.SYSTEM_DEBUG / folder.lstrip("/")
        try:
            count = 10_000 if arguments.full else 300
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                # The next binary is built while those before it are asked.
                asked = [pool.submit(compare, checks, case, crashsym, symbolizer, count)
                         for case in faithful_binaries.cases(folder, servers)]
                for kinds in asked:
                    used.update(kinds.result())
        finally:
            shutil.rmtree(system, ignore_errors=True)
            if system.parent.is_dir() and not any(system.parent.iterdir()):
                system.parent.rmdir()
    if not shutil.which("rustc"):
        checks.skip("Rust", "there is no rustc")
    if arguments.full:
        unused = set(EXPLAINED) - set(used)
        checks.expect(not unused, "every explained difference occurs", ", ".join(unused))
    checks.end()


if __name__ == "__main__":
    main()
