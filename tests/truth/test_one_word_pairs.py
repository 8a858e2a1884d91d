"""Keys with a value for each of two images, given one value for two images or two for one: `srcextract sextractor` beside
SExtractor. Each case also has an option whose answer SExtractor tells from the case's own, so that a key that is passed over
fails."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from oracle_fields import field
from test_one_word import both, fits_catalogue  # noqa: F401

SIDE = 256


@pytest.fixture
def pairs(both):
    def make(place):
        image = field(951, SIDE, 1500, seeing=3.0, sky=1000.0, noise=20.0)
        fits.writeto(place / "a.fits", image)
        fits.writeto(place / "b.fits", image + np.random.default_rng(952).normal(0, 10, image.shape).astype(np.float32))
        noise = np.full((SIDE, SIDE), 20, np.float32)
        fits.writeto(place / "even.fits", noise ** -2)
        noise[:, :100] = 40
        fits.writeto(place / "rms.fits", noise)
        fits.writeto(place / "variance.fits", noise ** 2)
        fits.writeto(place / "weight.fits", noise ** -2)
        holes = noise ** -2
        for y, x in np.random.default_rng(953).integers(0, SIDE - 40, (15, 2)):
            holes[y:y + 5, x:x + 40] = 0
        fits.writeto(place / "holes.fits", holes)
        rng = np.random.default_rng(954)
        for name in "f1.fits", "f2.fits":
            fits.writeto(place / name, rng.choice([0, 1, 2, 4, 8], noise.shape, p=[0.8, 0.05, 0.05, 0.05, 0.05]).astype(np.int16))
        (place / "default.param").write_text("X_IMAGE\nFLUX_AUTO\nFLUXERR_AUTO\nIMAFLAGS_ISO(2)\n")
        (place / "default.sex").write_text("FILTER Y\nDEBLEND_NTHRESH 1\nCLEAN N\nVERBOSE_TYPE QUIET\nGAIN_KEY NONE\n"
                                           "SATUR_KEY NONE\nCATALOG_TYPE FITS_1.0\nBACK_SIZE 64\nFLAG_IMAGE f1.fits,f2.fits\n")
        (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")

    both.prepare(make)
    return both


def sums(place):
    rows = fits_catalogue("test.cat")(place)
    return np.array([len(rows), *(np.sum(rows[name], dtype=float) for name in ("FLUX_AUTO", "FLUXERR_AUTO")),
                     np.sum(np.asarray(rows["IMAFLAGS_ISO"])[:, 1], dtype=float)])


def both_sums(pairs, *arguments):
    pairs.run(*arguments)
    return pairs.each(sums)


def maps(kind, *files):
    return ["-WEIGHT_TYPE", ",".join([kind] * 2), "-WEIGHT_IMAGE", ",".join(files)]


WEIGHTS = maps("MAP_WEIGHT", "weight.fits", "weight.fits")
HOLES = [*maps("MAP_WEIGHT", "holes.fits", "holes.fits"), "-INTERP_MAXXLAG", "1"]


@pytest.mark.parametrize("images, options, others", [
    ("a.fits,b.fits", [*WEIGHTS, "-WEIGHT_THRESH", "0.001"], [*WEIGHTS, "-WEIGHT_THRESH", "0.001,0.001"]),
    ("a.fits,b.fits", [*maps("MAP_RMS", "rms.fits", "rms.fits"), "-WEIGHT_THRESH", "30"],
     [*maps("MAP_RMS", "rms.fits", "rms.fits"), "-WEIGHT_THRESH", "30,30"]),
    ("a.fits,b.fits", [*maps("MAP_VAR", "variance.fits", "variance.fits"), "-WEIGHT_THRESH", "1000"],
     [*maps("MAP_VAR", "variance.fits", "variance.fits"), "-WEIGHT_THRESH", "1000,1000"]),
    ("a.fits,b.fits", [*HOLES, "-INTERP_MAXYLAG", "1,16"], [*HOLES, "-INTERP_MAXYLAG", "16,1"]),
    ("a.fits", [*HOLES, "-INTERP_MAXYLAG", "1,16"], [*HOLES, "-INTERP_MAXYLAG", "16"]),
    ("a.fits", [*WEIGHTS, "-WEIGHT_THRESH", "0"], ["-WEIGHT_TYPE", "NONE"]),
    ("a.fits", ["-BACK_TYPE", "AUTO,MANUAL", "-BACK_VALUE", "1005,3"], ["-BACK_TYPE", "AUTO"]),
    ("a.fits", ["-BACK_TYPE", "MANUAL,AUTO", "-BACK_VALUE", "1005,3"], ["-BACK_TYPE", "AUTO"]),
    ("a.fits", ["-FLAG_TYPE", "MAX"], ["-FLAG_TYPE", "MAX,MAX"]),
])
def test_one_value_for_two_and_two_for_one(pairs, images, options, others):
    ours, theirs = both_sums(pairs, images, *options)
    assert abs(ours[0] - theirs[0]) <= 2 + 0.01 * theirs[0]
    np.testing.assert_allclose(ours[1:3], theirs[1:3], rtol=0.015)
    between = np.abs(both_sums(pairs, images, *others)[1] / theirs - 1)
    most = np.argmax(between)
    assert between[most] > 0.005 and abs(ours[most] / theirs[most] - 1) < between[most] / 3


@pytest.mark.parametrize("options, told", [
    ([*WEIGHTS, "-RESCALE_WEIGHTS", "Y,N"], "of a single image with weights for two"),
    ([*WEIGHTS, "-WEIGHT_THRESH", "0.001"], "of a single image with weights for two"),
    (maps("MAP_WEIGHT", "even.fits", "weight.fits"), "of a single image with weights for two"),
    (["-WEIGHT_TYPE", "NONE,MAP_WEIGHT", "-WEIGHT_IMAGE", "weight.fits"], "of a single image with weights for two"),
    (["-DETECT_THRESH", "22,30", "-ANALYSIS_THRESH", "22,30", "-PIXEL_SCALE", "0"], "MAG_ZEROPOINT"),
])
def test_what_has_no_answer_of_sextractors_is_refused(pairs, options, told):
    place = pairs.places["ours"]
    (place / "default.param").write_text("FLUX_AUTO\nMAG_AUTO\n")
    done = subprocess.run([*pairs.programs["ours"], "a.fits", *options], cwd=place, capture_output=True, text=True)
    assert done.returncode == 2 and told in done.stderr and not (place / "test.cat").exists()
