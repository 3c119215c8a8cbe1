"""Checks the memory orders of what threads share without a lock: the breadcrumb ring, the quick locks, the held-lock
stacks, the tables of attributes, contexts and metrics, and the hand-over of a report. Docs/memory-order.md argues for
each order.

- Small models of these (Tests/MemoryOrder) are explored exhaustively under C11's rules: none may fail, each must fail
  once one of its orders is weakened, and a model of a mistake that was mended must show it.
- orders.toml lists the atomic accesses of each function that a model mirrors: the code must have exactly these.
- The code itself runs under ThreadSanitizer, which must be silent; with one access made plain it must not be.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from memory_order_stress import check_broken_stress, check_stress
from support import ROOT, Checks

FOLDER = ROOT / "Tests" / "MemoryOrder"
CALL = re.compile(r"\b(?:__)?atomic_(\w+?)(_explicit|_n)?\s*\(")
ORDER = re.compile(r"\b(?:memory_order|__ATOMIC)_(\w+)")
STRENGTH = {"relaxed": set(), "acquire": {"acquire"}, "release": {"release"}, "acq_rel": {"acquire", "release"},
            "seq_cst": {"acquire", "release", "seq_cst"}}
LIMIT_S = 60
COMPILER = next((name for name in ("clang-14", "clang") if shutil.which(name)), "clang-14")


def closing(text, start):
    """The place of the parenthesis or brace that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError("a parenthesis is not closed")


def body_of(text, name):
    for match in re.finditer(rf"\b{name}\s*\(", text):
        end = closing(text, match.end() - 1)
        brace = re.match(r"\s*\{", text[end + 1:])
        if brace:
            start = end + brace.end()
            return text[start:closing(text, start) + 1]
    raise ValueError(f"there is no function {name}")


def accesses_in(body):
    """Each atomic access in the order of the text: what it does, the last name of its object, and its orders."""
    found = []
    for match in CALL.finditer(body):
        arguments, nested = body[match.end():closing(body, match.end() - 1)], 1
        while nested:
            arguments, nested = re.subn(r"\([^()]*\)", "", arguments)
        orders = [order.lower() for order in ORDER.findall(arguments)]
        kind = match[1].removesuffix("_strong")
        flat = re.sub(r"\[.*?\]", "", arguments.split(",")[0]) if "fence" not in kind else ""
        names = re.findall(r"\w+", re.sub(r"\[.*", "", flat))
        default = ["seq_cst"] * (2 if kind == "compare_exchange" else 1)
        found.append(" ".join([kind, *names[-1:], "/".join(orders or default)]))
    return found


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def read_code(function):
    return accesses_in(body_of(without_comments((ROOT / function["file"]).read_text()), function["name"]))


def check_code(checks, functions, sites):
    """Holds the code to the list, and the list to the models."""
    mirrored = set()
    for function in functions:
        listed = [access.split(" = ") for access in function["accesses"]]
        name = f"{pathlib.Path(function['file']).name} {function['name']}"
        code, kept = read_code(function), [access[0] for access in listed]
        missing = [f"{want} in the list, {have} in the code" for want, have in zip(kept, code) if want != have]
        checks.expect(code == kept, f"{name} has its {len(kept)} accesses",
                      "; ".join(missing) or f"{len(kept)} in the list, {len(code)} in the code: {code}")
        for access in (access for access in listed if len(access) == 2):
            orders = access[0].split()[-1].split("/")
            for order, site in zip(orders, access[1].split("/")):
                if site == "-":
                    continue
                mirrored.add(site)
                if site not in sites or not STRENGTH[sites[site]] <= STRENGTH[order]:
                    checks.expect(False, f"{name}: {access[0]}", f"{site} needs {sites.get(site, 'no model')}")
    for site in sorted(sites.keys() - mirrored):
        checks.expect(False, f"order {site}", "no access of the code is listed for it")


def check_models(checks, program):
    """Returns the order that each site needs."""
    said = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout
    sites, states = {}, 0
    for kind, name, *rest in (line.split("\t") for line in said.splitlines()):
        if kind == "model":
            shows, expects, failure, count = rest
            states += int(count)
            promised = f"{shows}, which fails" if expects else shows
            if name.startswith("litmus."):
                promised = f"{shows}: {'shown' if expects else 'not shown'}"
            checks.expect(failure == expects, f"{name}: {promised} ({count} states)", failure or "it was not seen")
        elif kind == "site":
            sites[name] = rest[0]
        else:
            needed, given, failure, model, count = rest
            states += int(count)
            checks.expect(failure, f"{name} {needed} -> {given}: {failure} ({model})", "no model fails")
    print(f"        {states} states")
    return sites


def build_models(folder):
    program = folder / "models"
    compiler = shutil.which("clang++") or "g++"
    subprocess.run([compiler, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", *sorted(FOLDER.glob("*.cpp")), "-o",
                    program], check=True)
    return program


def has_sanitizer(folder):
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    tried = shutil.which(COMPILER) and subprocess.run([COMPILER, "-fsanitize=thread", empty, "-o", folder / "empty"],
                                                      capture_output=True, check=False)
    return bool(tried) and tried.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", metavar="MODEL", help="print the steps by which this model fails")
    parser.add_argument("--accesses", nargs=2, metavar=("FILE", "FUNCTION"), help="print a function's accesses")
    parser.add_argument("--quick", action="store_true", help="break nothing for ThreadSanitizer")
    options = parser.parse_args()
    if options.accesses:
        print("\n".join(read_code(dict(zip(("file", "name"), options.accesses)))))
        return 0
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        program = build_models(pathlib.Path(folder))
        if options.show:
            return subprocess.run([program, options.show], check=False).returncode
        sites = check_models(checks, program)
        check_code(checks, tomllib.loads((FOLDER / "orders.toml").read_text())["function"], sites)
        if has_sanitizer(pathlib.Path(folder)):
            check_stress(checks, COMPILER, pathlib.Path(folder))
            if not options.quick:
                check_broken_stress(checks, COMPILER, pathlib.Path(folder))
        else:
            checks.skip("ThreadSanitizer", f"{COMPILER} has none: install libclang-rt-14-dev")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
