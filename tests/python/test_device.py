"""Arrays on a GPU give, where they lie, the catalogue that the same values give on the host, to the last bit."""
import numpy
import pytest

import srcextract
from srcextract import _core
from srcextract.arrays import array_of, plane_of

from device_support import Lends, assert_same, cupy, field, on_host


class Told:
    """What tells of memory of CuPy's by the interface alone."""

    def __init__(self, owner, shape, typestr, offset=0, strides=None, **more):
        self.owner = owner
        self.__cuda_array_interface__ = {"data": (owner.data.ptr + offset, False), "shape": shape, "typestr": typestr,
                                         "strides": strides, "version": 3, **more}


@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_every_type_is_read_where_it_lies(kind):
    image = field(kind=kind)
    found = srcextract.extract(cupy.asarray(image))
    assert found.backend == "cuda" and len(found) > 20
    assert_same(found, on_host(image))


@pytest.mark.parametrize("kind", [">f4", ">f8", ">i2", ">u2", ">i4", ">u4", ">i8", ">u8"])
def test_the_other_byte_order_is_read_where_it_lies(kind):
    image = field(kind=kind)
    there = cupy.asarray(numpy.frombuffer(image.tobytes(), "u1"))
    assert_same(srcextract.extract(Told(there, image.shape, kind)), on_host(image))


def layouts(image):
    wide = cupy.zeros((image.shape[0] * 2, image.shape[1] * 3), image.dtype)
    wide[::2, ::3] = cupy.asarray(image)
    return {"fortran": cupy.asfortranarray(cupy.asarray(image)), "strided": wide[::2, ::3],
            "reversed": cupy.asarray(image[::-1, ::-1].copy())[::-1, ::-1], "of one plane": cupy.asarray(image)[None],
            "a cut": cupy.asarray(numpy.pad(image, 5))[5:-5, 5:-5]}


@pytest.mark.parametrize("kind", ["f4", "i2", "u4", "f8", "i1"])
@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "of one plane", "a cut"])
def test_every_layout_is_read_where_it_lies(layout, kind):
    image = field(kind=kind)
    assert_same(srcextract.extract(layouts(image)[layout]), on_host(image))


@pytest.mark.parametrize("kind", ["<f4", ">i2", "<u4", "<f8"])
def test_pixels_may_begin_at_any_byte(kind):
    image = field(kind=kind)
    there = cupy.asarray(numpy.frombuffer(b"\0" + image.tobytes(), "u1"))
    assert_same(srcextract.extract(Told(there, image.shape, kind, offset=1)), on_host(image))


@pytest.mark.parametrize("kind", ["i2", "u2", "u1", "i8"])
def test_scaled_pixels_and_blank_are_decoded_there(kind):
    image = field(kind=kind)
    image[40:60, 100:140] = 7

    def extract(values, backend):
        inputs = _core.PixelInputs()
        inputs.name = "scaled"
        inputs.planes = [plane_of(array_of(values, "scaled"), "scaled", bscale=0.25, bzero=-3.0, blank=7)]
        return srcextract.Catalogue(_core.Extractor(backend, [], 1).extract(
            srcextract.configuration.read(), inputs, _core.FilesWith()))

    expected = extract(image, "cpu")
    assert expected._made.masked > 800
    found = extract(cupy.asarray(image), "auto")
    assert found._made.masked == expected._made.masked and found.backend == "cuda"
    assert_same(found, expected)


def test_nan_and_infinity_are_masked_there():
    image = field()
    image[10:20, 10:90] = numpy.nan
    image[50, 50:70] = numpy.inf
    assert_same(srcextract.extract(cupy.asarray(image)), on_host(image))


@pytest.mark.parametrize("image_there", [True, False])
@pytest.mark.parametrize("what", ["mask", "float mask", "weight", "error"])
@pytest.mark.parametrize("map_there", [True, False])
def test_maps_lie_where_they_want(what, map_there, image_there):
    image = field()
    random = numpy.random.default_rng(3)
    values = {"mask": random.uniform(size=image.shape) < 0.02,
              "float mask": (random.uniform(size=image.shape) < 0.02).astype("f4"),
              "weight": random.uniform(0.05, 0.2, image.shape).astype("f4"),
              "error": random.uniform(2, 4, image.shape)}[what]
    key = what.split()[-1]
    expected = on_host(image, **{key: values})
    found = srcextract.extract(cupy.asarray(image) if image_there else image, backend="auto" if image_there else "cuda",
                               **{key: cupy.asarray(values) if map_there else values})
    assert found.backend == "cuda"
    assert_same(found, expected)
    assert found.warnings == expected.warnings


def test_warnings_are_those_of_the_host():
    image = field() + numpy.linspace(0, 60, 350).astype("f4")
    given = {"background__method": "constant", "weights__rescale": False}
    expected = on_host(image, error=numpy.full(image.shape, 90.0), **given)
    found = srcextract.extract(cupy.asarray(image), error=cupy.full(image.shape, 90.0), **given)
    assert len(expected.warnings) == 2
    assert found.warnings == expected.warnings


def test_dlpack_is_told_a_stream():
    image = field()
    lends = Lends(cupy.asarray(image))
    assert_same(srcextract.extract(lends), on_host(image))
    assert lends.asked == [{"stream": 1}]


@pytest.mark.parametrize("told", [{"stream": 1}, {"stream": 2}, {"stream": None}, {}])
def test_streams_of_the_interface(told):
    image = field()
    there = cupy.asarray(image)
    cupy.cuda.Device().synchronize()
    assert_same(srcextract.extract(Told(there, image.shape, "<f4", **told)), on_host(image))


def test_a_stream_of_number_0_is_refused():
    image = field()
    with pytest.raises(srcextract.InputError, match="1 is the legacy"):
        srcextract.extract(Told(cupy.asarray(image), image.shape, "<f4", stream=0))


DELAY = r"""
extern "C" __global__ void delay(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) continue;
}
"""


def by_cupy(array, stream):
    with stream:
        return EXTRACTOR(array)


def by_stream_entry(array, stream):
    return EXTRACTOR(Told(array, array.shape, "<f4", stream=stream.ptr))


def by_dlpack(array, stream):
    with stream:
        return EXTRACTOR(Lends(array))


EXTRACTOR = srcextract.Extractor(backend="auto")


@pytest.mark.parametrize("extract", [by_cupy, by_stream_entry, by_dlpack])
def test_what_another_stream_still_writes_is_waited_for(extract):
    """A thousand times: without the wait the image is still that of before, since a kernel is in the writer's way."""
    images = [field(seed) for seed in range(4)]
    expected = [on_host(image) for image in images]
    sources = [cupy.asarray(image) for image in images]
    array = cupy.zeros_like(sources[0])
    delay = cupy.RawKernel(DELAY, "delay")
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    for turn in range(1000):
        with stream:
            delay((1,), (1,), (numpy.int64(500_000),))
            array[...] = sources[turn % 4]
        assert_same(extract(array, stream), expected[turn % 4], images=turn < 4)


def test_an_array_may_be_written_again_when_the_call_returns():
    images = [field(seed) for seed in range(4)]
    expected = [on_host(image) for image in images]
    array = cupy.empty(images[0].shape, "f4")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for turn in range(200):
            array.set(images[turn % 4])
            found = EXTRACTOR(array)
            array[...] = cupy.nan
            assert_same(found, expected[turn % 4], images=False)


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    image = field()
    expected = on_host(image)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        tensor = torch.from_numpy(image).to("cuda", non_blocking=True)
        assert_same(srcextract.extract(tensor), expected)
        assert_same(srcextract.extract(tensor.t().contiguous().t()), expected)
    assert_same(srcextract.extract(tensor.cpu(), backend="cpu"), expected)
    with pytest.raises(srcextract.InputError, match="bfloat16"):
        srcextract.extract(tensor.to(torch.bfloat16))


def test_arrays_of_jax():
    jax = pytest.importorskip("jax")
    image = field()
    assert_same(srcextract.extract(jax.numpy.asarray(image)), on_host(image))


@pytest.mark.parametrize("kind", ["f2", "c8"])
def test_a_type_that_pixels_cannot_have_is_told(kind):
    with pytest.raises(srcextract.InputError, match="converted?|convert the array"):
        srcextract.extract(cupy.zeros((50, 50), kind))


def test_the_host_is_no_place_for_an_array_of_a_device():
    with pytest.raises(srcextract.ConfigError, match=r"(?s)the image lies in the memory of GPU 0.*backend='cpu'.*get\(\)"):
        srcextract.extract(cupy.zeros((50, 50)), backend="cpu")
    with pytest.raises(srcextract.ConfigError, match="the mask lies in the memory of GPU 0"):
        srcextract.extract(field(), mask=cupy.zeros((300, 350), bool), backend="cpu")


def test_memory_of_no_device_is_told():
    host = numpy.zeros((50, 50), "f4")

    class Lies:
        __cuda_array_interface__ = {"data": (host.ctypes.data, False), "shape": host.shape, "typestr": "<f4",
                                    "version": 3, "stream": None}

    with pytest.raises(srcextract.InputError, match="lies in the memory of none"):
        srcextract.extract(Lies())
