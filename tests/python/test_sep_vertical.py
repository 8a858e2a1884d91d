"""Ellipses of vertical objects, whose angle is a right one by rounding, in every function of srcextract.sep."""
import itertools

import numpy
import pytest

from srcextract import sep


@pytest.mark.parametrize("kind", ["f8", "f4", "i4"])
def test_vertical_objects_are_ellipses(kind):
    """A hot column is at a right angle, which is beyond pi/2 in float32."""
    turned = 0
    for trial in range(12):
        random = numpy.random.default_rng(trial)
        image = numpy.zeros((60, 60))
        image[10:10 + random.integers(6, 40), 30] = random.integers(60, 900)
        image[20:30, 30] += 5 * random.integers(0, 40, 10)
        objects = sep.extract(image.astype(kind), 5.0, err=1.0, filter_kernel=None)
        axes = [objects[name] for name in ("x", "y", "a", "b")]
        turned += (numpy.abs(objects["theta"]) == numpy.pi / 2).sum()
        assert (numpy.abs(objects["theta"]) <= numpy.pi / 2).all()
        for sign, angle in itertools.product((1, -1), (objects["theta"], objects["theta"].astype("f4"), numpy.radians(numpy.float32(90)))):
            light = sep.sum_ellipse(image, *axes, sign * angle, 2.5)[0]
            numpy.testing.assert_allclose(light, sep.sum_ellipse(image, *axes, numpy.pi / 2, 2.5)[0], rtol=1e-3)
            sep.sum_ellipann(image, *axes, sign * angle, 1.0, 2.5)
            sep.kron_radius(image, *axes, sign * angle, 6.0)
            sep.mask_ellipse(numpy.zeros(image.shape, bool), *axes, sign * angle, 2.5)
    assert turned >= 10
    for angle in 1.571, -1.571, 3.0, numpy.nan:
        with pytest.raises(ValueError, match="invalid aperture parameters"):
            sep.sum_ellipse(image, [30.0], [20.0], 3.0, 2.0, angle)
