"""The stages one by one: chained by hand they are srcextract.extract, and each is what SciPy, NumPy or SEP has of it."""
import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")


def field(seed, shape=(300, 257), stars=60, holes=True):
    """Stars, some of them close together, on a sky that slopes, with pixels that are NaN."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(100, 4, shape) + 0.02 * x + 0.01 * y
    for at_y, at_x in random.uniform(0, 1, (stars, 2)) * shape:
        near = at_y + random.normal(0, 5), at_x + random.normal(0, 5)
        for star_y, star_x in (at_y, at_x), near:
            image += random.uniform(30, 900) * numpy.exp(-((y - star_y)**2 + (x - star_x)**2) / random.uniform(4, 9))
    if holes:
        image[random.uniform(0, 1, shape) < 0.003] = numpy.nan
        image[40:52, 60:75] = numpy.nan
    return image.astype("f4")


def assert_same_columns(found, expected):
    assert found.columns == expected.columns
    assert len(expected) > 5
    for name in expected.columns:
        assert found[name].dtype == expected[name].dtype, name
        numpy.testing.assert_array_equal(found[name], expected[name], name)


METHODS = [{"background__method": "mesh", "background__mesh_size": 32}, {"background__method": "constant"}]


def plain(keys, section):
    return {name.partition("__")[2]: value for name, value in keys.items() if name.startswith(section + "__")}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("keys", METHODS, ids=["mesh", "constant"])
@pytest.mark.parametrize("which", ["sky", 1, 2, 3])
def test_the_four_steps_are_extract(which, keys, threads, sky_path):
    image = fits.getdata(sky_path) if which == "sky" else field(which)
    expected = srcextract.extract(image, {"extends": "none"}, detection__threshold=4, detection__min_area=6, **keys)
    sky = srcextract.background(image, threads=threads, **plain(keys, "background"))
    found = srcextract.threshold(image, sky, threshold=4, threads=threads)
    labels = srcextract.label(found, min_area=6, threads=threads)
    table = srcextract.measure(image, labels, sky, threads=threads)
    expected_columns = expected[[name for name in expected.columns if name in table]]
    assert set(expected.columns) - set(table.columns) <= {"ALPHA_J2000", "DELTA_J2000"}
    assert_same_columns(table, expected_columns)
    numpy.testing.assert_array_equal(labels.image, expected.segmentation)
    numpy.testing.assert_array_equal(table.segmentation, expected.segmentation)
    numpy.testing.assert_array_equal(sky.level, expected.background)
    numpy.testing.assert_array_equal(sky.rms, expected.rms)
    assert sky.global_level == expected.sky_level and sky.global_rms == expected.sky_sigma


def test_an_image_that_was_subtracted_gives_the_same():
    image = field(4)
    sky = srcextract.background(image, mesh_size=32)
    above = sky.subtract(image)
    numpy.testing.assert_array_equal(above, image - sky.level)
    labels = srcextract.label(srcextract.threshold(above, sky.subtracted))
    expected = srcextract.extract(image, {"extends": "none"}, background__mesh_size=32)
    assert_same_columns(srcextract.measure(above, labels, sky.subtracted), expected)
    copied = srcextract.measure(above.copy(), numpy.array(labels.image), sky.subtracted)
    assert_same_columns(copied, expected)


CHAINS = [
    {"deblend__contrast": 0.005},
    {"deblend__contrast": 0.001, "deblend__clean": True},
    {"deblend__method": "none", "deblend__clean": True},
    {"background__method": "constant", "deblend__thresholds": 16},
    {"detection__threshold_unit": "detection_sigma", "detection__analysis_threshold": 2.0, "detection__threshold": 2.5},
    {"weights__type": "none", "detection__seed": 8.0, "measurement__gain": 2.0, "measurement__saturation": 400.0},
    {"detection__false_discovery_rate": 0.02, "detection__threshold_unit": "detection_sigma", "morphology__operation": "opening"},
]
COLUMNS = ["default", "FLUX_AUTO", "FLUXERR_AUTO", "KRON_RADIUS", "FLUX_APER", "FLUX_RADIUS", "XWIN_IMAGE", "FLUX_PETRO",
           "ERRX2_IMAGE", "FWHM_IMAGE"]


@pytest.mark.parametrize("seed", [5, 6])
@pytest.mark.parametrize("keys", CHAINS)
def test_longer_chains_are_extract(keys, seed):
    image = field(seed)
    kernel = {"convolve__kernel": "gaussian", "convolve__fwhm": 2.5}
    divides = any(name.startswith("deblend") for name in keys)
    all_keys = {**kernel, **keys}
    if divides:
        all_keys.setdefault("deblend__method", "tree")
    expected = srcextract.extract(image, {"extends": "none"}, output__columns=COLUMNS, measurement__apertures=[5, 9.5], **all_keys)
    sky = srcextract.background(image, **{name: value for name, value in keys.items() if "background" in name})
    above, left = (image, sky) if keys.get("background__method") else (sky.subtract(image), sky.subtracted)
    smooth = srcextract.convolve(above, left, kernel="gaussian", fwhm=2.5)
    others = {name: value for name, value in keys.items() if name.split("__")[0] not in ("background", "deblend")}
    at_threshold = {name: value for name, value in others.items() if not name.startswith("measurement")}
    found = srcextract.threshold(smooth, left, **at_threshold)
    labels = srcextract.label(found)
    if divides:
        labels = srcextract.deblend(above, labels, left, found_in=smooth, **plain(keys, "deblend"))
    at_measure = plain(others, "measurement")
    table = srcextract.photometry(above, labels, left, found_in=smooth, columns=COLUMNS, apertures=[5, 9.5],
                                  **at_measure)
    assert_same_columns(table, expected)
    numpy.testing.assert_array_equal(labels.image, expected.segmentation)


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("density", [0.02, 0.4, 0.7])
def test_labels_are_those_of_scipy(connectivity, density):
    mask = numpy.random.default_rng(9).uniform(0, 1, (211, 130)) < density
    expected, count = ndimage.label(mask, numpy.ones((3, 3)) if connectivity == 8 else None)
    for given in mask, mask.astype("i4") * 7, numpy.asfortranarray(mask), numpy.repeat(mask, 2, axis=1)[:, ::2]:
        labels = srcextract.label(given, connectivity=connectivity, min_area=1)
        assert len(labels) == count
        assert labels.image.dtype == numpy.int32
        numpy.testing.assert_array_equal(labels.image, expected)
    area = ndimage.sum_labels(mask, expected, range(1, count + 1))
    few = srcextract.label(mask, connectivity=connectivity, min_area=4)
    assert len(few) == (area >= 4).sum() and few.found == count
    numpy.testing.assert_array_equal(few.image > 0, numpy.isin(expected, 1 + numpy.flatnonzero(area >= 4)))


def test_labels_of_others_are_measured_as_they_are():
    """Numbers that leave gaps and are in no order, one label in two places, labels that touch."""
    random = numpy.random.default_rng(11)
    image = random.normal(10, 1, (80, 90)).astype("f4")
    labels = numpy.zeros((80, 90), "i8")
    labels[5:12, 50:60] = 700
    labels[5:12, 60:70] = 3
    labels[40:44, 10:30] = 41
    labels[60:63, 70:79] = 41
    labels[70, 89] = 12
    image[labels > 0] += random.uniform(20, 60, (labels > 0).sum()).astype("f4")
    sky = srcextract.background(image, method="constant")
    table = srcextract.measure(image, labels, sky)
    numbers = [3, 12, 41, 700]
    assert table["NUMBER"].tolist() == numbers
    above = image.astype(float) - sky.global_level
    numpy.testing.assert_array_equal(table["NPIX"], ndimage.sum_labels(labels > 0, labels, numbers))
    numpy.testing.assert_allclose(table["FLUX_ISO"], ndimage.sum_labels(above, labels, numbers), rtol=1e-12)
    for which, number in enumerate(numbers):
        place = ndimage.maximum_position(image, labels, number)
        assert (table["YPEAK_IMAGE"][which] - 1, table["XPEAK_IMAGE"][which] - 1) == place
        inside = numpy.nonzero(labels == number)
        centre = (above[inside] * inside[1]).sum() / above[inside].sum()
        assert table["X_IMAGE"][which] == pytest.approx(centre + 1, abs=1e-8)
    numpy.testing.assert_array_equal(table.segmentation, labels)
    fluxes = srcextract.photometry(image, labels, sky, columns=["FLUX_APER", "NUMBER"])
    assert fluxes["NUMBER"].tolist() == numbers
    assert numpy.isfinite(fluxes["FLUX_APER"]).all()


def test_labels_of_others_can_be_deblended():
    """A map that says one island of two stars, whatever it is told of the rest."""
    y, x = numpy.mgrid[:60, :60]
    image = numpy.random.default_rng(2).normal(0, 1, (60, 60)) + 300 * numpy.exp(-((y - 30)**2 + (x - 22)**2) / 8)
    image += 200 * numpy.exp(-((y - 30)**2 + (x - 38)**2) / 8)
    labels = numpy.zeros((60, 60), int)
    labels[20:40, 12:48] = 5
    labels[2:4, 2:50] = 9
    sky = srcextract.background(image, method="constant")
    parts = srcextract.deblend(image, labels, sky)
    assert parts.image[30, 22] != parts.image[30, 38]
    numpy.testing.assert_array_equal(parts.image > 0, labels > 0)
    assert len(srcextract.measure(image, parts, sky)) == len(parts) >= 3


@pytest.mark.parametrize("seed", range(12))
def test_any_map_of_labels_can_be_deblended(seed):
    """Of labels that no threshold has made, each pixel stays in its island, or in none."""
    random = numpy.random.default_rng(seed)
    image = random.normal(0, 1, (64, 50)).astype("f4") * 10
    image[random.uniform(0, 1, image.shape) < 0.1] = numpy.nan
    labels = random.integers(0, random.integers(2, 40), image.shape)
    sky = srcextract.background(image, method="constant")
    parts = srcextract.deblend(image, labels, sky, clean=bool(seed % 2), contrast=0.0001, detection__threshold=0.1)
    assert parts.image.max() == len(parts)
    assert not parts.image[labels == 0].any()
    assert len(srcextract.measure(image, parts, sky)) == len(parts)


@pytest.mark.parametrize("edges, mode", [("zero", "constant"), ("nearest", "nearest"), ("reflect", "reflect")])
def test_a_convolution_is_that_of_scipy(edges, mode):
    image = field(8, holes=False)
    kernel = numpy.random.default_rng(1).uniform(-0.2, 1, (5, 3))
    made = srcextract.convolve(image, kernel=kernel, normalize=False, edges=edges)
    numpy.testing.assert_allclose(made, ndimage.convolve(image.astype(float), kernel, mode=mode), rtol=1e-5)
    smooth = srcextract.convolve(image, kernel="gaussian", sigma=2.0, edges=edges)
    numpy.testing.assert_allclose(smooth, ndimage.gaussian_filter(image.astype(float), 2.0, mode=mode), rtol=1e-5)


def test_a_mesh_is_that_of_sep():
    sep = pytest.importorskip("sep")
    image = field(3, (256, 320), holes=False)
    sky = srcextract.background(image, mesh_size=32)
    theirs = sep.Background(image, bw=32, bh=32, fw=3, fh=3)
    numpy.testing.assert_allclose(sky.level, theirs.back(), atol=0.2)
    numpy.testing.assert_allclose(sky.rms, theirs.rms(), atol=0.2)
    assert sky.mesh.level.shape == sky.mesh.rms.shape == (8, 10)
    numpy.testing.assert_array_equal(image - sky, sky.subtract(image))


def test_a_constant_background_is_a_clip():
    image = field(7)
    kept = image[numpy.isfinite(image)].astype(float)
    for _ in range(200):
        middle, sigma = numpy.median(kept), kept.std()
        inside = kept[numpy.abs(kept - middle) < 3 * sigma]
        if inside.size == kept.size:
            break
        kept = inside
    sky = srcextract.background(image, method="constant")
    assert sky.global_level == pytest.approx(middle, rel=1e-9) and sky.global_rms == pytest.approx(sigma, rel=1e-9)
    assert sky.mesh is None
    numpy.testing.assert_allclose(sky.subtract(image), image - numpy.float32(middle), atol=1e-5)
    assert sky.subtracted.global_level == 0 and (sky.subtracted.level == 0).all()


def test_what_comes_back_is_not_read_again_and_cannot_be_changed():
    image = field(1)
    sky = srcextract.background(image)
    above = sky.subtract(image)
    with pytest.raises(ValueError, match="read-only"):
        above[0, 0] = 1
    changed = above.copy()
    changed[:] = 0
    changed[10:20, 10:20] = 1000
    assert len(srcextract.label(srcextract.threshold(changed, sky.subtracted))) == 1
    part = above[10:60, 20:90]
    expected = srcextract.background(numpy.array(part))
    numpy.testing.assert_array_equal(srcextract.background(part).level, expected.level)
    rows = above[:50]
    numpy.testing.assert_array_equal(srcextract.background(rows).level, srcextract.background(rows.copy()).level)


def test_planes_are_combined_as_numpy_does():
    planes = numpy.stack([field(seed, (64, 70), 5) for seed in range(5)])
    numpy.testing.assert_allclose(srcextract.combine(planes, "mean"), numpy.nanmean(planes.astype(float), axis=0),
                                  rtol=1e-6)
    numpy.testing.assert_allclose(srcextract.combine(planes, "median"), numpy.nanmedian(planes, axis=0), rtol=1e-6)
    weighted = srcextract.combine(list(planes), "weighted", weights=[1, 2, 3, 4, 5])
    kept = numpy.isfinite(planes).all(axis=0)
    sums = numpy.tensordot([1.0, 2, 3, 4, 5], planes.astype(float), 1)
    numpy.testing.assert_allclose(weighted[kept], sums[kept], rtol=1e-6)


def test_planes_are_combined_in_one_unit():
    units = pytest.importorskip("astropy.units")
    first, second = (field(seed, (64, 70), 5) for seed in range(2))
    numpy.testing.assert_array_equal(srcextract.combine([first * units.mJy, second * units.mJy]), srcextract.combine([first, second]))
    srcextract.combine([first * units.dimensionless_unscaled, second])
    with pytest.raises(srcextract.InputError, match="plane 0 is in mJy, and plane 1 in Jy; give all in one unit"):
        srcextract.combine([first * units.mJy, second * units.Jy])
    with pytest.raises(srcextract.InputError, match="plane 0 is without a unit, and plane 1 in mJy"):
        srcextract.combine([first, second * units.mJy])


@pytest.mark.parametrize("number", [1.5, 2.0**31, -(2.0**40)])
def test_numbers_of_positions_are_whole_numbers_of_32_bits(number):
    image = field(3, (64, 70), 5)
    sky = srcextract.background(image)
    with pytest.raises(srcextract.InputError, match="NUMBER has other values than whole numbers of 32 bits"):
        srcextract.photometry(image, positions={"X": [20.0], "Y": [30.0], "NUMBER": [number]}, background=sky)
    found = srcextract.photometry(image, positions={"X": [20], "Y": [30], "NUMBER": [2**31 - 1]}, background=sky)
    assert list(found["NUMBER"]) == [2**31 - 1]


def test_an_image_is_resampled_by_its_wcs():
    wcs = pytest.importorskip("astropy.wcs").WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.cdelt = ["RA---TAN", "DEC--TAN"], [150, 2], [-2e-4, 2e-4]
    wcs.wcs.crpix = [60, 50]
    moved = wcs.deepcopy()
    moved.wcs.crpix = [57, 55]
    y, x = numpy.mgrid[:100, :120]
    image = (1000 * numpy.exp(-((y - 40)**2 + (x - 70)**2) / 40)).astype("f4")
    made = srcextract.resample(image, wcs, moved)
    numpy.testing.assert_allclose(made[10:, :110], image[5:-5, 3:113], atol=1e-3)
    half = moved.deepcopy()
    half.wcs.crpix = [60.5, 50]
    made = srcextract.resample(image, wcs.to_header(), half.to_header(), shape=(90, 110), interpolation="bilinear")
    assert made.shape == (90, 110)
    expected = ndimage.shift(image.astype(float), (0, 0.5), order=1)[:90, 1:110]
    numpy.testing.assert_allclose(made[:, 1:], expected, atol=1e-2)


def test_a_picture_has_the_limits_of_zscale():
    visualization = pytest.importorskip("astropy.visualization")
    image = field(2, holes=False)
    picture = srcextract.render(image, stretch="linear")
    low, high = visualization.ZScaleInterval().get_limits(image)
    assert picture.dtype == numpy.uint8 and picture.shape == image.shape
    expected = numpy.clip((image - low) / (high - low), 0, 1) * 255
    assert numpy.abs(picture - expected).max() <= 1.1
    assert max(srcextract.render(image, size=100).shape) <= 100


def test_a_network_between_two_stages():
    """Whatever is done to an array between two stages, the next one takes it."""
    image = field(6)
    sky = srcextract.background(image)
    smooth = ndimage.gaussian_filter(numpy.nan_to_num(sky.subtract(image)), 1.5)
    mask = smooth > 3 * sky.rms / 4
    labels, count = ndimage.label(mask)
    table = srcextract.measure(image, labels, sky, found_in=smooth + sky.level)
    assert len(table) == count
    assert len(srcextract.measure(image, srcextract.label(mask, connectivity=4, min_area=1), sky)) == count


def test_objects_of_photutils():
    segmentation = pytest.importorskip("photutils.segmentation")
    image = field(3, holes=False)
    sky = srcextract.background(image)
    above = sky.subtract(image)
    theirs = segmentation.detect_sources(above, 4 * sky.global_rms, 6)  # called npixels, and n_pixels since 3.0
    table = srcextract.measure(above, theirs, sky.subtracted)
    assert table["NUMBER"].tolist() == theirs.labels.tolist()
    numpy.testing.assert_array_equal(table["NPIX"], theirs.areas)
    flux = segmentation.SourceCatalog(above.astype(float), theirs).segment_flux
    numpy.testing.assert_allclose(table["FLUX_ISO"], flux, rtol=1e-6)


IMAGE = numpy.random.default_rng(0).normal(0, 1, (50, 60)).astype("f4")


@pytest.mark.parametrize("call, error, says", [
    (lambda: srcextract.background(IMAGE, mehtod="mesh"), srcextract.ConfigError, "did you mean 'method'"),
    (lambda: srcextract.background(IMAGE, method="mash"), srcextract.ConfigError, "mesh"),
    (lambda: srcextract.threshold(IMAGE, treshold=3), srcextract.ConfigError, "did you mean 'threshold'"),
    (lambda: srcextract.threshold(IMAGE, 3.0), srcextract.InputError, "background"),
    (lambda: srcextract.threshold(IMAGE, srcextract.background(IMAGE[1:])), srcextract.InputError, "shape"),
    (lambda: srcextract.threshold(IMAGE, sign="negative"), srcextract.ConfigError, "detection.sign"),
    (lambda: srcextract.label(IMAGE), srcextract.InputError, "bool"),
    (lambda: srcextract.label(IMAGE > 1, connectivity=6), srcextract.ConfigError, "connectivity"),
    (lambda: srcextract.measure(IMAGE, IMAGE), srcextract.InputError, "integers"),
    (lambda: srcextract.measure(IMAGE, IMAGE > 1), srcextract.InputError, "label"),
    (lambda: srcextract.measure(IMAGE, -numpy.ones((50, 60), int)), srcextract.InputError, "0 where"),
    (lambda: srcextract.measure(IMAGE, -numpy.ones((50, 60), "i2")), srcextract.InputError, "-1"),
    (lambda: srcextract.measure(IMAGE, numpy.ones((5, 6), int)), srcextract.InputError, "5 rows"),
    (lambda: srcextract.measure(IMAGE, numpy.ones((50, 60), int), deblend__method="tree"), srcextract.ConfigError,
     "deblend"),
    (lambda: srcextract.measure(IMAGE, numpy.ones((50, 60), int), threads=0), srcextract.ConfigError, "threads"),
    (lambda: srcextract.photometry(IMAGE, numpy.ones((50, 60), int), columns=["FLUX_OUTO"]), srcextract.ConfigError,
     "FLUX_AUTO"),
    (lambda: srcextract.photometry(IMAGE, numpy.ones((50, 60), int), columns="VIGNET(5,5)"), srcextract.ConfigError,
     "VIGNET"),
    (lambda: srcextract.convolve(IMAGE, srcextract.background(IMAGE), kernel="gaussian", fwhm=2), srcextract.ConfigError,
     "subtract"),
    (lambda: srcextract.photometry(IMAGE), srcextract.ConfigError, "one of them"),
    (lambda: srcextract.photometry(IMAGE, positions=[1, 2, 3]), srcextract.InputError, "shape"),
    (lambda: srcextract.photometry(IMAGE, positions={"X": [1], "Z": [2]}), srcextract.InputError, "X_IMAGE"),
    (lambda: srcextract.convolve(IMAGE, kernel="none"), srcextract.ConfigError, "no kernel"),
    (lambda: srcextract.convolve(IMAGE, kernel=[1, 2, 3]), srcextract.ConfigError, "2 axes"),
    (lambda: srcextract.combine([]), srcextract.InputError, "none"),
    (lambda: srcextract.combine([IMAGE, IMAGE[1:]]), srcextract.InputError, "shapes"),
    (lambda: srcextract.background("sky.fits"), srcextract.InputError, "getdata"),
    (lambda: srcextract.background(IMAGE[0]), srcextract.InputError, "2 axes"),
    (lambda: srcextract.background(IMAGE, weights__type="rms"), srcextract.ConfigError, "weights"),
    (lambda: srcextract.threshold(numpy.zeros((9, 9))), srcextract.InputError, "sigma is 0"),
    (lambda: srcextract.threshold(numpy.full((9, 9), numpy.nan)), srcextract.InputError, "masked"),
])
def test_mistakes_are_told(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_images_without_sources():
    sky = srcextract.background(IMAGE)
    labels = srcextract.label(srcextract.threshold(IMAGE, sky, threshold=100))
    assert len(labels) == 0 and not labels.image.any()
    assert len(srcextract.measure(IMAGE, labels, sky)) == 0
    assert len(srcextract.deblend(IMAGE, labels, sky)) == 0
    assert len(srcextract.measure(IMAGE, srcextract.deblend(IMAGE, labels, sky, clean=True), sky)) == 0
    assert len(srcextract.photometry(IMAGE, numpy.zeros((50, 60), int), sky, columns=["FLUX_AUTO"])) == 0


@pytest.mark.parametrize("keys", METHODS, ids=["mesh", "constant"])
@pytest.mark.parametrize("ellipses", [False, True])
def test_light_at_positions_is_that_of_extract(keys, ellipses):
    image = field(5)
    names = ["NUMBER", "X_IMAGE", "Y_IMAGE"] + ["A_IMAGE", "B_IMAGE", "THETA_IMAGE"] * ellipses
    found = srcextract.extract(field(6))
    places = {name: numpy.append(found[name], found[name][:1] + 1000 * (name == "X_IMAGE")) for name in names}
    places["NUMBER"] = numpy.arange(len(found) + 1, dtype="i4") + 5
    expected = srcextract.extract(image, {"extends": "none"}, positions=places, measurement__apertures=[4, 9], **keys)
    sky = srcextract.background(image, **plain(keys, "background"))
    table = srcextract.photometry(image, None, sky, positions=places, apertures=[4, 9])
    assert ("FLUX_AUTO" in table) == ellipses and numpy.isfinite(table["FLUX_APER"][:-1]).all()
    assert_same_columns(table, expected)
    if not ellipses:
        pairs = numpy.stack([places["X_IMAGE"], places["Y_IMAGE"]], axis=1)
        again = srcextract.photometry(image, background=sky, positions=pairs, origin=1, apertures=[4, 9])
        numpy.testing.assert_array_equal(again["FLUX_APER"], expected["FLUX_APER"])
        own = srcextract.photometry(sky.subtract(image), background=sky.subtracted, positions=found, apertures=[4, 9])
        if keys["background__method"] == "mesh":
            numpy.testing.assert_array_equal(own["FLUX_APER"], expected["FLUX_APER"][:-1])


LONG_WORK = [
    "sky = srcextract.background(image, threads=1); "
    "labels = srcextract.label(srcextract.threshold(image, sky, threads=1), threads=1); "
    "srcextract.measure(image, srcextract.deblend(image, labels, sky, threads=1), sky, threads=1)",
    "srcextract.convolve(image, kernel=random.uniform(0, 1, (41, 41)), threads=1)",
    "srcextract.combine([image] * 50, 'median', threads=1)",
]


@pytest.mark.parametrize("work", LONG_WORK, ids=["a chain", "convolve", "combine"])
def test_ctrl_c_ends_a_stage_within_a_second(work):
    from test_interrupt import interrupt
    assert interrupt(work, 0.6) < 1


def test_blank_and_a_mask_count_together():
    nddata = pytest.importorskip("astropy.nddata")
    pixels = numpy.round(field(6)).astype("i2")
    pixels[:, :60] = -32768
    mask = numpy.zeros(pixels.shape, bool)
    mask[20:30] = True
    image = nddata.CCDData(pixels, unit="adu", meta=fits.Header([("BLANK", -32768)]), mask=mask)
    expected = srcextract.background(numpy.where(mask | (pixels == -32768), numpy.float32(numpy.nan), pixels), method="constant")
    assert srcextract.background(image, method="constant").global_level == expected.global_level
