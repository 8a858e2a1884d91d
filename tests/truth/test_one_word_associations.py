"""ASSOC_*: `srcextract sextractor` beside SExtractor with the same list, on an image of a sky."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
wcs = pytest.importorskip("astropy.wcs")

import survey_fields
from oracle_fields import field
from test_one_word import both  # noqa: F401: a fixture

SEED, SIDE = 971, 400
COLUMNS = "NUMBER\nX_IMAGE_DBL\nY_IMAGE_DBL\nFLUX_ISO\nVECTOR_ASSOC(4)\nNUMBER_ASSOC\nVIGNET(5,5)\n"
TYPES = ["FIRST", "NEAREST", "MEAN", "MAG_MEAN", "SUM", "MAG_SUM", "MIN", "MAX"]


def scene(place):
    """A list with several places near bright sources, and places near none; one magnitude is unknown."""
    header = survey_fields.header(0.5, GAIN=2.0)
    fits.writeto(place / "field.fits", field(SEED, SIDE, 3000, seeing=3.0), header)
    rng = np.random.default_rng(SEED)
    x, y = rng.uniform(1, SIDE, (2, 2500))
    ra, dec = wcs.WCS(header).all_pix2world(x, y, 1)
    magnitude = np.round(rng.uniform(15, 22, len(x)), 3)
    magnitude[7] = 99
    lines = [f"{i} {a:.3f} {b:.3f} {m} star{i} {r:.8f} {d:.8f}" for i, (a, b, m, r, d) in
             enumerate(zip(x, y, magnitude, ra, dec))]
    (place / "sky.list").write_text("# number x y magnitude name ra dec\n\n" + "\n".join(lines) + "\n")
    (place / "numbers.list").write_text("\n".join(" ".join(line.split()[:4] + line.split()[5:]) for line in lines) + "\n")
    (place / "some.param").write_text(COLUMNS)
    (place / "some.sex").write_text("PARAMETERS_NAME some.param\nCATALOG_TYPE FITS_1.0\nFILTER N\nDEBLEND_NTHRESH 1\n"
                                    "CLEAN N\nVERBOSE_TYPE QUIET\nASSOC_PARAMS 2,3,4\nASSOC_RADIUS 6\n"
                                    "CHECKIMAGE_TYPE SEGMENTATION\nCHECKIMAGE_NAME seg.fits\n")


def compare(both, *options):  # noqa: F811
    both.run("field.fits", "-c", "some.sex", *options)
    ours, theirs = both.each(lambda place: fits.getdata(place / "test.cat", 1))
    labels = both.each(lambda place: fits.getdata(place / "seg.fits"))
    for place in both.places.values():
        (place / "test.cat").unlink()
        (place / "seg.fits").unlink()
    assert ours.names == theirs.names and len(ours) == len(theirs) > 20
    assert (ours["NUMBER"] == np.arange(1, len(ours) + 1)).all()
    # Both programs number sources in an order of their own.
    order = [np.lexsort((table["X_IMAGE_DBL"].round(3), table["Y_IMAGE_DBL"].round(3))) for table in (ours, theirs)]
    for name in ("NUMBER_ASSOC", "VECTOR_ASSOC", "VIGNET", "X_IMAGE_DBL"):
        one, other = ours[name][order[0]], theirs[name][order[1]]
        assert one.dtype == other.dtype and one.shape == other.shape, name
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-3, err_msg=name)
    assert ((labels[0] > 0) == (labels[1] > 0)).all() and labels[0].max() == len(ours)
    return ours


@pytest.mark.parametrize("kind", TYPES)
def test_every_way_to_join_places(both, kind):  # noqa: F811
    both.prepare(scene)
    ours = compare(both, "-ASSOC_NAME", "numbers.list", "-ASSOC_DATA", "1,4,2", "-ASSOC_TYPE", kind)
    assert kind == "FIRST" or ours["NUMBER_ASSOC"].max() > 1


@pytest.mark.parametrize("options", [
    ["-ASSOCSELEC_TYPE", "ALL", "-ASSOC_DATA", "0"], ["-ASSOCSELEC_TYPE", "-MATCHED", "-ASSOC_RADIUS", "2"],
    ["-ASSOC_PARAMS", "5,6", "-ASSOCCOORD_TYPE", "WORLD", "-ASSOC_TYPE", "MEAN"], ["-ASSOC_DATA", "1"]])
def test_what_is_kept(both, options):  # noqa: F811
    both.prepare(scene)
    compare(both, "-ASSOC_NAME", "numbers.list", *options)


def test_names_in_a_list(both):  # noqa: F811
    """SExtractor reads no number beyond a name; ours reads all that are numbers."""
    both.prepare(scene)
    compare(both, "-ASSOC_NAME", "sky.list", "-ASSOC_DATA", "1,2,3,4")


@pytest.mark.parametrize("options, told", [
    (["-ASSOC_NAME", "none.list"], "ASSOC_NAME none.list, by whose places"),
    (["-ASSOC_PARAMS", "2,9"], "ASSOC_PARAMS 2,9: sky.list has 7 columns"),
    (["-ASSOC_PARAMS", "2,5"], "sky.list:3: column 5, which ASSOC_PARAMS names, is no number"),
    (["-CATALOG_NAME", "sky.list"], "would replace the input")])
def test_mistakes(program, tmp_path, options, told):
    scene(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = subprocess.run([program, "sextractor", "field.fits", "-c", "some.sex", *options], cwd=tmp_path, capture_output=True,
                          text=True)
    assert done.returncode == 2 and told in done.stderr, done.stderr
    assert sorted(tmp_path.iterdir()) == before
