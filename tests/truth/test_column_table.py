"""The tables of columns in docs/catalogue.md beside the programs that it names: columns that SExtractor has, in its units, and
what SEP returns."""
import re
import subprocess

import numpy as np
import pytest

import sextractor
from program import ROOT

# In SExtractor counts of pixels are areas, or of nothing; magnitudes of a surface are per square arcsecond.
UNITS = {"*unit of sums*": "count", "*unit of the pixels*": "count", "mag.arcsec**(-2)": "mag * arcsec**(-2)"}


def table():
    """{column: {heading: cell}}, of all tables of columns. A column that is missing under "In other programs" has the same name in
    SExtractor, and is in neither SEP nor photutils."""
    rows, headings = {}, []
    page = (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8")
    for line in page[page.index("<!-- generated"):page.index("<!-- end of what is generated")].splitlines():
        if not line.startswith("| "):
            continue
        cells = [cell.strip() for cell in re.fullmatch(r"\|(.*)\|", line)[1].split("|")]
        if cells[0] == "Column":
            headings = cells
            assert len(headings) <= 4, "wider than a phone"
            continue
        assert len(cells) == len(headings), line
        name = re.fullmatch(r"`(\w+)`", cells[0])[1]
        row = rows.setdefault(name, {"SExtractor": f"`{name}`", "SEP": "", "photutils": ""})
        row |= {heading: "" if cell == "—" else cell for heading, cell in zip(headings, cells)}
    assert len(rows) > 120
    return rows


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_what_sextractor_has():
    listed = subprocess.run([sextractor.PROGRAM, "-dp"], capture_output=True, text=True).stdout
    theirs = {}
    for line in listed.splitlines():
        name, rest = re.match(r"#(\w+)(.*)", line).groups()
        unit = re.search(r"\[([^]]*)\]\s*$", rest)
        theirs[name] = unit[1] if unit else ""
    compared = 0
    for name, row in table().items():
        told = re.match(r"`(\w+)`", row["SExtractor"])
        assert (told is not None) == bool(row["SExtractor"]), name
        if told is None:
            assert name not in theirs, name
            continue
        assert told[1] in theirs, name
        if row["Unit"] in ("", "pixel") and theirs[told[1]] in ("", "pixel", "pixel**2"):
            continue
        assert UNITS.get(row["Unit"], row["Unit"]) == theirs[told[1]], name
        compared += 1
    assert compared > 80


def test_what_sep_has():
    sep = pytest.importorskip("sep")
    pixels = np.zeros((32, 32), np.float32)
    pixels[10:16, 10:14] = 10
    fields = sep.extract(pixels, 1.0).dtype.names
    named = {name: row["SEP"].strip("`") for name, row in table().items() if row["SEP"]}
    assert len(named) > 25
    for name, theirs in named.items():
        assert theirs in fields or callable(getattr(sep, theirs, None)), name


def test_ucds_are_of_the_controlled_vocabulary():
    ucd = pytest.importorskip("astropy.io.votable.ucd")
    for name, row in table().items():
        assert row["UCD"], name
        ucd.parse_ucd(row["UCD"], check_controlled_vocabulary=True)
