"""WEIGHT_GAIN Y: photon noise that goes with the variance of a pixel, in errors of fluxes and windows, as SExtractor has it;
with maps of every type, with meshes, in one image and in two, and without any effect where there are no weights."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

import survey_fields
from test_default_sex import partners
from test_dual_image import bands
from test_one_word import PROGRAM, both, fits_catalogue  # noqa: F401

SIDE, NOISE = 768, 20.0
FLUXES = ["FLUX_ISO", "FLUX_ISOCOR", "FLUX_AUTO", "FLUX_APER", "FLUX_PETRO", "FLUX_WIN"]
ERRORS = [name.replace("FLUX", "FLUXERR") for name in FLUXES]
OTHERS = ["MAGERR_AUTO", "MAGERR_APER", "SNR_WIN", "ERRX2WIN_IMAGE", "ERRY2WIN_IMAGE", "ERRAWIN_IMAGE"]
USUAL = {"CATALOG_TYPE": "FITS_1.0", "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535, "MEMORY_PIXSTACK": 10_000_000,
         "GAIN": 0.4, "GAIN_KEY": "NONE", "SATUR_KEY": "NONE", "PHOT_APERTURES": 9, "VERBOSE_TYPE": "QUIET", "BACK_SIZE": 128}


def configure(place, **settings):
    (place / "gain.sex").write_text("".join(f"{key} {value}\n" for key, value in (USUAL | settings).items()))
    (place / "default.param").write_text("\n".join(["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", *FLUXES, *ERRORS, *OTHERS]) + "\n")
    (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")


def columns_of(table):
    return {name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}


def rows_of_both(both, *arguments):
    """Rows of both that are the same sources, and not divided."""
    both.run(*arguments)
    mine, told = (columns_of(table) for table in both.each(fits_catalogue("test.cat")))
    own, other, *shares = partners(mine, told)
    assert min(shares) > 0.985 and len(own) > 250
    whole = (told["FLAGS"][other].astype(int) & 2) == 0
    return ({name: values[own][whole] for name, values in mine.items()},
            {name: values[other][whole] for name, values in told.items()})


def check(mine, told, near, least=0.97):
    for name in ERRORS + OTHERS:
        same = np.abs(mine[name] / told[name] - 1) < near
        print(f"{name}: {same.mean():.4%}")
        assert same.mean() >= least, name


def matters(both, told, *arguments):
    """By how much errors are others without it, in SExtractor."""
    without = rows_of_both(both, *arguments, "-WEIGHT_GAIN", "N")[1]
    own, other, *_ = partners(told, without)
    for name in ("FLUXERR_ISO", "FLUXERR_AUTO", "FLUXERR_APER", "FLUXERR_WIN"):
        assert np.nanquantile(np.abs(told[name][own] / without[name][other] - 1), 0.9) > 0.01, name


def map_of(kind, weight):
    with np.errstate(divide="ignore"):
        values = {"MAP_WEIGHT": weight, "MAP_VAR": 1 / weight, "MAP_RMS": 1 / np.sqrt(weight)}[kind]
    return np.where(np.isfinite(values), values, 1e31).astype(np.float32)


CASES = [(1301, "MAP_WEIGHT", {}), (1302, "MAP_VAR", {}), (1303, "MAP_RMS", {}),
         (1304, "MAP_WEIGHT", {"MASK_TYPE": "BLANK", "CLEAN": "N", "FILTER": "N"}),
         (1305, "MAP_WEIGHT", {"BACKPHOTO_TYPE": "LOCAL", "DETECT_THRESH": 3})]


@pytest.mark.parametrize("seed, kind, settings", CASES)
def test_errors_follow_the_weights(both, seed, kind, settings):
    light = survey_fields.sources(seed, SIDE, 3000, 3.0, NOISE)
    image, weight, _ = survey_fields.stack(seed, SIDE, NOISE, light)

    def make(place):
        fits.writeto(place / "field.fits", image)
        fits.writeto(place / "map.fits", map_of(kind, weight))
        configure(place, WEIGHT_TYPE=kind, WEIGHT_IMAGE="map.fits", **settings)

    both.prepare(make)
    arguments = ["field.fits", "-c", "gain.sex"]
    mine, told = rows_of_both(both, *arguments)
    check(mine, told, 1e-3 if "BACKPHOTO_TYPE" in settings else 3e-4)
    matters(both, told, *arguments)


def test_meshes_of_noise(both):
    """Noise is that at the source here, of each pixel there."""
    light = survey_fields.sources(1306, SIDE, 3000, 3.0, NOISE)
    noise = NOISE * (1 + np.arange(SIDE) / SIDE)
    image = light + np.random.default_rng(1306).normal(0, 1, light.shape) * noise

    def make(place):
        fits.writeto(place / "field.fits", image.astype(np.float32))
        configure(place, WEIGHT_TYPE="BACKGROUND", FILTER="N", BACK_SIZE=64)

    both.prepare(make)
    arguments = ["field.fits", "-c", "gain.sex"]
    mine, told = rows_of_both(both, *arguments)
    check(mine, told, 0.02, 0.95)
    matters(both, told, *arguments)


def test_in_two_images(both):
    """It is the weights of the second image that count."""
    def make(place):
        rng = np.random.default_rng(1307)
        for name, image in zip(("g", "r"), bands(1307, 3000)):
            weight = np.full(image.shape, 1 / NOISE ** 2)
            weight[:, image.shape[1] // 3:] /= 2 if name == "r" else 1.5
            fits.writeto(place / f"{name}.weight.fits", weight.astype(np.float32))
            extra = np.sqrt(np.maximum(1 / weight - NOISE ** 2, 0))
            fits.writeto(place / f"{name}.fits", (image + extra * rng.normal(0, 1, image.shape)).astype(np.float32))
        configure(place, WEIGHT_TYPE="MAP_WEIGHT,MAP_WEIGHT", WEIGHT_IMAGE="g.weight.fits,r.weight.fits", DETECT_THRESH=2.5)

    both.prepare(make)
    arguments = ["g.fits,r.fits", "-c", "gain.sex"]
    mine, told = rows_of_both(both, *arguments)
    check(mine, told, 3e-4)
    matters(both, told, *arguments)


def test_without_weights_it_is_one_gain(both):
    both.prepare(lambda place: (fits.writeto(place / "field.fits", bands(1308, 3000)[0].astype(np.float32)), configure(place)))
    mine, told = rows_of_both(both, "field.fits", "-c", "gain.sex")
    check(mine, told, 3e-4)
