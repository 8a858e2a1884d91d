"""Maps that the configuration names in files, beside pixels that are in none."""
import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")

MAPS = {
    "flags": {"flags__file": "flags.fits"},
    "level": {"background__level": "level.fits"},
    "mask": {"mask__file": "image.fits", "mask__hdu": "DQ"},
    "weights": {"weights__type": "rms", "weights__file": "image.fits", "weights__hdu": "ERR"},
}


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A directory with an image of stars, in an extension beside its errors and what is wrong with it, and maps."""
    folder = tmp_path_factory.mktemp("maps")
    random = numpy.random.default_rng(5)
    y, x = numpy.mgrid[:120, :140]
    image = random.normal(100, 5, y.shape)
    for row, column, flux in zip(random.uniform(5, 115, 25), random.uniform(5, 135, 25), random.uniform(2e3, 2e4, 25)):
        image += flux / (2 * numpy.pi * 2.2) * numpy.exp(-((y - row)**2 + (x - column)**2) / 4.4)
    image = image.astype(">f4")
    errors = numpy.where(x < 70, 5, 60).astype(">f4")
    hdus = [fits.ImageHDU(image, name="SCI"), fits.ImageHDU(errors, name="ERR"),
            fits.ImageHDU((y < 40).astype("u1"), name="DQ")]
    fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(folder / "image.fits")
    fits.PrimaryHDU(numpy.full(y.shape, 4, ">i2")).writeto(folder / "flags.fits")
    fits.PrimaryHDU(numpy.full(y.shape, 90, ">f4")).writeto(folder / "level.fits")
    return folder, image


@pytest.mark.parametrize("kind", MAPS)
@pytest.mark.parametrize("how", ["extract", "Extractor", "extract_many"])
def test_an_array_has_the_maps_of_files_as_a_path_has_them(kind, how, field, monkeypatch):
    folder, image = field
    monkeypatch.chdir(folder)
    keys = MAPS[kind]
    wanted = srcextract.extract("image.fits", input__hdu="SCI", **keys)
    found = {"extract": lambda: srcextract.extract(image, **keys),
             "Extractor": lambda: srcextract.Extractor(**keys)(image),
             "extract_many": lambda: next(iter(srcextract.extract_many([image], progress=False, **keys)))}[how]()
    assert found.columns == wanted.columns
    for column in found.columns:
        numpy.testing.assert_array_equal(found[column], wanted[column])
    without = srcextract.extract(image)
    assert len(without) != len(wanted) or without.sky_level != wanted.sky_level or without.columns != wanted.columns


@pytest.mark.parametrize("keys, map_of", [({"weights__type": "rms", "weights__hdu": "ERR"}, "weights"),
                                          ({"mask__hdu": "DQ"}, "mask"), ({"flags__hdu": "DQ"}, "flags")])
def test_an_hdu_of_a_file_that_is_not_there_is_a_mistake(keys, map_of, field):
    folder, image = field
    with fits.open(folder / "image.fits") as hdus:
        for pixels in image, hdus["SCI"]:
            with pytest.raises(srcextract.ConfigError, match=f"{map_of}.hdu.* name the file with {map_of}.file"):
                srcextract.extract(pixels, **keys)


def test_a_map_is_an_array_or_in_a_file(field, monkeypatch):
    folder, image = field
    monkeypatch.chdir(folder)
    with pytest.raises(srcextract.ConfigError, match="mask.file.*given as an array"):
        srcextract.extract(image, mask=numpy.zeros(image.shape, bool), mask__file="image.fits")
