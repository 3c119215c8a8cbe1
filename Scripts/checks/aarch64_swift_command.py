"""crashsym in the emulated machine: built for it, it shows the reports of samples there as it does on this machine."""

import subprocess

import aarch64_swift_samples
import normalise
import support

NAME = "crashsym"
LIBRARIES = ["dw", "elf", "lzma", "zstd"]
SAMPLES = ["Onone/async-task", "Onone/worker-index"]
LIMIT = 300


def build(swift):
    swift.product(NAME, *LIBRARIES)


def run(programs, products, folder):
    """In the machine: the text of each sample's report, or why there is none."""
    return {program: shown(products, folder / program) for program in programs if program in SAMPLES}


def shown(products, folder):
    report = support.reports_in(folder)[0]
    try:
        ended = subprocess.run([products / "Onone" / NAME, report], capture_output=True, text=True, timeout=LIMIT,
                               check=False)
    except subprocess.TimeoutExpired:
        return f"no end within {LIMIT} s"
    return ended.stdout or ended.stderr


def judge(checks, done):
    for program, text in done.items():
        name = program.split("/")[1]
        sample = aarch64_swift_samples.rows()[name]
        text = normalise.normalise(text.replace(f"{support.ROOT}/", ""), sample.shows == "crashed thread")
        expected = aarch64_swift_samples.own_lines(sample.expected.read_text(), name)
        found = aarch64_swift_samples.difference(expected, aarch64_swift_samples.own_lines(text, name))
        checks.expect(not found, f"crashsym there: {len(expected)} lines of {name} as in its expected.txt", found)
