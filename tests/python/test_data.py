"""The samples of the package are there, and are what their truth says."""
import numpy
import pytest

import srcextract as sx

fits = pytest.importorskip("astropy.io.fits")


def test_the_samples_are_those_of_the_repository(sky_path):
    assert sx.data.sky().read_bytes() == sky_path.read_bytes()
    assert sx.data.sky_subtracted().read_bytes() == (sky_path.parent / "sky_subtracted.fits").read_bytes()


@pytest.mark.parametrize("of, config, least", [("sky", None, 440), ("sky_subtracted", {"extends": "none", "background": {"method": "constant"}}, 30)])
def test_what_is_found_is_in_the_truth(of, config, least):
    truth = sx.data.truth(of)
    found = sx.extract(getattr(sx.data, of)(), config)
    off = numpy.hypot(found["X_IMAGE"][:, None] - truth["X_IMAGE"], found["Y_IMAGE"][:, None] - truth["Y_IMAGE"]).min(axis=1)
    assert len(found) >= least and (off < 2).mean() > 0.95


def test_there_are_no_others():
    with pytest.raises(sx.ConfigError, match="there are 'sky' and 'sky_subtracted'"):
        sx.data.truth("moon")
