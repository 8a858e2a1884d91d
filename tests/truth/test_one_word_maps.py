"""Which HDU of WEIGHT_IMAGE and FLAG_IMAGE `srcextract sextractor` takes, with and without a number between brackets, beside
SExtractor: maps that leave out one half of the image, or the other, and flags that differ, tell which it was."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from oracle_fields import field
from test_one_word import both  # noqa: F401

SIDE = 256


@pytest.fixture
def maps(both):
    def make(place):
        images = [field(seed, SIDE, 1500, seeing=3.0, noise=20.0).astype(np.float32) for seed in (941, 942)]
        fits.writeto(place / "one.fits", images[0])
        fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, images)]).writeto(place / "two.fits")
        left, right = np.ones((2, SIDE, SIDE), np.float32)
        left[:, :SIDE // 2] = right[:, SIDE // 2:] = 0
        flags = [np.full((SIDE, SIDE), value, np.int16) for value in (1, 2, 4)]
        extensions = [fits.ImageHDU(left), fits.ImageHDU(right)]
        fits.HDUList([fits.PrimaryHDU(), *extensions]).writeto(place / "halves.fits")
        fits.HDUList([fits.PrimaryHDU(np.ones_like(left)), *extensions]).writeto(place / "all.fits")
        fits.writeto(place / "left.fits", left)
        fits.HDUList([fits.PrimaryHDU(flags[0]), *map(fits.ImageHDU, flags[1:])]).writeto(place / "flags.fits")
        (place / "default.param").write_text("X_IMAGE\nIMAFLAGS_ISO(1)\n")
        (place / "default.sex").write_text("FILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nVERBOSE_TYPE QUIET\nGAIN_KEY NONE\n"
                                           "SATUR_KEY NONE\nCATALOG_TYPE FITS_1.0\n")

    both.prepare(make)
    return both


def taken(place):
    """Of each image whether its left and right halves have sources, but for the columns that are interpolated, and what
    they are flagged with."""
    with fits.open(place / "test.cat") as file:
        return [((np.any(hdu.data["X_IMAGE"] < SIDE / 2 - 20), np.any(hdu.data["X_IMAGE"] > SIDE / 2 + 20)),
                 tuple(np.unique(hdu.data["IMAFLAGS_ISO"]))) for hdu in file[1:]]


BOTH, LEFT_OUT, RIGHT_OUT = (True, True), (False, True), (True, False)


@pytest.mark.parametrize("image, weights, flags, expected", [
    ("two.fits", "halves.fits", "flags.fits[1]", None),
    ("two.fits[1]", "halves.fits", "flags.fits", [(LEFT_OUT, (2,))]),
    ("two.fits[2]", "halves.fits", "flags.fits[2]", [(LEFT_OUT, (4,))]),
    ("two.fits[1]", "halves.fits[2]", "flags.fits[0]", [(RIGHT_OUT, (1,))]),
    ("two.fits[2]", "all.fits", "flags.fits", [(LEFT_OUT, (2,))]),
    ("two.fits[2]", "left.fits", "flags.fits[1]", [(LEFT_OUT, (2,))]),
    ("one.fits[0]", "halves.fits[2]", "flags.fits[2]", [(RIGHT_OUT, (4,))]),
    ("one.fits", "all.fits", "flags.fits", [(BOTH, (1,))]),
    ("two.fits[1],two.fits[2]", "halves.fits[1],halves.fits[2]", "flags.fits[2]", [(LEFT_OUT, (4,))]),
])
def test_the_same_map(maps, image, weights, flags, expected):
    types = ",".join(["MAP_WEIGHT"] * len(image.split(",")))
    arguments = [image, "-WEIGHT_TYPE", types, "-WEIGHT_IMAGE", weights, "-FLAG_IMAGE", flags]
    if expected is None:  # SExtractor passes over the number, which is told
        done = subprocess.run([*maps.programs["ours"], *arguments], cwd=maps.places["ours"], capture_output=True, text=True)
        assert done.returncode == 2 and "the command line: FLAG_IMAGE flags.fits[1]: SExtractor passes over [1]" in done.stderr
        assert "name it two.fits[1], or the map flags.fits" in done.stderr
        return
    maps.run(*arguments)
    ours, theirs = maps.each(taken)
    assert theirs == expected and ours == theirs
