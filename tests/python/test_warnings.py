"""Warnings are seen: each once, at the caller's line, of a class that can be filtered; and in the log."""
import concurrent.futures
import logging
import subprocess
import sys
import warnings

import numpy
import pytest

import srcextract
from srcextract import ConfigWarning, ImageWarning, SrcextractWarning

fits = pytest.importorskip("astropy.io.fits")

RANDOM = numpy.random.default_rng(691)
Y, X = numpy.mgrid[:64, :64]
# A blob of a third of the image, which is told to be suspicious.
BLOB = (RANDOM.normal(100, 2, X.shape) + 300 * numpy.exp(-((X - 30) ** 2 + (Y - 30) ** 2) / 250)).astype("f4")
CLEAN = RANDOM.normal(100, 2, X.shape).astype("f4")
TOLD = r"the array: .*% of the pixels"


def shown(call):
    with warnings.catch_warnings(record=True) as several:
        warnings.simplefilter("always")
        result = call()
    return result, [one for one in several if issubclass(one.category, SrcextractWarning)]


def test_they_are_those_of_the_catalogue():
    for call in srcextract.extract, srcextract.Extractor():
        found, several = shown(lambda: call(BLOB))
        assert found.warnings and {str(one.message).removeprefix("the array: ") for one in several} >= set(found.warnings)
        assert len({str(one.message) for one in several}) == len(several)
        assert all(one.category is ImageWarning and one.filename == __file__ for one in several)
    assert shown(lambda: srcextract.extract(CLEAN))[1] == []


def test_they_are_seen_without_any_setting():
    """And once, where the same line warns again and again."""
    code = ("import numpy, srcextract\ny, x = numpy.mgrid[:64, :64]\n"
            "image = 100 + numpy.random.default_rng(1).normal(0, 2, x.shape) + 300 * numpy.exp(-((x - 30)**2 + (y - 30)**2) / 250)\n"
            "for _ in range(3):\n    found = srcextract.extract(image)\nprint(len(found.warnings))\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("ImageWarning: ") == int(done.stdout) > 0


@pytest.mark.parametrize("kind", [SrcextractWarning, ImageWarning, UserWarning])
def test_they_can_be_errors_and_be_silenced(kind):
    extractor = srcextract.Extractor()
    with warnings.catch_warnings():
        warnings.simplefilter("error", kind)
        for call in srcextract.extract, extractor:
            with pytest.raises(ImageWarning, match=TOLD):
                call(BLOB)
        assert len(extractor(CLEAN)) == 0  # it can be used again
        with pytest.raises(ImageWarning, match=TOLD):
            list(srcextract.extract_many([BLOB, CLEAN]))
        warnings.simplefilter("ignore", kind)
        assert srcextract.extract(BLOB).warnings


def test_they_are_in_the_log_once(caplog):
    with caplog.at_level(logging.WARNING, "srcextract"):
        found, several = shown(lambda: srcextract.extract(BLOB))
    logged = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert sorted(logged) == sorted(str(one.message) for one in several) and len(logged) == len(found.warnings)


def test_a_configuration_warns_with_its_own_class():
    _, several = shown(lambda: srcextract.Extractor({"deblend": {"contrast": 0.0123}}))
    assert [one.category for one in several] == [ConfigWarning] and several[0].filename == __file__


def test_an_image_that_fails_shows_its_error_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SrcextractWarning)
        with pytest.raises(srcextract.InputError):
            srcextract.extract(numpy.full((64, 64), numpy.nan, "f4"))


def test_many_images_show_each_its_own(tmp_path):
    for name, image in ("a", BLOB), ("b", CLEAN), ("c", BLOB):
        fits.writeto(tmp_path / f"{name}.fits", image)
    paths = [tmp_path / f"{name}.fits" for name in "abc"]
    wanted = [f"{path}: source 1 has 45 % of the pixels" for path in (paths[0], paths[2])]
    with concurrent.futures.ProcessPoolExecutor(2) as processes, concurrent.futures.ThreadPoolExecutor(2) as threads:
        for executor in None, processes, threads:
            (found, several) = shown(lambda: list(srcextract.extract_many(paths, progress=False, executor=executor)))
            told = [str(one.message) for one in several]
            assert len(found) == 3 and all(sum(text.startswith(one) for text in told) == 1 for one in wanted), executor
            assert {one.filename for one in several} == {__file__}
    _, several = shown(lambda: list(srcextract.extract_many([BLOB, CLEAN])))
    assert len(several) == 1


def test_stages_warn_at_the_callers_line():
    image = BLOB.copy()
    found, several = shown(lambda: srcextract.photometry(image, positions={"X": [31.0], "Y": [31.0]}, apertures=[5]))
    assert len(found) == 1 and all(one.filename == __file__ for one in several)
