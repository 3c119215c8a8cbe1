"""A report in which every text is hostile, and reports of other versions, through each destination.

Each payload must be read by a strict reader, have no control character that is not escaped, and keep to the limits of its place. A chat must see no
mention and no link. Scrubbed, none may have a secret that was planted.
"""

import json
import re

import foreign_readers
import formats
import sending_datadog
import sending_otlp
import sending_sentry
import support
from sending_receiver import Receiver
from sending_reports import FIXTURES, KEPT_KEYS

CANARY = "canary5f1c77e90d2a6835ce1b"
# What a scrubbed report keeps nowhere, whatever the key: the same kinds as in ScrubbedReportTests.swift.
SECRETS = [f"postgres://u:{CANARY}@db/app", f"ghp_{CANARY}", f"/home/{CANARY}/api", f"https://hooks.slack.com/services/{CANARY}",
           f"-----BEGIN PRIVATE KEY-----\n{CANARY}"]
# What the program itself put in: none of it stays.
OWN = "own-text-of-the-program"
CHAT = "<!channel> <!here|x> <@U1> <http://evil.example|bank.example> & &lt; @channel @everyone [bank](http://evil.example) *b* ```"
TEXT = f"{formats.HOSTILE}\r\n\x00\x01\x7f\x9b{CHAT} {'y' * 6000}\n" + "\n".join(SECRETS)
RELEASES = support.ROOT / "Tests" / "Releases"
LARGEST = {"sentry": 1 << 20, "otlp": 1 << 20, "otlp-json": 1 << 20, "datadog": 1_000_000, "slack": 4_000 * 4, "webhook": 64 << 20}
LONGEST_MESSAGE = 4_000


def hostile():
    """The report of the views' tests, with the program's own values in the places where they belong."""
    parts = [json.loads((FIXTURES / name).read_text()) for name in ("full.json", "hostile-parts.json")]
    report = foreign_readers.hostile({**parts[0], **parts[1]}, TEXT, KEPT_KEYS)
    report["context"] = {**report.get("context", {}), "name": OWN, "attributes": {"request.id": OWN, "k": TEXT + OWN}}
    report["attributes"] = {**{key: TEXT + OWN for key in report["attributes"]}, "<!channel>": OWN, "a,env:prod": OWN}
    report["process"]["arguments"] = [OWN]
    for crumb in report["breadcrumbs"]:
        crumb.update(message=TEXT + OWN, attributes={"k": OWN})
    report["unknown"] = OWN
    return report


def settings(kind, address):
    """What `--to` and the environment say."""
    place = address.replace("//", "//key@") + "/1" if kind == "sentry" else address
    variables = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"} if kind == "otlp-json" else {}
    return f"{kind.removesuffix('-json')}:{place}", variables


def body(kind, request):
    """What the place reads: the parts of the payload as objects, each read strictly."""
    if kind == "sentry":
        header, event, attachments = sending_sentry.envelope(request.body)
        return [header, event, *(json.loads(one.payload.get_bytes().decode()) for one in attachments)]
    if kind == "otlp":
        return list(sending_otlp.decode(request))
    return [json.loads(request.body.decode())]


def wrong_fields(kind, parts):
    """What the place's own checks of fields say."""
    if kind == "sentry":
        return sending_sentry.Event(parts[1]).check()
    if kind == "datadog":
        return sending_datadog.Payload(parts[0]).check()
    if kind == "slack":
        return chat(parts[0])
    return []


def chat(message):
    text, wrong = message["text"], []
    rest = re.sub("&(amp|lt|gt);", "", text)
    if re.search("[<>&]", rest):
        wrong.append("a character that is not escaped")
    if re.search(r"@\w|\]\(", text):
        wrong.append("a mention or a link")
    if text.count("```") not in (0, 2) or "`" in text.replace("```", ""):
        wrong.append("a fence that the program wrote")
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e]", text):
        wrong.append("a character that is not seen")
    if len(text) > LONGEST_MESSAGE or message["unfurl_links"] or message["unfurl_media"]:
        wrong.append(f"{len(text)} characters, or links are called")
    return wrong


def payload(checks, products, folder, make, kind, text, name, *options):
    place = folder / f"{name}-{kind}"
    place.mkdir()
    (place / "20261127T100000.000Z-1-crashReport.json").write_text(text)
    with Receiver() as server:
        to, variables = settings(kind, server.address)
        run = make(products / "crashsym", place).send(to, *options, **variables)
        got = server.clear()
    if checks.expect(run.returncode == 0 and len(got) == 1, f"{kind}: {name} arrives", f"{run.returncode} {run.stderr}"):
        return got[0]
    return None


def check_one(checks, products, folder, make, kind, report):
    for name, options in (("hostile-scrubbed", []), ("hostile-whole", ["--unscrubbed"])):
        request = payload(checks, products, folder, make, kind, json.dumps(report), name, *options)
        if request is None:
            continue
        try:
            parts = body(kind, request)
            wrong = wrong_fields(kind, parts)
        except (ValueError, KeyError) as error:
            wrong = [repr(error)]
        checks.expect(not wrong, f"{kind}: {name}: it is read, and each field is right", wrong[:5])
        if kind != "otlp":
            loose = {byte for byte in request.body if byte < 0x20} - ({0x0a} if kind == "sentry" else set())
            checks.expect(not loose, f"{kind}: {name}: control characters are escaped", loose)
        size = len(json.dumps(parts[1], ensure_ascii=False).encode()) if kind == "sentry" else len(request.body)
        checks.expect(size <= LARGEST[kind], f"{kind}: {name}: it is not too large", size)
        lines = [line for header in request.headers.items() for line in header if "SCRIPTED" in line]
        checks.expect(not lines, f"{kind}: {name}: no text of the program is in a header", lines)
        if not options:
            left = [text for text in (CANARY, OWN) if text.encode() in request.body]
            checks.expect(not left, f"{kind}: {name}: nothing planted is left", left)
        elif kind == "webhook":
            checks.expect(all(text.encode() in request.body for text in (CANARY, OWN)), "the same report has what was planted")


def versions(checks, products, folder, make, kinds):
    """Reports of all released versions and of one to come, and one that was cut short."""
    for file in sorted(RELEASES.glob("*/*.json")):
        name = f"{file.parent.name}-{file.stem}"
        for kind in kinds:
            request = payload(checks, products, folder, make, kind, file.read_text(), name)
            wrong = request and wrong_fields(kind, body(kind, request))
            checks.expect(not wrong, f"{kind}: {name}: each field is right", wrong)
    whole = (FIXTURES / "full.json").read_text()
    for kind in kinds:
        request = payload(checks, products, folder, make, kind, whole[:len(whole) // 2], "cut")
        wrong = request and wrong_fields(kind, body(kind, request))
        checks.expect(not wrong, f"{kind}: cut: each field is right", wrong)
        if request and kind == "webhook":
            checks.expect(json.loads(request.body)["capture"]["cutShort"], "a report that was cut short says so")
    place = folder / "to-come"
    place.mkdir()
    future = json.loads(whole)
    future.update(schema="crashkit/2", message=OWN)
    (place / "20261127T100000.000Z-1-crashReport.json").write_text(json.dumps(future))
    for kind in kinds:
        with Receiver() as server:
            to, variables = settings(kind, server.address)
            sender = make(products / "crashsym", place)
            run = sender.send(to, "--unscrubbed", **variables)
            again = sender.send(to, "--unscrubbed", **variables)
            checks.expect(run.returncode == 65 and "crashkit/2" in run.stderr and len(run.stderr.splitlines()) == 1
                          and again.returncode == 0 and not again.stderr and not server.clear(),
                          f"{kind}: a report of a version to come is named once and stays", f"{run.returncode} {run.stderr}")
            sender.forget()


def check(checks, products, folder, make, reports):
    place = folder / "hostile-texts"
    place.mkdir()
    kinds = list(LARGEST)
    if reason := sending_sentry.readers():
        checks.skip("what Sentry and a collector get of a hostile report", reason)
        kinds = [kind for kind in kinds if kind != "sentry" and not kind.startswith("otlp")]
    report = hostile()
    for kind in kinds:
        check_one(checks, products, place, make, kind, report)
    versions(checks, products, place, make, kinds)
