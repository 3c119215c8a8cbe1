"""Run inside gdb: prints every thread's function names as one JSON object, thread id to names, innermost first."""

import json

import gdb

gdb.execute("set pagination off")
# Below main as well: a report's stacks end where the thread was born.
gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")

stacks = {}
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, names = gdb.newest_frame(), []
    while frame is not None and frame.is_valid():
        # Frames that gdb infers from tail calls are on no stack: nothing that unwinds can find them.
        if frame.type() != gdb.TAILCALL_FRAME:
            names.append(frame.name())
        frame = frame.older()
    stacks[thread.ptid[1]] = names
print("STACKS " + json.dumps(stacks))
