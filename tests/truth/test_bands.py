"""`-d DETECT CONFIG --band NAME=FILE...` beside SExtractor in dual image mode, once for each band: what is found once is
measured in every band as it measures it there."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

import test_dual_image as dual
from program import ROOT, read_catalogue
from sextractor import PROGRAM

GAINS = {"r": 2.5, "i": 0}


def third(found, measured):
    """A band that is fainter where the second is bright, on a sky that slopes the other way."""
    rng = np.random.default_rng(7)
    quiet = 0.3 * (found - np.median(found)) + 0.5 * (measured - np.median(measured)) + 200 - 0.03 * np.arange(dual.SIDE)
    return (quiet + rng.normal(0, dual.NOISE / 2, quiet.shape)).astype(np.float32)


@pytest.mark.skipif(not PROGRAM, reason="no SExtractor (Debian's source-extractor) on PATH")
def test_beside_sextractor(program, tmp_path):
    found, measured = dual.bands(904, 3000)
    for name, pixels in (("g", found), ("r", measured), ("i", third(found, measured))):
        fits.writeto(tmp_path / f"{name}.fits", pixels)
    bands = [part for name in GAINS for part in ("--band", f"{name}={tmp_path / name}.fits")]
    own = [part for name, gain in GAINS.items() for part in ("--band-set", f"{name}:measurement.gain={gain}")]
    done = subprocess.run([str(part) for part in (program, "-q", "-o", tmp_path, "-d", tmp_path / "g.fits", *dual.options(9), "--set",
                                                  "output.formats=[csv]", ROOT / "config/sextractor.yaml", *bands, *own)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = read_catalogue(tmp_path / "g.bands.cat.csv")
    for band, gain in GAINS.items():
        other, = set(GAINS) - {band}
        mine = {name.removesuffix(f"_{band}"): values for name, values in table.items() if not name.endswith(f"_{other}")}
        told = dual.theirs(tmp_path, "g.fits", f"{band}.fits", gain, f"sky_{band}.fits")
        dual.require_the_same(mine, told, tmp_path / f"sky_{band}.fits")
    # The bands are not alike.
    ratio = table["FLUX_AUTO_r"] / table["FLUX_AUTO_i"]
    assert len(ratio) > 200 and np.std(np.log(np.abs(ratio))) > 0.05
