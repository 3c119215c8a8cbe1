"""Reads pages as html5lib does, and looks at them in Chromium, with axe."""

import base64
import io
import pathlib
import shutil

import support

PICTURES = support.ROOT / "Docs" / "pages"
SIZES = {"a phone": 360, "a wide screen": 2560}
SCHEMES = ("light", "dark")
# What a page may hold. A script, an image, a form or a frame would be somebody else's.
ELEMENTS = set("""html head meta title style body main header h1 h2 h3 ol ul li a article div section p pre code span strong
mark dl dt dd details summary table tbody tr th td svg g rect path polygon text""".split())
PICTURED = {"deadlock": ("mutex-cycle", 1000, "light", 1150), "phone": ("index-out-of-range", 360, "dark", 1150),
            "hang": ("hang", 1100, "light", 560)}


def read(page, name, checks, largest):
    """Parses a page by the rules of the standard, and returns its text."""
    import html5lib
    text = page.read_text()
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    tree = parser.parse(text)
    checks.expect(text and len(text.encode()) < largest, f"{name}: the page is small enough", len(text.encode()))
    checks.expect(not parser.errors, f"{name}: the page has no parse error", parser.errors[:3])
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    strange = {element.tag.rpartition("}")[2] for element in elements} - ELEMENTS
    checks.expect(not strange, f"{name}: the page has no other elements than ours", strange)
    attributes = {key for element in elements for key in element.attrib}
    wrong = {key for key in attributes if key.startswith("on") or key in ("style", "src", "action")}
    checks.expect(not wrong, f"{name}: no attribute runs or loads anything", wrong)
    ids = [element.get("id") for element in elements if element.get("id")]
    links = [element.get("href") for element in elements if element.get("href")]
    checks.expect(len(ids) == len(set(ids)) and all(link[:1] == "#" and link[1:] in ids for link in links),
                  f"{name}: links lead to places on the page", links[:5])
    return "".join(tree.itertext())


def start_browser(checks):
    """Chromium by its driver, or None if it is not installed."""
    binaries = [shutil.which("chromium"), shutil.which("chromedriver")]
    if None in binaries:
        checks.skip("pages in Chromium, with axe", "the packages chromium and chromium-driver are not installed")
        return None
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    options.binary_location = binaries[0]
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(binaries[1]))
    driver.set_script_timeout(240)
    return driver


def look_at(pages, checks, takes_pictures):
    driver = start_browser(checks)
    if driver is None:
        return
    try:
        for name, page in pages.items():
            look_at_one(driver, page, name, checks)
        if takes_pictures:
            PICTURES.mkdir(exist_ok=True)
            for file, (name, width, scheme, height) in PICTURED.items():
                show(driver, pages[name], width, scheme)
                take_picture(driver, PICTURES / f"{file}.png", width, height)
    finally:
        driver.quit()


def take_picture(driver, file, width, height):
    import PIL.Image
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    image = PIL.Image.open(io.BytesIO(base64.b64decode(picture["data"])))
    image.convert("RGB").quantize(32).save(file, optimize=True)


def show(driver, page, width, scheme, media=""):
    imitate(driver, width, scheme, media)
    driver.get(f"file://{page}")


def imitate(driver, width, scheme, media=""):
    """Pages look as on a screen of this width, or as in print."""
    metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [feature]})


def serious_findings(driver):
    """What axe finds on the page that is shown, in words."""
    import axe_playwright_python
    driver.execute_script((pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text())
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(r.violations), e => done([{id: String(e), impact: 'critical', nodes: []}]))")
    return "; ".join(f"{rule['id']} {[node['html'][:120] for node in rule['nodes'][:2]]}" for rule in found
                     if rule["impact"] in ("serious", "critical"))


def look_at_one(driver, page, name, checks):
    driver.get_log("browser")
    for size, width in SIZES.items():
        for scheme in SCHEMES:
            where = f"{name} on {size}, {scheme}"
            show(driver, page, width, scheme)
            # Without its style sheet, which the policy has to allow, a page has no such margin.
            styled, wide = driver.execute_script(
                "return [getComputedStyle(document.body).maxWidth, document.documentElement.scrollWidth]")
            checks.expect(styled == "2080px" and wide <= width, f"{where}: fits, with its style", f"{styled}, {wide} px")
            serious = serious_findings(driver)
            checks.expect(not serious, f"{where}: axe finds nothing serious", serious)
    show(driver, page, 1000, "light", media="print")
    folded = driver.execute_script(
        "return [...document.querySelectorAll('details:not([open]) > pre')].filter(e => !e.checkVisibility("
        "{contentVisibilityAuto: true})  || e.getBoundingClientRect().height < 5).length")
    checks.expect(folded == 0, f"{name} in print: nothing is folded", folded)
    messages = [entry["message"] for entry in driver.get_log("browser")]
    checks.expect(not messages, f"{name}: the browser has nothing to complain about", messages[:3])
