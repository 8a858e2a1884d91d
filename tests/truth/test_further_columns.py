"""Columns that only few ask for, beside SExtractor: ellipses of errors and of windows by their coefficients, POLAR, THRESHOLDMAX,
and B1950, which Astropy has, too; and circles in place of small ellipses (PHOT_AUTOAPERS). SExtractor divides by no less than
10^-6 where it makes CXX_WORLD and its like, and has but half of a mixed term in WORLD: there NumPy stands beside."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
coordinates = pytest.importorskip("astropy.coordinates")

import survey_fields
from oracle_fields import field
from test_default_sex import partners
from test_one_word import PROGRAM, both, fits_catalogue  # noqa: F401

SIDE, NOISE = 640, 20.0
ELLIPSES = [f"{error}C{part}{window}_IMAGE" for error in ("", "ERR") for window in ("", "WIN") for part in ("XX", "YY", "XY")]
PLAIN = ["POLAR_IMAGE", "POLARWIN_IMAGE", "POLAR_WORLD", "POLARWIN_WORLD", "THRESHOLD", "THRESHOLDMAX"]
PLACES = [f"{axis}{place}_{system}" for place in ("", "PEAK", "WIN") for axis in ("ALPHA", "DELTA") for system in ("B1950", "J2000")]
ANGLES = [f"{error}THETA{window}_{system}" for error in ("", "ERR") for window in ("", "WIN") for system in ("B1950", "J2000")]
MOMENTS = [f"{error}{part}{window}_WORLD" for error in ("", "ERR") for window in ("", "WIN") for part in ("X2", "Y2", "XY")]
FORMS = [f"{error}C{part}{window}_WORLD" for error in ("", "ERR") for window in ("", "WIN") for part in ("XX", "YY", "XY")]
SETTINGS = {"CATALOG_TYPE": "FITS_1.0", "GAIN": 2.0, "GAIN_KEY": "NONE", "SATUR_KEY": "NONE", "VERBOSE_TYPE": "QUIET",
            "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535, "PIXEL_SCALE": 0}


def columns_of(table):
    return {name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}


def rows_of_both(both, columns, make, **settings):
    """Rows of both that are the same sources, and not divided."""
    def prepare(place):
        make(place)
        (place / "more.sex").write_text("".join(f"{key} {value}\n" for key, value in (SETTINGS | settings).items()))
        (place / "default.param").write_text("\n".join(["X_IMAGE_DBL", "Y_IMAGE_DBL", "FLAGS", *columns]) + "\n")
        (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")

    both.prepare(prepare)
    both.run("field.fits", "-c", "more.sex")
    mine, told = (columns_of(table) for table in both.each(fits_catalogue("test.cat")))
    own, other, *shares = partners(mine, told)
    assert min(shares) > 0.99 and len(own) > 200
    whole = (told["FLAGS"][other].astype(int) & 2) == 0
    return ({name: values[own][whole] for name, values in mine.items()},
            {name: values[other][whole] for name, values in told.items()})


@pytest.mark.parametrize("seed, weights", [(1401, False), (1402, False), (1403, True)])
def test_ellipses_and_places(both, seed, weights):
    def make(place):
        cards = survey_fields.header(0.4, RADESYS="FK5", EQUINOX=2000.0)
        if weights:
            image, weight, _ = survey_fields.stack(seed, SIDE, NOISE, survey_fields.sources(seed, SIDE, 3000, 3.0, NOISE))
            fits.writeto(place / "map.fits", weight)
        else:
            image = field(seed, SIDE, 3000, seeing=3.0, noise=NOISE)
        fits.writeto(place / "field.fits", image.astype(np.float32), cards)

    maps = {"WEIGHT_TYPE": "MAP_WEIGHT", "WEIGHT_IMAGE": "map.fits"} if weights else {}
    columns = [*ELLIPSES, *PLAIN, *PLACES, *ANGLES, *MOMENTS, *FORMS]
    mine, told = rows_of_both(both, columns, make, **maps)
    # With weights SExtractor has the noise of the whole image in errors of the isophote (docs/sextractor.md).
    for name in [*ELLIPSES, *PLAIN]:
        if weights and name.startswith("ERR") and "WIN" not in name:
            continue
        size = np.sqrt(np.abs(told[name.replace("XY", "XX")] * told[name.replace("XY", "YY")])) if "XY" in name else told[name]
        same = np.abs(mine[name] - told[name]) <= 1e-3 * np.abs(size)
        print(f"{name}: {same.mean():.4%}")
        assert same.mean() >= 0.975, name
    assert np.array_equal(mine["THRESHOLDMAX"], mine["THRESHOLD"])
    for name in (name for name in PLACES if "B1950" in name):
        far = np.abs(mine[name] - told[name])
        assert np.mean(far < (3e-8 if "WIN" not in name else 1e-6)) > 0.975, name
    for name in (name for name in ANGLES if "B1950" in name):
        # By the angle of the north of J2000 in B1950, which SExtractor subtracts.
        turned = [(columns[name] - columns[name.replace("B1950", "J2000")] + 90) % 180 - 90 for columns in (mine, told)]
        assert np.median(np.abs(turned[0] + turned[1])) < 0.01, name
        here = coordinates.SkyCoord(mine["ALPHA_J2000"], mine["DELTA_J2000"], unit="deg", frame="fk5")
        fk4 = coordinates.FK4(equinox="B1950", obstime="J2000")
        north = here.directional_offset_by(0 * here.ra.unit, 0.01 * here.ra.unit)
        expected = here.transform_to(fk4).position_angle(north.transform_to(fk4)).wrap_at("180d").deg
        assert np.median(np.abs(turned[0] - expected)) < 1e-3 and np.median(np.abs(expected)) > 0.05, name
    for error in ("", "ERR"):
        for window in ("", "WIN"):
            x2, y2, xy = (mine[f"{error}{part}{window}_WORLD"] for part in ("X2", "Y2", "XY"))
            inverse = np.linalg.inv(np.moveaxis(np.array([[x2, xy], [xy, y2]]), 2, 0))
            for part, expected in (("XX", inverse[:, 0, 0]), ("YY", inverse[:, 1, 1]), ("XY", 2 * inverse[:, 0, 1])):
                scale = np.sqrt(inverse[:, 0, 0] * inverse[:, 1, 1])
                assert np.all(np.abs(mine[f"{error}C{part}{window}_WORLD"] - expected) < 1e-6 * scale)


def test_b1950_is_astropys(both):
    """FK4 of the epoch 2000, to five thousandths of an arc second."""
    def make(place):
        fits.writeto(place / "field.fits", field(1404, SIDE, 3000, seeing=3.0, noise=NOISE).astype(np.float32),
                     survey_fields.header(30.0, RADESYS="FK5", EQUINOX=2000.0))

    mine, _ = rows_of_both(both, PLACES, make)
    fk5 = coordinates.SkyCoord(mine["ALPHA_J2000"], mine["DELTA_J2000"], unit="deg", frame="fk5")
    fk4 = fk5.transform_to(coordinates.FK4(equinox="B1950", obstime="J2000"))
    ours = coordinates.SkyCoord(mine["ALPHA_B1950"], mine["DELTA_B1950"], unit="deg", frame=fk4.frame.replicate_without_data())
    assert fk4.separation(ours).arcsec.max() < 6e-3
    assert np.abs(mine["ALPHA_B1950"] - mine["ALPHA_J2000"]).min() > 0.3


@pytest.mark.parametrize("seed, circles", [(1405, "10,20"), (1406, "0,7.41"), (1407, "30,0"), (1408, "40,16")])
def test_circles_for_small_ellipses(both, seed, circles):
    fluxes = ["FLUX_AUTO", "FLUX_PETRO"]
    columns = [*fluxes, "FLUXERR_AUTO", "FLUXERR_PETRO", "KRON_RADIUS", "PETRO_RADIUS", "FLUX_RADIUS"]

    def make(place):
        fits.writeto(place / "field.fits", field(seed, SIDE, 3000, seeing=3.0, noise=NOISE).astype(np.float32))

    mine, told = rows_of_both(both, columns, make, PHOT_AUTOAPERS=circles, PIXEL_SCALE=1)
    for flux in fluxes:
        same = np.abs(mine[flux] - told[flux]) <= 1e-3 * told[flux.replace("FLUX", "FLUXERR")]
        assert same.mean() >= 0.975, flux
    for name in columns[2:]:
        same = np.abs(mine[name] - told[name]) <= np.maximum(1e-3 * np.abs(told[name]), 1e-4)
        print(f"{name}: {same.mean():.4%}, {np.mean(told[name] == 0):.2%} are 0")
        assert same.mean() >= 0.975, name
    if circles != "30,0":
        assert 0.005 < np.mean(told["KRON_RADIUS"] == 0)
