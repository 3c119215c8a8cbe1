"""Makes the binaries that Scripts/checks/faithful.py looks addresses up in.

Each is a `Case`: what crashsym is given, and the oracle, the binary whose answers by llvm-symbolizer are expected. They
differ where llvm-symbolizer cannot read a binary: then it is asked about the same one before the change.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess

import support

SOURCES = pathlib.Path(__file__).resolve().parent / "faithful"
SERVER = support.ROOT / "Samples" / "HummingbirdServer"
SYSTEM_DEBUG = pathlib.Path("/usr/lib/debug")


@dataclasses.dataclass
class Case:
    name: str
    binary: pathlib.Path
    oracle: pathlib.Path
    # More options of crashsym lookup.
    options: list = dataclasses.field(default_factory=list)
    # The least share of addresses with a line, and with an inlined call: a comparison of nothings proves nothing.
    lines: float = 0.3
    inlined: float = 0.1
    functions: float = 0.9
    # Whether the binary's symbols are in two tables, the oracle's in one.
    has_two_tables: bool = False
    # Whether an index is made: for what has units with a build ID whose code is not in loose .dwo files.
    has_index: bool = True


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def copy(binary, folder):
    """A copy in a folder of its own, so that nothing beside it helps."""
    folder.mkdir(parents=True)
    return pathlib.Path(shutil.copy2(binary, folder / binary.name))


class Programs:
    """Builds programs and changes them, below one folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def cxx(self, name, *flags):
        program = self.folder / name / "program"
        program.parent.mkdir()
        source = shutil.copy(SOURCES / "program.cpp", program.parent)
        run("g++", "-std=c++17", "-O2", "-Wl,--build-id", *flags, source, "-o", program, cwd=program.parent)
        return program

    def rust(self):
        program = self.folder / "rust-program"
        run("rustc", "--edition=2021", "-O", "-g", SOURCES / "program.rs", "-o", program)
        return program

    def copy(self, binary, name):
        return copy(binary, self.folder / name)

    def stripped(self, binary, name, *flags):
        """A copy without debug information, and a file that has it."""
        program = self.copy(binary, name)
        debug = program.with_suffix(".debug")
        run("objcopy", "--only-keep-debug", binary, debug)
        run("strip", *(flags or ["--strip-all"]), program)
        return program, debug

    def linked(self, binary, name, subfolder, keeps_build_id=False):
        """A stripped copy whose debug link leads to a file in a folder below."""
        program, debug = self.stripped(binary, name)
        if not keeps_build_id:
            # What is found is to be found by the link alone.
            for file in (program, debug):
                run("objcopy", "--remove-section", ".note.gnu.build-id", file)
        run("objcopy", f"--add-gnu-debuglink={debug}", program)
        target = subfolder if subfolder.is_absolute() else program.parent / subfolder
        target.mkdir(parents=True, exist_ok=True)
        shutil.move(debug, target / debug.name)
        return program

    def build_id_tree(self, binary, name):
        """A stripped copy, and the tree that has its debug information."""
        program, debug = self.stripped(binary, name)
        notes = run("readelf", "-n", binary)
        build_id = notes.split("Build ID: ")[1].split()[0]
        tree = self.folder / (name + "-tree")
        place = tree / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")
        place.parent.mkdir(parents=True)
        shutil.move(debug, place)
        return program, tree

    def mini(self, binary, name):
        """A stripped copy with MiniDebugInfo, as Fedora's packages have it."""
        program, debug = self.stripped(binary, name)

        def names(*options, types=""):
            lines = run("nm", "--format=posix", "--defined-only", *options, binary).splitlines()
            return {line.split()[0] for line in lines if not types or line.split()[1] in types}

        keep = program.parent / "keep"
        keep.write_text("\n".join(sorted(names(types="TtWw") - names("-D"))) + "\n")
        small = program.parent / "small"
        run("objcopy", "-S", "--remove-section", ".comment", f"--keep-symbols={keep}", debug, small)
        run("xz", small)
        run("objcopy", "--add-section", f".gnu_debugdata={small}.xz", program)
        debug.unlink()
        return program


def compressed(programs, cxx):
    for kind in ("zlib-gabi", "zlib-gnu", "zstd"):
        program = programs.copy(cxx, kind)
        run("objcopy", f"--compress-debug-sections={kind}", program)
        yield Case(f"C++, {kind} sections", program, cxx)


def split(programs):
    five, four = programs.cxx("split", "-gdwarf-5", "-gsplit-dwarf"), programs.cxx("split4", "-gdwarf-4", "-gsplit-dwarf")
    yield Case("C++, .dwo files", five, five, has_index=False)
    yield Case("C++, DWARF 4, .dwo files", four, four, has_index=False)
    types = programs.cxx("split-types", "-gdwarf-5", "-gsplit-dwarf", "-fdebug-types-section")
    yield Case("C++, .dwo files with type units", types, types, has_index=False)
    # Programs of their own: their .dwo files go, while those above may still be asked.
    five, four = programs.cxx("pack5", "-gdwarf-5", "-gsplit-dwarf"), programs.cxx("pack4", "-gdwarf-4", "-gsplit-dwarf")
    # binutils' dwp ends with a segmentation fault on DWARF 5.
    for program, tool in ((five, "llvm-dwp"), (four, "dwp")):
        packed = programs.copy(program, program.parent.name + "-packed")
        run(tool, "-e", program, "-o", f"{packed}.dwp", cwd=program.parent)
        for loose in program.parent.glob("*.dwo"):
            loose.unlink()
        yield Case(f"C++, .dwp by {tool}", packed, packed)


def separate(programs, cxx):
    yield Case("C++, debug link beside", programs.linked(cxx, "beside", pathlib.Path(".")), cxx, has_index=False)
    yield Case("C++, debug link in .debug", programs.linked(cxx, "below", pathlib.Path(".debug")), cxx, has_index=False)
    if os.access(SYSTEM_DEBUG, os.W_OK):
        folder = SYSTEM_DEBUG / str(programs.folder / "system").lstrip("/")
        yield Case("C++, debug link in the system's folder", programs.linked(cxx, "system", folder), cxx,
                   has_index=False)
    program, tree = programs.build_id_tree(cxx, "tree")
    yield Case("C++, .build-id tree", program, cxx, ["--symbols", str(tree)])

    one, other = programs.copy(cxx, "dwz-one"), programs.copy(cxx, "dwz-other")
    run("dwz", "-m", programs.folder / "dwz-common.debug", one, other)
    yield Case("C++, dwz's alternate file", one, cxx)
    single = programs.copy(cxx, "dwz-single")
    run("dwz", single)
    yield Case("C++, dwz in one file", single, cxx)


def names_only(programs, cxx):
    symbols = programs.copy(cxx, "symbols")
    run("strip", "--strip-debug", symbols)
    yield Case("C++, symbol table only", symbols, symbols, lines=0, inlined=0, has_index=False)
    yield Case("C++, MiniDebugInfo", programs.mini(cxx, "mini"), symbols, lines=0, inlined=0,
               has_two_tables=True, has_index=False)
    dynamic = programs.cxx("dynamic", "-rdynamic", "-s")
    yield Case("C++, dynamic symbols only", dynamic, dynamic, lines=0, inlined=0, functions=0.1, has_index=False)
    bare = programs.copy(cxx, "bare")
    run("strip", "--strip-all", bare)
    yield Case("C++, stripped", bare, bare, lines=0, inlined=0, functions=0, has_index=False)


def server(kind):
    """The Hummingbird sample; release is what other checks have built already."""
    configuration = "debug" if kind == "debug" else "release"
    flags = ["--static-swift-stdlib", "--scratch-path", str(SERVER / ".build" / "static")] if kind == "static" else []
    return support.swift_build(*flags, package=SERVER, configuration=configuration) / SERVER.name


def cases(folder, servers):
    """The cases, made one after the other; none changes what another one needs. `servers` maps release, debug and static to binaries, where there are some."""
    for kind, binary in servers.items():
        # Most of what is linked statically is the standard library, which has no debug information.
        lines, inlined = {"release": (0.3, 0.1), "debug": (0.3, 0), "static": (0.1, 0.05)}[kind]
        yield Case(f"Hummingbird, {kind}", binary, binary, lines=lines, inlined=inlined)
    programs = Programs(folder)
    cxx = programs.cxx("cxx", "-gdwarf-5")
    yield Case("C++, g++ -O2, DWARF 5", cxx, cxx)
    types = programs.cxx("types", "-gdwarf-4", "-fdebug-types-section")
    yield Case("C++, .debug_types", types, types)
    if shutil.which("rustc"):
        rust = programs.rust()
        yield Case("Rust, rustc -O", rust, rust)
    for part in (split(programs), compressed(programs, cxx), separate(programs, cxx), names_only(programs, cxx)):
        yield from part
