"""The tools that are compared: which there are, and how each is asked about the addresses on its standard input."""

import dataclasses
import pathlib
import shutil
import subprocess
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

    def standard_input(self, _binary, addresses):
        """The file of what it is asked, given the file of the addresses; made before anything is timed."""
        return addresses


class Gsymutil(Tool):
    """Looks up in a file of its own kind, which is made before; each line names that file."""

    def standard_input(self, binary, addresses):
        made = addresses.with_suffix(".gsym")
        subprocess.run([self.command[0], f"--convert={binary}", f"--out-file={made}", "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        lines = addresses.with_suffix(".lines")
        lines.write_text("".join(f"{line} {made}\n" for line in addresses.read_text().splitlines()))
        return lines


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


def gimli():
    """gimli's addr2line, built from the crates of Debian's librust-addr2line-dev; None without them or a Rust compiler."""
    folder = pathlib.Path(__file__).resolve().parent / "gimli"
    crates = pathlib.Path("/usr/share/cargo/registry")
    if not (crates / "addr2line-0.19.0").exists() or not shutil.which("cargo"):
        return None
    subprocess.run(["cargo", "build", "--release", "--quiet", "--offline", "--target-dir", BUILD / "gimli",
                    "--config", 'source.crates-io.replace-with="debian"',
                    "--config", f'source.debian.directory="{crates}"'], cwd=folder, check=True)
    return BUILD / "gimli" / "release" / "gimli-addr2line"


def others(gimli_program):
    arguments = ["--obj=FILE", "--output-style=JSON", "--inlines", "--demangle"]
    found = [Tool("llvm-symbolizer 14", ["/usr/bin/llvm-symbolizer", *arguments]),
             Tool("binutils addr2line", ["/usr/bin/addr2line", "-e", "FILE", "-a", "-f", "-i", "-C"]),
             Tool("eu-addr2line", ["/usr/bin/eu-addr2line", "-e", "FILE", "-a", "-f", "-i", "-C"], most=1, most_status=1)]
    found.append(Gsymutil("llvm-gsymutil 14, look-up", ["/usr/bin/llvm-gsymutil-14", "--addresses-from-stdin"]))
    if gimli_program:
        found.append(Tool("gimli addr2line 0.19", [gimli_program, "FILE"]))
    return [tool for tool in found if pathlib.Path(tool.command[0]).exists()]


def environment(tool, kept):
    """Where a run of a tool keeps its indexes; the folder of a first use is gone afterwards."""
    if tool.index is None:
        return None, None
    folder = tempfile.TemporaryDirectory() if tool.index == "first" else None
    return {"XDG_CACHE_HOME": folder.name if folder else kept, "CRASHSYM_CACHE_LIMIT": "1024"}, folder
