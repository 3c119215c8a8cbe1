"""The archive that the kernel starts from: busybox, the modules for a shared folder, and a script that mounts the root."""

import gzip
import lzma
import pathlib
import re

import failures

MODULES = ("virtio_pci", "virtio_mmio", "9pnet_virtio", "9p", "virtio_console", "virtio_rng")
OPTIONS = "trans=virtio,version=9p2000.L,msize=1048576"
START = f"""#!/bin/busybox sh
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
%s
$b mount -t 9p -o {OPTIONS},cache=loose root /new || {{ echo "no root"; $b poweroff -f; }}
for place in dev:devtmpfs proc:proc sys:sysfs tmp:tmpfs run:tmpfs; do
  $b mount -t ${{place#*:}} none /new/${{place%%:*}}
done
exec $b switch_root /new /sbin/job-init
"""


def name_of(path):
    return path.name.split(".ko")[0].replace("-", "_")


def content(path):
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def in_order(modules, wanted):
    """Modules and what they depend on, each behind what it needs. A module that the kernel has built in is no file."""
    order = []

    def add(name):
        if name in order or name not in modules:
            return
        found = re.search(rb"\0depends=([^\0]*)\0", content(modules[name]))
        for other in found[1].decode().split(",") if found else ():
            add(other.replace("-", "_"))
        order.append(name)

    for name in wanted:
        add(name)
    return order


def entry(number, name, mode, data):
    """One file as `newc` has it: a head of 13 numbers in hex, the name and the content, each filled up to 4 bytes."""
    encoded = name.encode() + b"\0"
    head = "070701" + "".join(f"{value:08x}" for value in (
        number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0))
    result = head.encode() + encoded
    result += bytes(-len(result) % 4) + data
    return result + bytes(-len(result) % 4)


def write(kernel_modules, busybox, path):
    """Writes the archive to `path`."""
    found = [*pathlib.Path(kernel_modules).rglob("*.ko"), *pathlib.Path(kernel_modules).rglob("*.ko.xz")]
    modules = {name_of(module): module for module in found}
    order = in_order(modules, MODULES)
    if "9p" not in order:
        raise failures.Unavailable(f"{kernel_modules}: this kernel has no module 9p for the shared folder")
    files = [(name, 0o40755, b"") for name in ("dev", "proc", "new", "bin", "modules")]
    files.append(("bin/busybox", 0o100755, busybox.read_bytes()))
    files += [(f"modules/{name}.ko", 0o100644, content(modules[name])) for name in order]
    load = "\n".join(f"$b insmod /modules/{name}.ko" for name in order)
    files.append(("init", 0o100755, (START % load).encode()))
    files.append(("TRAILER!!!", 0, b""))
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(gzip.compress(b"".join(entry(i, *file) for i, file in enumerate(files, 1)), 1))
    unfinished.rename(path)
