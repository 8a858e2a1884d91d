"""convolve.filter: matched with deblend.method: tree and deblend.clean, beside SEP's extract with its own defaults."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
spatial = pytest.importorskip("scipy.spatial")

from test_filter_noise import stars  # noqa: E402

DEFAULT = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]  # SEP's kernel


def field(seed, noise, side=1024, count=6000):
    """Stars of which many touch, in noise that is the same everywhere, or grows along x."""
    rng = np.random.default_rng(seed)
    rms = np.broadcast_to(8.0 if noise == "even" else 5 * (1 + np.arange(side) / side), (side, side))
    pixels = stars(rng, side, count) + rms * rng.normal(0, 1, rms.shape)
    return tuple(np.ascontiguousarray(image, np.float32) for image in (pixels, rms))


def extract(program, directory, pixels, rms, *settings):
    for name, image in (("image", pixels), ("rms", rms)):
        fits.PrimaryHDU(image).writeto(directory / f"{name}.fits")
    settings = ["convolve.kernel=values", f"convolve.values={DEFAULT}", "convolve.filter=matched", "background.level=0",
                "weights.type=rms", "weights.file=rms.fits", *settings]
    (directory / "c.yaml").write_text("output: {formats: [csv]}\nextends: none\n")
    options = [part for setting in settings for part in ("--set", setting)]
    subprocess.run([program, "-q", "--backend", "cpu", "-o", directory, *options, "c.yaml", "image.fits"],
                   cwd=directory, check=True)
    return np.genfromtxt(directory / "image.cat.csv", delimiter=",", names=True, ndmin=1)


def share_near(one, other):
    """How many of the places have one of the others within a pixel."""
    return np.isfinite(spatial.cKDTree(other).query(one, distance_upper_bound=1)[0]).mean()


@pytest.mark.parametrize("noise", ("even", "growing"))
@pytest.mark.parametrize("threshold", (1.5, 3))
@pytest.mark.parametrize("seed", (1, 2))
def test_sep_deblends_the_same(program, tmp_path, seed, threshold, noise):
    """With clean as well, but for what SEP's own rules of cleaning take elsewhere (docs/python.md)."""
    sep = pytest.importorskip("sep")
    pixels, rms = field(seed, noise)
    for clean, needed in (False, 690 / 692), (True, 0.96):
        directory = tmp_path / str(clean)
        directory.mkdir()
        table = extract(program, directory, pixels, rms, f"detection.threshold={threshold}", "deblend.method=tree",
                        f"deblend.clean={str(clean).lower()}")
        theirs = sep.extract(pixels, threshold, err=rms, minarea=5, clean=clean)  # matched, 32 levels and 0.005
        whole = sep.extract(pixels, threshold, err=rms, minarea=5, clean=clean, deblend_cont=1.0)
        ours = np.column_stack((table["X_IMAGE"], table["Y_IMAGE"])) - 1
        there = np.column_stack((theirs["x"], theirs["y"]))
        print(clean, len(ours), len(there), len(whole), share_near(there, ours), share_near(ours, there))
        assert len(theirs) > len(whole) + 60
        assert min(share_near(there, ours), share_near(ours, there)) >= needed
