"""What crashsym send hands to Sentry, read by the envelope reader of Sentry's own SDK and held to its protocol.

sentry-sdk, sentry-relay, and what sending_otlp.py needs, come from PyPI into .build/sending-readers. Relay is what Sentry takes events in with.
The SDK's own events go through the same checks as a control.
"""

import json
import re

import foreign_readers
import support
from sending_receiver import Answer, Complaints, Receiver
from sending_reports import KINDS

READERS = support.ROOT / ".build" / "sending-readers"
PACKAGES = ["sentry-sdk==2.*", "sentry-relay==0.10.*", "opentelemetry-proto==1.*"]
# Relay takes reports of any age here: fixtures get older.
RELAY = {"max_secs_in_past": 10**10, "max_secs_in_future": 10**10, "remove_other": True, "enable_trimming": True}
HEX = r"0x[0-9a-f]{1,16}"
LEVELS = {"fatal", "error", "warning", "info", "debug"}
LARGEST_EVENT = 1 << 20
LONGEST = {"release": 200, "environment": 64, "server_name": 256}


def readers():
    """Makes the readers importable; returns why that failed, or None."""
    return foreign_readers.install(READERS, PACKAGES)


def envelope(body):
    """Header, event and attachments, by the SDK."""
    from sentry_sdk.envelope import Envelope
    read = Envelope.deserialize(body)
    attachments = [item for item in read.items if item.type == "attachment"]
    return read.headers, read.get_event(), attachments


def complaints(event):
    """What Sentry's Relay drops or cuts of an event, by the place of each: it says so in _meta."""
    from sentry_relay.processing import StoreNormalizer
    normalised = StoreNormalizer(project_id=1, protocol_version="7", **RELAY).normalize_event(event)
    found = {}

    def walk(notes, place):
        for key, value in notes.items():
            if key == "":
                found[place] = value
            else:
                walk(value, f"{place}/{key}")

    walk(normalised.get("_meta", {}), "")
    kept = {name for name, _ in normalised.get("tags") or []}
    for name in set(event.get("tags", {})) - kept:
        found[f"/tags/{name}"] = {"err": ["dropped"]}
    return found


class Event(Complaints):
    """Holds an event to what Sentry's documentation says of each of its fields; collects what is wrong."""

    def __init__(self, event):
        super().__init__()
        self.event = event

    def check(self):
        event = self.event
        self.expect(re.fullmatch(r"[0-9a-f]{32}", event.get("event_id", "")), "event_id")
        self.expect(event.get("level", "error") in LEVELS, f"level {event.get('level')}")
        self.expect(isinstance(event.get("timestamp"), str) and event["timestamp"].endswith("Z"), "timestamp")
        for key, longest in LONGEST.items():
            text = event.get(key)
            self.expect(text is None or (isinstance(text, str) and 0 < len(text) <= longest and "\n" not in text), key)
        self.expect(all(isinstance(part, str) for part in event.get("fingerprint", [])), "fingerprint")
        for exception in event.get("exception", {}).get("values", []):
            self.exception(exception)
        numbers = [thread["id"] for thread in event.get("threads", {}).get("values", [])]
        self.expect(len(set(numbers)) == len(numbers), "thread ids are unique")
        for thread in event.get("threads", {}).get("values", []):
            self.thread(thread)
        for image in event.get("debug_meta", {}).get("images", []):
            self.image(image)
        for crumb in self.values("breadcrumbs"):
            self.expect(crumb.get("level", "info") in LEVELS and isinstance(crumb.get("data", {}), dict), "breadcrumb")
            self.expect(isinstance(crumb.get("timestamp", ""), str), "time of a breadcrumb")
        for name, value in event.get("tags", {}).items():
            self.expect(re.fullmatch(r"[a-zA-Z0-9_.:-]{1,200}", name), f"tag {name!r}")
            self.expect(isinstance(value, str) and 0 < len(value) <= 200 and "\n" not in value, f"value of {name}")
        trace = event.get("contexts", {}).get("trace")
        self.expect(trace is None or (re.fullmatch("[0-9a-f]{32}", trace["trace_id"])
                                      and re.fullmatch("[0-9a-f]{16}", trace["span_id"])), f"trace {trace}")
        self.expect(all(isinstance(context, dict) for context in event.get("contexts", {}).values()), "contexts")
        return self.wrong

    def values(self, key):
        held = self.event.get(key, {})
        return held.get("values", []) if isinstance(held, dict) else held

    def exception(self, exception):
        self.expect(exception.get("type") and len(exception["type"]) <= 128, "type of the exception")
        self.expect(isinstance(exception.get("value", ""), str) and len(exception.get("value", "").encode()) <= 8192, "value")
        mechanism = exception.get("mechanism", {})
        self.expect(mechanism.get("type") and isinstance(mechanism.get("handled"), bool), "mechanism")
        signal = mechanism.get("meta", {}).get("signal")
        self.expect(signal is None or isinstance(signal.get("number"), int), "mechanism.meta.signal.number")
        self.stack(exception.get("stacktrace"))

    def thread(self, thread):
        self.expect(isinstance(thread.get("id"), (int, str)), "id of a thread")
        for key in ("crashed", "current", "main"):
            self.expect(isinstance(thread.get(key, False), bool), key)
        for address, lock in thread.get("held_locks", {}).items():
            self.expect(re.fullmatch(HEX, address) and lock.get("address") == address, "held_locks: address")
            self.expect(lock.get("type") in (1, 2, 4, 8), "held_locks: type")
            self.expect(isinstance(lock.get("class_name", ""), str) and isinstance(lock.get("thread_id", 0), int), "held_locks")
        self.stack(thread.get("stacktrace"))

    def stack(self, stack):
        if stack is None:
            return
        self.expect(0 < len(stack["frames"]) <= 250, f"{len(stack['frames'])} frames")
        omitted = stack.get("frames_omitted")
        self.expect(omitted is None or (len(omitted) == 2 and omitted[0] < omitted[1]), "frames_omitted")
        for frame in stack["frames"]:
            for key in ("instruction_addr", "symbol_addr", "image_addr"):
                self.expect(key not in frame or re.fullmatch(HEX, frame[key]), f"{key} {frame.get(key)}")
            for key in ("lineno", "colno"):
                self.expect(key not in frame or (isinstance(frame[key], int) and frame[key] > 0), key)
            self.expect(isinstance(frame.get("in_app", False), bool), "in_app")
            for key in ("function", "filename", "abs_path", "package", "raw_function"):
                self.expect(key not in frame or isinstance(frame[key], str), key)
            self.expect(frame.get("function") or frame.get("instruction_addr") or frame.get("filename"), "a frame says nothing")

    def image(self, image):
        self.expect(image.get("type") == "elf" and re.fullmatch(HEX, image.get("image_addr", "")), "image")
        self.expect(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", image.get("debug_id", "")), "debug_id")
        self.expect(isinstance(image.get("image_size", 1), int) and image.get("image_size", 1) > 0, "image_size")


def control(checks):
    """The SDK's own event, as the SDK hands it to its transport."""
    import sentry_sdk
    from sentry_sdk.transport import Transport
    from sentry_sdk.utils import event_from_exception
    bodies = []

    class Kept(Transport):
        def capture_envelope(self, envelope):
            bodies.append(envelope.serialize())

    client = sentry_sdk.Client(dsn="https://key@sentry.example/7", transport=Kept, default_integrations=False)
    try:
        {}["missing"]
    except KeyError as error:
        client.capture_event(*event_from_exception(error, client_options=client.options))
    client.close()
    event = envelope(bodies[0])[1] if len(bodies) == 1 else None
    if not checks.expect(event, "sentry-sdk makes an event", bodies):
        return
    wrong = Event(event).check()
    checks.expect(not wrong and not complaints(event), "it passes the checks of fields, and Relay takes all of it",
                  f"{wrong} {complaints(event)}")
    wrong = {**event, "release": "r" * 201, "tags": {"user": "x", "site": "y"}}
    checks.expect(sorted(complaints(wrong)) == ["/release", "/tags/user"], "and Relay finds what is wrong", complaints(wrong))


def send(checks, products, folder, make, name, file):
    """The request that came of one report."""
    place = folder / f"sent-{name}"
    place.mkdir()
    (place / file.name).write_bytes(file.read_bytes())
    with Receiver() as server:
        dsn = server.address.replace("//", "//publickey@") + "/base/42"
        run = make(products / "crashsym", place).send("sentry", "--unscrubbed", SENTRY_DSN=dsn, SENTRY_ENVIRONMENT="staging")
        got = server.clear()
    if checks.expect(run.returncode == 0 and len(got) == 1, f"{name}: Sentry gets an envelope", f"{run.stderr} {len(got)}"):
        return got[0]
    return None


def check_one(checks, products, folder, make, name, file):
    request = send(checks, products, folder, make, name, file)
    if request is None:
        return
    auth = request.headers.get("x-sentry-auth", "")
    checks.expect(request.path == "/base/api/42/envelope/" and "sentry_key=publickey" in auth and "sentry_version=7" in auth
                  and request.headers["content-type"] == "application/x-sentry-envelope", f"{name}: path and headers",
                  f"{request.path} {request.headers}")
    header, event, attachments = envelope(request.body)
    report = json.loads(file.read_text())
    wrong = Event(event).check()
    checks.expect(not wrong, f"{name}: each field is as Sentry has it", wrong)
    found = complaints(event)
    if name == "hostile":
        # It cuts long texts shorter than an event has to.
        found = {place: note for place, note in found.items() if note.get("err")}
    checks.expect(not found, f"{name}: Relay takes all of it", dict(list(found.items())[:5]))
    checks.expect(header["event_id"] == event["event_id"] and header["sent_at"] > event["timestamp"], f"{name}: header", header)
    size = len(json.dumps(event))
    checks.expect(size <= LARGEST_EVENT, f"{name}: the event is not too large", size)
    whole = json.loads(attachments[0].payload.get_bytes()) if len(attachments) == 1 else {}
    checks.expect(len(whole.get("threads", [])) == len(report["threads"]) and whole.get("fingerprint"),
                  f"{name}: the whole report goes along", list(whole))
    checks.expect(event["fingerprint"] == ["crashkit", whole["fingerprint"]["value"]] and event["platform"] == "native"
                  and event["environment"] == "staging", f"{name}: fingerprint, platform, environment", event["fingerprint"])
    if name == "hostile":
        return
    exception = event["exception"]["values"][0]
    mechanism = exception["mechanism"]
    checks.expect(exception["type"] == report["signal"]["name"] and mechanism["type"] == "signalhandler"
                  and mechanism["synthetic"] is True and mechanism["handled"] is False and event["level"] == "fatal"
                  and mechanism["meta"]["signal"]["number"] == report["signal"]["number"], f"{name}: the signal", exception["type"])
    crashed = next(thread for thread in report["threads"] if thread.get("crashed"))
    shown = [thread for thread in event["threads"]["values"] if thread["crashed"]]
    checks.expect(len(shown) == 1 and shown[0]["id"] == crashed["id"] == exception["thread_id"] and "stacktrace" not in shown[0]
                  and shown[0]["current"], f"{name}: the crashed thread has its stack in the exception", shown)
    if name in KINDS:
        real(checks, name, event, report, whole)


def real(checks, name, event, report, whole):
    """A crash of a real program."""
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    named = [frame.get("function", "") for frame in frames]
    crashed = next(thread for thread in whole["threads"] if thread.get("crashed"))
    ours = [frame for frame in crashed["frames"] if frame["kind"] not in ("omittedFrames", "truncated")]
    checks.expect(any(KINDS[name] in function for function in named), f"{name}: the function", named[-4:])
    checks.expect(len(frames) == min(len(ours), 250) and frames[-1]["instruction_addr"] == ours[0]["address"],
                  f"{name}: the newest frame comes last", frames[-1])
    own = [frame for frame in frames if frame["in_app"]]
    checks.expect(own and all(frame.get("lineno") and frame["abs_path"].endswith(frame["filename"]) for frame in own[-1:]),
                  f"{name}: file and line of the program's own frame", own[-1:])
    images = {image["image_addr"]: image for image in event["debug_meta"]["images"]}
    by_base = {image["baseAddress"]: image for image in report["images"]}
    checks.expect(all(frame["image_addr"] in images for frame in frames if "image_addr" in frame)
                  and all(images[base].get("code_id") == by_base[base].get("buildId") for base in images),
                  f"{name}: frames and images go together", len(images))
    if name == "thousand-threads":
        checks.expect(len(event["threads"]["values"]) > 200, f"{name}: as many threads as fit",
                      len(event["threads"]["values"]))
    if name == "mutex-cycle":
        locks = [lock for thread in event["threads"]["values"] for lock in thread.get("held_locks", {}).values()]
        owners = {lock.get("thread_id") for lock in locks if lock["type"] == 8}
        checks.expect(len(owners - {None}) >= 2, f"{name}: who waits for whom", locks)


def limits(checks, products, folder, make):
    """Sentry's own header of limits, a count of a loop, and an event that is too large with its attachment."""
    from sending import report
    place = folder / "limits"
    place.mkdir()
    for number in range(3):
        name, text = report(number, function="loop()")
        (place / name).write_text(text)
    sender = make(products / "crashsym", place)
    with Receiver() as server:
        dsn = server.address.replace("//", "//key@") + "/1"
        run = sender.send(f"sentry:{dsn}")
        got = [envelope(request.body)[1] for request in server.clear()]
        checks.expect(run.returncode == 0 and len(got) == 2 and got[0]["fingerprint"] == got[1]["fingerprint"]
                      and got[1]["tags"]["crashkit.count"] == "2" and not Event(got[1]).check(),
                      "a count is an event of the same issue", f"{run.stderr} {got[1:]}")
        sender.forget()
    large = lambda request, number: Answer(413 if b'"type":"attachment"' in request.body else 200)
    with Receiver(large) as server:
        run = sender.send(f"sentry:{server.address.replace('//', '//key@')}/1")
        checks.expect(run.returncode == 0 and len(server.clear()) == 3, "after 413 the attachment is left out", run.stderr)
        sender.forget()
    limited = lambda request, number: Answer(200, {"X-Sentry-Rate-Limits": "900:error;default:organization:quota"})
    with Receiver(limited) as server:
        run = sender.send(f"sentry:{server.address.replace('//', '//key@')}/1")
        checks.expect(run.returncode == 75 and len(server.clear()) == 1, "X-Sentry-Rate-Limits is obeyed", run.stderr)
        sender.forget()
    other = lambda request, number: Answer(200, {"X-Sentry-Rate-Limits": "900:transaction;session:organization"})
    with Receiver(other) as server:
        run = sender.send(f"sentry:{server.address.replace('//', '//key@')}/1")
        checks.expect(run.returncode == 0 and len(server.clear()) == 2, "limits of other things are no matter", run.stderr)


def check(checks, products, folder, make, reports):
    if reason := readers():
        return checks.skip("what Sentry gets", reason)
    place = folder / "sentry"
    place.mkdir()
    control(checks)
    for name, file in reports.items():
        check_one(checks, products, place, make, name, file)
    limits(checks, products, place, make)
