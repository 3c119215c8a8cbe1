"""The C probes of the tests, asked the same questions on this machine and in the emulated one.

What is right of each question is written in the Swift tests, which hold it on x86-64. Here a probe is right if it ends,
prints and reports as it does there. Tests/Aarch64/differences.toml names the questions that the processors answer
differently, each with the reason.
"""

import concurrent.futures
import ctypes
import json
import os
import platform
import re
import time
import tomllib

import death_runs
import support

DIFFERENCES = support.ROOT / "Tests" / "Aarch64" / "differences.toml"
NAME = re.compile(r'^    \{"([\w-]+)", \w+\},', re.M)
# What the probes below are asked; the other probes' questions are the names in their sources.
REGION = ["interrupted", "late-attach 4096", "late-attach 65536", "late-attach 1048576", "attach-race 10", "quiet",
          "truncated 0", "truncated 4096", "truncated 5000", "truncated 120000", "fork-of-threads", "spawn",
          "attributes", "metrics", "producers 65536 4 5000", "records 65536 5000"]
LIVE = ["calls 100", "restarts", "stacks", "failures", "crash", "fork", "first-fork",
        "fork-in-preparation"]
# Of handler-probe; those that say most about the processor. They are asked first, and alone by the short form.
FIRST = ["null-read", "abort", "raise-segv", "kill-segv", "queue-segv", "breakpoint", "trap", "bus", "stack-overflow",
         "thread-stack-overflow", "repair-often", "repair-bus-often", "repair-code-often", "skip-often",
         "sixteen-at-once", "crashes-beside", "child-crashes", "both-crash", "vfork-child-crashes", "crash-during-fork"]
SLOW_TICK = "PROBE_TICK_NS=2000000"
ASKED_BY = "CRASHKIT_OPTIONS=on-signal=QUIT"
ASKED = {
    "waits": ["read", "epoll", "poll"], "has-handler": ["read -", "read r", "epoll r", "read rs", "read n"],
    "often": ["goes-on", "counts"], "special-handler": ["jumps", "exits", "exits-at-once", "dies-of-it", "crashes"],
    "takes": ["sigwait", "signalfd"], "by-itself": ["raises", "process", "ignores", "handles"],
    "ignores": [""], "has-backtracer": [""], "then-crashes": [""], "computes": [""], "beside-captures": [""],
    "in-fork": [""],
}
# What a probe of handler-probe has to be told beside its name: words, and settings of its environment. SYS_… is the
# number of that call on the processor at hand, and LEAST the size of the smallest alternate stack.
MORE = {
    "exit-beside-wait": ["sleep", "poll", "semaphore"],
    "exit-at-once-beside-wait": ["nanosleep", "epoll"],
    "exit-quickly-beside-wait": ["pause", "read"],
    "signal-in-a-wait": ["ignored 11 read", "blocked 6 ppoll", "handled 5 select", "handled 6 poll", "handled 11 epoll",
                         "handled 11 semaphore"],
    "sent-to-blocking-threads": ["sigwait 11", "signalfd 4"],
    "handler-forks": ["exit", "at-once", "exec", "vfork", "abort"],
    "filtered": [f"PROBE_CALL=SYS_{call}" for call in (
        "process_vm_readv", "rt_tgsigqueueinfo", "timer_create", "renameat2", "rt_sigaction")],
    "filtered-by-signal": [f"PROBE_CALL=SYS_{call}" for call in (
        "process_vm_readv", "rt_tgsigqueueinfo", "timer_create", "renameat2")],
    "filtered-bystander": [f"PROBE_CALL=SYS_{call}" for call in ("process_vm_readv", "prctl", "ppoll")],
    "emulated": [f"PROBE_CALL=SYS_{call}" for call in ("getpid", "gettid", "process_vm_readv", "sigaltstack")],
    "emulated-beside-handler": [f"PROBE_CALL=SYS_{call}" for call in ("getpid", "gettid", "process_vm_readv")],
    "filtered-without-timer": ["PROBE_STAGE=3"],
    "fault-in-stage": [f"PROBE_STAGE={stage}" for stage in (0, 3, 6, 9)],
    "abort-in-stage": [f"PROBE_STAGE={stage}" for stage in (1, 4, 7, 10)],
    "stall-in-stage": [f"PROBE_STAGE={stage}" for stage in (2, 5)],
    "descriptors-gone-in-stage": [f"PROBE_STAGE={stage}" for stage in (0, 1, 3, 6, 7)],
    "hanging-call": ["PROBE_CALL_NAME=openat", "PROBE_CALL_NAME=process_vm_readv"],
    "unanswered-call": ["PROBE_CALL_NAME=process_vm_readv"],
    "paused": ["PROBE_STAGE=3"],
    "answered": [f"PROBE_CALL_NAME={call} PROBE_ANSWER={answer}" for call, answer in (
        ("getpid", "done"), ("gettid", "signal"), ("rt_sigaction", "done"), ("renameat2", "EINTR"))],
    "healthy": ["PROBE_CALL_NAME=process_vm_readv"],
    # An emulated processor does little between two of the usual ticks.
    "green-repairs": [SLOW_TICK],
    "green-repairs-nodefer": [SLOW_TICK],
    "green-repairs-moving": [SLOW_TICK],
    "green-repairs-moving-nodefer": [SLOW_TICK],
    **{f"asked-{name}": [f"{words} {ASKED_BY}".strip() for words in all_words] for name, all_words in ASKED.items()},
    "secret-at-the-cut": ["PROBE_PLACE=4090"],
    "secret-in-capture": ["PROBE_PLACE=1000"],
    "secret-at-registers": ["PROBE_PLACE=0", "PROBE_PLACE=1"],
    "stack-matrix": ["PROBE_STEP=65536 LD_BIND_NOW=1 PROBE_SIZE=LEAST+4096"],
}
# Named in the sources, and not asked there.
NOT_ALONE = {"stack-matrix-row": "stack-matrix starts it", "with-minsigstksz": "starts another probe by ptrace"}
OF_X86 = re.compile(r"^#if defined\(__x86_64__\)\n(.*?)^#(?:else|endif)", re.M | re.S)
CALLS = {
    "x86_64": {"process_vm_readv": 310, "rt_tgsigqueueinfo": 297, "timer_create": 222, "renameat2": 316,
               "rt_sigaction": 13, "prctl": 157, "ppoll": 271, "getpid": 39, "gettid": 186, "sigaltstack": 131},
    "aarch64": {"process_vm_readv": 270, "rt_tgsigqueueinfo": 240, "timer_create": 107, "renameat2": 276,
                "rt_sigaction": 134, "prctl": 167, "ppoll": 73, "getpid": 172, "gettid": 178, "sigaltstack": 132},
}
AT_MINSIGSTKSZ = 51
# These go on for ever, on both processors. They are ended after so many seconds.
ENDLESS = {"handler-probe handler-returns off", "handler-probe overflow-again-and-again off",
           "handler-probe stall-in-runtime-handler off", "lock-probe self", "lock-probe dead"}
ENDLESS_LIMIT = 30
# These leave more reports or fewer.
SOME_REPORTS = {"crash-during-fork", "fork", "first-fork", "fork-in-preparation"}
# What a probe ends with if it cannot do what it is for.
NOT_SO = "exit 99"
# Of so many frames, an emulated processor may not see all within the time for unwinding.
DEEP = 1000
LATE = "time limit"
WHY_LATE = "an emulated processor does not reach the end of such a stack within the time for unwinding"


def names_in(folder):
    """What a probe can be asked, from the tables in its sources, and which of it on x86-64 alone."""
    found, of_x86 = [], []
    for path in sorted((support.ROOT / "Tests" / folder).glob("*.c")):
        text = path.read_text()
        found += NAME.findall(text)
        of_x86 += NAME.findall("".join(OF_X86.findall(text)))
    return found, of_x86


def not_asked():
    """The names in the handler probe's sources that are not asked, with the reasons."""
    return {**NOT_ALONE, **{name: "its code is of x86-64" for name in names_in("HandlerProbe")[1]}}


def questions(short):
    """Every question, as a program and its words; the handlers' first."""
    left_out = {*FIRST, *not_asked()}
    handlers = FIRST if short else FIRST + [name for name in names_in("HandlerProbe")[0] if name not in left_out]
    asked = [" ".join(["handler-probe", name, *more.split(), state]) for name in handlers
             for more in MORE.get(name, [""]) for state in ("on", "off")]
    if not short:
        asked += [f"live-probe {words}" for words in LIVE]
        asked += [f"region-probe {words}" for words in REGION]
        asked += [f"lock-probe {name}" for name in names_in("LockProbe")[0]]
    return asked


def differences():
    """The questions with another answer there, with the reason, and what that answer is unless it is chance."""
    rows = tomllib.loads(DIFFERENCES.read_text())
    for name, row in rows.items():
        left = set(PARTS) - set(row.get("same", ())) - set(row.get("there", ()))
        if left and not row.get("sometimes"):
            raise SystemExit(f"{DIFFERENCES.name}: {name}: nothing says what is so there: {', '.join(sorted(left))}")
    return rows


def ask(question, products, folder, limit):
    """Runs a probe; returns its answer as plain data."""
    program, *words = question.split()
    own = folder / question.replace(" ", "_")
    reports = death_runs.made(own) / "reports"
    reports.mkdir(mode=0o700)
    environment = {"CRASHKIT_DIRECTORY": str(reports), "PROBE_FILES": str(own / "work"),
                   "SWIFT_BACKTRACE": "enable=no"}
    if program == "handler-probe":
        is_off = words.pop() == "off"
        environment |= dict(spelled_out(word).split("=", 1) for word in words if "=" in word)
        if is_off:
            environment["CRASHKIT_OPTIONS"] = "enable=no"
        words = [words[0], "after", *(word for word in words[1:] if "=" not in word)]
    if program == "region-probe":
        words.insert(1, str(reports))
    started = time.monotonic()
    limit = min(limit, ENDLESS_LIMIT) if question in ENDLESS else limit
    run = death_runs.run([products / program, *words], own, limit, **environment)
    output = "" if program == "lock-probe" else (own / "stdout").read_text(errors="replace")
    # What the lock engine found stands in its files. How many children crash before their parent is chance, and so are
    # how many captures a signal gets that comes again and again, and whether another thread's last one is there.
    found = [digest(path) for path in sorted(reports.glob("*.json"))]
    if words[0] in SOME_REPORTS or words[0].startswith("asked-"):
        found = [report for i, report in enumerate(found) if report not in found[:i]]
    return {"end": death_runs_end(run.status), "printed": plain(output.replace(str(reports), "REPORTS")),
            "reports": sorted(found, key=json.dumps), "seconds": round(time.monotonic() - started, 1),
            "errors": run.stderr[-600:]}


def spelled_out(word):
    word = re.sub(r"SYS_(\w+)", lambda call: str(CALLS[platform.machine()][call[1]]), word)
    return re.sub(r"LEAST\+(\d+)", lambda more: str(least_stack() + int(more[1])), word)


def least_stack():
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return max(getauxval(AT_MINSIGSTKSZ), 2048)


def death_runs_end(status):
    return "hung" if status is None else f"signal {-status}" if status < 0 else f"exit {status}"


def plain(text):
    """Text without what differs from run to run: names of reports, addresses, and numbers of two digits
    and more."""
    text = re.sub(r"\b\d{8}T\d{6}\.\d{3}Z-\d+-", "#-", text)
    return re.sub(r"\b\d{2,}\b", "#", re.sub(r"\b(0x)?[0-9a-f]{8,}\b", "#", text))


def digest(path):
    """What must be the same of a report."""
    try:
        report = json.loads(path.read_text())
    except ValueError:
        return {"kind": "not whole"}
    violation, signal = report.get("violation"), report.get("signal", {})
    if violation:
        return {"kind": report["kind"], "code": violation.get("code"), "severity": violation["severity"]}
    threads = report.get("threads", [])
    # A thread that was about to end may be gone on the one machine and be there on the other.
    living = [thread for thread in threads if thread.get("stackEnd") != "the thread has exited"]
    stacks = {(plain(thread.get("name", "")), thread.get("stackEnd", "none").split(" at ")[0], depth(thread) >= DEEP)
              for thread in living}
    return {"kind": report.get("kind"), "signal": signal.get("name"), "code": signal.get("codeName"),
            "cause": report.get("causeCode"), "crashed": sum(1 for thread in threads if thread.get("crashed")),
            "stacks": [list(stack) for stack in sorted(stacks)],
            "cut": sorted({cut["what"] for cut in report.get("capture", {}).get("cutShort", [])})}


def depth(thread):
    """How many frames its stack has, those that the report leaves out too."""
    return sum(frame.get("count", 1) for frame in thread.get("frames", []))


def ask_all(asked, products, folder, jobs, limit, log=os.devnull):
    """Asks all; the answers by question. The log gets a line for each as it comes."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(log, "w") as lines:
        answers, coming = {}, {pool.submit(ask, question, products, folder, limit): question for question in asked}
        for answer in concurrent.futures.as_completed(coming):
            answers[coming[answer]] = answer.result()
            print(json.dumps([coming[answer], answer.result()]), file=lines, flush=True)
    return {question: answers[question] for question in asked}


PARTS = ("end", "printed", "reports")


def complaint(here, there, parts, ignored=None):
    """How two answers differ in these parts without `ignored`, in words; None if they do not."""
    for part in parts:
        texts = [re.sub(ignored or "(?!)", "", str(with_ends(answer)[part])) for answer in (here, there)]
        if texts[0] != texts[1]:
            ours, theirs = from_difference(*texts)
            return f"{part}: x86-64 {ours!r}, aarch64 {theirs!r}; it wrote {there['errors'][-160:]!r}"
    return None


def other_than(expected, answer, is_on):
    """What of an answer is not as the row's `there` has it, in words; None if all is. Without CrashKit, there are no
    reports."""
    crashes = [report for report in answer["reports"] if report.get("kind") == "crashReport"]
    is_there = {"end": [answer["end"]], "printed": [answer["printed"]], "reports": [len(answer["reports"])]} | {
        key: sorted({str(crash.get(key)) for crash in crashes}) for key in ("signal", "code", "cause")}
    for key, value in expected.items():
        wanted = value if isinstance(value, list) else [value]
        if (is_on or key in ("end", "printed")) and not (is_there[key] and set(is_there[key]) <= set(wanted)):
            return f"{key}: {is_there[key]}, and not {value!r}"
    return None


def stacks_of(answer):
    return [stack for report in answer["reports"] for stack in report.get("stacks", [])]


def with_ends(answer):
    """The answer with the ends of stacks alone: how deep they are may differ."""
    reports = [{**report, "stacks": sorted({f"{name}: {end}" for name, end, _ in stacks_of({"reports": [report]})})}
               for report in answer["reports"]]
    return {**answer, "reports": sorted(reports, key=json.dumps)}


def is_late(here, there):
    """Whether the answers differ only in that deep stacks end there by the time for unwinding."""
    late = [is_deep for _, end, is_deep in stacks_of(there) if end == LATE]
    ends = [[name, end] for name, end, is_deep in stacks_of(here) if is_deep]
    return bool(late) and all(late) and not complaint(*(with_late(answer, ends) for answer in (here, there)), PARTS)


def with_late(answer, ends):
    """The answer as if the time for unwinding had ended before each deep stack came to one of these ends."""
    reports = [{**report, "stacks": [[name, LATE if is_deep and [name, end] in ends else end, is_deep]
                                     for name, end, is_deep in report.get("stacks", [])]}
               for report in answer["reports"]]
    return {**answer, "reports": reports}


def from_difference(one, other):
    """A piece of each text from a little before the place where they begin to differ."""
    same = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    start = max(0, same - 30)
    return one[start:same + 90], other[start:same + 90]


def judge(checks, here, there):
    """Holds the answers of the machine against those of this one."""
    known = differences()
    for question, answer in there.items():
        name = question.rsplit(" ", 1)[0] if question.startswith("handler-probe") else question
        row = known.get(name, {})
        same = row.get("same", () if row else PARTS)
        found = complaint(here[question], answer, same, row.get("ignored"))
        found = found or other_than(row.get("there", {}), answer, not question.endswith(" off"))
        # Without CrashKit, some have nothing to look at.
        if here[question]["end"] == NOT_SO and not question.endswith(" off"):
            found = f"it cannot be asked: {here[question]['errors'][-160:]!r}"
        if found and not row and is_late(here[question], answer):
            checks.skip(question, f"differs, as is known: {WHY_LATE}")
        elif found or not row:
            checks.expect(found is None, question, found or "")
        elif complaint(here[question], answer, PARTS):
            checks.skip(question, f"differs, as is known: {row['why']}")
        else:
            checks.expect(row.get("sometimes") or question.endswith(" off"), question,
                          f"no longer differs: take it out of {DIFFERENCES.name}")
