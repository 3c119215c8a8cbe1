"""Writes the manual pages and the shell completions of a command, from what its argument parser knows.

usage: manual.py PROGRAM FOLDER

FOLDER gets share/man/man1/NAME.1, a page NAME-SUBCOMMAND.1 for each subcommand, and the completions where bash, zsh and fish
look for them. The text is that of `--help`.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

COMPLETIONS = {
    "bash": "share/bash-completion/completions/{}",
    "zsh": "share/zsh/vendor-completions/_{}",
    "fish": "share/fish/vendor_completions.d/{}.fish",
}


def escaped(text):
    """A text as troff shows it: no backslash or hyphen changes, and no line is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def paragraphs(text):
    """Lines that begin with blanks keep their layout; the others are filled."""
    lines, fixed = [], False
    for line in text.strip("\n").split("\n"):
        if not line.strip():
            lines.append(".PP" if not fixed else "")
            continue
        if line.startswith(" ") != fixed:
            fixed = not fixed
            lines.append(".nf" if fixed else ".fi")
        lines.append(escaped(line))
    return [*lines, *([".fi"] if fixed else [])]


def spelled(name):
    return f"--{name['name']}" if name["kind"] == "long" else f"-{name['name']}"


def value_of(argument):
    return f" \\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]


def synopsis(command, path):
    words = [f"\\fB{escaped(' '.join(path))}\\fR"]
    for argument in shown(command):
        if argument["kind"] == "positional":
            text = f"\\fI{escaped(argument['valueName'])}\\fR" + (" ..." if argument["isRepeating"] else "")
        else:
            text = f"\\fB{escaped(spelled(argument['preferredName']))}\\fR{value_of(argument)}"
        words.append(f"[{text}]" if argument["isOptional"] else text)
    if subcommands_of(command):
        words.append("\\fIsubcommand\\fR")
    return " ".join(words)


def argument_lines(argument):
    if argument["kind"] == "positional":
        head = f"\\fI{escaped(argument['valueName'])}\\fR"
    else:
        head = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in argument["names"]) + value_of(argument)
    text = argument.get("abstract", "")
    if argument.get("allValues"):
        text += f" Values: {', '.join(argument['allValues'])}."
    if argument.get("defaultValue"):
        text += f" Default: {argument['defaultValue']}."
    yield from (".TP", head, *paragraphs(text or "\u00a0"))
    if argument.get("discussion"):
        yield from (".IP", *paragraphs(argument["discussion"]))


def subcommands_of(command):
    return [one for one in command.get("subcommands", []) if one["commandName"] != "help"]


def page(command, path, version, date):
    name = "-".join(path)
    lines = [f'.TH "{escaped(name.upper())}" 1 "{date}" "{path[0]} {version}" "User commands"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS",
             synopsis(command, path)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    if shown(command):
        lines += [".SH OPTIONS", *(line for argument in shown(command) for line in argument_lines(argument))]
    subcommands = subcommands_of(command)
    if subcommands:
        lines.append(".SH SUBCOMMANDS")
        for one in subcommands:
            lines += [".TP", f"\\fB{escaped(name)}\\-{escaped(one['commandName'])}\\fR(1)",
                      *paragraphs(one.get("abstract", ""))]
    return "\n".join([*lines, ""])


def write_pages(command, path, version, date, folder):
    (folder / f"{'-'.join(path)}.1").write_text(page(command, path, version, date))
    for one in subcommands_of(command):
        write_pages(one, [*path, one["commandName"]], version, date, folder)


def output(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    if len(sys.argv) != 3:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 64
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    command = json.loads(output(program, "--experimental-dump-help"))["command"]
    name = command["commandName"]
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d")
    manual = folder / "share/man/man1"
    manual.mkdir(parents=True, exist_ok=True)
    write_pages(command, [name], output(program, "--version").strip(), date, manual)
    for shell, place in COMPLETIONS.items():
        file = folder / place.format(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(output(program, "--generate-completion-script", shell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
