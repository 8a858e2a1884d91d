"""Calls from many threads at once give what one thread gives; in a Python without the GIL they run without it."""
import concurrent.futures
import sys
import sysconfig
import threading

import numpy
import pytest

import srcextract as sx
from srcextract import sep

THREADS, ROUNDS = 8, 3


def together(work):
    """[i, work(i)] of every round of many threads, which begin together."""
    begin = threading.Barrier(THREADS)

    def run(i):
        begin.wait()
        return [(i, work(i)) for _ in range(ROUNDS)]
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        return [one for many in pool.map(run, range(THREADS)) for one in many]


def image(seed):
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:200, :220]
    pixels = random.normal(100, 2, x.shape)
    for at_x, at_y, light in random.uniform((5, 5, 60), (215, 195, 900), (40, 3)):
        pixels += light * (1 + ((x - at_x) ** 2 + (y - at_y) ** 2) / 4.0) ** -2.5
    return pixels.astype(numpy.float32)


def columns(found):
    return [numpy.array(found[name]) for name in found.colnames]


def same(one, other):
    return len(one) == len(other) and all(numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one, other))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has the GIL")
def test_the_module_leaves_the_gil_off():
    assert not sys._is_gil_enabled()


@pytest.mark.parametrize("seed", range(3))
def test_one_extractor_serves_all_threads(seed):
    extractor = sx.Extractor(backend="cpu")
    images = [image(THREADS * seed + i) for i in range(THREADS)]
    alone = [columns(sx.extract(pixels, backend="cpu")) for pixels in images]
    assert min(len(one[0]) for one in alone) >= 20
    for i, found in together(lambda i: columns(extractor(images[i]))):
        assert same(found, alone[i])


@pytest.mark.parametrize("seed", range(3))
def test_one_catalogue_is_read_by_all_threads(seed, tmp_path):
    found, alone = (sx.extract(image(90 + seed), backend="cpu", psf__method="fit", output__columns=["FLUX_PSF"]) for _ in range(2))

    def read(i):
        stars = found._made.stars()  # a table that the first call makes
        found.write(tmp_path / f"{i}.cat.fits")
        return [values for _, values, *_ in stars], [found.background, found.segmentation], (tmp_path / f"{i}.cat.fits").read_bytes()
    given = together(read)
    stars, planes = [values for _, values, *_ in alone._made.stars()], [alone.background, alone.segmentation]
    alone.write(tmp_path / "alone.cat.fits")
    for _, one in given:
        assert same(one[0], stars) and len(stars[0]) >= 20
        assert same(one[1], planes)
        assert one[2] == (tmp_path / "alone.cat.fits").read_bytes()


@pytest.mark.parametrize("seed", range(3))
def test_sep_in_all_threads(seed):
    pixels = image(200 + seed)

    def measure(_):
        sky = sep.Background(pixels)
        found = sep.extract(pixels - sky, 5, err=sky.globalrms)
        light = sep.sum_circle(pixels - sky, found["x"], found["y"], 4.0, err=sky.globalrms)
        return [sky.back(), *(found[name] for name in found.dtype.names), *light]
    alone = measure(0)
    assert len(alone[1]) >= 20
    for _, found in together(measure):
        assert same(found, alone)
