"""Positions as other packages have them: pairs of arrays, SkyCoord, tables and apertures of photutils."""
import numpy
import pytest

import srcextract

coordinates = pytest.importorskip("astropy.coordinates")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")
WCS = pytest.importorskip("astropy.wcs").WCS

RANDOM = numpy.random.default_rng(39)
Y, X = numpy.mgrid[:100, :130]
STARS = numpy.array([[20.3, 30.7], [70.1, 55.2], [101.6, 80.9]])  # from 0
IMAGE = RANDOM.normal(50, 3, Y.shape)
for _x, _y in STARS:
    IMAGE += 400 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)


def test_a_pair_of_arrays_is_x_and_y():
    for trial in range(100):
        x, y = RANDOM.uniform((5, 5), (120, 90), ((1, 2, 3, 7)[trial % 4], 2)).T
        form = (numpy.array, list, lambda values: table.Column(values))[trial % 3]
        pair = form(x), form(y)
        for found in srcextract.extract(IMAGE, positions=pair), srcextract.photometry(IMAGE, positions=pair):
            numpy.testing.assert_array_equal(found["X_IMAGE"], x + 1)
            numpy.testing.assert_array_equal(found["Y_IMAGE"], y + 1)


def test_rows_are_rows():
    for rows in numpy.array([[10.0, 20], [30, 40]]), [(10, 20), (30, 40)], [[10, 20], [30, 40], [50, 60]], [(10, 20)], (10, 20):
        found = srcextract.extract(IMAGE, positions=rows)
        numpy.testing.assert_array_equal(numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]), numpy.atleast_2d(rows) + 1)


@pytest.mark.parametrize("pair", [[[10, 20], [30, 40]], ((10, 20), (30, 40)), [numpy.array([10, 20]), numpy.array([30, 40])],
                                  [[10, 20, 30], [30, 40, 50]], ([10, 20, 30], [30, 40])])
def test_what_can_be_read_in_two_ways_is_an_error(pair):
    for call in srcextract.extract, srcextract.photometry:
        with pytest.raises(srcextract.InputError, match="the positions"):
            call(IMAGE, positions=pair)


def sky_of(kind):
    wcs = WCS(naxis=2)
    wcs.wcs.crpix, wcs.wcs.cdelt, wcs.wcs.crval = [60, 50], [-1 / 3600, 1 / 3600], [150, 2.2]
    wcs.wcs.ctype = ["GLON-TAN", "GLAT-TAN"] if kind == "galactic" else ["RA---TAN", "DEC--TAN"]
    if kind == "latitude first":
        wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.cdelt = ["DEC--TAN", "RA---TAN"], [2.2, 150], [1 / 3600, -1 / 3600]
    elif kind != "galactic":
        wcs.wcs.radesys = kind
    wcs.wcs.set()
    return wcs


@pytest.mark.parametrize("kind", ["ICRS", "FK5", "galactic", "latitude first"])
def test_a_skycoord_is_where_astropy_has_it(kind, tmp_path):
    wcs = sky_of(kind)
    places = wcs.pixel_to_world(*STARS.T)
    wanted = numpy.column_stack(wcs.world_to_pixel(places)) + 1
    hdu = fits.PrimaryHDU(IMAGE.astype("f4"), wcs.to_header())
    hdu.writeto(tmp_path / "sky.fits")
    of_table = table.QTable({"name": ["a", "b", "c"], "coord": places.icrs})
    for image in hdu, tmp_path / "sky.fits", (tmp_path / "sky.fits").read_bytes():
        for given in places, places.icrs, places.galactic, list(places), of_table, of_table["coord"]:
            found = srcextract.extract(image, positions=given)
            numpy.testing.assert_allclose(numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]), wanted, atol=1e-6)
    one = srcextract.extract(IMAGE, wcs=wcs, positions=places[1])
    numpy.testing.assert_allclose([one["X_IMAGE"], one["Y_IMAGE"]], wanted[1:2].T, atol=1e-6)


def test_a_skycoord_off_the_image_is_a_row():
    away = coordinates.SkyCoord([150, 330], [2.2, -2.2], unit="deg")
    assert len(srcextract.extract(IMAGE, wcs=sky_of("ICRS"), positions=away)) == 2


def test_the_sky_needs_a_wcs():
    away = coordinates.SkyCoord([150, 330], [2.2, -2.2], unit="deg")
    with pytest.raises(srcextract.InputError, match="does not tell where"):
        srcextract.extract(IMAGE, positions=away)
    with pytest.raises(srcextract.InputError, match="no WCS here"):
        srcextract.photometry(IMAGE, positions=away)
    with pytest.raises(srcextract.InputError, match="in pixels; give angles as a SkyCoord"):
        srcextract.extract(IMAGE, wcs=sky_of("ICRS"), positions=(away.ra, away.dec))


def at_stars(found):
    rows = numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]])
    numpy.testing.assert_allclose(rows[numpy.argsort(rows[:, 0])], STARS + 1, atol=0.2)


def test_tables_of_photutils_count_from_0():
    detection, segmentation = pytest.importorskip("photutils.detection"), pytest.importorskip("photutils.segmentation")
    tables = [detection.DAOStarFinder(threshold=50, fwhm=4)(IMAGE - 50)]
    segments = segmentation.detect_sources(IMAGE - 50, 30, 5)
    tables += [segmentation.SourceCatalog(IMAGE - 50, segments, wcs=wcs).to_table() for wcs in (None, sky_of("ICRS"))]
    for given in tables:
        older = table.QTable(given, copy=True)
        for name in set(older.colnames) & {"x_centroid", "y_centroid"}:  # as photutils before 3 has them
            older.rename_column(name, name.replace("_", ""))
        for one in given, older:
            at_stars(srcextract.extract(IMAGE, positions=one))
            at_stars(srcextract.extract(IMAGE, wcs=sky_of("ICRS"), positions=one))
            at_stars(srcextract.photometry(IMAGE, positions=one))


def test_apertures_of_photutils_are_positions():
    aperture = pytest.importorskip("photutils.aperture")
    at_stars(srcextract.extract(IMAGE, positions=aperture.CircularAperture(STARS, r=3)))
    wcs = sky_of("ICRS")
    at_stars(srcextract.extract(IMAGE, wcs=wcs, positions=aperture.CircularAperture(STARS, r=3).to_sky(wcs)))


@pytest.mark.parametrize("apertures", [[5], [3, 5, 8]])
def test_columns_of_several_apertures_have_one_shape(apertures):
    found = srcextract.extract(IMAGE, positions=STARS, measurement__apertures=apertures)
    made = found.table["FLUX_APER"]
    assert found["FLUX_APER"].shape == made.shape == ((3, 3) if len(apertures) > 1 else (3,))
    numpy.testing.assert_array_equal(found["FLUX_APER"], made)
    for at in range(1, len(apertures)):
        # Within a radius of r pixels is 1 - exp(-r^2 / 6) of such a star.
        light = 400 * 6 * numpy.pi * (1 - numpy.exp(-(apertures[at] / 2) ** 2 / 6))
        numpy.testing.assert_allclose(found["FLUX_APER"][:, at], light, rtol=0.05)
        numpy.testing.assert_array_equal(found[f"FLUX_APER_{at}"], found["FLUX_APER"][:, at])


def test_tables_of_every_kind_are_positions_of_both_calls():
    pandas = pytest.importorskip("pandas")
    x, y = STARS.T
    forms = {"x": x, "y": y}, {"X": x + 1, "y": y + 1}, {"xcentroid": x, "ycentroid": y}
    for form in forms:
        records = numpy.rec.fromarrays(list(form.values()), names=list(form))
        for given in form, records, numpy.array(records), table.Table(form), pandas.DataFrame(form):
            for call in srcextract.extract, srcextract.photometry:
                found = call(IMAGE, positions=given)
                numpy.testing.assert_allclose(numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]), STARS + 1, rtol=1e-15)
    for call in srcextract.extract, srcextract.photometry:
        with pytest.raises(srcextract.InputError, match="X_IMAGE and Y_IMAGE"):
            call(IMAGE, positions=pandas.DataFrame(STARS))


@pytest.mark.parametrize("unit", ["arcsec", "m", "Jy", "mm", "adu"])
def test_pixels_are_in_no_other_unit(unit):
    units = pytest.importorskip("astropy.units")
    x, y = STARS.T * units.Unit(unit)
    tables = [table.QTable({"X_IMAGE": x, "Y_IMAGE": y}), table.Table({"xcentroid": x, "ycentroid": y}),
              table.QTable({"X": STARS[:, 0], "Y": STARS[:, 1], "A_IMAGE": x, "B_IMAGE": y, "THETA_IMAGE": STARS[:, 0]})]
    for given in (x, y), STARS * units.Unit(unit), *tables:
        for call in srcextract.extract, srcextract.photometry:
            with pytest.raises(srcextract.InputError, match=unit):
                call(IMAGE, positions=given)


def test_columns_of_the_table_of_positions_are_columns_of_the_catalogue(tmp_path):
    """As in the files that the command and write() make."""
    given = table.Table({"X": STARS[:, 0] + 1, "Y": STARS[:, 1] + 1, "id": ["a", "Å b", ""], "z": [0.5, 1.25, numpy.nan], "δ": [3, 1, 2]})
    found = srcextract.extract(IMAGE, positions=given)
    found.write(tmp_path / "found.ecsv")
    told = table.Table.read(tmp_path / "found.ecsv")
    assert list(found.columns) == found.table.colnames == told.colnames and told.colnames[-3:] == ["id", "z", "δ"]
    for name in given.colnames[2:]:
        numpy.testing.assert_array_equal(found[name], given[name])
        numpy.testing.assert_array_equal(found.table[name], given[name])
    assert "<td>Å b</td>" in found._repr_html_()
    assert list(srcextract.extract(IMAGE, positions=found)["id"]) == list(given["id"])


def test_they_are_in_arrow_and_pandas_too(tmp_path):
    parquet, pandas = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pandas")
    given = {"X": STARS[:, 0] + 1, "Y": STARS[:, 1] + 1, "id": ["a", "b", "c"], "tile": [3, 1, 2]}
    found = srcextract.extract(IMAGE, positions=given)
    found.write(tmp_path / "found.parquet")
    told = parquet.read_table(tmp_path / "found.parquet")
    assert found.to_arrow().to_pydict() == told.to_pydict()
    assert list(found.to_pandas()["id"]) == given["id"] and isinstance(found.to_pandas(), pandas.DataFrame)
