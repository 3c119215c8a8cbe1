"""Uses crashsym desk in Chromium as a person does, at 360, 1,440 and 3,840 pixels, light and dark, and in print, with axe.

A crash of diagdemo is sent, resolved in a version, and comes back with the next: with JavaScript switched off. With it, a
crash appears on the page that is shown, and keys lead to it. A report in which every text is hostile runs nothing.
diagdemo watch --desk is shown live: its threshold is edited, and the gauge turns red. A hook gets alerts. The desk asks nobody
else for anything. --screenshots writes the pictures of Docs/desk.md anew.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import urllib.request

import desk_live
import foreign_readers
import format_pages
import formats
import support

PACKAGE = support.ROOT / "Tests" / "DeskProduct"
SIZES = {"a phone": 360, "a desk": 1440, "a 4K screen": 3840}
PICTURED = {"desk": ("", 1000, "light", 640), "desk-group": ("group", 1000, "light", 1250),
            "desk-report": ("report", 1000, "light", 900), "desk-versions": ("versions", 1000, "light", 240)}


class Desk:
    """A desk of its own, on a port that was free."""

    def __init__(self, crashsym, folder, *options):
        command = [crashsym, "desk", "--listen", "127.0.0.1:0", "--data", folder, "--no-cache", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split(": ")[-1].strip()

    def send(self, report):
        request = urllib.request.Request(self.address + "api/reports", json.dumps(report).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read())

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=120)


def with_version(report, version, **more):
    return {**report, "application": {"name": "api", "version": version}, "host": {"name": "web-1"}, **more}


def filled_in(products, file):
    """The report with functions and lines, as crashsym send would hand it on. Pictures show no folder of this machine."""
    return json.loads(formats.shown(products / "crashsym", "json", file).replace(str(support.ROOT), "/src"))


def press(driver, label):
    """Presses the button of this label, and waits for the page that it leads to."""
    body = driver.find_element("tag name", "body")
    driver.find_element("xpath", f"//main//button[normalize-space()='{label}']").click()
    desk_live.until(driver, lambda _: desk_live.is_gone(body))


def text(driver):
    return driver.find_element("tag name", "main").text


def resolve_and_regress(driver, desk, report, checks):
    """The life of a group, by its forms."""
    group = desk.address + "groups/" + desk.send(with_version(report, "1.0"))["fingerprint"]
    driver.get(desk.address)
    checks.expect("1 crash" in text(driver) and "1.0" in text(driver), "a crash that was sent is in the inbox", text(driver))
    driver.find_element("css selector", "article.row h2 a").click()
    driver.find_element("name", "version").send_keys("2.0")
    press(driver, "Resolve")
    checks.expect("resolved in 2.0" in text(driver), "its group is resolved in a version", text(driver))
    driver.find_element("name", "text").send_keys("mended by <b>me</b>")
    press(driver, "Add")
    checks.expect("mended by <b>me</b>" in text(driver), "a note is shown as it was written", text(driver))
    driver.get(desk.address)
    checks.expect("nothing here" in text(driver), "what is resolved is not in the inbox", text(driver))
    desk.send(with_version(report, "1.1"))
    driver.get(group)
    checks.expect("resolved in 2.0" in text(driver), "an older version leaves it resolved", text(driver))
    desk.send(with_version(report, "2.1"))
    driver.get(desk.address)
    checks.expect("came back" in text(driver), "a newer version opens it again", text(driver))
    return group


def wait_for(driver, words):
    """Waits until the page has these words, though a part of it may be replaced at any moment."""
    desk_live.until(driver, lambda _: words in text(driver))


def watch_and_press_keys(driver, desk, report, checks):
    """A crash appears by itself; j and Enter lead to its group, and / to the search."""
    from selenium.webdriver.common.keys import Keys
    driver.get(desk.address)
    mark = driver.execute_script("return window.mark = 'the same page'")
    desk.send(with_version(report, "2.2"))
    wait_for(driver, "2.2")
    checks.expect(driver.execute_script("return window.mark") == mark, "a crash appears without loading the page again")
    search = driver.find_element("css selector", "nav.desk input[type=search]")
    body = driver.find_element("tag name", "body")
    body.send_keys("/")
    checks.expect(driver.switch_to.active_element == search, "/ leads to the search")
    search.send_keys(Keys.ESCAPE)
    body.send_keys("jjk")
    title = driver.switch_to.active_element
    first = driver.find_element("css selector", "article.row h2 a")
    checks.expect(title == first, "j and k go through the groups", title.tag_name)
    title.send_keys(Keys.ENTER)
    desk_live.until(driver, lambda _: desk_live.is_gone(body))
    checks.expect("/groups/" in driver.current_url, "Enter opens a group", driver.current_url)
    write_while_it_crashes(driver, desk, report, checks)
    press(driver, "Mute")
    checks.expect("muted until" in text(driver), "a group is muted for a day", text(driver))
    press(driver, "Open again")


def write_while_it_crashes(driver, desk, report, checks):
    """What a person writes on a group's page stays there until it is sent or taken away."""
    note = driver.find_element("name", "text")
    note.send_keys("half a note")
    # Another listener of the same page hears of the crash when the page does.
    driver.execute_async_script(
        "const events = new EventSource('/events'), done = arguments[arguments.length - 1];"
        "window.heard = new Promise(hear => events.addEventListener('group', event => hear(event.data)));"
        "events.addEventListener('mark', () => done());")
    group = desk.send(with_version(report, "2.3"))["fingerprint"]
    heard = driver.execute_async_script("window.heard.then(arguments[arguments.length - 1])")
    checks.expect(heard == group, "a listener hears which group has a crash", heard)
    checks.expect(note.get_attribute("value") == "half a note", "what a person writes stays")
    note.clear()
    driver.execute_script("document.activeElement.blur()")
    wait_for(driver, "2.3")


def own_function(report):
    """The name of the first function of the stack that is the program's own."""
    frames = next(thread["frames"] for thread in report["threads"] if thread.get("crashed"))
    return next(frame["description"].rsplit(" + ", 1)[0] for frame in frames if not frame.get("system") and "sourceLocation" in frame)


def merge_and_split(driver, desk, group, other, function, checks):
    """Rules that people make, and take back by a button."""
    driver.get(other)
    driver.find_element("name", "into").send_keys(group)
    press(driver, "Merge")
    checks.expect(driver.current_url == group and "reports of another group" in text(driver), "a group is merged into another",
                  text(driver))
    driver.get(desk.address + "?state=all")
    before = len(driver.find_elements("css selector", "article.row"))
    driver.get(other)
    press(driver, "Undo")
    driver.get(desk.address + "?state=all")
    after = len(driver.find_elements("css selector", "article.row"))
    checks.expect(after == before + 1, "the merger is taken back", (before, after))
    driver.get(group)
    driver.find_element("name", "value").send_keys(function)
    press(driver, "Split")
    checks.expect(f"made from reports with the function {function}" in text(driver), "a group is split by a function", text(driver))
    press(driver, "Undo")
    checks.expect(driver.current_url == group, "and whole again", driver.current_url)


def look_at(driver, address, name, checks):
    for size, width in SIZES.items():
        for scheme in format_pages.SCHEMES:
            where = f"{name} on {size}, {scheme}"
            format_pages.imitate(driver, width, scheme)
            driver.get(address)
            styled, wide = driver.execute_script(
                "return [getComputedStyle(document.body).maxWidth, document.documentElement.scrollWidth]")
            checks.expect(styled == "2080px" and wide <= width, f"{where}: fits, with its style", f"{styled}, {wide} px")
            serious = format_pages.serious_findings(driver)
            checks.expect(not serious, f"{where}: axe finds nothing serious", serious)
    format_pages.imitate(driver, 800, "light", media="print")
    driver.get(address)
    shown = driver.execute_script(
        "return [...document.querySelectorAll('nav.desk, form.desk, .tabs')].filter(e => e.checkVisibility()).length")
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    checks.expect(shown == 0 and wide <= 800 and text(driver), f"{name} in print: fits, without links and forms", (shown, wide))
    format_pages.imitate(driver, SIZES["a desk"], "light")


def use(driver, desk, folder, products, takes_pictures, checks):
    files = dict(formats.reports(products, folder))
    report = filled_in(products, files["index-out-of-range"])
    # What a desk shows must not need scripts.
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    group = resolve_and_regress(driver, desk, report, checks)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    watch_and_press_keys(driver, desk, report, checks)
    for name in ("null-read", "mutex-cycle"):
        other = desk.send(with_version(filled_in(products, files[name]), "2.1"))["fingerprint"]
    merge_and_split(driver, desk, group, desk.address + "groups/" + other, own_function(report), checks)
    crash = desk.send(with_version(report, "2.1", message="a second"))
    if takes_pictures:
        for file, (page, width, scheme, height) in PICTURED.items():
            format_pages.imitate(driver, width, scheme)
            driver.get({"group": group, "report": desk.address + crash["page"].lstrip("/")}.get(page, desk.address + page))
            format_pages.take_picture(driver, format_pages.PICTURES / f"{file}.png", width, height)
    # A hostile fingerprint is refused; the desk makes one.
    hostile = json.loads(files["hostile"].read_text())
    del hostile["fingerprint"]
    hostile = desk.send(hostile)
    pages = {"the inbox": desk.address, "the versions": desk.address + "versions", "a search": desk.address + "?state=all&q=crash", "a group": group,
             "a report": desk.address + crash["page"].lstrip("/"),
             "a hostile group": desk.address + "groups/" + hostile["fingerprint"],
             "a hostile report": desk.address + hostile["page"].lstrip("/"), "no page": desk.address + "nothing"}
    driver.get_log("browser")
    for name, address in pages.items():
        look_at(driver, address, name, checks)
        # A page that is not there is a complaint of the browser's too.
        messages = [entry["message"] for entry in driver.get_log("browser") if "404" not in entry["message"]]
        checks.expect(not messages, f"{name}: the browser has nothing to complain about", messages[:3])
    strangers = desk_live.strangers(driver, desk.address)
    checks.expect(not strangers, "the browser asked nobody but the desk", strangers)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    parser.add_argument("--screenshots", action="store_true")
    arguments = parser.parse_args()
    checks = support.Checks()
    missing = foreign_readers.install(formats.READERS, formats.PACKAGES, formats.ALONE)
    driver = None if missing else format_pages.start_browser(checks)
    if driver is None:
        if missing:
            checks.skip("the desk in Chromium", missing)
        sys.exit(75)
    crashsym = support.swift_build("--product", "crashsym", package=PACKAGE) / "crashsym"
    with support.temporary_folder() as folder:
        folder = pathlib.Path(folder)
        hook = desk_live.Hook()
        hooks = folder / "hooks"
        hooks.write_text(f"webhook {hook.address}ours\nslack {hook.address}chat new,threshold\nwebhook {hook.address}moved new\n")
        desk = Desk(crashsym, folder / "desk", "--alerts", hooks)
        products = arguments.products.resolve()
        try:
            desk_live.use(driver, desk, hook, folder, products, arguments.screenshots, look_at, checks)
            use(driver, desk, folder, products, arguments.screenshots, checks)
            desk_live.look_at_alerts(driver, desk, hook, arguments.screenshots, press, look_at, checks)
        finally:
            driver.quit()
            status = desk.end()
            hook.end()
        checks.expect(status == 0, "the desk ends well", status)
    checks.end()


if __name__ == "__main__":
    main()
