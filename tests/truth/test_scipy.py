"""srcextract against NumPy and SciPy; scipy_compare.py says what must agree and how closely."""
import pytest

pytest.importorskip("scipy")

import numpy as np

import skies
from fits_pixels import read_pixels
from program import run
from scipy_compare import compare
from scipy_truth import CONSTANT, LESSON, four_steps


@pytest.mark.parametrize("semantics", [LESSON, CONSTANT], ids=lambda semantics: semantics.name)
@pytest.mark.parametrize("name", skies.NAMES)
def test_equals_scipy(program, sky_directory, tmp_path, name, semantics):
    image = skies.image(name, sky_directory)
    if image is None:
        pytest.skip(f"no data: {name}")
    problems, _ = compare(program, image, semantics, tmp_path, "--backend", "cpu")
    assert not problems


@pytest.mark.parametrize("setting", ["background.kappa=3.01", "background.max_iterations=3", "detection.threshold=5.01",
                                     "detection.reference=background", "detection.connectivity=8",
                                     "detection.min_area=2", "measurement.reference=background"])
def test_the_comparison_notices_another_configuration(program, sky_directory, tmp_path, setting):
    image = skies.image("on_a_sky_641x1279" if "measurement" in setting else "crowded_1023x1025", sky_directory)
    problems, _ = compare(program, image, LESSON, tmp_path, "--backend", "cpu", "--set", setting)
    assert problems


@pytest.mark.parametrize("semantics", [LESSON, CONSTANT], ids=lambda semantics: semantics.name)
@pytest.mark.parametrize("name", ["data/sky", "crowded_1023x1025", "float_2048", "one_row_4099", "one_column_4099",
                                  "spiral_1025"])
def test_the_segmentation_map_is_that_of_scipy(program, sky_directory, tmp_path, name, semantics):
    fits = pytest.importorskip("astropy.io.fits")
    image = skies.image(name, sky_directory)
    run(program, semantics.config, image, tmp_path, *semantics.options, "--backend", "cpu", "--set",
        "output.segmentation=true")
    labels = fits.getdata(tmp_path / f"{image.stem}.seg.fits", "SEGMENTATION")
    assert np.array_equal(labels, four_steps(read_pixels(image), semantics).labels)
