"""What SEP takes beside the usual, and what it refuses: srcextract.sep gives the same answers, or says why not."""
import functools
import inspect

import numpy
import pytest

import sep_peer
from srcextract import sep as ours
from srcextract.errors import SrcextractError

peer = functools.partial(sep_peer.peer, 3)

RANDOM = numpy.random.default_rng(7)


def field(shape=(60, 90)):
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = RANDOM.normal(0, 1, shape)
    for x0, y0 in [(20.3, 15.1), (52.7, 40.2), (70.0, 22.5), (88.9, 30.0), (40.0, 0.2)]:
        image += 80 * numpy.exp(-((x - x0) ** 2 + (y - y0) ** 2 * 1.3) / 8)
    return image.astype("f4")


IMAGE = field()


def assert_same_objects(mine, theirs, rtol=2e-4):
    assert mine.dtype == theirs.dtype and len(mine) == len(theirs)
    for name in mine.dtype.names:
        if mine.dtype[name].kind == "i":
            numpy.testing.assert_array_equal(mine[name], theirs[name], err_msg=name)
        else:
            atol = 1e-4 if name in ("x2", "y2", "xy", "errxy", "cxy", "theta") else 1e-6
            numpy.testing.assert_allclose(mine[name], theirs[name], rtol=rtol, atol=atol, err_msg=name)


def kernel(height, width):
    y, x = numpy.mgrid[:height, :width]
    return numpy.exp(-((x - width // 2) ** 2 + (y - height // 2) ** 2) / 5.0) + 1e-4


@pytest.mark.parametrize("shape, sides", [((60, 90), (65, 65)), ((60, 90), (5, 151)), ((60, 90), (131, 200)),
                                          ((60, 90), (64, 64)), ((200, 90), (65, 65)), ((5, 90), (9, 3)), ((1, 90), (3, 3)),
                                          ((60, 2), (3, 5)), ((1, 1), (3, 3))])
@pytest.mark.parametrize("noise", ["one", "conv", "matched"])
def test_kernels_of_any_size(shape, sides, noise):
    """Larger than the image, too. The values of a large one SEP adds up in float32."""
    sep = peer()
    image = numpy.resize(IMAGE, (max(shape[0], 60), 90))[:shape[0], :shape[1]].copy()
    told = {"filter_kernel": kernel(*sides), "deblend_cont": 1.0, "clean": False}
    if noise == "one":
        told["err"] = 1.0
    else:
        told.update(err=numpy.full(shape, 1.2, "f4"), filter_type=noise)
    mine, theirs = ours.extract(image, 3.0, **told), sep.extract(image, 3.0, **told)
    assert_same_objects(mine, theirs, rtol=1e-3)
    assert len(mine) > 0 or shape[1] < 3


LABELS = numpy.zeros(IMAGE.shape, "i4")
LABELS[10:20, 15:26] = 7
LABELS[20:45, 80:] = 3
LABELS[0:3, 35:45] = 4
LABELS[22, 66:75] = 12
LABELS[36:45, 48:58] = 9


@pytest.mark.parametrize("kind", ["i4", "u1", "f4", "f8", "bool"])
@pytest.mark.parametrize("told", [{}, {"err": 2.0, "gain": 3.0}, {"filter_kernel": None}], ids=["plain", "noise", "no filter"])
def test_a_given_map_is_measured_as_sep_does(kind, told):
    """Sources at the edge are not OBJ_TRUNC, and a map of floats or of bool is one of integers."""
    sep = peer()
    labels = (LABELS == 3) if kind == "bool" else LABELS.astype(kind)
    mine, theirs = (one.extract(IMAGE, 1.5, segmentation_map=labels, **told) for one in (ours, sep))
    assert_same_objects(mine[0], theirs[0])
    assert len(mine[0]) == (1 if kind == "bool" else 5)
    assert not (mine[0]["flag"] & ours.OBJ_TRUNC).any()
    assert (ours.extract(IMAGE, 1.5, **told)["flag"] & ours.OBJ_TRUNC).any()
    places = numpy.array([20.0, 88.0]), numpy.array([15.0, 30.0]), 4.0
    for one, other in zip(ours.sum_circle(IMAGE, *places, segmap=labels, seg_id=[7, 3]),
                          sep.sum_circle(IMAGE, *places, segmap=labels, seg_id=[7, 3])):
        numpy.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_map_that_is_asked_for_by_anything_true():
    sep = peer()
    for asked in True, 1, numpy.True_:
        numpy.testing.assert_array_equal(ours.extract(IMAGE, 3.0, deblend_cont=1.0, segmentation_map=asked)[1],
                                         sep.extract(IMAGE, 3.0, deblend_cont=1.0, segmentation_map=True)[1])
    for asked in False, 0, None, numpy.False_:
        assert ours.extract(IMAGE, 3.0, segmentation_map=asked).dtype == ours._OBJECT


def test_fractions_of_integers_are_dropped():
    sep = peer()
    mine, theirs = (one.Background(IMAGE, bw=16.5, bh=numpy.int16(20), fw=3.9) for one in (ours, sep))
    assert mine.globalback == theirs.globalback and mine.globalrms == theirs.globalrms
    numpy.testing.assert_allclose(mine.back(), theirs.back(), rtol=3e-6, atol=1e-6)
    told = {"minarea": 6.7, "deblend_nthresh": 16.2, "filter_kernel": None}
    assert_same_objects(ours.extract(IMAGE, 3.0, **told), sep.extract(IMAGE, 3.0, **told))


def places(one, **told):
    return one.sum_circle(IMAGE, [20.0], [15.0], 3.0, **told)


# Both refuse these, as errors of the same kind.
REFUSED = {
    "thresh of text": lambda sep: sep.extract(IMAGE, "3"), "no thresh": lambda sep: sep.extract(IMAGE, None),
    "complex thresh": lambda sep: sep.extract(IMAGE, 3j), "gain of text": lambda sep: sep.extract(IMAGE, 3.0, gain="a"),
    "many gains": lambda sep: sep.extract(IMAGE, 3.0, gain=numpy.ones(3)),
    "err of text": lambda sep: sep.extract(IMAGE, 3.0, err="a"),
    "minarea of text": lambda sep: sep.extract(IMAGE, 3.0, minarea="a"),
    "nthresh of text": lambda sep: sep.extract(IMAGE, 3.0, deblend_nthresh="a"),
    "cont of text": lambda sep: sep.extract(IMAGE, 3.0, deblend_cont="a"),
    "clean_param of text": lambda sep: sep.extract(IMAGE, 3.0, clean_param="a"),
    "maskthresh of text": lambda sep: sep.extract(IMAGE, 3.0, mask=IMAGE > 9, maskthresh="a"),
    "kernel of text": lambda sep: sep.extract(IMAGE, 3.0, filter_kernel="a"),
    "kernel of one axis": lambda sep: sep.extract(IMAGE, 3.0, filter_kernel=numpy.ones(3)),
    "map of another shape": lambda sep: sep.extract(IMAGE, 3.0, segmentation_map=LABELS[:3]),
    "err of one axis": lambda sep: sep.extract(IMAGE, 3.0, err=numpy.ones(1)),
    "text": lambda sep: sep.extract("a.fits", 3.0), "nothing": lambda sep: sep.extract(None, 3.0),
    "bw of text": lambda sep: sep.Background(IMAGE, bw="a"), "no bw": lambda sep: sep.Background(IMAGE, bw=None),
    "fthresh of text": lambda sep: sep.Background(IMAGE, fthresh="a"),
    "mask of Background": lambda sep: sep.Background(IMAGE, mask=IMAGE > 3, maskthresh="a"),
    "subfrom what is read-only": lambda sep: sep.Background(IMAGE).subfrom(read_only(IMAGE)),
    "subfrom a list": lambda sep: sep.Background(IMAGE).subfrom([[1.0]]),
    "subfrom complex": lambda sep: sep.Background(IMAGE).subfrom(IMAGE * 1j),
    "err of apertures": lambda sep: places(sep, err="a"), "gain of apertures": lambda sep: places(sep, err=1.0, gain="a"),
    "subpix of text": lambda sep: places(sep, subpix="a"), "three radii of a ring": lambda sep: places(sep, bkgann=(3, 4, 5)),
    "mask of apertures": lambda sep: places(sep, mask=IMAGE > 5, maskthresh="a"),
    "Kron's mask": lambda sep: sep.kron_radius(IMAGE, [9.0], [9.0], 3.0, 2.0, 0.0, 6.0, mask=IMAGE > 5, maskthresh="a"),
    "subpix of radii": lambda sep: sep.flux_radius(IMAGE, [9.0], [9.0], [6.0], 0.5, subpix="a"),
    "minsig of text": lambda sep: sep.winpos(IMAGE, [9.0], [9.0], [2.0], minsig="a"),
    "ellipses in what is read-only": lambda sep: sep.mask_ellipse(read_only(IMAGE > 3), [9.0], [9.0], cxx=1.0, cyy=1.0, cxy=0.0),
    "ellipses in a list": lambda sep: sep.mask_ellipse([[0]], [9.0], [9.0], cxx=1.0, cyy=1.0, cxy=0.0),
    "pixstack of text": lambda sep: sep.set_extract_pixstack("a"),
    "limit of text": lambda sep: sep.set_sub_object_limit("a"),
}


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_both_refuse(call):
    with pytest.raises((TypeError, ValueError)) as mine:
        call(ours)
    assert "incompatible function arguments" not in str(mine.value)
    with pytest.raises((TypeError, ValueError)) as theirs:
        call(peer())
    assert isinstance(mine.value, TypeError) == isinstance(theirs.value, TypeError), (mine.value, theirs.value)


OURS = [
    (lambda: ours.extract(IMAGE, 3.0, var=-4.0), "var is -4.0, and noise is not negative"),
    (lambda: ours.extract(IMAGE, 3.0, err=-2.0), "err is -2.0, and noise is not negative"),
    (lambda: ours.extract(IMAGE, 3.0, deblend_nthresh=257), "1 to 256, not 257"),
    (lambda: ours.extract(IMAGE, 3.0, segmentation_map=LABELS + 0.5), "segmentation_map: .*integers of 32 bits"),
    (lambda: ours.extract(IMAGE, 3.0, segmentation_map=LABELS.astype("i8") << 33), "segmentation_map: .*int64"),
    (lambda: ours.extract(IMAGE, 3.0, segmentation_map=LABELS * numpy.nan), "segmentation_map: .*float"),
    (lambda: places(ours, segmap=LABELS / 2, seg_id=[1]), "segmap: .*integers of 32 bits"),
    (lambda: places(ours, segmap=LABELS.astype(str), seg_id=[1]), "segmap: .*integers, not <U"),
    (lambda: ours.extract(IMAGE[:0], 3.0), "no pixels"),
    (lambda: ours.extract(IMAGE, 3.0, filter_kernel=numpy.zeros((3, 3))), "filter_kernel must not all be zero"),
    (lambda: ours.extract(IMAGE, 3.0, filter_kernel=numpy.full((71, 71), numpy.inf)), "filter_kernel must be finite"),
    (lambda: ours.set_extract_pixstack(-1), "0 or more, not -1"),
    (lambda: ours.set_sub_object_limit(-1), "0 or more, not -1"),
]


@pytest.mark.parametrize("call, said", OURS, ids=[said for _, said in OURS])
def test_what_sep_would_answer_with_nonsense_is_refused(call, said):
    with pytest.raises(ValueError, match=said) as raised:
        call()
    assert isinstance(raised.value, SrcextractError)


# Of sep-x, a fork of SEP: test_sep_fork.py.
FURTHER = {"winpos": ["seg_id", "segmap", "ignore_masked"]}
OF_FORKS = ["stats_circann"]
OF_SEP = [name for name in ours.__all__ if callable(getattr(ours, name)) and "_threads" not in name and name not in OF_FORKS]


def test_all_of_sep_is_there():
    """Whatever the SEP that is installed has, but for what it imports itself."""
    theirs = {name for name in vars(peer()) if not name.startswith("_")} - {"np", "version", "PackageNotFoundError", "sep"}
    assert len(theirs) > 20 and theirs <= set(dir(ours))


@pytest.mark.parametrize("name", OF_SEP)
def test_arguments_are_in_the_order_of_sep(name):
    theirs, mine = getattr(peer(), name), getattr(ours, name)
    methods = ["back", "rms", "subfrom"] if name == "Background" else [None]
    for method in methods:
        one, other = (function if method is None else getattr(function, method) for function in (mine, theirs))
        assert list(inspect.signature(one).parameters) == list(inspect.signature(other).parameters) + FURTHER.get(name, [])
    if name == "Background":  # whose arguments SEP tells in words alone
        told = theirs.__doc__.partition("(")[2].partition(")")[0]
        assert [one.partition("=")[0].strip() for one in told.split(",")] == list(inspect.signature(mine).parameters)


def test_positional_arguments_mean_what_they_mean_to_sep():
    sep = peer()
    x, y, mask = numpy.array([20.3, 52.7]), numpy.array([15.1, 40.2]), IMAGE > 60
    segments, ids = sep.extract(IMAGE, 5.0, segmentation_map=True)[1], numpy.array([1, 2])
    for of in (ours, sep):
        assert not numpy.array_equal(of.sum_circle(IMAGE, x, y, 4.0, 9.0)[1], of.sum_circle(IMAGE, x, y, 4.0, None, 9.0)[1])
    for call in (lambda of: of.sum_circle(IMAGE, x, y, 4.0, 9.0, None, 2.0, mask, 0.5, ids, segments, (6.0, 8.0), 7),
                 lambda of: of.sum_circann(IMAGE, x, y, 3.0, 4.0, 9.0, None, 2.0, mask, 0.5, ids, segments, 7),
                 lambda of: of.sum_ellipse(IMAGE, x, y, 2.0, 1.0, 0.3, 2.0, None, 3.0, 2.0, mask, 0.5, ids, segments,
                                           (6.0, 8.0), 7),
                 lambda of: of.sum_ellipann(IMAGE, x, y, 2.0, 1.0, 0.3, 1.0, 2.0, None, 3.0, 2.0, mask, 0.5, ids, segments,
                                            7),
                 lambda of: of.flux_radius(IMAGE, x, y, 0 * x + 8, 0.5, None, mask, 0.5, ids, segments, 7)):
        for one, other in zip(call(ours), call(sep)):
            numpy.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("kind", ["i4", "f4", "f8"])
def test_a_background_of_any_type_is_that_of_sep(kind):
    sep = peer()
    y, x = numpy.mgrid[:200, :240]
    values = numpy.round(numpy.random.default_rng(5).normal(10, 5, y.shape) + 0.05 * x - 0.09 * y)
    data = values.astype(kind)
    mine, theirs = ours.Background(data), sep.Background(data)
    level, noise = theirs.back("f8"), theirs.rms("f8")
    assert level.min() < -2 and level.max() > 10

    def assert_same(one, other, of):
        assert one.dtype == other.dtype
        sure = numpy.abs(numpy.modf(numpy.abs(of) + 0.5)[0] - 0.5) < 0.4999 if one.dtype.kind == "i" else numpy.isfinite(of)
        assert sure.mean() > 0.99
        numpy.testing.assert_allclose(one[sure], other[sure], rtol=0, atol=1e-4 if one.dtype.kind == "f" else 0)

    for wanted in (None, "i4", "f4", "f8"):
        assert_same(mine.back(wanted), theirs.back(wanted), level)
        assert_same(mine.rms(wanted), theirs.rms(wanted), noise)
    for other in ("i4", "f4", "f8"):
        image, changed = values.astype(other), [values.astype(other) for _ in range(2)]
        assert_same(image - mine, image - theirs, level)
        for sky, one in zip((mine, theirs), changed):
            sky.subfrom(one)
        assert_same(*changed, level)
    short = values.astype("i2")
    mine.subfrom(short)
    assert_same(short.astype("i4"), values.astype("i4") - theirs.back("i4"), level)
    with pytest.raises(SrcextractError, match="signed integers"):
        mine.subfrom(values.clip(0).astype("u2"))


def test_an_ellipse_whose_ring_is_all_masked_harms_no_other():
    image = numpy.random.default_rng(0).normal(100, 5, (80, 80)).astype("f4")
    mask = numpy.zeros(image.shape, bool)
    mask[20:60, 20:60] = True
    at = ([40.0, 10.0], [40.0, 10.0], 3.0, 2.0, 0.3, 1.0)
    for noise in {}, {"err": 5.0}, {"err": 5.0, "gain": 2.0}:
        mine = ours.sum_ellipse(image, *at, mask=mask, bkgann=(4.0, 6.0), **noise)
        theirs = peer().sum_ellipse(image, *at, mask=mask, bkgann=(4.0, 6.0), **noise)
        assert numpy.isnan(theirs[0][0]) and numpy.isfinite(theirs[0][1])
        for one, other in zip(mine, theirs):
            numpy.testing.assert_allclose(one, other, rtol=1e-10)


def test_numbers_of_sources_may_be_as_large_as_they_are():
    """What they are does not matter, but for their order; 16 GB would be needed for a place for every number."""
    sparse = numpy.zeros(IMAGE.shape, "i4")
    for number, (row, column) in {3: (10, 15), 100_000_000: (35, 48), 2**31 - 1: (18, 66)}.items():
        sparse[row:row + 9, column:column + 9] = number
    dense = numpy.unique(sparse, return_inverse=True)[1].reshape(sparse.shape).astype("i4")
    mine, _ = ours.extract(IMAGE, 1.5, segmentation_map=sparse)
    assert len(mine) == 3
    assert mine.tobytes() == ours.extract(IMAGE, 1.5, segmentation_map=dense)[0].tobytes()


@pytest.mark.parametrize("parts", [5, 8, 11, 16, 17])
def test_sub_pixels_in_circles_are_counted_as_one_by_one(parts):
    """Beside NumPy, which looks at every sub-pixel. Where one lies on the circle within rounding, both counts are right."""
    sides = (numpy.arange(60 * parts) + 0.5) / parts - 0.5
    random = numpy.random.default_rng(3)
    places = [*random.uniform(-3, 63, (40, 2)), *random.integers(0, 60, (10, 2)), *random.integers(0, 60 * parts, (10, 2)) / parts]
    for (x, y), radius in zip(places, [*random.uniform(0.05, 30, 45), *(numpy.arange(15) + 1.0)], strict=True):
        squares = (sides - x) ** 2 + (sides[:, None] - y) ** 2
        light, _, _ = ours.sum_circle(numpy.ones((60, 60)), [x], [y], radius, subpix=parts)
        surely, perhaps = (numpy.count_nonzero(squares < radius**2 + by) for by in (-1e-9, 1e-9))
        assert surely - 1e-6 < light[0] * parts**2 < perhaps + 1e-6
