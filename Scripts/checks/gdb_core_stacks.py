"""Run inside gdb on a core: prints every thread's program counters as one JSON object, thread id to addresses."""

import json

import gdb

gdb.execute("set pagination off")
gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")

stacks = {}
for thread in gdb.selected_inferior().threads():
    thread.switch()
    frame, addresses = gdb.newest_frame(), []
    while frame is not None and frame.is_valid() and len(addresses) < 250:
        # Inlined calls share the address of the frame that they are in.
        if frame.type() not in (gdb.TAILCALL_FRAME, gdb.INLINE_FRAME):
            addresses.append(frame.pc())
        frame = frame.older()
    stacks[thread.ptid[1]] = addresses
print("STACKS " + json.dumps(stacks))
