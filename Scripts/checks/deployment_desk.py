"""Runs the desk as Samples/deployment does: its unit's command, and the libraries of its image."""

import contextlib
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess
import urllib.request

import support
from deployment_image import libraries, needed, owner
from deployment_runs import PATIENCE, environment, traced, unit

REPORT = support.ROOT / "Tests" / "CrashReportViewTests" / "Fixtures" / "full.json"


def crashsym():
    """One with the trait, which the products of the package itself lack."""
    return support.swift_build("--product", "crashsym", package=support.ROOT / "Tests" / "DeskProduct") / "crashsym"


@contextlib.contextmanager
def unprivileged(program):
    """A home of a user that is not root, as the unit has one, with a copy of the program; and Popen's arguments for that user.

    SQLite makes calls as root that the unit forbids."""
    with support.temporary_folder() as name:
        folder = pathlib.Path(name)
        shutil.copy(program, folder / "crashsym")
        for name in ("state", "cache"):
            (folder / name).mkdir(0o700)
        if os.geteuid() != 0:
            yield folder, {}
            return
        nobody = pwd.getpwnam("nobody")
        for place in (folder, *folder.iterdir()):
            os.chown(place, nobody.pw_uid, nobody.pw_gid)
        yield folder, {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def desk(folder, products, own):
    program = crashsym()
    with unprivileged(program) as (home, user):
        # All of it, even if the reader of the pairs stops early: the desk must not keep running.
        yield from list(served(folder, products, home, user))
    dockerfile = (folder / "docker" / "desk.Dockerfile").read_text().replace("\\\n", " ")
    installed = re.findall(r"apt-get install -y --no-install-recommends ([^&]*)", dockerfile)[-1].split()
    known = needed(set(installed))
    lacks = [pathlib.Path(one).name for one in libraries(program) if "/swift/" not in one and owner(one) not in known]
    yield "docker: the packages of the desk's image have its libraries", " ".join(lacks)


def served(folder, products, home, user):
    """Runs the unit's command in this home; pairs."""
    service = unit(folder / "systemd" / "crashsym-desk.service")["Service"]
    state, cache = home / "state", home / "cache"
    words = [word.replace("${STATE_DIRECTORY}", str(state)) for word in shlex.split(service["ExecStart"])]
    words = ["127.0.0.1:0" if word == "127.0.0.1:8017" else word for word in words]
    before, refused = traced(home, "desk")
    name, value = service["Environment"].split("=")
    process = subprocess.Popen([*before, home / "crashsym", *words[1:]], stdout=subprocess.PIPE, text=True, cwd=home, **user,
                               env=environment(products, folder, **{name: value.replace("%C", str(cache))}))
    said = process.stdout.readline()
    address = said.split(": ")[-1].strip()
    try:
        request = urllib.request.Request(address + "api/reports", REPORT.read_bytes(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            status = answer.status
        with urllib.request.urlopen(address, timeout=PATIENCE) as page:
            shown = "1 group" in page.read().decode()
        kept = list((state / "reports").glob("*/*.json"))
        yield "crashsym-desk.service keeps and shows a report", "" if status == 202 and shown and kept else f"{status} {shown} {kept}"
    except (OSError, ValueError) as error:
        yield "crashsym-desk.service keeps and shows a report", str(error)
    end(process)
    yield "crashsym-desk.service ends well", "" if process.wait(PATIENCE) == 0 else f"status {process.returncode}"
    yield "crashsym-desk.service: no system call that it forbids", refused(folder / "systemd" / "crashsym-desk.service")


def end(process):
    """SIGTERM for the desk, which strace may stand before."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    pids = children.read_text().split() if process.args[0] == "strace" else [process.pid]
    for pid in pids:
        os.kill(int(pid), 15)
