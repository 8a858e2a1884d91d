"""Thresholds beside weights, in `srcextract sextractor` and SExtractor: surface brightnesses, pixel values, two images whose
noise differs, and bad pixels under a filter. What differs stands in docs/sextractor.md."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from oracle_fields import field
from sextractor import PROGRAM
from test_default_sex import partners

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="SExtractor is not installed")
SIDE, NOISE, SCALE = 450, 10.0, 0.36
COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", "FLAGS", "FLUX_AUTO", "THRESHOLD", "MU_THRESHOLD", "ISOAREAF_IMAGE"]
EXPOSURES = np.ones((SIDE, 1)) * np.repeat([1.0, 4.0, 16.0], SIDE // 3)
TWO = {"WEIGHT_TYPE": "MAP_WEIGHT,MAP_WEIGHT", "WEIGHT_IMAGE": "weight.fits,turned.fits"}
ONE = {"WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_IMAGE": "weight.fits"}


@pytest.fixture
def directory(tmp_path):
    """A field on exposures of 1, 4 and 16, and the same sources on them in the other order."""
    light = field(41, SIDE, 4000, seeing=3.0, noise=4.0)
    for name, times, seed in (("image", EXPOSURES, 1), ("other", EXPOSURES[:, ::-1], 2)):
        noise = np.random.default_rng(seed).normal(0, NOISE, light.shape) / np.sqrt(times)
        fits.writeto(tmp_path / f"{name}.fits", (light + noise).astype(np.float32))
    fits.writeto(tmp_path / "weight.fits", EXPOSURES.astype(np.float32))
    fits.writeto(tmp_path / "turned.fits", EXPOSURES[:, ::-1].astype(np.float32))
    return tmp_path


def run(command, directory, image, columns=COLUMNS, **settings):
    """What it ends with, and the rows."""
    (directory / "default.param").write_text("\n".join(columns) + "\n")
    (directory / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    chosen = {"CATALOG_NAME": "x.cat", "CATALOG_TYPE": "FITS_1.0", "PIXEL_SCALE": SCALE, "MAG_ZEROPOINT": 25,
              "WEIGHT_GAIN": "N", "VERBOSE_TYPE": "QUIET", "CLEAN": "N", "DEBLEND_MINCONT": 1} | settings
    (directory / "x.cat").unlink(missing_ok=True)
    arguments = [str(part) for key, value in chosen.items() for part in (f"-{key}", value)]
    done = subprocess.run([*command, image, *arguments], cwd=directory, capture_output=True, text=True)
    if done.returncode != 0:
        return done, None
    table = fits.getdata(directory / "x.cat", 1)
    return done, {name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}


def both(program, directory, image, **settings):
    """Rows of the same sources, and how many of each are among them."""
    (_, told), (done, mine) = (run(command, directory, image, **settings)
                               for command in ([PROGRAM], [program, "sextractor"]))
    assert mine is not None, done.stderr
    own, other, of_mine, of_theirs = partners(mine, told)
    assert len(own) > 100
    return {n: v[own] for n, v in mine.items()}, {n: v[other] for n, v in told.items()}, of_mine, of_theirs


@pytest.mark.parametrize("image, settings", [
    ("image.fits", ONE), ("image.fits,other.fits", TWO), ("image.fits,image.fits", TWO | {"WEIGHT_IMAGE": "weight.fits,weight.fits"}),
    ("image.fits,other.fits", TWO | {"WEIGHT_TYPE": "NONE,MAP_WEIGHT", "ANALYSIS_THRESH": 4})])
def test_the_brightness_of_the_threshold_follows_the_map_of_the_measured_image(program, directory, image, settings):
    mine, told, of_mine, of_theirs = both(program, directory, image, **settings)
    assert min(of_mine, of_theirs) > 0.99
    assert np.ptp(told["MU_THRESHOLD"]) > 1.4  # fourfold
    assert np.mean(np.abs(mine["MU_THRESHOLD"] - told["MU_THRESHOLD"]) < 1e-3) >= 0.98


@pytest.mark.parametrize("weights", (ONE, {"WEIGHT_TYPE": "BACKGROUND"}))
def test_a_brightness_is_a_number_of_sigmas_to_sextractor_where_there_are_weights(program, directory, weights):
    brightness = {"DETECT_THRESH": "19,25", "ANALYSIS_THRESH": "19,25"}
    counts = SCALE ** 2 * 10 ** (-0.4 * (19 - 25))
    done, mine = run([program, "sextractor"], directory, "image.fits", **weights, **brightness)
    assert mine is None and done.returncode == 2 and "SExtractor takes 19 for sigmas" in done.stderr
    _, plain = run([program, "sextractor"], directory, "image.fits", **brightness)
    assert plain["THRESHOLD"] == pytest.approx(counts, rel=1e-5)
    _, told = run([PROGRAM], directory, "image.fits", **weights, **brightness)
    _, sigmas = run([PROGRAM], directory, "image.fits", **weights, DETECT_THRESH=19)
    assert len(told["THRESHOLD"]) > 25 and np.array_equal(told["THRESHOLD"], sigmas["THRESHOLD"])
    assert abs(np.median(told["THRESHOLD"]) / counts - 1) > 0.5
    assert len(told["THRESHOLD"]) < 0.5 * len(plain["THRESHOLD"])
    print(len(told["THRESHOLD"]), "sources in SExtractor,", len(plain["THRESHOLD"]), "above the brightness")


def test_a_pixel_value_is_the_same_everywhere(program, directory):
    value = {"THRESH_TYPE": "ABSOLUTE", "DETECT_THRESH": 20, "ANALYSIS_THRESH": 20}
    mine, told, of_mine, of_theirs = both(program, directory, "image.fits", columns=[*COLUMNS, "ISOAREA_IMAGE"], **ONE, **value)
    assert min(of_mine, of_theirs) > 0.99
    expected = 25 - 2.5 * np.log10(20 / SCALE ** 2)
    assert mine["MU_THRESHOLD"] == pytest.approx(expected, abs=1e-4)
    off = np.abs(told["MU_THRESHOLD"] - expected)
    same = np.mean(mine["ISOAREA_IMAGE"] == told["ISOAREA_IMAGE"])
    print(f"MU_THRESHOLD of SExtractor is off by up to {off.max():.2f} mag, ISOAREA_IMAGE the same in {same:.0%}")
    assert off.max() > 0.7 and same < 0.6


def test_neighbours_of_bad_pixels_under_a_filter(program, directory):
    weights = EXPOSURES.astype(np.float32)
    weights[:, 200:202] = 0
    fits.writeto(directory / "weight.fits", weights, overwrite=True)
    for filtered in "NY":
        settings = ONE | {"INTERP_TYPE": "NONE", "FILTER": filtered}
        rows = [run(command, directory, "image.fits", **settings)[1] for command in ([program, "sextractor"], [PROGRAM])]
        beside = [np.abs(row["X_IMAGE"] - 201) < 15 for row in rows]
        mine, told = (row["ISOAREAF_IMAGE"][near].sum() for row, near in zip(rows, beside))
        apart, other = (row["ISOAREAF_IMAGE"][~near].sum() for row, near in zip(rows, beside))
        print("FILTER", filtered, "pixels of sources beside the columns", mine, told, "elsewhere", apart, other)
        assert apart == pytest.approx(other, rel=2e-3)
        assert mine == told if filtered == "N" else mine > 1.02 * told


def test_an_analysis_threshold_that_no_column_counts_in_is_not_asked_after(program, directory):
    settings = {"DETECT_THRESH": "19,25", "ANALYSIS_THRESH": 1.5}
    done, mine = run([program, "sextractor"], directory, "image.fits", columns=["X_IMAGE_DBL", "FLUX_AUTO"], **settings)
    _, told = run([PROGRAM], directory, "image.fits", columns=["X_IMAGE_DBL", "FLUX_AUTO"], **settings)
    assert mine is not None, done.stderr
    assert len(mine["FLUX_AUTO"]) == len(told["FLUX_AUTO"]) > 50
    done, mine = run([program, "sextractor"], directory, "image.fits", columns=["X_IMAGE_DBL", "FWHM_IMAGE"], **settings)
    assert mine is None and "in another unit than DETECT_THRESH" in done.stderr
