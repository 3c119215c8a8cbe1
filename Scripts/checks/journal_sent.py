"""What crashsym send --to journal makes of a folder of reports: the records, and what coredumpctl shows of them.

As a program it prints that as JSON, or says on one line why it cannot be had, with status 69.
"""

import json
import os
import pathlib
import subprocess
import sys

import journal_place
import support

UNAVAILABLE = 69


def send(crashsym, folder, *options):
    """Sends what is in the folder. Returns the run and the records."""
    names = {name: value for name, value in support.environment().items() if not name.startswith("OTEL_")}
    with journal_place.Receiver() as receiver:
        run = subprocess.run([crashsym, "send", "--to", "journal", "--no-cache", *options, folder], env=names,
                             capture_output=True, text=True, timeout=300)
    return run, receiver.records


def shown(tools, records, file):
    """What coredumpctl lists, and what it shows of each."""
    tools.file(records, file)
    listed = tools.run("coredumpctl", "--file", str(file), "--json=short", "list").stdout
    told = tools.run("coredumpctl", "--no-pager", "--file", str(file), "info").stdout
    return json.loads(listed) if listed else [], told


def main():
    crashsym, folder = sys.argv[1:3]
    if not os.environ.get(journal_place.INSIDE) and (reason := journal_place.fetch_tools()):
        sys.exit(give_up(reason))
    if reason := journal_place.enter():
        sys.exit(give_up(reason))
    run, records = send(crashsym, folder, *sys.argv[3:])
    with support.temporary_folder() as name:
        listed, told = shown(journal_place.Tools(), records, pathlib.Path(name) / "sent.journal")
    print(json.dumps({"status": run.returncode, "errors": run.stderr, "listed": listed, "told": told,
                      "records": [journal_place.fields(record) for record in records]}))


def give_up(reason):
    print(reason, file=sys.stderr)
    return UNAVAILABLE


if __name__ == "__main__":
    main()
