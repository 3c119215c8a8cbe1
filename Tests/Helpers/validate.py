#!/usr/bin/env python3
"""Checks reports, one on each line, against a JSON Schema: `FILE: valid`, or what is wrong, for each.

Usage: validate.py SCHEMA REPORT…
       validate.py SCHEMA -     reads a line of standard input for each file, which is one report, and answers at once
Exit status: 0 all are valid, 1 one is not, 2 wrong use. Needs the Python package jsonschema.
"""
import json
import sys


def verdict(validator, line):
    try:
        report = json.loads(line)
    except ValueError as error:
        return f"not JSON: {error}"
    error = next(validator.iter_errors(report), None)
    return "valid" if error is None else f"{error.json_path}: {error.message}".replace("\n", " ")[:300]


def check_lines(validator, path):
    """Checks each line of a file; gives the exit status."""
    status = 0
    with open(path) as file:
        for line in file:
            words = verdict(validator, line)
            print(f"{path}: {words}")
            status = status if words == "valid" else 1
    return status


def check_file(validator, path):
    """Checks a file as one report; gives the exit status."""
    try:
        with open(path) as file:
            words = verdict(validator, file.read())
    except (OSError, ValueError) as error:
        words = f"not read: {error}"
    print(f"{path}: {words}", flush=True)
    return 0 if words == "valid" else 1


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        import jsonschema
    except ImportError:
        print("validate.py: the Python package jsonschema is missing (python3-jsonschema)", file=sys.stderr)
        return 2
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    if sys.argv[2:] == ["-"]:
        return max((check_file(validator, line.rstrip("\n")) for line in sys.stdin), default=0)
    return max(check_lines(validator, path) for path in sys.argv[2:])


sys.exit(main())
