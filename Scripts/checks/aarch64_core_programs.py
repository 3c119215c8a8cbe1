"""The programs of Tests/Aarch64/Programs: how each is built, and what is done to it before it dies."""

import dataclasses
import pathlib
import shutil
import subprocess

import support

SOURCES = support.ROOT / "Tests" / "Aarch64" / "Programs"
SIGNED = "-mbranch-protection=standard"
UNSIGNED = "-mbranch-protection=none"
C, CXX = ["-std=gnu17", "-g"], ["-std=c++17", "-g"]
NO_TABLES = ["-std=gnu17", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]


@dataclasses.dataclass
class Case:
    name: str
    source: str
    flags: list
    # Functions of the program that the crashed thread's stack must show.
    functions: list
    argument: str = ""
    link: list = dataclasses.field(default_factory=list)
    # How its symbols are taken away: "" not at all, "mini" as Fedora does, "store" as crashsym symbols add does.
    stripped: str = ""
    # Where its debug files are then.
    stores: list = dataclasses.field(default_factory=list)
    # The file's name.
    program: str = ""
    # What makes the core: run, or gcore of a process that waits.
    command: str = "run"
    # It dies in a return to nowhere: gdb takes what the link register has for a caller.
    is_return: bool = False

    def __post_init__(self):
        self.program = self.program or self.name


CASES = [
    Case("threads", "threads.c", [*C, "-O1", UNSIGNED], ["fail", "main"]),
    Case("threads-signed", "threads.c", [*C, "-O1", SIGNED], ["fail", "main"]),
    Case("throw", "throw.cpp", [*CXX, "-O2", SIGNED], ["_ZL4faili"]),
    Case("wait", "wait.cpp", [*CXX, "-O2", SIGNED], ["main"]),
    Case("gcore", "wait.cpp", [*CXX, "-O2", SIGNED], ["main"], argument="x", command="gcore_of"),
    Case("signed-leaves", "threads.c", [*C, "-O1", "-mbranch-protection=pac-ret+leaf"], ["fail", "main"]),
    Case("second-key", "threads.c", [*C, "-O1", "-mbranch-protection=pac-ret+b-key"], ["fail", "main"]),
    Case("overflow", "overflow.c", [*C, "-O1", SIGNED], ["deep"]),
    Case("abort", "abort.c", [*C, "-O2", SIGNED], ["check", "main"]),
    Case("call-null", "call.c", [*C, "-O1", SIGNED], ["call", "main"]),
    Case("call-nowhere", "call.c", [*C, "-O1", SIGNED], ["call", "main"], argument="x"),
    Case("smash", "smash.c", [*C, "-O1", "-fno-stack-protector", UNSIGNED], [], is_return=True),
    Case("smash-signed", "smash.c", [*C, "-O1", "-fno-stack-protector", SIGNED], [], is_return=True),
    Case("smash-checked-by-return", "smash.c", [*C, "-O1", "-fno-stack-protector", "-march=armv8.3-a", SIGNED], [],
         is_return=True),
    Case("handler", "handler.c", [*C, "-O1", SIGNED], ["handle", "work", "main"]),
    Case("handler-own-stack", "handler.c", [*C, "-O1", SIGNED], ["handle", "work", "main"], argument="x"),
    Case("static", "handler.c", [*C, "-O1", SIGNED], ["handle", "work", "main"], link=["-static"]),
    Case("no-frame-pointers", "threads.c", [*C, "-O1", "-fomit-frame-pointer", SIGNED], ["fail", "main"]),
    Case("no-tables", "threads.c", [*NO_TABLES, "-O0", UNSIGNED], ["fail", "main"]),
    Case("mini-debug-info", "threads.c", [*C, "-O1", SIGNED], ["fail", "main"], stripped="mini"),
    Case("debug-file", "threads.c", [*C, "-O1", SIGNED], ["fail", "main"], stripped="store"),
]


def kind(name):
    """A crash of diagdemo's."""
    return Case(name, "", [], [], argument=f"crash --without-crash-kit {name}", program="diagdemo")


def make(built, case, stores, crashsym):
    """Builds a program, and returns its path."""
    source = SOURCES / case.source
    target = built.folder / "objects" / case.name / (source.name + ".o")
    built.compile_with([built.clang[source.suffix[1:]], *built.base, *case.flags, "-c", source], target)
    program = built.link(case.name, [target], *case.link)
    if not case.stripped:
        return program
    copy = stores / case.name / case.name
    copy.parent.mkdir(parents=True)
    shutil.copy2(program, copy)
    if case.stripped == "mini":
        add_mini_debug_info(copy, pathlib.Path(built.clang["c"]).with_name("llvm-objcopy"))
    else:
        case.stores = [copy.parent / "symbols"]
        run(crashsym, "symbols", "add", copy, "--to", case.stores[0], "--strip")
    return copy


def add_mini_debug_info(program, objcopy):
    symbols = program.with_suffix(".symbols")
    run(objcopy, "--only-keep-debug", program, symbols)
    run(objcopy, "--strip-debug", symbols)
    run("xz", symbols)
    run(objcopy, "--strip-all", program)
    run(objcopy, f"--add-section=.gnu_debugdata={symbols}.xz", program)
    pathlib.Path(f"{symbols}.xz").unlink()


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
