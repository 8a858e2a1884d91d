"""Deblending of labels that no threshold has made."""
import threading

import numpy
import pytest

import srcextract


@pytest.mark.parametrize("bump", [10, 30])
def test_masked_pixels_of_others_labels_have_no_light(bump):
    """A star with a bump of a thousandth of its light is one, also if a pixel is masked and in the label all the same."""
    y, x = numpy.mgrid[:80, :80]
    image = 1000 * numpy.exp(-((x - 30)**2 + (y - 40)**2) / 120) + bump * numpy.exp(-((x - 56)**2 + (y - 40)**2) / 8)
    image = (image + numpy.random.default_rng(1).normal(0, 0.3, x.shape)).astype("f4")
    labels = ((x - 40)**2 + (y - 40)**2 < 900).astype("i4")
    sky = srcextract.background(image, method="constant")
    for row, column in (0, 0), (35, 28), (30, 40), (40, 20):
        holed = image.copy()
        holed[row, column] = numpy.nan
        assert len(srcextract.deblend(holed, labels, sky, detection__threshold=1)) == 1


@pytest.mark.parametrize("function", ["label", "measure", "deblend"])
def test_a_map_that_somebody_writes_to_meanwhile_is_told_of_and_harms_nobody(function):
    random = numpy.random.default_rng(3)
    image = random.normal(100, 5, (200, 240)).astype("f4")
    sky = srcextract.background(image)
    images = [(image > 100).astype("i4"), (image < 100).astype("i4")]
    labels = images[0].copy()
    call = {"label": lambda: srcextract.label(labels), "measure": lambda: srcextract.measure(image, labels, sky),
            "deblend": lambda: srcextract.deblend(image, labels, sky)}[function]
    if function == "label":
        images, labels = [one.astype(bool) for one in images], labels.astype(bool)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for one in images:
                numpy.copyto(labels, one)

    writer = threading.Thread(target=write)
    writer.start()
    told = 0
    try:
        for _ in range(300):
            try:
                call()
            except srcextract.InputError as error:
                assert "changed while it was read" in str(error)
                told += 1
    finally:
        stop.set()
        writer.join()
    assert told > 0
