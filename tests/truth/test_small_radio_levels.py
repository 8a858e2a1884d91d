"""The sky level in the corners of small radio maps, where a mesh holds few beams: within a tenth of the noise."""
import subprocess

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
fits = pytest.importorskip("astropy.io.fits")

import wide_maps

WIDTH = 2.0 * np.sqrt(8 * np.log(2))


@pytest.mark.parametrize("size", [128, 192])
def test_corners_have_the_level_of_the_sky(program, tmp_path, size):
    corners = []
    beam = (5e-4 * WIDTH, 5e-4 * WIDTH)
    y, x = np.indices((size, size))
    paths = []
    for seed in range(10):
        noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(0, 1, (size, size)), 2, mode="wrap")
        image = noise / noise.std() + 200 * np.exp(-((x - size / 2) ** 2 + (y - size * 0.4) ** 2) / 8)
        paths.append(tmp_path / f"{seed}.fits")
        fits.writeto(paths[-1], image.astype("f4"), wide_maps.header("SIN", 5e-4, image.shape, beam, "Jy/beam"))
    for path in paths:
        done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "--set", "output.check_images=[background]",
                               "radio", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        level = fits.getdata(path.with_suffix(".background.fits"))
        corners += [level[at] for at in ((0, 0), (0, -1), (-1, 0), (-1, -1))]
    assert np.std(corners) < 0.1, corners
    assert abs(np.mean(corners)) < 0.06
