"""The families of measurements (stages/photometry), by the stage itself, on the sources that the plain definitions (oracle/)
find: beside these definitions where sources are deblended, since what SExtractor gives to whom is left to chance; and
beside SExtractor where they are not. Both without CLEAN, the latter on the pixels that SExtractor has above its sky.

Integers are equal, and other values within a millionth of themselves or of what they are made of. A sub-pixel that lies on the
edge of a window or a circle to the last bit may fall on either side of it, and the last bit of an exponential decide in which
round a window comes to rest: 3 values in 1000."""
import os
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import sextractor
import sextractor_oracle
from oracle_fields import field, weights_of_a_mosaic
from peers import match

PROGRAM = os.environ.get("SRCEXTRACT_MEASURE_FAMILIES")
if not PROGRAM:
    pytest.skip("needs SRCEXTRACT_MEASURE_FAMILIES", allow_module_level=True)

NOISE = 20.0
FRACTIONS, APERTURES = (0.2, 0.5, 0.9), (5.0, 10.0, 23.7)
RADII = [f"FLUX_RADIUS_{i}" for i in range(len(FRACTIONS))]
AREAS = [f"ISO{i}" for i in range(8)]
EXACT = [*AREAS, "NITER_WIN", "FLAGS_WIN"]
ISOPHOTAL_ERRORS = [f"ERR{part}_IMAGE" for part in ("X2", "Y2", "XY", "A", "B", "THETA")]
WINDOW = [f"{part}WIN_IMAGE" for part in ("X", "Y", "X2", "Y2", "XY", "ERRX2", "ERRY2", "ERRXY")]
LIGHT = ["FLUX_WIN", "FLUXERR_WIN", "SNR_WIN"]
PETRO = ["FLUX_PETRO", "FLUXERR_PETRO", "PETRO_RADIUS"]
SHAPES = ["CXX_IMAGE", "CYY_IMAGE", "CXY_IMAGE"]
ISOCOR = ["FLUX_ISOCOR", "FLUXERR_ISOCOR", "ISOAREAF_IMAGE"]
COLUMNS = [*ISOCOR, *SHAPES, *PETRO, *RADII, *WINDOW, *LIGHT, "FWHM_IMAGE", *ISOPHOTAL_ERRORS]


def above(*seed_and_more, **settings):
    """A field above its sky, roughly."""
    image = field(*seed_and_more, noise=NOISE, **settings)
    return image - np.median(image)


def measured(image, noise, threads=1, **settings):
    """Our columns of the same sources, in the same order."""
    return sextractor_oracle.run(image, noise, clean=0, satur_level=1e29, phot_fluxfrac=FRACTIONS,
                                 phot_apertures=APERTURES, command=[PROGRAM, str(threads)], **settings)


def defined(image, noise, **settings):
    return sextractor_oracle.run(image, noise, clean=0, satur_level=1e29, phot_fluxfrac=FRACTIONS,
                                 phot_apertures=APERTURES, **settings)


def scale_of(name, told):
    """What a millionth of is allowed."""
    value = np.abs(told[name])
    if name in ("XWIN_IMAGE", "YWIN_IMAGE"):
        return np.maximum(value, 1)
    if name.startswith("FLUX_") and name.replace("FLUX_", "FLUXERR_") in told:
        return np.maximum(value, told[name.replace("FLUX_", "FLUXERR_")])
    if "CXY" in name:
        return np.sqrt(told["CXX_IMAGE"] * told["CYY_IMAGE"])
    if "XY" in name:
        return np.sqrt(np.abs(told[name.replace("XY", "X2")] * told[name.replace("XY", "Y2")]))
    if "THETA" in name:  # an angle is the better known the longer the ellipse
        x2, y2, xy = (told[name.replace("THETA", moment)] for moment in ("X2", "Y2", "XY"))
        return np.degrees((x2 + y2) / np.maximum(np.hypot(x2 - y2, 2 * xy), 1e-6 * (x2 + y2)))
    return value


def is_defined(name, told, mine):
    """Where a value is more than roundings: of a fit of one pixel the determinant is nothing else, and a window that runs
    away doubles them every round. Of a round ellipse SExtractor's angle is 45 degrees."""
    if name == "FWHM_IMAGE":
        return mine["FWHM_IMAGE"] != 0
    if name in LIGHT:
        return told["FLAGS_WIN"] == 0
    if name.startswith("ERRTHETA"):
        return told[name.replace("THETA", "X2")] != told[name.replace("THETA", "Y2")]
    return np.ones(len(told[name]), bool)


def assert_same(mine, told, names=COLUMNS, flags=17):
    assert len(mine["FLAGS"]) == len(told["FLAGS"])
    differ = (mine["FLAGS"].astype(int) ^ told["FLAGS"].astype(int)) & flags
    assert not differ.any(), f"FLAGS of {np.count_nonzero(differ)} of {len(differ)}"
    for name in EXACT:
        apart = mine[name] != told[name]
        assert apart.mean() <= (0.003 if name in ("NITER_WIN", "FLAGS_WIN") else 0), f"{name}: {apart.sum()} of {len(apart)}"
    wrong, values = {}, 0
    for name in names:
        where = is_defined(name, told, mine)
        far = ~(np.abs(mine[name] - told[name]) <= 1e-6 * scale_of(name, told))[where]
        values += far.size
        if far.any():
            wrong[name] = int(far.sum())
    print(f"{len(differ)} sources, {values} values, apart: {wrong}")
    assert sum(wrong.values()) <= 0.003 * values, wrong
    return np.count_nonzero(told["FLAGS"].astype(int) & 16)


@pytest.mark.parametrize("seed, per_mpix, seeing, gain", [(501, 1000, 3.5, 0), (502, 20_000, 2.5, 2.5), (503, 50_000, 2.0, 0),
                                                          (504, 8000, 2.5, 1.0)])
def test_deblended_sources_beside_the_definitions(seed, per_mpix, seeing, gain):
    image = above(seed, 384, per_mpix, seeing=seeing, correlated=seed == 504)
    settings = {"random_leftovers": 0, "gain": gain}
    told = defined(image, NOISE, **settings)
    mine = measured(image, NOISE, **settings)
    cut = assert_same(mine, told)
    assert len(told["FLAGS"]) > 100 and cut > 10
    assert mine["ELONGATION"] == pytest.approx(told["A_IMAGE"] / told["B_IMAGE"], rel=1e-6)
    assert mine["ELLIPTICITY"] == pytest.approx(1 - told["B_IMAGE"] / told["A_IMAGE"], abs=1e-6)
    assert per_mpix == 1000 or np.count_nonzero(told["FLAGS"].astype(int) & 2) > 20


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("seed, per_mpix, gain", [(541, 1000, 0), (542, 8000, 2.5)])
def test_islands_beside_sextractor(seed, per_mpix, gain, tmp_path):
    from test_sextractor_oracle import theirs
    told, sky = theirs(field(seed, 384, per_mpix, noise=NOISE), tmp_path, CLEAN="N", DEBLEND_NTHRESH=1, DEBLEND_MINCONT=1,
                       GAIN=gain, SATUR_LEVEL=1e29)
    image, noise, settings = sky["above"], np.float32(np.median(sky["noises"])), {"deblend_mincont": 1, "gain": gain}
    index = match(defined(image, noise, **settings), told["X_IMAGE"], told["Y_IMAGE"])
    assert len(index) == len(told["FLAGS"]) > 60
    assert assert_same(measured(image, noise, **settings), {name: values[index] for name, values in told.items()}) > 5


@pytest.mark.parametrize("masking", (0, 1, 2))
@pytest.mark.parametrize("petro", ((2.0, 3.5), (1.2, 6.0)))
def test_settings(masking, petro):
    image = above(511, 256, 15_000)
    settings = {"random_leftovers": 0, "masking": masking, "phot_petroparams": petro,
                "detect_thresh": 1.2, "analysis_thresh": 1.2}
    assert_same(measured(image, NOISE, **settings), defined(image, NOISE, **settings))


def test_a_map_of_variances():
    """But for the errors of isophotal positions, which are the noise's as it is here, and the global one's there; and so of
    windows that fell back to them."""
    weights = weights_of_a_mosaic(521, 256)
    variance = np.where(weights > 0, 1 / np.maximum(weights, 1e-9), 1e5).astype(np.float32)
    image = above(521, 256, 8000)
    settings = {"random_leftovers": 0, "variance": variance, "gain": 0}
    told, mine = defined(image, NOISE, **settings), measured(image, NOISE, **settings)
    kept = told["FLAGS_WIN"] == 0
    assert 50 < np.count_nonzero(kept)
    told, mine = ({name: values[kept] for name, values in rows.items()} for rows in (told, mine))
    for name in AREAS:  # whose threshold is the lowest of the source's pixels there
        mine[name] = told[name]
    assert_same(mine, told, [*PETRO, *RADII, *WINDOW, *LIGHT])


def test_threads_make_no_difference():
    image = above(531, 384, 20_000)
    one, seven = (measured(image, NOISE, threads=threads, random_leftovers=0) for threads in (1, 7))
    assert len(one["FLAGS"]) > 200 and list(one) == list(seven)
    assert all(np.array_equal(one[name], seven[name], equal_nan=True) for name in one)


def test_bad_sources_have_flags():
    """A pixel alone, a source in a corner, and one in a hole so deep that no aperture has any light."""
    image = np.zeros((64, 64), np.float32)
    image[40, 10] = 50
    image[:3, :3] = 30
    image[45:56, 45:56] = -60
    image[49:52, 49:52] = 50
    mine = measured(image, 1.0, kernel=None, detect_minarea=1)
    alone, corner, hole = (np.argmin(np.hypot(mine["XWIN_IMAGE"] - x - 1, mine["YWIN_IMAGE"] - y - 1))
                           for x, y in ((10, 40), (1, 1), (50, 50)))
    flags = mine["FLAGS"].astype(int)
    assert len(flags) == 3
    assert mine["FLUX_PETRO"][alone] == 50 and mine["XWIN_IMAGE"][alone] == pytest.approx(11) and flags[alone] & 1 == 0
    assert mine["FWHM_IMAGE"][alone] == 0 and mine["ISO7"][alone] == 1
    assert flags[corner] & 16 and mine["FLUX_PETRO"][corner] == 9 * 30
    assert mine["FLUX_PETRO"][hole] < 0 and mine["PETRO_RADIUS"][hole] == 0 and mine["MAG_PETRO"][hole] == 99
    assert mine["FLAGS_WIN"][hole].astype(int) & 4 and mine["XWIN_IMAGE"][hole] == 51
    assert np.flatnonzero(np.isnan(mine["PETRO_R50"])).tolist() == [hole]  # of no light there is no half
    assert all(np.isfinite(values).all() for name, values in mine.items() if name not in ("MU_MAX", "MU_THRESHOLD", "PETRO_R50"))
