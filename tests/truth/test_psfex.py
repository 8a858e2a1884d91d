"""Debian's PSFEx takes our FITS_LDAC for SExtractor's: as many stars, as good a model; and which columns it dies without is
known before."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")

import psf_programs
import sextractor
from program import ROOT

COLUMNS = ["VIGNET(35,35)", "X_IMAGE", "Y_IMAGE", "FLUX_RADIUS", "SNR_WIN", "FLUX_APER", "FLUXERR_APER", "ELONGATION", "FLAGS"]

pytestmark = [pytest.mark.skipif(psf_programs.PSFEX is None, reason="PSFEx is not installed"),
              pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")]


@pytest.fixture(scope="module")
def stars(tmp_path_factory):
    """An image of 700 stars."""
    directory = tmp_path_factory.mktemp("stars")
    rng = np.random.default_rng(21)
    x, y = rng.uniform(20, 1180, (2, 700))
    image = psf_programs.draw_stars(rng, 1200, x, y, 10 ** rng.uniform(3.7, 5.5, 700))
    header = psf_programs.header_of(psf_programs.sky_of_exposure(150, 2, 0, 1200))
    fits.writeto(directory / "stars.fits", image, header)
    return directory / "stars.fits"


def theirs(image, directory):
    settings = {"DETECT_THRESH": 1.5, "ANALYSIS_THRESH": 1.5, "BACK_TYPE": "AUTO", "THRESH_TYPE": "RELATIVE",
                "PHOT_APERTURES": 15, "GAIN_KEY": "GAIN", "MASK_TYPE": "CORRECT", "SATUR_KEY": "SATURATE",
                "DEBLEND_NTHRESH": 32, "DEBLEND_MINCONT": 0.005, "CLEAN": "Y"}
    return sextractor.sextract(image, directory, COLUMNS, catalog_type="FITS_LDAC", **settings)


def ours(program, image, directory, columns=COLUMNS, *options):
    listed = ", ".join(f'"{name}"' for name in columns)
    sets = ["output.formats=[ldac]", f"output.columns=[{listed}]", "measurement.apertures=[15]",
            "measurement.gain_keyword=GAIN", "measurement.saturation_keyword=SATURATE", "convolve.kernel=none", *options]
    command = [program, "-q", "-o", directory, *(part for one in sets for part in ("--set", one)),
               ROOT / "config" / "sextractor.yaml", image]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def test_it_takes_the_stars_that_it_takes_of_sextractors(program, stars, tmp_path):
    done = ours(program, stars, tmp_path)
    assert done.returncode == 0, done.stderr
    mine, _, said = psf_programs.psfex("stars.cat.ldac", tmp_path)
    assert mine is not None, said[-2000:]
    told, _, said = psf_programs.psfex(theirs(stars, tmp_path).name, tmp_path)
    assert told is not None, said[-2000:]
    print({name: (mine[name], told[name]) for name in ("LOADED", "ACCEPTED", "CHI2", "PSF_FWHM")})
    assert told["ACCEPTED"] > 300
    assert mine["LOADED"] == pytest.approx(told["LOADED"], rel=0.01)
    assert mine["ACCEPTED"] == pytest.approx(told["ACCEPTED"], rel=0.01)
    assert mine["CHI2"] == pytest.approx(told["CHI2"], rel=0.02)
    assert mine["PSF_FWHM"] == pytest.approx(told["PSF_FWHM"], rel=0.01)


def without(path, name):
    """SExtractor's catalogue without a column: what comes before the table stays as it is, byte by byte."""
    with fits.open(path) as catalogue:
        kept = fits.ColDefs([column for column in catalogue[2].columns if column.name != name])
        table, begin = fits.BinTableHDU.from_columns(kept, name="LDAC_OBJECTS"), catalogue[2]._header_offset
        head = path.read_bytes()[:begin]
        other = path.with_name("less.cat")
        table.writeto(other, overwrite=True)
    with fits.open(other) as alone:
        begin = alone[1]._header_offset
    other.write_bytes(head + other.read_bytes()[begin:])
    return other


def test_what_it_dies_of_is_warned_of_before(program, stars, tmp_path):
    catalogue = theirs(stars, tmp_path)
    assert psf_programs.psfex(without(catalogue, "NO_SUCH").name, tmp_path)[0]["ACCEPTED"] > 300
    for name in COLUMNS:
        column = name.partition("(")[0]
        header, code, _ = psf_programs.psfex(without(catalogue, column).name, tmp_path)
        fails = header is None
        assert fails == (column != "FLUXERR_APER"), f"without {column}: exit code {code}"
        assert (code < 0) == (column in ("FLAGS", "ELONGATION")), f"without {column}: exit code {code}"
        done = ours(program, stars, tmp_path, [other for other in COLUMNS if other != name])
        assert done.returncode == 0, done.stderr
        if fails and column != "VIGNET":  # without cut-outs it is no catalogue for PSFEx
            said = done.stderr.partition("PSFEx crashes or refuses without ")[2]
            assert column in said, done.stderr
        else:
            assert "PSFEx" not in done.stderr, done.stderr
