"""Holds Samples/ci to the schemas of GitHub and GitLab, and runs the commands of its releases that keep symbols on a server."""

import http.server
import os
import pathlib
import shutil
import subprocess
import threading

import deployment_runs
import support

TOOLS = support.ROOT / ".build" / "deployment-tools"
PROGRAM = "previous-runs-probe"
KEY = "the-key-of-the-server"


class Store:
    """A server of symbols: it keeps what is put, by its path, if the key is right."""

    def __init__(self):
        self.files = {}
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status):
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_HEAD(self):
                self.answer(200 if self.path in store.files else 404)

            def do_PUT(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers["Authorization"] != f"Bearer {KEY}":
                    return self.answer(401)
                store.files[self.path] = body
                self.answer(201)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()


def commands(file):
    """Those of the job `symbols`, but for what fetches and builds."""
    import yaml
    content = yaml.safe_load(file.read_text())
    job = content.get("jobs", content)["symbols"]
    texts = job["script"] if "script" in job else [step["run"] for step in job["steps"] if "run" in step]
    lines = [line for text in texts for line in text.splitlines()]
    return [line for line in lines if not line.startswith(("git ", "swift "))]


def released(file, products, folder, own):
    place = own / f"release-{file.stem}"
    shutil.rmtree(place, ignore_errors=True)
    (place / ".build" / "release").mkdir(parents=True)
    shutil.copy(products / PROGRAM, place / ".build" / "release" / "api")
    with Store() as store:
        run = subprocess.run(["sh", "-ec", "\n".join(commands(file))], cwd=place, capture_output=True, text=True, timeout=300,
                             env=deployment_runs.environment(products, folder, SYMBOLS=store.address, SYMBOLS_KEY=KEY))
        paths = [pathlib.PurePath(path) for path in store.files]
        is_there = any(path.parts[1] == "buildid" and path.name == "debuginfo" for path in paths)
        yield f"ci/{file.name}: a release's symbols reach the server", "" if run.returncode == 0 and is_there else run.stderr or paths
    kept = place / "release" / "api"
    smaller = kept.exists() and os.stat(kept).st_size < os.stat(products / PROGRAM).st_size
    yield f"ci/{file.name}: the program that is kept is stripped", "" if smaller else "it is not"


def actionlint(file):
    # Names, expressions and the versions of actions; a shellcheck that happens to be installed would add complaints of its own.
    run = subprocess.run([TOOLS / "bin" / "actionlint", "-no-color", "-shellcheck=", "-pyflakes=", file], capture_output=True, text=True, timeout=300)
    return (run.stdout + run.stderr).strip() or "it failed" if run.returncode else ""


def fits(file, schema, *more):
    run = subprocess.run([TOOLS / "bin" / "check-jsonschema", "--builtin-schema", schema, *more, file], capture_output=True,
                         text=True, timeout=300)
    return (run.stdout + run.stderr).strip() or "it failed" if run.returncode else ""


def own_files(place):
    """The workflows of this repository, its action, and the template for GitLab that needs no Swift."""
    for file in sorted((support.ROOT / ".github" / "workflows").glob("*.yml")):
        yield f".github/workflows/{file.name} fits its schema", fits(file, "vendor.github-workflows")
        yield f".github/workflows/{file.name}: actionlint has no complaint", actionlint(file)
    yield "action.yml fits its schema", fits(support.ROOT / "action.yml", "vendor.github-actions")
    yield "ci/gitlab-package.yml fits its schema", fits(place / "gitlab-package.yml", "vendor.gitlab-ci", "--data-transform", "gitlab-ci")


def jobs(folder, products, own):
    place = folder.parent / "ci"
    yield from own_files(place)
    for name, schema, more in (("github.yml", "vendor.github-workflows", []),
                               ("gitlab.yml", "vendor.gitlab-ci", ["--data-transform", "gitlab-ci"])):
        yield f"ci/{name} fits its schema", fits(place / name, schema, *more)
        if name == "github.yml":
            yield f"ci/{name}: actionlint has no complaint", actionlint(place / name)
        yield from released(place / name, products, folder, own)
