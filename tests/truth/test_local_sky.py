"""BACKPHOTO_TYPE LOCAL: the sky of a frame about each source, as SExtractor subtracts it from fluxes; with weights and
without, in two images, with filters of several heights, with any MASK_TYPE. The frame holds pixels of neighbours, so what
SExtractor divides by lot moves whole sources, too: of rows 4.5 % fewer are the same than of SExtractor and itself with
another seed. A source that CLEAN enlarged has one local sky, which FLUX_ISO and FLUX_ISOCOR show."""
import os
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

import survey_fields
from oracle_fields import field
from test_default_sex import partners
from test_dual_image import bands
from test_one_word import PROGRAM, both, fits_catalogue  # noqa: F401

SIDE, NOISE = 768, 20.0
FLUXES = ["FLUX_ISO", "FLUX_AUTO", "FLUX_APER", "FLUX_PETRO", "FLUX_ISOCOR"]
MADE_OF_THEM = ["FLUX_MAX", "MU_MAX", "MU_THRESHOLD", "FWHM_IMAGE", "FLUX_RADIUS", "FLUX_WIN"]
EQUAL = ["FLAGS", "ISOAREA_IMAGE", *(f"ISO{i}" for i in range(8))]
COLUMNS = ["X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", *FLUXES, *(name.replace("FLUX", "FLUXERR") for name in FLUXES),
           *MADE_OF_THEM, *EQUAL, "FLUXERR_WIN", "BACKGROUND"]
# What SExtractor's memory would do to a frame is no definition (docs/sextractor.md).
USUAL = {"BACKPHOTO_TYPE": "LOCAL", "CATALOG_TYPE": "FITS_1.0", "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535,
         "MEMORY_PIXSTACK": 10_000_000, "GAIN": 2.0, "GAIN_KEY": "NONE", "SATUR_KEY": "NONE", "MAG_ZEROPOINT": 27,
         "PIXEL_SCALE": 0.4, "PHOT_APERTURES": 9, "VERBOSE_TYPE": "QUIET", "BACK_SIZE": 128, "WEIGHT_GAIN": "N"}


def cloudy(seed, per_mpix):
    """A field over clouds that are finer than the meshes."""
    rng = np.random.default_rng(seed)
    clouds = ndimage.gaussian_filter(rng.normal(0, 1, (SIDE, SIDE)), 20, mode="wrap")
    return (field(seed, SIDE, per_mpix, seeing=3.0, noise=NOISE) + NOISE * clouds / clouds.std()).astype(np.float32)


def configure(place, **settings):
    chosen = USUAL | settings
    (place / "local.sex").write_text("".join(f"{key} {value}\n" for key, value in chosen.items()))
    (place / "default.param").write_text("\n".join(COLUMNS) + "\n")
    (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    (place / "tall.conv").write_text("CONV NORM\n1 2 1\n2 3 2\n3 6 3\n2 5 2\n1 2 1\n3 4 3\n1 2 1\n")


def columns_of(table):
    mine = {name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}
    return mine | {"SNR": mine["FLUX_ISO"] / mine["FLUXERR_ISO"]}


def at(mine, told):
    """Rows of both that are the same sources."""
    own, other, *shares = partners(mine, told)
    assert min(shares) > 0.99 and len(own) > 250
    return {name: values[own] for name, values in mine.items()}, {name: values[other] for name, values in told.items()}


def run_both(both, *arguments):
    """Both catalogues, and SExtractor's with another seed."""
    both.run(*arguments)
    mine, told = (columns_of(table) for table in both.each(fits_catalogue("test.cat")))
    place = both.places["theirs"]
    subprocess.run([PROGRAM, *arguments, "-CATALOG_NAME", "again.cat"], cwd=place, check=True, capture_output=True,
                   env=os.environ | {"LD_PRELOAD": os.environ["SRCEXTRACT_ANOTHER_SEED"]})
    return mine, told, columns_of(fits.getdata(place / "again.cat", 1))


def shares(mine, told):
    """Of rows that are not divided, those whose values are the same, by column: to 10^-3 of the error of a flux."""
    mine, told = at(mine, told)
    whole = (told["FLAGS"].astype(int) & 2) == 0
    same = {}
    for name in [*FLUXES, *MADE_OF_THEM]:
        error = told[name.replace("FLUX", "FLUXERR")] if name in FLUXES or name == "FLUX_WIN" else 1
        limit = np.maximum(1e-3 * (NOISE if name == "FLUX_MAX" else error), 1e-6 * np.abs(told[name]))
        same[name] = np.abs(mine[name] - told[name]) <= limit
    for name in EQUAL:
        same[name] = (mine[name].astype(int) & 255) == told[name].astype(int) & 255
    for name in FLUXES:
        error = name.replace("FLUX", "FLUXERR")
        same[error] = np.abs(mine[error] / told[error] - 1) < 1e-3
    return {name: values[whole].mean() for name, values in same.items()}


def check(mine, told, again):
    ours, chance = shares(mine, told), shares(again, told)
    print({name: f"{share:.3f}/{chance[name]:.3f}" for name, share in ours.items()})
    for name, share in ours.items():
        least = chance[name] - (0.15 if "ISO" in name and "FLUX" in name else 0.045)
        assert share >= min(least, 0.985), name
    one, other = at(mine, told)
    whole = (other["FLAGS"].astype(int) & 2) == 0
    for name in FLUXES:
        far = np.abs(one[name] - other[name])[whole] / other[name.replace("FLUX", "FLUXERR")][whole]
        assert np.quantile(far, 0.9) < 0.2, name


CASES = [(1202, 5000, {}), (1203, 20_000, {"BACKPHOTO_THICK": 40}),
         (1204, 5000, {"FILTER_NAME": "tall.conv", "BACKPHOTO_THICK": 8}),
         (1205, 5000, {"FILTER": "N", "CLEAN": "N", "MASK_TYPE": "BLANK"}), (1206, 5000, {"MASK_TYPE": "NONE"}),
         (1207, 5000, {"WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_IMAGE": "map.fits"}),
         (1208, 5000, {"WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_IMAGE": "map.fits", "BACKPHOTO_THICK": 12,
                       "DETECT_THRESH": 2.5, "ANALYSIS_THRESH": 2.0}),
         (1209, 3000, {"BACK_TYPE": "MANUAL", "BACK_VALUE": 1000.0, "DETECT_THRESH": 3})]


@pytest.mark.parametrize("seed, per_mpix, settings", CASES)
def test_the_same_local_sky(both, seed, per_mpix, settings):
    def make(place):
        image = cloudy(seed, per_mpix)
        if "WEIGHT_TYPE" in settings:
            image, weight, _ = survey_fields.stack(seed, SIDE, NOISE, image - 1000)
            fits.writeto(place / "map.fits", weight)
        fits.writeto(place / "field.fits", image)
        configure(place, **settings)

    both.prepare(make)
    mine, told, again = run_both(both, "field.fits", "-c", "local.sex")
    check(mine, told, again)
    both.run("field.fits", "-c", "local.sex", "-BACKPHOTO_TYPE", "GLOBAL", "-CATALOG_NAME", "global.cat")
    without = columns_of(fits_catalogue("global.cat")(both.places["ours"]))
    with_it, without = at(mine, without)
    local = with_it["BACKGROUND"] - without["BACKGROUND"]
    assert np.all(np.abs(local - (without["FLUX_MAX"] - with_it["FLUX_MAX"])) < 1e-2 + 2e-7 * without["FLUX_MAX"])
    assert 0.02 < np.mean(local == 0) < 0.5  # frames that the image cuts
    assert np.median(np.abs(with_it["FLUX_AUTO"] - without["FLUX_AUTO"]) / with_it["FLUXERR_AUTO"]) > 0.1


def test_in_two_images(both):
    """The frame is about the pixels of the first image, and its sky that of the second."""
    def make(place):
        for name, image in zip(("g.fits", "r.fits"), bands(1210, 3000)):
            clouds = ndimage.gaussian_filter(np.random.default_rng(1211).normal(0, 1, image.shape), 20, mode="wrap")
            fits.writeto(place / name, (image + (40 * clouds / clouds.std() if name == "r.fits" else 0)).astype(np.float32))
        configure(place)

    both.prepare(make)
    check(*run_both(both, "g.fits,r.fits", "-c", "local.sex"))
