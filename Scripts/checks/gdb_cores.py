"""What gdb finds in core files: the addresses of every thread's frames."""

import json
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).with_name("gdb_core_stacks.py")
LIMIT = 300


def stacks(program, core, gdb="gdb-multiarch", root=None):
    """Each thread's addresses, by its id. The libraries are those of a system root, if one is named."""
    settings = ["set debuginfod enabled off"]
    if root:
        settings += [f"set sysroot {root}", f"set debug-file-directory {root}/usr/lib/debug"]
    command = [gdb, "-batch", "-nx"]
    for setting in settings:
        command += ["-iex", setting]
    run = subprocess.run([*command, "-x", str(SCRIPT), str(program), str(core)], capture_output=True, text=True,
                         timeout=LIMIT, check=False)
    lines = [line for line in run.stdout.splitlines() if line.startswith("STACKS ")]
    if not lines:
        raise RuntimeError(f"gdb said: {run.stdout[-300:]} {run.stderr[-300:]}")
    return {int(thread): addresses for thread, addresses in json.loads(lines[0][len("STACKS "):]).items()}
