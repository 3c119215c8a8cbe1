#!/usr/bin/env python3
"""Checks reports, one on each line, against a JSON Schema: `FILE: valid`, or what is wrong, for each.

Usage: validate.py SCHEMA REPORT…
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
    status = 0
    for path in sys.argv[2:]:
        with open(path) as file:
            for line in file:
                words = verdict(validator, line)
                print(f"{path}: {words}")
                status = status if words == "valid" else 1
    return status


sys.exit(main())
