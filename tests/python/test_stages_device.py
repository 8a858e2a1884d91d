"""The stages on arrays of a GPU: what stays there is what the host has of the same values, to the last bit."""
import gc
import threading

import numpy
import pytest

import srcextract

from device_support import cupy


def field(seed, shape=(300, 257), stars=60):
    """Stars, some of them close together, on a sky that slopes, with pixels that are NaN."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(100, 4, shape) + 0.02 * x + 0.01 * y
    for at_y, at_x in random.uniform(0, 1, (stars, 2)) * shape:
        for star_y, star_x in (at_y, at_x), (at_y + random.normal(0, 5), at_x + random.normal(0, 5)):
            image += random.uniform(30, 900) * numpy.exp(-((y - star_y)**2 + (x - star_x)**2) / random.uniform(4, 9))
    image[random.uniform(0, 1, shape) < 0.003] = numpy.nan
    return image.astype("f4")


def assert_same_columns(found, expected):
    assert found.columns == expected.columns
    assert len(expected) > 5
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


def here(values):
    return cupy.asnumpy(cupy.asarray(values))


METHODS = [{"method": "mesh", "mesh_size": 32}, {"method": "constant"}]


@pytest.mark.parametrize("keys", METHODS, ids=["mesh", "constant"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_four_steps_are_extract(seed, keys):
    image = field(seed)
    there = cupy.asarray(image)
    sky = srcextract.background(there, **keys)
    found = srcextract.threshold(there, sky, threshold=4)
    labels = srcextract.label(found, min_area=6)
    table = srcextract.measure(there, labels, sky)
    expected = srcextract.extract(image, {"extends": "none"}, backend="cpu", detection__threshold=4, detection__min_area=6,
                                  **{"background__" + key: value for key, value in keys.items()})
    assert table.backend == "cuda"
    assert_same_columns(table, expected)
    numpy.testing.assert_array_equal(here(labels.image), expected.segmentation)
    numpy.testing.assert_array_equal(table.segmentation, expected.segmentation)
    numpy.testing.assert_array_equal(here(sky.level), expected.background)
    numpy.testing.assert_array_equal(here(sky.rms), expected.rms)
    assert here(found.mask).dtype == bool
    assert not (expected.segmentation[~here(found.mask)] != 0).any()


def chain(image, clean, columns):
    sky = srcextract.background(image, mesh_size=32)
    above = sky.subtract(image)
    smooth = srcextract.convolve(above, sky.subtracted, kernel="gaussian", fwhm=2.5)
    found = srcextract.threshold(smooth, sky.subtracted, threshold=2.5, seed=4, analysis_threshold=2.0)
    labels = srcextract.deblend(above, srcextract.label(found), sky.subtracted, found_in=smooth, contrast=0.001,
                                clean=clean)
    table = srcextract.photometry(above, labels, sky.subtracted, found_in=smooth, columns=columns)
    return above, smooth, found.mask, labels.image, table


@pytest.mark.parametrize("clean", [False, True])
def test_a_long_chain_is_that_of_the_host(clean):
    columns = ["default", "FLUX_AUTO", "FLUXERR_AUTO", "FLUX_APER", "FLUX_RADIUS", "XWIN_IMAGE", "FLUX_PETRO", "FWHM_IMAGE"]
    image = field(3)
    *images, table = chain(cupy.asarray(image), clean, columns)
    *expected_images, expected = chain(image, clean, columns)
    for one, other in zip(images, expected_images):
        numpy.testing.assert_array_equal(here(one), other)
    assert_same_columns(table, expected)


def test_a_network_between_two_stages():
    ndimage = pytest.importorskip("cupyx.scipy.ndimage")
    image = cupy.asarray(numpy.nan_to_num(field(4)))
    sky = srcextract.background(image)
    smooth = ndimage.gaussian_filter(cupy.asarray(sky.subtract(image)), 1.5)
    mask = smooth > 3 * cupy.asarray(sky.rms) / 4
    labels, count = ndimage.label(mask)
    table = srcextract.measure(image, labels, sky)
    assert len(table) == count
    expected = srcextract.measure(here(image), here(labels), srcextract.background(here(image)))
    assert_same_columns(table, expected)
    mine = srcextract.label(mask, connectivity=4, min_area=1)
    numpy.testing.assert_array_equal(here(mine.image), here(labels))


def test_labels_of_others_keep_their_numbers():
    random = numpy.random.default_rng(8)
    image = random.uniform(20, 60, (64, 70)).astype("f4")
    labels = random.choice([0, 3, 41, 700], (64, 70)).astype("i4")
    sky = srcextract.background(image, method="constant")
    expected = srcextract.measure(image, labels, sky, detection__threshold=1)
    there = cupy.asarray(image)
    table = srcextract.measure(there, cupy.asarray(labels), srcextract.background(there, method="constant"),
                               detection__threshold=1)
    assert table["NUMBER"].tolist() == [3, 41, 700]
    for name in expected.columns:
        numpy.testing.assert_array_equal(table[name], expected[name], name)
    numpy.testing.assert_array_equal(table.segmentation, labels)
    parts = srcextract.deblend(there, cupy.asarray(labels), srcextract.background(there, method="constant"),
                               detection__threshold=1)
    numpy.testing.assert_array_equal(here(parts.image), srcextract.deblend(image, labels, sky,
                                                                           detection__threshold=1).image)


def test_light_at_positions_is_that_of_the_host():
    image, places = field(2), numpy.random.default_rng(1).uniform(-3, 260, (40, 2))
    table = srcextract.photometry(cupy.asarray(image), positions=places, apertures=[4, 9])
    assert_same_columns(table, srcextract.photometry(image, positions=places, apertures=[4, 9]))


def test_images_become_images_as_on_the_host():
    planes = numpy.stack([field(seed, (64, 70), 5) for seed in range(5)])
    there = [cupy.asarray(plane) for plane in planes]
    for method in "mean", "median", "chi_square":
        numpy.testing.assert_array_equal(here(srcextract.combine(there, method)), srcextract.combine(planes, method))
    kernel = numpy.random.default_rng(1).uniform(-0.2, 1, (5, 3))
    made = srcextract.convolve(there[0], kernel=kernel, edges="reflect")
    numpy.testing.assert_array_equal(here(made), srcextract.convolve(planes[0], kernel=kernel, edges="reflect"))
    numpy.testing.assert_array_equal(srcextract.render(there[1], size=40), srcextract.render(planes[1], size=40))
    constant = srcextract.background(there[2], method="constant")
    numpy.testing.assert_array_equal(here(constant.subtract(there[2])),
                                     srcextract.background(planes[2], method="constant").subtract(planes[2]))
    assert not here(constant.subtracted.level).any()


def test_results_are_taken_without_a_copy():
    image = cupy.asarray(field(5))
    sky = srcextract.background(image)
    above = sky.subtract(image)
    address = above.__cuda_array_interface__["data"][0]
    assert cupy.asarray(above).data.ptr == address
    lent = cupy.from_dlpack(above)
    assert lent.data.ptr == address and lent.dtype == numpy.float32 and lent.shape == image.shape
    mask = srcextract.threshold(above, sky.subtracted).mask
    assert cupy.from_dlpack(mask).dtype == bool and cupy.asarray(mask).dtype == bool
    expected = here(above)
    del above
    gc.collect()
    for _ in range(5):
        sky.subtract(image + 1)
    numpy.testing.assert_array_equal(here(lent), expected)


def test_memory_that_is_read_elsewhere_is_not_used_again_too_early():
    """Work of another stream that is still under way when the result is freed."""
    image = cupy.asarray(field(6, (1500, 1500)))
    sky = srcextract.background(image)
    expected = here(sky.subtract(image)).astype("f8").sum(where=~numpy.isnan(here(image)))
    stream = cupy.cuda.Stream(non_blocking=True)
    for _ in range(20):
        with stream:
            above = cupy.asarray(sky.subtract(image))
            busy = cupy.zeros((1500, 1500), "f8")
            for _ in range(20):
                busy = cupy.sin(busy)
            total = cupy.nansum(above.astype("f8") + busy)
        del above
        sky.subtract(image * 3)
        stream.synchronize()
        assert float(total) == pytest.approx(expected, rel=1e-9)


def test_what_was_just_written_on_another_stream_is_read():
    expected = [srcextract.background(numpy.full((400, 500), value, "f4") + field(1, (400, 500)) * 0
                                      + numpy.arange(500, dtype="f4"), method="constant").global_level
                for value in range(4)]
    holes = cupy.asarray(field(1, (400, 500)) * 0)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        for turn in range(200):
            image = cupy.full((400, 500), turn % 4, "f4") + holes + cupy.arange(500, dtype="f4")
            assert srcextract.background(image, method="constant").global_level == expected[turn % 4]


def test_threads_take_turns():
    images = [field(seed) for seed in range(4)]
    expected = [len(srcextract.extract(image, {"extends": "none"}, backend="cpu")) for image in images]
    counts = {}

    def work(which):
        for _ in range(5):
            there = cupy.asarray(images[which])
            sky = srcextract.background(there)
            labels = srcextract.label(srcextract.threshold(there, sky))
            counts.setdefault(which, []).append(len(srcextract.measure(there, labels, sky)))

    threads = [threading.Thread(target=work, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {which: [expected[which]] * 5 for which in range(4)}


def test_images_without_sources():
    there = cupy.asarray(numpy.random.default_rng(0).normal(0, 1, (50, 60)).astype("f4"))
    sky = srcextract.background(there)
    labels = srcextract.label(srcextract.threshold(there, sky, threshold=100))
    assert len(labels) == 0 and not here(labels.image).any()
    assert len(srcextract.measure(there, labels, sky)) == 0
    assert len(srcextract.deblend(there, labels, sky)) == 0


def test_host_and_device_are_not_mixed():
    image = field(1)
    there = cupy.asarray(image)
    sky = srcextract.background(image)
    with pytest.raises(srcextract.InputError, match="GPU"):
        srcextract.threshold(there, sky)
    with pytest.raises(srcextract.InputError, match="int32"):
        srcextract.measure(there, cupy.ones(image.shape, "i8"))
    with pytest.raises(TypeError, match="asnumpy"):
        numpy.asarray(srcextract.threshold(there))
