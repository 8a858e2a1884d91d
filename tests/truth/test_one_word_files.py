"""`srcextract sextractor` beside SExtractor: the XML of a run, and files with mistakes that SExtractor passes over."""
import re
from xml.etree import ElementTree

import numpy as np
import pytest

votable = pytest.importorskip("astropy.io.votable")
fits = pytest.importorskip("astropy.io.fits")

from test_converted_sex import scene
from test_one_word import both, check_both, fits_catalogue  # noqa: F401: a fixture

pytestmark = pytest.mark.filterwarnings("ignore")


def read_xml(place):
    """Extension_Data by column, and all parameters by their names in capitals. SExtractor's own is not quite a VOTable."""
    root = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", (place / "run.xml").read_text()))
    table = next(one for one in root.iter("TABLE") if one.get("ID") == "Extension_Data")
    rows = [[cell.text for cell in row.iter("TD")] for row in table.iter("TR")]
    columns = dict(zip([field.get("name") for field in table.iter("FIELD")], zip(*rows)))
    return columns, {param.get("name").upper(): param.get("value") for param in root.iter("PARAM")}


def test_the_xml_of_a_run(both):  # noqa: F811
    both.prepare(lambda place: scene(place, "weights"))
    image = both.places["ours"] / "field.fits"
    for place in both.places.values():  # two images in a file
        data, header = fits.getdata(image, header=True)
        fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(data, header), fits.ImageHDU(2 * data, header)]).writeto(place / "two.fits")
    both.run("two.fits", "-c", "survey.sex", "-WEIGHT_TYPE", "NONE", "-CLEAN", "N", "-DEBLEND_NTHRESH", "1", "-WRITE_XML", "Y",
             "-XML_NAME", "run.xml", "-VERBOSE_TYPE", "QUIET", "-CATALOG_TYPE", "ASCII")
    (ours, settings), (theirs, their_settings) = both.each(read_xml)
    votable.parse(str(both.places["ours"] / "run.xml"), verify="exception")
    for name in ("Extension", "NSextracted", "Background_Mean", "Background_StDev", "Threshold"):
        assert len(ours[name]) == 2
        np.testing.assert_allclose(np.array(ours[name], float), np.array(theirs[name], float), rtol=1e-5, err_msg=name)
    for name in ("PREFS_NAME", "CATALOG_NAME", "CATALOG_TYPE", "PARAMETERS_NAME", "MASK_TYPE", "SATUR_KEY", "GAIN_KEY"):
        assert settings[name] == their_settings[name], name


def test_mistakes_that_are_passed_over(both):  # noqa: F811
    def make(place):
        scene(place, "background")
        lines = ["DETECT_TRESH 50", "SECPIX 0.3", "GAIN xxGAIN", "DETECT_MINAREA 10.7", "MAG_ZEROPOINT 25.5mag",
                 "BACK_SIZE 32px,48", "VERBOSE_TYPE EXTRA_WARNINGS", "FITS_UNSIGNED Y"]
        (place / "survey.sex").write_text((place / "survey.sex").read_text() + "\n".join(lines) + "\n")
        columns = (place / "survey.param").read_text()
        (place / "survey.param").write_text(columns + "X_IMGE\ny_image\nMAG_ISO\n")

    both.prepare(make)
    both.run("field.fits", "-c", "survey.sex", "-CATALOG_NAME", "survey.cat", "-CATALOG_TYPE", "FITS_1.0")
    ours, theirs = both.each(fits_catalogue("survey.cat"))
    check_both(ours, theirs)
    assert abs(np.median(ours["MAG_ISO"]) - np.median(theirs["MAG_ISO"])) < 0.01
