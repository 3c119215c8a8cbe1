"""crashsym symbols upload to a server that keeps what is put, and to servers that refuse it; debuginfod-find reads what arrived.

Then the same to a server that does as Sentry's does."""

import pathlib
import shutil
import subprocess

import support
import symbol_upload_sentry
from sending import Sender
from sending_receiver import NEVER, Answer, Receiver, certificate
from symbol_server import begin, client_environment, made

DONE, USAGE, BAD, MISSING, LATER = 0, 64, 65, 66, 75


class Store:
    """What a server keeps: a plan for Receiver. A key may be wanted, and answers to puts may be given."""

    def __init__(self, key=None, puts=()):
        self.key, self.puts, self.kept = key, list(puts), {}

    def __call__(self, request, number):
        if self.key and request.headers.get("authorization") != self.key:
            return Answer(401)
        if request.method == "PUT":
            if self.puts:
                return self.puts.pop(0)
            self.kept[request.path] = request.body
            return Answer(201)
        content = self.kept.get(request.path)
        return Answer(404, body=b"") if content is None else Answer(200, {"X-DEBUGINFOD-SIZE": str(len(content))}, content)


def upload(crashsym, folder, to, *options, **more):
    return subprocess.run([crashsym, "symbols", "upload", "--to", to, *options, folder], capture_output=True, text=True, timeout=300,
                          env=Sender(crashsym, folder).environment(more))


def methods(server):
    return [request.method for request in server.clear()]


def plain(checks, crashsym, parent, store, build_id):
    kept = Store()
    with Receiver(kept) as server:
        run = upload(crashsym, store, f"{server.address}/symbols")
        paths = {f"/symbols/buildid/{build_id}/debuginfo": f"{build_id[2:]}.debug", f"/symbols/buildid/{build_id}/executable": build_id[2:]}
        files = {path: (store / ".build-id" / build_id[:2] / name).read_bytes() for path, name in paths.items()}
        checks.expect(run.returncode == DONE and kept.kept == files and methods(server) == ["HEAD", "PUT"] * 2,
                      "each file arrives by its build ID", f"{run.stderr} {list(kept.kept)}")
        run = upload(crashsym, store, f"{server.address}/symbols/")
        checks.expect(run.returncode == DONE and methods(server) == ["HEAD"] * 2 and run.stdout.count("already there") == 2,
                      "what is there is not sent again", run.stdout)
        if shutil.which("debuginfod-find"):
            server.address += "/symbols"
            found = subprocess.run(["debuginfod-find", "debuginfo", build_id], capture_output=True, text=True,
                                   env=client_environment(parent, "upload", server))
            checks.expect(found.returncode == 0 and pathlib.Path(found.stdout.strip()).read_bytes()
                          == files[f"/symbols/buildid/{build_id}/debuginfo"], "debuginfod-find reads it there", found.stderr)
        else:
            checks.skip("debuginfod-find", "not installed")


def secrets(checks, crashsym, parent, store):
    key = parent / "key"
    key.write_text("k-secret\n")
    with Receiver(Store("Bearer k-secret")) as server:
        run = upload(crashsym, store, server.address)
        checks.expect(run.returncode == BAD and "401" in run.stderr and "PUT" not in methods(server), "without a key: refused", run.stderr)
        run = upload(crashsym, store, server.address, "--key", "k-secret")
        checks.expect(run.returncode == USAGE and "k-secret" not in run.stderr and not methods(server),
                      "a key on the command line is refused, and not repeated", run.stderr)
        run = upload(crashsym, store, server.address, "--key", f"file:{key}")
        checks.expect(run.returncode == DONE, "a key from a file", run.stderr)
        server.clear()
        run = upload(crashsym, store, "env:PLACE", "--key", "env:KEY", PLACE=server.address, KEY="k-secret")
        checks.expect(run.returncode == DONE and methods(server) == ["HEAD"] * 2, "both from the environment", run.stderr)
    with Receiver(Store("Basic dTpw")) as server:
        place = server.address.replace("//", "//u:p@")
        run = upload(crashsym, store, place)
        checks.expect(run.returncode == USAGE and not methods(server), "a password on the command line is refused", run.stderr)
        run = upload(crashsym, store, "env:PLACE", PLACE=place)
        checks.expect(run.returncode == DONE, "and taken from the environment", run.stderr)


def faults(checks, crashsym, parent, store, build_id):
    for name, answer, status, puts in (("403", Answer(403), BAD, 2), ("413", Answer(413), BAD, 2), ("405", Answer(405), BAD, 2),
                                       ("redirection", Answer(307, {"Location": "/elsewhere"}), BAD, 2),
                                       ("409", Answer(409), DONE, 2), ("500", Answer(500), LATER, 1), ("429", Answer(429), LATER, 1),
                                       ("never", NEVER, LATER, 1)):
        kept = Store(puts=[answer])
        with Receiver(kept) as server:
            run = upload(crashsym, store, server.address, *(["--timeout", "1"] if name == "never" else []))
            sent = methods(server)
            checks.expect(run.returncode == status and sent.count("PUT") == puts and len(run.stderr.splitlines()) == (status != DONE),
                          f"{name}: status {status}", f"{run.returncode} {sent} {run.stderr}")
            again = upload(crashsym, store, server.address)
            checks.expect(again.returncode == DONE and len(kept.kept) == 2, f"{name}: the next one completes it", again.stderr)
    run = upload(crashsym, store, server.address)
    checks.expect(run.returncode == LATER and len(run.stderr.splitlines()) == 1, "no server: one line, later", run.stderr)
    empty = parent / "empty"
    empty.mkdir()
    for folder, to, status in ((parent / "none", "http://127.0.0.1:1", MISSING), (empty, "http://127.0.0.1:1", BAD),
                               (store, "ftp://x", USAGE), (store, "env:NONE", USAGE)):
        run = upload(crashsym, folder, to)
        checks.expect(run.returncode == status and len(run.stderr.splitlines()) == 1, f"{folder.name} to {to}: {status}", run.stderr)


def hostile(checks, crashsym, parent, store):
    """Links, pipes and names that are no build IDs, in a store."""
    shelf = store / ".build-id" / "ab"
    shelf.mkdir()
    (parent / "secret").write_text("secret of another folder")
    (shelf / "cdef.debug").symlink_to(parent / "secret")
    (shelf / "..x.debug").write_text("secret")
    (shelf / "cd?x.debug").write_text("secret")
    (store / ".build-id" / "ac").symlink_to(parent)
    kept = Store()
    with Receiver(kept) as server:
        run = upload(crashsym, store, server.address)
        checks.expect(run.returncode == DONE and len(kept.kept) == 2 and not any(b"secret" == body[:6] for body in kept.kept.values()),
                      "links and other names are left out", list(kept.kept))


def encrypted(checks, crashsym, parent, store):
    good, authority = certificate(parent, "good", "IP:127.0.0.1")
    with Receiver(Store(), certificate=good) as server:
        run = upload(crashsym, store, server.address)
        checks.expect(run.returncode == LATER and not methods(server), "a certificate that no authority signed is refused", run.stderr)
        run = upload(crashsym, store, server.address, "--ca-file", str(authority))
        checks.expect(run.returncode == DONE, "--ca-file names an authority", run.stderr)


def main():
    crashsym, checks = begin(__doc__.split("\n")[0])
    with support.temporary_folder() as name:
        parent = pathlib.Path(name)
        _, build_id, _, store = made(crashsym, parent)
        plain(checks, crashsym, parent, store, build_id)
        secrets(checks, crashsym, parent, store)
        faults(checks, crashsym, parent, store, build_id)
        symbol_upload_sentry.check(checks, crashsym, parent, store, build_id, upload)
        hostile(checks, crashsym, parent, store)
        encrypted(checks, crashsym, parent, store)
    checks.end()


if __name__ == "__main__":
    main()
