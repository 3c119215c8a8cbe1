#!/usr/bin/env python3
"""Makes what stands beside it: programs for aarch64, the core files that they leave in the emulated machine, and
stacks.json, each thread's frames as gdb-multiarch finds them in these cores.

It needs clang and lld of the Swift toolchain, zstd and gdb-multiarch. The machine is that of Scripts/vm/arm64; set
CRASHKIT_VM_CACHE if its packages are elsewhere.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Scripts" / "checks"))

import gdb_cores

LINK = ["--target=aarch64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", "-Wl,--build-id"]
C = ["-ffreestanding", "-fno-stack-protector", f"-ffile-prefix-map={HERE}=.", "-fdebug-compilation-dir=.", "-Werror",
     "-Wall", "-Wextra"]
PROGRAMS = {
    "victim": ["victim.c", *C, "-O1", "-g", "-mbranch-protection=standard"],
    "unsigned": ["victim.c", *C, "-O2", "-fomit-frame-pointer", "-fasynchronous-unwind-tables",
                 "-mbranch-protection=none"],
    "marks": ["marks.s"],
}
# The core's name, the program, and its argument.
CORES = [("threads", "victim", "t"), ("handler", "victim", "h"), ("null-call", "victim", "n"),
         ("overflow", "victim", "o"), ("smashed", "victim", "s"), ("smashed-to-code", "victim", "r"),
         ("without-tables", "victim", "w"), ("expressions", "victim", "e"),
         ("unsigned-threads", "unsigned", "t")]
JOB = """
ulimit -S -c unlimited
ulimit -S -s 64
mkdir /tmp/cores
run() { mkdir /tmp/run; cd /tmp/run; /out/$2 $3; mv core* /tmp/cores/$1; cd /; rm -r /tmp/run; }
%s
cp /tmp/cores/* /out/
"""


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def main():
    for name, options in PROGRAMS.items():
        run("clang", *LINK, HERE / options[0], *options[1:], "-o", HERE / name)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for program in {program for _, program, _ in CORES}:
            shutil.copy(HERE / program, folder)
        (folder / "job.sh").write_text(JOB % "\n".join("run " + " ".join(core) for core in CORES))
        run(ROOT / "Scripts" / "vm" / "arm64", folder)
        stacks = {}
        for name, program, _ in CORES:
            (folder / name).chmod(0o644)
            stacks[name] = gdb_cores.stacks(folder / program, folder / name)
            run("zstd", "-q", "-19", "-f", folder / name, "-o", HERE / f"{name}.core.zst")
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(found)}" for name, found in stacks.items())
    (HERE / "stacks.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
