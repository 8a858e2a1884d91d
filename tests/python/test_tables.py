"""Quantities, places on the sky, pairs of catalogues and cut-outs, held against astropy and a slow search."""
import numpy
import pytest

import srcextract as sx

fits = pytest.importorskip("astropy.io.fits")
units = pytest.importorskip("astropy.units")
from astropy.coordinates import SkyCoord  # noqa: E402
from astropy.nddata import Cutout2D  # noqa: E402
from astropy.table import QTable, Table  # noqa: E402


@pytest.fixture(scope="module")
def found():
    return sx.extract(sx.data.sky(), output__columns=["default", "photometry"], measurement__apertures=[3, 5])


def test_a_qtable_has_units_and_places(found, tmp_path):
    table = found.to_qtable()
    assert isinstance(table, QTable) and len(table) == len(found)
    assert table["X_IMAGE"].unit == units.pix and table["THETA_IMAGE"].unit == units.deg
    assert table["FLUX_APER"].shape == (len(found), 2) and table["FLUX_APER"].unit == units.adu
    numpy.testing.assert_array_equal(table["FLUX_ISO"].value, found["FLUX_ISO"])
    # The header's own WCS, as astropy evaluates it, puts the sources there.
    expected = found.wcs.pixel_to_world(found["X_IMAGE"] - 1, found["Y_IMAGE"] - 1)
    assert table["skycoord"].separation(expected).max() < 1e-5 * units.arcsec
    assert found.skycoord.frame.name == expected.frame.name
    table.write(tmp_path / "table.ecsv")
    assert isinstance(QTable.read(tmp_path / "table.ecsv")["skycoord"], SkyCoord)


def test_an_image_of_fk5_and_one_without_places(found):
    with fits.open(sx.data.sky()) as hdus:
        header, pixels = hdus[0].header.copy(), hdus[0].data.astype("f4")
    header["RADESYS"] = "FK5"
    header["EQUINOX"] = 2000.0
    of_fk5 = sx.extract(pixels, header=header)
    assert of_fk5.skycoord.frame.name == "fk5"
    expected = of_fk5.wcs.pixel_to_world(of_fk5["X_IMAGE"] - 1, of_fk5["Y_IMAGE"] - 1)
    assert of_fk5.skycoord.separation(expected).max() < 1e-5 * units.arcsec
    bare = sx.extract(pixels)
    assert "skycoord" not in bare.to_qtable().colnames
    with pytest.raises(sx.ConfigError, match="no ALPHA_J2000"):
        bare.skycoord
    with pytest.raises(sx.ConfigError, match="no ALPHA_J2000"):
        bare.match(found, 1 * units.arcsec)
    assert len(bare.match(found, 0.5)) > 400


def test_tables_go_in_again(found):
    some = found[::9]
    for table in (some, some.table, some.to_qtable(), some.to_qtable()[["NUMBER", "skycoord"]], some.skycoord):
        forced = sx.extract(sx.data.sky(), positions=table)
        numpy.testing.assert_allclose(forced["X_IMAGE"], some["X_IMAGE"], atol=1e-4)
    assert sx.compare(found.to_qtable()[["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_ISO"]], found.table[
        ["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_ISO"]])


def slow_pairs(distance, radius):
    """Each other's nearest, of all distances."""
    return [(i, j) for i in range(len(distance)) for j in [int(distance[i].argmin())]
            if distance[i, j] <= radius and distance[:, j].argmin() == i]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pairs_are_each_others_nearest(found, seed):
    pytest.importorskip("scipy")
    random = numpy.random.default_rng(seed)
    chosen = random.permutation(len(found))[:200]
    other = Table({"X": found["X_IMAGE"][chosen] + random.normal(0, 2, 200), "Y": found["Y_IMAGE"][chosen] + random.normal(0, 2, 200),
                   "WHO": numpy.arange(200)})
    pairs = found.match(other, 3.0)
    distance = numpy.hypot(found["X_IMAGE"][:, None] - other["X"], found["Y_IMAGE"][:, None] - other["Y"])
    assert list(zip(pairs.rows, pairs.other_rows)) == slow_pairs(distance, 3.0) and 100 < len(pairs) < 200
    numpy.testing.assert_allclose(pairs.separation, distance[pairs.rows, pairs.other_rows])
    assert list(pairs.table["WHO"]) == list(pairs.other_rows) and list(pairs.table["NUMBER"]) == list(found["NUMBER"][pairs.rows])
    assert len(pairs.unmatched) == len(found) - len(pairs)
    assert not set(pairs.unmatched["NUMBER"]) & set(pairs.table["NUMBER"])


def test_pairs_on_the_sky_of_any_kind_of_table(found):
    pytest.importorskip("scipy")
    moved = found.skycoord[::3].spherical_offsets_by(0.2 * units.arcsec, 0.1 * units.arcsec).galactic
    equatorial = moved.icrs
    kinds = [moved, Table({"sky": moved}), Table({"ra": equatorial.ra.deg, "dec": equatorial.dec.deg}),
             QTable({"RA": equatorial.ra.to(units.hourangle), "DEC": equatorial.dec}), {"RAJ2000": equatorial.ra.deg, "DEJ2000": equatorial.dec.deg}]
    expected = found.skycoord.separation(moved[0]).argmin()
    for other in kinds:
        pairs = found.match(other, 0.5 * units.arcsec)
        assert list(pairs.other_rows) == list(range(len(moved))) and pairs.rows[0] == expected
        assert abs(pairs.separation - numpy.hypot(0.2, 0.1) * units.arcsec).max() < 1e-5 * units.arcsec
        assert len(pairs.table) == len(moved)
    assert len(found.match(moved, 0.2 * units.arcsec)) == 0
    again = found.match(found[::-1], 1 * units.arcsec)
    assert list(again.other_rows) == list(range(len(found)))[::-1]


@pytest.mark.parametrize("radius, error, text", [
    (0, sx.ConfigError, "above 0"), (-1 * units.arcsec, sx.ConfigError, "above 0"), ("near", sx.ConfigError, "neither an angle"),
    (1 * units.m, sx.ConfigError, "neither an angle")])
def test_a_radius_that_is_none(found, radius, error, text):
    pytest.importorskip("scipy")
    with pytest.raises(error, match=text):
        found.match(found, radius)


def test_a_table_without_places_is_told(found):
    pytest.importorskip("scipy")
    with pytest.raises(sx.InputError, match="without RA and DEC"):
        found.match(Table({"x": [1.0], "y": [2.0]}), 1 * units.arcsec)
    with pytest.raises(sx.InputError, match="count from 0|X_IMAGE"):
        found.match(Table({"flux": [1.0]}), 1)


@pytest.mark.parametrize("side", [1, 9, 10, (4, 7)])
def test_cutouts_are_astropys(found, side):
    pixels = fits.getdata(sx.data.sky()).astype("f4")
    pixels[pixels == 0] = numpy.nan  # BLANK: astropy makes it 0 with BZERO of unsigned integers
    stamps = found.cutouts(side)
    shape = side if isinstance(side, tuple) else (side, side)
    assert stamps.shape == (len(found), *shape) and stamps.dtype == numpy.float32
    for stamp, x, y in zip(stamps, found["X_IMAGE"], found["Y_IMAGE"]):
        middle = round(float(x) - 1), round(float(y) - 1)  # the pixel with the place, counted from 0
        theirs = Cutout2D(pixels, middle, shape, mode="partial", fill_value=numpy.nan).data
        numpy.testing.assert_array_equal(stamp, theirs)
    numpy.testing.assert_array_equal(found.cutouts(side, pixels), stamps)


def test_cutouts_end_at_the_edge_and_need_pixels(found):
    pixels = numpy.random.default_rng(1).normal(0, 1, (60, 70)).astype("f4")
    pixels[0:3, 0:3] += 90
    pixels[57:60, 66:70] += 90
    of_array = sx.extract(pixels)
    stamps = of_array.cutouts(21, pixels)
    assert len(of_array) == 2 and numpy.isnan(stamps[0, :9]).all() and numpy.isnan(stamps[0, :, :9]).all()
    assert numpy.isfinite(stamps).sum() == sum((min(int(y - .5) + 11, 60) - max(int(y - .5) - 10, 0)) * (
        min(int(x - .5) + 11, 70) - max(int(x - .5) - 10, 0)) for x, y in zip(of_array["X_IMAGE"], of_array["Y_IMAGE"]))
    with pytest.raises(sx.ConfigError, match="keeps no pixels"):
        of_array.cutouts(5)
    for wrong in (0, -3, "big", (1, 2, 3)):
        with pytest.raises(sx.ConfigError, match="a side of at least 1 pixel"):
            of_array.cutouts(wrong, pixels)
    with pytest.raises(sx.InputError, match="has the shape"):
        of_array.cutouts(5, pixels[:50])


def test_a_cutout_keeps_its_mask_and_its_unit():
    pixels = fits.getdata(sx.data.sky()).astype("f4")
    mask = numpy.zeros(pixels.shape, bool)
    mask[:, :100] = True
    middle = (pixels.shape[1] // 2, pixels.shape[0] // 2)
    expected = sx.extract(numpy.where(mask, numpy.nan, pixels))
    masked = Cutout2D(numpy.ma.array(pixels, mask=mask), middle, pixels.shape)
    assert (sx.extract(masked)["X_IMAGE"] == expected["X_IMAGE"]).all()
    error = numpy.full(pixels.shape, 5, "f4")
    in_adu = sx.extract(Cutout2D(pixels * units.adu, middle, pixels.shape), error=error * units.adu)
    assert in_adu.to_qtable()["FLUX_ISO"].unit == units.adu
    assert (in_adu["X_IMAGE"] == sx.extract(pixels, error=error)["X_IMAGE"]).all()


@pytest.mark.parametrize("mask", [numpy.ma.nomask, False])
def test_a_mask_of_no_pixel_is_none(mask):
    from astropy.nddata import NDData
    pixels = fits.getdata(sx.data.sky()).astype("f4")
    assert len(sx.extract(NDData(pixels, mask=mask))) == len(sx.extract(pixels)) > 0
    with pytest.raises(sx.InputError, match="every pixel is masked"):
        sx.extract(NDData(pixels, mask=True))


def test_masked_places_match_nothing(found):
    table = Table({"RA": numpy.ma.array(found.skycoord.ra.deg), "DEC": found.skycoord.dec.deg}, masked=True)
    table["RA"].mask[::4] = True
    pairs = found.match(table, 1 * units.arcsec)
    assert len(pairs) == len(found) - len(table["RA"][::4])


def test_a_catalogue_without_its_map_of_sources_is_matched_compared_and_measured_at(found):
    pytest.importorskip("scipy")
    pixels = fits.getdata(sx.data.sky()).astype("f4")[:256, :256]
    whole, small = sx.extract(pixels), sx.extract(pixels, segmentation=False)
    assert len(whole) == len(small) == len(small.match(whole, 1)) == len(whole.match(small, 1)) > 5
    assert sx.compare(whole, small) and len(sx.extract(pixels, positions=small)) == len(small)
    assert list(small.match(small, 1).table["NUMBER_1"]) == list(small["NUMBER"])


def test_pairs_with_a_list_of_points_have_its_points_as_rows(found):
    pytest.importorskip("scipy")
    for count in 2, 5:
        points = [(float(x), float(y)) for x, y in zip(found.x[:count], found.y[:count])]
        for given in [points] + [tuple(points)] * (count > 2):  # a pair of arrays is x and y
            table = found.match(given, 1).table
            assert (found.match(given, 1).separation < 1e-9).all()
            assert list(zip(table["col0"], table["col1"])) == points


def test_sexagesimal_text_is_no_place(found):
    at = found.skycoord
    table = Table({"RA": at.ra.to_string(units.hour, sep=":"), "DEC": at.dec.to_string(sep=":")})
    with pytest.raises(sx.InputError, match="the other catalogue: RA is text; give degrees, or a SkyCoord"):
        found.match(table, 1 * units.arcsec)
    assert len(found.match(SkyCoord(table["RA"], table["DEC"], unit=("hourangle", "deg")), 1 * units.arcsec)) == len(found)


@pytest.mark.parametrize("what", ["X_IMAGE", "FLUX_APER", "of rows", "carried"])
def test_columns_are_read_only(found, what):
    """A change would be seen by some of what reads it, and not be written."""
    if what == "carried":
        array = sx.extract(sx.data.sky(), positions={"X": [20.0, 50.0], "Y": [30.0, 60.0], "ID": [7, 8]})["ID"]
    else:
        array = found[:5]["X_IMAGE"] if what == "of rows" else found[what]
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 0
    copy = array.copy()
    copy[:] = 0


def test_masked_rows_of_an_array_are_no_places():
    masked = pytest.importorskip("astropy.utils.masked").Masked
    pixels = fits.getdata(sx.data.sky()).astype("f4")[:256, :256]
    at, mask = numpy.array([[62.0, 42.0], [100.0, 5.0], [20.0, 30.0]]), numpy.array([[False] * 2, [True] * 2, [False] * 2])
    for given in numpy.ma.array(at, mask=mask), masked(at, mask=mask):
        with pytest.raises(sx.InputError, match="row 2"):
            sx.extract(pixels, positions=given)
        with pytest.raises(sx.InputError, match="row 2"):
            sx.photometry(pixels, positions=given)
