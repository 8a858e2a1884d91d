"""scripts/truth_plots.py on a few small fields by GalSim, of which everything is known: srcextract is nowhere behind
SExtractor. docs/truth.md has the whole of it, test_pulls.py what needs no GalSim."""
import csv
import os
import subprocess

import numpy as np
import pytest

from program import ROOT
from sextractor import PROGRAM

PYTHON = os.environ.get("SRCEXTRACT_TRUTH_PYTHON")
if not PYTHON:
    pytest.skip("no data: SRCEXTRACT_TRUTH_PYTHON names no Python that has tests/truth/simulated/requirements.txt",
                allow_module_level=True)
if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)


def made(program, directory, seeds, kinds):
    command = [PYTHON, ROOT / "scripts" / "truth_plots.py", program, "--seeds", seeds, "--side", 256, "--kinds", kinds,
               "--programs", "srcextract,SExtractor", "--seeds-of-photutils", min(seeds, 3), "--no-plots", "--output", directory]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (directory / "truth.csv").read_text(), done.stdout.split("\n")


def column(text, program, name):
    """By bins; NaN where too few are in one."""
    rows = [row for row in csv.DictReader(text.splitlines()) if row["program"] == program]
    return np.array([float(row[name] or "nan") for row in rows])


def test_not_behind_in_any_bin(program, tmp_path):
    text, behind = made(program, tmp_path, 3, "crowded deep")
    assert behind == [""] * len(behind)
    assert column(text, "srcextract", "count").sum() > 500
    assert np.nanmin(column(text, "srcextract", "completeness")[:4]) > 0.8
    assert np.nanmin(column(text, "srcextract", "purity")[:6]) > 0.9
    thresholds = (column(text, name, "threshold")[0] for name in ("srcextract", "SExtractor"))
    assert next(thresholds) == pytest.approx(next(thresholds), abs=0.02)


def test_the_same_numbers_again(program, tmp_path):
    texts = set()
    for name in "ab":
        (tmp_path / name).mkdir()
        texts.add(made(program, tmp_path / name, 1, "crowded shallow")[0])
    assert len(texts) == 1 and "completeness" in next(iter(texts))
