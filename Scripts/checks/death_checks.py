"""What a row of the matrix asks of the death and its report. Each check returns what is wrong, in words."""

import json
import signal
import stat

import jsonschema

import support

OWN = tuple(f"{folder}/" for folder in support.own_code("demo_folder"))
validator = jsonschema.Draft202012Validator(json.loads(support.SCHEMA.read_text()))


def complaints(death):
    """All that is wrong with a death; empty if it is as its row says."""
    found = [*ending(death), *output(death), *files(death), *work(death)]
    if death.row.report != "none":
        if death.symbolicated is None:
            return found + [f"no report that can be read: {tail(death.ours.stderr)}"]
        raw = death.symbolicated if death.row.report == "stderr" else json.loads(death.path.read_text())
        found += [*schema(raw), *symbolicated(death.symbolicated), *holds(death.row, raw)]
        if death.row.report == "crashReport" or death.row.report == "stderr":
            found += [*what(death, raw), *told(death, raw), *threads(death, raw), *in_time(death.row, raw),
                      *cores(death, raw), *place(death.row, death.symbolicated)]
        else:
            found += told(death, raw)
    return found


def symbolicated(report):
    """A symbolicated report fits the schema too, and its fingerprint says what it was made of."""
    yield from (f"symbolicated: {complaint}" for complaint in schema(report))
    fingerprint = report.get("fingerprint") or {}
    if not fingerprint.get("functions") and not fingerprint.get("program"):
        yield f"a fingerprint of nothing: {fingerprint}"


def tail(text):
    return " ".join(text.split())[-200:]


def status_name(status):
    if status is None:
        return "did not end"
    return f"exit {status}" if status >= 0 else signal.Signals(-status).name


def runtime_hung(death):
    """The Swift runtime's backtracer may hang a program without CrashKit, if several of its threads crash at once. Then
    the row's own words say how the program ends."""
    return death.bare.status is None and "SWIFT_BACKTRACE" in death.row.environment


def ending(death):
    """The program ends as it would have without CrashKit."""
    ours, row = death.ours.status, death.row
    bare = ours if runtime_hung(death) else death.bare.status
    if ours is None or bare is None:
        yield f"{'with CrashKit' if ours is None else 'undisturbed'} it did not end"
    if ours != bare:
        yield f"ends with {status_name(ours)}, undisturbed with {status_name(bare)}: {tail(death.ours.stderr)}"
    if row.ends != "signal" and row.ends != status_name(ours):
        yield f"ends with {status_name(ours)}, not {row.ends}"
    if row.ends == "signal" and row.signal and row.signal != status_name(ours):
        yield f"ends with {status_name(ours)}, not by {row.signal}: {tail(death.ours.stderr)}"


def output(death):
    """What the program says is what it would have said; without a report not a word more."""
    ours, bare, row = death.ours, death.bare, death.row
    if said(ours) != said(bare):
        yield f"stdout {tail(said(ours))!r}, undisturbed {tail(said(bare))!r}"
    if row.report == "none" and ours.stderr != bare.stderr:
        yield f"stderr {tail(ours.stderr)!r}, undisturbed {tail(bare.stderr)!r}"
    if row.stderr and row.stderr not in ours.stderr:
        yield f"stderr {tail(ours.stderr)!r} without {row.stderr!r}"


def said(run):
    return (run.folder / "stdout").read_text(errors="replace")


def work(death):
    """Files of the program's own in its working directory: that they came to be, and hold nothing of ours."""
    folder = death.ours.folder / "work"
    for pattern in death.row.leaves:
        if not support.comes_true(lambda: any(folder.glob(pattern))):
            yield f"no file {pattern}"
    for pattern in death.row.empty:
        found = sorted(folder.glob(pattern))
        if not found:
            yield f"no file {pattern}"
        if written := [path.name for path in found if path.stat().st_size]:
            yield f"something was written to {written}"


def holds(row, raw):
    """What the row wants to find at certain places of the report."""
    for path, wanted in row.holds.items():
        found = values(raw, path.split("."))
        if not found or any(value != wanted for value in found):
            yield f"{path} is {found[:3]}, not {wanted!r}"


def values(at, path):
    """What a path leads to; nothing where it leads nowhere."""
    if not path:
        return [at]
    head, *rest = path
    if isinstance(at, list):
        parts = at if head == "*" else at[int(head):][:1]
    else:
        parts = list(at.values()) if head == "*" else [at[head]] if head in at else []
    return [value for part in parts for value in values(part, rest)]


def files(death):
    """Exactly the files that belong there, readable by their owner alone."""
    folder = death.ours.folder / "reports"
    names = sorted(path.name for path in folder.glob("*")) if folder.exists() else []
    if partial := [name for name in names if name.endswith(".partial")]:
        yield f"left unfinished: {partial}"
    found = [name for name in names if name.endswith(".json")]
    expected = 0 if death.row.report in ("none", "stderr") else 1
    if len(found) != expected:
        yield f"{len(found)} reports, not {expected}: {found} {tail(death.ours.stderr)}"
    for name in found:
        mode = stat.S_IMODE((folder / name).stat().st_mode)
        if mode != 0o600:
            yield f"{name} has mode {mode:o}"
        if expected and not name.endswith(f"-{death.row.report}.json"):
            yield f"{name} is no {death.row.report}"


def schema(raw):
    return [f"schema: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(raw)][:3]


def addresses(row):
    """Those that the fault may be at; empty if the row names none."""
    named = [row.address] if isinstance(row.address, str) else row.address or []
    return {int(address, 16) for address in named}


def what(death, raw):
    """Signal, code, address, cause, message."""
    row, said = death.row, raw.get("signal", {})
    if row.signal and said.get("name") != row.signal:
        yield f"signal {said.get('name')}, not {row.signal}"
    if row.code and said.get("codeName") != row.code:
        yield f"code {said.get('codeName')}, not {row.code}"
    if row.address and int(raw.get("faultAddress", "-1"), 16) not in addresses(row):
        yield f"address {raw.get('faultAddress')}, not {row.address}"
    if row.cause and row.cause not in raw.get("cause", ""):
        yield f"cause {raw.get('cause')!r}, not {row.cause!r}"
    if ("cause" in raw) != ("causeCode" in raw):
        yield f"cause {raw.get('cause')!r} with the code {raw.get('causeCode')!r}"
    # An optimised program often traps without a word; what failed then stands in its debug information alone.
    message = raw.get("message") or death.symbolicated.get("cause") or ""
    if row.message and row.message.lower() not in message.lower():
        yield f"message {message!r}, not {row.message!r}"


def told(death, raw):
    """What the program had recorded."""
    crumbs = [crumb["message"] for crumb in raw.get("breadcrumbs", [])]
    if crumbs[-1:] != [death.row.breadcrumb]:
        yield f"last breadcrumb {crumbs[-1:]}, not {death.row.breadcrumb!r}"
    if raw.get("attributes", {}).get("kind") != death.row.asked:
        yield f"attributes {raw.get('attributes')}"


def threads(death, raw):
    """All threads, the crashed one first, every stack down to its thread's entry."""
    row, found = death.row, raw.get("threads", [])
    least = row.threads or int(raw.get("attributes", {}).get("threads", 1))
    least = max(least, 2) if "thread-" in row.prefix else least
    if len(found) < least:
        yield f"{len(found)} threads, not {least}"
    # What was there when the kernel made the core was there before.
    known = {thread["id"] for thread in found}
    missing = death.ours.core.threads - known if death.ours.core else set()
    # The Swift runtime's backtracer reads the process by way of a thread that it starts there.
    if "SWIFT_BACKTRACE" in row.environment and len(missing) == 1 and min(missing) > max(known, default=0):
        missing = set()
    if missing:
        yield f"threads {sorted(missing)} are in the core alone"
    crashed = [thread for thread in found if thread.get("crashed")]
    if len(crashed) != 1 or crashed[0] is not found[0]:
        return (yield f"{len(crashed)} threads crashed, not one, or not the first")
    if "thread-" in row.prefix and crashed[0].get("name") != "crasher":
        yield f"the crashed thread is {crashed[0].get('name')!r}"
    if not crashed[0].get("registers"):
        yield "no registers"
    for thread in found:
        # One that was about to end blocks all signals, and is gone when the kernel makes the core.
        ended = death.ours.core and thread["id"] not in death.ours.core.threads
        if ended or thread.get("stackEnd") == "the thread has exited":
            continue
        if not thread["frames"]:
            yield f"thread {thread['id']} {thread.get('name')} has no frames: {thread.get('stackEnd')}"
        elif row.stacks == "entry" and thread.get("stackEnd") != "entry":
            yield f"thread {thread['id']} {thread.get('name')}: its stack ends with {thread.get('stackEnd')!r}"
    if row.task:
        task, number = crashed[0].get("task", {}), raw["attributes"].get("task")
        if (task.get("name"), str(task.get("id"))) != (row.task, number):
            yield f"in task {task}, not {number} {row.task!r}"
    # The top and the bottom are kept, what lies between is counted.
    count = sum(frame.get("count", 1) for frame in crashed[0]["frames"])
    if count < row.frames:
        yield f"{count} frames, not {row.frames}"


def in_time(row, raw):
    """The handler took no longer than it may."""
    made = raw.get("capture", {})
    taken = made.get("captureTime", 0) + made.get("writeTime", 0)
    if not 0 < taken < row.seconds:
        yield f"the handler took {taken} s"
    if made.get("cutShort"):
        yield f"cut short: {made['cutShort']}"


def cores(death, raw):
    """The core says the same with and without CrashKit, and the same as the report."""
    ours, bare = death.ours.core, death.bare.core
    if runtime_hung(death):
        return
    if ours is None or bare is None:
        if (ours is None) != (bare is None):
            yield f"a core {'without' if ours is None else 'with'} CrashKit alone"
        return
    if (ours.number, ours.code) != (bare.number, bare.code):
        yield f"core's signal {ours}, undisturbed {bare}"
    if (ours.sender == death.ours.pid) != (bare.sender == death.bare.pid):
        yield f"core's sender {ours.sender}, undisturbed {bare.sender}"
    told = raw.get("signal", {})
    if not death.row.raised_again and (ours.number, ours.code) != (told.get("number"), told.get("code")):
        yield f"core's signal {ours}, in the report {told}"
    if ours.address is None or not raw.get("faultAddress"):
        return
    reported = int(raw["faultAddress"], 16)
    # Of a breakpoint the kernel gives no address, of a mapping it may be another one in each run.
    if ours.address and ours.address != reported:
        yield f"core's address {ours.address:#x}, in the report {reported:#x}"
    is_chance = {ours.address, bare.address} <= addresses(death.row)
    if ours.address != bare.address and not is_chance and (death.row.address or in_program(raw, reported)):
        yield f"core's address {ours.address:#x}, undisturbed {bare.address:#x}"


def in_program(raw, address):
    program = next((image for image in raw["images"] if image["name"] == "diagdemo"), None)
    return program and int(program["baseAddress"], 16) <= address < int(program["endOfText"], 16)


def own_frame(report):
    """The crashed thread's first frame in diagdemo's own sources."""
    for frame in report["threads"][0]["frames"]:
        if any(folder in frame.get("sourceLocation", {}).get("file", "") for folder in OWN):
            return frame
    return None


def place(row, report):
    """Function and line of the first own frame, and the functions outside of it."""
    if row.function or row.at:
        own = own_frame(report)
        if own is None:
            return (yield "none of the crashed thread's frames has a line of diagdemo")
        if row.function and row.function not in own.get("description", ""):
            yield f"in {own.get('description')!r}, not {row.function!r}"
        if row.at:
            file, text = row.at
            line = support.line_of(file, text)
            where = own["sourceLocation"]
            if not where["file"].endswith(file) or where["line"] != line:
                yield f"at {where['file']}:{where['line']}, not {file}:{line}"
    names = iter([frame.get("description", "") for frame in report["threads"][0]["frames"]])
    # `in` moves on: each is looked for behind the one before.
    for wanted in row.chain:
        if not any(wanted in name for name in names):
            return (yield f"{wanted!r} does not follow on the stack, as {row.chain} should")
