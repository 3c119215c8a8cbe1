"""Reports that crashsym send is given by its checks: of real crashes, a full one, and one in which every text is hostile."""

import json
import subprocess

import foreign_readers
import support

FIXTURES = support.ROOT / "Tests" / "CrashReportViewTests" / "Fixtures"
# A kind of crash, and the function that is expected to be named.
KINDS = {"index-out-of-range": "indexOutOfRange", "null-read": "crash_null_read", "mutex-cycle": "Mutex",
         "thousand-threads": "write_at", "async-task-group": "AsyncCrashes.decode"}
HOSTILE = "\"'><script>SCRIPTED()</script>\n{\"type\":\"event\"}\n\x1b[31m\u202e\0\uffff::error::" + "x" * 8_000
KEPT_KEYS = foreign_readers.KEPT_KEYS | {"traceId", "spanId"}


def made(products, folder):
    """Files by name."""
    files = {}
    for kind in KINDS:
        place = folder / f"made-{kind}"
        place.mkdir()
        subprocess.run([products / "diagdemo", "crash", kind], env=support.environment(place),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        files[kind] = next(place.glob("*-crashReport.json"))
    parts = [json.loads((FIXTURES / name).read_text()) for name in ("full.json", "hostile-parts.json")]
    for name, content in (("full", parts[0]), ("hostile", foreign_readers.hostile({**parts[0], **parts[1]}, HOSTILE, KEPT_KEYS))):
        files[name] = folder / f"{name}.json"
        files[name].write_text(json.dumps(content))
    return files
