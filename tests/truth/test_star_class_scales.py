"""CLASS_STAR of `srcextract sextractor` beside SExtractor's with PIXEL_SCALE 0, where the sides of a pixel differ, the
image is turned or distorted, or has no celestial WCS. Only the size of a pixel differs from frame to frame."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
from test_one_word import both, fits_catalogue  # noqa: F401
from test_star_class import NETWORK

if sextractor.PROGRAM is None or NETWORK is None:
    pytest.skip("SExtractor is not installed", allow_module_level=True)

SKY = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CRPIX1": 160.0, "CRPIX2": 150.0}
FAR = {"CRPIX1": -2000.0, "CRPIX2": 1500.0}
LINEAR = {"CTYPE1": "LINEAR", "CTYPE2": "LINEAR"}
WIDE, HIGH = -0.3 / 3600, 0.2 / 3600
STEPS = {"CDELT1": WIDE, "CDELT2": HIGH}
TPV = SKY | {"CTYPE1": "RA---TPV", "CTYPE2": "DEC--TPV", "PV1_0": 0.0, "PV1_1": 1.01, "PV1_2": 0.005, "PV1_4": 0.8,
             "PV1_7": 12.0, "PV2_0": 0.0, "PV2_1": 0.985, "PV2_2": -0.003, "PV2_4": -0.9, "PV2_7": 9.0}
SIP = SKY | {"CTYPE1": "RA---TAN-SIP", "CTYPE2": "DEC--TAN-SIP", "A_ORDER": 2, "B_ORDER": 2, "A_2_0": 2e-5,
             "A_1_1": -3e-5, "A_0_2": 1e-5, "B_2_0": -1e-5, "B_1_1": 2e-5, "B_0_2": 3e-5}


def turned(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return {"CD1_1": WIDE * c, "CD1_2": -HIGH * s, "CD2_1": WIDE * s, "CD2_2": HIGH * c}


SKIES = {"steps": SKY | STEPS, "far": SKY | STEPS | FAR, "turned": SKY | turned(30), "upright": SKY | turned(90),
         "CROTA2": SKY | STEPS | {"CROTA2": 30.0}, "ZEA": SKY | STEPS | {"CTYPE1": "RA---ZEA", "CTYPE2": "DEC--ZEA"},
         "TPV": TPV | turned(0), "TPV, turned": TPV | turned(30), "TPV, far": TPV | turned(30) | FAR,
         "SIP": SIP | turned(30)}
NO_SKIES = {"steps": LINEAR | STEPS, "no type": STEPS, "turned": LINEAR | turned(30), "more": LINEAR | turned(200),
            "CROTA2": LINEAR | STEPS | {"CROTA2": 30.0}, "RA, DEC": turned(60) | {"CTYPE1": "RA", "CTYPE2": "DEC"},
            "PC": LINEAR | STEPS | {"PC1_1": 0.8, "PC1_2": -0.6, "PC2_1": 0.6, "PC2_2": 0.8},
            "CD2_2": LINEAR | {"CD2_2": HIGH}}


def stars_and_galaxies():
    rng = np.random.default_rng(395)
    image = rng.normal(1000, 5, (300, 320))
    y, x = np.mgrid[:300, :320]
    for cy, cx in np.ndindex(10, 10):
        width, flux = rng.choice([1.2, 1.6, 2.2, 3]), 10 ** rng.uniform(3.3, 5)
        square = (x - 31 * cx - 20 - rng.random()) ** 2 + (y - 29 * cy - 18 - rng.random()) ** 2
        image += flux / (2 * np.pi * width ** 2) * np.exp(-square / (2 * width ** 2))
    return image.astype(np.float32)


IMAGE = stars_and_galaxies()


def catalogues(both, header):
    def make(place):
        fits.writeto(place / "image.fits", IMAGE, fits.Header(header))
        (place / "star.nnw").write_text(NETWORK.read_text())
        (place / "default.param").write_text("X_IMAGE_DBL\nY_IMAGE_DBL\nFLAGS\nCLASS_STAR\nMU_MAX\n")
        (place / "default.sex").write_text(
            "CATALOG_TYPE FITS_1.0\nFILTER N\nCLEAN N\nDEBLEND_MINCONT 1\nGAIN 0\nGAIN_KEY NONE\nSATUR_KEY NONE\n"
            "SATUR_LEVEL 1e8\nVERBOSE_TYPE QUIET\nSTARNNW_NAME star.nnw\nSEEING_FWHM 1.2\nPIXEL_SCALE 0\n")

    both.prepare(make)
    both.run("image.fits")
    ours, theirs = (rows[np.lexsort((rows["Y_IMAGE_DBL"], rows["X_IMAGE_DBL"]))]
                    for rows in both.each(fits_catalogue("test.cat")))
    assert len(ours) == len(theirs) >= 90 and np.ptp(theirs["CLASS_STAR"]) > 0.5
    return ours, theirs


@pytest.mark.parametrize("name", SKIES)
def test_of_an_image_of_the_sky(both, name):
    """It is that of the image's centre. SExtractor's MU_MAX of a distorted image is by the pixel where the source is."""
    ours, theirs = catalogues(both, SKIES[name])
    assert np.abs(ours["CLASS_STAR"] - theirs["CLASS_STAR"]).max() < (1e-3 if "TPV" in name or name == "SIP" else 1e-5)
    assert "TPV" in name or np.abs(ours["MU_MAX"] - theirs["MU_MAX"]).max() < 1e-3


@pytest.mark.parametrize("name", NO_SKIES)
def test_without_a_sky(both, name):
    """MU_MAX is by the area of a pixel, and CLASS_STAR by how far the last axis goes along itself."""
    ours, theirs = catalogues(both, NO_SKIES[name])
    assert np.abs(ours["CLASS_STAR"] - theirs["CLASS_STAR"]).max() < 1e-4
    assert np.abs(ours["MU_MAX"] - theirs["MU_MAX"]).max() < 1e-3
