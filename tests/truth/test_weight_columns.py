"""Columns that follow the threshold of a source, beside SExtractor with maps of weights, and with a noise that meshes
tell (WEIGHT_TYPE BACKGROUND): THRESHOLD, FLUX_ISOCOR, FWHM_IMAGE,
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


def catalogues(both, images, weights, columns, **settings):
    names = [f"image{i}.fits" for i in range(len(images))]

    def make(place):
        for name, image in zip(names, images):
            fits.writeto(place / name, image)
        if weights is not None:
            fits.writeto(place / "weights.fits", weights)
        (place / "kernel.conv").write_text(KERNEL)
        (place / "star.nnw").write_text(NETWORK.read_text() if NETWORK else "")
        (place / "default.param").write_text("\n".join(columns))
        (place / "default.sex").write_text(
            "CATALOG_TYPE FITS_1.0\nFILTER_NAME kernel.conv\n"
            + ("WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE weights.fits\n" if weights is not None else "")
            + "WEIGHT_GAIN N\nGAIN 0\nGAIN_KEY NONE\nSATUR_KEY NONE\nSATUR_LEVEL 1e8\nVERBOSE_TYPE QUIET\n"
            "MEMORY_BUFSIZE 4096\nSTARNNW_NAME star.nnw\nSEEING_FWHM 4.2\nPIXEL_SCALE 1\n")

    both.prepare(make)
    both.run(",".join(names), *(str(part) for name, value in settings.items() for part in (f"-{name}", value)))
    ours, theirs = both.each(fits_catalogue("test.cat"))
    as_ours = {"X_IMAGE": ours["X_IMAGE_DBL"], "Y_IMAGE": ours["Y_IMAGE_DBL"]}
    mine, other = pair(as_ours, theirs)
    assert len(mine) >= 0.99 * max(len(ours), len(theirs)) > 100
    return ours[mine], theirs[other]


def check(ours, theirs, of_errors=1e-3):
    whole = (theirs["FLAGS"] & 3) == 0
    ours, theirs = ours[whole], theirs[whole]
    assert len(theirs) > 150
    for name in set(ours.names) - {"FLAGS"}:
        difference, size = np.abs(ours[name].astype(float) - theirs[name]), np.abs(theirs[name].astype(float))
        tolerance = 0.01 if name == "CLASS_STAR" else size * (of_errors if name.startswith("FLUXERR") else 1e-3)
        assert np.mean(difference <= tolerance) >= 0.98, name


@pytest.mark.parametrize("settings", [
    {}, {"ANALYSIS_THRESH": 3},
    {"FILTER": "N", "INTERP_TYPE": "NONE", "DETECT_THRESH": 3, "ANALYSIS_THRESH": 3, "CLEAN": "N"}])
def test_where_the_exposure_differs(both, settings):
    image, weights = scene(105)
    check(*catalogues(both, [image], weights, [*COLUMNS, *CLASSES], **settings))


def test_calibrated_weights(both):
    """CLASS_STAR is another: SExtractor divides the noise of the image by the factor that it does not apply to the map."""
    image, weights = scene(105)
    check(*catalogues(both, [image], weights, COLUMNS, RESCALE_WEIGHTS="N"))


@pytest.mark.skipif(not GALAXIES.exists(), reason="no data: galaxies.fits")
def test_a_real_field(both):
    image = fits.getdata(GALAXIES).astype(np.float32)
    times = exposure(np.random.default_rng(108), *image.shape)
    check(*catalogues(both, [image], (times / 42 ** 2).astype(np.float32), [*COLUMNS, *CLASSES]))


def noisier_to_the_right(seed, height, width):
    """Sources on a noise that grows fourfold from the left edge to the right one."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:height, :width]
    image = 1000 + rng.normal(0, 5, (height, width)) * (1 + 3 * columns / (width - 1))
    for _ in range(height * width // 1500):
        cy, cx = rng.uniform(10, height - 10), rng.uniform(10, width - 10)
        wide, flux = rng.choice([1.2, 1.6, 2.2, 3]), 10 ** rng.uniform(3, 5)
        part = np.s_[max(0, int(cy) - 15):int(cy) + 16, max(0, int(cx) - 15):int(cx) + 16]
        square = (columns[part] - cx) ** 2 + (rows[part] - cy) ** 2
        image[part] += flux / (2 * np.pi * wide ** 2) * np.exp(-square / (2 * wide ** 2))
    return image.astype(np.float32)


@pytest.mark.parametrize("settings, of_errors", [
    ({}, 1e-3), ({"ANALYSIS_THRESH": 3}, 1e-3), ({"FILTER": "N", "CLEAN": "N"}, 1e-2), ({"BACK_SIZE": 32}, 1e-2)])
def test_where_meshes_tell_the_noise(both, settings, of_errors):
    """Errors of fluxes have the noise at the source, SExtractor's that of each pixel of the aperture."""
    columns = [*COLUMNS, *CLASSES, "FLUXERR_ISO", "FLUX_BEST", "MU_THRESHOLD"]
    check(*catalogues(both, [noisier_to_the_right(397, 700, 720)], None, columns, WEIGHT_TYPE="BACKGROUND", **settings),
          of_errors)


def test_where_meshes_tell_the_noise_of_two_images(both):
    """THRESHOLD is of the first, all else follows the lowest threshold in the second."""
    first = noisier_to_the_right(397, 700, 720)
    second = first + np.random.default_rng(398).normal(0, 8, first.shape).astype(np.float32)
    check(*catalogues(both, [first, second], None, [*COLUMNS, *CLASSES, "MU_THRESHOLD"],
                      WEIGHT_TYPE="BACKGROUND,BACKGROUND"), 3e-3)


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
    ours, theirs = catalogues(both, [image.astype(np.float32)], (times / 400).astype(np.float32), POSITIONS, FILTER="N",
                              DETECT_THRESH=1.5, ANALYSIS_THRESH=1.5)
    mine, other = pulls(ours, x, y), pulls(theirs, x, y)
    print("pulls of positions, exposures 1, 4, 16: srcextract", np.round(mine, 2), "SExtractor", np.round(other, 2))
    assert max(mine) / min(mine) < 1.25 and max(other) / min(other) > 3
