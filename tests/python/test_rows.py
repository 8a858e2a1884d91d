"""Rows of a catalogue: a mask, indices, a slice, as NumPy takes them of each column."""
import numpy
import pytest

import srcextract

COLUMNS = {"output__columns": ["default", "photometry", "VIGNET(7,5)"], "measurement__apertures": [3, 5, 8]}


@pytest.fixture(scope="module")
def found(sky_path):
    return srcextract.extract(sky_path, {"extends": "none"}, **COLUMNS)


def assert_rows(chosen, found, rows):
    """`rows` are the numbers that NumPy's own indexing gives."""
    assert isinstance(chosen, srcextract.Catalogue) and len(chosen) == len(rows)
    assert chosen.columns == found.columns
    for name in found.columns:
        numpy.testing.assert_array_equal(chosen[name], found[name][rows], name)
    for name in ("background", "segmentation"):
        assert getattr(chosen, name).shape == found.shape


@pytest.mark.parametrize("index", [slice(None, 10), slice(200, 20, -7), slice(300, 400), [3, 1, -1], [], (5, 5),
                                   numpy.array([7, 2], "u1"), numpy.arange(0)])
def test_indices_and_slices(found, index):
    rows = numpy.arange(len(found))[index if isinstance(index, slice) else numpy.array(index, int)]
    assert_rows(found[index], found, rows)


def test_masks(found):
    bright = found["SNR"] > 20
    assert 10 < bright.sum() < len(found) - 10
    assert_rows(found[bright], found, numpy.flatnonzero(bright))
    assert_rows(found[bright.tolist()], found, numpy.flatnonzero(bright))
    assert_rows(found[numpy.ma.array(bright, mask=found["X_IMAGE"] < 500)], found,
                numpy.flatnonzero(bright & (found["X_IMAGE"] >= 500)))
    pytest.importorskip("pandas")
    assert_rows(found[found.to_pandas()["SNR"] > 20], found, numpy.flatnonzero(bright))


def test_rows_of_rows(found):
    order = numpy.argsort(-found["FLUX_ISO"])
    assert_rows(found[order][:5][[4, 0]], found, order[[4, 0]])
    assert list(found[order]["FLUX_ISO"]) == sorted(found["FLUX_ISO"], reverse=True)


def test_a_row_is_a_dict(found):
    row = found[numpy.int64(-2)]
    assert row["NUMBER"] == len(found) - 1 and row["FLUX_APER"].shape == (3,)
    assert row["X_IMAGE"] == found["X_IMAGE"][-2]
    order = numpy.argsort(found["X_IMAGE"])
    assert found[order][0]["X_IMAGE"] == found["X_IMAGE"].min()


def test_what_rows_become(found, tmp_path):
    table = pytest.importorskip("astropy.table")
    chosen = found[found["SNR"] > 20][::-2]
    numbers = list(chosen["NUMBER"])
    assert list(chosen.table["NUMBER"]) == numbers and chosen.table["FLUX_APER"].shape == (len(numbers), 3)
    assert f"{len(numbers)} sources" in repr(chosen)
    whole, part = tmp_path / "whole.fits", tmp_path / "part.fits"
    found.write(whole)
    chosen.write(part)
    # The file of some rows is the file of all, of which astropy takes these rows.
    every, written = table.Table.read(whole), table.Table.read(part)
    expected = every[[number - 1 for number in numbers]]
    assert written.colnames == expected.colnames and "VIGNET" in written.colnames
    for name in written.colnames:
        numpy.testing.assert_array_equal(written[name], expected[name], name)
        assert written[name].unit == expected[name].unit


def test_carried_columns_follow(sky_path, tmp_path):
    table = pytest.importorskip("astropy.table")
    places = table.Table({"X": [100.0, 200.0, 300.0, 400.0], "Y": [50.0, 60.0, 70.0, 80.0], "WHO": ["a", "b", "c", "d"]})
    chosen = srcextract.extract(sky_path, positions=places)[[3, 1]]
    assert list(chosen["WHO"]) == ["d", "b"]
    chosen.write(tmp_path / "chosen.ecsv")
    assert list(table.Table.read(tmp_path / "chosen.ecsv")["WHO"]) == ["d", "b"]


def test_carried_columns_with_numbers_stay_apart(sky_path):
    table = pytest.importorskip("astropy.table")
    places = table.Table({"X": [100.0, 200.0], "Y": [50.0, 60.0], "MAG": [20.5, 21.5], "MAG_1": [1.0, 2.0], "WHO": ["a", "b"],
                          "WHO_1": ["c", "d"]})
    found = srcextract.extract(sky_path, positions=places, measurement__apertures=[3, 6])
    assert list(found["MAG"]) == [20.5, 21.5] and list(found["MAG_1"]) == [1, 2]
    assert list(found["WHO"]) == ["a", "b"] and list(found.table["WHO_1"]) == ["c", "d"]
    assert found[0]["MAG"] == 20.5 and found["FLUX_APER"].shape == (2, 2)


def test_photutils_has_the_chosen_sources(found):
    pytest.importorskip("photutils")
    chosen = found[[5, 17]]
    segments = next(value for key, value in chosen.to_photutils().items() if key.startswith("segment"))
    assert list(segments.labels) == [6, 18]


@pytest.mark.parametrize("index, error, text", [
    ([251], IndexError, "no row 251 in a catalogue of 251"), (-252, IndexError, "no row -252"),
    ([True, False], IndexError, "the mask has 2 values and the catalogue 251 rows"), (True, TypeError, "rows are a mask"),
    ([1.5], TypeError, "rows are a mask"), (numpy.zeros((2, 2), int), TypeError, "shape"), (None, TypeError, "NoneType"),
    (["X_IMAGE", "Y_IMGE"], KeyError, "did you mean 'Y_IMAGE'")])
def test_what_takes_no_rows(found, index, error, text):
    with pytest.raises(error, match=text):
        found[index]


def test_no_rows_are_a_catalogue(found):
    nothing = found[found["SNR"] < 0]
    assert len(nothing) == 0 and nothing
    nothing._repr_html_()
    pytest.importorskip("astropy")
    assert len(nothing.table) == 0
