"""Positions count from 0 in Python, and from 1 under FITS names; SEP's positions measure SEP's light."""
import subprocess
import sys
import warnings

import numpy
import pytest

import sep_peer
import srcextract as sx
import srcextract.sep

table = pytest.importorskip("astropy.table")

RANDOM = numpy.random.default_rng(692)
Y, X = numpy.mgrid[:100, :130]
STARS = numpy.array([[20.3, 30.7], [70.1, 55.2], [101.6, 80.9]])  # the centre of the first pixel is 0
IMAGE = RANDOM.normal(50, 3, Y.shape).astype("f4")
for _x, _y in STARS:
    IMAGE += (4000 * numpy.exp(-((X - _x) ** 2 + (Y - _y) ** 2) / 6)).astype("f4")
X0, Y0 = STARS.T
FORMS = {"array": STARS, "tuple": (X0, Y0), "points": [tuple(one) for one in STARS], "masked": numpy.ma.MaskedArray(STARS, False),
         "dict": {"x": X0, "y": Y0}, "table": table.Table({"x": X0, "y": Y0, "id": [3, 1, 2]}),
         "structured": numpy.array([tuple(one) for one in STARS], [("x", "f8"), ("y", "f8")])}
pytestmark = pytest.mark.filterwarnings("ignore::srcextract.OriginWarning")


def calls():
    yield lambda given, **more: sx.extract(IMAGE, positions=given, **more)
    yield lambda given, **more: sx.Extractor()(IMAGE, positions=given, **more)
    yield lambda given, **more: sx.photometry(IMAGE, positions=given, **more)


def forms():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": X0, "y": Y0, "when": pandas.to_datetime(["2024-01-01"] * 3)})
    return {**FORMS, "frame": frame}


def test_arrays_count_from_0_and_origin_changes_that():
    for name, given in forms().items():
        for call in calls():
            for more, first in ({}, 0), ({"origin": 0}, 0), ({"origin": 1}, 1):
                found = call(given, **more)
                numpy.testing.assert_allclose(numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]), STARS + 1 - first,
                                              rtol=1e-14, err_msg=name)
                numpy.testing.assert_allclose(numpy.column_stack([found.x, found.y]), STARS - first, rtol=1e-12)
    assert sx.extract(IMAGE, positions=FORMS["table"])["id"].tolist() == [3, 1, 2]
    assert sx.extract(IMAGE, positions=forms()["frame"])["when"].tolist() == ["2024-01-01"] * 3


def test_single_positions():
    for given in (20, 30), numpy.array([[20, 30]]), {"x": 20, "y": 30.0}, FORMS["table"][:1], numpy.array([[20, 30]], "u1"):
        at = STARS[0] if isinstance(given, table.Table) else [20, 30]
        for call in calls():
            found = call(given)
            assert (found.x.tolist(), found.y.tolist()) == (pytest.approx([at[0]]), pytest.approx([at[1]]))
    assert sx.extract(numpy.pad(IMAGE, 200), positions=numpy.array([[255, 254]], "u1"))["X_IMAGE"].tolist() == [256]


def test_fits_names_count_from_1_whatever_the_origin():
    for names in ("X_IMAGE", "Y_IMAGE"), ("X", "Y"), ("x_image", "y_image"):
        for made in dict, table.Table:
            given = made(dict(zip(names, (STARS + 1).T)))
            for call in calls():
                for more in {}, {"origin": 0}, {"origin": 1}:
                    numpy.testing.assert_array_equal(call(given, **more)["X_IMAGE"], X0 + 1)


def test_positions_of_sep_measure_the_light_of_sep():
    sep = sep_peer.peer(3)
    above = IMAGE - numpy.float32(50)
    keys = {"measurement__apertures": [8], "background__method": "constant"}
    for module in sep, sx.sep:
        objects = module.extract(above, 30.0)
        light = sep.sum_circle(above, objects["x"], objects["y"], 4.0, subpix=0)[0]
        for given in (objects["x"], objects["y"]), objects, table.Table(objects), numpy.column_stack([objects["x"], objects["y"]]):
            found = sx.extract(above, positions=given, **keys)
            numpy.testing.assert_allclose(found["FLUX_APER"], light, rtol=3e-3)
            assert sx.photometry(above, positions=given, **{"apertures": [8]}).x == pytest.approx(objects["x"])
        shifted = sx.extract(above, positions=(objects["x"], objects["y"]), origin=1, **keys)
        assert (shifted["FLUX_APER"] < 0.99 * light).all()  # so a shift would be seen


def test_pixels_of_numpy_are_at_x_and_y():
    found = sx.extract(IMAGE)
    order = numpy.argsort(found.x)
    numpy.testing.assert_allclose(numpy.column_stack([found.x, found.y])[order], STARS, atol=0.1)
    for x, y in zip(found.x, found.y):
        assert IMAGE[round(y), round(x)] == IMAGE[round(y) - 4:round(y) + 5, round(x) - 4:round(x) + 5].max()
    assert len(found[:1].x) == 1


def test_match_counts_as_positions_do():
    pytest.importorskip("scipy")
    found = sx.extract(IMAGE)
    for given in forms().values():
        assert len(found.match(given, 0.3)) == 3 and len(found.match(given, 0.3, origin=0)) == 3
        assert len(found.match(given, 0.3, origin=1)) == 0
    assert len(found.match({"X": X0 + 1, "Y": Y0 + 1}, 0.3, origin=1)) == 3 and len(found.match(found, 0.3)) == 3


@pytest.mark.parametrize("origin", [2, -1, "1", True, 0.5])
def test_what_is_no_origin(origin):
    for call in (*calls(), lambda given, **more: sx.extract(IMAGE).match(given, 1, **more)):
        with pytest.raises(sx.ConfigError, match="origin="):
            call(STARS, origin=origin)


IN_A_PROCESS = """
import warnings, numpy, srcextract as sx, srcextract.sep
image = numpy.random.default_rng(1).normal(0, 1, (64, 64))
image[30:33, 30:33] += 50
places = numpy.array([[31.0, 31.0]])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    CALLS
print(sum(issubclass(one.category, sx.OriginWarning) for one in told))
"""


@pytest.mark.parametrize("calls, count", [
    ("sx.extract(image, positions=places); sx.photometry(image, positions=places); sx.extract(image, positions=(places[0], places[0]))", 1),
    ("sx.extract(image).match(places, 2); sx.extract(image, positions=places)", 1),
    ("sx.extract(image, positions={'x': [31.0], 'y': [31.0]})", 1),
    ("sx.extract(image, positions=places, origin=0); sx.extract(image, positions=places, origin=1)", 0),
    ("sx.extract(image, positions={'X': [31.0], 'Y': [31.0]}); found = sx.extract(image); sx.extract(image, positions=found)", 0),
    ("sx.extract(image, positions={'xcentroid': [31.0], 'ycentroid': [31.0]})", 0),
    ("sx.extract(image, positions=sx.sep.extract(image, 20.0)); sx.extract(image).match(sx.data.truth(), 2)", 0)])
def test_the_old_rule_is_told_of_once_a_process(calls, count):
    done = subprocess.run([sys.executable, "-c", IN_A_PROCESS.replace("CALLS", calls)], capture_output=True, text=True)
    assert done.stdout.split() == [str(count)], done.stdout + done.stderr


def test_it_names_what_to_type(monkeypatch):
    from srcextract import places
    monkeypatch.setattr(places, "_told_of_origin", False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", sx.OriginWarning)
        sx.extract(IMAGE, positions=STARS)
    told = [one for one in told if one.category is sx.OriginWarning]
    assert len(told) == 1 and "origin=0" in str(told[0].message) and "origin=1" in str(told[0].message) and told[0].filename == __file__
