"""The deaths that C and C++ bring about, in the emulated machine: the rows of Tests/Deaths, judged as on x86-64.

diagdemo is a Swift program. The machine has one in C instead, with the same command line: what each kind calls is taken
from the catalogue in Sources/diagdemo/Kinds. Kinds with a body in Swift are left out, each by its name.
"""

import dataclasses
import re

import death_rows
import death_runs
import includes
import support

KINDS = support.ROOT / "Sources" / "diagdemo" / "Kinds"
# A call of one C function.
CALL = r"([a-z_]+\([^{}()]*\))"
BODY = re.compile(r'CrashKind\(\s*"([\w-]+)",\s*"[^"]*"\s*\)\s*\{\s*(?:end\(well: )?' + CALL + r"\)?\s*\}")
PREPARED = re.compile(r'CrashKind\(\s*"([\w-]+)",\s*"[^"]*",\s*\.synchronous \{ ' + CALL
                      + r" \}, preparation: \{ " + CALL + r" \}\)")
RAISED = re.compile(r'\("(SIG[A-Z]+)", SIG[A-Z]+\)')
OWN_HANDLER = re.compile(r'\("(\w+)", "[^"]*", (install_\w+_handler)\)')

# In seconds; an emulated processor is a tenth as fast or less.
LIMIT = 200

MAIN = """// Brings a death about as `diagdemo crash KIND` does. Written by Scripts/checks/aarch64_deaths.py.
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCrashCapture.h"
#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"

static const char *reportFolder;

static void end(bool well) {
  puts(well ? "all went well" : "not all went well");
  exit(well ? 0 : 1);
}

static void prepare(const char *kind) {
  (void)kind;
%(preparations)s
}

static void die(void *context) {
  const char *kind = context;
%(deaths)s
  fprintf(stderr, "diagdemo: %%s: no such kind\\n", kind);
  exit(64);
}

static void set(const char *key, const char *value) { ck_attribute_set(key, strlen(key), value, strlen(value)); }

int main(int count, char **arguments) {
  bool bare = count > 2 && strcmp(arguments[2], "--without-crash-kit") == 0;
  if (count != (bare ? 4 : 3)) return 64;
  char *name = arguments[count - 1], *kind = name;
  reportFolder = getenv("CRASHKIT_DIRECTORY");
  bool uses_up = strncmp(kind, "exhaustfd-", 10) == 0;
  if (uses_up) kind += 10;
  bool threaded = strncmp(kind, "thread-", 7) == 0;
  if (threaded) kind += 7;
  prepare(kind);
  char threads[16];
  snprintf(threads, sizeof threads, "%%u", crash_thread_count());
  if (!bare) {
    ck_configuration configuration = {.application_name = "diagdemo"};
    ck_installation installation;
    ck_install(&configuration, &installation);
    if (installation.warning[0]) fprintf(stderr, "%%s", installation.warning);
    set("kind", name);
    set("threads", threads);
    ck_crumb_attributes attributes = {0};
    ck_crumb_attributes_add(&attributes, "kind", 4, name, strlen(name));
    ck_breadcrumb_record("about to crash", 14, "diagdemo", 8, CK_INFO, &attributes);
  }
  if (uses_up) crash_exhaust_descriptors();
  if (threaded)
    crash_on_thread(die, kind);
  else
    die(kind);
  fprintf(stderr, "diagdemo: %%s: the program did not die\\n", name);
  return 1;
}
"""


def catalogue():
    """What each kind calls, and what it calls before CrashKit is installed, from the Swift sources."""
    deaths, before = {}, {}
    for path in sorted(KINDS.glob("*.swift")):
        text = path.read_text()
        for name, call in BODY.findall(text):
            is_judged = re.search(rf'"{re.escape(name)}",[^{{]*\{{\s*end\(well', text)
            deaths[name] = f"end({call})" if is_judged else call
        for name, call, preparation in PREPARED.findall(text):
            deaths[name], before[name] = call, preparation
        for name in RAISED.findall(text):
            deaths[f"raise-{name}"] = f"crash_raise({name})"
        for name, install in OWN_HANDLER.findall(text):
            deaths[f"{name}-handler-before"], before[f"{name}-handler-before"] = "crash_null_write()", f"{install}()"
            deaths[f"{name}-handler-after"] = f"({install}(), crash_null_write())"
    return deaths, before


def line(name, call):
    # Swift's numbers may have underscores in them.
    call = re.sub(r"\b(0x[\da-fA-F_]+|\d[\d_]*)\b", lambda number: number[0].replace("_", ""), call)
    return f'  if (strcmp(kind, "{name}") == 0) return (void){call};'


def write_main(path):
    """Writes the program's source."""
    deaths, before = catalogue()
    path.parent.mkdir(parents=True, exist_ok=True)
    text = MAIN % {"deaths": "\n".join(line(*kind) for kind in deaths.items()),
                   "preparations": "\n".join(line(*kind) for kind in before.items())}
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def build(built):
    """Cross-builds the program, as `diagdemo` among the products."""
    source = built.folder / "sources" / "diagdemo.c"
    write_main(source)
    targets = includes.read_targets(support.ROOT)
    headers = [f"-I{targets[target].folder}/include"
               for target in {"CCrashCapture"} | targets["diagdemo"].dependencies | targets["CCrashCapture"].dependencies
               if target in targets and targets[target].files]
    objects = [built.object_of(name) for name in built.objects_of("handler-probe") if "/handler_probe.build/" not in name]
    # tasks.c calls the Swift runtime, for kinds in Swift.
    objects += [built.object_of(name) for name in built.compiles
                if "/CDiagdemoCrashes.build/" in name and not name.endswith("/tasks.c.o")]
    return built.program("diagdemo", [source], ["-std=gnu17", "-D_GNU_SOURCE", "-g", "-O0", *headers], *objects)


# --- Which rows --------------------------------------------------------------------------------------------------


def reason_to_skip(row):
    """Why a row is not of the machine; None if it is."""
    if row.of:
        return f"{row.of} in other surroundings, which are not made in the machine"
    if row.kind not in catalogue()[0]:
        return "its death is brought about in Swift"
    if row.place:
        return f"its place, {row.place}, is not made in the machine"
    if row.report == "uncleanExit":
        return "its report is made in Swift"
    if "x86_64" in row.needs:
        return "is of x86-64"
    if "SWIFT_BACKTRACE" in row.environment:
        return "the Swift runtime is not in the machine"
    return death_rows.missing(row)


def rows(names=()):
    return death_rows.select(death_rows.load("debug", "aarch64"), list(names), False)


# --- In the machine ----------------------------------------------------------------------------------------------


def die(names, products, folder, jobs):
    """Brings the deaths about; what came of them as plain data, with files below `folder`."""
    death_runs.LIMIT = LIMIT
    wanted = [row for row in rows() if row.name in names]
    deaths = death_runs.run_all(wanted, products, folder, False, jobs)
    return {death.row.name: {"skipped": death.skipped, "ours": plain(death.ours, folder), "bare": plain(death.bare, folder)}
            for death in deaths}


def plain(run, folder):
    if run is None:
        return None
    core = run.core and {**dataclasses.asdict(run.core), "threads": sorted(run.core.threads)}
    return {"status": run.status, "pid": run.pid, "stderr": run.stderr, "folder": str(run.folder.relative_to(folder)),
            "core": core}
