"""VIGNET beside SExtractor's, and beside pixels that NumPy cuts out of the check image and the label map."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
from astropy.table import Table

import sextractor
from oracle_fields import field
from peers import match
from program import ROOT, run

NOISE = 20.0
NO_PIXEL = np.float32(-1e30)
MASKS = ["correct", "blank", "none"]


def ours(program, image, directory, *settings, size=(21, 14), formats="[fits]"):
    """The path of our catalogue, without its ending."""
    fits.writeto(directory / "image.fits", image, overwrite=True)
    sets = ["detection.threshold=1.5", f"output.formats={formats}", f'output.columns=[default, "VIGNET({size[0]},{size[1]})"]',
            *settings]
    run(program, "plain", directory / "image.fits", directory, *(part for one in sets for part in ("--set", one)))
    return directory / "image.cat"


def cut_out(above, labels, number, x, y, size):
    """The pixels around that pixel, counted from 0, without those of others: one after the other."""
    out = np.full((size[1], size[0]), NO_PIXEL)
    for row in range(size[1]):
        for column in range(size[0]):
            of = y - size[1] // 2 + row, x - size[0] // 2 + column
            inside = all(0 <= place < length for place, length in zip(of, above.shape))
            if inside and np.isfinite(above[of]) and labels[of] in (0, number):
                out[row, column] = above[of]
    return out


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("seed, per_mpix, size", [(781, 5000, (21, 14)), (782, 20_000, (35, 35))])
def test_they_are_sextractors(program, tmp_path, seed, per_mpix, size, mask):
    image = field(seed, 256, per_mpix, noise=NOISE)
    fits.writeto(tmp_path / "theirs.fits", image)
    shown = {"-BACKGROUND": tmp_path / "above.fits", "MINIBACK_RMS": tmp_path / "noises.fits"}
    theirs = fits.open(sextractor.sextract(
        tmp_path / "theirs.fits", tmp_path, ["X_IMAGE_DBL", "Y_IMAGE_DBL", f"VIGNET({size[0]},{size[1]})"],
        **sextractor.BY_ITSELF | {"WEIGHT_TYPE": "NONE", "DETECT_THRESH": 1.5, "ANALYSIS_THRESH": 1.5},
        MASK_TYPE=mask.upper(), CHECKIMAGE_TYPE=",".join(shown), CHECKIMAGE_NAME=",".join(map(str, shown.values()))))[1]
    above, noises = (fits.getdata(path) for path in shown.values())
    path = ours(program, above, tmp_path, "weights.type=none", "background.level=0",
                f"background.rms={float(np.median(noises))!r}", f"measurement.mask={mask}", size=size)
    mine = fits.open(path.with_suffix(".cat.fits"))[1]
    vignets = mine.columns["VIGNET"], theirs.columns["VIGNET"]
    assert vignets[0].format == vignets[1].format and vignets[0].dim.replace(" ", "") == vignets[1].dim.replace(" ", "")
    index = match(mine.data, theirs.data["X_IMAGE_DBL"], theirs.data["Y_IMAGE_DBL"])
    # Where a position is between two pixels, its last digit decides.
    clear = np.all([np.abs(mine.data[name] % 1 - 0.5) > 1e-3 for name in ("X_IMAGE", "Y_IMAGE")], axis=0)
    found, told = mine.data["VIGNET"][clear], theirs.data["VIGNET"][index][clear]
    assert clear.sum() > 100 and found.shape[1:] == size[::-1]
    assert np.array_equal(found, told)
    left_out = np.count_nonzero((found == NO_PIXEL).any(axis=(1, 2)))
    assert left_out > (3 if mask == "none" else 100) and np.median(found[:, size[1] // 2, size[0] // 2]) > 1.5 * NOISE


@pytest.mark.parametrize("sign", ["positive", "negative", "both"])
@pytest.mark.parametrize("mask", ["correct", "none"])
def test_they_are_cut_out_of_the_check_image(program, tmp_path, mask, sign):
    image = field(783, 128, 5000, noise=NOISE).astype(np.float32)
    image[:, 64:] = 2 * np.median(image) - image[:, 64:]
    image[40:43, 20:90] = np.nan
    size = 15, 8
    path = ours(program, image, tmp_path, f"measurement.mask={mask}", "output.segmentation=true", f"detection.sign={sign}",
                "output.check_images=[-background]", "detection.min_area=1", size=size, formats="[fits, ecsv, csv]")
    above = fits.getdata(tmp_path / "image.minus_background.fits")
    labels = fits.getdata(tmp_path / "image.seg.fits") if mask == "correct" else np.zeros(image.shape, int)
    table = Table.read(path.with_suffix(".cat.fits"))
    assert len(table) >= 10 and table["VIGNET"].unit == "count" and table["VIGNET"].dtype.newbyteorder("=") == np.float32
    for row in table:
        x, y = (int(np.floor(row[name] - 0.5)) for name in ("X_IMAGE", "Y_IMAGE"))
        if not (0 <= x < 128 and 0 <= y < 128):
            x, y = row["XPEAK_IMAGE"] - 1, row["YPEAK_IMAGE"] - 1
        cut = cut_out(above, labels, row["NUMBER"], x, y, size)
        if sign != "positive" and row["SIGN"] < 0:
            cut = np.where(cut == NO_PIXEL, cut, -cut)
        assert np.array_equal(row["VIGNET"], cut), row["NUMBER"]
    text = Table.read(path.with_suffix(".cat.ecsv"), format="ascii.ecsv")
    assert np.array_equal(text["VIGNET"], table["VIGNET"]) and text["VIGNET"].dtype == np.float32
    assert not [name for name in Table.read(path.with_suffix(".cat.csv")).colnames if "VIGNET" in name]


def test_no_sources_and_merged(program, tmp_path):
    (tmp_path / "in").mkdir()
    fits.writeto(tmp_path / "in" / "a.fits", field(784, 96, 5000, noise=NOISE))
    fits.writeto(tmp_path / "in" / "b.fits", np.random.default_rng(7).normal(100, NOISE, (96, 96)).astype("f4"))
    command = [program, "batch", "-q", ROOT / "tests/support/plain.yaml", tmp_path / "in", "-o", tmp_path / "out", "--set",
               'output.columns=["VIGNET(40,50)", FLUX_APER]', "--set", "measurement.apertures=[3, 5]", "--set",
               "output.formats=[fits, ecsv]", "--set", "detection.threshold=5"]
    subprocess.run([str(part) for part in command], check=True)
    parts = [Table.read(tmp_path / "out" / f"{name}.cat.fits") for name in "ab"]
    assert len(parts[0]) > 5 and len(parts[1]) == 0 and parts[1]["VIGNET"].shape == (0, 50, 40)
    assert len(Table.read(tmp_path / "out" / "b.cat.ecsv", format="ascii.ecsv")) == 0
    subprocess.run([program, "merge", tmp_path / "out", "-o", tmp_path / "all.fits"], check=True)
    merged = Table.read(tmp_path / "all.fits", hdu="SOURCES")
    for name in ("VIGNET", "FLUX_APER"):
        assert merged[name].shape[1:] == parts[0][name].shape[1:] and np.array_equal(merged[name], parts[0][name])
    done = subprocess.run([program, "compare", tmp_path / "out" / "a.cat.fits", tmp_path / "out" / "a.cat.ecsv"],
                          capture_output=True, text=True)
    assert "VIGNET" not in done.stdout


@pytest.mark.parametrize("noise_alone", [False, True])
def test_pictures_are_not_compared(program, tmp_path, noise_alone):
    """Whatever their size, so that the formats of one run have the same columns, with sources and without."""
    sky = np.random.default_rng(8).normal(100, NOISE, (96, 96)) if noise_alone else field(785, 96, 5000, noise=NOISE)
    fits.writeto(tmp_path / "a.fits", sky.astype("f4"))
    subprocess.run([program, "-q", "-o", tmp_path, "--set", 'output.columns=[default, "VIGNET(5,4)"]', "--set",
                    "output.formats=[fits, ecsv, csv]", "--set", "detection.threshold=6", ROOT / "tests/support/plain.yaml",
                    tmp_path / "a.fits"], check=True)
    for one, other in (("fits", "ecsv"), ("csv", "fits"), ("ecsv", "csv")):
        done = subprocess.run([program, "compare", tmp_path / f"a.cat.{one}", tmp_path / f"a.cat.{other}"],
                              capture_output=True, text=True)
        assert done.returncode == 0 and "VIGNET" not in done.stdout + done.stderr, done.stdout + done.stderr
