"""Regions of a catalogue as another reader, the package `regions`, draws them: those for DS9 and for CARTA are the same."""

import os
import subprocess
import sys

import pytest

from stage_images import field, write_image

DRAW = """
import sys
import numpy as np
from regions import EllipsePixelRegion, Regions
ds9, crtf = (Regions.read(f"r.{kind}", format=form) for kind, form in (("reg", "ds9"), ("crtf", "crtf")))
assert len(ds9) == len(crtf) == int(sys.argv[1])
for i, (one, other) in enumerate(zip(ds9, crtf), start=1):
    assert isinstance(one, EllipsePixelRegion) and str(one.meta["text"]) == other.meta["label"] == str(i)
    # The first pixel is 1 in DS9's file, and 0 in the other and to `regions`.
    assert np.allclose(one.center.xy, other.center.xy, rtol=0, atol=1e-9)
    drawn = [ellipse.to_mask(mode="subpixels", subpixels=20).to_image((50, 61)) for ellipse in (one, other)]
    assert drawn[0].sum() > 1 and np.abs(drawn[0] - drawn[1]).max() <= 0.05, i
print("drawn")
"""


def test_carta_draws_what_ds9_draws(extract, tmp_path):
    python = os.environ.get("SRCEXTRACT_READERS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import regions"], capture_output=True).returncode != 0:
        pytest.skip("SRCEXTRACT_READERS_PYTHON names no Python that has regions")
    write_image(tmp_path / "r.fits", field(1))
    directory = extract("out", "output: {formats: [reg, crtf]}\n", "r.fits")
    done = subprocess.run([python, "-c", DRAW, "10"], cwd=directory, capture_output=True, text=True)
    assert done.stdout == "drawn\n", done.stderr
