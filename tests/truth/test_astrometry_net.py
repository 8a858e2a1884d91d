"""Debian's astrometry.net solves an image, of whose place it is told nothing, by what srcextract finds in it when it is
called in the place of SExtractor."""
import shutil

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
from astropy.coordinates import SkyCoord
from astropy.table import Table
from astropy.wcs import WCS

import psf_programs
import sextractor

pytestmark = [pytest.mark.skipif(shutil.which("solve-field") is None, reason="astrometry.net is not installed"),
              pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")]

SIDE, COUNT = 1000, 1500


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """An image without a WCS, and an index of the stars around it."""
    directory = tmp_path_factory.mktemp("field")
    rng = np.random.default_rng(5)
    ra, dec, mag = 150 + rng.uniform(-0.4, 0.4, COUNT), 2.2 + rng.uniform(-0.4, 0.4, COUNT), rng.uniform(15, 20, COUNT)
    Table({"RA": ra, "DEC": dec, "MAG": mag}).write(directory / "stars.fits")
    psf_programs.run(["build-astrometry-index", "-i", "stars.fits", "-o", "index.fits", "-P", 0, "-S", "MAG", "-E"], directory)
    (directory / "net.cfg").write_text(f"add_path {directory}\nindex index.fits\n")
    sky = psf_programs.sky_of_exposure(150.02, 2.19, 0.5, SIDE)
    x, y = sky.wcs_world2pix(ra, dec, 1)
    seen = (x > 5) & (x < SIDE - 4) & (y > 5) & (y < SIDE - 4)
    image = psf_programs.draw_stars(rng, SIDE, x[seen], y[seen], 10 ** (-0.4 * (mag[seen] - 26)))
    fits.writeto(directory / "field.fits", image)
    return directory, sky


def solve(finder, directory, out):
    code, said = psf_programs.run(["solve-field", "--config", directory / "net.cfg", "--source-extractor-path", finder, "-L",
                                   "0.9", "-H", "1.3", "-u", "arcsecperpix", "-p", "-D", out, directory / "field.fits"],
                                  directory)
    assert code == 0 and (out / "field.wcs").exists(), said
    return WCS(fits.getheader(out / "field.wcs"))


def test_an_image_is_solved_as_by_sextractors(program, field, tmp_path):
    directory, sky = field
    link = tmp_path / "source-extractor"
    link.symlink_to(program)
    corners = [(x, y) for x in (1, SIDE) for y in (1, SIDE)]
    true = SkyCoord(sky.all_pix2world(corners, 1), unit="deg")
    off = {}
    for name, finder in (("ours", link), ("theirs", sextractor.PROGRAM)):
        solved = solve(finder, directory, tmp_path / name)
        off[name] = true.separation(SkyCoord(solved.all_pix2world(corners, 1), unit="deg")).arcsec.max()
    print(off)
    assert off["ours"] < 0.3
    assert off["ours"] == pytest.approx(off["theirs"], abs=0.02)
