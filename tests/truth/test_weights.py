"""Maps of weights beside SExtractor's WEIGHT_TYPE MAP_WEIGHT, MAP_RMS and MAP_VAR: fields whose exposure differs from
place to place, with bad columns and holes. Neither filters, deblends or interpolates, so the pixels of a source are the
same, and its noise is the sum of the same variances, scaled by the same factor."""
import os

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from program import SHARED, extract

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

COLUMNS = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "ISOAREA_IMAGE", "FLUX_ISO", "FLUXERR_ISO", "THRESHOLD", "FLAGS")
GALAXIES = SHARED / "sextractor" / "galaxies.fits"
THEIR_TYPE = {"weight": "MAP_WEIGHT", "rms": "MAP_RMS", "variance": "MAP_VAR"}


def exposure(rng, height, width):
    """As of four dithered frames: 1 to 4, with gaps, bad columns, and holes of a few pixels."""
    times = np.zeros((height, width))
    for _ in range(4):
        x, y = rng.integers(-60, 61, 2)
        frame = np.zeros((height, width))
        frame[max(0, y):height + min(0, y), max(0, x):width + min(0, x)] = 1
        times += frame
    times = np.maximum(times, 1)
    times[:, rng.choice(width, 6, False)] = 0
    for y, x in zip(rng.integers(0, height, 60), rng.integers(0, width, 60)):
        times[y:y + 4, x:x + 3] = 0
    return times


def scene(seed, height=600, width=640, slope=0.0):
    """Pixels and their weights, 1 / variance; where there is no exposure a pixel is anything."""
    rng = np.random.default_rng(seed)
    times = exposure(rng, height, width)
    sigma = 30 / np.sqrt(np.maximum(times, 1))
    y, x = np.mgrid[:height, :width]
    image = rng.normal(0, sigma) + 500 + slope * x
    for _ in range(300):
        cx, cy, peak = rng.uniform(0, width), rng.uniform(0, height), 10 ** rng.uniform(1.5, 4)
        part = np.s_[max(0, int(cy) - 15):int(cy) + 16, max(0, int(cx) - 15):int(cx) + 16]
        image[part] += peak * np.exp(-((x[part] - cx) ** 2 + (y[part] - cy) ** 2) / (2 * 1.8 ** 2))
    image[times == 0] = 20000
    return image.astype(np.float32), (times / 30 ** 2).astype(np.float32)


def as_type(weights, kind, factor=1.0):
    with np.errstate(divide="ignore"):
        made = {"weight": weights, "variance": 1 / weights, "rms": 1 / np.sqrt(weights)}[kind]
    return np.where(weights > 0, made * factor, 0 if kind == "weight" else 1e31).astype(np.float32)


def both(program, directory, image, weights, kind, method="mesh", ours=(), **theirs):
    """Catalogues in the same order, and how many each has."""
    fits.PrimaryHDU(image).writeto(directory / "sky.fits")
    fits.PrimaryHDU(weights).writeto(directory / "map.fits")
    backend = os.environ.get("SRCEXTRACT_BACKEND", "cpu")
    sets = [f"weights.type={kind}", f"weights.file={directory / 'map.fits'}", "detection.threshold=3",
            f"background.method={method}", *ours]
    found, told = extract(program, "plain", directory / "sky.fits", directory, "--backend", backend,
                          *(part for one in sets for part in ("--set", one)))
    settings = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 3,
                "ANALYSIS_THRESH": 3, "WEIGHT_TYPE": THEIR_TYPE[kind], "WEIGHT_IMAGE": directory / "map.fits",
                "INTERP_TYPE": "NONE", "WEIGHT_GAIN": "N"}
    table = fits.getdata(sextractor.sextract(directory / "sky.fits", directory, COLUMNS, **{**settings, **theirs}), 1)
    return found, {name: table[name].astype(float) for name in COLUMNS}, told


def pair(ours, theirs, reach=0.1):
    """Indices of sources within so many pixels of each other."""
    from scipy.spatial import cKDTree
    places = np.column_stack([theirs["X_IMAGE_DBL"], theirs["Y_IMAGE_DBL"]])
    distance, index = cKDTree(places).query(np.column_stack([ours["X_IMAGE"], ours["Y_IMAGE"]]))
    near = distance < reach
    return np.flatnonzero(near), index[near]


def check(ours, theirs, least=150):
    mine, other = pair(ours, theirs)
    assert len(theirs["FLAGS"]) > least
    assert len(set(other)) == len(other) >= 0.99 * max(len(ours["NPIX"]), len(theirs["FLAGS"]))
    same = ours["NPIX"][mine] == theirs["ISOAREA_IMAGE"][other]
    assert same.mean() > 0.97
    mine, other = mine[same], other[same]
    error = ours["FLUXERR_ISO"][mine] / theirs["FLUXERR_ISO"][other]
    assert np.abs(error - 1).max() < 1e-5
    flux = ours["FLUX_ISO"][mine] - theirs["FLUX_ISO"][other]
    assert np.abs(flux / ours["FLUXERR_ISO"][mine]).max() < 1e-3


@pytest.mark.parametrize("seed", (101, 102))
@pytest.mark.parametrize("kind", THEIR_TYPE)
def test_sources_and_their_errors(program, tmp_path, kind, seed):
    image, weights = scene(seed)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, kind), kind)
    check(ours, theirs)
    assert told["counts"]["masked_weight"] == np.sum(weights == 0)


@pytest.mark.skipif(not GALAXIES.exists(), reason="no data: galaxies.fits")
@pytest.mark.parametrize("kind", THEIR_TYPE)
def test_a_real_field_with_holes(program, tmp_path, kind):
    """The map of weights that comes with it is all ones."""
    image = fits.getdata(GALAXIES).astype(np.float32)
    times = exposure(np.random.default_rng(108), *image.shape)
    weights = (times / np.median(times) / 42 ** 2).astype(np.float32)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, kind), kind)
    check(ours, theirs)
    assert told["counts"]["masked_weight"] == np.sum(weights == 0) > 1000


@pytest.mark.parametrize("factor", (0.01, 7.0))
@pytest.mark.parametrize("kind", ("weight", "variance"))
def test_maps_that_are_known_but_for_a_factor(program, tmp_path, kind, factor):
    image, weights = scene(103, slope=0.1)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, kind, factor), kind)
    check(ours, theirs)
    truth = np.sqrt(factor if kind == "weight" else 1 / factor)
    assert abs(told["weights"]["noise_scale"] / truth - 1) < 0.03


@pytest.mark.parametrize("kind", ("weight", "variance"))
def test_calibrated_maps(program, tmp_path, kind):
    image, weights = scene(104)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, kind), kind, ours=["weights.rescale=false"],
                              RESCALE_WEIGHTS="N")
    check(ours, theirs)
    assert told["weights"]["noise_scale"] == 1


@pytest.mark.parametrize("kind, threshold", (("weight", 1.5 / 900), ("variance", 600.0), ("rms", 24.0)))
def test_thresholds_of_maps(program, tmp_path, kind, threshold):
    """SExtractor leaves pixels beyond the threshold out of the sky, and finds sources on them: here they are masked."""
    from scipy import ndimage
    image, weights = scene(105)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, kind), kind,
                              ours=[f"weights.threshold={threshold}"], WEIGHT_THRESH=threshold)
    far = ndimage.distance_transform_edt((weights >= 1.5 / 900) | (weights == 0)) > 15

    def far_away(catalogue, x, y):
        kept = far[np.rint(catalogue[y] - 1).astype(int), np.rint(catalogue[x] - 1).astype(int)]
        return {name: values[kept] for name, values in catalogue.items()}

    check(far_away(ours, "X_IMAGE", "Y_IMAGE"), far_away(theirs, "X_IMAGE_DBL", "Y_IMAGE_DBL"), 100)
    assert told["counts"]["masked_weight"] == np.sum(weights < 1.5 / 900)


def test_one_sky(program, tmp_path):
    """SExtractor's sky is never one; where the whole image is one mesh, its estimators are others."""
    image, weights = scene(106)
    ours, theirs, told = both(program, tmp_path, image, as_type(weights, "weight", 3), "weight", method="constant",
                              BACK_SIZE=4096)
    mine, other = pair(ours, theirs, 1)
    assert len(set(other)) == len(other) >= 0.97 * max(len(ours["NPIX"]), len(theirs["FLAGS"])) > 100
    assert abs(told["weights"]["noise_scale"] / np.sqrt(3) - 1) < 0.05


def test_errors_are_those_of_the_scatter(program, tmp_path):
    """Of sources of one brightness, on exposures of one to four: fluxes scatter by what FLUXERR_ISO says."""
    rng = np.random.default_rng(107)
    times = np.repeat([1, 2, 4], 200)[None, :] * np.ones((600, 1))
    image = rng.normal(0, 20 / np.sqrt(times))
    y, x = np.mgrid[:600, :600]
    for cy in range(15, 600, 30):
        for cx in range(15, 600, 30):
            part = np.s_[cy - 12:cy + 13, cx - 12:cx + 13]
            image[part] += 4000 * np.exp(-((x[part] - cx) ** 2 + (y[part] - cy) ** 2) / (2 * 1.5 ** 2))
    fits.PrimaryHDU(image.astype(np.float32)).writeto(tmp_path / "sky.fits")
    fits.PrimaryHDU(times.astype(np.float32)).writeto(tmp_path / "map.fits")
    found, _ = extract(program, "plain", tmp_path / "sky.fits", tmp_path, "--backend", "cpu", "--set",
                       "weights.type=weight", "--set", f"weights.file={tmp_path / 'map.fits'}")
    assert len(found["NPIX"]) == 400
    column = (found["X_IMAGE"] - 1) // 200
    for part, exposures in enumerate((1, 2, 4)):
        inside = (column == part) & (np.abs((found["X_IMAGE"] - 1) % 200 - 100) < 90)
        per_pixel = found["FLUXERR_ISO"][inside] / np.sqrt(found["NPIX"][inside])
        assert np.abs(per_pixel / (20 / np.sqrt(exposures)) - 1).max() < 0.03


@pytest.mark.parametrize("convolved", (True, False))
def test_variances_that_are_convolved(program, tmp_path, convolved):
    """Which pixels are above the threshold, beside SciPy: by the variances of pixels, or by what the kernel makes of them."""
    from scipy import ndimage
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]])
    rng = np.random.default_rng(109)
    sigma = np.where(np.arange(300) % 60 < 30, 5.0, 20.0)[None, :] * np.ones((200, 1))
    sigma[50:53] = 40
    image = rng.normal(0, sigma).astype(np.float32)
    fits.PrimaryHDU(image).writeto(tmp_path / "sky.fits")
    fits.PrimaryHDU((sigma ** 2).astype(np.float32)).writeto(tmp_path / "map.fits")
    sets = ["background.method=constant", "background.level=0", "detection.threshold=0.6", "detection.min_area=1",
            "convolve.kernel=values", f"convolve.values={kernel.tolist()}", "output.segmentation=true",
            "weights.type=variance", f"weights.file={tmp_path / 'map.fits'}", "weights.rescale=false",
            f"weights.convolve={str(convolved).lower()}"]
    extract(program, "plain", tmp_path / "sky.fits", tmp_path, *(part for one in sets for part in ("--set", one)))
    found = fits.getdata(tmp_path / "sky.seg.fits", "SEGMENTATION") > 0
    filtered, variance = (ndimage.convolve(pixels.astype(float), kernel / 16, mode="constant") for pixels in (image, sigma ** 2))
    above = {True: filtered > 0.6 * np.sqrt(variance), False: filtered > 0.6 * sigma}
    assert np.array_equal(found, above[convolved]) and 50 < np.count_nonzero(above[True] != above[False]) and found.sum() > 500
