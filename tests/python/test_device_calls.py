"""Calls on GPUs: each array on its own, many at a time, what of them comes to the host, what is kept, and a lost GPU."""
import concurrent.futures
import gc
import resource
import subprocess
import sys
import textwrap

import numpy
import pytest

import srcextract

from device_support import DEVICES, Lends, assert_same, cupy, field, on_host


@pytest.mark.skipif(DEVICES < 2, reason="one GPU")
def test_every_array_is_extracted_on_its_own_device():
    image = field()
    expected = on_host(image)
    extractor = srcextract.Extractor()
    for index in (0, 1, 0, 1):
        with cupy.cuda.Device(index):
            array = cupy.asarray(image)
        assert_same(extractor(array), expected)
        assert cupy.cuda.runtime.getDevice() == 0
    with cupy.cuda.Device(1):
        there = cupy.asarray(image)
    with pytest.raises(srcextract.DeviceError, match="GPU 1, and device=0 is another"):
        srcextract.extract(there, device=0)
    with pytest.raises(srcextract.DeviceError, match="copy one of them"):
        srcextract.extract(there, mask=cupy.zeros(image.shape, bool))
    with pytest.raises(srcextract.DeviceError, match="GPU 0, and device=1 is another"):
        srcextract.extract(cupy.asarray(image), device=1)


@pytest.mark.skipif(DEVICES > 1, reason="there is a second GPU")
def test_another_device_than_the_arrays_is_told():
    with pytest.raises(srcextract.DeviceError, match="GPU 0, and device=1 is another"):
        srcextract.extract(cupy.zeros((50, 50)), device=1)


def test_a_device_that_is_not_there_is_told():
    """Also where a GPU need not be taken."""
    for backend in "auto", "cuda":
        with pytest.raises(srcextract.DeviceError, match="no GPU 99"):
            srcextract.extract(field(), device=99, backend=backend)
    assert_same(srcextract.extract(field(), device=99, backend="cpu"), on_host(field()))


def test_arrays_of_the_host_are_read_as_ever():
    image = field()
    expected = on_host(image)
    assert_same(srcextract.extract(image, backend="cuda"), expected)
    memory = cupy.cuda.alloc_pinned_memory(image.nbytes)
    locked = numpy.frombuffer(memory, "f4", image.size).reshape(image.shape)
    locked[...] = image
    assert_same(srcextract.extract(locked, backend="cuda"), expected)


def run(script, *arguments):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(script), *arguments], capture_output=True, text=True,
                          timeout=300)


def test_no_pixel_comes_to_the_host():
    """The host's memory grows by a small part of the image at most."""
    done = run("""
        import resource, sys
        import cupy, srcextract
        extractor = srcextract.Extractor()
        random = cupy.random.default_rng(1)
        small, image = (random.standard_normal((side, side), dtype="f4") for side in (2048, 16384))
        extractor(small)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = extractor(image)
        found = extractor(image)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        print(found.backend, grown, image.nbytes)
    """)
    assert done.returncode == 0, done.stderr
    backend, grown, size = done.stdout.split()
    print(f"the host's memory grew by {int(grown) / 1e6:.1f} MB over an image of {int(size) / 1e6:.0f} MB")
    assert backend == "cuda" and int(grown) < int(size) / 8


def test_an_array_on_a_lost_device_is_told():
    done = run("""
        import cupy, srcextract
        array = cupy.zeros((500, 500), "f4")
        srcextract.extract(cupy.random.default_rng(1).standard_normal((500, 500), dtype="f4"))
        bad = cupy.RawKernel('extern "C" __global__ void bad(int* p) { *p = 1; }', "bad")
        bad((1,), (1,), (0,))
        try:
            cupy.cuda.Device().synchronize()
        except cupy.cuda.runtime.CUDARuntimeError:
            pass
        try:
            srcextract.extract(array)
        except srcextract.DeviceError as error:
            print("told:", error)
        import os, sys
        sys.stdout.flush()
        os._exit(0)
    """)
    assert "told:" in done.stdout and "new process" in done.stdout, (done.stdout, done.stderr)


@pytest.mark.parametrize("shared", [False, True])
def test_threads_at_the_same_time(shared):
    images = [field(seed) for seed in range(8)]
    expected = [on_host(image) for image in images]
    arrays = [cupy.asarray(image) for image in images]
    cupy.cuda.Device().synchronize()
    common = srcextract.Extractor()

    def work(number):
        extractor = common if shared else srcextract.Extractor()
        with cupy.cuda.Stream(non_blocking=True):
            for _ in range(20):
                assert_same(extractor(arrays[number]), expected[number], images=False)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_ten_thousand_calls_keep_nothing():
    array = cupy.asarray(field(shape=(64, 64), stars=3))
    lends = Lends(array)
    extractor = srcextract.Extractor()

    def some(count):
        for _ in range(count):
            extractor(array)
            extractor(lends)
            lends.asked.clear()
        gc.collect()
        return sys.getrefcount(array), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    some(500)
    references, memory = some(500)
    later, grown = some(5000)
    assert later == references
    assert grown - memory < 8 * 1024  # KB, of 10 000 calls


def test_many_files_and_arrays(sky_path):
    image = field()
    expected = srcextract.extract(sky_path, backend="cpu")
    given = [sky_path, "missing.fits", sky_path, cupy.asarray(image), sky_path]
    found = list(srcextract.extract_many(given, backend="cuda", progress=False))
    assert [bool(one) for one in found] == [True, False, True, True, True]
    for one in found[0], found[2], found[4]:
        assert one.backend == "cuda"
        assert_same(one, expected)
    assert_same(found[3], on_host(image))
    assert isinstance(found[1].error, srcextract.InputError)


def test_many_files_on_all_devices(sky_path):
    expected = srcextract.extract(sky_path, backend="cpu")
    found = list(srcextract.extract_many([sky_path] * 40, backend="cuda", devices=list(range(DEVICES)), progress=False))
    assert len(found) == 40
    for one in found:
        assert_same(one, expected, images=False)
