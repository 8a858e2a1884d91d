"""`srcextract sextractor` on a file of which one detector is dead, beside SExtractor: the others are in the catalogue, and
tables and check images of the dead one are SExtractor's."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

from oracle_fields import field
from test_one_word import PROGRAM, Both, both

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

SIDE = 256
DEAD = {"masked": np.nan, "zero": 0, "flat": 7}


@pytest.fixture
def mosaics(both):
    def make(place):
        first, last = (field(seed, SIDE, 1500, seeing=3.0, noise=20.0).astype(np.float32) for seed in (951, 952))
        for name, value in DEAD.items():
            dead = np.full((SIDE, SIDE), value, np.float32)
            fits.writeto(place / f"{name}_alone.fits", dead)
            fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, (first, dead, last))]).writeto(place / f"{name}.fits")
        fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, (dead, dead))]).writeto(place / "none.fits")
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nEXT_NUMBER\nVIGNET(3,3)\nFLUX_APER(2)\n")
        (place / "plain.param").write_text("NUMBER\nX_IMAGE\nEXT_NUMBER\nFLUX_APER(2)\n")
        (place / "default.sex").write_text("FILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nVERBOSE_TYPE QUIET\nGAIN_KEY NONE\n"
                                           "SATUR_KEY NONE\nPHOT_APERTURES 5,8\n")

    both.prepare(make)
    return both


def tables(place):
    with fits.open(place / "test.cat") as file:
        file.verify("exception")
        return [(hdu.name, None if hdu.data is None else len(hdu.data), hdu.columns.names if hdu.is_image is False else None,
                 sorted(set(hdu.data["EXT_NUMBER"])) if hdu.name.endswith("OBJECTS") else None) for hdu in file]


@pytest.mark.filterwarnings("ignore::astropy.io.fits.verify.VerifyWarning")
@pytest.mark.parametrize("kind", ["FITS_1.0", "FITS_LDAC"])
@pytest.mark.parametrize("name", DEAD)
def test_the_others_are_in_the_catalogue(mosaics, name, kind):
    columns = "default.param" if kind == "FITS_1.0" else "plain.param"
    mosaics.run(f"{name}.fits", "-CATALOG_TYPE", kind, "-PARAMETERS_NAME", columns)
    ours, theirs = mosaics.each(tables)
    assert ours == theirs
    counts = [count for table, count, _, _ in theirs if table.endswith("OBJECTS")]
    assert len(counts) == 3 and counts[1] == 0 and min(counts[0], counts[2]) > 30


def test_rows_of_text_and_a_warning_with_the_hdu(mosaics):
    for name in DEAD:
        mosaics.run(f"{name}.fits", "-CATALOG_TYPE", "ASCII", "-PARAMETERS_NAME", "plain.param")
        ours, theirs = mosaics.each(lambda place: np.loadtxt(place / "test.cat")[:, 2])
        assert np.array_equal(ours, theirs) and set(theirs) == {1, 3}
        done = subprocess.run([*mosaics.programs["ours"], f"{name}.fits"], cwd=mosaics.places["ours"], capture_output=True, text=True)
        told = [line for line in done.stderr.splitlines() if "has no sources in the catalogue" in line]
        assert len(told) == 1 and told[0].startswith(f"warning: HDU 2 of {name}.fits: it has no sources in the catalogue, as in")


@pytest.mark.parametrize("name", DEAD)
def test_check_images(mosaics, name):
    kinds = ["BACKGROUND", "BACKGROUND_RMS", "MINIBACKGROUND", "MINIBACK_RMS", "SEGMENTATION", "OBJECTS"]
    files = [f"{i}.fits" for i in range(len(kinds))]
    mosaics.run(f"{name}.fits", "-CATALOG_TYPE", "NONE", "-CHECKIMAGE_TYPE", ",".join(kinds), "-CHECKIMAGE_NAME", ",".join(files))
    for kind, file in zip(kinds, files):
        ours, theirs = mosaics.each(lambda place: [hdu.data for hdu in fits.open(place / file)][1:])
        assert [image.shape for image in ours] == [image.shape for image in theirs] and len(theirs) == 3
        if kind != "OBJECTS" or name != "masked":
            assert np.array_equal(ours[1], theirs[1]), kind
        assert np.ptp(ours[0]) > 0 and np.ptp(ours[2]) > 0


@pytest.mark.parametrize("file, count", [("masked_alone.fits", 1), ("flat_alone.fits", 1), ("none.fits", 2), ("flat.fits[2]", 1)])
def test_where_no_image_shows_a_sky_it_is_an_error(mosaics, file, count):
    place = mosaics.places["ours"]
    done = subprocess.run([*mosaics.programs["ours"], file], cwd=place, capture_output=True, text=True)
    assert done.returncode == 3 and done.stderr.count("error: ") == count
    assert not (place / "test.cat").exists()


def test_messages_have_the_keys_that_were_typed(mosaics):
    """Not those that they are in configurations of srcextract, but where there are none of SExtractor's."""
    place = mosaics.places["ours"]
    run = lambda *arguments: subprocess.run([*mosaics.programs["ours"], *arguments], cwd=place, capture_output=True, text=True).stderr
    told = run("flat_alone.fits", "-GAIN_KEY", "GAIN")
    assert "GAIN can give it" in told and "measurement.gain" not in told
    assert "WEIGHT_TYPE MAP_RMS" in told and "set THRESH_TYPE to ABSOLUTE" in told and "weights.type" not in told
    assert "raise background.kappa" in told and told.rstrip().endswith(
        "(background.kappa, background.rms: of srcextract's own configurations, which srcextract convert-config makes)")
    assert "'BACK_SIZE' must be at least 8" in run("flat.fits", "-BACK_SIZE", "4")


def test_primary_hdu_of_fits_1_0(mosaics):
    """SExtractor's has nothing of the image's header in it, and zeros for what was measured; ours has nothing."""
    def make(place):
        image = field(951, SIDE, 1500, seeing=3.0, noise=20.0).astype(np.float32)
        fits.writeto(place / "wcs.fits", image, fits.Header({"OBJECT": "M31", "CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN"}))

    mosaics.prepare(make)
    mosaics.run("wcs.fits", "-CATALOG_TYPE", "FITS_1.0")
    ours, theirs = mosaics.each(lambda place: fits.getheader(place / "test.cat", 0))
    assert "CTYPE1" not in theirs and theirs["OBJECT"] == "" and theirs["FITSFILE"] == "wcs.fits" and theirs["SEXBKGND"] == 0
    assert list(ours) == ["SIMPLE", "BITPIX", "NAXIS", "EXTEND"]


VECTOR = np.linspace(0, 1, 480, dtype=np.float32)


def constant():
    """An array of one value without pixels, as HST has it."""
    hdu = fits.ImageHDU()
    hdu.header.update(NPIX1=SIDE, NPIX2=SIDE, PIXVALUE=0)
    return hdu


BESIDE = {"vector": lambda: fits.ImageHDU(VECTOR), "tiny": lambda: fits.ImageHDU(np.eye(2, dtype=np.float32)),
          "constant": constant, "table": lambda: fits.BinTableHDU.from_columns([fits.Column("A", "J", array=[1])])}
LAYOUTS = {"before": (True, False, True), "between": (False, True, False), "behind": (False, False, True)}


@pytest.mark.parametrize("kernel", ("N", "Y"))
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", BESIDE)
def test_extensions_are_counted_as_sextractor_counts(both, kind, layout, kernel):
    """Vectors and what has no pixels have no number; what is too small for the kernel has one, and no rows."""
    images = [fits.ImageHDU(field(seed, SIDE, 1500, seeing=3.0, noise=20.0).astype(np.float32)) for seed in (951, 952)]
    hdus = [fits.PrimaryHDU()]
    for i, is_here in enumerate(LAYOUTS[layout]):
        hdus += ([BESIDE[kind]()] if is_here else []) + images[i:i + 1]

    def make(place):
        fits.HDUList(hdus).writeto(place / "sky.fits")
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nEXT_NUMBER\nFLUX_APER(2)\n")
        (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
        (place / "default.sex").write_text(f"FILTER {kernel}\nCLEAN N\nDEBLEND_NTHRESH 1\nVERBOSE_TYPE QUIET\nGAIN_KEY NONE\n"
                                           "SATUR_KEY NONE\nPHOT_APERTURES 5,8\nCATALOG_TYPE ASCII\nDETECT_THRESH 5\n")

    both.prepare(make)
    last = max(i for i, hdu in enumerate(hdus) if hdu in images)
    for name in ("sky.fits", f"sky.fits[{last}]"):
        both.run(name)
        ours, theirs = both.each(lambda place: np.loadtxt(place / "test.cat"))
        assert np.array_equal(ours[:, 2], theirs[:, 2]) and len(theirs) > 10
        for number in set(theirs[:, 2]):
            of_number = [np.sort(table[table[:, 2] == number, 1]) for table in (ours, theirs)]
            assert np.allclose(*of_number, atol=0.01)
