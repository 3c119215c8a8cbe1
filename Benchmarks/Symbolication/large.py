"""Shows that crashsym's costs grow with what is asked, not with what is there. Prints a table in Markdown.

A million addresses from standard input beside a tenth of them; a program with gigabytes of debug information beside a small
one of the same kind, one address of each; a report that lists 50,000 images beside the same with 50, and addresses of 5,000
programs in one run. Each figure is the median of some runs.
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import tempfile

import timing
import tools  # which puts the checks on the path
import faithful

UNIT_BYTES = 64 << 10
CODE_BYTES = 16
FIRST_CODE = 0x401000
REPORT = tools.support.ROOT / "Tests" / "Releases" / "1.0.0-beta.1" / "mutex-deadlock.json"


class Strings:
    """A table of names."""

    def __init__(self):
        self.bytes = b"\0"

    def add(self, name):
        self.bytes += name.encode() + b"\0"
        return len(self.bytes) - len(name) - 1


def unit(number):
    """A unit of DWARF 4: a function of its own, named after the number, and variables for the rest of its bytes."""
    root = b"\x01" + struct.pack("<QI", FIRST_CODE + number * CODE_BYTES, CODE_BYTES)
    function = b"\x02" + struct.pack("<QI", FIRST_CODE + number * CODE_BYTES, CODE_BYTES) + f"function{number}".encode() + b"\0"
    variable = b"\x03" + b"a variable of the unit\0" + struct.pack("<I", 7)
    room = UNIT_BYTES - 11 - len(root) - len(function) - 1
    entries = root + function + variable * (room // len(variable)) + b"\0"
    return struct.pack("<IHIB", len(entries) + 7, 4, 0, 8) + entries


ABBREVIATIONS = bytes([
    1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0,  # a unit: its code
    2, 0x2E, 0, 0x11, 1, 0x12, 6, 0x03, 8, 0, 0,  # a function: its code and its name
    3, 0x34, 0, 0x03, 8, 0x3B, 6, 0, 0,  # a variable: its name and its line
    0])


def program(path, size):
    """Writes a program with so many bytes of debug information; gives the number of its units."""
    count = max(size // UNIT_BYTES, 1)
    names = Strings()
    sections = []  # name, type, flags, address, offset, size
    with open(path, "wb") as file:
        def add(name, kind, flags, address, pieces):
            start = file.tell()
            for piece in pieces:
                file.write(piece)
            sections.append((names.add(name), kind, flags, address, start, file.tell() - start))

        file.seek(4096)
        # An index is kept by the build ID.
        note = struct.pack("<III4s20s", 4, 20, 3, b"GNU", hashlib.sha1(str(size).encode()).digest())
        add(".note.gnu.build-id", 7, 2, 0, [note])
        add(".text", 1, 6, FIRST_CODE, [b"\x90" * (count * CODE_BYTES)])
        add(".debug_abbrev", 1, 0, 0, [ABBREVIATIONS])
        add(".debug_info", 1, 0, 0, map(unit, range(count)))
        own = names.add(".shstrtab")
        sections.append((own, 3, 0, 0, file.tell(), len(names.bytes)))
        file.write(names.bytes)
        table = file.tell()
        file.write(bytes(64))
        for name, kind, flags, address, start, length in sections:
            file.write(struct.pack("<IIQQQQIIQQ", name, kind, flags, address, start, length, 0, 0, 1, 0))
        file.seek(0)
        file.write(b"\x7fELF\x02\x01\x01" + bytes(9))
        file.write(struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, FIRST_CODE, 64, table, 0, 64, 56, 2, 64,
                               len(sections) + 1, len(sections)))
        code = count * CODE_BYTES
        start = sections[1][4]
        file.write(struct.pack("<IIQQQQQQ", 1, 5, start, FIRST_CODE, FIRST_CODE, code, code, 1))
        file.write(struct.pack("<IIQQQQQQ", 4, 4, 4096, 0, 0, len(note), len(note), 4))
    return count


def measured(rounds, command, stdin="/dev/null", **environment):
    """Medians of seconds, of seconds of processor time, and of MiB."""
    runs = [timing.measure([str(part) for part in command], str(stdin), environment) for _ in range(rounds)]
    return [statistics.median(run[figure] for run in runs) for figure in range(3)]


def row(name, figures):
    print(f"| {name} | {figures[0] * 1e3:.0f} | {figures[1] * 1e3:.0f} | {figures[2]:.0f} |", flush=True)


def million(crashsym, folder, rounds):
    lines = [f"{address:#x}\n" for address in faithful.addresses(crashsym, 1_000_000)]
    for count in (100_000, 1_000_000):
        path = folder / "addresses"
        path.write_text("".join(lines[:count]))
        row(f"{count:,} addresses from standard input", measured(rounds, [crashsym, "lookup", "--no-cache", crashsym], path))


def gigabytes(crashsym, folder, rounds, size):
    for size_now in (64 << 20, size):
        path = folder / "large"
        count = program(path, size_now)
        address = f"{FIRST_CODE + (count // 2) * CODE_BYTES + 3:#x}"
        answer = subprocess.run([crashsym, "lookup", "--no-cache", path, address], check=True, capture_output=True,
                                text=True).stdout
        assert f"function{count // 2}" in answer, answer
        name = f"one address of a program with {size_now / (1 << 30):.4g} GiB of debug information"
        row(name, measured(rounds, [crashsym, "lookup", "--no-cache", path, address]))
        kept = {"XDG_CACHE_HOME": str(folder / "kept"), "CRASHSYM_CACHE_LIMIT": "1024"}
        indexed = [crashsym, "lookup", path, address]
        measured(1, indexed, **kept)
        row(name + ", from the index", measured(rounds, indexed, **kept))
        row(name + ", llvm-symbolizer", measured(rounds, [tools.toolchain().command[0], f"--obj={path}", address]))
        path.unlink()


def images(crashsym, folder, rounds):
    """The report's own images, and copies of one of them at addresses that nothing lies in."""
    report = json.loads(REPORT.read_text())
    model = report["images"][0]
    for count in (50, 50_000):
        more = count - len(report["images"])
        added = [{**model, "name": f"lib{n}.so", "path": f"/nowhere/lib{n}.so", "baseAddress": f"0x{0x100000000 + n * 0x10000:016x}",
                  "endOfText": f"0x{0x100000000 + n * 0x10000 + 0x1000:016x}"} for n in range(more)]
        path = folder / "report.json"
        path.write_text(json.dumps({**report, "images": report["images"] + added}))
        size = path.stat().st_size / 1e6
        row(f"a report with {count:,} images ({size:.2g} MB)", measured(rounds, [crashsym, "--no-cache", path]))


def programs(crashsym, folder, rounds):
    (folder / "many").mkdir()
    program(folder / "one", UNIT_BYTES)
    for count in (500, 5_000):
        lines = []
        for number in range(count):
            path = folder / "many" / str(number)
            if not path.exists():
                shutil.copy2(folder / "one", path)
            lines.append(f"{path} {FIRST_CODE + 3:#x}\n")
        (folder / "lines").write_text("".join(lines))
        row(f"an address of each of {count:,} programs", measured(rounds, [crashsym, "lookup", "--no-cache"], folder / "lines"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crashsym", help="an installed crashsym that is there already")
    parser.add_argument("--gigabytes", type=int, default=4, help="of debug information, at most")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    crashsym = arguments.crashsym or tools.builds(None)["installed"]
    print("| | ms | ms of processor | MiB |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        million(crashsym, folder, arguments.rounds)
        gigabytes(crashsym, folder, arguments.rounds, arguments.gigabytes << 30)
        images(crashsym, folder, arguments.rounds)
        programs(crashsym, folder, arguments.rounds)


if __name__ == "__main__":
    main()
