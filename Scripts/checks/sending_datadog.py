"""What crashsym send hands to Datadog's agent and to its errors intake, held to libdatadog's RFC 0013 and its stacks' RFC 0011."""

import json
import re

from sending_receiver import Answer, Complaints, Receiver
from sending_reports import KINDS

ADDRESS = r"0x[0-9a-f]{16}"
LARGEST = 1_000_000
# The fields of each object: their types, and whether they must be there.
TOP = {"timestamp": (int, True), "ddsource": (str, True), "ddtags": (str, True), "error": (dict, True), "os_info": (dict, True),
       "sig_info": (dict, False), "trace_id": (str, False)}
ERROR = {"type": (str, True), "message": (str, False), "stack": (dict, False), "thread_name": (str, False),
         "threads": (list, False), "is_crash": (bool, True), "fingerprint": (str, False), "source_type": (str, True)}
SYSTEM = {key: (str, True) for key in ("architecture", "bitness", "os_type", "version")}
SIGNAL = {"si_addr": (str, False), "si_code": (int, True), "si_code_human_readable": (str, True), "si_signo": (int, True),
          "si_signo_human_readable": (str, True)}
STACK = {"format": (str, True), "frames": (list, True), "incomplete": (bool, True)}
THREAD = {"crashed": (bool, True), "name": (str, True), "stack": (dict, True), "state": (str, False)}
FRAME = {**{key: (str, False) for key in (
    "ip", "module_base_address", "symbol_address", "relative_address", "build_id", "build_id_type", "file_type", "path", "file",
    "function", "mangled_name")}, "line": (int, False), "column": (int, False)}
TAGS = ["service", "language_name", "data_schema_version", "incomplete", "is_crash", "uuid"]


class Payload(Complaints):
    """Holds a payload to the two RFCs; collects what is wrong."""

    def __init__(self, payload):
        super().__init__()
        self.payload = payload

    def fields(self, value, known, what):
        self.expect(not set(value) - set(known), f"{what}: unknown {set(value) - set(known)}")
        for key, (kind, required) in known.items():
            self.expect(key in value or not required, f"{what}: no {key}")
            self.expect(key not in value or type(value[key]) is kind, f"{what}: {key} is no {kind.__name__}")

    def check(self):
        payload, error = self.payload, self.payload["error"]
        self.fields(payload, TOP, "payload")
        self.fields(error, ERROR, "error")
        self.fields(payload["os_info"], SYSTEM, "os_info")
        self.expect(payload["timestamp"] > 10**12 and payload["ddsource"] == "crashtracker"
                    and error["source_type"] == "Crashtracking" and 0 < len(error["type"]) <= 128, "fixed words")
        self.expect(re.fullmatch("[0-9a-f]{32}", payload.get("trace_id", "0" * 32)), "trace_id")
        if signal := payload.get("sig_info"):
            self.fields(signal, SIGNAL, "sig_info")
            self.expect(re.fullmatch(r"SIG[A-Z0-9]+|UNKNOWN", signal["si_signo_human_readable"])
                        and re.fullmatch(r"(BUS|ILL|SEGV|SI|SYS)_[A-Z_]+|UNKNOWN", signal["si_code_human_readable"])
                        and re.fullmatch(ADDRESS, signal.get("si_addr", "0x" + "0" * 16)), "names of the signal")
        if "stack" in error:
            self.stack(error["stack"], 1)
        for thread in error.get("threads", []):
            self.fields(thread, THREAD, "thread")
            self.expect(thread["name"] and "\n" not in thread["name"], "name of a thread")
            self.stack(thread["stack"], 0)
        self.tags()
        return self.wrong

    def stack(self, stack, least):
        self.fields(stack, STACK, "stack")
        self.expect(stack["format"] == "Datadog Crashtracker 1.0" and len(stack["frames"]) >= least, "stack")
        for frame in stack["frames"]:
            self.fields(frame, FRAME, "frame")
            for key in ("ip", "module_base_address", "symbol_address", "relative_address"):
                self.expect(re.fullmatch(ADDRESS, frame.get(key, "0x" + "0" * 16)), f"{key} {frame.get(key)}")
            self.expect(frame.get("line", 1) > 0 and frame.get("column", 1) > 0, "line")
            self.expect(frame.get("build_id_type", "GNU") == "GNU" and frame.get("file_type", "ELF") == "ELF", "kind of file")
            self.expect(frame.get("build_id", "") == frame.get("build_id", "").lower(), "build_id")

    def tags(self):
        pairs = [pair.partition(":") for pair in self.payload["ddtags"].split(",")]
        names = [name for name, _, _ in pairs]
        self.expect(len(set(names)) == len(names) and len(names) <= 100, f"names of tags {names}")
        self.expect(all(re.fullmatch(r"[\w./-]{1,200}", name) and re.fullmatch(r"[\w:./-]{1,200}", value)
                        for name, _, value in pairs), f"tags {pairs}")


def tags(payload):
    return dict(pair.split(":", 1) for pair in payload["ddtags"].split(","))


def check_one(checks, products, folder, make, name, file):
    place = folder / name
    place.mkdir()
    (place / file.name).write_bytes(file.read_bytes())
    sender = make(products / "crashsym", place)
    with Receiver() as server:
        run = sender.send(f"datadog:{server.address}", "--unscrubbed", DD_ENV="staging,service:evil", DD_API_KEY="not-for-agents")
        got = server.clear()
        if not checks.expect(run.returncode == 0 and len(got) == 1, f"{name}: Datadog's agent gets an error",
                             f"{run.stderr} {len(got)}"):
            return
    request, payload = got[0], json.loads(got[0].body)
    checks.expect(request.path == "/evp_proxy/v4/api/v2/errorsintake" and "dd-api-key" not in request.headers
                  and request.headers["x-datadog-evp-subdomain"] == "error-tracking-intake"
                  and request.headers["content-type"] == "application/json", f"{name}: path and headers",
                  f"{request.path} {request.headers}")
    wrong = Payload(payload).check()
    checks.expect(not wrong, f"{name}: each field is as Datadog has it", wrong[:5])
    checks.expect(len(request.body) <= LARGEST, f"{name}: the error is not too large", len(request.body))
    found = tags(payload)
    checks.expect(all(tag in found for tag in TAGS) and found["env"] == "staging_service:evil"
                  and found["fingerprint"] == payload["error"]["fingerprint"], f"{name}: tags", found)
    if name in KINDS:
        real(checks, name, payload, json.loads(file.read_text()))


def real(checks, name, payload, report):
    """A crash of a real program."""
    error, frames = payload["error"], payload["error"]["stack"]["frames"]
    crashed = next(thread for thread in report["threads"] if thread.get("crashed"))
    ours = [frame for frame in crashed["frames"] if frame["kind"] not in ("omittedFrames", "truncated")]
    checks.expect(error["type"] == report["signal"]["name"] and error["is_crash"]
                  and payload["sig_info"]["si_signo"] == report["signal"]["number"], f"{name}: the signal", error["type"])
    checks.expect(any(KINDS[name] in frame.get("function", "") for frame in frames) and frames[0]["ip"] == ours[0]["address"]
                  and any("line" in frame and frame["file"] for frame in frames), f"{name}: the stack", frames[:3])
    bases = {image["baseAddress"]: image for image in report["images"]}
    checks.expect(all(int(frame["ip"], 16) == int(frame["module_base_address"], 16) + int(frame["relative_address"], 16)
                      and frame.get("build_id") == bases[frame["module_base_address"]].get("buildId")
                      for frame in frames if "module_base_address" in frame), f"{name}: frames and images go together")
    least = 150 if name == "thousand-threads" else min(len(report["threads"]) - 1, 200)
    checks.expect(len(error["threads"]) >= least, f"{name}: as many threads as fit",
                  len(error["threads"]))


def places(checks, products, folder, make):
    """The intake with its key, the agent from the environment, and keys that are refused."""
    from sending import report
    place = folder / "places"
    place.mkdir()
    for number in range(3):
        name, text = report(number, function="loop()")
        (place / name).write_text(text)
    sender = make(products / "crashsym", place)
    key = folder / "key.txt"
    key.write_text("k-secret\n")
    with Receiver() as server:
        intake = f"datadog:{server.address}/api/v2/errorsintake"
        run = sender.send(intake)
        checks.expect(run.returncode == 64 and "DD_API_KEY" in run.stderr, "the intake needs a key", run.stderr)
        run = sender.send(intake, "--key", "k-secret")
        checks.expect(run.returncode == 64 and "k-secret" not in run.stderr and not server.clear(),
                      "a key on the command line is refused, and not repeated", run.stderr)
        run = sender.send(intake, "--key", f"file:{key}", DD_SERVICE="shop", DD_VERSION="7")
        got = server.clear()
        checks.expect(run.returncode == 0 and len(got) == 2 and got[0].path == "/api/v2/errorsintake"
                      and got[0].headers["dd-api-key"] == "k-secret" and "x-datadog-evp-subdomain" not in got[0].headers,
                      "the intake gets the key from a file", f"{run.stderr} {[request.path for request in got]}")
        first, count = (json.loads(request.body) for request in got)
        checks.expect(tags(first)["service"] == "shop" and tags(first)["version"] == "7", "DD_SERVICE and DD_VERSION hold",
                      first["ddtags"])
        checks.expect(not Payload(count).check() and tags(count)["crashkit.count"] == "2"
                      and count["error"]["fingerprint"] == first["error"]["fingerprint"], "a count is an error of the same issue",
                      f"{Payload(count).check()} {count}")
        sender.forget()
        sender.send(intake, "--key", "env:GIVEN", GIVEN="other")
        checks.expect(server.clear()[0].headers["dd-api-key"] == "other", "or from the environment")
        sender.forget()
        run = sender.send(f"datadog:{server.address}", "--key", f"file:{key}")
        checks.expect(run.returncode == 64 and not server.clear(), "an agent gets no key", run.stderr)
        run = sender.send(f"webhook:{server.address}", "--key", f"file:{key}")
        checks.expect(run.returncode == 64 and not server.clear(), "nor does a place that wants none", run.stderr)
        sender.send("datadog", DD_TRACE_AGENT_URL=server.address)
        checks.expect(len(server.clear()) == 2, "DD_TRACE_AGENT_URL names the agent")
        sender.forget()
        sender.send("datadog", DD_AGENT_HOST="127.0.0.1", DD_TRACE_AGENT_PORT=str(server.port))
        checks.expect(len(server.clear()) == 2, "so do DD_AGENT_HOST and DD_TRACE_AGENT_PORT")
        sender.forget()


def answers(checks, products, folder, make):
    from sending import report
    cases = [(202, {}, 0, 1), (400, {}, 65, 1), (403, {}, 75, 1), (413, {}, 65, 1), (429, {"Retry-After": "60"}, 75, 1),
             (500, {}, 75, 1)]
    for number, (status, headers, code, requests) in enumerate(cases):
        place = folder / f"answer-{number}"
        place.mkdir()
        file, text = report(number)
        (place / file).write_text(text)
        with Receiver(lambda request, number: Answer(status, headers)) as server:
            run = make(products / "crashsym", place).send(f"datadog:{server.address}/")
            checks.expect(run.returncode == code and len(server.requests) == requests, f"Datadog: {status}: status {code}",
                          f"{run.returncode} {len(server.requests)} {run.stderr}")


def check(checks, products, folder, make, reports):
    place = folder / "datadog"
    place.mkdir()
    for name, file in reports.items():
        check_one(checks, products, place, make, name, file)
    places(checks, products, place, make)
    answers(checks, products, place, make)
