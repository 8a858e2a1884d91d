"""HDUs of astropy: which of a list is meant, whose file they are of, and what BLANK says of arrays beside a header."""
import os
import subprocess

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
nddata = pytest.importorskip("astropy.nddata")


def field(seed, shape=(120, 150)):
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:shape[0], :shape[1]]
    pixels = random.normal(100, 5, y.shape)
    for x0, y0 in zip(random.uniform(5, 145, 12), random.uniform(5, 115, 12)):
        pixels += 200 * numpy.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 6)
    return pixels


def same(found, expected):
    assert len(found) == len(expected) > 0
    for name in "X_IMAGE", "FLUX_ISO", "NPIX":
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.fixture(scope="module")
def exposures(tmp_path_factory):
    path = tmp_path_factory.mktemp("exposures") / "image.fits"
    hdus = [fits.ImageHDU(field(seed).astype("f4"), name=name, ver=version)
            for seed, (name, version) in enumerate([("FIRST", 1), ("SCI", 1), ("SCI", 2), ("ERR", 1)])]
    fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(path)
    return path


@pytest.mark.parametrize("hdu", ["auto", "SCI", "sci", "SCI,2", "SCI, 2", 4, "E*", "1", ["ERR"]])
def test_a_list_gives_the_image_that_the_command_takes(hdu, exposures, run):
    out = run(exposures, "--set", "output.formats=[fits]", "--set", f"input.hdu={hdu}".replace("'", ""))
    with fits.open(next(out.glob("*.cat.fits"))) as hdus:
        expected = hdus[1].data
    with fits.open(exposures) as hdus:
        same(srcextract.extract(hdus, input__hdu=hdu), expected)
        same(srcextract.Extractor(input__hdu=hdu)(hdus), expected)
        [found] = srcextract.extract_many([hdus], progress=False, input__hdu=hdu)
        same(found, expected)


def test_what_selects_no_one_image_is_refused(exposures):
    with fits.open(exposures) as hdus:
        for hdu, said in ("nowhere", "no image of the HDUList is 'nowhere'; there are 1 FIRST, 2 SCI"), ("0", "no image"):
            with pytest.raises(srcextract.InputError, match=said):
                srcextract.extract(hdus, input__hdu=hdu)
        for hdu in "all", "SCI,*", ["SCI", "ERR"]:
            with pytest.raises(srcextract.ConfigError, match="selects .* images"):
                srcextract.extract(hdus, input__hdu=hdu)
        for image in hdus["SCI"], hdus["SCI"].data, nddata.CCDData(field(1), unit="adu"):
            with pytest.raises(srcextract.ConfigError, match="input__hdu='ERR' names an image of a file"):
                srcextract.extract(image, input__hdu="ERR")
        same(srcextract.extract(hdus["SCI"], {"extends": "none", "input": {"hdu": "ERR"}}),
             srcextract.extract(exposures, {"extends": "none", "input": {"hdu": "SCI"}}))


@pytest.mark.parametrize("kind", ["plain", "gzipped", "compressed"])
@pytest.mark.parametrize("what", ["replaced", "removed", "elsewhere"])
def test_an_hdu_is_of_the_file_that_was_opened(kind, what, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    name = "image.fits.gz" if kind == "gzipped" else "image.fits"
    stored = [numpy.round(field(seed)).astype("i2") for seed in (1, 2)]
    for place, pixels in (name, stored[0]), (f"sub/{name}", stored[1]):
        hdu = fits.CompImageHDU(pixels) if kind == "compressed" else fits.ImageHDU(pixels)
        fits.HDUList([fits.PrimaryHDU(header=fits.Header([("OBJECT", place)])), hdu]).writeto(place)
    expected = srcextract.extract(stored[0].astype("f4"))
    with fits.open(name) as hdus:
        if what == "replaced":
            os.replace(f"sub/{name}", name)
        elif what == "removed":
            os.remove(name)
        else:
            monkeypatch.chdir(tmp_path / "sub")
        same(srcextract.extract(hdus[1]), expected)
        assert hdus[1].data.mean() == pytest.approx(stored[0].mean())


def test_a_reference_is_scaled_as_its_header_says(tmp_path):
    reference, new = numpy.round(field(1)).astype("i2"), field(1) + 0.5 * field(2, (120, 150))
    reference[20:40, 20:50] = -32768
    hdu = fits.PrimaryHDU(reference)
    hdu.writeto(tmp_path / "reference.fits")
    with fits.open(tmp_path / "reference.fits", mode="update", do_not_scale_image_data=True) as hdus:
        hdus[0].header["BSCALE"], hdus[0].header["BZERO"], hdus[0].header["BLANK"] = 2.0, 1000.0, -32768
    expected = srcextract.difference(tmp_path / "reference.fits", new, difference__kernel="gaussian")
    with fits.open(tmp_path / "reference.fits") as hdus:
        same(srcextract.difference(hdus[0], new, difference__kernel="gaussian"), expected)
        assert hdus[0].data is not None
        same(srcextract.difference(hdus[0], new, difference__kernel="gaussian"), expected)
    with pytest.raises(srcextract.InputError, match="the reference: .*float16"):
        srcextract.difference(new.astype("f2"), new)


@pytest.mark.parametrize("kind", ["header", "text", "CCDData", "uint16"])
def test_blank_of_a_header_masks_integers(kind):
    pixels = numpy.round(field(3)).astype("i2")
    hole = numpy.zeros(pixels.shape, bool)
    hole[30:60, 40:90] = True
    expected = srcextract.extract(numpy.where(hole, numpy.nan, pixels), {"extends": "none"})
    pixels[hole] = 999
    header = fits.Header([("BLANK", 999)])
    if kind == "uint16":
        pixels, header = pixels.astype("u2"), fits.Header([("BLANK", 999 - 32768), ("BZERO", 32768)])
    assert len(srcextract.extract(pixels, {"extends": "none"})) != len(expected)
    if kind == "CCDData":
        found = srcextract.extract(nddata.CCDData(pixels, unit="adu", header=header), {"extends": "none"})
    else:
        found = srcextract.extract(pixels, {"extends": "none"}, header=header.tostring() if kind == "text" else header)
    same(found, expected)
    same(srcextract.extract(pixels.astype("f4"), {"extends": "none"}, header=header), srcextract.extract(pixels.astype("f4"), {"extends": "none"}))


@pytest.mark.parametrize("number", [numpy.int16, numpy.int64, numpy.float32])
def test_header_values_may_be_scalars_of_numpy(number):
    pixels = numpy.round(field(3)).astype("i2")
    pixels[30:60, 40:90] = -999
    expected = srcextract.extract(numpy.where(pixels == -999, numpy.nan, pixels), {"extends": "none"})
    kind = number if number is not numpy.float32 else numpy.int32
    same(srcextract.extract(pixels, {"extends": "none"}, header=fits.Header([("BLANK", kind(-999))])), expected)
    header = fits.Header([("BLANK", kind(-999 - 32768 + 1000)), ("BZERO", numpy.float32(32768) if kind is not number else 32768)])
    expected = srcextract.extract(numpy.where(pixels == -999, numpy.nan, pixels + 1000.0), {"extends": "none"})
    same(srcextract.extract((pixels + 1000).astype("u2"), {"extends": "none"}, header=header), expected)


@pytest.mark.parametrize("kind", ["u1", "i1", "u4", "u8"])
def test_blank_masks_integers_of_every_size(kind):
    pixels = numpy.clip(numpy.round(field(3) / 3), 0, 120).astype(kind)
    hole = numpy.zeros(pixels.shape, bool)
    hole[30:60, 40:90] = True
    expected = srcextract.extract(numpy.where(hole, numpy.nan, pixels), {"extends": "none"})
    pixels[hole] = 121
    stored, zero = {"u1": (121, 0), "i1": (249, -128)}.get(kind, (121 - 2 ** (8 * pixels.itemsize - 1), 2 ** (8 * pixels.itemsize - 1)))
    header = fits.Header([("BLANK", stored)] + ([("BZERO", zero)] if zero else []))
    assert len(expected) > 0
    same(srcextract.extract(pixels, {"extends": "none"}, header=header), expected)
    # No pixel can have this value, so it masks none.
    header["BLANK"] = 10 ** 19
    same(srcextract.extract(pixels, {"extends": "none"}, header=header), srcextract.extract(pixels, {"extends": "none"}))


@pytest.mark.parametrize("hdu", ["SCI,2", 3, "auto"])
def test_frames_of_two_lists_are_those_that_are_meant(hdu, exposures, tmp_path):
    with fits.open(exposures) as hdus:
        for image in hdus[1:]:
            image.data = image.data + (500 * (numpy.hypot(*numpy.indices(image.shape) - 60) < 3)).astype("f4")
        hdus.writeto(tmp_path / "new.fits")
    expected = srcextract.difference(exposures, tmp_path / "new.fits", input__hdu=hdu, difference__kernel="gaussian")
    with fits.open(exposures) as reference, fits.open(tmp_path / "new.fits") as new:
        same(srcextract.difference(reference, new, input__hdu=hdu, difference__kernel="gaussian"), expected)
        same(srcextract.difference(exposures, new, input__hdu=hdu, difference__kernel="gaussian"), expected)
        if hdu != "auto":
            with pytest.raises(srcextract.ConfigError, match="the reference is in memory"):
                srcextract.difference(reference, tmp_path / "new.fits", input__hdu=hdu)


def written_in(directory, found):
    found.write(directory / "found.fits")
    return (directory / "found.fits").read_bytes()


def test_a_reference_has_keys_of_its_own(program, tmp_path):
    """As --reference-set of the command, from files and from memory."""
    reference, new, bad = field(1), field(1) + 0.5 * field(2), numpy.zeros((120, 150), "i2")
    reference[20:60, 30:34] = 90000
    bad[20:60, 30:34] = 1
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(field(5), name="OTHER"), fits.ImageHDU(reference, name="SCI"),
                  fits.ImageHDU(bad, name="MASK")]).writeto(tmp_path / "reference.fits")
    fits.PrimaryHDU(new).writeto(tmp_path / "new.fits")
    subprocess.run([program, "difference", "-q", "-o", str(tmp_path), "--set", "difference.kernel=gaussian",
                    "--set", "output.formats=[fits]", "--reference-set", "input.hdu=SCI", "--reference-set", "mask.hdu=MASK",
                    str(tmp_path / "reference.fits"), str(tmp_path / "new.fits")], check=True)
    expected = (tmp_path / "new.diff.cat.fits").read_bytes()
    own = {"input__hdu": "SCI", "mask__hdu": "MASK"}
    keys = {"difference__kernel": "gaussian", "output__formats": ["fits"]}
    found = srcextract.difference(tmp_path / "reference.fits", tmp_path / "new.fits", reference_set=own, **keys)
    assert written_in(tmp_path, found) == expected
    same(srcextract.difference(tmp_path / "reference.fits", new, reference_set=own, **keys), found)
    extractor = srcextract.Extractor(of_difference=True, reference_set=own, **keys)
    same(extractor(new, reference=tmp_path / "reference.fits"), found)
    same(extractor(new, reference=tmp_path / "reference.fits", mask=numpy.zeros(new.shape, bool)), found)
    plain = srcextract.difference(tmp_path / "reference.fits", new, reference_set={"input__hdu": "SCI"}, **keys)
    assert len(plain) != len(found) or (plain["FLUX_ISO"] != found["FLUX_ISO"]).any()
    with fits.open(tmp_path / "reference.fits") as hdus:
        same(srcextract.difference(hdus, new, reference_set={"input__hdu": "SCI"}, **keys), plain)


@pytest.mark.parametrize("arguments, reason", [
    ({"reference_set": {"detection__threshold": 3}}, "reference_set: detection.threshold=3: a reference can have its own keys"),
    ({"reference_set": {"mask__hdus": "MASK"}}, "hdus"),
    ({"reference_set": ["mask__hdu=MASK"]}, "reference_set is a dict of keys"),
    ({"output__alerts": ["avro"]}, "output.alerts.*alerts are files")])
def test_what_a_reference_cannot_have_is_refused(arguments, reason):
    with pytest.raises(srcextract.ConfigError, match=reason):
        srcextract.difference(field(1), field(2), difference__kernel="gaussian", **arguments)
    with pytest.raises(srcextract.ConfigError, match="without a reference"):
        srcextract.extract(field(1), reference_set={"mask__hdu": "MASK"})
