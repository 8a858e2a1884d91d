"""Positions in whatever form: the same light by extract() and photometry(), and no light where there is no position."""
import numpy
import pytest

import srcextract
import srcextract.sep

table = pytest.importorskip("astropy.table")

RANDOM = numpy.random.default_rng(8)
Y, X = numpy.mgrid[:100, :130]
IMAGE = RANDOM.normal(50, 3, Y.shape)
for _x, _y in (20.0, 30.0), (70.0, 55.0), (100.0, 80.0):
    IMAGE += 400 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)
PLACES = numpy.array([[21.0, 31.0], [71.0, 56.0], [101.0, 81.0]])
RECORDS = numpy.rec.fromarrays(PLACES.T, names="X_IMAGE,Y_IMAGE")
FORMS = {"array": PLACES - 1, "list": (PLACES - 1).tolist(), "integers": PLACES.astype(int) - 1, "records": RECORDS,
         "structured": numpy.array(RECORDS), "X and Y": numpy.array(numpy.rec.fromarrays(PLACES.T, names="X,Y")),
         "table": table.Table(numpy.array(RECORDS)), "dict": {"X": PLACES[:, 0], "Y": PLACES[:, 1]},
         "masked, but nothing is": numpy.ma.MaskedArray(PLACES - 1, False)}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_positions(form):
    by_stage = srcextract.photometry(IMAGE, positions=FORMS[form], apertures=[8])
    by_whole = srcextract.extract(IMAGE, positions=FORMS[form], measurement__apertures=[8])
    for found in by_stage, by_whole:
        numpy.testing.assert_array_equal(found["X_IMAGE"], PLACES[:, 0])
        # Within 4 pixels of its centre is 1 - exp(-16/6) of such a star.
        numpy.testing.assert_allclose(found["FLUX_APER"], 400 * 6 * numpy.pi * (1 - numpy.exp(-16 / 6)), rtol=0.03)


def holed(form):
    hole = numpy.zeros(PLACES.shape, bool)
    hole[1, 0] = True
    if form == "masked array":
        return numpy.ma.MaskedArray(PLACES, hole)
    if form == "masked integers":
        return numpy.ma.MaskedArray(PLACES.astype(int), hole)
    if form == "masked table":
        made = table.Table(numpy.array(RECORDS), masked=True)
        made["X_IMAGE"].mask[1] = True
        return made
    if form == "masked records":
        made = numpy.ma.MaskedArray(numpy.array(RECORDS))
        made["X_IMAGE"][1] = numpy.ma.masked
        return made
    return numpy.where(hole, numpy.nan if form == "NaN" else numpy.inf, PLACES)


@pytest.mark.parametrize("form", ["masked array", "masked integers", "masked table", "masked records", "NaN", "inf"])
def test_a_position_that_is_none_is_told(form):
    with pytest.raises(srcextract.InputError, match="the positions: X_IMAGE of row 2 is masked|: X of row 2 is masked"):
        srcextract.photometry(IMAGE, positions=holed(form))
    with pytest.raises(srcextract.InputError, match="the positions"):
        srcextract.extract(IMAGE, positions=holed(form))


def test_positions_of_sep_count_from_0():
    objects = srcextract.sep.extract(IMAGE - 50, 30.0)
    for given in objects, table.Table(objects), numpy.column_stack([objects["x"], objects["y"]]):
        for call in srcextract.extract, srcextract.photometry:
            numpy.testing.assert_allclose(numpy.sort(call(IMAGE, positions=given)["X_IMAGE"]), PLACES[:, 0], atol=0.1)


def test_what_are_no_positions():
    for given, said in ({"X": [1.0], "Y": ["a"]}, "no numbers"), ({"X": [1.0, 2.0], "Y": [1.0]}, "one length"), (numpy.zeros((0, 3)), "shape"), (
            {"RA": [1.0], "DEC": [2.0]}, "they have RA, DEC"):
        with pytest.raises(srcextract.InputError, match=said):
            srcextract.photometry(IMAGE, positions=given)


def test_columns_that_positions_have_not_are_told():
    """An annulus that is asked for, and is not there, is not found out by a KeyError alone."""
    with pytest.warns(srcextract.ConfigWarning, match="output.columns is not used at positions"):
        found = srcextract.extract(IMAGE, positions=PLACES - 1, output__columns=["default", "ANNULUS_SKY"])
    assert "ANNULUS_SKY" not in found.table.colnames and len(found) == len(PLACES)
