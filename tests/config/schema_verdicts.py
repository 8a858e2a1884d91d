"""Says for each YAML text of a JSON list whether it is valid against a JSON schema.

usage: schema_verdicts.py SCHEMA.json TEXTS.json    prints a line `valid` or `invalid` for each text
"""

import json
import sys

import jsonschema
import yaml

with open(sys.argv[1]) as file:
    schema = json.load(file)
with open(sys.argv[2]) as file:
    texts = json.load(file)

jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for text in texts:
    print("valid" if validator.is_valid(yaml.safe_load(text)) else "invalid")
