"""Times crashsym lookup beside other symbolizers: one address and 10,000, demangled and with inlined calls.

All take turns, and each is compared with the toolchain's llvm-symbolizer in the same round: the share is the median over
the rounds. That both give the same answers is another check's business: Scripts/checks/faithful.py. Last comes a crash of
the server with 64 threads: CrashKit's report shown by crashsym, beside the Swift runtime's backtracer. Standard output is
the section "Addresses" of Docs/benchmarks.md, whole; what is under way is told on standard error.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

import crash
import section
import timing
import tools

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]),
                str(pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "checks")]
import history  # noqa: E402
import faithful  # noqa: E402
import faithful_binaries  # noqa: E402
import llvm_symbolizer  # noqa: E402

# At most these shares of llvm-symbolizer's processor time, and of its memory, on the server in release.
AIMS = {"crashsym, installed": {1: 0.2, 10_000: 0.35}, "crashsym, installed, making the index": {10_000: 0.8},
        "crashsym, installed, from the index": {1: 0.12, 10_000: 0.15}, "crashsym, default debug build": {10_000: 2}}
MEMORY_AIM = 0.75
RELEASE = "The Hummingbird sample, release"
CRASHES = 5
KINDS = ["release", "debug", "static", "cxx", "frontend"]
# A tool that has taken so many seconds in all takes no more turns, once it has had the fewest.
MOST_SECONDS = 5
FEWEST_ROUNDS = 3


def addresses(binary, count):
    """Spread over the program. A single one has a line, if any has: nothing is indexed of what has no debug information."""
    if count > 1:
        return faithful.addresses(binary, count)
    found = faithful.addresses(binary, 100)
    chains = llvm_symbolizer.llvm_chains(llvm_symbolizer.toolchain_symbolizer(), binary, found)
    return [next((address for address, chain in zip(found, chains) if chain and chain[-1][2]), found[0])]


def compare(binary, count, all_tools, rounds, folder, has_aims):
    path = pathlib.Path(folder) / str(count)
    path.write_text("".join(f"{address:#x}\n" for address in addresses(binary, count)))
    asked = [tool for tool in all_tools if count <= tool.most]
    turns = timing.Turns(tool.name for tool in asked)
    inputs = {tool.name: tool.standard_input(binary, path) for tool in asked}
    kept = pathlib.Path(folder) / "kept"
    seconds = dict.fromkeys(turns.names, 0)
    # The first round fills the page cache, and makes the index that is kept.
    for number in range(rounds + 1):
        for tool in asked:
            if number > FEWEST_ROUNDS and seconds[tool.name] > MOST_SECONDS and tool is not asked[0]:
                continue
            environment, own = tools.environment(tool, str(kept))
            result = timing.measure(tool.on(binary), str(inputs[tool.name]), environment, tool.most_status)
            if own:
                own.cleanup()
            seconds[tool.name] += result[0]
            if number > 0:
                turns.add(tool.name, result)
    for tool in asked:
        aim = AIMS.get(tool.name, {}).get(count) if has_aims else None
        memory_aim = MEMORY_AIM if aim else None
        print(f"| {count:,} | {tool.name} | {turns.best(tool.name) * 1e3:.1f} "
              f"| {turns.share(tool.name):.2f} | {turns.best(tool.name, 1) * 1e3:.0f} "
              f"| {turns.share(tool.name, 1):.2f}{f' ({aim})' if aim else ''} "
              f"| {turns.best(tool.name, 2):.0f} | {turns.share(tool.name, 2):.2f}{f' ({memory_aim})' if aim else ''} |",
              flush=True)
    return turns


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds on the release build alone, few tools, no crash")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--crashsym", help="an installed crashsym that is there already")
    parser.add_argument("--other-crashsym", action="append", default=[], metavar="KIND=PROGRAM",
                        help="with --crashsym: in place of building it, the default build (debug) to compare, or others")
    parser.add_argument("--binary", action="append", choices=KINDS,
                        help="asked about; all where none is named")
    for kind in ("release", "debug", "static"):
        parser.add_argument(f"--{kind}-server", help="a build of the sample that is there already")
    parser.add_argument("--only", choices=["addresses", "crash"], help="one part")
    arguments = parser.parse_args()

    started = section.state()
    if arguments.quick:
        programs = {"installed": arguments.crashsym
                    or tools.support.swift_build("--product", "crashsym", configuration="release") / "crashsym"}
    elif arguments.crashsym and arguments.other_crashsym:
        programs = {"installed": arguments.crashsym, **dict(other.split("=", 1) for other in arguments.other_crashsym)}
    else:
        programs = tools.builds(arguments.crashsym)
    wanted = ["release"] if arguments.quick else arguments.binary or KINDS
    kinds = [kind for kind in wanted if kind in ("release", "debug", "static")]
    given = {kind: getattr(arguments, f"{kind}_server") for kind in kinds}
    found = [tools.toolchain(), *tools.ours(programs), *([] if arguments.quick else tools.others(tools.gimli()))]
    rounds = 2 if arguments.quick else arguments.rounds
    with tempfile.TemporaryDirectory() as folder:
        results, measured = {}, {}
        binaries = {f"The Hummingbird sample, {kind}": given[kind] or faithful_binaries.server(kind) for kind in kinds}
        if "cxx" in wanted:
            binaries["A C++ program, -O2"] = faithful_binaries.Programs(folder).cxx("cxx", "-gdwarf-5")
        if "frontend" in wanted:
            compiler = pathlib.Path(shutil.which("swiftc")).resolve().with_name("swift-frontend")
            binaries["The Swift compiler, symbols only"] = compiler
        if arguments.only != "crash":
            section.begin(rounds, FEWEST_ROUNDS)
            for name, binary in binaries.items():
                print(f"\n{name}:\n")
                print("| addresses | | ms | share | ms of processor | share (aim) | MiB | share (aim) |")
                print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
                for count in (1, 10_000):
                    section.tell(f"{count:,} addresses of: {name}")
                    turns = compare(binary, count, found, rounds, tempfile.mkdtemp(dir=folder), name == RELEASE)
                    measured.update({f"{name}, {count}, {tool}": turns.share(tool, 1) for tool in turns.names[1:]})
                    if name == RELEASE:
                        results[count] = turns
            if not arguments.quick:
                history.append("Symbolication", measured)
            section.notes(results, AIMS, MEMORY_AIM, {tool.name for tool in found})
        if arguments.only != "addresses" and "release" in kinds and not arguments.quick:
            section.tell("crashes of the server")
            crash.compare(binaries[RELEASE], programs["installed"], min(rounds, CRASHES), folder)
        section.end(started)


if __name__ == "__main__":
    main()
