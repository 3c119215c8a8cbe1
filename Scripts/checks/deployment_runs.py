"""Runs on this machine what the files of Samples/deployment run elsewhere, with their own arguments, environment and folders' names.

Each check is a pair: what is so, and why it is not, which is empty if it is.
"""

import configparser
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess

import sending_receiver
import support

# What Kubernetes fills in.
FIELDS = {"metadata.name": "api-7c9d-x2x4z", "metadata.namespace": "shop"}
# Far longer than a run takes.
PATIENCE = 120


def crash(products, environment, before=(), kind="index-out-of-range"):
    """A program that crashes; what it printed on standard error."""
    run = subprocess.run([*before, products / "diagdemo", "crash", kind], env=environment, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    return run.stderr


def environment(products, folder, **more):
    """No more than a container or a unit has."""
    return {"PATH": f"{folder / 'docker'}:{products}:{os.environ['PATH']}", **more}


def arrives(server, process):
    """Whether a report came before the process ended."""
    support.comes_true(lambda: server.wait_for(1, 0.2) or process.poll() is not None, PATIENCE)
    return bool(server.requests)


# --- Kubernetes


class Pod:
    """Its volumes are folders of this machine; with it, what their mount points are replaced by."""

    def __init__(self, file, own, dsn):
        import yaml
        self.spec = yaml.safe_load(file.read_text())["spec"]["template"]["spec"]
        self.volumes = {}
        for volume in self.spec["volumes"]:
            path = own / f"{file.stem}-{volume['name']}"
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            self.volumes[volume["name"]] = path
            if "secret" in volume:
                (path / "sentry").write_text(dsn + "\n")

    def containers(self):
        return {one["name"]: one for one in [*self.spec.get("initContainers", []), *self.spec["containers"]]}

    def here(self, container, text):
        for mount in container["volumeMounts"]:
            text = text.replace(mount["mountPath"], str(self.volumes[mount["name"]]))
        return text

    def command(self, container):
        return [self.here(container, word) for word in [*container["command"], *container.get("args", [])]]

    def environment(self, container):
        variables = {}
        for one in container.get("env", []):
            value = one.get("value") or FIELDS[one["valueFrom"]["fieldRef"]["fieldPath"]]
            variables[one["name"]] = self.here(container, value)
        return variables


def stopped(pid):
    """Whether all threads of a process have stopped."""
    try:
        return all(") T" in stat.read_text() for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"))
    except OSError:
        # A thread ended meanwhile.
        return False


def last_pass(process, server, reports, others):
    """Stops the drainer with a report that its follower cannot have seen; why that was not sent."""
    follower = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    server.clear()
    os.kill(follower, signal.SIGSTOP)
    if not support.comes_true(lambda: stopped(follower), PATIENCE):
        return "it did not stop"
    late = support.reports_in(others)[0]
    shutil.copy(late, reports / late.name)
    process.terminate()
    pending = lambda: int(re.search(r"ShdPnd:\s*(\w+)", pathlib.Path(f"/proc/{follower}/status").read_text())[1], 16)
    passed_on = support.comes_true(lambda: pending() >> (signal.SIGTERM - 1) & 1, PATIENCE)
    os.kill(follower, signal.SIGCONT)
    status = process.wait(PATIENCE)
    count = len(server.clear())
    return "" if passed_on and status == 0 and count == 1 else f"{passed_on} {status} {count}"


def drained(pod, container, products, folder, reports, others):
    """Runs the drainer; pairs."""
    name = container["name"]
    with sending_receiver.Receiver() as server:
        for secret in pod.volumes.values():
            if (secret / "sentry").exists():
                (secret / "sentry").write_text(f"http://key@127.0.0.1:{server.port}/1\n")
        process = subprocess.Popen(pod.command(container), env=environment(products, folder, **pod.environment(container)),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not arrives(server, process):
            process.terminate()
            yield f"{name}: the report arrives", process.communicate()[1] or "it does not"
            return
        path = server.requests[0].path
        yield f"{name}: the report arrives", "" if path == "/api/1/envelope/" else path
        crash(products, environment(products, folder, CRASHKIT_DIRECTORY=str(others)), kind="null-read")
        yield f"{name}: as it is stopped, it sends what is left", last_pass(process, server, reports, others)
        process.stderr.close()


def pod_checks(folder, products, own, name, program):
    pod = Pod(folder / "kubernetes" / name, own, "")
    containers = pod.containers()
    reports = pod.volumes["reports"]
    if program:
        container = containers["api"]
        crash(products, environment(products, folder, **pod.environment(container)))
        made = support.reports_in(reports)
        host = json.loads(made[0].read_text()).get("host", {}) if made else {}
        yield f"{name}: the program's report names pod and namespace", \
            "" if [host.get("pod"), host.get("namespace")] == list(FIELDS.values()) else host or "no report"
    else:
        container = containers["folder"]
        capabilities = ",".join(f"+{one.lower()}" for one in container["securityContext"]["capabilities"]["add"])
        if os.geteuid() == 0:
            run = subprocess.run(["setpriv", f"--bounding-set=-all,{capabilities}", *pod.command(container)], capture_output=True, text=True)
            owner = reports.stat().st_uid
            user = containers["crashsym"]["securityContext"]["runAsUser"]
            yield f"{name}: the folder gets its user with one capability", "" if run.returncode == 0 and owner == user else run.stderr or owner
            os.chown(reports, 0, 0)
        crash(products, environment(products, folder, CRASHKIT_DIRECTORY=str(reports)))
    if support.reports_in(reports):
        others = own / f"{name}-others"
        for what, why in drained(pod, containers["crashsym"], products, folder, reports, others):
            yield f"{name}: {what}", why


# --- systemd


def unit(file):
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes="#")
    parser.optionxform = str
    parser.read(file)
    return parser


def group(name, seen):
    """The system calls of one of systemd's groups."""
    calls = set()
    shown = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", name], check=True, capture_output=True, text=True).stdout
    for word in re.findall(r"(?m)^\s+(@?[\w-]+)$", shown):
        if not word.startswith("@"):
            calls.add(word)
        elif word not in seen:
            seen.add(word)
            calls |= group(word, seen)
    return calls


def allowed(file):
    calls = set()
    for sign, names in re.findall(r"(?m)^SystemCallFilter=(~?)(.*)$", file.read_text()):
        for name in names.split():
            more = group(name, set()) if name.startswith("@") else {name}
            calls = calls - more if sign else calls | more
    return calls | group("@default", set())


def traced(own, name):
    """The words that note down a program's system calls, and a function that reads what is not in a unit's filter."""
    if not (shutil.which("strace") and shutil.which("systemd-analyze")):
        return [], lambda file: ""
    trace = own / f"{name}.trace"

    def refused(file):
        calls = set(re.findall(r"(?m)^\d+ +(\w+)\(", trace.read_text()))
        return " ".join(sorted(calls - allowed(file))) if calls else "nothing was traced"
    return ["strace", "-f", "-qq", "-o", trace], refused


def unit_checks(folder, products, own):
    units = folder / "systemd"
    program, sender, path = (unit(units / name) for name in ("api.service", "crashsym-send.service", "crashsym-send.path"))
    state, credentials, cache = own / "state", own / "credentials", own / "cache"
    for place in (state, credentials, cache):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    folders = program["Service"]["StateDirectory"].split()
    for name in folders:
        (state / name).mkdir(parents=True, exist_ok=True)
    before, refused = traced(own, "api")
    crash(products, environment(products, folder, STATE_DIRECTORY=":".join(str(state / name) for name in folders)), before)
    sent = sender["Service"]["StateDirectory"]
    made = support.reports_in(state / sent)
    yield "api.service: the report is where crashsym-send.service looks", "" if made else f"none in {sent}"
    yield "crashsym-send.path watches that folder", \
        "" if path["Path"]["PathChanged"] == f"/var/lib/{sent}" else path["Path"]["PathChanged"]
    yield "api.service: a crash makes no system call that the unit forbids", refused(units / "api.service")
    with sending_receiver.Receiver() as server:
        (credentials / sender["Service"].get("LoadCredential", "").split(":")[0] or "none").write_text(f"http://key@127.0.0.1:{server.port}/1\n")
        variables = {"STATE_DIRECTORY": str(state / sent), "CREDENTIALS_DIRECTORY": str(credentials)}
        name, value = sender["Service"]["Environment"].split("=")
        before, refused = traced(own, "send")
        # systemd replaces ${NAME}.
        words = [re.sub(r"\$\{(\w+)\}", lambda found: variables[found[1]], word) for word in shlex.split(sender["Service"]["ExecStart"])]
        run = subprocess.run([*before, products / pathlib.Path(words[0]).name, *words[1:]], capture_output=True, text=True, timeout=PATIENCE,
                             env=environment(products, folder, **variables, **{name: value.replace("%C", str(cache))}))
        yield "crashsym-send.service sends the report", "" if run.returncode == 0 and len(server.requests) == 1 else run.stderr or "none"
        yield "crashsym-send.service: no system call that it forbids", refused(units / "crashsym-send.service") if run.returncode == 0 else ""
        folder_of_cache = sender["Service"]["CacheDirectory"]
        outside = [one.name for one in cache.iterdir() if one.name != folder_of_cache]
        yield "crashsym-send.service writes to its own cache", " ".join(outside)


# --- Lambda


def function_checks(folder, products, own):
    import yaml

    class Loader(yaml.SafeLoader):
        """Takes CloudFormation's own tags for texts."""
    Loader.add_multi_constructor("!", lambda loader, suffix, node: node.value)
    resources = yaml.load((folder / "lambda" / "template.yaml").read_text(), Loader)["Resources"]
    variables = dict(resources["Api"]["Properties"]["Environment"]["Variables"])
    place = pathlib.Path(variables["CRASHKIT_DIRECTORY"])
    yield "lambda: reports go to /tmp", "" if place.parts[:2] == ("/", "tmp") else place
    variables["CRASHKIT_DIRECTORY"] = str(own / "lambda-reports")
    lines = [line for line in crash(products, environment(products, folder, **variables)).splitlines() if line.startswith("{")]
    term = json.loads(resources["Crashes"]["Properties"]["FilterPattern"])
    yield "lambda: a crash is one line of JSON in the log, which the filter counts", \
        "" if len(lines) == 1 and json.loads(lines[0]).get("message") and term in lines[0] else f"{len(lines)} lines"


def runs(folder, products, own):
    yield from pod_checks(folder, products, own, "sidecar.yaml", True)
    yield from pod_checks(folder, products, own, "daemonset.yaml", False)
    yield from unit_checks(folder, products, own)
    yield from function_checks(folder, products, own)
