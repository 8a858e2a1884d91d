"""One catalogue of all HDUs of a file: output.one_catalogue."""

import os
import shutil
import subprocess

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, WIDTH, field

ONE = "input: {hdu: all}\noutput: {one_catalogue: true}\n"
NAMES = ("N4", "S29", "CCD", "N12")


def mosaic(path, names=NAMES, planes=None):
    """Images in HDUs 1, 2, 4 and 5; HDU 3 is a table. Of the third nothing is known but where its pixels are."""
    wcs = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CDELT1": -1e-4, "CDELT2": 1e-4}
    planes = planes or [field(seed) for seed in range(4)]
    hdus = [fits.ImageHDU(pixels, fits.Header({} if name == "CCD" else wcs), name=name)
            for name, pixels in zip(names, planes)]
    hdus.insert(2, fits.BinTableHDU.from_columns([fits.Column("X", "J", array=[1])]))
    fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(path, overwrite=True)


def check(directory, numbers=(1, 2, 4, 5), names=NAMES):
    """The rows of all HDUs one after the other."""
    joined = fits.getdata(directory / "sky.cat.fits", "SOURCES")
    parts = [fits.getdata(directory / f"sky.hdu{number}.cat.fits", 1) for number in numbers]
    assert joined.names[:2] == ["EXT_NUMBER", "EXTNAME"] and len(joined) == sum(map(len, parts)) > 0
    begin = 0
    for number, name, part in zip(numbers, names, parts):
        rows = joined[begin:begin + len(part)]
        begin += len(part)
        assert len(part) == 10 and (rows["EXT_NUMBER"] == number).all() and (rows["EXTNAME"] == name).all()
        for column in part.names:
            np.testing.assert_array_equal(rows[column], part[column])
    return joined


def test_rows_of_all_hdus_in_their_order(run, configure, tmp_path):
    mosaic(tmp_path / "sky.fits")
    for threads in (1, 2, 5):
        done = run(configure(ONE), "sky.fits", "--threads", threads, "-o", f"out{threads}")
        assert done.code == 0, done.err
        joined = check(tmp_path / f"out{threads}")
        with fits.open(tmp_path / f"out{threads}/sky.cat.fits", checksum=True) as file:
            assert len(file) == 2 and file[1].columns["EXT_NUMBER"].format == "J"
        assert np.isnan(joined["ALPHA_J2000"][20:30]).all() and np.isfinite(joined["ALPHA_J2000"][:20]).all()
    assert len({(tmp_path / f"out{threads}/sky.cat.fits").read_bytes() for threads in (1, 2, 5)}) == 1


def test_sextractor_counts_extensions_the_same_way(run, configure, tmp_path):
    if shutil.which("source-extractor") is None:
        pytest.skip("no source-extractor")
    mosaic(tmp_path / "sky.fits")
    assert run(configure(ONE), "sky.fits", "-o", "out").code == 0
    (tmp_path / "x.param").write_text("EXT_NUMBER\nX_IMAGE\nY_IMAGE\n")
    subprocess.run(["source-extractor", "sky.fits", "-c", "/dev/null", "-PARAMETERS_NAME", "x.param", "-FILTER", "N",
                    "-CATALOG_NAME", "x.cat", "-CATALOG_TYPE", "ASCII", "-DETECT_THRESH", "5", "-CLEAN", "N"],
                   cwd=tmp_path, check=True, capture_output=True)
    theirs = np.loadtxt(tmp_path / "x.cat")
    ours = fits.getdata(tmp_path / "out/sky.cat.fits", 1)
    assert set(ours["EXT_NUMBER"]) == {1, 2, 4, 5}
    for rank, number in enumerate((1, 2, 4, 5), 1):  # SExtractor leaves the table out of the count
        there, here = theirs[theirs[:, 0] == rank, 1:], ours[ours["EXT_NUMBER"] == number]
        assert len(there) == 10
        apart = np.hypot(here["X_IMAGE"][:, None] - there[:, 0], here["Y_IMAGE"][:, None] - there[:, 1])
        assert np.median(apart.min(axis=1)) < 0.3


def test_what_failed_is_not_in_it(run, configure, tmp_path):
    planes = [field(0), np.zeros((HEIGHT, WIDTH), np.float32), field(2), field(3)]
    mosaic(tmp_path / "sky.fits", planes=planes)
    done = run(configure(ONE), "sky.fits", "-o", "out")
    assert done.code == 3 and "HDU 2 'S29'" in done.err
    check(tmp_path / "out", (1, 4, 5), ("N4", "CCD", "N12"))


def test_a_survey_goes_on(run, configure, tmp_path):
    mosaic(tmp_path / "sky.fits")
    command = ("batch", configure(ONE), "sky.fits", "-o", "out")
    assert run(*command).code == 0
    check(tmp_path / "out")
    before = (tmp_path / "out/sky.cat.fits").read_bytes()
    (tmp_path / "out/sky.cat.fits").unlink()
    (tmp_path / "out/sky.hdu4.cat.fits").unlink()
    done = run(*command)
    assert done.code == 0, done.err
    assert (tmp_path / "out/sky.cat.fits").read_bytes() == before
    (tmp_path / "out/sky.cat.fits").unlink()
    for told in ("1 file to do (1 changed)", "0 files to do"):
        done = run(*command)
        assert done.code == 0 and told in done.err, done.err
        assert (tmp_path / "out/sky.cat.fits").read_bytes() == before
    assert run("merge", "out", "-o", "all.fits").code == 0
    assert len(fits.getdata(tmp_path / "all.fits", 1)) == 40


def test_of_an_hdu_that_failed_nothing_is_left_of_an_earlier_file(run, configure, tmp_path):
    planes = [field(seed) for seed in range(4)]
    mosaic(tmp_path / "sky.fits", planes=planes)
    command = ("batch", configure(ONE), "sky.fits", "-o", "out")
    assert run(*command).code == 0
    planes[1] = np.zeros((HEIGHT, WIDTH), np.float32)
    mosaic(tmp_path / "sky.fits", planes=planes)
    os.utime(tmp_path / "sky.fits", ns=(1, 1))
    assert run(*command).code == 6
    check(tmp_path / "out", (1, 4, 5), ("N4", "CCD", "N12"))
    (tmp_path / "out/sky.hdu1.cat.fits").unlink()  # so that there is something to do, and not in HDU 2
    done = run(*command)
    assert done.code == 6 and "not tried again: 1 file" in done.err
    check(tmp_path / "out", (1, 4, 5), ("N4", "CCD", "N12"))


def test_hdus_of_different_units(run, configure, tmp_path):
    mosaic(tmp_path / "sky.fits", planes=[field(seed) for seed in range(4)])
    with fits.open(tmp_path / "sky.fits", mode="update") as file:
        file[1].header["BUNIT"] = "Jy"
        file[2].header["BUNIT"] = "adu"
    done = run(configure(ONE), "sky.fits", "-o", "out")
    assert done.code == 0 and "the HDUs have different units" in done.err and "FLUX_ISO" in done.err
    assert fits.open(tmp_path / "out/sky.cat.fits")[1].columns["FLUX_ISO"].unit is None


def test_one_image_has_its_own(run, configure, tmp_path):
    fits.PrimaryHDU(field(1)).writeto(tmp_path / "sky.fits")
    assert run(configure(ONE), "sky.fits", "-o", "out").code == 0
    assert "EXT_NUMBER" not in fits.getdata(tmp_path / "out/sky.cat.fits", 1).names


def test_it_is_made_of_fits_catalogues(run, configure, tmp_path):
    mosaic(tmp_path / "sky.fits")
    done = run(configure("output: {one_catalogue: true, formats: [csv]}\n"), "sky.fits", "-o", "out")
    assert done.code == 2 and "add fits to output.formats" in done.err


def test_it_replaces_no_input(run, configure, tmp_path):
    mosaic(tmp_path / "sky.fits")
    (tmp_path / "out").mkdir()
    shutil.copy(tmp_path / "sky.fits", tmp_path / "out/sky.cat.fits")
    (tmp_path / "sky.fits").unlink()
    (tmp_path / "sky.fits").symlink_to("out/sky.cat.fits")
    before = (tmp_path / "out/sky.cat.fits").read_bytes()
    done = run(configure(ONE), "sky.fits", "-o", "out")
    assert done.code != 0 and (tmp_path / "out/sky.cat.fits").read_bytes() == before
