"""Meshes and filters that are wider than high, or higher than wide (BACK_SIZE and BACK_FILTERSIZE with two numbers), beside
SExtractor's, by one word and by a converted configuration; and the WCS of an image of such meshes, beside Astropy's."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")
from astropy.wcs import WCS  # noqa: E402

import test_converted_maps
import test_sextractors_check_images
from oracle_fields import field
from sextractor import PROGRAM
from test_mesh import sky

pytestmark = [pytest.mark.skipif(PROGRAM is None, reason="SExtractor is not installed"),
              pytest.mark.filterwarnings("ignore::astropy.io.fits.verify.VerifyWarning")]
SIDE = test_converted_maps.SIDE
SIZES = [("128,48", "3,5"), ("48,128", "3"), ("64", "1,7"), ("300,20", "5,3")]


def striped(seed):
    """A field on a sky of 200 that follows the rows faster than the columns."""
    y, x = np.mgrid[:SIDE, :SIDE]
    image = field(seed, SIDE, 3000, seeing=3.0, noise=20.0)
    return (image + 200 + 80 * np.sin(y / 40) + 40 * np.sin(x / 90)).astype(np.float32)


@pytest.mark.parametrize("size, filter_size", SIZES)
def test_a_converted_configuration_has_sextractors_sources_and_sky(program, tmp_path, size, filter_size):
    usual = {"GAIN": 2.0, "DEBLEND_MINCONT": 1, "CLEAN": "N", "CHECKIMAGE_TYPE": "BACKGROUND", "CHECKIMAGE_NAME": "sky.fits"}
    test_converted_maps.scene(tmp_path, 31, striped(31), **usual, BACK_SIZE=size, BACK_FILTERSIZE=filter_size)
    mine, told, said = test_converted_maps.both(program, tmp_path)
    assert "BACK_" not in said
    mine, told = test_converted_maps.check(mine, told, columns=("FLUX_ISO", "FLUX_AUTO", "FLUX_APER"))
    # SExtractor's column is linear between nodes; its image is what it subtracted.
    level = fits.getdata(tmp_path / "sky.fits").copy()
    at = np.rint([mine["Y_IMAGE"], mine["X_IMAGE"]]).astype(int) - 1
    apart = np.abs(mine["BACKGROUND"] / level[tuple(at)] - 1)
    print(f"BACKGROUND differs by at most {apart.max():.1e}")
    assert apart.max() < 1e-4
    test_converted_maps.configure(tmp_path, **usual, BACK_SIZE=size.split(",")[0], BACK_FILTERSIZE=filter_size.split(",")[0])
    test_converted_maps.both(program, tmp_path)
    assert np.median(np.abs(level / fits.getdata(tmp_path / "sky.fits") - 1)) > 1e-3, "the sky is another by squares"


@pytest.mark.parametrize("size, filter_size", SIZES)
def test_one_word_changed_gives_the_same_sky_and_sources(program, tmp_path, size, filter_size):
    header = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 50.0, "CRPIX2": 60.0, "CRVAL1": 10.0,
                          "CRVAL2": 20.0, "CD1_1": -1e-4, "CD1_2": 2e-5, "CD2_1": 3e-5, "CD2_2": 1e-4})
    fits.writeto(tmp_path / "image.fits", sky(np.random.default_rng(7), 400, 517, 5, 10), header)
    columns = ("X_IMAGE_DBL", "Y_IMAGE_DBL", "THRESHOLD")
    (theirs, told), (ours, mine) = test_sextractors_check_images.both(
        program, tmp_path, tmp_path / "image.fits", columns, BACK_SIZE=size, BACK_FILTERSIZE=filter_size, DEBLEND_MINCONT=1,
        CLEAN="N")
    assert len(mine) == len(told) > 100
    for name in columns:
        assert np.abs(mine[name] / told[name] - 1).max() < 1e-4, name
    for kind in ("MINIBACKGROUND", "MINIBACK_RMS"):
        assert theirs[kind][0].data.shape == ours[kind][0].data.shape
        assert np.abs(theirs[kind][0].data / ours[kind][0].data - 1).max() < 1e-6, kind
        for keyword in ("CRPIX1", "CRPIX2", "CD1_1", "CD1_2", "CD2_1", "CD2_2"):
            assert ours[kind][0].header[keyword] == pytest.approx(theirs[kind][0].header[keyword], rel=1e-9), keyword
    for kind in ("BACKGROUND", "BACKGROUND_RMS"):
        assert np.abs(theirs[kind][0].data - ours[kind][0].data).max() < 1e-3, kind


@pytest.mark.parametrize("matrix", ({"CDELT1": -1e-4, "CDELT2": 1e-4}, {"CDELT1": -1e-4, "CDELT2": 2e-4, "CROTA2": 30.0},
                                    {"CDELT1": -1e-4, "CDELT2": 2e-4, "PC1_1": 0.8, "PC1_2": -0.5, "PC2_1": 0.6, "PC2_2": 0.9},
                                    {"CD1_1": -1e-4, "CD1_2": 2e-5, "CD2_1": 3e-5, "CD2_2": 1e-4}))
def test_the_wcs_of_meshes_is_that_of_the_pixels_in_their_middle(program, tmp_path, matrix):
    header = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 50.0, "CRPIX2": 60.0, "CRVAL1": 10.0,
                          "CRVAL2": 20.0} | matrix)
    fits.writeto(tmp_path / "image.fits", sky(np.random.default_rng(8), 300, 400), header)
    (tmp_path / "x.yaml").write_text("background: {mesh_size: 100, mesh_height: 48}\noutput: {check_images: [minibackground]}\nextends: none\n")
    test_converted_maps.run([program, "-q", "x.yaml", "image.fits"], tmp_path)
    meshes = WCS(fits.getheader(tmp_path / "image.minibackground.fits"))
    middles = [[100 * x + 49.5, 48 * y + 23.5] for x, y in ((0, 0), (1, 2), (3, 5))]
    assert np.allclose(meshes.all_pix2world([[0, 0], [1, 2], [3, 5]], 0), WCS(header).all_pix2world(middles, 0), rtol=0, atol=1e-9)
