"""A real image of integers with BSCALE, through `srcextract sextractor` and SExtractor: which stage is the first to differ.
It is the reading of pixels. SExtractor rounds them twice, to float32. With such pixels the rest is the same catalogue."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from program import SHARED
from test_default_sex import partners
from test_one_word import Both, both, columns_of, fits_catalogue  # noqa: F401

IMAGE = SHARED / "sextractor" / "galaxies.fits"
if not IMAGE.exists():
    pytest.skip("no data: galaxies.fits", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore::astropy.io.fits.verify.VerifyWarning",
                                         "ignore::astropy.utils.exceptions.AstropyUserWarning")

FLUXES = ["FLUX_ISO", "FLUX_AUTO", "FLUX_APER"]
COLUMNS = ["X_IMAGE", "Y_IMAGE", *FLUXES, *(name.replace("FLUX", "FLUXERR") for name in FLUXES), "KRON_RADIUS", "THRESHOLD",
           "FLUX_MAX", "BACKGROUND", "FLAGS"]
STAGES = ["MINIBACKGROUND", "MINIBACK_RMS", "BACKGROUND", "BACKGROUND_RMS", "-BACKGROUND", "FILTERED"]


def read():
    """The pixels as the FITS Standard has them, rounded once, and rounded after the product and after the sum."""
    with fits.open(IMAGE, do_not_scale_image_data=True) as file:
        stored, scale, zero = file[0].data, file[0].header["BSCALE"], file[0].header["BZERO"]
    once = (stored * np.float64(scale) + np.float64(zero)).astype(np.float32)
    return once, stored.astype(np.float32) * np.float32(scale) + np.float32(zero)


def catalogues(both, name, *arguments):  # noqa: F811
    both.prepare(lambda place: (place / "default.param").write_text("\n".join(COLUMNS) + "\n"))
    both.prepare(lambda place: (place / "all.sex").write_text("CATALOG_NAME all.cat\nCATALOG_TYPE FITS_1.0\n"))
    both.prepare(lambda place: (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n"))
    both.run(name, "-c", "all.sex", *arguments)
    tables = both.each(fits_catalogue("all.cat"))
    for place in both.places.values():
        (place / "all.cat").unlink()
    return [columns_of(table) for table in tables]


def stages(both, name, *arguments):  # noqa: F811
    """Catalogues, and the greatest difference in each check image."""
    files = [f"{kind.lower()}.fits" for kind in STAGES]
    tables = catalogues(both, name, *arguments, "-CHECKIMAGE_TYPE", ",".join(STAGES), "-CHECKIMAGE_NAME", ",".join(files))
    apart = {}
    for kind, file in zip(STAGES, files):
        mine, told = both.each(lambda place: fits.getdata(place / file).astype(float))
        apart[kind] = np.abs(mine - told).max()
        for place in both.places.values():
            (place / file).unlink()
    return *tables, apart


def share(mine, told, column, most):
    return np.mean(np.abs(mine[column] - told[column]) <= most * np.abs(told[column]))


def test_the_first_difference_is_how_integers_are_scaled(both):  # noqa: F811
    once, twice = read()
    assert 0.1 < np.mean(once != twice) < 0.5 and np.abs(once - twice).max() <= np.spacing(np.float32(65536))
    both.prepare(lambda place: fits.writeto(place / "twice.fits", twice))
    both.prepare(lambda place: fits.writeto(place / "once.fits", once))
    for weights in ("NONE", "BACKGROUND"):
        arguments = "-WEIGHT_TYPE", weights
        *_, apart = stages(both, IMAGE, *arguments)
        print(weights, "as it is:", apart)
        assert 0.1 < apart["MINIBACKGROUND"] < 0.01 * 63 and 0 < apart["MINIBACK_RMS"] < 1e-4 * 63  # its noise is 63
        for name in ("once.fits", "twice.fits"):
            mine, told, apart = stages(both, name, *arguments)
            print(weights, name, apart)
            assert apart["MINIBACKGROUND"] == apart["MINIBACK_RMS"] == 0
            assert max(apart.values()) < 2e-4 * 63
            own, other, _, _ = partners(mine, told)
            rows = [{column: values[index] for column, values in table.items()} for table, index in ((mine, own), (told, other))]
            x, y, flags = (rows[1][column] for column in ("X_IMAGE", "Y_IMAGE", "FLAGS"))
            inside = (np.minimum(x, y) > 4) & (np.maximum(x, y) < 1021)
            lone = inside & (flags.astype(int) & 2 == 0)
            mine, told = ({column: values[lone] for column, values in table.items()} for table in rows)
            shares = {column: share(mine, told, column, 1e-5) for column in (*FLUXES, "KRON_RADIUS", "FLUX_MAX")}
            print(weights, name, f"{lone.sum()} undivided sources of {len(x)}", shares)
            assert lone.sum() > 780 and np.array_equal(mine["FLAGS"], told["FLAGS"])
            assert min(shares[column] for column in FLUXES) > 0.995 and shares["KRON_RADIUS"] > 0.98
            assert share(mine, told, "FLUXERR_AUTO", 1e-3) > 0.99


def test_rows_of_one_program_alone(both):  # noqa: F811
    """They are at the edges, where zeros beyond the image lower the variance that SExtractor filters, or divided."""
    for weights, most in (("NONE", 2), ("BACKGROUND", 6)):
        mine, told = catalogues(both, IMAGE, "-WEIGHT_TYPE", weights)
        own, other, _, _ = partners(mine, told)
        print(weights, f"{len(mine['FLAGS'])} and {len(told['FLAGS'])} rows")
        assert len(told["FLAGS"]) > 900
        for table, matched in ((mine, own), (told, other)):
            x, y, flags = (np.delete(table[column], matched) for column in ("X_IMAGE", "Y_IMAGE", "FLAGS"))
            divided, edge = flags.astype(int) & 2 > 0, (np.minimum(x, y) < 4) | (np.maximum(x, y) > 1021)
            assert len(x) <= most and np.all(divided | edge)
            if table is told and weights == "BACKGROUND":
                assert edge.sum() >= 3
                lower = np.delete(table["THRESHOLD"], matched)[edge] / np.median(table["THRESHOLD"])
                assert np.all((0.7 < lower) & (lower < 0.95))  # the root of 9 to 15 of 16 parts of the filter


@pytest.mark.parametrize("level", (8000, 12000))
def test_stars_clipped_at_the_saturation(both, level):  # noqa: F811
    """SExtractor adds its column BACKGROUND to FLUX_MAX, which is another sky than it has subtracted, and so flags about
    half of the stars whose highest pixel is SATUR_LEVEL. Here all are."""
    clipped = np.minimum(read()[0], np.float32(level))
    both.prepare(lambda place: fits.writeto(place / "clipped.fits", clipped))
    mine, told = catalogues(both, "clipped.fits", "-WEIGHT_TYPE", "NONE", "-SATUR_LEVEL", level)
    own, other, _, _ = partners(mine, told)
    ours, theirs = mine["FLAGS"][own].astype(int) & 4 > 0, told["FLAGS"][other].astype(int) & 4 > 0
    assert np.array_equal(theirs, (told["FLUX_MAX"] + told["BACKGROUND"])[other] >= level)
    print(f"{ours.sum()} flagged, by SExtractor {theirs.sum()}")
    x, y = (np.rint(mine[f"{axis}_IMAGE"][own]).astype(int) - 1 for axis in "XY")
    highest = np.array([clipped[max(0, b - 2):b + 3, max(0, a - 2):a + 3].max() for a, b in zip(x, y)])
    assert np.all(ours[highest == level]) and np.all(ours[theirs])
    assert 0.3 * ours.sum() < theirs.sum() < 0.7 * ours.sum() and ours.sum() > 40
