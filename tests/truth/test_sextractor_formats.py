"""Our FITS_LDAC and ASCII_HEAD beside SExtractor's: types, headers, values, and what `compare` makes of them."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy")
from astropy.io import ascii
from astropy.table import Table

import sextractor
from oracle_fields import field
from program import run

SIMPLE = ["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_APER(3)", "FLUX_AUTO", "FLAGS", "A_IMAGE", "X2_IMAGE"]
# All that SExtractor has without maps, networks and PSFs.
MANY = """NUMBER X_IMAGE Y_IMAGE XMIN_IMAGE XMAX_IMAGE YMIN_IMAGE YMAX_IMAGE XPEAK_IMAGE YPEAK_IMAGE FLUX_ISO FLUXERR_ISO FLUX_MAX
X2_IMAGE Y2_IMAGE XY_IMAGE A_IMAGE B_IMAGE THETA_IMAGE BACKGROUND THRESHOLD FLAGS ISOAREA_IMAGE ISOAREAF_IMAGE MAG_ISO MAGERR_ISO
FLUX_APER FLUXERR_APER MAG_APER MAGERR_APER FLUX_AUTO FLUXERR_AUTO MAG_AUTO MAGERR_AUTO KRON_RADIUS FLUX_PETRO FLUXERR_PETRO
PETRO_RADIUS FLUX_RADIUS XWIN_IMAGE YWIN_IMAGE X2WIN_IMAGE Y2WIN_IMAGE XYWIN_IMAGE ERRX2WIN_IMAGE ERRY2WIN_IMAGE ERRXYWIN_IMAGE
ERRAWIN_IMAGE ERRBWIN_IMAGE ERRTHETAWIN_IMAGE AWIN_IMAGE BWIN_IMAGE THETAWIN_IMAGE FLUX_WIN FLUXERR_WIN SNR_WIN NITER_WIN FLAGS_WIN
FWHM_IMAGE ISO0 ISO7 ERRX2_IMAGE ERRY2_IMAGE ERRXY_IMAGE ERRA_IMAGE ERRB_IMAGE ERRTHETA_IMAGE FLUX_ISOCOR FLUXERR_ISOCOR MU_MAX
ELONGATION ELLIPTICITY CXX_IMAGE CYY_IMAGE CXY_IMAGE ALPHA_J2000 DELTA_J2000 X_WORLD Y_WORLD XWIN_WORLD ALPHAWIN_J2000
DELTAWIN_J2000 A_WORLD B_WORLD THETA_J2000 ERRA_WORLD ERRB_WORLD ERRX2_WORLD X2_WORLD FWHM_WORLD""".split()
HEADER = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 128.5, "CRPIX2": 128.5, "CRVAL1": 150.0, "CRVAL2": 2.0,
          "CD1_1": -1e-4, "CD1_2": 0.0, "CD2_1": 0.0, "CD2_2": 1e-4, "GAIN": 2.0}

needs_sextractor = pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """In the first extension, which inherits the exposure time."""
    path = tmp_path_factory.mktemp("image") / "sky.fits"
    primary, science = fits.PrimaryHDU(), fits.ImageHDU(field(761, 256, 3000), fits.Header(HEADER), name="SCI")
    primary.header["EXPTIME"], primary.header["FILTER"] = 30.0, "r"
    fits.HDUList([primary, science]).writeto(path)
    return path


def ours(program, image, directory, columns, *settings):
    names = ", ".join(name.partition("(")[0] for name in columns)
    sets = ["output.formats=[fits, ldac, ascii_head]", f"output.columns=[{names}]", "measurement.apertures=[5, 10, 15]",
            "input.hdu=1", "detection.threshold=3", *settings]
    run(program, "plain", image, directory, *(part for one in sets for part in ("--set", one)))
    return directory / "sky.cat.fits", directory / "sky.cat.ldac", directory / "sky.cat.txt"


def theirs(image, directory, columns, kind):
    return sextractor.sextract(f"{image}[1]", directory, columns, catalog_type=kind, PHOT_APERTURES="5,10,15",
                               **sextractor.BY_ITSELF | {"DETECT_THRESH": 3, "ANALYSIS_THRESH": 3})


def cards_of(path):
    """The cards of the first row of LDAC_IMHEAD."""
    with fits.open(path) as catalogue:
        begin, bytes_ = catalogue[1]._data_offset, int(catalogue[1].header["NAXIS1"])
        lines = catalogue[1].header["TDIM1"]
    text = path.read_bytes()[begin:begin + bytes_].decode("ascii")
    assert lines == f"(80, {bytes_ // 80})" and text[-80:] == "END".ljust(80)
    return fits.Header.fromstring(text)


@needs_sextractor
def test_types_are_sextractors(program, image, tmp_path):
    """But for X_IMAGE and Y_IMAGE, which are X_IMAGE_DBL and Y_IMAGE_DBL here."""
    _, mine, _ = ours(program, image, tmp_path, MANY, "detection.analysis_threshold=3.5", "background.method=mesh")
    mine, told = fits.open(mine), fits.open(theirs(image, tmp_path, MANY, "FITS_LDAC"))
    assert [hdu.name for hdu in mine] == [hdu.name for hdu in told]
    for which in (1, 2):
        for keyword in ("TTYPE1", "XTENSION", "EXTNAME", "PCOUNT", "GCOUNT"):
            assert mine[which].header[keyword] == told[which].header[keyword]
    forms = {column.name: column.format.lstrip("1") for column in mine[2].columns}
    for column in told[2].columns:
        form = "3E" if column.name.endswith("_APER") else column.format.lstrip("1")
        assert forms.pop(column.name) == ("D" if column.name in ("X_IMAGE", "Y_IMAGE") else form), column.name
    assert not forms


@needs_sextractor
def test_the_header_is_that_of_the_image(program, image, tmp_path):
    _, mine, _ = ours(program, image, tmp_path, SIMPLE, "background.method=mesh", "measurement.gain_keyword=GAIN")
    head, told = cards_of(mine), cards_of(theirs(image, tmp_path, SIMPLE, "FITS_LDAC"))
    assert list(head)[:3] == ["SIMPLE", "BITPIX", "NAXIS"]
    for keyword, value in HEADER.items():
        assert head[keyword] == told[keyword] == value
    assert (head["EXPTIME"], head["FILTER"], head["EXTNAME"], head["NAXIS1"]) == (30.0, "r", "SCI", 256)
    assert head["SEXGAIN"] == 2 and head["SEXAPED3"] == told["SEXAPED3"] == 15
    assert head["SEXBKGND"] == pytest.approx(told["SEXBKGND"], abs=2) and head["SEXBKDEV"] == pytest.approx(told["SEXBKDEV"], rel=0.03)
    assert head["SEXTHLD"] == pytest.approx(told["SEXTHLD"], rel=0.03)


def test_every_format_has_the_same_values(program, image, tmp_path):
    paths = ours(program, image, tmp_path, SIMPLE)
    table, binary, text = Table.read(paths[0]), Table.read(paths[1], hdu=2), ascii.read(paths[2], format="sextractor")
    assert len(table) == len(binary) == len(text) > 20
    assert text.colnames == ["NUMBER", "X_IMAGE", "Y_IMAGE", "X2_IMAGE", "A_IMAGE", "FLAGS", "FLUX_APER", "FLUX_APER_1",
                             "FLUX_APER_2", "FLUX_AUTO"]
    for i in range(3):
        assert np.array_equal(text["FLUX_APER" + (f"_{i}" if i else "")], table["FLUX_APER"][:, i])
    for name in ("NUMBER", "X_IMAGE", "FLAGS", "FLUX_AUTO", "A_IMAGE"):
        assert np.array_equal(text[name], table[name]), name
        assert np.array_equal(binary[name], np.asarray(table[name]).astype(binary[name].dtype)), name
    for other in paths[1:]:
        done = subprocess.run([program, "compare", paths[0], other], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@needs_sextractor
@pytest.mark.parametrize("kind", ["FITS_LDAC", "ASCII_HEAD"])
def test_compare_takes_both_programs(program, image, tmp_path, kind):
    mine = ours(program, image, tmp_path, SIMPLE, "background.method=mesh")
    told = theirs(image, tmp_path, SIMPLE, kind)
    rows = len(Table.read(told, hdu=2) if kind == "FITS_LDAC" else ascii.read(told, format="sextractor"))
    assert rows > 50
    for path in mine[1:]:
        done = subprocess.run([program, "compare", told, path], capture_output=True, text=True)
        assert done.returncode == 5, done.stderr  # each writes its own digits
        assert f"{rows} matched by pixel within 1.5 pixels, 0 lost, 0 new" in done.stdout, done.stdout
        assert "FLUX_APER_2" in done.stdout and "A_IMAGE" in done.stdout
