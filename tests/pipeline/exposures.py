"""A simulated sky, seen twice: srcextract's catalogues of images that differ by their noise."""

import sys

from driver import ROOT, run_program

sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import make_field, write_fits  # noqa: E402

SIZE, LEVEL, SIGMA = 2048, 500.0, 0.3
WCS = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": SIZE / 2, "CRPIX2": SIZE / 2, "CRVAL1": 150.0,
       "CRVAL2": 2.0, "CDELT1": -1e-4, "CDELT2": 1e-4, "RADESYS": "ICRS"}


def pixels(exposure):
    return make_field(SIZE, SIZE, seed=51, level=LEVEL, noise=SIGMA, exposure=exposure)


def extract(path, values, cards):
    """The catalogue of an image of these pixels, whose sky is flat, which is written to `path`."""
    write_fits(path, values, **cards)
    done = run_program("-q", "-o", path.parent, "--set", "output.formats=[fits]", "--set",
                       "background.method=constant", ROOT / "tests/support/plain.yaml", path)
    assert done.code == 0, done.err
    return path.with_suffix(".cat.fits")
