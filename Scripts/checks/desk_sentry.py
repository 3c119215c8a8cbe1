"""Sends events of PyPI's sentry-sdk, and reports by crashsym send --to sentry, to a desk that runs.

A report that reaches the desk as an event of Sentry's is in the group that the report itself is in.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import foreign_readers
import formats
import support
from desk import PACKAGE, Desk

READERS = support.ROOT / ".build" / "desk-sentry"
PACKAGES = ["sentry-sdk==2.*"]


def read(address):
    with urllib.request.urlopen(address, timeout=120) as answer:
        return answer.read().decode()


def price(book):
    return book["price"]


def total(book):
    return 1 / len(book)


def fail(work):
    import sentry_sdk
    try:
        work({})
    except Exception:
        sentry_sdk.capture_exception()


def use_sdk(desk, token, checks):
    """Errors, a message and what is no event, as a program in Python sends them."""
    import sentry_sdk
    host = desk.address.removeprefix("http://").rstrip("/")
    for key in ("0" * 48, token):
        sentry_sdk.init(f"http://{key}@{host}/7", release="shop@1.2", environment="prod", traces_sample_rate=1.0,
                        server_name="web-1")
        with sentry_sdk.start_transaction(name="order"):
            sentry_sdk.set_tag("region", "eu")
            for work in (price, price, total):
                fail(work)
            sentry_sdk.capture_message("nothing to sell")
        sentry_sdk.flush(60)
        inbox = read(desk.address)
        if key != token:
            checks.expect("0 groups" in inbox, "events with another key are refused", inbox)
    for title, count in (("error KeyError in price (desk_sentry.py)", 2),
                         ("error ZeroDivisionError in total (desk_sentry.py)", 1), ("nothing to sell", 1)):
        row = next((part for part in inbox.split("<article") if title in part), "")
        checks.expect(f"{count} crash" in row and "web-1" in row and "1.2" in row, f"{title}: {count}", row)
    metrics = read(desk.address + "metrics")
    checks.expect('crashsym_desk_sentry_dropped_total{type="transaction"} 1' in metrics,
                  "a transaction is counted and left out", metrics)
    found = read(desk.address + "?state=all&q=region+eu")
    checks.expect("3 groups" in found or "2 groups" in found, "a tag is found", found)


def use_reports(desk, folder, products, token, checks):
    """Crashes of diagdemo, as events of Sentry's."""
    for name, file in formats.reports(products, folder):
        report = json.loads(formats.shown(products / "crashsym", "json", file))
        if name == "hostile" or report.get("kind") != "crashReport":
            continue
        place = folder / f"sent-{name}"
        place.mkdir()
        (place / file.name).write_bytes(file.read_bytes())
        before = groups(desk)
        dsn = desk.address.replace("//", f"//{token}@") + "7"
        run = subprocess.run([products / "crashsym", "send", "--unscrubbed", "--to", "sentry", place],
                             env={**os.environ, "SENTRY_DSN": dsn}, capture_output=True, text=True)
        # Two of the reports are of one group.
        group, sent = report["fingerprint"]["value"], groups(desk)
        checks.expect(run.returncode == 0 and group in sent and sent == before | {group},
                      f"{name}: the event has the report's fingerprint", f"{run.stderr} {sent - before} {group}")


def groups(desk):
    return {part.split('"')[0] for part in read(desk.address + "?state=all").split('href="/groups/')[1:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    arguments = parser.parse_args()
    checks = support.Checks()
    missing = foreign_readers.install(READERS, PACKAGES)
    if missing:
        checks.skip("events of sentry-sdk", missing)
        sys.exit(75)
    crashsym = support.swift_build("--product", "crashsym", package=PACKAGE) / "crashsym"
    with support.temporary_folder() as folder:
        folder = pathlib.Path(folder)
        desk = Desk(crashsym, folder / "desk")
        try:
            token = subprocess.run([crashsym, "desk", "--add-token", "shop", "--data", folder / "desk"], check=True,
                                   capture_output=True, text=True).stdout.strip()
            use_sdk(desk, token, checks)
            use_reports(desk, folder, arguments.products.resolve(), token, checks)
        finally:
            status = desk.end()
        checks.expect(status == 0, "the desk ends well", status)
    checks.end()


if __name__ == "__main__":
    main()
