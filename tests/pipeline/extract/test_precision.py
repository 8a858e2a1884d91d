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
    done = extract(run, configure, tmp_path / "a.fits")
    assert done.code == 0 and "the file has its pixels as float32" in done.err


@pytest.mark.parametrize("level, sigma, kind", [(1e9, 2, "f8"), (-1e9, 2, "i4"), (1e12, 2, "f8"), (1e6, 0.01, "f8"), (1000, 1e-6, "f8"),
                                               (-5, 1e-8, "f8"), (2**24, 0.2, "f8"), (1e15, 50, "i8")])
@pytest.mark.parametrize("method", ["mesh", "constant"])
def test_noise_that_float32_loses_whole(run, configure, tmp_path, level, sigma, kind, method):
    """The image seems to be constant then, at any level."""
    pixels = np.random.default_rng(3).normal(level, sigma, (300, 300)).astype(kind)
    assert np.ptp(pixels) > 0
    fits.PrimaryHDU(pixels).writeto(tmp_path / "a.fits")
    done = extract(run, configure, tmp_path / "a.fits", f"background: {{method: {method}}}\n")
    assert done.code == 3 and "float32" in done.err and "subtract a constant" in done.err, done.err
    assert "of the 24 bits" not in done.err and "constant image" not in done.err, done.err


@pytest.mark.parametrize("level, kind, value", [(1e8, "i4", 0), (1e9, "i4", -999), (1e9, "i8", 0), (1e9, "f8", 0)])
@pytest.mark.parametrize("padding", ["auto", "{value}"])
def test_noise_that_float32_loses_within_a_border(run, configure, tmp_path, level, kind, value, padding):
    """The border is masked, for which integers become float32."""
    pixels = np.random.default_rng(3).normal(level, 2, (300, 300))
    for shift in range(4):
        pixels[20 + shift::60, 20:24] += 1e5
    pixels[:30] = value
    fits.PrimaryHDU(np.round(pixels).astype(kind)).writeto(tmp_path / "a.fits")
    done = extract(run, configure, tmp_path / "a.fits", f"input: {{padding: '{padding.format(value=value)}'}}\n")
    assert done.code == 3 and "float32" in done.err and "subtract a constant" in done.err, done.err
    assert "constant image" not in done.err, done.err


@pytest.mark.parametrize("kind", ["f8", "i4"])
@pytest.mark.parametrize("level", [0, 1e9])
def test_a_constant_image_is_called_one(run, configure, tmp_path, kind, level):
    fits.PrimaryHDU(np.full((300, 300), level + 1, kind)).writeto(tmp_path / "a.fits")
    done = extract(run, configure, tmp_path / "a.fits")
    assert done.code == 3 and "is this an empty or constant image" in done.err


@pytest.mark.parametrize("kind", ["f8", "i4"])
def test_noise_that_float32_rounds_is_warned_of(run, configure, tmp_path, kind):
    """A sigma of 5 in steps of 2."""
    pixels = np.random.default_rng(3).normal(3e7, 5, (300, 300))
    fits.PrimaryHDU(np.round(pixels).astype(kind)).writeto(tmp_path / "a.fits")
    done = extract(run, configure, tmp_path / "a.fits")
    assert done.code == 0 and "rounded to float32" in done.err and "steps of 2" in done.err, done.err


@pytest.mark.parametrize("which", ["reference", "new"])
def test_noise_that_float32_loses_of_a_frame(run, configure, tmp_path, which):
    """The difference of two frames, of which one has a pedestal."""
    for seed, name in enumerate(("reference", "new")):
        pixels = np.random.default_rng(seed).normal(0, 2, (100, 100)) + (1e8 if name == which else 0)
        fits.PrimaryHDU(pixels).writeto(tmp_path / f"{name}.fits")
    done = run("difference", "-q", configure("output:\n  formats: [csv]\ndifference: {kernel: gaussian}\n"), "reference.fits", "new.fits", "-o", "out")
    assert done.code == 3 and "float32" in done.err and "subtract a constant" in done.err, done.err
