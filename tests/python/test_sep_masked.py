"""Pixels that do not count in srcextract.sep: NaN, and those that an array masks by itself, are as with mask=."""
import numpy
import pytest

import sep_peer
from srcextract import sep

RANDOM = numpy.random.default_rng(65)
Y, X = numpy.mgrid[:90, :110]
IMAGE = RANDOM.normal(0, 1, Y.shape)
PLACES = numpy.array([[30.3, 24.7], [71.2, 50.6], [96.0, 80.4], [12.5, 60.0], [107.0, 2.0]])
for _x, _y in PLACES:
    IMAGE += 300 * numpy.exp(-((X - _x) ** 2 + 1.5 * (Y - _y) ** 2) / 8)
LABELS = numpy.zeros(Y.shape, "i4")
for _number, (_x, _y) in enumerate(PLACES, 1):
    LABELS[(X - _x) ** 2 + (Y - _y) ** 2 < 40] = _number
LABELS[:, 34:38] = 9
HOLES = {"in the aperture": [(26, 32), (51, 70), (3, 105)], "in the ring": [(24, 41), (50, 60)], "elsewhere": [(45, 90)],
         "everywhere": [(row, column) for row in range(0, 90, 4) for column in range(0, 110, 5)]}

AT = tuple(PLACES.T)
ELLIPSES = (*AT, 3.0, 2.0, 0.3)
CALLS = {
    "sum_circle": lambda data, **k: sep.sum_circle(data, *AT, 6.0, err=2.0, gain=3.0, **k),
    "sum_circle wide": lambda data, **k: sep.sum_circle(data, *AT, 40.0, err=2.0, **k),
    "sum_circle bkgann": lambda data, **k: sep.sum_circle(data, *AT, 6.0, bkgann=(8, 14), **k),
    "sum_circann": lambda data, **k: sep.sum_circann(data, *AT, 8.0, 14.0, **k),
    "sum_ellipse": lambda data, **k: sep.sum_ellipse(data, *ELLIPSES, 2.5, **k),
    "sum_ellipse bkgann": lambda data, **k: sep.sum_ellipse(data, *ELLIPSES, 2.5, bkgann=(3, 6), **k),
    "sum_ellipann": lambda data, **k: sep.sum_ellipann(data, *ELLIPSES, 1.0, 4.0, **k),
    "stats_circann": lambda data, **k: sep.stats_circann(data, *AT, 8.0, 14.0, **k),
    "winpos": lambda data, **k: sep.winpos(data, PLACES[:, 0] + 0.4, PLACES[:, 1], 1.7, **k),
}
RADII = {
    "flux_radius": lambda data, **k: sep.flux_radius(data, *AT, 40.0, [0.2, 0.5, 0.9], **k),
    "flux_radius normflux": lambda data, **k: sep.flux_radius(data, *AT, 12.0, 0.5, normflux=5e3, **k),
    "kron_radius": lambda data, **k: sep.kron_radius(data, *ELLIPSES, 6.0, **k),
}


def same(mine, expected):
    for one, other in zip(mine, expected, strict=True):
        numpy.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("where", HOLES)
@pytest.mark.parametrize("segmap", [{}, {"segmap": LABELS, "seg_id": range(1, 6)}, {"segmap": LABELS, "seg_id": range(-1, -6, -1)}],
                         ids=["plain", "segmap", "own pixels"])
def test_nan_is_a_masked_pixel_of_every_function(where, segmap):
    """With its flag. SEP with a mask has the same numbers."""
    hidden = numpy.zeros(IMAGE.shape, bool)
    hidden[tuple(numpy.transpose(HOLES[where]))] = True
    for kind in "f8", "f4", ">f4":
        data = numpy.where(hidden, numpy.nan, IMAGE).astype(kind)
        for name, call in (CALLS | RADII).items():
            if "bkgann" in name and numpy.min(segmap.get("seg_id", 1)) < 0:
                continue  # no ring has pixels of its own source
            for subpix in ({},) if name in ("kron_radius", "flux_radius normflux") else ({}, {"subpix": 1 if name in RADII else 0}):
                mine = call(data, **segmap, **subpix)
                same(mine, call(data, mask=hidden, **segmap, **subpix))
                same(mine, call(numpy.where(hidden, 7e5, data), mask=hidden, **segmap, **subpix))
        assert where == "elsewhere" or (CALLS["sum_circle wide"](data, **segmap)[-1] & sep.APER_HASMASKED).any()


def test_nan_counts_as_a_mask_of_sep_does():
    peer = sep_peer.peer(3)
    hidden = numpy.zeros(IMAGE.shape, bool)
    hidden[tuple(numpy.transpose(HOLES["everywhere"]))] = True
    data = numpy.where(hidden, numpy.nan, IMAGE)
    whole = numpy.where(hidden, 0, IMAGE)
    pairs = [(one.sum_circle(*(given, *AT, 6.0), bkgann=(8, 14), **k), one.kron_radius(given, *ELLIPSES, 6.0, **k),
              one.flux_radius(given, *AT, [6.0] * 5, 0.5, **k), one.winpos(given, *AT, [1.7] * 5, **k))
             for one, given, k in ((sep, data, {}), (peer, whole, {"mask": hidden}))]
    for mine, theirs in zip(*pairs, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            numpy.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-5)


def test_nan_in_extract_and_background_is_a_mask():
    hidden = numpy.zeros(IMAGE.shape, bool)
    hidden[tuple(numpy.transpose(HOLES["everywhere"]))] = True
    data = numpy.where(hidden, numpy.nan, IMAGE)
    whole = numpy.where(hidden, 0, IMAGE)
    for told in {}, {"err": 1.0}, {"err": numpy.ones(IMAGE.shape)}, {"filter_kernel": None}:
        mine = sep.extract(data, 5.0, **told)
        assert len(mine) > 3 and mine.tobytes() == sep.extract(whole, 5.0, mask=hidden, **told).tobytes()
    assert sep.Background(data, bw=32).globalrms == sep.Background(whole, mask=hidden, bw=32).globalrms


def own_masks(values, hidden):
    """Arrays that mask pixels by themselves."""
    astropy = pytest.importorskip("astropy")
    nddata = pytest.importorskip("astropy.nddata")
    yield numpy.ma.MaskedArray(values, hidden)
    yield nddata.NDData(values, mask=hidden)
    yield nddata.CCDData(values, mask=hidden, unit="adu")
    yield nddata.CCDData(values.astype(">f8"), mask=hidden.astype("u1"), unit="adu")
    if int(astropy.__version__.partition(".")[0]) >= 5:
        yield pytest.importorskip("astropy.utils.masked").Masked(values, mask=hidden)


def test_own_masks_count_everywhere():
    hidden = IMAGE > 250
    hidden[24, 41] = True
    segments = {"segmap": LABELS, "seg_id": range(1, 6)}
    for data in own_masks(IMAGE, hidden):
        for call in (CALLS | RADII).values():
            same(call(data), call(IMAGE, mask=hidden))
            same(call(data, **segments), call(IMAGE, mask=hidden, **segments))
            other = (X + Y) % 7 == 0
            same(call(data, mask=other), call(IMAGE, mask=hidden | other))
            same(call(data, mask=other * 5.0, maskthresh=4.0), call(IMAGE, mask=hidden | other))
            same(call(IMAGE, mask=numpy.ma.MaskedArray(other, hidden)), call(IMAGE, mask=hidden | other))
        for told in {}, {"err": 1.0}, {"mask": Y < 50}:
            mask = hidden | told.get("mask", False)
            mine, expected = sep.extract(data, 5.0, **told), sep.extract(IMAGE, 5.0, **(told | {"mask": mask}))
            assert len(mine) > 0 and mine.tobytes() == expected.tobytes()
        sky, expected = sep.Background(data, bw=32), sep.Background(IMAGE, mask=hidden, bw=32)
        numpy.testing.assert_array_equal(sky.back(), expected.back())
        above = data - sky
        assert sep.extract(above, 5.0).tobytes() == sep.extract(IMAGE - expected, 5.0, mask=hidden).tobytes()


def test_own_masks_of_noise_labels_and_places_count():
    hidden = IMAGE > 250
    noise = numpy.full(IMAGE.shape, 2.0)
    for given in own_masks(noise, hidden):
        same(sep.sum_circle(IMAGE, *AT, 6.0, err=given), sep.sum_circle(IMAGE, *AT, 6.0, err=noise, mask=hidden))
        same(sep.sum_circle(IMAGE, *AT, 6.0, var=given), sep.sum_circle(IMAGE, *AT, 6.0, var=noise, mask=hidden))
        assert sep.extract(IMAGE, 3.0, err=given).tobytes() == sep.extract(IMAGE, 3.0, err=noise, mask=hidden).tobytes()
    nddata = pytest.importorskip("astropy.nddata")
    for told in {"err": nddata.StdDevUncertainty(noise)}, {"err": nddata.VarianceUncertainty(noise**2)}, {"var": nddata.StdDevUncertainty(noise)}:
        same(sep.sum_circle(IMAGE, *AT, 6.0, **told), sep.sum_circle(IMAGE, *AT, 6.0, err=noise))
    with pytest.raises(ValueError, match="UnknownUncertainty"):
        sep.sum_circle(IMAGE, *AT, 6.0, err=nddata.UnknownUncertainty(noise))
    others = numpy.where(LABELS == 9, 0, LABELS)
    same(sep.sum_circle(IMAGE, *AT, 6.0, segmap=numpy.ma.MaskedArray(LABELS, LABELS == 9), seg_id=range(1, 6)),
         sep.sum_circle(IMAGE, *AT, 6.0, segmap=others, seg_id=range(1, 6)))
    x = numpy.ma.MaskedArray(PLACES[:, 0], [False, True, False, False, False])
    same(sep.sum_circle(IMAGE, x, AT[1], 6.0), sep.sum_circle(IMAGE, x.filled(numpy.nan), AT[1], 6.0))


@pytest.mark.parametrize("nothing", [numpy.ma.nomask, False, None])
def test_no_mask_is_none(nothing):
    same(sep.sum_circle(IMAGE, *AT, 6.0, mask=nothing), sep.sum_circle(IMAGE, *AT, 6.0))
    assert sep.extract(IMAGE, 5.0, mask=nothing).tobytes() == sep.extract(IMAGE, 5.0).tobytes()
