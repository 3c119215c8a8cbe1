"""One crash of the server sample, sent to Sentry, to an OpenTelemetry collector and to systemd's journal.

What Sentry's own reader, OpenTelemetry's own messages and coredumpctl read of it has to have the same five values.
"""

import json
import re
import subprocess
import sys

import journal_sent
import sending_otlp
import sending_sentry
import support
from sending import Sender
from sending_receiver import Receiver

NAME = "one request of many"
OPTIONS = ["--keep", "request.id"]
FRAME = r"^ *(?:Message: )?#\d+  (.+?)  at (/.+):(\d+)$"


def by_sentry(crashsym, folder):
    with Receiver() as server:
        run = Sender(crashsym, folder).send(f"sentry:{server.address.replace('//', '//key@')}/1", *OPTIONS)
        got = server.clear()
    if run.returncode or len(got) != 1:
        raise RuntimeError(run.stderr)
    event = sending_sentry.envelope(got[0].body)[1]
    frames = event["exception"]["values"][0]["stacktrace"]["frames"]
    own = [frame for frame in frames if frame["in_app"]][-1]
    return own["function"], own["abs_path"], own["lineno"], event["tags"].get("request.id"), event["fingerprint"][1]


def by_collector(crashsym, folder):
    with Receiver() as server:
        Sender(crashsym, folder).send(f"otlp:{server.address}", *OPTIONS)
        (request,) = server.clear()
    found = sending_otlp.values(sending_otlp.decode(request)[2].attributes)
    return tuple(found.get(key) for key in ("code.function.name", "code.file.path", "code.line.number", "request.id",
                                        "crashkit.fingerprint"))


def by_journal(crashsym, folder):
    """The record with coredumpctl's list and text, or None and why that cannot be had here."""
    command = [sys.executable, str(support.ROOT / "Scripts" / "checks" / "journal_sent.py"), crashsym, folder]
    run = subprocess.run([*command, *OPTIONS], capture_output=True, text=True, timeout=600)
    if run.returncode == journal_sent.UNAVAILABLE:
        return None, run.stderr.strip()
    return json.loads(run.stdout), None


def of_record(fields):
    return (fields["CODE_FUNC"], fields["CODE_FILE"], int(fields["CODE_LINE"]), fields.get("CRASHKIT_CONTEXT_REQUEST_ID"),
            fields["CRASHKIT_FINGERPRINT"])


def of_text(told, function):
    """The values as coredumpctl prints them: of its stack, the first frame of this function."""
    frames = [(name, file, int(line)) for name, file, line in re.findall(FRAME, told, re.M) if name.startswith(function)]
    named = [re.search(rf"^ *{key}: (\S+)$", told, re.M) for key in ("request.id", "fingerprint")]
    return (*(frames or [(None, None, None)])[0], *(found and found[1] for found in named))


def check(checks, crashsym, folder, report, place):
    """`place` is the function, the file and the line that are known from the source."""
    function, file, line = place
    wanted = (file, line, report["context"]["attributes"]["request.id"], report["fingerprint"]["value"])
    arrived = {}
    if reason := sending_sentry.readers():
        checks.skip(f"{NAME}: in Sentry and in a collector", reason)
    else:
        arrived.update(Sentry=by_sentry(crashsym, folder), collector=by_collector(crashsym, folder))
    seen, reason = by_journal(crashsym, folder)
    if seen:
        arrived.update(journal=of_record(*seen["records"]), coredumpctl=of_text(seen["told"], function))
        listed = [(row["pid"], row["sig"]) for row in seen["listed"]]
        checks.expect(listed == [(report["process"]["pid"], report["signal"]["number"])], f"{NAME}: coredumpctl lists it", listed)
    else:
        checks.skip(f"{NAME}: in systemd's journal", reason)
    for name, values in arrived.items():
        checks.expect(str(values[0]).startswith(function) and values[1:] == wanted,
                      f"{NAME}: {name} has its function, file, line, request and fingerprint", values)
    if len(arrived) == 4:
        checks.expect(len(set(arrived.values())) == 1, f"{NAME}: all four have the same five values", arrived)
