"""Compares the functions, files, lines and inlined calls of a symbolicated report with the toolchain's llvm-symbolizer.

Two names of one address count as equal, as do a symbol with and without its version. Where llvm-symbolizer has line 0,
the compiler's "none", any line of ours that is marked as approximate will do.
"""

import itertools
import json
import pathlib
import shutil
import subprocess

import support

RUNTIME_FAILURE = "Swift runtime failure"


def toolchain_symbolizer():
    """The llvm-symbolizer beside the swift on PATH, or None."""
    swift = shutil.which("swift")
    candidate = pathlib.Path(swift).resolve().parent / "llvm-symbolizer" if swift else None
    return candidate if candidate and candidate.exists() else None


def image_of(report, address):
    for image in report["images"]:
        if int(image["baseAddress"], 16) <= address < int(image["endOfText"], 16):
            return image
    return None


def llvm_chains(symbolizer, path, offsets):
    """For each offset the calls, innermost first, as (mangled name, file, line)."""
    run = subprocess.run([symbolizer, "--obj", path, "--no-demangle", "--output-style=JSON"], check=True,
                         input="\n".join(hex(offset) for offset in offsets), capture_output=True, text=True)
    # One JSON array, or one object a line: both have been the tool's way.
    text = run.stdout.strip()
    answers = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    return [[(call["FunctionName"], call["FileName"], call["Line"]) for call in answer.get("Symbol", [])
             if not call["FunctionName"].startswith(RUNTIME_FAILURE)] for answer in answers]


def our_chains(report):
    """(look-up address, calls) for every frame of every thread; calls as (names, file, line, approximate)."""
    for thread in report["threads"]:
        frames = [frame for frame in thread["frames"] if "address" in frame]
        # Recursion puts equal addresses side by side: a frame ends with its call that is not inlined.
        chain = []
        for frame in frames:
            location = frame.get("sourceLocation", {})
            names = {frame.get("symbol"), frame.get("description")}
            chain.append((names, location.get("file", ""), location.get("line", 0), location.get("approximate", False)))
            if not frame.get("inlined"):
                yield int(frame["address"], 16) - (frame["kind"] == "returnAddress"), chain
                chain = []


def differences(report, symbolizer):
    """A list of differences in words, and how many frames and calls were compared."""
    found, frames, calls = [], 0, 0
    same = support.Aliases(report["images"]).same
    chains = [(address, chain, image_of(report, address)) for address, chain in our_chains(report)]
    chains = [entry for entry in chains if entry[2] and pathlib.Path(entry[2].get("path", "")).is_file()]
    chains.sort(key=lambda entry: entry[2]["path"])
    for path, group in itertools.groupby(chains, key=lambda entry: entry[2]["path"]):
        group = list(group)
        offsets = [address - int(image["baseAddress"], 16) for address, _, image in group]
        for (address, ours, _), theirs in zip(group, llvm_chains(symbolizer, path, offsets)):
            frames += 1
            calls += len(theirs)
            where = f"{pathlib.Path(path).name} at {address:#x}"
            if len(ours) != len(theirs) and theirs:
                found.append(f"{where}: {[c[0] for c in ours]} against {theirs}")
                continue
            for (names, file, line, approximate), (name, their_file, their_line) in zip(ours, theirs):
                if name and not any(same(support.plain(name), support.plain(mine)) for mine in names if mine):
                    found.append(f"{where}: function {names} against {name}")
                # Line 0 is the compiler's "none": ours then names the nearest line and says that it is approximate.
                if their_line and (line, approximate) != (their_line, False):
                    found.append(f"{where}: line {line} against {their_line} in {name}")
                if their_line and file != their_file and not same_file(file, their_file):
                    found.append(f"{where}: file {file} against {their_file}")
    return found, frames, calls


def same_file(one, other):
    """Whether two spellings name one file: compilers leave `..` and relative folders in."""
    return pathlib.PurePath(one).name == pathlib.PurePath(other).name and (
        pathlib.Path(one).resolve() == pathlib.Path(other).resolve())
