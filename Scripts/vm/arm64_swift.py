"""Adds Debian's Swift to a machine's cache: the libraries for arm64, and the same compiler for this processor.

The compiler is a cross compiler as it is: it reads the modules of arm64's standard library, which only the compiler of
the same version can. It brings its libraries and its loader along, so that it runs on another release of Debian.
"""

import os
import shutil

import arm64_root
import failures
import packages

# Debian 12 has no Swift 6.
RELEASES = ("trixie",)
HOME = "usr/libexec/swift"
MODULES = [f"./{HOME}/lib/swift/{name}" for name in (
    "linux/*", "shims/*", "dispatch/*", "os/*", "Block/*", "CoreFoundation/*", "_FoundationCShims/*",
    "_foundation_unicode/*", "clang")]
HEADERS = [f"./{HOME}/lib/clang/*/include/*"]
COMPILER = [f"./{HOME}/bin/swift-frontend", f"./{HOME}/lib/swift/host/*.so"]
# What crashsym is built with, beyond what the machine has for gdb.
LIBRARIES = ("libdw-dev", "libelf-dev", "libzstd-dev")
# What readelf says that the compiler needs.
COMPILER_LIBRARIES = ("libc6", "libgcc-s1", "libstdc++6", "libtinfo6", "libuuid1", "libzstd1", "zlib1g")
FRONTEND = """#!/bin/sh
# Debian's Swift compiler with its own loader and libraries, for arm64.
here=$(dirname "$(realpath "$0")")
host=$here/host/usr
home=$here/host/%(home)s
exec "$here"/%(loader)s --library-path "$(echo "$host"/lib/*-linux-gnu):$home/lib/swift/linux:$home/lib/swift/host" \\
  "$home/bin/swift-frontend" -frontend "$@" -target aarch64-unknown-linux-gnu -sdk "$here/../root" \\
  -resource-dir "$here/../root/%(home)s/lib/swift"
"""


def fill(cache, release):
    """Makes the cache's Swift whole, if it is not; returns the script that starts the compiler.

    It downloads 900 MB and keeps 700 MB of it.
    """
    if release not in RELEASES:
        raise failures.Unavailable(f"{release} has no Swift 6; these have: {', '.join(RELEASES)}")
    folder = cache / "swift"
    frontend = folder / "swift-frontend"
    if frontend.exists():
        return frontend
    shutil.rmtree(folder, ignore_errors=True)
    source = packages.mirror()
    arm64 = packages.Apt(folder / "apt-arm64", source, release, "arm64")
    for name in (*LIBRARIES, "libswiftlang"):
        arm64.unpack_alone(name, cache / "root")
    arm64.unpack_alone("swiftlang", cache / "root", MODULES + HEADERS)
    host = packages.Apt(folder / "apt-host", source, release, arm64_root.dpkg_architecture())
    host.unpack(COMPILER_LIBRARIES, folder / "host")
    host.unpack_alone("libswiftlang", folder / "host")
    host.unpack_alone("swiftlang", folder / "host", COMPILER)
    for used in (folder / "apt-arm64", folder / "apt-host"):
        shutil.rmtree(used)
    write_script(frontend)
    return frontend


def write_script(path):
    """The last step of filling: what is there is whole."""
    loaders = sorted(path.parent.glob("host/usr/lib*/ld-linux-*.so.*"))
    if not loaders:
        raise failures.Broken(f"{path.parent / 'host'}: no loader was unpacked")
    unfinished = path.with_suffix(".new")
    unfinished.write_text(FRONTEND % {"home": HOME, "loader": loaders[0].relative_to(path.parent)})
    os.chmod(unfinished, 0o755)
    unfinished.rename(path)
