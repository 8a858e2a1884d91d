"""Native arrays of float32 are worked on where they lie: the answers are those of a copy, nobody writes to them, and no
second image is made. Each case has a process of its own, in which the arrays lie in pages that cannot be written to."""
import mmap
import pathlib
import subprocess
import sys
import tempfile

import numpy
import pytest

import srcextract
from srcextract import sep


def field(seed=1, shape=(260, 300)):
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(50, 4, shape) + 0.02 * x
    for at_y, at_x, light in zip(random.uniform(5, shape[0] - 5, 50), random.uniform(5, shape[1] - 5, 50),
                                 random.uniform(50, 600, 50), strict=True):
        image += light * numpy.exp(-((y - at_y)**2 + (x - at_x)**2) / 6)
    image[100:110, 30:40] -= 60
    return image.astype("f4")


def locked(array):
    """The same values in pages of which the process that writes to them dies."""
    with tempfile.TemporaryFile() as file:
        file.write(array.tobytes())
        file.flush()
        pages = mmap.mmap(file.fileno(), array.nbytes, prot=mmap.PROT_READ)
    lent = numpy.frombuffer(pages, array.dtype).reshape(array.shape)
    assert not lent.flags.writeable and lent.flags.c_contiguous
    return lent


def turned(array):
    """The same values in the other byte order, which have to be decoded."""
    return array.astype(array.dtype.newbyteorder(">")) if array.dtype.itemsize > 1 else array.copy()


def assert_same(one, other):
    assert len(one) > 0
    for name in one.columns:
        numpy.testing.assert_array_equal(one[name], other[name], name)
    for name in "background", "rms", "segmentation":
        numpy.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


IMAGE = field()
BAD = numpy.zeros(IMAGE.shape, "u1")
BAD[40:60, 100:130] = 1
NOISE = numpy.random.default_rng(2).uniform(3, 6, IMAGE.shape).astype("f4")
PLACES = numpy.random.default_rng(3).uniform(20, 240, (30, 2))

EXTRACTIONS = {
    "as it is": {},
    "constant": {"background__method": "constant"},
    "mesh": {"background__method": "mesh", "background__mesh_size": 32},
    "mask": {"mask": BAD},
    "error": {"error": NOISE},
    "error, interpolated": {"error": NOISE, "weights__type": "rms", "weights__hdu": "ERR",
                            "weights__interpolate": "variance"},
    "level": {"background__level": 50},
    "positions": {"positions": PLACES},
    "positions, constant": {"positions": PLACES, "background__method": "constant"},
    "fainter": {"detection__sign": "negative", "detection__threshold": 2},
    "both signs": {"detection__sign": "both", "detection__threshold": 2},
    "convolved": {"convolve__kernel": "gaussian", "convolve__fwhm": 2.5, "background__method": "constant"},
    "matched": {"convolve__kernel": "gaussian", "convolve__fwhm": 2.5, "convolve__filter": "matched"},
    "deblended": {"deblend__method": "tree", "deblend__clean": True, "background__method": "constant"},
    "all columns": {"output__columns": ["all"], "measurement__apertures": [5], "background__method": "constant"},
    "seeds": {"detection__seed": 9, "detection__analysis_threshold": 2, "background__method": "constant"},
}


def extracts(name):
    keys = EXTRACTIONS[name]
    arrays = {key: keys[key] for key in ("mask", "error") if key in keys}
    keys = {key: value for key, value in keys.items() if key not in arrays}
    for threads in 1, 2:
        extractor = srcextract.Extractor(backend="cpu", threads=threads, **{
            key: value for key, value in keys.items() if key != "positions"})
        places = {"positions": keys["positions"]} if "positions" in keys else {}
        expected = extractor(turned(IMAGE), **{key: turned(array) for key, array in arrays.items()}, **places)
        lent = {key: locked(array) for key, array in arrays.items()}
        assert_same(extractor(locked(IMAGE), **lent, **places), expected)
        own = IMAGE.copy()
        assert_same(extractor(own, **lent, **places), expected)
        assert own.tobytes() == IMAGE.tobytes()


def extracts_what_is_not_finite():
    """Of NaN there are many, and infinities, which the stages do not know."""
    for keys in {}, {"background__method": "constant"}:
        for bits in (0x7fc00000,), (0xffc00000,), (0x7fc00000, 0x7f800001), (0x7f800000, 0xff800000, 0x7fc00000):
            image = IMAGE.copy()
            for at, one in enumerate(bits):
                image.view("u4")[10 + at::40, 3::25] = one
            image[200:230, 150:180].view("u4")[...] = bits[0]
            found = srcextract.extract(locked(image), backend="cpu", **keys)
            assert_same(found, srcextract.extract(turned(image), backend="cpu", **keys))
            gone = numpy.ma.array(IMAGE, mask=~numpy.isfinite(image))
            assert_same(found, srcextract.extract(gone, backend="cpu", **keys))


def combines_and_subtracts():
    stack = numpy.stack([field(seed) for seed in (1, 1, 1)])
    stack[1] += 2
    for method in "mean", "median", "inverse_variance":
        assert_same(srcextract.extract(locked(stack), backend="cpu", combine__method=method),
                    srcextract.extract(turned(stack), backend="cpu", combine__method=method))
    new = IMAGE.copy()
    new[100:104, 200:204] += 300
    changed = srcextract.difference(locked(new), locked(IMAGE), backend="cpu", difference__kernel="gaussian")
    expected = srcextract.difference(turned(new), turned(IMAGE), backend="cpu", difference__kernel="gaussian")
    assert len(changed) > 0
    for name in changed.columns:
        numpy.testing.assert_array_equal(changed[name], expected[name])


def goes_stage_by_stage():
    image, plain = locked(IMAGE), turned(IMAGE)
    for keys in {"method": "mesh", "mesh_size": 32}, {"method": "constant"}:
        sky, same = srcextract.background(image, **keys), srcextract.background(plain, **keys)
        numpy.testing.assert_array_equal(sky.level, same.level)
        above = sky.subtract(image)
        numpy.testing.assert_array_equal(above, same.subtract(plain))
        numpy.testing.assert_array_equal(sky.subtracted.subtract(image), IMAGE)
        found, again = srcextract.threshold(image, sky, threshold=3), srcextract.threshold(plain, same, threshold=3)
        labels = srcextract.deblend(image, srcextract.label(found), sky)
        assert len(labels) > 20
        numpy.testing.assert_array_equal(labels.image, srcextract.deblend(plain, srcextract.label(again), same).image)
        given, mask = locked(labels.image), locked(found.mask.view("u1")).view(bool)
        numpy.testing.assert_array_equal(srcextract.label(mask).image, srcextract.label(found).image)
        columns = {"background__method": keys["method"], "columns": ["default", "photometry"]}
        one = srcextract.photometry(image, given, sky, columns=columns["columns"])
        other = srcextract.photometry(plain, turned(labels.image), same, columns=columns["columns"])
        for name in one.columns:
            numpy.testing.assert_array_equal(one[name], other[name])
        smooth = srcextract.convolve(locked(numpy.array(above)), kernel="gaussian", fwhm=3)
        numpy.testing.assert_array_equal(smooth, srcextract.convolve(turned(numpy.array(above)), kernel="gaussian", fwhm=3))
    planes = [locked(IMAGE), locked(IMAGE[::-1].copy())]
    numpy.testing.assert_array_equal(srcextract.combine(planes), srcextract.combine([turned(plane) for plane in planes]))
    numpy.testing.assert_array_equal(srcextract.render(image), srcextract.render(plain))


def keeps_what_it_was_given():
    """What as_image() returns is of its own; what a stage makes outlives the array."""
    image = IMAGE.copy()
    held, sky = srcextract.as_image(image), srcextract.background(image)
    rest = sky.subtracted.subtract(image)
    above = sky.subtract(image)
    expected = above.copy()
    image[:] = 0
    numpy.testing.assert_array_equal(held, IMAGE)
    numpy.testing.assert_array_equal(rest, IMAGE)
    numpy.testing.assert_array_equal(above, expected)


def does_what_sep_does():
    def objects_of(given):
        image, noise, mask = given(IMAGE), given(NOISE), given(BAD)
        for sizes in {}, {"bw": 32, "bh": 16}, {"bw": 16, "bh": 32}:
            sky = sep.Background(image, **sizes)
            yield sky.back(numpy.float32)
            yield sep.Background(image, mask=mask, **sizes).back(numpy.float32)
        sky = sep.Background(image)
        above = given(numpy.asarray(image - sky, dtype="f4"))
        yield numpy.asarray(above, dtype="f4")
        for keys in ({"err": sky.globalrms}, {"err": noise}, {"var": noise}, {"var": noise, "mask": mask},
                     {"err": sky.globalrms, "mask": mask}, {"var": noise, "filter_type": "conv"},
                     {"err": sky.globalrms, "filter_kernel": None}):
            objects, segments = sep.extract(above, 2.0, segmentation_map=True, **keys)
            assert len(objects) > 20
            yield objects
            yield segments
            yield sep.extract(above, 2.0, segmentation_map=given(segments), **keys)[0]
        place = objects["x"], objects["y"]
        shape = objects["a"], objects["b"], objects["theta"]
        for keys in {}, {"mask": mask}, {"segmap": given(segments), "seg_id": numpy.arange(1, len(objects) + 1)}:
            yield from sep.sum_circle(above, *place, 3.0, err=noise, **keys)
            yield from sep.sum_ellipse(above, *place, *shape, 2.0, err=noise, **keys)
            yield from sep.kron_radius(above, *place, *shape, 6.0, **keys)
            yield from sep.flux_radius(above, *place, 6.0 * objects["a"], 0.5, **keys)
        yield from sep.winpos(above, *place, 2.0)

    for one, other in zip(objects_of(locked), objects_of(turned), strict=True):
        assert numpy.asarray(one).tobytes() == numpy.asarray(other).tobytes()


CASES = {"not finite": extracts_what_is_not_finite, "planes": combines_and_subtracts, "stages": goes_stage_by_stage,
         "results": keeps_what_it_was_given, "sep": does_what_sep_does,
         **{name: lambda name=name: extracts(name) for name in EXTRACTIONS}}


@pytest.mark.parametrize("case", CASES)
def test_nobody_writes_to_an_array_that_is_lent(case):
    if case == "planes":
        pytest.importorskip("astropy")
    ended = subprocess.run([sys.executable, "-X", "faulthandler", __file__, case], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def grows(method, combine, stars):
    """Prints how many images a call needs beside those that it is given, in images."""
    side = 6144  # pages of 2 MiB, where a system has them, count for little then
    image = numpy.random.default_rng(4).standard_normal((side, side), dtype="f4")
    image *= 5  # in place: what was there before would hide what the call needs
    image += 100
    if stars == "stars":
        image[16::64, 16::64] += 400
    given = image if combine == "none" else numpy.stack([image] * 3)
    extractor = srcextract.Extractor({"extends": "none"}, backend="cpu", threads=1, background__method=method, detection__min_area=1,
                                     combine__method=combine)
    extractor(given[..., :256, :256].copy())
    before = peak()
    assert len(extractor(given)) > (1000 if stars == "stars" else -1)
    print((peak() - before) * 2**20 / image.nbytes)


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="no /proc")
@pytest.mark.parametrize(("method", "combine", "images", "more"), [("constant", "none", 0, 0.15), ("mesh", "none", 1, 0.03),
                                                                   ("mesh", "median", 1, 0.03)])
@pytest.mark.parametrize("stars", ["stars", "none"])
def test_a_call_holds_no_second_image(method, combine, images, more, stars):
    """Beside the arrays there is what is above a mesh of its sky, or what becomes of planes, and a bit a pixel for the
    foreground; of one sky for all the sample of the clip; and else nothing that grows with the image."""
    ended = subprocess.run([sys.executable, __file__, "peak", method, combine, stars], capture_output=True, text=True,
                           check=True)
    assert images <= float(ended.stdout) < images + 1 / 32 + more


if __name__ == "__main__":
    if sys.argv[1] == "peak":
        grows(*sys.argv[2:])
    else:
        CASES[sys.argv[1]]()
