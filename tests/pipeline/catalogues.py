"""Catalogues as Astropy reads and writes them, and what `srcextract compare` says of two."""

import json
from types import SimpleNamespace

import numpy as np
from astropy.table import Table

FORMATS = {".fits": "fits", ".ecsv": "ascii.ecsv", ".csv": "ascii.csv"}


def read(path):
    """A table without units or masks, whose values are arithmetic."""
    table = Table.read(path, format=FORMATS[path.suffix])
    return Table({name: np.array(table[name]) for name in table.colnames})


def write(table, path):
    table.write(path, format=FORMATS[path.suffix], overwrite=True)
    return path


def reasons(done):
    """Why the new catalogue is beyond the rules, one line a reason, as a person reads them."""
    assert done.code == 5, (done.code, done.out, done.err)
    head, _, tail = done.out.partition("\nBEYOND THE RULES, ")
    count, *lines = tail.splitlines()
    assert count in (f"{len(lines)} reasons:", "1 reason:") and lines and all(line.startswith("  ") for line in lines)
    return [line.strip() for line in lines]


def report(done):
    """What --json - gave, with its one file at the top and the columns by their names."""
    assert done.code in (0, 5), done.err
    whole = json.loads(done.out)
    (file,) = whole["files"]
    return SimpleNamespace(**file | {"columns": {column["name"]: column for column in file["columns"]}})
