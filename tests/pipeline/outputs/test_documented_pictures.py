"""The pictures of docs/ are what the program draws now."""

import os
import pathlib
import sys

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("astropy")

import png_files
from driver import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import make_pictures

REAL = ROOT.parent / "shared/data/sextractor/galaxies.fits"  # not every machine has it


def test_every_picture_of_the_documentation_is_fresh(tmp_path):
    make_pictures.draw_all(pathlib.Path(os.environ["SRCEXTRACT_PROGRAM"]), tmp_path, REAL if REAL.exists() else None)
    drawn = sorted(path.name for path in tmp_path.glob("*.png"))
    assert {"sky.png", "sky_maps.png", "simulated_maps.png"} <= set(drawn)
    stale = [name for name in drawn
             if not np.array_equal(png_files.read(tmp_path / name), png_files.read(ROOT / "docs" / name))]
    assert stale == [], f"stale in docs/: {stale}; scripts/make_pictures.py build/srcextract draws them again"
