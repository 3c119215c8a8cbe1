"""Checks reports, one on each line, against a JSON Schema; prints `valid` or what is wrong for each.

Usage: validate.py SCHEMA REPORTS…
"""
import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for path in sys.argv[2:]:
    with open(path) as file:
        for line in file:
            error = next(validator.iter_errors(json.loads(line)), None)
            print("valid" if error is None else f"{error.json_path}: {error.message}".replace("\n", " ")[:300])
