"""Times crashsym lookup beside llvm-symbolizer: one address and 10,000, both demangled and with inlined calls.

The two take turns, so that whatever else the machine does meets both. The best of the rounds counts for time, the least
for memory. That both give the same answers is another check's business: Scripts/checks/faithful.py.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "checks"))
import faithful  # noqa: E402
import faithful_binaries  # noqa: E402
import llvm_symbolizer  # noqa: E402
import support  # noqa: E402

# At most these shares of llvm-symbolizer's figures.
AIMS = {1: (0.4, 0.75), 10_000: (0.35, 0.75)}


def measure(command, addresses):
    """Seconds from start to end, and MiB of memory at the peak."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(addresses, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        raise RuntimeError(f"{command[0]} ended with {status}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def best(results):
    return min(seconds for seconds, _ in results), min(memory for _, memory in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds")
    parser.add_argument("--crashsym", help="a release build that is there already")
    parser.add_argument("--server", help="the sample's release build, if it is there already")
    arguments = parser.parse_args()
    crashsym = arguments.crashsym or support.swift_build("--product", "crashsym", configuration="release") / "crashsym"
    server = arguments.server or faithful_binaries.server("release")
    tools = {
        "crashsym": [str(crashsym), "lookup", "--format", "json", str(server)],
        "llvm-symbolizer": [str(llvm_symbolizer.toolchain_symbolizer()), f"--obj={server}", "--output-style=JSON",
                            "--inlines", "--demangle"],
    }
    print("| addresses | crashsym | llvm-symbolizer | share (aim) | memory | memory | share (aim) |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for count, (time_aim, memory_aim) in AIMS.items():
            path = pathlib.Path(folder) / str(count)
            path.write_text("".join(f"{address:#x}\n" for address in faithful.addresses(server, count)))
            results = {name: [] for name in tools}
            for _ in range(2 if arguments.quick else 15):
                for name, command in tools.items():
                    results[name].append(measure(command, path))
            (ours, our_memory), (theirs, their_memory) = (best(results[name]) for name in tools)
            print(f"| {count:,} | {ours * 1e3:.0f} ms | {theirs * 1e3:.0f} ms | {ours / theirs:.2f} ({time_aim}) "
                  f"| {our_memory:.0f} MiB | {their_memory:.0f} MiB | {our_memory / their_memory:.2f} ({memory_aim}) |")


if __name__ == "__main__":
    main()
