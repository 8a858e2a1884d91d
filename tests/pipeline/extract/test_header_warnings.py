"""Overscan that TRIMSEC and its like speak of, and is still in the image."""

import json
import pathlib

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

REAL = pathlib.Path(__file__).resolve().parents[4] / "shared/data/real"


def write(path, cards, width=150, height=120):
    data = np.random.default_rng(1).normal(300, 3, (height, width)).astype("f4")
    data[60:63, 60:63] += 200
    hdu = fits.PrimaryHDU(data)
    hdu.header.update(cards)
    hdu.writeto(path)


def told(run, tmp_path, *more):
    done = run("-q", *more, "a.fits", "-o", "out")
    assert done.code == 0, done.err
    assert done.err.count("overscan") == sum("overscan" in w for w in json.loads((tmp_path / "out/a.run.json").read_text())["warnings"])
    return done.err if "overscan" in done.err else ""


@pytest.mark.parametrize("cards, pixels, cut", [
    ({"TRIMSEC": "[21:150,1:120]"}, 2400, "data[0:120, 20:150]"),
    ({"TRIMSEC": "[  1: 140,   3: 120]", "BIASSEC": "[141:150,1:120]"}, 1480, "data[2:120, 0:140]"),
    ({"DATASEC": "[140:1,1:120]"}, 1200, "data[0:120, 0:140]"),
    ({"BIASSEC": "[4:13,1:120]"}, 1200, ""),
    ({"TRIMSEC": "N/A", "DATASEC": "UNKNOWN", "BIASSEC": "[1:10,1:120]"}, 1200, "")])
def test_overscan_in_the_image_is_told(run, tmp_path, cards, pixels, cut):
    write(tmp_path / "a.fits", cards)
    message = told(run, tmp_path)
    assert f"{pixels} pixels of overscan" in message and cut in message and "--set mask.file=" in message


@pytest.mark.parametrize("cards", [
    {}, {"TRIMSEC": "[1:150,1:120]", "BIASSEC": "[4:13,1:120]"}, {"TRIMSEC": "[21:170,1:120]", "BIASSEC": "[1:20,1:120]"},
    {"TRIMSEC": "[1:20,1:20]"}, {"DATASEC": "[1:150,1:120]"}, {"TRIMSEC": "[0:0,0:0]"}, {"TRIMSEC": 5}, {"TRIMSEC": "[1:100]"},
    {"BIASSEC": "[201:210,1:120]"}], ids=str)
def test_what_was_trimmed_is_not(run, tmp_path, cards):
    write(tmp_path / "a.fits", cards)
    assert told(run, tmp_path) == ""


def test_a_mask_of_it_is_enough(run, tmp_path):
    write(tmp_path / "a.fits", {"TRIMSEC": "[21:150,1:120]"})
    mask = np.zeros((120, 150), "i2")
    mask[:, :20] = 1
    fits.PrimaryHDU(mask).writeto(tmp_path / "mask.fits")
    assert told(run, tmp_path, "--set", "mask.file=mask.fits") == ""


def test_a_raw_frame(run, tmp_path):
    if not REAL.is_dir():
        pytest.skip("no data: shared/data/real")
    done = run("-q", REAL / "saao_raw_overscan.fits.gz", "-o", "out")
    assert "TRIMSEC = '[  17: 528,   1: 520]'" in done.err and f"{536 * 520 - 512 * 520} pixels of overscan" in done.err


def test_the_equinox_of_hst(run, tmp_path):
    """EQUINOX = 'J2000'."""
    if not REAL.is_dir():
        pytest.skip("no data: shared/data/real")
    done = run("-q", "--set", "output.formats=[csv]", REAL / "wfpc2_ngc4342_equinox_J2000.fits.gz", "-o", "out")
    assert done.code == 0 and "no sky positions" not in done.err
    assert "ALPHA_J2000" in next((tmp_path / "out").glob("*.csv")).read_text()
