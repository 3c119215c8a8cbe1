"""The part of desk.py that is about live programs and alerts."""

import http.server
import json
import os
import queue
import subprocess
import threading
import urllib.request

import format_pages
import support

# What the page would do if the browser notified people: headless Chromium shows no notifications.
NOTIFICATION = """
window.Notification = class {
  static permission = "granted";
  static requestPermission() { return Promise.resolve("granted"); }
  constructor(title, options) { (window.notified ??= []).push(title + ": " + options.body); }
};
"""


class Hook:
    """A web server that takes alerts. What is asked of /moved leads elsewhere, where nobody may come."""

    def __init__(self):
        self.alerts = {path: queue.Queue() for path in ("/ours", "/chat", "/elsewhere")}
        alerts = self.alerts

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/moved":
                    self.send_response(307)
                    self.send_header("Location", "/elsewhere")
                else:
                    alerts[self.path].put(json.loads(body))
                    self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, path, is_wanted):
        """The first alert at this path that is wanted."""
        while True:
            body = self.alerts[path].get(timeout=120)
            if is_wanted(body):
                return body

    def end(self):
        self.server.shutdown()


def strangers(driver, address):
    """Addresses of others that the shown page loaded something from."""
    names = driver.execute_script("return performance.getEntries().filter(e => e.name.includes('://')).map(e => e.name)")
    return [name for name in names if not name.startswith(address)]


def is_of_a_replaced_page(error):
    """Whether the driver asked for a part of a page that another page replaces. It has two errors for that."""
    from selenium.common.exceptions import StaleElementReferenceException
    return isinstance(error, StaleElementReferenceException) or "does not belong to the document" in (error.msg or "")


def is_gone(element):
    from selenium.common.exceptions import WebDriverException
    try:
        element.tag_name
        return False
    except WebDriverException as error:
        if is_of_a_replaced_page(error):
            return True
        raise


def until(driver, is_so, seconds=60):
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.support.ui import WebDriverWait

    def is_so_now(driver):
        try:
            return is_so(driver)
        except WebDriverException as error:
            if is_of_a_replaced_page(error):
                return False
            raise
    WebDriverWait(driver, seconds, poll_frequency=0.1).until(is_so_now)


def text(driver):
    return driver.find_element("tag name", "main").text


def gauge(driver, metric):
    """The classes of a metric's gauge, and its colour. In one look: the page replaces it once a second."""
    return driver.execute_script("""
      const row = [...document.querySelectorAll("#live-gauges tr")].find(row => row.cells[0].textContent === arguments[0]);
      return [row.querySelector("svg").getAttribute("class"), getComputedStyle(row.querySelector("svg .some")).fill];""", metric)


def is_red(driver, metric):
    return "critical" in gauge(driver, metric)[0]


def set_threshold(driver, metric, value):
    field = driver.find_element("xpath", f"//form[input[@value='{metric}']]//input[@name='threshold']")
    field.clear()
    field.send_keys(value)
    press_set(driver, metric)


def press_set(driver, metric):
    body = driver.find_element("tag name", "body")
    driver.find_element("css selector", f"button[aria-label='Set the threshold of {metric}']").click()
    until(driver, lambda _: is_gone(body))


def use(driver, desk, hook, folder, products, takes_pictures, look_at, checks):
    """diagdemo watch as a live program."""
    from selenium.webdriver.common.by import By
    driver.get(desk.address + "live")
    checks.expect("No program" in text(driver), "there is no live program at first", text(driver))
    with open(os.devnull, "w") as nowhere:
        program = subprocess.Popen(
            [products / "diagdemo", "watch", "--plain", "--refresh", "0.5", "--desk", desk.address,
             "--url", desk.address + "healthz"], stdout=nowhere, stdin=subprocess.DEVNULL,
            env=support.environment(folder / "live"))
    try:
        until(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, "article.row h2 a"))
        checks.expect("No program" not in text(driver), "a program that starts appears by itself", text(driver))
        driver.execute_script("document.querySelector('article.row h2 a').click()")
        until(driver, lambda _: "memory.load" in text(driver) and "GET http" in text(driver))
        edit(driver, hook, checks)
        page = driver.current_url
        without_script(driver, page, checks)
        follow(driver, page, checks)
        for name, address in {"the live list": desk.address + "live", "a live program": page}.items():
            driver.get_log("browser")
            look_at(driver, address, name, checks)
            messages = [entry["message"] for entry in driver.get_log("browser")]
            checks.expect(not messages, f"{name}: the browser has nothing to complain about", messages[:3])
        if takes_pictures:
            for file, address in {"desk-live": page, "desk-live-list": desk.address + "live"}.items():
                format_pages.imitate(driver, 1000, "light")
                driver.get(address)
                format_pages.take_picture(driver, format_pages.PICTURES / f"{file}.png", 1000, 1150 if "list" not in file else 420)
        program.terminate()
        program.wait(timeout=60)
        driver.get(page)
        checks.expect("ended " in text(driver), "a program that ends says so", text(driver)[:200])
    finally:
        program.kill()
        program.wait()


def edit(driver, hook, checks):
    """A threshold below what is measured turns the gauge red, and one above it gives the colour back."""
    calm = gauge(driver, "memory.load")[1]
    checks.expect(not is_red(driver, "memory.load"), "the gauge is not red at first")
    set_threshold(driver, "memory.load", "0.1 %")
    until(driver, lambda _: is_red(driver, "memory.load"))
    red = gauge(driver, "memory.load")[1]
    checks.expect(red != calm, "an edited threshold turns the gauge red", red)
    until(driver, lambda _: "memory.load is critical" in text(driver))
    alert = hook.wait_for("/ours", lambda body: body["kind"] == "threshold" and "memory.load" in body["title"])
    checks.expect(alert["page"].endswith(driver.current_url.split("/live/")[1]), "a hook hears of it", alert)
    message = hook.wait_for("/chat", lambda body: "memory.load" in body["text"])
    checks.expect(message["text"].startswith("*Critical*"), "and a chat", message)
    set_threshold(driver, "memory.load", "100 %")
    until(driver, lambda _: not is_red(driver, "memory.load"))
    until(driver, lambda _: "memory.load is nominal" in text(driver))
    driver.find_element("link text", "without nominal ones").click()
    until(driver, lambda _: "nominal=off" in driver.current_url)
    checks.expect("memory.load is nominal" not in text(driver) and "memory.load is critical" in text(driver),
                  "nominal events can be left out", text(driver))
    driver.find_element("link text", "all").click()
    until(driver, lambda _: "nominal=off" not in driver.current_url)


def without_script(driver, page, checks):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(page)
    set_threshold(driver, "memory.load", "0.2 %")

    def is_red_without_script(_):
        driver.get(page)
        return "critical" in driver.find_element(
            "xpath", "//table[@id='live-gauges']//tr[th='memory.load']//*[name()='svg']").get_attribute("class")
    until(driver, is_red_without_script)
    checks.expect(True, "without JavaScript an edited threshold turns the gauge red too")
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    driver.get(page)
    set_threshold(driver, "memory.load", "100 %")
    until(driver, lambda _: not is_red(driver, "memory.load"))


def follow(driver, page, checks):
    """The badge of unread events, notifications, and a page in the background."""
    list_page = page.split("/live/")[0] + "/live"
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NOTIFICATION})
    driver.get(list_page)
    button = driver.find_element("css selector", "#live-tools button")
    button.click()
    until(driver, lambda _: button.get_attribute("aria-pressed") == "true")
    # A page that nobody looks at: the list does not mark events as seen.
    driver.execute_script(
        "Object.defineProperty(document, 'hidden', { get: () => window.away, configurable: true }); window.away = true;"
        "document.dispatchEvent(new Event('visibilitychange'));")
    # The desk takes the program's page for a reader until a write to it fails.
    until(driver, lambda _: "\ncrashsym_desk_live_listeners 1\n" in metrics(page))
    set_by_script(driver, page, "memory.load", "0.3 %")
    until(driver, lambda _: driver.title.startswith("(1) "))
    checks.expect(driver.execute_script("return window.notified[0]").startswith("diagdemo on "), "the browser notifies people",
                  driver.execute_script("return window.notified"))
    until(driver, lambda _: driver.find_element("id", "unread").is_displayed(), 30)
    checks.expect("new event" in text(driver), "a badge counts events that nobody saw", text(driver))
    driver.execute_script("window.away = false; document.dispatchEvent(new Event('visibilitychange'));")
    checks.expect(not driver.title.startswith("("), "a page that is looked at again counts no more", driver.title)
    driver.get(page)
    until(driver, lambda _: not driver.find_element("id", "unread").is_displayed())
    checks.expect(True, "whoever opens the program's page has seen them")


def metrics(page):
    with urllib.request.urlopen(page.split("/live/")[0] + "/metrics", timeout=60) as answer:
        return answer.read().decode()


def set_by_script(driver, page, metric, value):
    """Sends the form of another page, as another person would."""
    driver.execute_async_script("""
      const [page, metric, value, done] = arguments;
      fetch(page).then(answer => answer.text()).then(text => {
        const proof = new DOMParser().parseFromString(text, "text/html").querySelector("input[name=proof]").value;
        return fetch(page + "/threshold", { method: "POST", redirect: "manual", body: new URLSearchParams({ proof, metric, threshold: value }) });
      }).then(() => done());""", page, metric, value)


def look_at_alerts(driver, desk, hook, takes_pictures, press, look_at, checks):
    """The page of alerts, after crashes came in."""
    alert = hook.wait_for("/ours", lambda body: body["kind"] == "new")
    checks.expect("/groups/" in alert["page"] and alert["title"], "a hook hears of a new group", alert)
    driver.get(desk.address + "alerts")
    press(driver, "Send a test")
    test = hook.wait_for("/ours", lambda body: body["kind"] == "test")
    checks.expect(test["page"] == desk.address + "alerts", "the button sends a test", test)
    until(driver, lambda _: (driver.get(desk.address + "alerts"), "it answered 307" in text(driver))[1], 90)
    checks.expect(hook.alerts["/elsewhere"].empty(), "a hook that leads elsewhere is not followed, and its page says so")
    look_at(driver, desk.address + "alerts", "the alerts", checks)
    if takes_pictures:
        format_pages.imitate(driver, 1000, "light")
        driver.get(desk.address + "alerts")
        format_pages.take_picture(driver, format_pages.PICTURES / "desk-alerts.png", 1000, 420)
