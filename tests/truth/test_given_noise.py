"""An image without any noise of its own, as simulations and models are, beside a map of the noise: the map alone decides
what is found, and SciPy's labels of what is above it are the truth. Without a map both ways to the sky say the same."""
import json
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")

from program import ROOT

HEIGHT, WIDTH, SKY = 260, 300, 100.0
KERNEL = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], float) / 16


def boxes(seed, count=30):
    """A sky of one value and boxes on it, faint and bright ones; and the noise, which rises to the right."""
    rng = np.random.default_rng(seed)
    pixels = np.full((HEIGHT, WIDTH), SKY, np.float32)
    for _ in range(count):
        x, y = rng.integers(2, WIDTH - 12), rng.integers(2, HEIGHT - 12)
        width, height = rng.integers(3, 9, 2)
        pixels[y:y + height, x:x + width] += np.float32(10 ** rng.uniform(0.5, 3))
    return pixels, np.broadcast_to(np.linspace(1, 5, WIDTH, dtype=np.float32), pixels.shape)


def write(path, pixels):
    fits.PrimaryHDU(np.asarray(pixels, np.float32)).writeto(path)
    return path


def run(program, directory, *settings):
    command = [program, "--record", "-o", directory / "out", "--backend", "cpu", "--set", "output.segmentation=true",
               *(part for one in settings for part in ("--set", one)), ROOT / "tests/support/plain.yaml",
               directory / "image.fits"]
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def labels_of(directory):
    with fits.open(directory / "out/image.seg.fits") as hdus:
        return next(hdu.data for hdu in hdus if hdu.data is not None)


def true_labels(above):
    """Connected by sides and corners, of 5 pixels or more, numbered in the order of their first pixels."""
    labels, count = ndimage.label(above, np.ones((3, 3)))
    kept = np.bincount(labels.ravel(), minlength=count + 1) >= 5
    kept[0] = False
    return np.where(kept, np.cumsum(kept), 0)[labels]


MAPS = {"rms": ("weights.type=rms", lambda rms: rms),
        "variance": ("weights.type=variance", lambda rms: rms.astype(np.float64) ** 2)}


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("method", ("mesh", "constant"))
@pytest.mark.parametrize("seed", (401, 402))
def test_the_map_decides_what_is_found(program, tmp_path, method, kind, seed):
    pixels, rms = boxes(seed)
    write(tmp_path / "image.fits", pixels)
    word, stored = MAPS[kind]
    map_file = write(tmp_path / "map.fits", stored(rms))
    done = run(program, tmp_path, f"background.method={method}", word, f"weights.file={map_file}",
               "weights.rescale=false")
    assert done.returncode == 0, done.stderr
    expected = true_labels(pixels > SKY + 5 * rms)
    assert expected.max() > 10 and (true_labels(pixels > SKY) > 0).sum() > (expected > 0).sum()
    assert np.array_equal(labels_of(tmp_path), expected)
    assert f"{expected.max()} sources above 5 times the noise of the map" in done.stderr
    told = json.loads((tmp_path / "out/image.run.json").read_text())
    assert told["levels"]["background"] == (SKY if method == "constant" else 0) and told["levels"]["sigma"] == 0


def test_the_matched_filter_counts_in_the_map(program, tmp_path):
    pixels, rms = boxes(403)
    write(tmp_path / "image.fits", pixels)
    kernel = ",".join("[" + ",".join(map(str, row)) + "]" for row in KERNEL)
    done = run(program, tmp_path, "weights.type=rms", f"weights.file={write(tmp_path / 'map.fits', rms)}",
               "convolve.kernel=values", f"convolve.values=[{kernel}]", "convolve.filter=matched")
    assert done.returncode == 0, done.stderr
    weight = 1 / rms.astype(np.float64) ** 2
    signal = ndimage.convolve((pixels - SKY) * weight, KERNEL, mode="constant")
    share = ndimage.convolve(weight, KERNEL ** 2, mode="constant")
    significance = signal / np.sqrt(share)
    assert np.abs(significance - 5).min() > 1e-4  # no pixel that rounding could decide
    expected = true_labels(significance > 5)
    assert expected.max() > 10 and np.array_equal(labels_of(tmp_path), expected)


def test_level_and_noise_that_are_given_need_no_mesh(program, tmp_path):
    pixels, rms = boxes(404)
    pixels[np.random.default_rng(404).random(pixels.shape) < 0.6] = np.nan  # so that every mesh is bad
    write(tmp_path / "image.fits", pixels)
    noise = ("weights.type=rms", f"weights.file={write(tmp_path / 'map.fits', rms)}")
    refused = run(program, tmp_path, *noise)
    assert refused.returncode == 3 and "more than half of them are masked" in refused.stderr
    done = run(program, tmp_path, *noise, f"background.level={SKY}")
    assert done.returncode == 0, done.stderr
    expected = true_labels(pixels > SKY + 5 * rms)
    assert expected.max() > 5 and np.array_equal(labels_of(tmp_path), expected)


@pytest.mark.parametrize("seed, count", ((405, 30), (406, 0)))
def test_without_a_map_meshes_say_what_one_level_says(program, tmp_path, seed, count):
    write(tmp_path / "image.fits", boxes(seed, count)[0])
    for method in ("mesh", "constant"):
        refused = run(program, tmp_path, f"background.method={method}")
        assert refused.returncode == 3 and "so sigma is 0" in refused.stderr and "background.rms" in refused.stderr
        assert not (tmp_path / "out/image.run.json").exists()
    for method, zero in (("mesh", 0), ("constant", SKY)):
        done = run(program, tmp_path, f"background.method={method}", "detection.threshold_unit=absolute",
                   f"detection.threshold={zero + 20}", "output.formats=[fits]")
        told = json.loads((tmp_path / "out/image.run.json").read_text())
        warnings = [one for one in told["warnings"] if "sigma is 0" in one]
        assert done.returncode == 0 and len(warnings) == 1 and "background.rms" in warnings[0], done.stderr
        assert not any("padding" in one for one in told["warnings"])
        assert told["levels"]["sigma"] == 0
        sources = fits.getdata(tmp_path / "out/image.cat.fits", 1)
        assert (sources["FLUXERR_ISO"] == 0).all() and (len(sources) > 10) == (count > 0)
