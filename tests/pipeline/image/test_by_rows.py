"""Images that do not fit into --memory: the same bytes, in less memory, or a refusal that says why."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

SAYS_SO = "its rows are read several times instead"
SHAPE = (2300, 3100)


def moffat_stars(seed):
    """Elliptical Moffat stars on a sloping sky with correlated noise."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(0, 10, SHAPE).astype("f4")
    image = 1000 + (noise + np.roll(noise, 1, 0) + np.roll(noise, 1, 1)) / 1.7
    image += np.linspace(0, 80, SHAPE[1], dtype="f4")
    y, x = np.mgrid[-15:16, -15:16]
    for _ in range(2500):
        row, column = rng.integers(15, SHAPE[0] - 16), rng.integers(15, SHAPE[1] - 16)
        u, v = x - rng.uniform(-0.5, 0.5), (y - rng.uniform(-0.5, 0.5)) * rng.uniform(1, 2)
        star = 10 ** rng.uniform(1.5, 4) * (1 + (u * u + v * v) / 8) ** -2.5
        image[row - 15:row + 16, column - 15:column + 16] += star
    image[1000:1040, 500:2000] = np.nan
    return image.astype(">f4")


@pytest.fixture(scope="module", params=[1, 2])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"seed{request.param}")
    fits.writeto(folder / "sky.fits", moffat_stars(request.param))
    rng = np.random.default_rng(request.param)
    fits.writeto(folder / "bad.fits", (rng.random(SHAPE) < 0.01).astype("u1"))
    weights = np.linspace(1, 2, SHAPE[0], dtype="f4")[:, None] * np.ones(SHAPE, "f4")
    weights[rng.random(SHAPE) < 0.01] = 0
    fits.writeto(folder / "weights.fits", weights.astype(">f4"))
    return folder


def extract(folder, out, *options):
    command = [os.environ["SRCEXTRACT_PROGRAM"], "--backend", "cpu", "-o", out, *options, "sky.fits"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def outputs(folder, out):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder, out).glob("*.fits")}


@pytest.mark.parametrize("options", [
    [],
    ["--set", "output.segmentation=true"],
    ["--set", "output.columns=[all, 'VIGNET(21,21)']", "--set", "measurement.gain=2"],
    ["--set", "output.check_images=[background, rms, -background, filtered, objects, -objects, snr, threshold]"],
    ["--set", "background.method=constant", "--set", "deblend.clean=false"],
    ["--set", "mask.file=bad.fits"],
    ["--set", "weights.type=weight", "--set", "weights.file=weights.fits", "--set", "mask.file=bad.fits",
     "--set", "output.check_images=[rms, snr]"],
], ids=["default", "segmentation", "every column and cut-outs", "check images", "one sky", "mask", "weights"])
def test_the_bytes_are_those_of_the_whole_image(folder, options):
    whole = extract(folder, "whole", *options)
    rows = extract(folder, "rows", *options, "--memory", "24M", "--threads", "2")
    assert whole.returncode == rows.returncode == 0, rows.stderr
    assert outputs(folder, "whole") == outputs(folder, "rows") != {}
    assert SAYS_SO in rows.stderr and SAYS_SO not in whole.stderr


def test_what_needs_the_whole_image_is_refused(folder):
    done = extract(folder, "refused", "--memory", "24M", "--set", "detection.sign=both")
    assert done.returncode == 1
    assert "it needs about" in done.stderr and "--memory allows" in done.stderr


def test_positions_are_measured_in_the_whole_image(folder):
    (folder / "places.csv").write_text("X_IMAGE,Y_IMAGE\n100,100\n2000,1500\n")
    done = extract(folder, "at", "--memory", "24M", "--positions", "places.csv")
    assert done.returncode == 1
    done = extract(folder, "at", "--memory", "400M", "--positions", "places.csv")
    assert done.returncode == 0, done.stderr
