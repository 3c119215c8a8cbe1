"""Cross-builds the package's C for aarch64: the commands of SwiftPM's debug build, with another target and system root.

What is compiled and linked into what stands in SwiftPM's manifest of its build (.build/debug.yaml). All code is built
with pointer authentication and branch targets, and without a warning.
"""

import concurrent.futures
import json
import os
import re
import subprocess

import lock_programs
import support

TARGET = "aarch64-linux-gnu"
PROTECTION = "-mbranch-protection=standard"
# Options of the debug build that name files of that build, with their values.
HOST_FILES = {"-MT", "-MF", "-o", "-index-store-path", "-target"}
# What SwiftPM calls a product's link, by the kind of file that it makes.
LINKS = {"exe": [], "dylib": ["-shared", "-Wl,-z,now"]}


class Failed(Exception):
    """What a compiler said of a source, or why there is nothing to compile."""


def run(command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(ended.stderr.strip()[-2000:])


def read_manifest(path):
    """The compile commands by object, and the objects and the kind of each product by its name."""
    compiles, products, output, inputs = {}, {}, None, None
    if not path.exists():
        raise Failed(f"{path}: there is no such file; run: swift build --build-tests")
    for line in path.read_text().splitlines():
        if found := re.match(r'  "C\.(.+)-x86_64-unknown-linux-gnu-debug\.(exe|dylib)":$', line):
            output = found.groups()
        elif found := re.match(r"    (inputs|args): (\[.*\])$", line):
            words = json.loads(found[2])
            if found[1] == "inputs" and output:
                products[output[0]] = (output[1], [word for word in words if word.endswith((".c.o", ".cpp.o"))])
            elif found[1] == "args" and words[0].endswith("/clang") and "-c" in words:
                compiles[words[words.index("-o") + 1]] = words
        elif line.startswith("  \""):
            output = None
    return compiles, products


class Build:
    """A folder of objects and programs for one system root."""

    def __init__(self, root, folder, manifest=support.ROOT / ".build" / "debug.yaml"):
        self.root, self.folder = root, folder
        self.compiles, self.products = read_manifest(manifest)
        clang = next(iter(self.compiles.values()))[0]
        self.base = [f"--target={TARGET}", f"--sysroot={root}", PROTECTION]
        self.clang = {"c": clang, "cpp": clang + "++"}

    # --- Objects -------------------------------------------------------------------------------------------------

    def object_of(self, host_object):
        return self.folder / "objects" / host_object.split("/debug/", 1)[1]

    def compile(self, host_object):
        """Compiles a source of the package again, unless the object is newer than all that it was made of."""
        words, kept, skipped = self.compiles[host_object], [], False
        for word in words[1:]:
            if skipped:
                skipped = False
            elif word in HOST_FILES:
                skipped = True
            elif word not in ("-MD", "-c"):
                kept.append(word)
        target = self.object_of(host_object)
        self.compile_with([self.clang[host_object.split(".")[-2]], *self.base, "-Werror", *kept, "-c"], target)
        return target

    def compile_with(self, command, target):
        notes, said = target.with_suffix(".d"), target.with_suffix(".command")
        spelled = "\n".join(map(str, command))
        if target.exists() and said.exists() and said.read_text() == spelled and is_newer(target, notes):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        run([*command, "-MD", "-MF", notes, "-o", target])
        said.write_text(spelled)

    def compile_all(self, jobs):
        """Every C and C++ source of the package, whether or not it is linked to something here; returns their number."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return sum(1 for _ in pool.map(self.compile, self.compiles))

    # --- Programs ------------------------------------------------------------------------------------------------

    def objects_of(self, product):
        if product not in self.products:
            raise Failed(f".build/debug.yaml: no product {product}; run: swift build --build-tests")
        return [host_object for host_object in self.products[product][1] if host_object in self.compiles]

    def link(self, name, objects, *options):
        target = self.folder / "products" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        is_newest = target.exists() and all(target.stat().st_mtime > path.stat().st_mtime for path in objects)
        if not is_newest:
            run([self.clang["cpp"], *self.base, "-fuse-ld=lld", "-Wl,--build-id", "-pthread", *options, *objects,
                 "-o", target])
        return target

    def product(self, name):
        """A product of the package."""
        kind = self.products.get(name, ("exe", []))[0]
        file = f"lib{name}.so" if kind == "dylib" else name
        objects = [self.object_of(host_object) for host_object in self.objects_of(name)]
        return self.link(file, objects, *LINKS[kind], *(["-lm"] if kind == "exe" else []))

    def lock_program(self, program):
        """A program of the lock scenarios, as the check on this machine builds it."""
        flags = {"c": lock_programs.C_FLAGS, "cxx": lock_programs.CXX_FLAGS}[program]
        level = lock_programs.optimisation(program, False)
        return self.program(f"{program}-plain", lock_programs.sources(program), [*flags, level])

    def program(self, name, sources, flags, *others, linking=()):
        """A program of sources that SwiftPM does not build, with objects and options for the linker if it needs them."""
        objects = []
        for source in sources:
            target = self.folder / "objects" / name / (source.name + ".o")
            self.compile_with([self.clang[source.suffix[1:]], *self.base, *flags, "-c", source], target)
            objects.append(target)
        return self.link(name, [*objects, *others], *linking)


def is_newer(target, notes):
    """Whether an object is newer than each file that its list of dependencies names."""
    if not notes.exists():
        return False
    made = target.stat().st_mtime
    names = notes.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    return all(os.path.exists(name) and os.path.getmtime(name) < made for name in names)
