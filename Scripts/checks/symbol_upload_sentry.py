"""crashsym symbols upload --to sentry:URL, to a receiver that puts files together as Sentry does: chunk-upload and difs/assemble."""

import email
import hashlib
import json
import os
import re
import shutil
import time
import uuid

from sending import FIXTURES, Sender
from sending_receiver import NEVER, NOTHING, Answer, Receiver, certificate

DONE, USAGE, BAD, LATER = 0, 64, 65, 75
ORGANISATION, PROJECT, TOKEN = "our-team", "api.2", "t-secret"
OPTIONS = f"/api/0/organizations/{ORGANISATION}/chunk-upload/"
ASSEMBLE = f"/api/0/projects/{ORGANISATION}/{PROJECT}/files/difs/assemble/"
CHUNKS = "/api/0/other/chunks/"
NAMES = ("--org", ORGANISATION, "--project", PROJECT)
STEPS = {"limits": OPTIONS, "assembling": ASSEMBLE, "chunks": CHUNKS}


def sha1(content):
    return hashlib.sha1(content).hexdigest()


def answer(value, status=200):
    return Answer(status, {"Content-Type": "application/json"}, json.dumps(value).encode())


class Sentry:
    """The server's side: a plan for Receiver. What crashsym does wrong is in `wrong`."""

    def __init__(self, **limits):
        self.limits = {"url": CHUNKS, "chunkSize": 4096, "chunksPerRequest": 2, "maxFileSize": 2 << 30, "maxRequestSize": 9000,
                       "concurrency": 8, "hashAlgorithm": "sha1", "compression": ["gzip"], "accept": ["debug_files", "pdbs"], **limits}
        # Answers by step, taken in their order; how many chunks are lost; how often a file is not ready yet.
        self.answers, self.lost, self.busy, self.error = {}, 0, 1, None
        self.blobs, self.files, self.states, self.wrong, self.times, self.received = {}, {}, {}, [], [], []
        self.watch = lambda: None

    def expect(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def __call__(self, request, number):
        self.times.append((request.path, time.monotonic()))
        self.watch()
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return answer({"detail": "Invalid token"}, 401)
        if self.answers.get(request.path):
            return self.answers[request.path].pop(0)
        if request.path == OPTIONS:
            self.expect(request.method == "GET" and not request.body and "content-length" not in request.headers, "GET has a body")
            return answer({**self.limits, "url": self.limits["url"].replace("HERE", request.headers["host"])})
        self.expect(request.method == "POST", request.method)
        if request.path == CHUNKS:
            return self.take(request)
        return self.assemble(request) if request.path == ASSEMBLE else answer({"detail": "no such place"}, 404)

    def take(self, request):
        form = email.message_from_bytes(b"Content-Type: " + request.headers["content-type"].encode() + b"\r\n\r\n" + request.body)
        parts = form.get_payload()
        self.expect(form.get_content_type() == "multipart/form-data" and not form.defects, f"form {form.defects}")
        self.expect(len(parts) <= self.limits["chunksPerRequest"], f"{len(parts)} chunks")
        self.expect(len(request.body) <= self.limits["maxRequestSize"] or len(parts) == 1, f"{len(request.body)} bytes")
        for part in parts:
            content, name = part.get_payload(decode=True), part.get_filename()
            self.expect(part.get_param("name", header="content-disposition") == "file", "name of a part")
            self.expect(len(content) <= self.limits["chunkSize"] and sha1(content) == name, f"chunk {name}: {len(content)} bytes")
            self.received.append(name)
            if self.lost:
                self.lost -= 1
            else:
                self.blobs[name] = content
        return Answer(200, body=b"")

    def assemble(self, request):
        self.expect(request.headers["content-type"] == "application/json", "type")
        return answer({checksum: self.state(checksum, **file) for checksum, file in json.loads(request.body).items()})

    def state(self, checksum, name, debug_id, chunks):
        self.expect(all(re.fullmatch("[0-9a-f]{40}", one) for one in [checksum, *chunks]) and chunks, f"hashes {checksum} {chunks}")
        if checksum in self.files:
            return {"state": "ok", "missingChunks": [], "detail": None, "dif": {"debugId": debug_id}}
        if self.error:
            return {"state": "error", "missingChunks": [], "detail": self.error}
        missing = [one for one in chunks if one not in self.blobs]
        if missing:
            return {"state": "not_found", "missingChunks": missing}
        if self.states.setdefault(checksum, 0) < self.busy:
            self.states[checksum] += 1
            return {"state": "created" if self.states[checksum] == 1 else "assembling", "missingChunks": []}
        content = b"".join(self.blobs[one] for one in chunks)
        self.expect(sha1(content) == checksum, f"file {checksum}")
        self.files[checksum] = (name, debug_id, content)
        return {"state": "ok", "missingChunks": [], "detail": None, "dif": {"debugId": debug_id}}


class Run:
    """One upload of a store to a receiver, and what came."""

    def __init__(self, upload, crashsym, store, plan, *options, to=None, names=NAMES, **more):
        environment = {"SENTRY_AUTH_TOKEN": TOKEN, **more}
        with Receiver(plan) as server:
            to = f"sentry:{server.address}" if to is None else to
            run = upload(crashsym, store, to, *names, *options, **{key: value.replace("HERE", server.address)
                                                                  for key, value in environment.items()})
            self.paths = [request.path for request in server.clear()]
        self.status, self.out, self.error, self.lines = run.returncode, run.stdout, run.stderr, run.stderr.splitlines()

    def __repr__(self):
        return f"{self.status} {self.out!r} {self.error!r} {self.paths}"


def plain(checks, run, store, build_id):
    files = {sha1(path.read_bytes()): path for path in (store / ".build-id").glob("*/*")}
    debug_id = str(uuid.UUID(bytes_le=bytes.fromhex(build_id)[:16]))
    plan = Sentry()
    first = run(plan)
    kept = {checksum: content for checksum, (_, _, content) in plan.files.items()}
    checks.expect(first.status == DONE and first.out.count("uploaded") == 2 and not plan.wrong
                  and kept == {checksum: path.read_bytes() for checksum, path in files.items()}, "Sentry: each file arrives", f"{first} {plan.wrong}")
    checks.expect({one for _, one, _ in plan.files.values()} == {debug_id}, "by its debug id", plan.files.values())
    checks.expect(len(plan.blobs) > 4 and len(plan.received) == len(plan.blobs), "in chunks, each once", len(plan.received))
    again = run(plan)
    checks.expect(again.status == DONE and again.out.count("already there") == 2 and again.paths == [OPTIONS, ASSEMBLE, ASSEMBLE],
                  "what Sentry has is not sent again", again)
    gone = plan.received[0]
    plan.files.clear()
    del plan.blobs[gone]
    plan.received.clear()
    again = run(plan)
    checks.expect(again.status == DONE and plan.received == [gone] and len(plan.files) == 2, "a chunk that is missing is sent alone",
                  f"{again} {plan.received}")
    plan = Sentry()
    plan.lost = 1
    lossy = run(plan)
    checks.expect(lossy.status == DONE and len(plan.received) == len(plan.blobs) + 1 and len(plan.files) == 2,
                  "a chunk that Sentry loses is sent again", lossy)
    plan = Sentry()
    plan.lost = 10**9
    lossy = run(plan)
    checks.expect(lossy.status == LATER and len(lossy.lines) == 1 and lossy.paths.count(ASSEMBLE) == 4, "but not without end", lossy)
    return debug_id


def event(checks, crashsym, parent, build_id, debug_id):
    """The event of a crash in this build has the debug id that the file was uploaded by."""
    report = json.loads((FIXTURES / "full.json").read_text())
    report["images"][0]["buildId"] = build_id
    folder = parent / "reports"
    folder.mkdir()
    (folder / "crash-1.json").write_text(json.dumps(report))
    with Receiver() as server:
        sent = Sender(crashsym, folder).send(f"sentry:{server.address.replace('//', '//key@')}/1")
        bodies = [request.body for request in server.clear()]
    images = json.loads(bodies[0].split(b"\n")[2])["debug_meta"]["images"] if bodies else []
    checks.expect([image["debug_id"] for image in images if image.get("code_id") == build_id] == [debug_id],
                  "the event of a crash has the same debug id", f"{sent.stderr} {[image.get('code_id') for image in images]}")


def secrets(checks, run, parent):
    without = run(Sentry(), SENTRY_AUTH_TOKEN="")
    checks.expect(without.status == USAGE and len(without.lines) == 1 and not without.paths, "without a token: usage", without)
    wrong = run(Sentry(), SENTRY_AUTH_TOKEN="other-secret")
    checks.expect(wrong.status == BAD and len(wrong.lines) == 1 and "401" in wrong.error and "other-secret" not in wrong.error
                  and wrong.paths == [OPTIONS], "401: refused, in one line", wrong)
    seen = run(Sentry(), "--key", TOKEN)
    checks.expect(seen.status == USAGE and TOKEN not in seen.error and not seen.paths, "a token on the command line is refused", seen)
    (parent / "token").write_text(f"{TOKEN}\n")
    kept = run(Sentry(), "--key", f"file:{parent / 'token'}", SENTRY_AUTH_TOKEN="other")
    checks.expect(kept.status == DONE, "a token from a file comes first", kept)
    for to in ("sentry", "sentry:"):
        kept = run(Sentry(), to=to, names=(), SENTRY_URL="HERE", SENTRY_ORG=ORGANISATION, SENTRY_PROJECT=PROJECT)
        checks.expect(kept.status == DONE and OPTIONS in kept.paths, f"{to}: all from the environment", kept)
    for names, to in ((NAMES[:2], None), (NAMES[2:], None), (("--org", "a/../b", *NAMES[2:]), None), (("--org", "..", *NAMES[2:]), None),
                      (NAMES, "sentry:ftp://x"), (NAMES, "http://127.0.0.1:1")):
        bad = run(Sentry(), to=to, names=names)
        checks.expect(bad.status == USAGE and not bad.paths, f"{names} {to}: usage", bad)


def faults(checks, run):
    for step, path in STEPS.items():
        for name, given, status in (("500", Answer(500), LATER), ("429", Answer(429), LATER), ("never", NEVER, LATER),
                                    ("nothing", NOTHING, LATER), ("an hour", Answer(429, {"Retry-After": "3600"}), LATER),
                                    ("half", Answer(200, body=b"{", length=9), LATER), ("413", Answer(413), BAD)):
            plan = Sentry()
            plan.answers[path] = [given] * 2
            bad = run(plan, *(["--timeout", "3"] if given is NEVER else []))
            lines = 2 if status == BAD and step != "limits" else 1
            # libcurl itself asks again if a connection that it has used before closes without an answer.
            asked = (1, 2) if given is NOTHING else (lines,)
            checks.expect(bad.status == status and len(bad.lines) == lines and bad.paths.count(path) in asked, f"{step}, {name}: status {status}", bad)
            if step == "chunks":
                plan.answers.clear()
                whole = run(plan)
                checks.expect(whole.status == DONE and len(plan.files) == 2 and not plan.wrong, f"{name}: the next one completes it", whole)
        plan = Sentry()
        plan.answers[path] = [Answer(429, {"Retry-After": "1"}), Answer(503, {"Retry-After": "1"})]
        waited = run(plan)
        times = [moment for one, moment in plan.times if one == path][:3]
        checks.expect(waited.status == DONE and times[1] - times[0] >= 1 and times[2] - times[1] >= 1, f"{step}: Retry-After is kept to", times)


def answers(checks, run):
    plan = Sentry()
    plan.error = "broken\nfile"
    bad = run(plan)
    checks.expect(bad.status == BAD and len(bad.lines) == 2 and "broken" in bad.error and not plan.received, "state error: refused, with why", bad)
    plan = Sentry()
    plan.busy = 10**9
    slow = run(plan, "--timeout", "3")
    checks.expect(slow.status == LATER and len(slow.lines) == 1 and slow.paths.count(ASSEMBLE) < 12 and not plan.files,
                  "never put together: later", slow)
    for what, limits, status in (("an absolute address", {"url": f"http://HERE{CHUNKS}"}, DONE), ("one below the interface", {"url": "other/chunks/"}, DONE),
                                 ("another hash", {"hashAlgorithm": "sha256"}, BAD),
                                 ("no debug files", {"accept": ["sources"]}, BAD), ("small files only", {"maxFileSize": 100}, BAD),
                                 ("no size of chunks", {"chunkSize": 0}, BAD), ("huge chunks", {"chunkSize": 1 << 62, "maxRequestSize": 1 << 62}, DONE),
                                 ("too many chunks", {"chunkSize": 1}, BAD), ("no address", {"url": "ftp://x/"}, BAD)):
        plan = Sentry(**limits)
        one = run(plan)
        checks.expect(one.status == status and not plan.wrong and (status == DONE or one.lines and not plan.received),
                      f"{what}: status {status}", f"{one} {plan.wrong}")
    for what, content in (("a page", b"<html>"), ("no state", b"{}"), ("another chunk", None)):
        plan = Sentry()
        if content is None:
            plan.state = lambda checksum, **file: {"state": "not_found", "missingChunks": [sha1(b"x")]}
        else:
            plan.answers[ASSEMBLE] = [Answer(200, body=content)] * 2
        bad = run(plan)
        checks.expect(bad.status == BAD and len(bad.lines) == 2 and not plan.received, f"{what} as an answer: refused", bad)


def encrypted(checks, crashsym, parent, store, upload):
    """A token that came by TLS goes to no address without."""
    good, authority = certificate(parent, "sentry", "IP:127.0.0.1")
    for url, status in ((CHUNKS, DONE), (f"http://HERE{CHUNKS}", BAD)):
        plan = Sentry(url=url)
        with Receiver(plan, certificate=good) as server:
            run = upload(crashsym, store, f"sentry:{server.address}", *NAMES, "--ca-file", str(authority), SENTRY_AUTH_TOKEN=TOKEN)
            paths = [request.path for request in server.clear()]
        checks.expect(run.returncode == status and (status == DONE or paths == [OPTIONS]), f"by TLS, chunks to {url}: {status}", f"{run.stderr} {paths}")


def large(checks, run_in, parent, crashsym):
    """What is in memory does not grow with the file."""
    size, most = 96 << 20, 80 << 10
    store = parent / "large"
    shelf = store / ".build-id" / "ab"
    shelf.mkdir(parents=True)
    (shelf / "cdef.debug").write_bytes(os.urandom(size))
    plan = Sentry(chunkSize=1 << 20, chunksPerRequest=64, maxRequestSize=32 << 20)
    used = []

    def watch():
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.readlink(f"/proc/{name}/exe") == str(crashsym) and str(store) in open(f"/proc/{name}/cmdline").read():
                    used.append(int(re.search(r"VmHWM:\s*(\d+)", open(f"/proc/{name}/status").read())[1]))
            except OSError:
                pass

    plan.watch = watch
    run = run_in(store, plan)
    checks.expect(run.status == DONE and not plan.wrong and len(plan.blobs) == size >> 20, "a large file arrives", f"{run} {plan.wrong}")
    checks.expect(used and max(used) < most, "and is not in memory as a whole", max(used, default=None))
    shutil.rmtree(store)


def check(checks, crashsym, parent, store, build_id, upload):
    def run_in(folder, plan, *options, **more):
        return Run(upload, crashsym, folder, plan, *options, **more)

    def run(plan, *options, **more):
        return run_in(store, plan, *options, **more)

    debug_id = plain(checks, run, store, build_id)
    event(checks, crashsym, parent, build_id, debug_id)
    secrets(checks, run, parent)
    faults(checks, run)
    answers(checks, run)
    encrypted(checks, crashsym, parent, store, upload)
    large(checks, run_in, parent, crashsym)
