"""Takes out of a text report what differs from run to run and from machine to machine.

    normalise.py <report.txt >expected.txt

Replaced, in this order:
  the package's folder, the home folder and the toolchain's by $PACKAGE, $HOME and $TOOLCHAIN; build folders by $BUILD
  reports' file names and temporary folders
  dates, times and relative times
  build IDs and addresses; offsets such as +0x1f2a0 or +123
  process and thread ids; durations; amounts of memory
  lines on the machine itself (platform, host, kernel) whole
Names, functions, source lines, inlined calls, order and counts stay: they are what the comparison is about.
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
    (r"\[\d+\]", "[ID]"),
    (r"(?im)^(\s*(platform|host|machine|kernel|system|architecture)\b).*$", r"\1 …"),
]


def normalise(text):
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(normalise(sys.stdin.read()))
