"""extract_many gives, in the order of what it is given, what extract gives of each."""
import pathlib
import threading
import time

import numpy
import pytest

import srcextract

ROOT = pathlib.Path(__file__).resolve().parents[2]


def assert_same(found, expected):
    assert found.columns == expected.columns
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


def field(seed):
    random = numpy.random.default_rng(seed)
    image = random.normal(20, 3, (90, 110)).astype("f4")
    image[20:24, 30 + 5 * seed:34 + 5 * seed] += 60
    return image


@pytest.fixture(scope="module")
def paths():
    there = [path for path in sorted((ROOT / "data").glob("*.fits")) if path.stat().st_size < 4e6][:4]
    assert len(there) > 1
    return there


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_files_come_in_their_order(paths, threads):
    given = paths * 5
    expected = {path: srcextract.extract(path, backend="cpu") for path in paths}
    found = list(srcextract.extract_many(given, backend="cpu", threads=threads, progress=False))
    assert len(found) == len(given)
    for path, one in zip(given, found):
        assert one.name.endswith(path.name)
        assert_same(one, expected[path])


def test_what_fails_is_a_value_in_its_place(paths, tmp_path):
    text = tmp_path / "text.fits"
    text.write_text("no image")
    cut = tmp_path / "cut.fits"
    cut.write_bytes(paths[0].read_bytes()[:20000])
    given = [paths[0], text, tmp_path / "missing.fits", paths[1], numpy.zeros(5), field(1), cut]
    found = list(srcextract.extract_many(iter(given), backend="cpu", progress=False))
    assert [bool(one) for one in found] == [True, False, False, True, False, True, False]
    assert [type(one) for one in found[1:3]] == [srcextract.Failure] * 2
    assert found[1].name == str(text) and isinstance(found[1].error, srcextract.InputError)
    assert "missing.fits" in str(found[2].error)
    assert "2 axes" in str(found[4].error)
    assert_same(found[5], srcextract.extract(field(1)))
    assert isinstance(found[6].error, srcextract.InputError) and "truncated" in str(found[6].error)


def test_a_catalogue_of_nothing_is_no_failure():
    one, = srcextract.extract_many([numpy.random.default_rng(1).normal(0, 1, (80, 80))], progress=False,
                                   detection__threshold=50)
    assert len(one) == 0 and one


def test_nothing_to_do():
    assert list(srcextract.extract_many([], progress=False)) == []


def test_arrays_are_asked_for_one_by_one():
    asked = []

    def images():
        for number in range(5):
            asked.append(number)
            yield field(number)

    found = srcextract.extract_many(images(), progress=False)
    next(found)
    next(found)
    assert len(asked) <= 3
    found.close()
    assert len(asked) <= 3


def test_a_wrong_configuration_is_told_at_once(paths):
    with pytest.raises(srcextract.ConfigError, match="did you mean 'threshold'"):
        srcextract.extract_many(paths, detection__treshold=3)
    with pytest.raises(srcextract.ConfigError, match="none of auto, cpu and cuda"):
        srcextract.extract_many(paths, backend="gpu")


def test_every_image_of_a_file_comes(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    path = tmp_path / "several.fits"
    images = [field(number) for number in range(3)]
    fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, images)]).writeto(path)
    found = list(srcextract.extract_many([path, path], backend="cpu", progress=False, input__hdu="all"))
    assert len(found) == 6
    for one, image in zip(found, images * 2):
        assert_same(one, srcextract.extract(image))


def test_no_more_is_done_than_is_asked_for(paths):
    """Of a thousand files, when one has been taken and nobody asks any further."""
    before = threading.active_count()
    found = srcextract.extract_many([paths[0]] * 1000, backend="cpu", threads=2, progress=False)
    next(found)
    time.sleep(2)
    used = time.process_time()
    time.sleep(1)
    assert time.process_time() - used < 0.5  # the queue is full, and nobody works
    found.close()
    assert threading.active_count() == before
    assert len(list(found)) == 0


def test_closing_early_ends_the_work(paths):
    begin = time.monotonic()
    for one in srcextract.extract_many([paths[0]] * 100_000, backend="cpu", threads=2, progress=False):
        assert one
        break
    del one
    # A hundred thousand would take minutes; how long this took is the test's own limit.
    used = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - used < 0.3
    assert time.monotonic() - begin < 120


def test_a_bar_counts_images(paths, counted):
    list(srcextract.extract_many(paths[:2], backend="cpu"))
    assert counted == [2, 1, 1, "closed"]


def test_what_is_not_kept_is_told(paths):
    expected = srcextract.extract(paths[0], backend="cpu")
    found = srcextract.extract(paths[0], backend="cpu", segmentation=False)
    assert_same(found, expected)
    numpy.testing.assert_array_equal(found.background, expected.background)
    with pytest.raises(srcextract.ConfigError, match="segmentation=True"):
        found.segmentation


def test_what_is_no_path_of_a_file_stops_no_other(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    good = tmp_path / "good.fits"
    fits.PrimaryHDU(field(1)).writeto(good)
    of_all = list(srcextract.extract_many([good, "", good, "a\0b", "not\udcffutf8.fits", good], progress=False))
    assert [bool(one) for one in of_all] == [True, False, True, False, False, True]
    assert all(isinstance(one.error, srcextract.InputError) for one in of_all if not one)


class Broken:
    """An image that cannot be had, for a reason of its own."""

    def __init__(self, error, method):
        def fail(*_arguments, **_keys):
            raise error
        self.__class__ = type("Broken", (Broken,), {method: fail})


@pytest.mark.parametrize("error, method, kind", [
    (OSError("connection reset by peer"), "read", srcextract.InputError), (ValueError("no URL"), "read", srcextract.InputError),
    (EOFError(), "read", srcextract.InputError), (ZeroDivisionError("a defect"), "read", srcextract.InputError),
    (MemoryError("a worker died"), "read", srcextract.OutOfMemoryError),
    (RuntimeError("gone"), "__array__", srcextract.InputError), (RuntimeError("gone"), "__fspath__", srcextract.InputError)])
def test_whatever_an_image_fails_with_is_a_value(error, method, kind):
    found = list(srcextract.extract_many([field(1), Broken(error, method), field(2)], progress=False))
    assert [bool(one) for one in found] == [True, False, True]
    assert isinstance(found[1].error, kind) and (str(error) or "EOFError") in str(found[1].error)


def test_an_hdu_of_a_file_that_is_cut_short_is_a_value(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    fits.PrimaryHDU(numpy.tile(field(1), (4, 4))).writeto(tmp_path / "image.fits")
    (tmp_path / "cut.fits").write_bytes((tmp_path / "image.fits").read_bytes()[:20000])
    for memmap in True, False:
        with pytest.warns(Warning, match="truncated"), fits.open(tmp_path / "cut.fits", memmap=memmap) as hdus:
            found = list(srcextract.extract_many([field(1), hdus[0], field(2)], progress=False))
        assert [bool(one) for one in found] == [True, False, True]
        assert "PRIMARY" in str(found[1].error)


def test_what_the_images_come_from_may_fail():
    def several():
        yield field(1)
        raise RuntimeError("mine")
    with pytest.raises(RuntimeError, match="mine"):
        list(srcextract.extract_many(several(), progress=False))
