"""What a notebook shows of objects: valid markup with what they are, and a picture that is the PSF."""
import base64
import re
import xml.etree.ElementTree

import numpy
import pytest

import srcextract as sx


def markup(shown):
    return xml.etree.ElementTree.fromstring(f"<div>{re.sub('(<(?:br|img)[^>]*)>', lambda tag: tag[1] + '/>', shown._repr_html_())}</div>")


def test_a_psf_is_a_picture(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    v, u = numpy.mgrid[-10:11, -10:11]
    psf = sx.Psf.from_image(numpy.exp(-((u - v) ** 2) / 4 - (u + v) ** 2 / 30))
    shown = markup(psf)
    assert shown.find("p").text.startswith("Psf: 1 planes of 21 x 21 pixels")
    kind, _, data = shown.find("img").get("src").partition(",")
    assert kind == "data:image/png;base64"
    (tmp_path / "psf.png").write_bytes(base64.b64decode(data))
    picture = pyplot.imread(tmp_path / "psf.png")
    assert picture.shape == (21, 21) and picture.max() == picture[10, 10] == 1
    # It is long from the lower left to the upper right; the first row of a picture is on top.
    assert picture[3, 17] > 2 * picture[3, 3]
    order = numpy.argsort(psf.at(0, 0)[::-1].ravel())
    assert (numpy.diff(picture.ravel()[order]) >= 0).all()


def test_an_extractor_tells_its_keys():
    units = pytest.importorskip("astropy.units")
    extractor = sx.Extractor(threads=2, detection__threshold=3, convolve__kernel=numpy.ones((3, 3)))
    assert repr(extractor).startswith("<Extractor: auto, 2 threads, detection__threshold=3, convolve__kernel=array([[1.")
    shown = markup(extractor)
    assert shown.find("p").text == repr(extractor)[1:-1] and shown.find("details/pre").text == extractor.config
    assert "measurement__apertures=[2.0] arcsec" in repr(sx.Extractor(measurement__apertures=[2 * units.arcsec]))
    assert repr(sx.Extractor(backend="cpu")) == "<Extractor: cpu>"


def test_a_match_shows_its_pairs():
    pytest.importorskip("scipy")
    units = pytest.importorskip("astropy.units")
    found = sx.extract(sx.data.sky())
    for radius, unit in (2, "pixels"), (1 * units.arcsec, "arcsec"):
        pairs = found[:30].match(found[::-1], radius)
        shown = markup(pairs)
        assert shown.find("p").text == "Match: 30 pairs of 30 sources" and shown.findall("p")[-1].text == "… 22 more"
        assert ["".join(cell.itertext()) for cell in shown.findall("table/thead/tr/th")] == ["row", "other row", f"separation{unit}"]
        rows = [[cell.text for cell in row] for row in shown.findall("table/tbody/tr")]
        assert rows == [[str(at), str(len(found) - 1 - at), "0"] for at in range(8)]
    assert markup(found[:0].match(found, 1)).find("p").text == "Match: 0 pairs of 0 sources"


def test_a_catalogue_has_a_cell_for_each_column():
    found = sx.extract(sx.data.sky(), measurement__apertures=[3, 5])[["FLUX_APER", "X_IMAGE"]]
    shown = markup(found)
    assert [cell.text for cell in shown.findall("table/thead/tr/th")] == ["FLUX_APER", "FLUX_APER_1", "X_IMAGE"]
    cells = [cell.text for cell in shown.find("table/tbody/tr")]
    assert cells == [f"{value:.6g}" for value in (*found["FLUX_APER"][0], found["X_IMAGE"][0])]
