"""Reads what crashsym prints with other people's readers: Markdown, HTML, JUnit and SARIF of real reports and of a hostile one.

junitparser, html5lib, markdown-it-py and sarif-pydantic read the files, and go tool pprof the profiles. Chromium shows the pages, at 360 pixels and at
2,560, light and dark, and as it prints them; axe looks for what keeps people from reading them. The readers come from
PyPI into .build/format-readers. What is missing is skipped, named and counted.

--screenshots writes the pictures of Docs/formats.md anew.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import foreign_readers
import format_pages
import support

READERS = support.ROOT / ".build" / "format-readers"
PACKAGES = ["junitparser==5.*", "html5lib==1.*", "markdown-it-py==4.*", "sarif-pydantic==0.6.*", "selenium==4.*", "pillow"]
# It brings axe's script along, and is not used itself.
ALONE = ["axe-playwright-python==0.1.*"]
FIXTURES = support.ROOT / "Tests" / "CrashReportViewTests" / "Fixtures"
KINDS = {"index-out-of-range": "indexOutOfRange", "null-read": "crash_null_read", "mutex-cycle": "Mutex",
         "async-task-group": "AsyncCrashes.decode", "thousand-threads": "write_at"}
# The same as in Tests/CrashReportViewTests/HostileReport.swift.
MARK = "SCRIPTED"
HOSTILE = ("\"'><script>SCRIPTED()</script><img src=x onerror=SCRIPTED()>&lt;]]>--><!--\n```\n~~~\n# SCRIPTED\n"
           "[SCRIPTED](javascript:SCRIPTED) ![SCRIPTED](https://x.example/p.png) @SCRIPTED `SCRIPTED` ``` | a\n"
           "::error::SCRIPTED\n##[error]SCRIPTED\x1b[31m\u202e\0\uffff</code></pre></details></testsuite>")
LONGEST_MARKDOWN = 65_000
LARGEST_PAGE = 1_000_000


def reports(products, folder):
    """Pairs of a name and a file: crashes of diagdemo, a hang, and a report in which every text is hostile."""
    for kind in KINDS:
        place = folder / kind
        place.mkdir()
        subprocess.run([products / "diagdemo", "crash", kind], env=support.environment(place),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        yield kind, next(place.glob("*-crashReport.json"))
    place = folder / "hang"
    place.mkdir()
    subprocess.run([products / "hang-probe", "queue", "compute", "1.5"], env=support.environment(place),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    yield "hang", next(place.glob("*-hang.json"))
    parts = [json.loads((FIXTURES / name).read_text()) for name in ("full.json", "hostile-parts.json")]
    file = folder / "hostile.json"
    file.write_text(json.dumps(foreign_readers.hostile({**parts[0], **parts[1]}, HOSTILE)))
    yield "hostile", file
    report = json.loads((folder / "index-out-of-range").glob("*.json").__next__().read_text())
    thread = report["threads"][0]
    report["threads"] = [{**thread, "id": 5000 + index, "name": f"worker {index}", "crashed": index == 0,
                          "stackEnd": f"end {index}"} for index in range(1000)]
    file = folder / "thousand-stacks.json"
    file.write_text(json.dumps(report))
    yield "thousand-stacks", file


def shown(crashsym, form, *files):
    run = subprocess.run([crashsym, "--format", form, *files], capture_output=True, text=True, timeout=300,
                         cwd=support.ROOT)
    return run.stdout if run.returncode == 0 else ""


def read_markdown(text, name, checks):
    import markdown_it
    tokens = markdown_it.MarkdownIt("commonmark").enable("table").parse(text)
    flat = tokens + [child for token in tokens for child in token.children or []]
    kinds = {token.type for token in flat}
    wrong = kinds & {"link_open", "image", "html_inline", "table_open", "code_block"}
    markup = "".join(token.content for token in flat if token.type == "html_block")
    for tag in ("<details>", "</details>", "</summary>"):
        markup = markup.replace(tag, "")
    loose = [token.content for token in flat if token.type == "text" and MARK in token.content]
    checks.expect(text and len(text.encode("utf-16-le")) // 2 <= LONGEST_MARKDOWN, f"{name}: Markdown of a length that fits",
                  len(text))
    checks.expect(not wrong and not loose and MARK not in markup and "fence" in kinds,
                  f"{name}: Markdown's text stays in code", f"{wrong} {loose} {markup}")
    return flat


def read_junit(text, name, checks):
    import junitparser
    suites = junitparser.JUnitXml.fromstring(text.encode())
    cases = [case for suite in suites for case in suite]
    errors = [result for case in cases for result in case.result if isinstance(result, junitparser.Error)]
    checks.expect(len(cases) == 1 and len(errors) == 1 and errors[0].text and errors[0].message and errors[0].type,
                  f"{name}: JUnit has one case with its error", text[:300])
    return errors[0].text if errors else ""


def read_sarif(text, name, checks):
    import pydantic
    import sarif_pydantic
    try:
        sarif = sarif_pydantic.Sarif.model_validate_json(text)
        checks.expect(len(sarif.runs) == 1 and len(sarif.runs[0].results) == 1, f"{name}: SARIF has one result")
    except pydantic.ValidationError as error:
        checks.expect(False, f"{name}: SARIF has one result", error)


def read_pprof(crashsym, file, function, name, checks):
    go = shutil.which("go")
    if not go:
        return checks.skip(f"{name}: pprof", "the package golang-go is not installed")
    profile = file.with_suffix(".pprof")
    with open(profile, "wb") as output:
        subprocess.run([crashsym, "--format", "pprof", file], stdout=output, cwd=support.ROOT, timeout=300)
    run = subprocess.run([go, "tool", "pprof", "-raw", profile], capture_output=True, text=True, timeout=120)
    checks.expect(run.returncode == 0 and (function or "") in run.stdout and "thread:[" in run.stdout
                  and "\x1b" not in run.stdout, f"{name}: go tool pprof reads the profile", run.stderr or run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--products", type=pathlib.Path, default=support.ROOT / ".build" / "debug")
    parser.add_argument("--screenshots", action="store_true")
    arguments = parser.parse_args()
    checks = support.Checks()
    missing = foreign_readers.install(READERS, PACKAGES, ALONE)
    if missing:
        checks.skip("other people's readers of Markdown, HTML, JUnit and SARIF", missing)
        sys.exit(75)
    products = arguments.products.resolve()
    crashsym = products / "crashsym"
    with support.temporary_folder() as folder:
        folder = pathlib.Path(folder)
        pages = {}
        for name, file in reports(products, folder):
            markdown = shown(crashsym, "markdown", file)
            read_markdown(markdown, name, checks)
            stack = read_junit(shown(crashsym, "junit", file), name, checks)
            read_sarif(shown(crashsym, "sarif", file), name, checks)
            read_pprof(crashsym, file, KINDS.get(name), name, checks)
            page = folder / f"{name}.html"
            page.write_text(shown(crashsym, "html", file))
            text = format_pages.read(page, name, checks, LARGEST_PAGE)
            function = KINDS.get(name)
            if function:
                checks.expect(all(function in shown for shown in (markdown, stack, text)),
                              f"{name}: three formats name {function}")
            pages[name] = page
        format_pages.look_at(pages, checks, arguments.screenshots)
    checks.end()


if __name__ == "__main__":
    main()
