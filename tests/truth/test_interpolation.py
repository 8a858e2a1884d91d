"""Bad pixels that take over from their neighbours, beside SExtractor's INTERP_TYPE ALL and VAR_ONLY. A plain serial
implementation, pixel after pixel, is held against SExtractor's check images first, and then ours against it."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from program import extract
from test_weights import check, pair, scene

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3,
            "WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_GAIN": "N"}
COLUMNS = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREA_IMAGE", "FLUX_ISO", "FLUXERR_ISO", "FLAGS")


def holes(seed):
    """A field with stars on a slope, and weights with bad columns, bad rows, holes of every size, at the edges too."""
    rng = np.random.default_rng(seed)
    image, weights = scene(seed, slope=0.2)
    weights[:, 3:6] = 0
    weights[:, 300:321] = 0  # wider than SExtractor reaches
    weights[:5] = 0
    weights[400:402] = 0
    weights[500:540, 100:150] = 0
    weights[:30, -25:] = 0
    weights[rng.random(weights.shape) < 0.02] = 0
    image[weights == 0] = 20000
    return image, weights


def fill(image, bad, columns=16, rows=16):
    """As it is defined, with a counter along the row and one for each column; NaN where nothing is near."""
    image, left_of_column = image.copy(), np.zeros(image.shape[1], int)
    for y in range(image.shape[0]):
        left = 0
        for x in range(image.shape[1]):
            if not bad[y, x]:
                left, left_of_column[x] = columns, rows
            elif left > 0:
                left -= 1
                image[y, x] = image[y, x - 1]
            elif left_of_column[x] > 0:
                left_of_column[x] -= 1
                image[y, x] = image[y - 1, x]
            else:
                image[y, x] = np.nan
    return image


def ours(program, directory, *sets):
    words = ["weights.type=weight", f"weights.file={directory / 'map.fits'}", "detection.threshold=3",
             "output.check_images=[-background,filtered]", *sets]
    found, told = extract(program, "plain", directory / "sky.fits", directory, "--backend",
                          os.environ.get("SRCEXTRACT_BACKEND", "cpu"), *(w for s in words for w in ("--set", s)))
    return found, told, fits.getdata(directory / "sky.minus_background.fits")


def theirs(directory, kind, image="-BACKGROUND", **settings):
    twice = (lambda text: f"{text},{text}") if kind == "VAR_ONLY" else str  # with one map it says that there is none
    table = sextractor.sextract(
        directory / "sky.fits", directory, COLUMNS,
        **SETTINGS | {"WEIGHT_TYPE": twice("MAP_WEIGHT"), "WEIGHT_IMAGE": twice(directory / "map.fits"),
                      "INTERP_TYPE": twice(kind), "CHECKIMAGE_TYPE": image,
                      "CHECKIMAGE_NAME": directory / "check.fits"} | settings)
    catalogue = fits.getdata(table, 1)
    return {name: catalogue[name].astype(float) for name in COLUMNS}, fits.getdata(directory / "check.fits")


def written(directory, image, weights):
    fits.PrimaryHDU(image).writeto(directory / "sky.fits", overwrite=True)
    fits.PrimaryHDU(weights).writeto(directory / "map.fits", overwrite=True)


@pytest.mark.parametrize("seed, columns, rows", ((201, 16, 16), (202, 3, 5), (203, 40, 2)))
def test_pixels_that_are_filled(program, tmp_path, seed, columns, rows):
    image, weights = holes(seed)
    bad = weights == 0
    written(tmp_path, image, weights)
    _, plain = theirs(tmp_path, "NONE")
    right = fill(plain, bad, columns, rows)
    known = np.isfinite(right)
    for shown in ("-BACKGROUND", "FILTERED"):
        _, check_image = theirs(tmp_path, "ALL", shown, INTERP_MAXXLAG=columns, INTERP_MAXYLAG=rows)
        assert np.array_equal(check_image[known], right[known])
    lags = [f"weights.interpolate_columns={columns}", f"weights.interpolate_rows={rows}"]
    _, _, masked = ours(program, tmp_path)
    assert np.array_equal(np.isnan(masked), bad)
    _, told, filled = ours(program, tmp_path, "weights.interpolate=all", *lags)
    assert np.array_equal(filled, fill(masked, bad, columns, rows), equal_nan=True)
    assert np.array_equal(np.isnan(filled), ~known)
    assert (bad & known).sum() > 10000 and np.abs(filled - right)[known].max() < 1e-3
    assert told["counts"]["masked_weight"] == bad.sum()


@pytest.mark.parametrize("seed", (211, 212))
def test_sources_of_an_image_without_gaps(program, tmp_path, seed):
    image, weights = holes(seed)
    written(tmp_path, image, weights)
    found, *_ = ours(program, tmp_path, "weights.interpolate=all")
    other, _ = theirs(tmp_path, "ALL")
    check(found, other)


@pytest.mark.parametrize("seed", (221, 222))
def test_bad_pixels_that_keep_their_value(program, tmp_path, seed):
    """SExtractor takes the variances over for detection alone: errors of sources with a bad pixel are some 1e13 sigma, and
    ISOAREA_IMAGE leaves it out. Fluxes are of the same pixels."""
    image, _ = scene(seed)
    clean = np.where(image == 20000, np.random.default_rng(seed).normal(500, 30, image.shape), image).astype(np.float32)
    _, weights = holes(seed)
    bad = weights == 0
    written(tmp_path, clean, weights)
    found, told, shown = ours(program, tmp_path, "weights.interpolate=variance", "output.segmentation=true")
    with np.errstate(divide="ignore"):
        variances = fill(1 / weights, bad)
    assert np.array_equal(np.isnan(shown), np.isnan(variances))
    other, _ = theirs(tmp_path, "VAR_ONLY")
    mine, index = pair(found, other)
    assert len(set(index)) == len(index) == len(found["NPIX"]) == len(other["FLAGS"]) > 150
    flux = found["FLUX_ISO"][mine] - other["FLUX_ISO"][index]
    assert np.abs(flux / found["FLUXERR_ISO"][mine]).max() < 1e-3

    labels = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION")
    touched = np.isin(found["NUMBER"], labels[bad])
    assert np.array_equal(other["FLUXERR_ISO"][index] > 1e6, touched[mine]) and 30 < touched.sum() < len(touched) - 30
    fine = ~touched[mine]
    assert np.array_equal(found["NPIX"][mine][fine], other["ISOAREA_IMAGE"][index][fine])
    assert np.abs(found["FLUXERR_ISO"][mine] / other["FLUXERR_ISO"][index] - 1)[fine].max() < 1e-5
    from scipy.ndimage import sum_labels
    error = told["weights"]["noise_scale"] * np.sqrt(sum_labels(variances, labels, found["NUMBER"]))
    assert np.abs(found["FLUXERR_ISO"] / error - 1).max() < 1e-6
