"""Reads the #include lines of every C target, and refuses what would tangle the map of the package:

- a circle of files (a .c file and the header of the same name count as one file);
- a circle of folders in a target;
- an upward arrow in a target that orders its folders in a file named wings.txt;
- a header of a target that Package.swift does not name as a dependency;
- a header search path into such a target.

includes.toml lists the mistakes that are known. A known mistake that is gone is an error too, so that the list shrinks.
"""
import argparse
import pathlib
import re
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
TARGET = re.compile(r"\.(target|executableTarget|testTarget|systemLibrary)\(")
WINGS = "wings.txt"


class Target:
    """A target of Package.swift, with the C files below its folder."""

    def __init__(self, root, name, folder, dependencies, search_paths):
        self.name = name
        self.folder = root / folder
        self.dependencies = dependencies
        self.search_paths = [(self.folder / path).resolve() for path in search_paths]
        self.files = sorted(path for path in self.folder.rglob("*") if path.suffix in (".c", ".h")) \
            if self.folder.is_dir() else []
        homes = {}
        for path in self.files:
            if path.suffix == ".c":
                homes.setdefault(path.stem, path.relative_to(self.folder).with_suffix(""))
        self.homes = homes

    def is_public(self, path):
        return path.is_relative_to(self.folder / "include")

    def unit(self, path):
        """A .c file and its header are one unit, named by the path without the ending."""
        if self.is_public(path) and path.stem in self.homes:
            return str(self.homes[path.stem])
        return str(path.relative_to(self.folder).with_suffix(""))


def balanced(text, start):
    """The text between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1:at]
    raise ValueError("a parenthesis is not closed")


def read_targets(root):
    text = re.sub(r"^\s*//.*$", "", (root / "Package.swift").read_text(), flags=re.MULTILINE)
    targets = {}
    for match in TARGET.finditer(text):
        body = balanced(text, match.end() - 1)
        name = re.search(r'name:\s*"([^"]+)"', body)
        if not name:
            continue
        listed = re.search(r"dependencies:\s*\[(.*?)\]\s*(,|$)", body, re.DOTALL)
        dependencies = set(re.findall(r'"([^"]+)"', re.sub(r"\.product\(.*?\)\)?", "", listed[1], flags=re.DOTALL))) \
            if listed else set()
        parent = "Tests" if match[1] == "testTarget" else "Sources"
        path = re.search(r'\bpath:\s*"([^"]+)"', body)
        targets[name[1]] = Target(root, name[1], path[1] if path else f"{parent}/{name[1]}", dependencies,
                                  re.findall(r'headerSearchPath\("([^"]+)"\)', body))
    return targets


def owner_of(targets, path):
    owners = [target for target in targets.values() if path.is_relative_to(target.folder)]
    return max(owners, key=lambda target: len(target.folder.parts), default=None)


def resolve(targets, target, file, name):
    """The file that an #include line means, or None for one of the system."""
    folders = [file.parent, *target.search_paths, target.folder / "include"]
    folders += [targets[other].folder / "include" for other in sorted(target.dependencies) if other in targets]
    for folder in folders:
        path = (folder / name).resolve()
        if path.is_file():
            return path
    return None


def circles_of(arrows):
    """The strongly connected parts with more than one member (Tarjan)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
                on_stack.discard(part[-1])
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found


def read_wings(target):
    """The order of the folders, from the top down, and the public headers that belong to one by name."""
    file = target.folder / WINGS
    if not file.is_file():
        return None, {}
    order, headers = [], {}
    for line in file.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word = line.split()[0]
        if line[0].isspace():
            headers[word] = order[-1]
        else:
            order.append(word)
    return order, headers


def wing_of(target, path, headers):
    relative = str(path.relative_to(target.folder))
    if relative in headers:
        return headers[relative]
    unit = target.unit(path)
    return unit.split("/")[0] if "/" in unit else ""


def check_target(targets, target, mistakes):
    order, headers = read_wings(target)
    files, folders, upward = {}, {}, set()
    for file in target.files:
        for name in INCLUDE.findall(file.read_text(errors="replace")):
            path = resolve(targets, target, file, name)
            owner = owner_of(targets, path) if path else None
            if not owner:
                continue
            if owner is not target:
                if owner.name not in target.dependencies:
                    mistakes.add(("foreign", target.name, f"{owner.name}: {path.name}"))
                continue
            one, other = target.unit(file), target.unit(path)
            if one == other:
                continue
            files.setdefault(one, set()).add(other)
            wings = wing_of(target, file, headers), wing_of(target, path, headers)
            if "include" in wings or wings[0] == wings[1]:
                continue
            folders.setdefault(wings[0], set()).add(wings[1])
            if order and all(wing in order for wing in wings) and order.index(wings[0]) > order.index(wings[1]):
                upward.add((str(file.relative_to(target.folder)), name))
    for part in circles_of(files):
        mistakes.add(("circle", target.name, " ".join(part)))
    for part in circles_of(folders):
        mistakes.add(("folders", target.name, " ".join(part)))
    for file, name in upward:
        mistakes.add(("upward", target.name, f"{file}: {name}"))
    if order:
        present = {wing_of(target, file, headers) for file in target.files} - {"include"}
        for wing in present - set(order):
            mistakes.add(("wings", target.name, f"{wing or '.'} is not in {WINGS}"))
        for wing in set(order) - present:
            mistakes.add(("wings", target.name, f"{wing} has no file"))
    for path in target.search_paths:
        owner = owner_of(targets, path)
        if owner and owner is not target and owner.name not in target.dependencies:
            mistakes.add(("search path", target.name, owner.name))


TEXTS = {
    "circle": "these files include each other",
    "folders": "these folders include each other",
    "upward": "this #include points upward in " + WINGS,
    "wings": WINGS + " does not match the folders",
    "foreign": "this header belongs to a target that Package.swift does not name as a dependency",
    "search path": "this header search path leads into a target that is no dependency",
}


def check(root, known_file):
    targets = read_targets(root)
    mistakes = set()
    for target in targets.values():
        check_target(targets, target, mistakes)
    data = tomllib.loads(known_file.read_text()) if known_file and known_file.is_file() else {}
    known = {(entry["kind"], entry["target"], entry["what"]) for entry in data.get("known", [])}
    lines = [f"{target}: {TEXTS[kind]}: {what}" for kind, target, what in sorted(mistakes - known)]
    lines += [f"{target}: {known_file.name} lists a mistake that is gone: {kind}: {what}"
              for kind, target, what in sorted(known - mistakes)]
    return lines, len([target for target in targets.values() if target.files])


# --- Its own test ---------------------------------------------------------------------------------------------------

PACKAGE = """
targets: [
  .target(name: "A", dependencies: [%s], cSettings: [.headerSearchPath("."), .headerSearchPath("../B")]),
  .target(name: "B"),
]
"""


def tried(files, dependencies='"B"', known=""):
    """The kinds of mistakes in a made-up package."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in {"Package.swift": PACKAGE % dependencies, "known.toml": known,
                           "Sources/B/b.h": "", **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(root, root / "known.toml")[0]


def self_test():
    two = {"Sources/A/high/x.c": '#include "low/y.h"\n', "Sources/A/high/x.h": "", "Sources/A/low/y.h": "",
           "Sources/A/low/y.c": '#include "low/y.h"\n', f"Sources/A/{WINGS}": "high  the top\nlow  the ground\n"}
    upward = {**two, "Sources/A/low/y.c": '#include "high/x.h"\n'}
    circle = {"Sources/A/x.c": '#include "y.h"\n', "Sources/A/x.h": "", "Sources/A/y.h": '#include "x.h"\n'}
    folders = {"Sources/A/m/x.h": '#include "n/y.h"\n', "Sources/A/n/y.h": "", "Sources/A/n/z.h": '#include "m/w.h"\n',
               "Sources/A/m/w.h": ""}
    foreign = {"Sources/A/x.c": '#include "b.h"\n'}
    known = '[[known]]\nkind = "circle"\ntarget = "A"\nwhat = "x y"\n'
    cases = [
        ("a tree in order", tried(two), []),
        ("an upward arrow", tried(upward), ["include each other: high low", "include each other: high/x low/y",
                                            "points upward"]),
        ("a circle of files", tried(circle), ["include each other: x y"]),
        ("a known circle", tried(circle, known=known), []),
        ("a known circle that is gone", tried(two, known=known), ["is gone"]),
        ("a circle of folders", tried(folders), ["folders include each other"]),
        ("a folder without a place", tried({**two, "Sources/A/new/z.h": ""}), ["new is not in"]),
        ("a place without a folder", tried({**two, f"Sources/A/{WINGS}": "high\nlow\ngone\n"}), ["gone has no file"]),
        ("a dependency's header", tried(foreign), []),
        ("a foreign header", tried(foreign, dependencies=""), ["belongs to a target", "leads into a target"]),
    ]
    failed = 0
    for name, lines, wanted in cases:
        good = len(lines) == len(wanted) and all(any(text in line for line in lines) for text in wanted)
        failed += not good
        print(f"{'ok     ' if good else 'NOT OK '} {name}" + ("" if good else f": {lines}"))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="try the check on made-up packages first")
    options = parser.parse_args()
    if options.self_test and self_test():
        sys.exit(1)
    lines, count = check(ROOT, pathlib.Path(__file__).with_name("includes.toml"))
    print("\n".join(lines + [f"{count} targets with C, {len(lines)} mistakes"]))
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
