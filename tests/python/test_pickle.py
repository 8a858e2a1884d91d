"""What is pickled comes back equal, in another process too: catalogues with maps, tables and files; extractors; PSFs."""
import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy
import pytest

import srcextract


def field(seed, shape=(150, 170)):
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    image = random.normal(20 + 0.02 * x, 3)
    for _ in range(14):
        across, along = random.uniform(10, shape[0] - 10), random.uniform(10, shape[1] - 10)
        image += random.uniform(60, 900) * (1 + ((x - along) ** 2 + (y - across) ** 2) / 9) ** -3
    return image.astype("f4")


def again(value):
    return pickle.loads(pickle.dumps(value))


def assert_equal(one, other, tmp_path, endings=("fits", "ecsv", "ldac", "parquet", "reg")):
    assert one.columns == other.columns and len(one) == len(other) > 0
    for name in one.columns:
        numpy.testing.assert_array_equal(one[name], other[name], name)
    for name in ("background", "rms", "segmentation"):
        numpy.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("name", "shape", "backend", "warnings", "times", "sky_level", "sky_sigma", "config", "header"):
        assert getattr(one, name) == getattr(other, name), name
    for ending in endings:
        files = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
        one.write(files[0])
        other.write(files[1])
        assert files[0].read_bytes() == files[1].read_bytes() and files[0].stat().st_size > 100, ending


KINDS = {
    "constant sky": ({}, {}),
    "mesh": ({}, {"background__method": "mesh", "background__mesh_size": 32}),
    "vignets": ({}, {"output__columns": ["default", "VIGNET(5,9)"], "detection__sign": "both"}),
    "apertures": ({}, {"output__columns": ["default", "photometry"], "measurement__apertures": [3, 4]}),
    "errors": ({"error": numpy.linspace(2, 4, 170) * numpy.ones((150, 1))}, {}),
    "mask": ({"mask": numpy.eye(150, 170)}, {}),
    "positions": ({"positions": numpy.array([[20.0, 30.0], [50.5, 60.25]])}, {}),
    "report": ({}, {"output__report": True}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_catalogue_comes_back(kind, seed, tmp_path):
    arguments, keys = KINDS[kind]
    found = srcextract.extract(field(seed), backend="cpu", **arguments, **keys)
    for other in (again(found), copy.deepcopy(found), copy.copy(found), again(again(found))):
        assert_equal(found, other, tmp_path)
    if kind == "report":
        assert again(found).report().page == found.report().page
    rows = found[::-1][:2]
    assert_equal(rows, again(rows), tmp_path, ["fits"])


def test_a_file_with_a_header_comes_back(sky_path, tmp_path):
    found = srcextract.extract(sky_path)
    assert_equal(found, again(found), tmp_path)
    assert len(pickle.dumps(found)) < 4 * found.shape[0] * found.shape[1] / 4  # no image is in it
    fits = pytest.importorskip("astropy.io.fits")
    other = again(found)
    assert fits.Header.fromstring(other.header)["CTYPE1"] == "RA---TAN" and other.wcs.has_celestial


def test_tables_of_gaussians_and_stars_come_back(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    header = fits.Header({"CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CRPIX1": 85.0,
                          "CRPIX2": 75.0, "CDELT1": -1e-3, "CDELT2": 1e-3, "BMAJ": 4e-3, "BMIN": 4e-3, "BPA": 0.0,
                          "BUNIT": "Jy/beam"})
    found = srcextract.extract(field(3), "radio", header=header)
    other = again(found)
    for mine, theirs in ((found.components, other.components), (found.sources, other.sources)):
        assert len(mine) and mine.colnames == theirs.colnames
        for name in mine.colnames:
            numpy.testing.assert_array_equal(mine[name], theirs[name])
    with pytest.raises(srcextract.ConfigError, match="no Gaussians were fitted"):
        again(srcextract.extract(field(3))).components


def test_a_psf_comes_back(sky_path):
    found = srcextract.extract(sky_path, psf__method="fit", output__columns=["NUMBER", "FLUX_PSF"])
    psf = found.psf
    for other in (again(psf), again(found).psf, copy.deepcopy(psf)):
        numpy.testing.assert_array_equal(other.planes, psf.planes)
        assert other.cards == psf.cards and other.sum == psf.sum
        numpy.testing.assert_array_equal(other.draw(300.25, 200.5), psf.draw(300.25, 200.5))
    pytest.importorskip("astropy")  # for a table of stars
    for other in (again(psf), again(found).psf, copy.deepcopy(psf)):
        assert list(other.stars["X_IMAGE"]) == list(psf.stars["X_IMAGE"]) and len(psf.stars) > 20


def test_what_stages_measured_comes_back(tmp_path):
    image = field(2)
    sky = srcextract.background(image, mesh_size=32)
    labels = srcextract.label(srcextract.threshold(image, sky))
    for found in (srcextract.measure(image, labels, sky), srcextract.photometry(image, labels, sky, columns="photometry"),
                  srcextract.photometry(image, background=sky, positions=numpy.array([[30.0, 40.0], [80.5, 90.0]]))):
        assert_equal(found, again(found), tmp_path, ["fits", "ecsv"])


def test_without_segments_there_are_none_later():
    other = again(srcextract.extract(field(1), segmentation=False))
    with pytest.raises(srcextract.ConfigError, match="segmentation=True"):
        other.segmentation


def test_damage_is_an_error():
    state = srcextract.extract(field(1))._made.__getstate__()
    made = type(srcextract.extract(field(1))._made)
    for damaged in (state[:-1], state[:len(state) // 2], b"", state + b"x", b"\5\0\0\0\0\0\0\0" + b"9.9.9" + state[13:]):
        with pytest.raises(srcextract.InputError, match="pickled"):
            made.__new__(made).__setstate__(damaged)


EXTRACTORS = {
    "default": {}, "keys": {"detection__threshold": 3, "threads": 1},
    "dict": {"config": {"extends": "none", "detection": {"threshold": 4, "min_area": 9}}},
    "no segments": {"segmentation": False},
}


@pytest.mark.parametrize("kind", EXTRACTORS)
def test_an_extractor_comes_back(kind, tmp_path):
    extractor = srcextract.Extractor(backend="cpu", **EXTRACTORS[kind])
    expected = extractor(field(2))
    for other in (again(extractor), copy.copy(extractor), copy.deepcopy(extractor), again(again(extractor))):
        assert other.config == extractor.config
        found = other(field(2))
        for name in expected.columns:
            numpy.testing.assert_array_equal(found[name], expected[name])
    masked = again(extractor)(field(2), mask=numpy.eye(150, 170))
    numpy.testing.assert_array_equal(masked["FLUX_ISO"], extractor(field(2), mask=numpy.eye(150, 170))["FLUX_ISO"])


def test_the_file_of_a_configuration_may_be_gone(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: none\ndetection: {threshold: 4}\n")
    extractor = srcextract.Extractor(path)
    state = pickle.dumps(extractor)
    path.unlink()
    numpy.testing.assert_array_equal(pickle.loads(state)(field(2))["X_IMAGE"], extractor(field(2))["X_IMAGE"])


def test_an_extractor_of_differences_and_angles_comes_back(sky_path):
    units = pytest.importorskip("astropy.units")
    extractor = srcextract.Extractor(measurement__apertures=[2 * units.arcsec])
    numpy.testing.assert_array_equal(again(extractor)(sky_path)["FLUX_APER"], extractor(sky_path)["FLUX_APER"])
    of_two = srcextract.Extractor(of_difference=True, reference_set={"input__hdu": "auto"}, difference__kernel="gaussian")
    new = field(4) + numpy.random.default_rng(5).normal(0, 3, (150, 170)).astype("f4")
    new[50:53, 60:63] += 200
    expected = of_two(new, reference=field(4))
    assert len(expected) > 0
    numpy.testing.assert_array_equal(again(of_two)(new, reference=field(4))["FLUX_ISO"], expected["FLUX_ISO"])


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_other_processes_give_equal_catalogues(method, tmp_path):
    extractor = srcextract.Extractor(backend="cpu", threads=1)
    images = [field(seed) for seed in range(3)]
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        for image, found in zip(images, pool.map(extractor, images)):
            expected = extractor(image)
            for name in expected.columns:
                numpy.testing.assert_array_equal(found[name], expected[name])
            numpy.testing.assert_array_equal(found.segmentation, expected.segmentation)


def test_failures_and_errors_come_back():
    failure, = srcextract.extract_many(["/nowhere.fits"], progress=False)
    other = again(failure)
    assert not other and other.name == failure.name and str(other.error) == str(failure.error)
    assert type(other.error) is type(failure.error)
