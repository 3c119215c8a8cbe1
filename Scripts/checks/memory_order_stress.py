"""Runs the code that memory_order.py models under ThreadSanitizer: silent as it is, and not if an access is broken."""
import os
import subprocess

from support import ROOT

FOLDER = ROOT / "Tests" / "MemoryOrder" / "stress"
SOURCES = ROOT / "Sources"
REPORT = "WARNING: ThreadSanitizer: data race"
GROUND = [str(path.relative_to(SOURCES)) for path in sorted(SOURCES.glob("Ground/*/include"))]
CAPTURE = ["Capture/CCrashCapture", "Capture/CCrashCapture/include", "Capture/CProcessHooks",
           "Capture/CProcessHooks/include"]
GUARD = ["Locks/CThreadGuard", "Locks/CThreadGuard/include"]
LIMIT_S = 60
TRIES = 5


class Program:
    def __init__(self, name, includes, sources, breaks):
        self.name = name
        self.includes = [SOURCES / path for path in includes + GROUND]
        self.sources = [SOURCES / path for path in ["Ground/CGround/clock.c", "Ground/CGround/barred_calls.c", *sources]]
        self.breaks = breaks


# Each break: what it does, the file, the text that is there, and what comes instead.
PROGRAMS = [
    Program("ring", CAPTURE,
            [f"Capture/CCrashCapture/record/{name}.c"
             for name in ("ring", "ring_reader", "attribute_table", "region", "region_view", "current_task")]
            + ["Capture/CProcessHooks/metric_slots.c", "Capture/CProcessHooks/region_storage.c"],
            [("a plain store of a breadcrumb's word", "Capture/CCrashCapture/record/ring.c",
              "__atomic_store_n(&cursor->ring[cursor->word & cursor->mask], word, __ATOMIC_RELAXED);",
              "cursor->ring[cursor->word & cursor->mask] = word;"),
             ("a plain store of a metric's word", "Capture/CProcessHooks/metric_slots.c",
              "atomic_store_explicit(&copy->words[i], words[i], memory_order_relaxed);",
              "*(uint64_t *)&copy->words[i] = words[i];")]),
    Program("locks", GUARD,
            [f"Locks/CThreadGuard/{name}.c"
             for name in ("locks/held", "waiting/waits", "ground/pool", "threads/threads")] + ["Ground/CGround/mapping.c"],
            [("a mutex given back with no order", "Locks/CThreadGuard/locks/quick_locks.h",
              "__atomic_exchange_n(&mutex->__data.__lock, CTG_MUTEX_FREE, __ATOMIC_RELEASE);",
              "__atomic_exchange_n(&mutex->__data.__lock, CTG_MUTEX_FREE, __ATOMIC_RELAXED);"),
             ("a plain count of the threads", "Locks/CThreadGuard/ground/pool.c",
              "__atomic_store_n(&pool->used, number, __ATOMIC_RELEASE);", "pool->used = number;"),
             ("a plain depth of a stack of locks", "Locks/CThreadGuard/locks/held.h",
              "__atomic_store_n(&self->depth, depth + 1, __ATOMIC_RELAXED);", "self->depth = depth + 1;")]),
    Program("handover", CAPTURE, ["Capture/CCrashCapture/threads/thread_waiting.c"],
            [("an answer with no order", "Capture/CCrashCapture/threads/thread_stopping.c",
              "atomic_store_explicit(&thread->answer, CK_ANSWER_GIVEN, memory_order_release);",
              "atomic_store_explicit(&thread->answer, CK_ANSWER_GIVEN, memory_order_relaxed);"),
             ("a name that both threads write", "Capture/CCrashCapture/threads/thread_stopping.c",
              "ck_thread_read_own_name(thread->given_name, &thread->given_name_size);",
              "ck_thread_read_own_name(thread->name, &thread->name_size);")]),
]


# A copy of the broken file comes first among the includes, and stands in for its source.
def build(compiler, program, folder, broken=None):
    includes, sources = list(program.includes), [FOLDER / f"{program.name}.c", *program.sources]
    if broken:
        _, file, before, after = broken
        text = (SOURCES / file).read_text()
        if text.count(before) != 1:
            raise ValueError(f"{file}: this is not there once: {before}")
        copy = folder / "broken" / "/".join(file.split("/")[2:])  # below its target
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text.replace(before, after))
        includes.insert(0, folder / "broken")
        sources = [copy if path == SOURCES / file else path for path in sources]
    built = folder / program.name
    # Older compilers lack the builtin that the package uses.
    subprocess.run([compiler, "-D__builtin_memset_inline=__builtin_memset", "-std=gnu17", "-O1", "-D_GNU_SOURCE",
                    "-fsanitize=thread", "-pthread", *[f"-I{path}" for path in includes], *sources, "-o", built],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return built


def run(program):
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1 exitcode=66")
    return subprocess.run([program], capture_output=True, text=True, timeout=LIMIT_S, env=environment, check=False)


def check_stress(checks, compiler, folder):
    for program in PROGRAMS:
        name = f"ThreadSanitizer {program.name}"
        try:
            done = run(build(compiler, program, folder))
        except subprocess.CalledProcessError as error:
            checks.expect(False, f"{name}: silent", f"it does not build: {error.stderr}")
            continue
        checks.expect(done.returncode == 0 and REPORT not in done.stderr, f"{name}: silent", done.stdout + done.stderr)


def check_broken_stress(checks, compiler, folder):
    for program in PROGRAMS:
        for number, broken in enumerate(program.breaks):
            place = folder / f"{program.name}-{number}"
            place.mkdir()
            built = build(compiler, program, place, broken)
            # Two threads must come near each other, which a busy machine may prevent.
            is_reported = any(REPORT in run(built).stderr for _ in range(TRIES))
            checks.expect(is_reported, f"ThreadSanitizer {program.name}: {broken[0]} is reported",
                          f"not once in {TRIES} runs")
