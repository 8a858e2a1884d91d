"""Columns that follow the threshold of a source, beside SExtractor with maps of weights: THRESHOLD, FLUX_ISOCOR, FWHM_IMAGE,
ISO0 to ISO7 and CLASS_STAR. And errors of isophotal positions, beside how far positions scatter about the truth:
SExtractor has the noise of the image as a whole in them."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from program import SHARED
from test_one_word import both, fits_catalogue  # noqa: F401
from test_star_class import NETWORK
from test_weights import exposure, pair, scene

if sextractor.PROGRAM is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

GALAXIES = SHARED / "sextractor" / "galaxies.fits"
LEVELS = [f"ISO{i}" for i in range(8)]
COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", "THRESHOLD", "FLUX_ISOCOR", "FLUXERR_ISOCOR", "FLUX_ISO", "FLUX_AUTO",
           "FLUXERR_AUTO", "FWHM_IMAGE", "ISOAREA_IMAGE", *LEVELS]
POSITIONS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "ERRX2_IMAGE", "ERRY2_IMAGE"]
CLASSES = ["CLASS_STAR"] if NETWORK else []
KERNEL = "CONV NORM\n1 2 1\n2 4 2\n1 2 1\n"


def catalogues(both, image, weights, columns, **settings):
    def make(place):
        fits.writeto(place / "image.fits", image)
        fits.writeto(place / "weights.fits", weights)
        (place / "kernel.conv").write_text(KERNEL)
        (place / "star.nnw").write_text(NETWORK.read_text() if NETWORK else "")
        (place / "default.param").write_text("\n".join(columns))
        (place / "default.sex").write_text(
            "CATALOG_TYPE FITS_1.0\nFILTER_NAME kernel.conv\nWEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE weights.fits\n"
            "WEIGHT_GAIN N\nGAIN 0\nGAIN_KEY NONE\nSATUR_KEY NONE\nSATUR_LEVEL 1e8\nVERBOSE_TYPE QUIET\n"
            "MEMORY_BUFSIZE 4096\nSTARNNW_NAME star.nnw\nSEEING_FWHM 4.2\nPIXEL_SCALE 1\n")

    both.prepare(make)
    both.run("image.fits", *(str(part) for name, value in settings.items() for part in (f"-{name}", value)))
    ours, theirs = both.each(fits_catalogue("test.cat"))
    as_ours = {"X_IMAGE": ours["X_IMAGE_DBL"], "Y_IMAGE": ours["Y_IMAGE_DBL"]}
    mine, other = pair(as_ours, theirs)
    assert len(mine) >= 0.99 * max(len(ours), len(theirs)) > 100
    return ours[mine], theirs[other]


def check(ours, theirs):
    whole = (theirs["FLAGS"] & 3) == 0
    ours, theirs = ours[whole], theirs[whole]
    assert len(theirs) > 150
    for name in set(ours.names) - {"FLAGS"}:
        difference = np.abs(ours[name].astype(float) - theirs[name])
        tolerance = 0.01 if name == "CLASS_STAR" else 1e-3 * np.abs(theirs[name].astype(float))
        assert np.mean(difference <= tolerance) >= 0.98, name


@pytest.mark.parametrize("settings", [
    {}, {"ANALYSIS_THRESH": 3},
    {"FILTER": "N", "INTERP_TYPE": "NONE", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3, "CLEAN": "N"}])
def test_where_the_exposure_differs(both, settings):
    image, weights = scene(105)
    check(*catalogues(both, image, weights, [*COLUMNS, *CLASSES], **settings))


def test_calibrated_weights(both):
    """CLASS_STAR is another: SExtractor divides the noise of the image by the factor that it does not apply to the map."""
    image, weights = scene(105)
    check(*catalogues(both, image, weights, COLUMNS, RESCALE_WEIGHTS="N"))


@pytest.mark.skipif(not GALAXIES.exists(), reason="no data: galaxies.fits")
def test_a_real_field(both):
    image = fits.getdata(GALAXIES).astype(np.float32)
    times = exposure(np.random.default_rng(108), *image.shape)
    check(*catalogues(both, image, (times / 42 ** 2).astype(np.float32), [*COLUMNS, *CLASSES]))


def pulls(catalogue, x, y):
    """Of each source, how far it is from where it was put, in its errors, and in which third of the image it is."""
    from scipy.spatial import cKDTree
    distance, index = cKDTree(np.column_stack([x, y])).query(
        np.column_stack([catalogue["X_IMAGE_DBL"] - 1, catalogue["Y_IMAGE_DBL"] - 1]))
    near = distance < 1
    apart = np.concatenate([(catalogue["X_IMAGE_DBL"] - 1 - x[index]) / np.sqrt(catalogue["ERRX2_IMAGE"]),
                            (catalogue["Y_IMAGE_DBL"] - 1 - y[index]) / np.sqrt(catalogue["ERRY2_IMAGE"])])
    third = (x[index] // 300).astype(int)
    return [np.std(apart[np.tile((third == part) & near, 2)]) for part in range(3)]


def test_errors_of_positions_are_those_of_the_scatter(both):
    """Stars of one brightness on exposures of one, four and sixteen."""
    rng = np.random.default_rng(391)
    times = np.repeat([1, 4, 16], 300)[None, :] * np.ones((900, 1))
    image = rng.normal(0, 20 / np.sqrt(times)) + 100
    v, u = np.mgrid[15:900:30, 15:900:30]
    x, y = (at.ravel() + rng.uniform(-0.5, 0.5, at.size) for at in (u, v))
    rows, columns = np.mgrid[:900, :900]
    for cx, cy in zip(x, y):
        part = np.s_[max(0, int(cy) - 12):int(cy) + 13, max(0, int(cx) - 12):int(cx) + 13]
        image[part] += 1500 * np.exp(-((columns[part] - cx) ** 2 + (rows[part] - cy) ** 2) / (2 * 2.0 ** 2))
    ours, theirs = catalogues(both, image.astype(np.float32), (times / 400).astype(np.float32), POSITIONS, FILTER="N",
                              DETECT_THRESH=1.5, ANALYSIS_THRESH=1.5)
    mine, other = pulls(ours, x, y), pulls(theirs, x, y)
    print("pulls of positions, exposures 1, 4, 16: srcextract", np.round(mine, 2), "SExtractor", np.round(other, 2))
    assert max(mine) / min(mine) < 1.25 and max(other) / min(other) > 3
