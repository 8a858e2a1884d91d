"""Maps of noise and of bad pixels that are there and not used are named, with settings that can be typed."""

import re
import shlex

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

WORD = "there are maps that are not used"


@pytest.fixture
def field():
    """An image whose noise grows tenfold to the right, where the last ten columns are 1000 too high."""
    rms = np.geomspace(1, 10, 150)[None, :] * np.ones((120, 1))
    data = np.random.default_rng(2).normal(0, rms)
    data[60:64, 60:64] += 100
    data[:, -10:] += 1000
    bad = np.zeros(data.shape, "i4")
    bad[:, -10:] = 4
    return data.astype("f4"), rms.astype("f4"), bad


def settings_in(message):
    line = next(line for line in message.splitlines() if WORD in line)
    return shlex.split(" ".join(re.findall(r"--set (?:'[^']*'|\S+)", line)))


@pytest.mark.parametrize("noise, kind, mask", [("ERR", "rms", "DQ"), ("SCI_ERR", "rms", "MASK"), ("STAT", "variance", "IMAGE_DQ"),
                                               ("VAR", "variance", "DQ"), ("WEIGHT MAP", "weight", "MASK"), ("IVAR", "weight", "DQ")])
def test_planes(run, tmp_path, field, noise, kind, mask):
    data, rms, bad = field
    values = {"rms": rms, "variance": rms ** 2, "weight": rms ** -2}[kind]
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(data, name="SCI"), fits.ImageHDU(values, name=noise), fits.ImageHDU(bad, name=mask),
                  fits.ImageHDU(values[:50], name="VARIANCE")]).writeto(tmp_path / "a.fits")
    done = run("a.fits", "-o", "out")
    assert done.code == 0 and done.err.count(WORD) == 1, done.err
    words = settings_in(done.err)
    hdu = 2 if " " in noise else noise
    assert words == ["--set", f"weights.type={kind}", "--set", f"weights.hdu={hdu}", "--set", f"mask.hdu={mask}"]
    again = run("-v", *words, "a.fits", "-o", "again")
    assert again.code == 0 and WORD not in again.err, again.err
    assert "1200 by the mask" in again.err
    assert WORD not in run("-q", "a.fits", "-o", "out").err


@pytest.mark.parametrize("image, noise, kind, mask", [
    ("a.fits", "a.weight.fits", "weight", "a.dq.fits"), ("a.fits", "a_wt.fits", "weight", "a_mask.fits.gz"),
    ("a_sci.fits", "a_rms.fits", "rms", "a_dq.fits"), ("n/a.fits.gz", "n/a.var.fits.gz", "variance", "n/a.mask.fits"),
    ("a-w1-int-3.fits", "a-w1-unc-3.fits", "rms", "a-w1-int-3-mask.fits"), ("A_SCI.fits", "A_WHT.fits", "weight", "A_DQ.fits"),
    ("c4d_ooi_g.fits", "c4d_oow_g.fits", "weight", "c4d_ood_g.fits"),
    ("m 31.fits", "m 31.weight.fits", "weight", "m 31_flags.fits")])
def test_files_beside(run, tmp_path, field, image, noise, kind, mask):
    data, rms, bad = field
    values = {"rms": rms, "variance": rms ** 2, "weight": rms ** -2}[kind]
    for name, pixels in ((image, data), (noise, values), (mask, bad)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        fits.PrimaryHDU(pixels).writeto(tmp_path / name)
    done = run(image, "-o", "out")
    words = settings_in(done.err)
    assert {word.replace('"', "") for word in words} == {"--set", f"weights.type={kind}", f"weights.file={noise}", f"mask.file={mask}"}
    again = run("-v", *words, image, "-o", "again")
    assert again.code == 0 and WORD not in again.err and "1200 by the mask" in again.err, again.err


def test_planes_of_one_detector_among_several(run, tmp_path, field):
    """HST's two detectors have planes of one name: each image has those of its EXTVER."""
    data, rms, bad = field
    hdus = [fits.PrimaryHDU()]
    for version in 1, 2:
        hdus += [fits.ImageHDU(pixels, name=name, ver=version) for name, pixels in (("SCI", data), ("ERR", rms), ("DQ", bad))]
    fits.HDUList(hdus).writeto(tmp_path / "a.fits")
    for which, weights, mask in (("auto", "ERR", "DQ"), ("4", "5", "6"), ("SCI*", "ERR", "DQ")):
        done = run("--set", f"input.hdu={which}", "a.fits", "-o", "out")
        assert done.code == 0 and done.err.count(WORD) == 1, done.err
        words = settings_in(done.err)
        assert words[3::2] == [f"weights.hdu={weights}", f"mask.hdu={mask}"]
        again = run(*words, "--set", f"input.hdu={which}", "a.fits", "-o", "out")
        assert again.code == 0 and WORD not in again.err, again.err


def test_what_is_no_such_map(run, tmp_path, field):
    data, rms, _ = field
    fits.HDUList([fits.PrimaryHDU(data), fits.ImageHDU(rms, name="EXP"), fits.ImageHDU(rms, name="MASK"), fits.ImageHDU(rms, name="VAR_RNOISE"),
                  fits.ImageHDU(data.astype("i4"), name="CTX")]).writeto(tmp_path / "a.fits")
    fits.PrimaryHDU(rms).writeto(tmp_path / "ab.weight.fits")
    assert WORD not in run("a.fits", "-o", "out").err
