"""A kernel that is an array, as convolve__kernel: the catalogue is that of the same numbers in a file or in a list."""
import numpy
import pytest

import srcextract as sx

KERNEL = numpy.array([[1, 2, 1], [2, 5, 2], [1, 2, 1]])


@pytest.fixture(scope="module")
def image():
    fits = pytest.importorskip("astropy.io.fits")
    return fits.getdata(sx.data.sky()).astype("f4")[:300, :300]


def same(found, expected):
    assert len(found) == len(expected) > 20
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("kernel", [KERNEL, KERNEL.astype("f4"), KERNEL.tolist(), KERNEL[::-1].T])
def test_an_array_is_the_kernel_in_a_file(kernel, image, tmp_path):
    (tmp_path / "own.conv").write_text("CONV NORM\n1 2 1\n2 5 2\n1 2 1\n")
    expected = sx.extract(image, convolve__kernel="file", convolve__file=str(tmp_path / "own.conv"))
    same(sx.extract(image, convolve__kernel=kernel), expected)
    same(sx.Extractor(convolve__kernel=kernel)(image), expected)
    same(sx.extract(image, {"convolve": {"kernel": kernel}}), expected)
    same(next(sx.extract_many([image], convolve__kernel=kernel, progress=False)), expected)
    same(sx.extract(image, convolve__kernel="values", convolve__values=kernel), expected)
    assert len(sx.extract(image, convolve__kernel="none")) != len(expected)


def test_a_kernel_of_astropy(image):
    convolution = pytest.importorskip("astropy.convolution")
    kernel = convolution.Gaussian2DKernel(1.5, x_size=9, y_size=9)
    same(sx.extract(image, convolve__kernel=kernel), sx.extract(image, convolve__kernel=kernel.array))
    close = sx.extract(image, convolve__kernel="gaussian", convolve__fwhm=1.5 * numpy.sqrt(8 * numpy.log(2)), convolve__size=9)
    assert len(sx.extract(image, convolve__kernel=kernel)) == len(close)
    numpy.testing.assert_allclose(sx.convolve(image, kernel=kernel), sx.convolve(image, kernel=kernel.array))


@pytest.mark.parametrize("kernel, text", [
    (numpy.ones(3), "convolve__kernel: an array of 2 axes, or gaussian"), (3, "convolve__kernel: an array of 2 axes"),
    (numpy.ones((2, 3)), "odd"), (numpy.zeros((3, 3)), "0"), ("moon", "kernel"), (numpy.array([["a"]]), "an array of 2 axes")])
def test_what_is_no_kernel(kernel, text, image):
    with pytest.raises(sx.ConfigError, match=text):
        sx.extract(image, convolve__kernel=kernel)
