"""A single row of a table is one position, whatever the table is of; other columns come along, or are named."""
import collections
import logging
import pickle

import numpy
import pytest

import srcextract

table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")
coordinates = pytest.importorskip("astropy.coordinates")

RANDOM = numpy.random.default_rng(651)
Y, X = numpy.mgrid[:80, :100]
IMAGE = RANDOM.normal(50, 3, Y.shape).astype("f4")
STARS = numpy.array([[20.3, 30.7], [70.1, 55.2], [60.6, 20.9]])  # from 1
for _x, _y in STARS - 1:
    IMAGE += 400 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)
GIVEN = table.Table({"X": STARS[:, 0], "Y": STARS[:, 1], "id": ["a", "b", "c"], "mag": [20.0, 21.0, 22.0]})


def rows():
    structured = GIVEN.as_array()
    yield GIVEN[1], GIVEN[-2], table.QTable(GIVEN)[1], table.Table(GIVEN, masked=True)[1]
    yield structured[1], structured.view(numpy.recarray)[1], numpy.ma.MaskedArray(structured)[1]
    yield fits.BinTableHDU(GIVEN).data[1], GIVEN[1:2], structured[1:2]
    yield {name: GIVEN[name][1] for name in GIVEN.colnames}, {"X": 70.1, "Y": 55.2, "id": "b", "mag": 21}
    yield (collections.namedtuple("Source", GIVEN.colnames)(*GIVEN[1]),)


@pytest.mark.parametrize("call", [srcextract.extract, srcextract.photometry])
def test_a_row_is_one_position(call):
    for row in sum(rows(), ()):
        found = call(IMAGE, positions=row)
        assert (found["X_IMAGE"].tolist(), found["Y_IMAGE"].tolist()) == ([70.1], [55.2]), type(row)
        assert call is srcextract.photometry or (found["id"].tolist(), found["mag"].tolist()) == (["b"], [21]), type(row)


def test_a_row_of_pandas_is_one_position():
    frame = pytest.importorskip("pandas").DataFrame({name: numpy.array(GIVEN[name]) for name in GIVEN.colnames})
    numbers = frame.drop(columns="id").assign(NUMBER=[7, 8, 9])  # of one type: NUMBER of a row is a real number
    for call in srcextract.extract, srcextract.photometry:
        for row in frame.iloc[1], frame.iloc[1:2], next(frame.iloc[1:].itertuples()), numbers.iloc[1]:
            assert call(IMAGE, positions=row)["X_IMAGE"].tolist() == [70.1]
        assert call(IMAGE, positions=numbers.iloc[1])["NUMBER"].tolist() == [8]


def test_rows_of_other_positions():
    """Of photutils, counted from 0; on the sky; of a catalogue, whose row is a dict with vectors."""
    wcs = pytest.importorskip("astropy.wcs").WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150.0, 2.0], [-1e-3, 1e-3]
    places = wcs.pixel_to_world(*(STARS - 1).T)
    of_photutils = table.QTable({"xcentroid": STARS[:, 0] - 1, "ycentroid": STARS[:, 1] - 1})
    catalogue = srcextract.extract(IMAGE, wcs=wcs, measurement__apertures=[3, 5, 8], positions=STARS, origin=1)
    for row in (of_photutils[1], dict(of_photutils[1]), table.QTable({"coord": places})[1], {"coord": places[1]}, places[1],
                {"RA": places[1].ra, "DEC": places[1].dec}, {"ra": places[1].ra.deg, "dec": places[1].dec.deg}, catalogue[1],
                catalogue.table[1]):
        found = srcextract.extract(IMAGE, wcs=wcs, positions=row)
        numpy.testing.assert_allclose([found["X_IMAGE"], found["Y_IMAGE"]], STARS[1:2].T, atol=1e-6)
    for row in catalogue[1], catalogue.table[1], of_photutils[1]:
        assert catalogue.match(row, 2).rows.tolist() == [1] and len(catalogue.match(row, 2).table) == 1
    assert len(catalogue.match(places[1], coordinates.Angle(2, "arcsec")).table) == 1


def test_the_maps_of_a_catalogue_are_read_only():
    """They would change what cutouts, plots and photutils are given."""
    found = srcextract.extract(IMAGE)
    for name in "background", "rms", "segmentation":
        before = getattr(found, name).copy()
        with pytest.raises(ValueError, match="read-only"):
            getattr(found, name)[:] = 7
        numpy.testing.assert_array_equal(getattr(found, name), before)


def carried(values, name="c", **more):
    found = srcextract.extract(IMAGE, positions=table.Table({"X": STARS[:, 0], "Y": STARS[:, 1], name: values, **more}))
    return found, found[name].tolist() if name in found else None


def test_times_are_one_column_of_text():
    time = pytest.importorskip("astropy.time")
    told = ["2024-01-01T00:00:00.000", "2024-01-02T03:04:05.500", "2025-06-30T23:59:59.999"]
    for given in time.Time(told), time.Time(time.Time(told).jd1, time.Time(told).jd2, format="jd"):
        found, text = carried(given)
        assert text == told and (time.Time(found["c"]) == given).all() and "c" in found.table.colnames
        assert not [name for name in found.columns if "jd" in name]
    assert carried(time.Time(["2024-01-02T03:04:05.123456789"] * 3))[1] == ["2024-01-02T03:04:05.123456789"] * 3
    hidden = time.Time(told)
    hidden[1] = numpy.ma.masked
    assert carried(hidden)[1] == [told[0], "", told[2]]
    assert carried(time.TimeDelta([1.0, 2.5, 3.0], format="jd"))[1] == [1, 2.5, 3]
    assert srcextract.extract(IMAGE, positions={"xcentroid": STARS[:, 0], "ycentroid": STARS[:, 1], "t": time.Time(told)})["t"].tolist() == told


def test_a_scale_of_time_that_text_does_not_tell_is_warned_of(caplog):
    time = pytest.importorskip("astropy.time")
    with caplog.at_level(logging.WARNING, "srcextract"):
        carried(time.Time([60000.5, 60001, 60002], format="mjd", scale="tdb"))
    assert "c has times in TDB" in caplog.text and "scale='tdb'" in caplog.text


@pytest.mark.parametrize("values, wanted", [
    (numpy.array(["2024-01-01", "NaT", "2024-01-03"], "M8[D]"), ["2024-01-01", "", "2024-01-03"]),
    (numpy.array([0, 1500, 2000], "M8[ms]"), ["1970-01-01T00:00:00.000", "1970-01-01T00:00:01.500", "1970-01-01T00:00:02.000"]),
    (numpy.array([60, 90, 0], "m8[s]"), [60, 90, 0]),
    (table.MaskedColumn(["a", "b", "c"], mask=[False, True, False]), ["a", "", "c"]),
    (numpy.array(["a", None, "b"], object), ["a", "", "b"]), (numpy.array([1.5, None, 2], object), [1.5, None, 2])])
def test_columns_with_holes_and_dates(values, wanted):
    assert [None if value != value else value for value in carried(values)[1]] == wanted


def test_what_pandas_has_beside_positions():
    pandas = pytest.importorskip("pandas")
    frame = {"X": pandas.array([20, 70, 60], dtype="Int64"), "Y": pandas.array([30.5, 55, 20], dtype="Float64")}
    for values, wanted in ((pandas.array(["a", None, "ç"], dtype="string"), ["a", "", "ç"]), (pandas.Categorical(["u", "g", "u"]), ["u", "g", "u"]),
                           (pandas.array([1, None, 3], dtype="Int64"), [1, None, 3]), (pandas.array([2**60 + 1, 2, 3], dtype="Int64"), [2**60 + 1, 2, 3]),
                           (pandas.array([2**60 + 1, None, 3], dtype="Int64"), [str(2**60 + 1), "", "3"]),
                           (pandas.array([True, None, False], dtype="boolean"), [1, None, 0]),
                           (pandas.to_datetime(["2024-01-01", None, "2024-01-03"]), ["2024-01-01", "", "2024-01-03"]),
                           (pandas.to_datetime(["2024-01-01T12:00"] * 3).tz_localize("Europe/Berlin"), ["2024-01-01T11:00:00"] * 3)):
        found = srcextract.extract(IMAGE, positions=pandas.DataFrame({**frame, "c": values}))
        assert found["X_IMAGE"].tolist() == [20, 70, 60]
        assert [None if value != value else value for value in found["c"].tolist()] == wanted


def test_columns_that_are_lost_are_named(caplog):
    with caplog.at_level(logging.WARNING, "srcextract"):
        found, lost = carried([1j, 2, 3], z=[1.0, 2, 3], FLAGS=[1, 2, 4])
    assert lost is None and found["z"].tolist() == [1, 2, 3]
    for one in found, found[:2], pickle.loads(pickle.dumps(found)):
        assert len(one.warnings) == 1 and "no copy of c, FLAGS: " in one.warnings[0]
    assert "no copy of c, FLAGS: " in caplog.text
    assert not srcextract.extract(IMAGE, positions=found).warnings and not srcextract.extract(IMAGE, positions=GIVEN).warnings
    from_zero = srcextract.extract(IMAGE, positions=table.Table({"xcentroid": [20.0], "ycentroid": [30.0], "z": [1j], "v": [[1, 2]]}))
    assert "no copy of z, v: " in from_zero.warnings[0]
