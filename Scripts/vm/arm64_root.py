"""Fills a folder with an emulator, a kernel and a root of Debian's arm64 packages."""

import contextlib
import os
import pathlib
import shutil
import subprocess

import failures
import initramfs
import packages

# By the size of its pages in KiB, the release whose kernel that is, and its package. They serve both releases' roots.
KERNELS = {4: ("bookworm", "linux-image-arm64"), 16: ("trixie", "linux-image-arm64-16k")}
# What programs are built against, what runs the checks, and what judges stacks.
ROOT_PACKAGES = ("libc6-dev", "libunwind8", "libunwind-dev", "gdb", "libc6-dbg", "busybox-static", "python3",
                 "util-linux")
TOOLS = ("sh", "mount", "umount", "cat", "cut", "grep", "sleep", "timeout", "mkdir", "rm", "cp", "mv", "ls", "tar",
         "head", "tail", "sed", "sort", "wc", "env", "uname", "sync", "touch", "kill", "true", "false", "poweroff", "ip")
JOB_INIT = f"""#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
ulimit -S -c 0
ip link set lo up
mount -t 9p -o {initramfs.OPTIONS} out /out
sh /out/job.sh >/out/job.log 2>&1
echo $? >/out/job.rc
sync
umount /out
exec /bin/busybox poweroff -f
"""


def host_release():
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    found = [line.split("=", 1)[1].strip('"') for line in lines if line.startswith("VERSION_CODENAME=")]
    if not found:
        raise failures.Unavailable("/etc/os-release names no release of Debian")
    return found[0]


def fill(cache, release):
    """Makes the cache whole, if it is not; 35 to 100 seconds and about 500 MB."""
    ready = cache / "ready"
    if ready.exists() and ready.read_text() == release:
        return
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(parents=True)
    source = packages.mirror()
    root = cache / "root"
    make_tree(root)
    host = packages.Apt(cache / "apt-host", source, host_release(), dpkg_architecture(), "/var/lib/dpkg/status")
    host.unpack(["qemu-system-arm"], cache / "host")
    arm64 = packages.Apt(cache / "apt-arm64", source, release, "arm64")
    compiler = next(name for name in arm64.depends("g++") if name.startswith("g++-"))
    arm64.unpack([*ROOT_PACKAGES, f"libstdc++-{compiler.removeprefix('g++-')}-dev"], root)
    furnish(root)
    for used in (cache / "apt-host", cache / "apt-arm64"):
        shutil.rmtree(used)
    fill_kernel(cache, min(KERNELS))
    ready.write_text(release)


def fill_kernel(cache, pages):
    """Fetches the kernel with pages of so many KiB, if it is not there; returns it and the archive that it starts from."""
    name = "" if pages == min(KERNELS) else f"-{pages}k"
    folder, archive = cache / f"kernel{name}", cache / f"initramfs{name}.gz"
    if not archive.exists():
        shutil.rmtree(folder, ignore_errors=True)
        release, package = KERNELS[pages]
        fetched = cache / "apt-kernel"
        kernels = packages.Apt(fetched, packages.mirror(), release, "arm64")
        kernels.unpack_alone(kernels.depends(package)[0], folder)
        # Its modules are below lib, or since Debian 13 below usr/lib.
        initramfs.write(folder, cache / "root/bin/busybox", archive)
        for used in (fetched, folder / "lib", folder / "usr"):
            shutil.rmtree(used, ignore_errors=True)
    kernel, = (folder / "boot").glob("vmlinuz-*")
    return kernel, archive


def dpkg_architecture():
    return subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()


def make_tree(root):
    for name in ("usr/bin", "usr/sbin", "usr/lib", "proc", "sys", "dev", "tmp", "run", "etc", "out", "root", "mnt"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib"):
        (root / name).symlink_to(f"usr/{name}")


def furnish(root):
    """What the packages' own scripts would have made, as far as a job needs it."""
    for tool in TOOLS:
        with contextlib.suppress(FileExistsError):
            (root / "bin" / tool).symlink_to("busybox")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
    init = root / "sbin/job-init"
    init.write_text(JOB_INIT)
    os.chmod(init, 0o755)
