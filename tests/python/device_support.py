"""What tests of arrays on a GPU share; without one, whatever imports this is skipped."""
import numpy
import pytest

import srcextract
from srcextract import _core

cupy = pytest.importorskip("cupy")
try:
    DEVICES = cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    DEVICES = 0
if DEVICES == 0 or not _core.cuda_built():
    pytest.skip("no GPU, or no CUDA back end", allow_module_level=True)


def field(seed=7, shape=(300, 350), kind="f4", stars=60):
    """Stars on a sky, within the range of the type."""
    random = numpy.random.default_rng(seed)
    image = random.normal(20, 3, shape)
    y, x = numpy.mgrid[-6:7, -6:7]
    for at_y, at_x in random.uniform(8, min(shape) - 9, (stars, 2)):
        row, column = round(at_y), round(at_x)
        image[row - 6:row + 7, column - 6:column + 7] += 70 * numpy.exp(
            -((y + row - at_y)**2 + (x + column - at_x)**2) / 5)
    if numpy.dtype(kind).itemsize == 1:
        image = image.clip(0, 120)
    return image.round().astype(kind) if numpy.dtype(kind).kind != "f" else image.astype(kind)


def on_host(image, **given):
    return srcextract.extract(image, backend="cpu", **given)


def assert_same(found, expected, images=True):
    assert found.columns == expected.columns
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)
    if images:
        numpy.testing.assert_array_equal(found.segmentation, expected.segmentation)
        numpy.testing.assert_array_equal(found.background, expected.background)
        numpy.testing.assert_array_equal(found.rms, expected.rms)


class Lends:
    """What tells of an array by DLPack alone, and remembers what it was asked."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        self.asked.append(arguments)
        return self.array.__dlpack__(**arguments)
