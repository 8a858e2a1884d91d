"""`srcextract compare` with its default rules: srcextract's catalogue against SExtractor's and SEP's of one image."""
import json
import subprocess

import numpy as np
import pytest

pytest.importorskip("astropy")

import sextractor
from astropy.table import Table
from fits_pixels import read_pixels
from program import ROOT, SHARED, extract

IMAGE = ROOT / "data" / "sky.fits"
# Names of SExtractor that srcextract's catalogue has, or knows as another name for the same.
COLUMNS = ["NUMBER", "X_IMAGE", "Y_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE",
           "YPEAK_IMAGE", "ISOAREA_IMAGE", "FLUX_ISO", "FLUX_MAX", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE",
           "B_IMAGE", "THETA_IMAGE", "BACKGROUND", "THRESHOLD", "FLAGS", "ALPHA_J2000", "DELTA_J2000"]
COMPARED = set(COLUMNS) - {"NUMBER", "FLAGS", "ISOAREA_IMAGE"} | {"NPIX"}
TYPES = ["ASCII_HEAD", "FITS_LDAC", "ASCII_VOTABLE", "FITS_1.0"]


def compare(program, *arguments):
    """The exit code, and of two files what --json says."""
    done = subprocess.run([program, "compare", *map(str, arguments), "--json", "-"], capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    (file,) = json.loads(done.stdout)["files"]
    return done.returncode, file


def assert_clean(program, ours, theirs, compared):
    """In both directions, with every column of both compared."""
    for files in ((ours, theirs), (theirs, ours)):
        code, file = compare(program, *files)
        assert file["findings"] == [] and code == 0
        assert file["sources"]["matched"] == file["sources"]["reference"] == file["sources"]["new"] == 250
        assert {column["name"] for column in file["columns"]} == compared
        assert {column["pairs"] for column in file["columns"]} == {250}


@pytest.fixture
def ours(program, tmp_path):
    """The path of our catalogue, of one level for the whole image, and what the report says of its levels."""
    _, report = extract(program, "plain", IMAGE, tmp_path, "--set", "output.formats=[fits,csv]", "--set",
                        "background.method=constant")
    return tmp_path / "sky.cat.fits", report["levels"]


@pytest.fixture
def of_meshes(program, tmp_path):
    """The path of our catalogue as it is by default."""
    extract(program, "plain", IMAGE, tmp_path, "--set", "output.formats=[fits,csv]")
    return tmp_path / "sky.cat.fits"


needs_sextractor = pytest.mark.skipif(sextractor.PROGRAM is None, reason="no SExtractor on PATH")


@needs_sextractor
@pytest.mark.parametrize("catalog_type", TYPES)
def test_sextractor_at_our_level(program, ours, tmp_path, catalog_type):
    path, levels = ours
    at_level = sextractor.at_level(levels["background"], levels["detection"] - levels["background"])
    theirs = sextractor.sextract(IMAGE, tmp_path, COLUMNS, catalog_type, **at_level)
    assert_clean(program, path, theirs, COMPARED)


@needs_sextractor
@pytest.mark.parametrize("catalog_type", TYPES)
def test_every_format_of_sextractor_is_the_same_to_us(program, ours, tmp_path, catalog_type):
    _, levels = ours
    at_level = sextractor.at_level(levels["background"], levels["detection"] - levels["background"])
    theirs = [sextractor.sextract(IMAGE, tmp_path, COLUMNS, kind, **at_level) for kind in (catalog_type, "FITS_1.0")]
    assert_clean(program, *theirs, COMPARED | {"FLAGS"})


@needs_sextractor
def test_sextractor_by_itself(program, of_meshes, tmp_path):
    """Its own meshes, and its own noise map, find the same sources."""
    assert_clean(program, of_meshes, sextractor.sextract(IMAGE, tmp_path, COLUMNS, **sextractor.BY_ITSELF), COMPARED)


@needs_sextractor
def test_flags_of_another_program_are_left_out(program, of_meshes, tmp_path):
    """Also where every column that both have is called the same; there are bits that srcextract never sets."""
    columns = ["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_ISO", "FLUX_AUTO", "MAG_AUTO", "FLAGS"]
    theirs = sextractor.sextract(IMAGE, tmp_path, columns, "ASCII_HEAD", **sextractor.BY_ITSELF)
    for files in ((of_meshes, theirs), (theirs, of_meshes)):
        code, file = compare(program, *files)
        assert code == 0 and {column["name"] for column in file["columns"]} == {"X_IMAGE", "Y_IMAGE", "FLUX_ISO"}


@needs_sextractor
@pytest.mark.skipif(not SHARED.exists(), reason="no data: shared/data")
def test_sextractor_on_a_real_image(program, tmp_path):
    image = SHARED / "sextractor" / "galaxies.fits"
    extract(program, "plain", image, tmp_path, "--set", "output.formats=[fits,csv]")
    theirs = sextractor.sextract(image, tmp_path, COLUMNS, **sextractor.BY_ITSELF)
    code, file = compare(program, tmp_path / "galaxies.cat.fits", theirs)
    assert file["findings"] == [] and code == 0
    assert file["sources"]["matched"] == file["sources"]["reference"] == file["sources"]["new"] > 300


def test_sep(program, ours, tmp_path):
    sep = pytest.importorskip("sep")
    path, levels = ours
    pixels = read_pixels(IMAGE)
    masked = np.isnan(pixels)
    found = sep.extract(np.where(masked, 0, pixels - np.float32(levels["background"])),
                        levels["detection"] - levels["background"], mask=masked, minarea=5, filter_kernel=None,
                        deblend_cont=1.0, clean=False)
    shared = {"x", "y", "xmin", "xmax", "ymin", "ymax", "xpeak", "ypeak", "npix", "flux", "peak", "x2", "y2", "xy", "a",
              "b", "theta"}
    assert shared <= set(found.dtype.names)
    for ending in ("fits", "ecsv", "csv"):
        theirs = tmp_path / f"sep.{ending}"
        Table(found).write(theirs, format="fits" if ending == "fits" else f"ascii.{ending}")
        assert_clean(program, path, theirs, COMPARED - {"BACKGROUND", "THRESHOLD", "ALPHA_J2000", "DELTA_J2000"})
