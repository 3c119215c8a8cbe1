#!/usr/bin/env python3
"""Runs what README.md and Docs/tour.md show, in a clean folder, and compares what the commands print with the pages.

A block of the language `console` is run line by line in one shell: `$ ` begins a command, `> ` continues it, and the lines
after it are its output. A comment before a block says what else becomes of it:

  <!-- tour: write PATH -->     the block is the content of this file; `.package(url: …, from: …)` becomes the folder here
  <!-- tour: after COMMAND -->  the block is run, and this command before it: the page shows it later
  <!-- tour: not run: WHY -->   the block is not run; each such block is named at the end

All files of a page are there before its first command runs.

What varies is marked. A line `  …` stands for any number of lines, and `…` in a line for any text. VARIES has what may
differ from run to run without a mark. Blanks in a row count as one blank.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import tty

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("README.md", "Docs/tour.md")
# The pages show this folder where a run has its own.
SHOWN_HOME = "/home/you"
# Of one command, builds included, on a machine that does other work too.
LIMIT = 1800

# What bash itself says of a process that died, and where it read the command.
JOB_NOTES = re.compile(r"^bash: line \d+: +\d+ .*\n(?: +\d+ .*\n)?", re.MULTILINE)

VARIES = [
    r"\d{8}T\d{6}\.\d{3}Z-\d+",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?",
    r"0x[0-9a-f]+",
    r"\b[0-9a-f]{2}/[0-9a-f]{38}\b",
    r"\b[0-9a-f]{40}\b",
    r"(?<=\[)\d+(?=\]:)",
    r"(?<=thread )\d+",
    r"(?<=Thread )\d+",
    r"[+-]?\d+\.\d+ ?s\b",
    r"\d+(?:\.\d+)? [KMG]iB",
]


def blocks(text):
    """The fenced blocks of a page: the line, the mark before it, the language, the lines."""
    mark, fence, language, start, lines = "", False, "", 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if fence:
            if line == "```":
                yield start, mark, language, lines
                mark, fence = "", False
            else:
                lines.append(line)
        elif line.startswith("```"):
            fence, language, start, lines = True, line[3:], number, []
        elif found := re.fullmatch(r"<!-- tour: (.*) -->", line):
            mark = found[1]
        elif line:
            mark = ""
    if fence:
        raise ValueError(f"the block of line {start} has no end")


def commands(lines):
    """The commands of a console block, each with the output that the page shows."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif not found:
            raise ValueError(f"output without a command: {line}")
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return found


def line_pattern(line):
    """One line of the page as a regular expression."""
    varying = re.compile("|".join(f"(?:{pattern})" for pattern in VARIES))
    result, at = "", 0
    for found in varying.finditer(line):
        result += re.escape(line[at:found.start()])
        kind = next(pattern for pattern in VARIES if re.compile(pattern).match(line, found.start()))
        result += re.sub(r"\(\?<?=[^)]*\)|\\b", "", kind)
        at = found.end()
    result += re.escape(line[at:])
    return re.sub(r"(?:\\ )+", " +", result).replace("…", ".*")


def pattern_of(expected):
    return "".join(r"(?:.*\n)*?" if line.strip() == "…" else line_pattern(line) + r" *\n" for line in expected)


def agrees(expected, output):
    return re.fullmatch(pattern_of(expected), "".join(f"{line}\n" for line in output)) is not None


class Shell:
    """A bash whose commands have a terminal for their output, as a reader's have, and no input."""

    def __init__(self, folder, environment):
        self.home = str(folder)
        self.terminal, theirs = pty.openpty()
        tty.setraw(theirs)
        termios.tcsetwinsize(theirs, (50, 120))
        self.process = subprocess.Popen(["bash", "--norc", "-s"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)

    def run(self, command):
        end = f"end of command {os.urandom(8).hex()}"
        text = f"{{ {command}\n}} < /dev/null\nprintf '\\n%s\\n' '{end}'\n"
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()
        data = b""
        while f"\n{end}\n".encode() not in data:
            if not select.select([self.terminal], [], [], LIMIT)[0]:
                raise TimeoutError(f"nothing was printed for {LIMIT} s: {command}")
            data += os.read(self.terminal, 65536)
        output = data.decode(errors="replace").split(f"\n{end}\n")[0].replace("\r\n", "\n").replace(self.home, SHOWN_HOME)
        lines = JOB_NOTES.sub("", output + "\n").split("\n")
        while lines and not lines[-1].strip():
            lines.pop()
        return lines

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        os.close(self.terminal)


def write_file(folder, name, lines):
    text = "\n".join(lines) + "\n"
    text = re.sub(r'\.package\(\s*url: "[^"]*", from: "[^"]*"', '.package(path: "../swift-crashkit"', text)
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def run_page(page, folder, shell, show):
    """Runs one page; how many commands ran, the errors, and the blocks that were not run."""
    ran, errors, left = 0, [], []
    page_blocks = list(blocks((ROOT / page).read_text()))
    for _, mark, _, lines in page_blocks:
        if mark.startswith("write "):
            write_file(folder, mark[len("write "):], lines)
    for start, mark, language, lines in page_blocks:
        place = f"{page}:{start}"
        if mark.startswith("not run: "):
            left.append(f"{place}: {mark[len('not run: '):]}")
        elif mark.startswith("write "):
            continue
        elif language == "console":
            if mark.startswith("after "):
                shell.run(mark[len("after "):])
            for command, expected in commands(lines):
                output = shell.run(command)
                ran += 1
                if show:
                    print(f"$ {command}", *output, sep="\n", flush=True)
                while expected and not expected[-1].strip():
                    expected.pop()
                if not agrees(expected, output):
                    errors.append("\n".join([f"{place}: $ {command}", "  the page shows:", *(f"    {x}" for x in expected),
                                             "  it printed:", *(f"    {x}" for x in output)]))
        elif language:
            errors.append(f"{place}: this block of {language} has no mark that says what becomes of it")
    return ran, errors, left


def self_test():
    """Each rule of the comparison, once kept and once broken."""
    page = ["a 0x00001234 of 2026-11-21 16:12, 0.1 s", "  …", "  end   here", "left … right"]
    good = ["a 0x00ff of 2027-01-02 03:04, 12.5 s", "more", "  end here", "left and right"]
    assert agrees(page, good)
    assert agrees(page, [good[0], *good[2:]])
    for i, wrong in [(0, good[0] + "!"), (0, good[0].replace("0x", "1x")), (2, "  ends here"), (3, "left and wrong")]:
        assert not agrees(page, [*good[:i], wrong, *good[i + 1:]])
    assert not agrees(page, [*good, "too much"])
    assert commands(["$ a \\", "> b", "out", "> c", "$ d"]) == [["a \\\nb", ["out", "> c"]], ["d", []]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--products", default=".build/debug", help="the folder with crashsym and diagdemo")
    parser.add_argument("--folder", help="run there and keep it, instead of in a clean folder that is removed")
    parser.add_argument("--show", action="store_true", help="print the output of each command")
    options = parser.parse_args()
    self_test()
    folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="crashkit-tour."))
    folder.mkdir(exist_ok=True)
    folder = folder.resolve()
    if not (folder / "swift-crashkit").exists():
        (folder / "swift-crashkit").symlink_to(ROOT)
    (folder / "api").mkdir(exist_ok=True)
    keep = ("PATH", "SWIFT_DETERMINISTIC_HASHING", "CLANG_MODULE_CACHE_PATH")
    environment = {name: os.environ[name] for name in keep if name in os.environ}
    environment.update(PATH=f"{pathlib.Path(options.products).resolve()}:{environment['PATH']}", HOME=str(folder),
                       LANG="C.UTF-8", TERM="xterm", NO_COLOR="1", TZ="UTC", TMPDIR=str(folder / "tmp"),
                       SWIFT_BACKTRACE="enable=no")
    (folder / "tmp").mkdir(exist_ok=True)
    failed = False
    shell = Shell(folder, environment)
    shell.run("cd api")
    try:
        for page in PAGES:
            ran, errors, left = run_page(page, folder, shell, options.show)
            print(*errors, sep="\n")
            print(f"{page}: {ran} commands ran, {len(errors)} errors")
            for block in left:
                print(f"  not run: {block}")
            failed = failed or bool(errors) or ran == 0
    finally:
        shell.close()
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
