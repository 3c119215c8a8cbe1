"""Builds the programs of the lock scenarios, plain and with ThreadSanitizer."""

import pathlib
import shutil
import subprocess

import lock_rows

C_FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-g", "-pthread"]
CXX_FLAGS = ["-std=gnu++17", "-Wall", "-Wextra", "-g", "-pthread"]
SWIFT_FLAGS = ["-swift-version", "6", "-g"]
TSAN = ["-fsanitize=thread"]


def sources(program):
    folder, suffix = {"c": ("c", "c"), "cxx": ("cxx", "cpp"), "swift": ("swift", "swift")}[program]
    return sorted((lock_rows.FOLDER / folder).glob(f"*.{suffix}"))


def find_clang(language):
    """Debian's, since the one that comes with Swift changes what ThreadSanitizer reports."""
    name = "clang++" if language == "cxx" else "clang"
    found = [f"/usr/bin/{name}"] + [f"/usr/bin/{name}-{version}" for version in range(22, 12, -1)]
    return next((path for path in found if pathlib.Path(path).exists()), None)


def optimisation(program, optimised):
    """The compiler's option, as the list of places names it too."""
    return ("-O" if optimised else "-Onone") if program == "swift" else "-O2" if optimised else "-O0"


def compiler(program, sanitizer, optimised):
    """The command that builds a program, or None where this machine lacks it."""
    level = optimisation(program, optimised)
    if program == "swift":
        return ["swiftc", *SWIFT_FLAGS, level, *(["-sanitize=thread"] if sanitizer else [])]
    flags = [*(C_FLAGS if program == "c" else CXX_FLAGS), level]
    if sanitizer == "clang":
        clang = find_clang(program)
        return clang and [clang, *flags, *TSAN]
    return ["gcc" if program == "c" else "g++", *flags, *(TSAN if sanitizer else [])]


def build(program, folder, sanitizer=None, optimised=False):
    """Builds a program; returns its path, or None where this machine lacks the compiler."""
    command = compiler(program, sanitizer, optimised)
    if not command or not shutil.which(command[0]):
        return None
    target = folder / f"{program}-{sanitizer or 'plain'}"
    subprocess.run([*command, *map(str, sources(program)), "-o", str(target)], check=True)
    return target


def listed(path):
    """The scenarios that a program has."""
    return set(subprocess.run([path, "--list"], capture_output=True, text=True, check=True).stdout.split())
