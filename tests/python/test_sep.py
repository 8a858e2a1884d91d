"""srcextract.sep beside SEP: its own suite, and every function on fields of stars."""
import os

import numpy
import pytest

import peer_suites
from sep_peer import peer
from srcextract import sep as ours
from srcextract.errors import SrcextractError

SEEDS = [1, 2, 3]


def test_the_suite_of_sep_passes():
    """That of the sdist of SEP, unpacked where SRCEXTRACT_SEP_SOURCES says."""
    sources = os.environ.get("SRCEXTRACT_SEP_SOURCES")
    if not sources:
        pytest.skip("set SRCEXTRACT_SEP_SOURCES to an unpacked sdist of SEP (tests/README.md)")
    pytest.importorskip("astropy")
    tests = peer_suites.of_sep(sources)
    assert peer_suites.differ(tests) == peer_suites.excepted("sep_suite_exceptions.txt")
    assert len(tests) >= 26


class Field:
    """Round and elliptical Moffat stars with a gradient and noise; some overlap."""

    def __init__(self, seed, shape=(240, 310), stars=60, close=0):
        random = numpy.random.default_rng(seed)
        height, width = shape
        y, x = numpy.mgrid[:height, :width]
        self.x, self.y = random.uniform(6, width - 6, stars), random.uniform(6, height - 6, stars)
        self.x[:close], self.y[:close] = self.x[-close:] + 5 if close else [], self.y[-close:] + 4 if close else []
        image = random.normal(100, 3, shape) + 0.05 * x + 0.02 * y
        for x0, y0 in zip(self.x, self.y):
            angle, ratio = random.uniform(0, numpy.pi), random.uniform(0.5, 1)
            u = (x - x0) * numpy.cos(angle) + (y - y0) * numpy.sin(angle)
            v = ((y - y0) * numpy.cos(angle) - (x - x0) * numpy.sin(angle)) / ratio
            image += random.uniform(100, 4000) * (1 + (u**2 + v**2) / 6) ** -2.5
        self.image = image.astype("f4")
        self.mask = random.random(shape) < 0.02
        self.noise = random.uniform(2, 4, shape).astype("f4")
        self.a = random.uniform(0.5, 4, stars)
        self.b = self.a * random.uniform(0.3, 1, stars)
        self.theta = random.uniform(-1.57, 1.57, stars)
        self.r = random.uniform(0.5, 8, stars)
        self.segments = numpy.where(random.random(shape) < 0.1, random.integers(1, 4, shape), 0).astype("i4")
        self.ids = random.choice([-2, -1, 1, 2, 3], stars).astype("i4")


@pytest.fixture(params=SEEDS, scope="module")
def field(request):
    return Field(request.param)


def assert_alike(mine, theirs, rtol=1e-6, atol=0.0):
    """The same types and shapes, numbers but for rounding, and the same flags."""
    for one, other in zip(mine, theirs, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        if one.dtype.kind == "i":
            numpy.testing.assert_array_equal(one, other)
        else:
            numpy.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


MESHES = [{}, {"bw": 32, "bh": 32}, {"bw": 50, "bh": 20, "fw": 5, "fh": 3}, {"bw": 20, "bh": 50, "fw": 3, "fh": 1},
          {"bw": 400, "bh": 400}, {"fw": 4, "fh": 4, "fthresh": 0.5}, {"bw": 16, "bh": 400}, {"bw": 400, "bh": 16}]


@pytest.mark.parametrize("sizes", MESHES, ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_background(field, sizes, masked):
    sep = peer()
    mask = field.mask if masked else None
    mine, theirs = ours.Background(field.image, mask, **sizes), sep.Background(field.image, mask, **sizes)
    assert mine.globalback == theirs.globalback and mine.globalrms == theirs.globalrms
    for dtype in (None, "f8", "f4"):
        assert_alike([mine.back(dtype), mine.rms(dtype)], [theirs.back(dtype), theirs.rms(dtype)], rtol=3e-6)
    for image in (field.image, field.image.astype("f8")):
        changed = image.copy()
        mine.subfrom(changed)
        assert_alike([image - mine, changed], [image - theirs] * 2, rtol=0, atol=1e-3)
        assert numpy.array_equal(changed, image - mine)
    assert numpy.array_equal(numpy.array(mine), mine.back())


def noises(field):
    return {"nothing": {}, "one": {"err": 2.0, "gain": 3.0}, "map": {"err": field.noise},
            "variances": {"var": field.noise, "gain": 2.0}, "mask": {"mask": field.mask, "err": field.noise},
            "segments": {"segmap": field.segments, "seg_id": field.ids, "err": 2.0},
            "both": {"segmap": field.segments, "seg_id": field.ids, "mask": field.mask, "err": field.noise}}


KINDS = ["nothing", "one", "map", "variances", "mask", "segments", "both"]


@pytest.mark.parametrize("subpix", [5, 1, 0, 11, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_apertures(field, subpix, kind):
    sep = peer()
    told = dict(noises(field)[kind], subpix=subpix)
    x, y, r = field.x, field.y, field.r
    ellipse = field.a, field.b, field.theta
    close = {"rtol": 1e-6, "atol": 1e-6}
    data = field.image
    assert_alike(ours.sum_circle(data, x, y, r, **told), sep.sum_circle(data, x, y, r, **told), **close)
    assert_alike(ours.sum_circann(data, x, y, r / 2, r, **told), sep.sum_circann(data, x, y, r / 2, r, **told), **close)
    assert_alike(ours.sum_ellipse(data, x, y, *ellipse, r / 2, **told),
                 sep.sum_ellipse(data, x, y, *ellipse, r / 2, **told), **close)
    assert_alike(ours.sum_ellipann(data, x, y, *ellipse, r / 4, r / 2, **told),
                 sep.sum_ellipann(data, x, y, *ellipse, r / 4, r / 2, **told), **close)


@pytest.mark.parametrize("kind", KINDS[:5])
def test_the_sky_in_a_ring(field, kind):
    sep = peer()
    told = dict(noises(field)[kind], bkgann=(field.r + 1, field.r + 4))
    x, y, r = field.x, field.y, field.r
    close = {"rtol": 1e-5, "atol": 1e-3}
    assert_alike(ours.sum_circle(field.image, x, y, r, **told), sep.sum_circle(field.image, x, y, r, **told), **close)
    ellipse = field.a, field.b, field.theta, r / 2
    assert_alike(ours.sum_ellipse(field.image, x, y, *ellipse, **told),
                 sep.sum_ellipse(field.image, x, y, *ellipse, **told), **close)


@pytest.mark.parametrize("kind", ["nothing", "mask", "segments"])
def test_radii(field, kind):
    sep = peer()
    told = {name: value for name, value in noises(field)[kind].items() if name != "err"}
    above = field.image - sep.Background(field.image)
    x, y = field.x, field.y
    ellipse = field.a, field.b, field.theta
    assert_alike(ours.kron_radius(above, x, y, *ellipse, 6.0, **told),
                 sep.kron_radius(above, x, y, *ellipse, 6.0, **told), rtol=1e-5)
    for subpix in (5, 2):
        for norm in ({}, {"normflux": field.r * 200}):
            assert_alike(
                ours.flux_radius(above, x, y, field.r * 2, [0.1, 0.5, 0.9], subpix=subpix, **told, **norm),
                sep.flux_radius(above, x, y, field.r * 2, [0.1, 0.5, 0.9], subpix=subpix, **told, **norm), rtol=1e-5)


@pytest.mark.parametrize("subpix", [11, 5, 0])
@pytest.mark.parametrize("masked", [False, True])
def test_windowed_positions(field, subpix, masked):
    sep = peer()
    above = field.image - sep.Background(field.image)
    start = field.x + 0.3, field.y - 0.2
    told = {"mask": field.mask if masked else None, "subpix": subpix}
    assert_alike(ours.winpos(above, *start, 1.2, **told), sep.winpos(above, *start, 1.2, **told),
                 rtol=0, atol=1e-5)


def test_ellipses(field):
    sep = peer()
    form = ours.ellipse_coeffs(field.a, field.b, field.theta)
    assert_alike(form, sep.ellipse_coeffs(field.a, field.b, field.theta), rtol=1e-12)
    assert_alike(ours.ellipse_axes(*form), (field.a, field.b, field.theta), rtol=1e-9)
    for at_axis in ((1.0, 2.0, 0.0), (2.0, 1.0, 0.0), (1.0, 1.0, 0.0)):
        assert_alike(ours.ellipse_axes(*at_axis), sep.ellipse_axes(*at_axis), rtol=1e-12)
    for dtype in ("?", "u1"):
        mine, theirs = numpy.zeros(field.image.shape, dtype), numpy.zeros(field.image.shape, dtype)
        ours.mask_ellipse(mine, field.x, field.y, field.a, field.b, field.theta, field.r)
        sep.mask_ellipse(theirs, field.x, field.y, field.a, field.b, field.theta, field.r)
        assert numpy.array_equal(mine, theirs)
    for dtype in (">f4", "i8"):  # which SEP refuses
        other = numpy.zeros(field.image.shape, dtype)[::-1][::-1]
        ours.mask_ellipse(other, field.x, field.y, *form[:2], None, r=field.r, cxx=form[0], cyy=form[1], cxy=form[2])
        assert numpy.array_equal(other != 0, mine != 0)


def assert_same_objects(mine, theirs, rtol=1e-4):
    assert mine.dtype == theirs.dtype
    assert len(mine) == len(theirs) > 20
    for name in mine.dtype.names:
        if mine.dtype[name].kind == "i":
            numpy.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)
        else:
            atol = 1e-4 if name in ("xy", "errxy", "cxy", "theta") else 0
            numpy.testing.assert_allclose(mine[name], theirs[name], rtol=rtol, atol=atol, err_msg=name)


KERNEL = numpy.array([[1, 2, 3, 2, 1], [2, 4, 6, 4, 1], [3, 6, 9, 5, 2], [1, 2, 4, 3, 1], [1, 1, 2, 1, 0]], "f8")
WHOLE = {"plain": {}, "no filter": {"filter_kernel": None}, "gain": {"gain": 2.0}, "one pixel": {"minarea": 1},
         "kernel": {"filter_kernel": KERNEL}, "oblong kernel": {"filter_kernel": KERNEL[:4, :3]},
         "wings": {"clean_param": 0.5}, "all": {"clean": False}}


@pytest.mark.parametrize("told", WHOLE.values(), ids=WHOLE)
def test_objects_that_are_not_deblended(field, told):
    """Every column, the order, and the map."""
    sep = peer(3)
    sky = sep.Background(field.image)
    above = field.image - sky
    told = dict(told, err=sky.globalrms, deblend_cont=1.0, segmentation_map=True)
    mine, theirs = ours.extract(above, 2.0, **told), sep.extract(above, 2.0, **told)
    assert_same_objects(mine[0], theirs[0])
    numpy.testing.assert_array_equal(mine[1], theirs[1])
    assert mine[1].dtype == theirs[1].dtype


@pytest.mark.parametrize("filter_type", ["conv", "matched"])
@pytest.mark.parametrize("kernel", [None, KERNEL], ids=["no kernel", "kernel"])
def test_objects_by_a_map_of_noise(field, filter_type, kernel):
    sep = peer(3)
    sky = sep.Background(field.image)
    above = field.image - sky
    told = {"err": field.noise, "deblend_cont": 1.0, "clean": False, "filter_type": filter_type,
            "filter_kernel": kernel}
    assert_same_objects(ours.extract(above, 2.0, **told), sep.extract(above, 2.0, **told))


def matched_share(mine, theirs, within):
    """Of theirs, how many have one of mine so near."""
    near = numpy.hypot(mine["x"][None] - theirs["x"][:, None], mine["y"][None] - theirs["y"][:, None])
    return near.argmin(axis=1), near.min(axis=1) < within


@pytest.mark.parametrize("seed", SEEDS)
def test_objects_that_are_deblended(seed):
    """Pixels that are in no part are anybody's in SEP, by lot: but for them the objects are the same."""
    sep = peer(3)
    crowded = Field(seed, stars=160, close=40)
    sky = sep.Background(crowded.image)
    above = crowded.image - sky
    told = {"err": sky.globalrms, "clean": False}
    mine, theirs = ours.extract(above, 2.0, **told), sep.extract(above, 2.0, **told)
    assert len(mine) == len(theirs)
    assert (theirs["flag"] & sep.OBJ_MERGED).any()
    numpy.testing.assert_allclose(mine["x"], theirs["x"], atol=1e-3)
    numpy.testing.assert_allclose(mine["y"], theirs["y"], atol=1e-3)
    numpy.testing.assert_array_equal(mine["flag"] & ~8, theirs["flag"] & ~8)
    whole = (theirs["flag"] & sep.OBJ_MERGED) == 0
    assert_same_objects(mine[whole], theirs[whole])
    cleaned, of_sep = ours.extract(above, 2.0, err=sky.globalrms), sep.extract(above, 2.0, err=sky.globalrms)
    _, near = matched_share(cleaned, of_sep, 0.01)
    assert near.mean() > 0.96 and abs(len(cleaned) - len(of_sep)) <= 0.05 * len(of_sep)


def test_a_map_of_objects_is_measured(field):
    above = field.image - ours.Background(field.image)
    found, segments = ours.extract(above, 10.0, segmentation_map=True)
    assert [int((segments == i + 1).sum()) for i in range(len(found))] == list(found["npix"])
    again, same = ours.extract(above, 10.0, segmentation_map=segments.astype(">i8"))
    assert numpy.array_equal(segments, same)
    for name in ("npix", "xmin", "ymax", "flux", "cpeak", "xpeak"):
        numpy.testing.assert_array_equal(found[name], again[name])


TYPES = ["<f4", ">f4", "<f8", ">f8", "<i4", ">i2", "<u2", "u1", "i1", ">i8"]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("laid", ["as it is", "backwards", "in columns", "every other"])
def test_any_array_is_taken(kind, laid):
    """The same numbers whatever the array is like."""
    image = numpy.clip(Field(1).image / 16, 0, 120).astype(kind)
    layouts = {"as it is": lambda a: a, "backwards": lambda a: a[::-1].copy()[::-1],
               "in columns": numpy.asfortranarray, "every other": lambda a: numpy.repeat(a, 2, axis=1)[:, ::2]}
    array = layouts[laid](image)
    assert numpy.array_equal(array, image)
    plain = image.astype("f4")
    x, y = Field(1).x, Field(1).y
    assert ours.Background(array).globalback == ours.Background(plain).globalback
    assert numpy.array_equal(ours.extract(array, 20.0), ours.extract(plain, 20.0))
    assert_alike(ours.sum_circle(array, x, y, 3.0), ours.sum_circle(plain, x, y, 3.0), rtol=1e-12)


def test_the_number_of_threads_changes_nothing(field):
    results = []
    before = ours.get_threads()
    try:
        for threads in (1, 2, 5):
            ours.set_threads(threads)
            sky = ours.Background(field.image)
            above = field.image - sky
            objects, segments = ours.extract(above, 2.0, err=sky.rms(), segmentation_map=True)
            circles = ours.sum_circle(above, field.x, field.y, field.r, err=field.noise)
            kron = ours.kron_radius(above, field.x, field.y, field.a, field.b, field.theta, 6.0)
            results.append([above, objects, segments, *circles, *kron])
    finally:
        ours.set_threads(before)
    for other in results[1:]:
        for one, same in zip(results[0], other, strict=True):
            assert one.tobytes() == same.tobytes()


def test_single_numbers_give_single_numbers(field):
    whole = ours.sum_circle(field.image, field.x[:1], field.y[:1], 3.0)
    one = ours.sum_circle(field.image, field.x[0], field.y[0], 3.0)
    assert [value.shape for value in one] == [(), (), ()]
    assert [value[0] for value in whole] == [value[()] for value in one]


ODD = {
    "no position": lambda sep, d: sep.sum_circle(d, numpy.array([]), numpy.array([]), 3.0),
    "no size": lambda sep, d: sep.sum_circle(d, [10.0, 10.2], [10.0, 10.0], 0.0, subpix=1),
    "a small one": lambda sep, d: sep.sum_circle(d, [10.0, 10.2], [10.0, 10.0], 0.2, subpix=1),
    "larger than the image": lambda sep, d: sep.sum_circle(d, [10.0], [10.0], 1e6),
    "off the image": lambda sep, d: sep.sum_circle(d, [-90.0, 900.0], [5.0, 5.0], 3.0, err=1.0),
    "NaN": lambda sep, d: sep.sum_circle(d, [numpy.nan, 5.0], [5.0, 5.0], [3.0, numpy.nan]),
    "an ellipse that is a line": lambda sep, d: sep.sum_ellipse(d, [10.0], [10.0], 2.0, 0.0, 0.0, 1.0),
    "Kron of a point": lambda sep, d: sep.kron_radius(d, [10.0], [10.0], 0.0, 0.0, 0.0, 6.0),
    "Kron of the dark": lambda sep, d: sep.kron_radius(-numpy.abs(d), [10.0], [10.0], 2.0, 1.0, 0.0, 6.0),
    "no light within nothing": lambda sep, d: sep.flux_radius(d, [10.0], [10.0], [0.0], 0.5),
    "a window that leaves": lambda sep, d: sep.winpos(numpy.abs(d), [1.0, 30.0], [38.0, numpy.nan], 1.5),
    "no noise": lambda sep, d: [sep.extract(d, 1.0, err=0.0)["npix"]],
    "a threshold of 0": lambda sep, d: [sep.extract(d, 0.0)["npix"]],
    "everything": lambda sep, d: [sep.extract(d * 0 + 1, 0.5)[name] for name in ("npix", "x", "y", "flag")],
    "an image without noise": lambda sep, d: [numpy.array(sep.Background(d * 0 + 3).globalrms)],
    "nothing but mask": lambda sep, d: [sep.Background(d, mask=d < 99).back(), sep.Background(d, mask=d < 99).rms()],
}


@pytest.mark.parametrize("ask", ODD.values(), ids=ODD)
def test_odd_questions_have_the_same_answers(ask):
    data = numpy.random.default_rng(5).normal(size=(40, 50)).astype("f4")
    assert_alike(ask(ours, data), ask(peer(3), data), rtol=1e-5)


WRONG = [
    (lambda d: ours.sum_circle(d[0], 1.0, 1.0, 3.0), "2-d"),
    (lambda d: ours.sum_circle(d, 1.0, 1.0, -3.0), "invalid aperture parameters"),
    (lambda d: ours.sum_circle(d, 1.0, 1.0, 3.0, err=1.0, var=1.0), "Cannot specify both err and var"),
    (lambda d: ours.sum_circle(d, 1.0, 1.0, 3.0, err=d[:3]), "must match data"),
    (lambda d: ours.sum_circle(d, 1.0, 1.0, 3.0, subpix=-1), "nonnegative"),
    (lambda d: ours.sum_circle(d, [1.0], [1.0], 3.0, segmap=numpy.zeros(d.shape, "i4")), "seg_id"),
    (lambda d: ours.sum_circle(d * 1j, 1.0, 1.0, 3.0), "complex"),
    (lambda d: ours.sum_circle(d, -500.0, 1.0, 3.0, bkgann=(4.0, 5.0)), "at index 0"),
    (lambda d: ours.sum_ellipse(d, 1.0, 1.0, 1.0, 2.0, 0.0), "invalid aperture parameters"),
    (lambda d: ours.sum_ellipse(d, 1.0, 1.0, 2.0, 1.0, 3.0), "invalid aperture parameters"),
    (lambda d: ours.flux_radius(d, 1.0, 1.0, -3.0, 0.5), "invalid aperture parameters"),
    (lambda d: ours.winpos(d, 1.0, 1.0, 3.0, subpix=-1), "nonnegative"),
    (lambda d: ours.ellipse_axes(1.0, 1.0, 5.0), "do not describe ellipse"),
    (lambda d: ours.mask_ellipse(d, 1.0, 1.0), "Must specify either"),
    (lambda d: ours.extract(d, 1.0, filter_type="x"), "unknown filter_type"),
    (lambda d: ours.extract(d, 1.0, deblend_nthresh=0), "deblend_nthresh"),
    (lambda d: ours.Background(d, bw=0), "at least 1"),
    (lambda d: ours.Background(d).subfrom(d[:3]), "do not match"),
]


@pytest.mark.parametrize("call,said", WRONG, ids=[said for _, said in WRONG])
def test_mistakes_raise_what_sep_raises(call, said):
    """SEP raises ValueError, or Exception; ours are both."""
    with pytest.raises(ValueError, match=said) as raised:
        call(numpy.ones((50, 60), "f4"))
    assert isinstance(raised.value, SrcextractError)


def test_arithmetic_with_a_background_is_that_of_its_map():
    data = numpy.random.default_rng(3).normal(50, 4, (100, 130)).astype("f4")
    sky = ours.Background(data)
    level = sky.back()
    numpy.testing.assert_array_equal(data + sky, data + level)
    numpy.testing.assert_array_equal(2 * data / sky, 2 * data / level)
    changed = other_name = data.copy()
    changed -= sky
    assert changed is other_name
    numpy.testing.assert_allclose(other_name, data - level, atol=1e-5)
    numpy.testing.assert_allclose(data.astype("f8") - sky, data.astype("f8") - level, atol=1e-5)
