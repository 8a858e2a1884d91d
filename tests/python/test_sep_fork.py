"""What sep-x, a fork of SEP, has beyond SEP 1.4: the same answers as it gives, and as NumPy does."""
import inspect

import numpy
import pytest

from srcextract import sep as ours

SEEDS = [1, 2, 3]


def peer():
    return pytest.importorskip("sep_x")


class Field:
    def __init__(self, seed, shape=(150, 190), stars=40):
        random = numpy.random.default_rng(seed)
        y, x = numpy.mgrid[:shape[0], :shape[1]]
        self.x, self.y = random.uniform(5, shape[1] - 5, stars), random.uniform(5, shape[0] - 5, stars)
        image = random.normal(0, 3, shape)
        for x0, y0 in zip(self.x, self.y):
            ratio, angle = random.uniform(0.5, 1), random.uniform(0, numpy.pi)
            u = (x - x0) * numpy.cos(angle) + (y - y0) * numpy.sin(angle)
            v = ((y - y0) * numpy.cos(angle) - (x - x0) * numpy.sin(angle)) / ratio
            image += random.uniform(100, 2000) * (1 + (u**2 + v**2) / 6) ** -2.5
        self.image = image.astype("f4")
        self.mask = random.random(shape) < 0.05
        self.segments = numpy.where(random.random(shape) < 0.2, random.integers(1, 4, shape), 0).astype("i4")
        self.ids = random.choice([-2, -1, 1, 2, 3], stars).astype("i4")
        self.r = random.uniform(2, 7, stars)

    def told(self, kind):
        own = {"segmap": self.segments, "seg_id": self.ids}
        return {"nothing": {}, "mask": {"mask": self.mask}, "segments": own, "both": own | {"mask": self.mask}}[kind]


KINDS = ["nothing", "mask", "segments", "both"]


@pytest.fixture(params=SEEDS, scope="module")
def field(request):
    return Field(request.param)


@pytest.mark.parametrize("subpix", [5, 1, 0])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clip", [{}, {"clip_iters": 0}, {"clip_sigma": 1.5, "clip_iters": 2}], ids=str)
def test_statistics_in_rings(field, subpix, kind, clip):
    told = field.told(kind) | clip | {"subpix": subpix}
    places = field.x, field.y, field.r, field.r + 3
    mine, theirs = ours.stats_circann(field.image, *places, **told), peer().stats_circann(field.image, *places, **told)
    for k, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        assert one.shape == other.shape and one.dtype == other.dtype
        if k in (0, 1, 5):  # mean, deviation, flags
            numpy.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
        else:  # where exactly half of the weight is below a value, rounding takes it or the next one
            assert numpy.array_equal(numpy.isnan(one), numpy.isnan(other))
            assert numpy.isclose(one, other, rtol=1e-6, atol=1e-6, equal_nan=True).mean() >= 0.9


def test_statistics_in_a_ring_by_numpy():
    """Whole pixels have the weight 1, so that these are NumPy's, but for the lower of two medians."""
    field = Field(5)
    y, x = numpy.mgrid[:field.image.shape[0], :field.image.shape[1]]
    for x0, y0 in zip(field.x, field.y):
        squares = (x - x0) ** 2 + (y - y0) ** 2
        values = field.image[(squares > 9) & (squares < 49)].astype("f8")
        mean, deviation, median, by_median, _, flag = ours.stats_circann(field.image, x0, y0, 3.0, 7.0, subpix=1)
        lower = numpy.sort(values)[(len(values) - 1) // 2]
        numpy.testing.assert_allclose([mean, deviation, median], [values.mean(), values.std(), lower], rtol=1e-10)
        off = numpy.sort(numpy.abs(values - lower))[(len(values) - 1) // 2]
        numpy.testing.assert_allclose(by_median, 1.4826 * off, rtol=1e-10)


def test_a_ring_without_pixels_is_nan_and_flagged():
    *stats, flags = ours.stats_circann(Field(1).image, [-500.0], [5.0], 3.0, 6.0)
    assert all(numpy.isnan(value).all() for value in stats)
    assert flags[0] & ours.APER_ALLMASKED
    for wrong in ({"clip_sigma": 0.0}, {"clip_iters": -1}, {"subpix": -1}):
        with pytest.raises(ValueError):
            ours.stats_circann(Field(1).image, [5.0], [5.0], 3.0, 6.0, **wrong)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ignore", [None, True, False])
def test_windows_among_other_sources(field, kind, ignore):
    told = field.told(kind) | {"ignore_masked": ignore}
    start = field.x + 0.3, field.y - 0.2
    mine, theirs = ours.winpos(field.image, *start, 1.2, **told), peer().winpos(field.image, *start, 1.2, **told)
    for one, other in zip(mine, theirs, strict=True):  # a window rests where its step is below 1e-4
        numpy.testing.assert_allclose(one, other, rtol=0, atol=5e-4)


def test_arguments_have_the_names_of_the_fork():
    for name in ("stats_circann", "winpos"):
        mine, theirs = (inspect.signature(getattr(of, name)).parameters for of in (ours, peer()))
        shared = [one for one in theirs if one in mine]
        assert shared == list(mine)


def test_threads_change_no_bit(field):
    before = ours.get_threads()
    results = []
    try:
        for threads in (1, 3):
            ours.set_threads(threads)
            results.append([*ours.stats_circann(field.image, field.x, field.y, field.r, field.r + 2, **field.told("both")),
                            *ours.winpos(field.image, field.x, field.y, 1.5, **field.told("both")),
                            *ours.flux_radius(field.image, field.x, field.y, field.r * 2, [0.2, 0.7], **field.told("mask")),
                            *ours.sum_ellipann(field.image, field.x, field.y, field.r, field.r / 2, 0.3, 0.5, 1.0)])
    finally:
        ours.set_threads(before)
    assert [one.tobytes() for one in results[0]] == [one.tobytes() for one in results[1]]
