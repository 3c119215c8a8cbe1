"""Cross-builds the package's Swift for aarch64 with Debian's compiler, module by module.

SwiftPM's manifest of its debug build (.build/debug.yaml) lists each module's sources, options and imported modules.
SwiftPM 6.0 cannot read Package.swift itself, whose tools version is newer. Each module is compiled as a whole, and
without a warning. The C is built by aarch64_build.
"""

import json
import re
import time

import support
from aarch64_build import Failed, run

# Options of the debug build that a compiler for another processor is given too, by their number of values.
KEPT = {"-swift-version": 1, "-package-name": 1, "-enable-upcoming-feature": 1, "-enable-experimental-feature": 1,
        "-Xcc": 1, "-parse-as-library": 0, "-enable-testing": 0}
# swift-log 1.16.2 needs Swift 6.2, and SwiftNIO 6.1.
STAND_INS = {"Logging": "Tests/Aarch64/Logging.swift", "SymbolServing": "Tests/Aarch64/SymbolServing.swift"}
# Swift 6.0 does not know that a caller may receive the result of the closure that it passed (ResponseTimes.measure,
# SharedReader.withReader): an error in mode 6.
OLDER_MODE = {"Watcher": "5", "Symbolication": "5"}
# A program of the package that links CrashKit and ThreadGuard: what is built here has its options, and its C.
LIKE = "guarded-probe"
LIBRARIES = "usr/libexec/swift/lib/swift/linux"


def read_modules(path):
    """Of each Swift module: its sources, the modules that it imports, and the words of its compile command."""
    modules, inputs, is_module = {}, [], False
    for line in path.read_text().splitlines():
        if line.startswith('  "'):
            is_module = line.endswith('-debug.module":')
        elif is_module and (found := re.match(r"    (inputs|args): (\[.*\])$", line)):
            words = json.loads(found[2])
            if found[1] == "inputs":
                inputs = words
            elif "-module-name" in words:
                modules[words[words.index("-module-name") + 1]] = (
                    [word for word in inputs if word.endswith(".swift")],
                    [found[1] for word in inputs if (found := re.search(r"/Modules/(\w+)\.swiftmodule$", word))],
                    words)
    return modules


def kept(words):
    """The options that do not depend on the processor, the level or the place of the build."""
    result, index = [], 1
    while index < len(words):
        word = words[index]
        count = KEPT.get(word, 0)
        if word in KEPT or word.startswith("-D"):
            result += words[index:index + 1 + count]
        index += 1 + count
    return result


def for_clang(options):
    """Those that say where the headers of C modules are."""
    return [word for at, word in enumerate(options) if word == "-Xcc" or options[at - 1] == "-Xcc"]


class SwiftBuild:
    """The modules and programs of one level of optimisation, beside the C of `built`."""

    def __init__(self, built, compiler, level, modules):
        self.built, self.compiler, self.level, self.modules = built, compiler, level, modules
        self.folder = built.folder / f"swift{level}"
        self.seconds = {}

    # --- Modules -------------------------------------------------------------------------------------------------

    def module(self, name):
        """Compiles a module and all that it imports, each once."""
        if name in self.seconds:
            return
        sources, imported, options = self.described(name)
        for other in imported:
            self.module(other)
        interface = self.folder / "Modules" / f"{name}.swiftmodule"
        # SwiftPM, too, suppresses the warnings of other packages.
        warnings = "-suppress-warnings" if "/checkouts/" in str(sources[0]) else "-warnings-as-errors"
        self.seconds[name] = self.compile(name, sources, options, warnings, "-emit-module-path", interface)

    def described(self, name):
        """A module's sources, the modules that it imports, and its options, as they are in this build."""
        if name not in self.modules:
            raise Failed(f".build/debug.yaml: no module {name}; run: swift build --build-tests")
        sources, imported, words = self.modules[name]
        if name in STAND_INS:
            source = support.ROOT / STAND_INS[name]
            needed = re.findall(r"^import (\w+)$", source.read_text(), re.MULTILINE)
            sources, imported = [source], [other for other in imported if other in needed]
        options = kept(words)
        if name in OLDER_MODE:
            options[options.index("-swift-version") + 1] = OLDER_MODE[name]
        return sources, imported, options

    def object_of(self, module):
        return self.folder / "objects" / f"{module}.o"

    def compile(self, name, sources, options, *more):
        """Compiles sources to one object; returns how many seconds it took."""
        for place in ("Modules", "objects", "cache"):
            (self.folder / place).mkdir(parents=True, exist_ok=True)
        started = time.monotonic()
        run([self.compiler, "-c", *sources, "-module-name", name, "-o", self.object_of(name), *more,
             "-I", self.folder / "Modules", "-module-cache-path", self.folder / "cache", self.level, "-g", *options])
        return round(time.monotonic() - started, 1)

    # --- Programs ------------------------------------------------------------------------------------------------

    def program(self, name, source, imported, options=(), objects=()):
        """A program of one source, which imports modules of the package and links them with all below them."""
        module, linked = identifier(name), list(objects)
        for other in imported:
            self.module(other)
        if imported:
            linked += map(self.object_of, self.below(imported))
            linked += map(self.built.compile, self.built.objects_of(LIKE))
        headers = [word for other in imported for word in for_clang(self.described(other)[2])]
        options = [*self.described(identifier(LIKE))[2], *headers, *options]
        self.compile(module, [source], options, "-warnings-as-errors", "-parse-as-library",
                     "-entry-point-function-name", f"{module}_main")
        return self.link(name, [self.object_of(module), *linked], f"-Wl,--defsym,main={module}_main")

    def product(self, name, *libraries):
        """A program of the package."""
        self.module(name)
        objects = [*map(self.object_of, self.below([name])), *map(self.built.compile, self.built.objects_of(name))]
        return self.link(name, objects, *(f"-l{library}" for library in libraries))

    def below(self, modules):
        """Modules, and all that they import."""
        found, waiting = [], list(modules)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.append(name)
                waiting += self.described(name)[1]
        return found

    def link(self, name, objects, *options):
        libraries = self.built.root / LIBRARIES
        names = [f"-l{path.stem.removeprefix('lib')}" for path in sorted(libraries.glob("lib*.so")) if path.exists()]
        objects = [*objects, libraries / "aarch64/swiftrt.o"]
        # libswiftObservation.so refers to what no library has.
        return self.built.link(f"{self.level[1:]}/{name}", objects, "-L", libraries, *options,
                               f"-Wl,-rpath,/{LIBRARIES}", "-Wl,--allow-shlib-undefined", "-Wl,--as-needed", *names,
                               "-lm")


def identifier(name):
    return name.replace("-", "_")
