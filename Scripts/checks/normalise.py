"""Takes out of a text report what differs from run to run and from machine to machine.

    normalise.py [--crashed-thread-only] <report.txt >expected.txt

Left out:
  the contents of the registers and of the memory at them
  threads in which none of the program's own functions stands: how many the runtime keeps depends on cores and chance
  (with --crashed-thread-only all but the crashed thread), the count of threads, and what the last section says of
  threads that were just being born
  Swift's tasks, but those that are stuck: how far another one has come is chance
  errors that were thrown and that the report is not about: those of libraries among them
  of the samples of a hang, and of a stack with calls of SwiftNIO that did not crash, all but the program's own functions:
  what fewer than all samples show is chance, and SwiftNIO's functions change with its version
  how many threads the pool of Swift's tasks has: as many as there are processors
Replaced, in this order:
  the package's folder, the home folder and the toolchain's by $PACKAGE, $HOME and $TOOLCHAIN; build folders by $BUILD
  reports' file names and temporary folders
  dates, times and relative times
  build IDs and addresses; offsets such as +0x1f2a0 or +123
  process and thread ids; durations; amounts of memory
  lines on the machine itself (platform, host, kernel) and on descriptors whole; what a memory line says of others
  the width of columns
Names, functions, source lines, inlined calls and order stay: they are what the comparison is about.
"""

import os
import pathlib
import re
import sys

PACKAGE = str(pathlib.Path(__file__).resolve().parents[2])

RULES = [
    (re.escape(PACKAGE), "$PACKAGE"),
    (r"\$PACKAGE(/Samples(/HummingbirdServer)?)?/\.build/[\w./-]*?/(debug|release)/", "$BUILD/"),
    (r"/[\w./-]*/usr/lib/swift/linux/", "$TOOLCHAIN/"),
    (re.escape(os.path.expanduser("~")) + r"(?=/)", "$HOME"),
    (r"/\S*/\d{8}T\d{6}\.\d{3}Z-\d+-(\w+)\.json", r"$REPORTS/\1.json"),
    (r"/tmp/[\w.-]+", "$TMP"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?Z| UTC)?", "TIME"),
    (r"[-−]\d+(\.\d+)? ?(ns|µs|us|ms|s|min|h)\b", "-DURATION"),
    (r"\b\d+(\.\d+)? ?(ns|µs|us|ms|s|min|h|seconds?|minutes?)\b", "DURATION"),
    (r"\b\d+(\.\d+)? ?(bytes|B|[KMGT]i?B)\b", "AMOUNT"),
    (r"\b[0-9a-f]{40}\b", "BUILD-ID"),
    (r"\+ ?0x[0-9a-f]+\b", "+OFFSET"),
    (r"\+ ?\d+\b", "+OFFSET"),
    (r"\b0x[0-9a-f]{4,16}\b", "ADDRESS"),
    (r"(?i)\b(thread|process|pid|tid)([ :#]+)\d+\b", r"\1\2ID"),
    (r"(?i)(?<![\w-])(task) \d+\b", r"\1 ID"),
    (r"\bits (one thread|\d+ threads)\b", "its threads"),
    (r"\d+ % of \d+ samples?\b", "SHARE of its samples"),
    (r"^\d+ samples? of ", "Samples of "),
    (r"CrashKit\[\d+\]", "CrashKit[ID]"),
    (r'^\d+ threads ("[^"]*") with this stack([^:]*): (\d+( \(task ID\))?(, )?)+$', r"Threads \1 with this stack\2"),
    (r"^(\d+ threads .*with this stack.*:)(.*)$", lambda match: match[1] + re.sub(r"\b\d{2,}\b", "ID", match[2])),
    (r"\bport=\d+", "port=PORT"),
    (r"\brequest\.id=[0-9a-f]+", "request.id=ID"),
    # The package's own frames at the start of threads and of work move with each change of its file.
    (r"\b(interposed_threads|dispatch_async|dispatch_sync)\.c:\d+:\d+", r"\1.c:LINE"),
    (r" (Context|CrashKitHummingbird)\.swift:\d+", r" \1.swift:LINE"),
    (r"(?m)^(Thread ID .* crashed.*), of \d+ threads$", r"\1"),
    # Columns are as wide as their widest offset; the source excerpts are no columns.
    (r"^(?!.*(^|\d) +\|).*$", lambda match: re.sub(r"(?<=\S) {2,}", "  ", match[0])),
    (r"(?i)^(\s*(platform|host|machine|kernel|system|architecture|descriptors)\b).*$", r"\1 …"),
    # How busy the machine was.
    (r"^(Memory  .*?), (tasks waited for memory|events in its control group) .*$", r"\1"),
]


# The first lines of the sections that are not kept as they are.
REGISTERS = re.compile(r"^Registers")
THREAD = re.compile(r"^(Thread \d|\d+ threads )")
CRASHED = re.compile(r"^Thread \d+.* crashed")
TASKS = re.compile(r"^((at least )?\d+ Swift tasks?[:,]|\d+ tasks |Task \d|Swift tasks and their children)")
BEING_BORN = re.compile(r"^  (a stack overflow in these threads would leave no report|thread \d+ did not answer).*\n", re.MULTILINE)
# A line of the program's own code.
OWN_FRAME = re.compile(r"^ *> *\d+ ", re.MULTILINE)
OTHER_ERRORS = re.compile(r"^Other errors that were thrown")
STUCK = re.compile(r"^.*\((cancelled, )?stuck\b")
POOL = re.compile(r"^The pool's threads\n")
SAMPLES = re.compile(r"^(\d+) samples? .*while it hung")
FRAME = re.compile(r"^ *>? *(\d+)  ")
THUNKS = re.compile(r"^ *\.\.\. \d+ thunks? that")
OF_NIO = re.compile(r"  swift-nio/")


def sections(text):
    """The report's sections: each begins at a line that is not indented, after an empty one."""
    return re.split(r"(?<=\n)\n(?=\S)", text)


def keeps(section, crashed_only):
    if OTHER_ERRORS.match(section):
        return False
    if TASKS.match(section):
        return STUCK.match(section) is not None
    if not THREAD.match(section) or CRASHED.match(section):
        return True
    return not crashed_only and OWN_FRAME.search(section) is not None


def own_frames(section):
    """A section with the frames of the program alone. Of a hang's samples, those that all samples have, uncounted."""
    samples = SAMPLES.match(section)
    kept = []
    for line in section.splitlines(keepends=True):
        frame = FRAME.match(line)
        if THUNKS.match(line):
            continue
        if frame is None or OWN_FRAME.match(line) and (samples is None or frame[1] == samples[1]):
            kept.append(re.sub(r"^( > ) *\d+", r"\1", line) if samples else line)
    return "".join(kept).rstrip("\n") + "\n"


def each_once(section):
    """Threads of a pool that do the same, once."""
    return "".join(dict.fromkeys(re.sub(r"\b(thread|task) \d+", r"\1 ID", section).splitlines(True)))


def normalise(text, crashed_only=False):
    kept = []
    for section in sections(text):
        if REGISTERS.match(section):
            kept.append(section.splitlines()[0] + "\n  …\n")
        elif POOL.match(section):
            kept.append(each_once(section))
        elif keeps(section, crashed_only):
            is_of_nio = OF_NIO.search(section) and not CRASHED.match(section)
            kept.append(own_frames(section) if SAMPLES.match(section) or is_of_nio else section)
    text = BEING_BORN.sub("", "\n".join(kept))
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(normalise(sys.stdin.read(), "--crashed-thread-only" in sys.argv))
