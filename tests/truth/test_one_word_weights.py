"""What SExtractor does with weights and `srcextract sextractor` refuses: that it does so, and that what is said to do instead
is the same to both."""
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")

from test_one_word import PROGRAM, both, check_both, fits_catalogue  # noqa: F401
from test_converted_sex import scene
from test_dual_image import bands


def test_weights_of_one_value_are_no_pair(both, program):
    """SExtractor has the noise of the first image in the errors of the second where WEIGHT_TYPE has one value, which is
    refused, and that of each where it has two, which is the same."""
    def make(place):
        scene(place, "background")
        for name, image in zip(("g.fits", "r.fits"), bands(921, 2000)):
            fits.writeto(place / name, image)

    both.prepare(make)
    images = ["g.fits,r.fits", "-c", "survey.sex"]
    both.run(*images, "-CATALOG_NAME", "two.cat")
    check_both(*both.each(fits_catalogue("two.cat")))
    one = [*images, "-WEIGHT_TYPE", "BACKGROUND", "-CATALOG_NAME", "one.cat"]
    theirs = both.places["theirs"]
    subprocess.run([PROGRAM, *one], cwd=theirs, check=True, capture_output=True)
    errors = [fits_catalogue(name)(theirs)["FLUXERR_ISO"] for name in ("one.cat", "two.cat")]
    assert abs(np.median(errors[0] / errors[1]) - 1) > 0.05
    done = subprocess.run([program, "sextractor", *one], cwd=both.places["ours"], capture_output=True, text=True)
    assert done.returncode == 2 and "WEIGHT_TYPE BACKGROUND,BACKGROUND" in done.stderr
