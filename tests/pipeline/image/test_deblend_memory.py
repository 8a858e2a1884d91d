"""The memory that deblending takes is within --memory, or is refused before it is taken."""

import os
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

CONFIG = "background: {level: 0, rms: 1}\ndeblend: {method: tree, contrast: 0}\nextends: none\n"


def run(folder, memory):
    """One island of the whole image, of noise: every peak of it is a node."""
    pixels = 100 + 10 * np.random.default_rng(1).standard_normal((2048, 2048))
    fits.writeto(folder / "island.fits", pixels.astype("f4"), overwrite=True)
    (folder / "config.yaml").write_text(CONFIG)
    command = [os.environ["SRCEXTRACT_PROGRAM"], "--backend", "cpu", "--threads", "1", "--memory", memory, "-o", "out"]
    return subprocess.run([*command, "config.yaml", "island.fits"], cwd=folder, capture_output=True, text=True)


def test_an_island_too_large_to_deblend_is_refused(tmp_path):
    refused = run(tmp_path, "150M")
    assert refused.returncode != 0
    assert "island.fits: deblending its sources needs about " in refused.stderr
    assert "raise detection.min_area, raise detection.threshold, or allow more" in refused.stderr
    assert not (tmp_path / "out" / "island.cat.fits").exists()


def test_and_is_deblended_where_there_is_room(tmp_path):
    done = run(tmp_path, "2G")
    assert done.returncode == 0, done.stderr
    with fits.open(tmp_path / "out" / "island.cat.fits") as catalogue:
        assert len(catalogue[1].data) > 1
