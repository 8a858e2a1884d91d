"""What srcextract.sep shares with SEP where it is hard to, and what docs/python.md says of the rest: each with what is right."""
import functools

import numpy
import pytest

import sep_peer
from srcextract import sep as ours

peer = functools.partial(sep_peer.peer, 4)


def stars(seed, shape=(240, 310), count=160, sky=0.0, noise=3.0):
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(sky, noise, shape)
    for x0, y0, height in zip(random.uniform(0, shape[1], count), random.uniform(0, shape[0], count),
                              random.uniform(100, 4000, count)):
        image += height * (1 + ((x - x0) ** 2 + 1.4 * (y - y0) ** 2) / 6) ** -2.5
    return image.astype("f4"), random.uniform(0.6, 1.4, shape).astype("f4") * numpy.float32(noise), random.random(shape) < 0.02


# --- the same --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(40))
def test_the_sky_is_equal_to_the_last_bit_where_it_is_bright(seed):
    """The order of sums decides about the bins of a histogram: 0 of 40 such fields were equal, by up to 6.7e-4."""
    sep, random = peer(), numpy.random.default_rng(seed)
    data = (1e4 + random.normal(0, 0.1, (200, 220))).astype("f4")
    for told in {"bw": 43, "bh": 54, "fthresh": 0.11}, {}, {"bw": 20, "bh": 31, "mask": random.random(data.shape) < 0.1}:
        mine, theirs = ours.Background(data, **told), sep.Background(data, **told)
        assert (mine.globalback, mine.globalrms) == (theirs.globalback, theirs.globalrms)


def test_meshes_that_are_masked_are_filled_to_the_last_bit():
    """Nearly half of the pixels are masked, and so more than half of those of many meshes."""
    sep, filled = peer(), 0
    for seed in range(30):
        random = numpy.random.default_rng(seed)
        data = random.normal(1e4, 30, (211, 186)).astype("f4")
        mask = random.random(data.shape) < 0.47
        mine, theirs = (one.Background(data, mask=mask, bw=8, bh=11, fthresh=1.0) for one in (ours, sep))
        assert (mine.globalback, mine.globalrms) == (theirs.globalback, theirs.globalrms)
        filled += sum(mask[y:y + 11, x:x + 8].mean() > 0.5 for y in range(0, 200, 11) for x in range(0, 180, 8))
    assert filled > 1000


NO_RING = {"of no width": (10.0, 10.0, (5.0, 5.0)), "off the image": (-500.0, 1.0, (4.0, 6.0))}


@pytest.mark.parametrize("x, y, ring", NO_RING.values(), ids=NO_RING)
@pytest.mark.parametrize("masked", [False, True])
def test_a_ring_without_pixels_is_an_error_as_in_sep(x, y, ring, masked):
    data = numpy.ones((50, 60), "f4")
    told = {"bkgann": ring} | ({"mask": data > 2} if masked else {})
    for of in (ours, peer()):
        for call in (lambda: of.sum_circle(data, [30.0, x], [20.0, y], 3.0, **told),
                     lambda: of.sum_ellipse(data, [30.0, x], [20.0, y], 2.0, 1.0, 0.3, 1.0, **told)):
            with pytest.raises(ValueError, match="annulus does not contain any valid pixels, for the object at index [01]"):
                call()


NOISES = {"one for all": lambda noise: {"err": 3.0}, "conv": lambda noise: {"err": noise, "filter_type": "conv"},
          "matched": lambda noise: {"err": noise}, "no filter": lambda noise: {"var": noise**2, "filter_kernel": None}}


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_cleaned_objects_are_those_of_sep(seed, noise, beta):
    """With a map of noise the profiles of SEP fall to the mean threshold of an object, and not to its lowest."""
    sep = peer()
    image, each, _ = stars(seed)
    told = noise(each) | {"clean_param": beta, "deblend_cont": 1.0}
    mine, theirs = ours.extract(image, 1.5, **told), sep.extract(image, 1.5, **told)
    assert len(mine) == len(theirs)
    if noise in (NOISES["matched"], NOISES["no filter"]):
        assert len(mine) < 0.8 * len(sep.extract(image, 1.5, **(told | {"clean": False})))
    for name in ("npix", "tnpix", "xmin", "ymax", "xcpeak", "flag"):
        numpy.testing.assert_array_equal(mine[name], theirs[name])
    for name in ("x", "y", "thresh", "cflux", "a", "b"):
        numpy.testing.assert_allclose(mine[name], theirs[name], rtol=1e-4)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("filter_type", ["conv", "matched"])
def test_objects_are_split_by_the_mean_threshold_of_their_pixels(seed, filter_type):
    """SExtractor takes the lowest. The noise differs tenfold."""
    sep = peer()
    image, each, _ = stars(seed)
    each = each * numpy.linspace(0.3, 3, image.shape[1], dtype="f4")
    told = {"err": each, "filter_type": filter_type}
    mine, theirs = (one.extract(image, 1.5, clean=False, **told) for one in (ours, sep))
    assert len(mine) == len(theirs) and (theirs["flag"] & sep.OBJ_MERGED != 0).sum() > 20
    for name in ("x", "y", "thresh"):
        numpy.testing.assert_allclose(mine[name], theirs[name], rtol=1e-4)
    cleaned, of_sep = (len(one.extract(image, 1.5, **told)) for one in (ours, sep))
    assert abs(cleaned - of_sep) <= 2  # of those that SEP draws lots about


def test_a_pixel_at_the_threshold_is_not_above_it():
    """Thresholds have single precision: 0.1 is more than the pixel 0.1 otherwise."""
    for value in 0.1, 0.7, 1.1, 3.3:
        image = numpy.zeros((20, 20), "f4")
        image[5:8, 5:8] = value
        for thresh, told in ((value, {}), (1.0, {"err": value}), (1.0, {"var": value * value})):
            counts = [len(one.extract(image, thresh, filter_kernel=None, **told)) for one in (ours, peer())]
            assert counts[0] == counts[1]
        assert len(ours.extract(image, value, filter_kernel=None)) == 0


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_a_mask_has_none_for_the_sky_leaves_out(dtype):
    """SEP masks NaN of a mask in Background, and nowhere else."""
    sep = peer()
    for seed in range(10):
        random = numpy.random.default_rng(seed)
        data, mask = random.normal(100, 3, (120, 150)).astype("f4"), numpy.zeros((120, 150), dtype)
        hidden = random.random(data.shape) < 0.3
        data[hidden] += 500
        mask[hidden] = numpy.nan
        mine, theirs = (one.Background(data, mask=mask, bw=30, bh=40) for one in (ours, sep))
        assert (mine.globalback, mine.globalrms) == (theirs.globalback, theirs.globalrms)
        assert abs(mine.globalback - 100) < 1
        for one, other in zip(*(of.sum_circle(data, [60.0], [50.0], 9.0, mask=mask) for of in (ours, sep))):
            numpy.testing.assert_allclose(one, other, rtol=1e-6)


def test_the_radius_of_no_light_is_where_the_sum_leaves_0():
    """Where the centre is below the sky; it was 0. What is no number has no radius."""
    sep = peer()
    y, x = numpy.mgrid[:41, :41]
    image = numpy.where(numpy.hypot(x - 20, y - 20) < 3, -1.0, 1.0)
    place = [20.0], [20.0], [12.0]
    for light in -image, image:  # of both signs
        mine, theirs = (one.flux_radius(light, *(numpy.array(value) for value in place), [0.0, 0.5, 0.05, -0.5, numpy.nan])[0][0]
                        for one in (ours, sep))
        numpy.testing.assert_allclose(mine, theirs, rtol=1e-6)
    dark = (image < 0).sum()
    assert abs(mine[0] - (2 * dark / numpy.pi) ** 0.5) < 0.02 and numpy.isnan(mine[4])  # half of the circle is dark


def test_axes_of_moments_that_no_ellipse_has():
    """Light below 0 under a matched filter; the axes were 0. CLEAN takes them as SEP does."""
    sep, none = peer(), 0
    for seed in range(12):
        random = numpy.random.default_rng(seed)
        image, noise = random.normal(0, 1, (90, 110)).astype("f4"), random.uniform(0.2, 2, (90, 110)).astype("f4")
        for clean in False, True:
            told = {"err": noise, "clean": clean, "deblend_cont": 1.0, "minarea": 3}
            mine, theirs = (one.extract(image, 1.2, **told) for one in (ours, sep))
            for name in "a", "b", "x2", "cxx":
                scale = numpy.nanmax(numpy.abs(theirs[name]), initial=1)
                numpy.testing.assert_allclose(mine[name], theirs[name], rtol=1e-3, atol=1e-5 * scale)
            none += numpy.isnan(theirs["b"]).sum()
    assert none > 20


@pytest.mark.parametrize("a, b", [(numpy.nan, numpy.nan), (3.0, numpy.nan), (3.0, 0.0)])
def test_what_is_no_ellipse_is_cut_by_no_edge(a, b):
    """As of such moments; the flag APER_TRUNC was set everywhere."""
    image, place = numpy.ones((50, 60)), (numpy.array([30.0, 59.0, 0.2]), numpy.array([20.0, 49.0, 12.0]))
    mine, theirs = (one.kron_radius(image, *place, a, b, 0.2, 6.0) for one in (ours, peer()))
    numpy.testing.assert_array_equal(mine, theirs)
    assert (mine[1] == ours.APER_ALLMASKED).all()
    if b == 0:
        numpy.testing.assert_array_equal(*(one.sum_ellipse(image, *place, a, b, 0.2, 6.0) for one in (ours, peer())))


# --- what differs, and what is right ---------------------------------------------------------------------------------

def test_a_mask_hides_pixels_of_the_first_rows_too():
    """SEP finds a star that is masked as a whole, in the rows that half of the kernel reaches from the first."""
    image = numpy.random.default_rng(0).normal(0, 1, (60, 60)).astype("f4")
    image[0, 25:35] += 500
    mask = numpy.zeros(image.shape, bool)
    mask[:3, 20:40] = True
    mine, theirs = (one.extract(image, 5.0, err=1.0, mask=mask) for one in (ours, peer()))
    assert len(mine) == 0 and len(theirs) == 1 and theirs["y"][0] < 1
    assert len(peer().extract(image[::-1].copy(), 5.0, err=1.0, mask=mask[::-1].copy())) == 0


@pytest.mark.parametrize("seed", range(1, 5))
def test_masked_pixels_do_not_keep_sep_from_splitting_alone(seed):
    """With a mask, a map of noise and the matched filter SEP's mean threshold of an object that holds a masked pixel is
    endless: it has no parts, and CLEAN spares it. Ours are those without a mask, but for what the mask hides."""
    sep = peer()
    image, each, mask = stars(seed)
    mask[:2] = False
    for clean, of_sep, of_ours in (True, 0.9, 0.02), (False, 0.8, 0.08):
        unmasked, mine, theirs = (one.extract(image, 1.5, err=each, clean=clean, **told) for one, told in
                                  ((sep, {}), (ours, {"mask": mask}), (sep, {"mask": mask})))
        assert (theirs["thresh"] > 1e20).mean() > 0.2 and mine["thresh"].max() < 3 * each.max()
        assert len(theirs) < of_sep * len(unmasked) and abs(len(mine) - len(unmasked)) < of_ours * len(unmasked)
    # Neither CLEAN nor parts: the same objects.
    told = {"err": each, "mask": mask, "clean": False, "deblend_cont": 1.0}
    mine, theirs = ours.extract(image, 1.5, **told), sep.extract(image, 1.5, **told)
    numpy.testing.assert_array_equal(mine["npix"], theirs["npix"])


@pytest.mark.parametrize("degrees", [45, -45])
def test_the_angle_of_an_ellipse_at_45_degrees(degrees):
    """The points at the ends of the large axis lie on it. SEP says 0 if cxx = cyy."""
    a, b, angle = 3.0, 2.0, numpy.radians(degrees)
    along, across = 1 / a**2, 1 / b**2
    cxx, cxy = (along + across) / 2, numpy.sign(degrees) * (along - across)
    mine, theirs = ours.ellipse_axes(cxx, cxx, cxy), peer().ellipse_axes(cxx, cxx, cxy)
    numpy.testing.assert_allclose(mine, (a, b, angle), rtol=1e-12)
    numpy.testing.assert_allclose(theirs, (a, b, 0), rtol=1e-12)
    x, y = mine[0] * numpy.cos(mine[2]), mine[0] * numpy.sin(mine[2])
    numpy.testing.assert_allclose(cxx * x * x + cxx * y * y + cxy * x * y, 1)
    x, y = theirs[0], 0
    assert abs(cxx * x * x - 1) > 0.3


def test_angles_of_ellipses_are_in_the_range_of_sep():
    angles = numpy.radians([-90.0, -89.9, -45.0, 0.0, 30.0, 45.0, 90.0])
    form = peer().ellipse_coeffs(3 + 0 * angles, 2 + 0 * angles, angles)
    numpy.testing.assert_allclose(ours.ellipse_axes(*form), peer().ellipse_axes(*form), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("pixels, degrees", [([(5, 6), (6, 5)], -45), ([(5, 5), (6, 6)], 45)])
def test_the_angle_of_an_object_at_45_degrees(pixels, degrees):
    """Two pixels on a diagonal; SEP has +45 degrees for either."""
    image = numpy.zeros((12, 12), "f4")
    for row, column in pixels:
        image[row, column] = 8
    mine, theirs = (one.extract(image, 1.0, filter_kernel=None, minarea=1)[0] for one in (ours, peer()))
    assert mine["x2"] == mine["y2"] and numpy.sign(mine["xy"]) == numpy.sign(theirs["xy"]) == numpy.sign(degrees)
    numpy.testing.assert_allclose(numpy.degrees(mine["theta"]), degrees, rtol=1e-6)
    numpy.testing.assert_allclose(numpy.degrees(theirs["theta"]), 45, rtol=1e-6)
    step = numpy.cos(mine["theta"]), numpy.sin(mine["theta"])
    form = [mine[name] * u for name, u in zip(("cxx", "cyy", "cxy"), (step[0] ** 2, step[1] ** 2, step[0] * step[1]))]
    numpy.testing.assert_allclose(sum(form) * mine["a"] ** 2, 1, rtol=1e-5)


def test_the_sky_in_meshes_of_one_column_stays_in_the_sky():
    """SEP's spline runs away along a row."""
    data = numpy.random.default_rng(0).normal(100, 3, (40, 20)).astype("f4")
    mine, theirs = (one.Background(data, bw=1, bh=12, fw=1, fh=1) for one in (ours, peer()))
    assert numpy.abs(mine.back() - 100).max() < 20 and (mine.rms() > -3).all()
    assert numpy.abs(theirs.back() - 100).max() > 1e4 and theirs.rms().min() < -100
    assert mine.globalback == theirs.globalback and mine.globalrms == theirs.globalrms


def test_the_level_of_a_single_pixel_is_its_value():
    """SEP has twice that: also where a mesh is cut or masked to one pixel."""
    for level in 7.0, 1e4:
        one = numpy.full((1, 1), level, "f4")
        assert ours.Background(one).globalback == level and peer().Background(one).globalback == 2 * level
        data = numpy.full((33, 33), level, "f4")
        assert ours.Background(data, bw=32, bh=32, fw=1, fh=1).back().max() <= level * 1.000001
        assert peer().Background(data, bw=32, bh=32, fw=1, fh=1).back().max() > 1.2 * level


def test_of_equally_bright_pixels_the_first_is_the_peak():
    """In raster order. SEP's is the first that its search for objects comes upon."""
    sep, others = peer(), 0
    for seed in range(40):
        image = numpy.random.default_rng(seed).integers(0, 4, (40, 40)).astype("i4")
        mine, theirs = (one.extract(image, 1.5, filter_kernel=None, deblend_cont=1.0, clean=False, segmentation_map=True)
                        for one in (ours, sep))
        numpy.testing.assert_array_equal(mine[1], theirs[1])
        for number, (one, other) in enumerate(zip(mine[0], theirs[0]), 1):
            rows, columns = numpy.nonzero((mine[1] == number) & (image == one["peak"]))
            assert (one["ypeak"], one["xpeak"]) == (rows[0], columns[0]) == (one["ycpeak"], one["xcpeak"])
            assert (other["ypeak"], other["xpeak"]) in zip(rows, columns)
            others += (other["ypeak"], other["xpeak"]) != (rows[0], columns[0])
    assert others > 0


def test_a_source_has_a_pixel():
    """SEP's CLEAN reads past an array of no pixels where minarea is 0, and drops other objects than where it is 1."""
    sep = peer()
    image = numpy.random.default_rng(4).normal(0, 1, (120, 120)).astype("f4")
    told = {"filter_kernel": None, "deblend_cont": 1.0}
    for clean in True, False:
        one = ours.extract(image, 1.5, minarea=1, clean=clean, **told)
        numpy.testing.assert_array_equal(one["npix"], sep.extract(image, 1.5, minarea=1, clean=clean, **told)["npix"])
        for minarea in 0, 0, -3, -3:
            numpy.testing.assert_array_equal(ours.extract(image, 1.5, minarea=minarea, clean=clean, **told), one)
        assert (len(sep.extract(image, 1.5, minarea=0, clean=clean, **told)) < 0.8 * len(one)) == clean


def test_a_pixel_whose_noise_is_none_is_not_there():
    """SEP's matched filter drops all pixels whose kernel touches it: a hole of 3 x 3. Ours is one pixel, as everywhere
    else, and in SEP's 'conv'."""
    image = numpy.random.default_rng(3).normal(0, 1, (60, 60)).astype("f4")
    image[20:27, 20:27] += 30
    noise = numpy.full(image.shape, 1.3, "f4")
    noise[23, 23] = numpy.nan
    for told in {"filter_type": "conv"}, {"filter_type": "matched"}, {"filter_kernel": None}, {"mask": numpy.isnan(noise)}:
        (mine, here), (theirs, there) = (one.extract(image, 2.0, err=noise, segmentation_map=True, **told) for one in (ours, peer()))
        assert len(mine) == 1
        numpy.testing.assert_allclose(mine["thresh"], 2 * 1.3, rtol=1e-6)
        assert numpy.isfinite(mine["errx2"][0]) and mine["tnpix"][0] == 48
        holes = [(labels[20:27, 20:27] == 0).sum() for labels in (here, there)]
        assert holes == [1, 0 if "mask" in told else 9 if told.get("filter_type") == "matched" else 1]


@pytest.mark.parametrize("told", [{"filter_type": "conv"}, {"filter_type": "matched"}, {"filter_kernel": None}])
def test_masked_pixels_of_a_given_map_are_as_noisy_as_is_told(told):
    image, labels = numpy.random.default_rng(3).normal(0, 1, (60, 60)).astype("f4"), numpy.zeros((60, 60), "i4")
    image[20:27, 20:27] += 30
    labels[20:27, 20:27] = 1
    keys = {"err": numpy.full(image.shape, 1.3, "f4"), "mask": numpy.arange(3600).reshape(60, 60) == 22 * 60 + 22}
    mine, theirs = (one.extract(image, 2.0, segmentation_map=labels, **keys, **told)[0][0] for one in (ours, peer()))
    numpy.testing.assert_allclose(mine["thresh"], 2.6, rtol=1e-6)
    assert theirs["thresh"] > 1e20 and theirs["tnpix"] == 0 and mine["tnpix"] == 48
    assert mine["npix"] == theirs["npix"] == 49 and abs(mine["flux"] - theirs["flux"]) < 1e-3
