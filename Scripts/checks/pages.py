#!/usr/bin/env python3
"""Every link between pages leads somewhere, and every page of Docs can be reached from the README.

Looks at README.md, the other pages beside it, Docs, and the pages of Samples and Tests. A link is right if its file exists and
has a heading of that name. Addresses of the web are not asked.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
README_LINES = 160


def pages():
    found = [*ROOT.glob("*.md"), *ROOT.glob("Docs/**/*.md")]
    for folder in ("Samples", "Tests"):
        found += [page for page in (ROOT / folder).rglob("*.md") if ".build" not in page.parts]
    return sorted(found)


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: code[0] if "](" not in code[0] else "", text)


def anchors(text):
    """The names that GitHub gives to the headings of a page."""
    found, counts = set(), {}
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = counts.get(name, 0)
        counts[name] = count + 1
        found.add(f"{name}-{count}" if count else name)
    return found


def links(text):
    return re.findall(r"\]\(([^)\s]+)\)", without_code(text))


def errors_of(page, reached):
    text = page.read_text()
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        reached.setdefault(page, set()).add(target)
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: there is no {link}"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            yield f"{page.relative_to(ROOT)}: {link} names no heading of that page"


def self_test():
    text = "# A `b`, c\n\n## A b c\n[x](y.md#z) `[n](o)`\n```\n# no\n[p](q)\n```\n# A b c\n"
    assert anchors(text) == {"a-b-c", "a-b-c-1", "a-b-c-2"}, anchors(text)
    assert links(text) == ["y.md#z"], links(text)


def main():
    self_test()
    reached = {}
    errors = [error for page in pages() for error in errors_of(page, reached)]
    seen, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page not in seen:
            seen.add(page)
            left += reached.get(page, ())
    errors += [f"no link leads from README.md to {page.relative_to(ROOT)}" for page in (ROOT / "Docs").glob("*.md")
               if page not in seen]
    length = len((ROOT / "README.md").read_text().splitlines())
    if length > README_LINES:
        errors.append(f"README.md has {length} lines; it is one page of at most {README_LINES}")
    print(*errors, sep="\n")
    print(f"{len(pages())} pages, {sum(len(links(page.read_text())) for page in pages())} links, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
