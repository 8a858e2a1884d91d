"""Pixels that lie so far from zero that float32 loses their noise are refused; numpy, in double, tells the noise."""

import json

import pytest

fits = pytest.importorskip("astropy.io.fits")
np = pytest.importorskip("numpy")

TYPES = ["f8", "i4", "u4", "i8"]


def write(path, level, kind):
    """A sky of sigma 2 at that level, with 25 sources."""
    pixels = np.random.default_rng(3).normal(0, 2, (300, 300))
    for y in range(4):
        for x in range(4):
            pixels[20 + y::60, 20 + x::60] += 100
    pixels += level
    if kind != "f8":
        pixels = np.round(pixels)
    fits.PrimaryHDU(pixels.astype(kind)).writeto(path)
    return np.std(pixels[pixels < level + 20])


def extract(run, configure, path, more=""):
    return run("-q", configure("output:\n  formats: [csv]\n" + more), path, "-o", "out")


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("level", [3e7, 1e8])
def test_noise_that_float32_loses(run, configure, tmp_path, kind, level):
    write(tmp_path / "a.fits", level, kind)
    done = extract(run, configure, tmp_path / "a.fits")
    assert done.code == 3
    assert "float32" in done.err and "subtract a constant" in done.err
    assert not list(tmp_path.glob("out/*.csv"))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("level", [0, 1e3, -1e6])
def test_noise_that_float32_keeps(run, configure, tmp_path, kind, level):
    if kind == "u4":
        level = abs(level) + 100
    sigma = write(tmp_path / "a.fits", level, kind)
    # One sigma of all pixels is what NumPy can tell; the default's meshes find less sky in 300 x 300 pixels.
    assert extract(run, configure, tmp_path / "a.fits", "background: {method: constant}\n").code == 0
    record = json.loads((tmp_path / "out" / "a.run.json").read_text())
    assert record["background"]["clipped"]["sigma"] == pytest.approx(sigma, rel=0.02)
    assert len((tmp_path / "out" / "a.cat.csv").read_text().splitlines()) >= 25


def test_what_was_float32_is_read_as_it_is(run, configure, tmp_path):
    write(tmp_path / "a.fits", 3e7, "f4")
    assert extract(run, configure, tmp_path / "a.fits").code == 0
