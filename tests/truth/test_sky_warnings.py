"""That it says so when a sky is not what was assumed, and nothing where it is: on fields whose sky, sources and noise are
known. What there is to be said follows from how they were made."""
import json
import subprocess

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
fits = pytest.importorskip("astropy.io.fits")

from program import ROOT, extract, run
from rounds import first
from test_mesh import sky
from test_skies import SIGMA, make_sources, sky_of

SIDE = 1024
SEEDS = first(2, (201, 202, 203, 204, 205))
CONSTANT = ("background.method=constant",)


def told(program, directory, pixels, *settings, **maps):
    """The warnings of run.json."""
    path = directory / "field.fits"
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(path, overwrite=True)
    for name, values in maps.items():
        fits.PrimaryHDU(np.asarray(values, np.float32)).writeto(directory / f"{name}.fits", overwrite=True)
    options = [part for setting in settings for part in ("--set", setting)]
    return extract(program, "plain", path, directory, "--backend", "cpu", *options)[1]["warnings"]


def noise(seed, side=SIDE, beam=0.0):
    values = np.random.default_rng(seed).normal(size=(side, side))
    if beam:
        values = ndimage.gaussian_filter(values, beam)
    return values * SIGMA / values.std()


def crowd(seed, side=SIDE, per_megapixel=40_000):
    """Stars so close that a third of the pixels is theirs."""
    rng = np.random.default_rng(seed)
    image = np.zeros((side, side))
    for _ in range(int(per_megapixel * side * side / 1e6)):
        y, x = rng.integers(0, side, 2)
        image[y, x] += 10 ** rng.uniform(2.5, 5)
    return ndimage.gaussian_filter(image, 1.3)


# --- one level for a sky that is none --------------------------------------------------------------------------------


@pytest.mark.parametrize("slope, blob", ((4, 0), (10, 0), (20, 0), (0, 10)))
@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_constant_background_on_a_sky_that_varies(program, tmp_path, seed, slope, blob):
    sources, _ = make_sources(np.random.default_rng(seed), SIDE)
    y, x = np.mgrid[:SIDE, :SIDE]
    diffuse = blob * SIGMA * np.exp(-((x - 600) ** 2 + (y - 450) ** 2) / (2 * 250 ** 2))
    pixels = sources + noise(seed) + sky_of(slope, 0, SIDE) + diffuse
    [warning] = told(program, tmp_path, pixels, *CONSTANT)
    assert "8 x 8 blocks" in warning and "set background.method to mesh" in warning
    assert not told(program, tmp_path, pixels)


@pytest.mark.parametrize("seed", SEEDS)
def test_none_where_the_sky_is_flat(program, tmp_path, seed):
    assert told(program, tmp_path, 1000 + noise(seed), *CONSTANT) == []
    assert told(program, tmp_path, noise(seed, 64), *CONSTANT) == []
    [shared] = told(program, tmp_path, noise(seed, 300, beam=4 / 2.3548), *CONSTANT)
    assert "pixels share their noise" in shared
    sources, _ = make_sources(np.random.default_rng(seed), SIDE)
    assert told(program, tmp_path, 1000 + sources + noise(seed), *CONSTANT) == []
    assert all("or stars hide the sky" in one for one in told(program, tmp_path, 1000 + crowd(seed) + noise(seed), *CONSTANT))


def test_masked_pixels_are_no_part_of_the_sky(program, tmp_path):
    """A vignette of another level, and a slope, that a mask leaves out."""
    pixels = 1000 + noise(211)
    bad = np.zeros((SIDE, SIDE))
    bad[:, :400] = 1
    pixels[:, :400] += 10 * SIGMA
    assert told(program, tmp_path, pixels, *CONSTANT) != []
    assert told(program, tmp_path, pixels, *CONSTANT, f"mask.file={tmp_path / 'bad.fits'}", bad=bad) == []
    pixels[bad == 1] = np.nan
    assert told(program, tmp_path, pixels, *CONSTANT) == []


# --- meshes that sources fill ----------------------------------------------------------------------------------------


def galaxy(seed, radius):
    image = noise(seed) + 1000
    y, x = np.mgrid[:SIDE, :SIDE]
    return image + 40 * SIGMA * np.exp(-np.hypot((x - 500) / radius, (y - 480) / (0.7 * radius)))


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_source_too_large_for_its_meshes(program, tmp_path, seed):
    [warning, *others] = told(program, tmp_path, galaxy(seed, 14))
    assert "background.mesh_size" in warning and "more than a third of a mesh of 64 x 64" in warning
    assert all("background.mesh_size" in other for other in others)
    larger = int(warning.split("set background.mesh_size to ")[1].split()[0])
    assert larger > 64
    assert told(program, tmp_path, galaxy(seed, 14), f"background.mesh_size={larger}") == []


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_a_mesh_full_of_small_sources(program, tmp_path, seed):
    """Discs side by side on a few meshes, each far smaller than a third of one; the median filter knows the sky there."""
    pixels = noise(seed) + 1000
    y, x = np.mgrid[-6:6, -6:6]
    for top in range(386, 440, 12):
        for left in range(260, 440, 12):
            pixels[top:top + 12, left:left + 12] += 20 * SIGMA * (np.hypot(x + 0.5, y + 0.5) < 5.4)
    warnings = told(program, tmp_path, pixels)
    [warning] = [one for one in warnings if "cover more than half" in one]
    x, y = map(int, warning.split("around pixel ")[1].split(":")[0].split(", "))
    assert 256 <= x <= 448 and 384 <= y <= 448
    assert "set background.mesh_size to 128 or more" in warning


@pytest.mark.parametrize("seed", SEEDS)
def test_none_where_sources_leave_sky_enough(program, tmp_path, seed):
    sources, _ = make_sources(np.random.default_rng(seed), SIDE)
    assert told(program, tmp_path, 1000 + sources + noise(seed)) == []
    assert told(program, tmp_path, 1000 + noise(seed)) == []
    assert told(program, tmp_path, galaxy(seed, 3)) == []


# --- maps that tell another noise ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, wrong", (("rms", SIGMA ** 2), ("rms", SIGMA / 4), ("variance", SIGMA),
                                         ("weight", SIGMA ** 2)))
@pytest.mark.parametrize("method", ("mesh", "constant"))
def test_a_map_of_another_noise(program, tmp_path, kind, wrong, method):
    settings = (f"background.method={method}", f"weights.type={kind}", f"weights.file={tmp_path / 'map.fits'}",
                "weights.rescale=false")
    pixels = 1000 + noise(221)
    ones = np.ones_like(pixels)
    # A noise far too small makes one source of everything, of which there is another warning.
    [warning] = [one for one in told(program, tmp_path, pixels, *settings, map=wrong * ones) if "of the pixels" not in one]
    assert "weights." in warning and "the map says that the noise is" in warning
    right = {"rms": SIGMA, "variance": SIGMA ** 2, "weight": SIGMA ** -2}[kind]
    for factor in (1, 2, 0.5):
        assert told(program, tmp_path, pixels, *settings, map=right * ones * factor) == []
    if kind != "rms":
        assert told(program, tmp_path, pixels, *settings[:3], map=wrong * ones) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_none_where_a_map_is_right(program, tmp_path, seed):
    """The noise of a dithered exposure, a fifth of which is masked, under sources."""
    y, x = np.mgrid[:SIDE, :SIDE]
    rms = SIGMA * (1 + 2 * np.hypot(x - 500, y - 500) / 700)
    sources, _ = make_sources(np.random.default_rng(seed), SIDE)
    pixels = 1000 + sources + noise(seed) / SIGMA * rms
    rms[:, 100:300] = 0
    settings = ("weights.type=rms", f"weights.file={tmp_path / 'map.fits'}")
    assert told(program, tmp_path, pixels, *settings, map=rms) == []


# --- where it is said ------------------------------------------------------------------------------------------------


def test_log_and_report_say_the_same(program, tmp_path):
    path = tmp_path / "field.fits"
    fits.PrimaryHDU((noise(231) + sky_of(10, 0, SIDE)).astype(np.float32)).writeto(path)
    config = tmp_path / "c.yaml"
    config.write_text("background:\n  method: constant\nextends: none\n")
    done = subprocess.run([program, "--record", "-q", "-o", tmp_path, config, path], capture_output=True, text=True, check=True)
    [warning] = json.loads((tmp_path / "field.run.json").read_text())["warnings"]
    assert done.stderr == f"warning: {path}: {warning}\n"
    assert warning.startswith(f"{config}:2:11: ")


@pytest.mark.parametrize("stored", ("gzip", "RICE_1", "HCOMPRESS_1", "integers", "cube"))
def test_however_the_image_is_stored(program, tmp_path, stored):
    """The sample is read as the image is."""
    for gradient in (0, 10):
        pixels = np.rint(sky(np.random.default_rng(241), 512, 600, gradient))
        path = tmp_path / ("field.fits.gz" if stored == "gzip" else "field.fits")
        if stored == "integers":
            hdu = fits.PrimaryHDU((pixels + 30000).astype(np.uint16))
        elif stored == "cube":
            hdu = fits.PrimaryHDU(np.stack([pixels * 0, pixels]).astype(np.float32))
        elif stored == "gzip":
            hdu = fits.PrimaryHDU(pixels.astype(np.int32))
        else:
            hdu = fits.CompImageHDU(pixels.astype(np.int32), compression_type=stored)
        hdu.writeto(path, overwrite=True)
        options = [part for one in (*CONSTANT, f"input.plane={2 if stored == 'cube' else 1}") for part in ("--set", one)]
        run(program, "plain", path, tmp_path, "--backend", "cpu", *options)
        warnings = json.loads((tmp_path / "field.run.json").read_text())["warnings"]
        assert [("8 x 8 blocks" in one) for one in warnings] == [True] * (gradient > 0), warnings
