"""The tools that are compared: which there are, and how each is asked about the addresses on its standard input."""

import dataclasses
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts" / "checks"))
import llvm_symbolizer  # noqa: E402
import support  # noqa: E402

BUILD = support.ROOT / ".build"


@dataclasses.dataclass
class Tool:
    name: str
    command: list
    # With more addresses than this one run may take minutes.
    most: int = 10_000
    # None: without an index. "first": an empty folder for each run. "kept": one folder for all runs.
    index: str | None = None
    # eu-addr2line ends so where it knows nothing.
    most_status: int = 0

    def on(self, binary):
        return [str(part).replace("FILE", str(binary)) for part in self.command]


def crashsym(name, program, index=None):
    options = ["--no-cache"] if index is None else []
    return Tool(name, [program, "lookup", "--format", "json", *options, "FILE"], index=index)


def builds(given):
    """Our own builds by name. The first is the installed one."""
    installed = given or support.swift_build(
        "--scratch-path", str(BUILD / "install"), "--static-swift-stdlib", "--product", "crashsym",
        configuration="release") / "crashsym"
    return {"installed": installed, "debug": support.swift_build("--product", "crashsym") / "crashsym"}


def ours(programs):
    tools = [crashsym("crashsym, installed", programs["installed"]),
             crashsym("crashsym, installed, making the index", programs["installed"], "first"),
             crashsym("crashsym, installed, from the index", programs["installed"], "kept")]
    for kind, name in (("release", "crashsym, release, dynamic stdlib"), ("debug", "crashsym, default debug build")):
        if kind in programs:
            tools.append(crashsym(name, programs[kind]))
    return tools


def toolchain():
    arguments = ["--obj=FILE", "--output-style=JSON", "--inlines", "--demangle"]
    return Tool("llvm-symbolizer 21", [llvm_symbolizer.toolchain_symbolizer(), *arguments])


def others(gimli_program):
    arguments = ["--obj=FILE", "--output-style=JSON", "--inlines", "--demangle"]
    found = [Tool("llvm-symbolizer 14", ["/usr/bin/llvm-symbolizer", *arguments]),
             Tool("binutils addr2line", ["/usr/bin/addr2line", "-e", "FILE", "-a", "-f", "-i", "-C"]),
             Tool("eu-addr2line", ["/usr/bin/eu-addr2line", "-e", "FILE", "-a", "-f", "-i", "-C"], most=1, most_status=1)]
    if gimli_program:
        found.append(Tool("gimli addr2line", [gimli_program, "-e", "FILE", "-a", "-f", "-i", "-C"]))
    return [tool for tool in found if pathlib.Path(tool.command[0]).exists()]


def environment(tool, kept):
    """Where a run of a tool keeps its indexes; the folder of a first use is gone afterwards."""
    if tool.index is None:
        return None, None
    folder = tempfile.TemporaryDirectory() if tool.index == "first" else None
    return {"XDG_CACHE_HOME": folder.name if folder else kept, "CRASHSYM_CACHE_LIMIT": "1024"}, folder
