"""Makes the root of Samples/deployment/docker/Dockerfile's images from this machine's packages, and lets a program crash in it.

What the Dockerfile itself copies is copied by its own command. The base image is played by the packages that it has.
"""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess

import support

# The libraries of gcr.io/distroless/cc-debian12.
BASE = {"libc6", "libgcc-s1", "libstdc++6"}
PROGRAM = "previous-runs-probe"
# $1 is the root, $2 the folder of reports, $3 the user; the rest is the command, inside.
RUN = """
root=$1 reports=$2 user=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --bind "$reports" "$root/reports"
mount -o remount,ro,bind "$root"
cd /
exec env -i PATH=/usr/sbin:/usr/bin LD_LIBRARY_PATH=/swift CRASHKIT_DIRECTORY=/reports chroot --userspec="$user" "$root" "$@"
"""


@functools.cache
def owner(library):
    """The Debian package of a file. Its folder may be under / or /usr."""
    path = pathlib.Path(os.path.realpath(library))
    for name in (path, str(path).removeprefix("/usr"), f"/usr{path}"):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    return None


def libraries(program):
    shown = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [found for found in re.findall(r"(?:=> |^\s+)(/\S+)", shown, re.M)]


def needed(packages):
    """These packages and what they depend on."""
    known = set()
    while packages:
        known |= packages
        shown = subprocess.run(["dpkg-query", "-W", "-f=${Pre-Depends},${Depends},", *packages], capture_output=True, text=True).stdout
        packages = {word.split()[0].split(":")[0] for word in re.split("[,|]", shown) if word.strip()} - known
    return known


def put(file, root):
    """Copies what a name leads to, under that name."""
    place = root / str(file).lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


def image(folder, products, own):
    if os.geteuid() != 0:
        return
    dockerfile = (folder / "docker" / "Dockerfile").read_text().replace("\\\n", " ")
    root, reports, symbols = own / "image", own / "image-reports", own / "image-symbols"
    for place in (root, reports, symbols):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    copied = re.search(r"(?m)^RUN (cp --parents .*) /image$", dockerfile)[1]
    ran = subprocess.run(["sh", "-c", f"{copied} {root}"], capture_output=True, text=True)
    yield "docker: the libraries to copy are there", ran.stderr if ran.returncode else ""
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    for library in libraries(products / PROGRAM):
        package = owner(library)
        if package in BASE:
            put(library, root)
        else:
            # Of a program with a static standard library these are part of it.
            put(library, root / "other")
    (root / "swift").mkdir()
    for library in (root / "other").rglob("*.so*"):
        library.rename(root / "swift" / library.name)
    foreign = [library.name for library in (root / "swift").iterdir() if not re.match(r"lib(swift|Foundation|_|dispatch|Blocks)", library.name)]
    yield "docker: a program needs no library but the base image's", " ".join(foreign)
    (root / "usr" / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(products / PROGRAM, root / "usr" / "bin" / "program")
    added = re.search(r"crashsym (symbols add .*)", dockerfile)[1].replace("/image/", f"{root}/").replace("/symbols", str(symbols))
    ran = subprocess.run([products / "crashsym", *added.split()], capture_output=True, text=True)
    smaller = (root / "usr" / "bin" / "program").stat().st_size < (products / PROGRAM).stat().st_size
    yield "docker: its symbols are kept, and the program is stripped", "" if ran.returncode == 0 and smaller else ran.stderr or "it is no smaller"
    for name in ("proc", "reports"):
        (root / name).mkdir()
    user = re.search(r"(?m)^USER (\d+:\d+)$", dockerfile)[1]
    os.chown(reports, *map(int, user.split(":")))
    run = subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-ec", RUN, "sh", root, reports, user, "/usr/bin/program", "end", "crash"],
                         capture_output=True, text=True, timeout=120)
    made = support.reports_in(reports)
    threads = json.loads(made[0].read_text())["threads"] if made else []
    unwound = {thread.get("unwoundBy") for thread in threads if thread.get("crashed")}
    yield f"docker: a crash in the image leaves a report, unwound by the {size // 1024} KiB that were copied", \
        "" if unwound == {"cfi"} else f"{unwound} {run.stderr[-200:]}"
    variable = re.search(r"(?m)^ENV (CRASHSYM_SYMBOLS)=/symbols$", dockerfile)
    shown = subprocess.run([products / "crashsym", "--no-cache", *made], capture_output=True, text=True,
                           env={**support.environment(), **({variable[1]: str(symbols)} if variable else {})}).stdout if made else ""
    yield "docker: with the symbols of the other image its frames have lines", "" if "PreviousRunsProbe/main.swift:" in shown else shown[:200]
    installed = re.search(r"apt-get install -y --no-install-recommends ([^&]*)", dockerfile)[1].split()
    known = needed(set(installed))
    lacks = [pathlib.Path(one).name for one in libraries(products / "crashsym") if "/swift/" not in one and owner(one) not in known]
    yield "docker: the packages of crashsym's image have its libraries", " ".join(lacks)
