"""What an image may be in: bytes, file objects, HDUs of every kind, NDData, stacks; and what may come with it."""
import bz2
import gzip
import io

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
table = pytest.importorskip("astropy.table")

FITS = {"output__formats": ["fits"]}


@pytest.fixture(scope="module")
def expected(run, sky_path):
    return (run(sky_path, "--set", "output.formats=[fits]") / "sky.cat.fits").read_bytes()


def written(found, tmp_path):
    found.write(tmp_path / "found.fits")
    return (tmp_path / "found.fits").read_bytes()


class OnlyRead:
    """A stream that has read() and nothing else, as of a network."""

    def __init__(self, contents):
        self._contents = io.BytesIO(contents)

    def read(self, count=-1):
        return self._contents.read(count)


@pytest.mark.parametrize("kind", ["bytes", "bytearray", "memoryview", "BytesIO", "open", "after a read", "gzip.open",
                                  "bz2.open", "only read()", "gzipped bytes", "unnamed file"])
def test_contents_give_the_bytes_of_the_command(kind, expected, sky_path, tmp_path):
    contents = sky_path.read_bytes()
    (tmp_path / "sky.fits.gz").write_bytes(gzip.compress(contents, 1))
    (tmp_path / "sky.fits.bz2").write_bytes(bz2.compress(contents, 1))
    partly = io.BytesIO(contents)
    partly.read(2880)
    removed = open(tmp_path / "gone.fits", "w+b")
    removed.write(contents)
    removed.flush()
    (tmp_path / "gone.fits").unlink()
    images = {"bytes": lambda: contents, "bytearray": lambda: bytearray(contents),
              "memoryview": lambda: memoryview(contents), "BytesIO": lambda: io.BytesIO(contents),
              "open": lambda: open(sky_path, "rb"), "after a read": lambda: partly,
              "gzip.open": lambda: gzip.open(tmp_path / "sky.fits.gz"),
              "bz2.open": lambda: bz2.open(tmp_path / "sky.fits.bz2"), "only read()": lambda: OnlyRead(contents),
              "gzipped bytes": lambda: gzip.compress(contents, 1), "unnamed file": lambda: removed}
    image = images[kind]()
    assert written(srcextract.extract(image, **FITS), tmp_path) == expected
    if hasattr(image, "close"):
        image.close()
    removed.close()


def test_a_file_of_fsspec_gives_the_bytes_of_the_command(expected, sky_path, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe("/sky.fits", sky_path.read_bytes())
    with fsspec.open("memory://sky.fits") as file:
        found = srcextract.extract(file, **FITS)
    assert written(found, tmp_path) == expected
    assert "sky.fits" in found.name


def open_descriptors():
    import os
    return len(os.listdir("/proc/self/fd"))


def test_contents_are_called_as_their_owner_calls_them_and_closed(sky_path):
    contents = sky_path.read_bytes()
    srcextract.extract(contents)
    before = open_descriptors()
    assert srcextract.extract(contents, name="exposure 7").name == "exposure 7"
    with pytest.raises(srcextract.InputError, match="of exposure 7 is truncated") as raised:
        srcextract.extract(contents[:200_000], name="exposure 7")
    assert "/proc" not in str(raised.value)
    with pytest.raises(srcextract.InputError, match="^the bytes: "):
        srcextract.extract(b"no image at all")
    with pytest.raises(srcextract.InputError, match="mode 'rb'"):
        srcextract.extract(io.StringIO("text"))
    with pytest.raises(srcextract.InputError, match="does not return bytes"):
        srcextract.extract(type("Odd", (), {"read": lambda self, count=-1: "text"})())
    closed = io.BytesIO(contents)
    closed.close()
    with pytest.raises(srcextract.InputError, match="closed"):
        srcextract.extract(closed)
    with pytest.raises(ZeroDivisionError):
        srcextract.extract(type("Broken", (), {"read": lambda self, count=-1: 1 // 0})())
    assert open_descriptors() == before


@pytest.mark.parametrize("kind", ["rice", "gzipped", "uint16", "scaled", "cube", "extension", "rice scaled"])
def test_hdus_give_the_bytes_of_the_command(kind, run, sky_path, tmp_path):
    stored = fits.getdata(sky_path, do_not_scale_image_data=True)
    path = tmp_path / ("image.fits.gz" if kind == "gzipped" else "image.fits")
    night = fits.PrimaryHDU(header=fits.Header([("OBJECT", "M31"), ("FILTER", "r")]))
    made, index = fits.PrimaryHDU(stored), 0
    if kind.startswith("rice"):
        made, index = fits.HDUList([night, fits.CompImageHDU(stored, compression_type="RICE_1")]), 1
    elif kind == "uint16":
        made = fits.PrimaryHDU(stored.astype("u2"))
    elif kind == "cube":
        made = fits.PrimaryHDU(numpy.stack([stored, stored[::-1]]))
    elif kind == "extension":
        made, index = fits.HDUList([night, fits.ImageHDU(stored, name="SCI")]), 1
    made.writeto(path)
    if kind.endswith("scaled"):  # by numbers that float32 rounds
        with fits.open(path, mode="update", do_not_scale_image_data=True, disable_image_compression=True) as hdus:
            hdus[index].header["BSCALE"], hdus[index].header["BZERO"] = 0.1, 1000.3
    out = run(path, "--set", "output.formats=[fits]")
    with fits.open(path) as hdus:
        found = srcextract.extract(hdus[index], **FITS)
        of_list = srcextract.extract(hdus, **FITS)
    assert len(found) > 200
    assert written(found, tmp_path) == next(out.glob("*.cat.fits")).read_bytes()
    assert written(of_list, tmp_path) == next(out.glob("*.cat.fits")).read_bytes()


def test_hdus_without_an_image_say_so():
    with pytest.raises(srcextract.InputError, match="no pixels"):
        srcextract.extract(fits.PrimaryHDU())
    with pytest.raises(srcextract.InputError, match="is a table"):
        srcextract.extract(fits.BinTableHDU(table.Table({"x": [1]})))
    with pytest.raises(srcextract.InputError, match="no HDU"):
        srcextract.extract(fits.HDUList([fits.PrimaryHDU()]))


@pytest.fixture(scope="module")
def sky(sky_path):
    with fits.open(sky_path) as hdus:
        return hdus[0].data.astype("f4"), hdus[0].header.copy()


def same(one, other):
    assert list(one) == list(other)
    for name in one.columns:
        numpy.testing.assert_array_equal(one[name], other[name], name)


def test_errors_are_in_the_unit_of_the_image(sky):
    units, nddata = pytest.importorskip("astropy.units"), pytest.importorskip("astropy.nddata")
    pixels, _ = sky
    noise = numpy.full(pixels.shape, 25.0)
    expected = srcextract.extract(pixels * units.Jy, error=noise)
    assert len(expected) > 0
    same(srcextract.extract(pixels * units.Jy, error=1000 * noise * units.mJy), expected)
    image = nddata.CCDData(pixels, unit="Jy", uncertainty=nddata.StdDevUncertainty(1000 * noise, unit="mJy"))
    same(srcextract.extract(image), expected)
    with pytest.raises(srcextract.InputError, match="error: in mJy, and the image has no unit"):
        srcextract.extract(pixels, error=noise * units.mJy)
    with pytest.raises(srcextract.InputError, match="error: in s, and the image in Jy"):
        srcextract.extract(pixels * units.Jy, error=noise * units.s)


@pytest.mark.parametrize("made, unit", [
    (lambda pixels, units, nddata: (nddata.CCDData(pixels, unit="Jy", meta=fits.Header([("BUNIT", "adu")])), None), "Jy"),
    (lambda pixels, units, nddata: (nddata.CCDData(pixels, unit="adu", meta=fits.Header([("BUNIT", "ADU")])), None), "adu"),
    (lambda pixels, units, nddata: (nddata.CCDData(pixels, unit="Jy", meta={"BUNIT": "adu"}), None), "Jy"),
    (lambda pixels, units, nddata: (pixels * units.Jy, fits.Header([("OBJECT", "x")])), "Jy"),
    (lambda pixels, units, nddata: (pixels * units.Jy, fits.Header([("BUNIT", "adu")])), "Jy"),
    (lambda pixels, units, nddata: (nddata.CCDData(pixels, unit="Jy"), fits.Header([("OBJECT", "x")])), "Jy"),
    (lambda pixels, units, nddata: (pixels, fits.Header([("BUNIT", "Jy")])), "Jy"),
    (lambda pixels, units, nddata: (fits.ImageHDU(pixels, fits.Header([("BUNIT", "Jy")])), None), "Jy"),
])
def test_the_unit_of_an_image_is_that_of_its_pixels_whatever_an_old_header_says(sky, made, unit):
    units, nddata = pytest.importorskip("astropy.units"), pytest.importorskip("astropy.nddata")
    pixels = sky[0][:256, :256]
    image, header = made(pixels, units, nddata)
    found = srcextract.extract(image, header=header)
    assert len(found) > 0 and found.table["FLUX_ISO"].unit == unit
    noise = 25 * units.Unit(unit)
    same(srcextract.extract(image, header=header, error=numpy.full(pixels.shape, noise.value / 4) * (4 * units.Unit(unit))),
         srcextract.extract(image, header=header, error=numpy.full(pixels.shape, noise.value)))


def test_a_header_that_astropy_cannot_read_is_no_hindrance(sky):
    pixels, noise = sky[0][:128, :128], numpy.full((128, 128), 25.0)
    for card in "BUNIT   = Jy", "COMMENT no BUNIT here":
        found = srcextract.extract(pixels, header=card.ljust(80) + "END".ljust(80), error=noise)
        assert len(found) == len(srcextract.extract(pixels, error=noise)) > 0


def test_what_was_written_to_a_file_that_is_open_is_read(tmp_path, sky_path):
    pytest.importorskip("astropy")
    before = sky_path.read_bytes()
    (tmp_path / "open.fits").write_bytes(before)
    after = before[:-2880 * 20] + bytes(2880 * 20)
    with open(tmp_path / "open.fits", "r+b") as file:
        file.seek(len(after) - 2880 * 20)
        for _ in range(20 * 2880 // 96):
            file.write(bytes(96))
        same(srcextract.extract(file, {"extends": "none"}), srcextract.extract(after, {"extends": "none"}))


def test_nddata_is_taken_with_mask_uncertainty_wcs_and_unit(sky):
    nddata = pytest.importorskip("astropy.nddata")
    wcs = pytest.importorskip("astropy.wcs")
    pixels, header = sky
    mask = numpy.zeros(pixels.shape, bool)
    mask[300:400, 200:500] = True
    noise = numpy.full(pixels.shape, 25, "f4")
    noise[:, 512:] = 40
    expected = srcextract.extract(pixels, {"extends": "none"}, header=header, mask=mask, error=noise)
    assert 0 < len(expected) < len(srcextract.extract(pixels, {"extends": "none"}, header=header))
    for uncertainty in (nddata.StdDevUncertainty(noise), nddata.VarianceUncertainty(noise.astype("f8")**2),
                        nddata.InverseVariance(noise.astype("f8")**-2)):
        image = nddata.CCDData(pixels, unit="mJy", mask=mask, uncertainty=uncertainty, wcs=wcs.WCS(header),
                               meta={})
        found = srcextract.extract(image, {"extends": "none"})
        for name in "X_IMAGE", "FLUX_ISO", "NPIX", "FLAGS":
            numpy.testing.assert_array_equal(found[name], expected[name], name)
        numpy.testing.assert_allclose(found["ALPHA_J2000"], expected["ALPHA_J2000"], rtol=0, atol=1e-9)
        assert found.table["FLUX_ISO"].unit == "mJy"
    same(srcextract.extract(nddata.NDData(pixels, mask=mask), header=header),
         srcextract.extract(numpy.ma.array(pixels, mask=mask), header=header))
    plain = nddata.CCDData(pixels, unit="adu", uncertainty=nddata.StdDevUncertainty(noise))
    same(srcextract.extract(plain, weights__type="background"), srcextract.extract(pixels))


def test_a_stack_is_combined_as_numpy_does(sky):
    pixels, _ = sky
    random = numpy.random.default_rng(3)
    stack = numpy.stack([pixels + random.integers(-8, 9, pixels.shape) for _ in range(3)]).astype("f4")
    expected = srcextract.extract(stack.sum(axis=0, dtype="f8").astype("f4") / numpy.float32(3))
    found = srcextract.extract(stack, combine__method="mean")
    assert abs(len(found) - len(expected)) <= 1
    same(srcextract.extract(stack[::-1][::-1], combine__method="mean"), found)
    median = srcextract.extract(stack, combine__method="median")
    same(median, srcextract.extract(numpy.median(stack, axis=0)))
    same(srcextract.extract(stack, input__plane=2), srcextract.extract(stack[1]))
    holes = numpy.ma.array(stack, mask=False)
    holes[1, 100:200, 100:200] = numpy.ma.masked
    same(srcextract.extract(holes, combine__method="median"),
         srcextract.extract(holes.filled(numpy.nan), combine__method="median"))
    with pytest.raises(srcextract.InputError, match="combine__method"):
        srcextract.extract(stack)


def test_positions_are_those_of_the_command(run, sky_path, tmp_path, sky):
    pixels, header = sky
    found = srcextract.extract(sky_path)
    places = table.Table({"X": found["X_IMAGE"][:40], "Y": found["Y_IMAGE"][:40]})
    places.write(tmp_path / "places.csv")
    out = run(sky_path, "--set", "output.formats=[fits]", "--positions", str(tmp_path / "places.csv"))
    forced = srcextract.extract(sky_path, positions=tmp_path / "places.csv", **FITS)
    assert written(forced, tmp_path) == next(out.glob("*.cat.fits")).read_bytes()
    read = table.Table.read(tmp_path / "places.csv")
    for positions in (read, {"X": read["X"], "Y": read["Y"]}, numpy.column_stack([read["X"], read["Y"]]),
                      read.as_array()):
        same(srcextract.extract(sky_path, positions=positions, origin=1), forced)
    with fits.open(sky_path) as hdus:
        same(srcextract.extract(hdus[0], positions=read), forced)
    on_sky = {"ra": found["ALPHA_J2000"][:40], "dec": found["DELTA_J2000"][:40]}
    numpy.testing.assert_allclose(srcextract.extract(pixels, header=header, positions=on_sky)["X_IMAGE"], read["X"],
                                  atol=1e-5)
    with pytest.raises(srcextract.InputError, match="shape \\(n, 2\\)"):
        srcextract.extract(sky_path, positions=[1, 2, 3])
    for columns in {"a": [1.0]}, {"X": [1.0, 2.0], "Y": [1.0]}:
        with pytest.raises(srcextract.InputError, match="the positions: "):
            srcextract.extract(sky_path, positions=columns)


def test_a_difference_is_that_of_the_command(program, sky_path, tmp_path, sky):
    import subprocess
    _, header = sky
    stored = fits.getdata(sky_path, do_not_scale_image_data=True)
    y, x = numpy.mgrid[:stored.shape[0], :stored.shape[1]]
    noise = numpy.random.default_rng(5).normal(0, 20, stored.shape).astype("f4")
    new = stored + noise + (900 * numpy.exp(-((x - 400.3)**2 + (y - 610.8)**2) / 6)).astype("f4")
    new = numpy.where(stored == header.get("BLANK"), numpy.float32("nan"), new)
    kept = [card for card in header.cards if card.keyword not in ("BLANK", "BSCALE", "BZERO")]
    fits.PrimaryHDU(new, fits.Header(kept)).writeto(tmp_path / "new.fits")
    config = sky_path.parents[1] / "config" / "default.yaml"
    subprocess.run([program, "difference", "-q", "-o", str(tmp_path / "out"), "--set", "output.formats=[fits]",
                    str(config), str(sky_path), str(tmp_path / "new.fits")], check=True)
    expected = next((tmp_path / "out").glob("*.cat.fits")).read_bytes()
    found = srcextract.difference(sky_path, tmp_path / "new.fits", **FITS)
    assert written(found, tmp_path) == expected
    assert any(abs(found["X_IMAGE"] - 401.3) < 0.5) and (found["SIGN"] == 1).any()
    with fits.open(tmp_path / "new.fits") as hdus:
        assert written(srcextract.difference(sky_path.read_bytes(), hdus[0], **FITS), tmp_path) == expected
        assert written(srcextract.extract(hdus[0], reference=sky_path, **FITS), tmp_path) == expected
        same(srcextract.difference(stored.astype("f4"), new), srcextract.extract(new, reference=stored))
    with pytest.raises(srcextract.ConfigError, match="weights.type"):
        srcextract.difference(stored, new, weights__type="rms")
    with pytest.raises(srcextract.InputError, match="the reference"):
        srcextract.difference(b"nothing", new)


def test_compare_finds_what_the_command_finds(program, sky_path, tmp_path):
    import json
    import subprocess
    found = srcextract.extract(sky_path)
    found.write(tmp_path / "one.fits")
    moved = found.table
    moved["X_IMAGE"] = moved["X_IMAGE"] + 1
    moved.write(tmp_path / "moved.fits")
    result = subprocess.run([program, "compare", "--json", str(tmp_path / "report.json"), str(tmp_path / "one.fits"),
                             str(tmp_path / "moved.fits")], capture_output=True, text=True)
    mine = srcextract.compare(tmp_path / "one.fits", tmp_path / "moved.fits")
    assert result.returncode == 5 and not mine and not mine.within
    assert str(mine) == result.stdout
    assert mine.report == json.loads((tmp_path / "report.json").read_text())
    by_table = srcextract.compare(found, moved)
    assert "counts from 0" in str(by_table) and "/proc" not in str(by_table)
    assert srcextract.compare(found, tmp_path / "one.fits")
    with pytest.raises(srcextract.SrcextractError, match="nowhere.fits"):
        srcextract.compare(tmp_path / "nowhere.fits", found)


def test_merge_writes_the_bytes_of_the_command(program, sky_path, tmp_path):
    import subprocess
    config = sky_path.parents[1] / "config" / "default.yaml"
    subprocess.run([program, "batch", "-q", "-o", str(tmp_path / "out"), str(config), str(sky_path.parent / "sky.fits"),
                    str(sky_path.parent / "sky_subtracted.fits")], check=True)
    subprocess.run([program, "merge", "-q", str(tmp_path / "out"), "-o", str(tmp_path / "theirs.fits")], check=True)
    merged = srcextract.merge(tmp_path / "out", tmp_path / "mine.fits")
    assert (tmp_path / "mine.fits").read_bytes() == (tmp_path / "theirs.fits").read_bytes()
    assert (merged.images, merged.failures) == (2, 0) and merged.sources > 250
    with pytest.raises(srcextract.ConfigError):
        srcextract.merge([tmp_path / "out"], tmp_path / "survey.unknown")
    with pytest.raises(srcextract.SrcextractError):
        srcextract.merge(tmp_path / "no such directory", tmp_path / "survey.fits")


@pytest.mark.parametrize("kind", ["u2", "u4", "i1"])
@pytest.mark.parametrize("hdu_class", ["PrimaryHDU", "CompImageHDU"])
@pytest.mark.parametrize("touched", ["not looked at", "looked at", "of memory"])
def test_bzero_is_added_once_to_what_astropy_makes_unsigned(kind, hdu_class, touched, tmp_path):
    if kind == "i1" and hdu_class == "CompImageHDU":
        pytest.skip("FITS has no compressed image of it")
    middle = 40_000 if kind[0] == "u" else 20
    pixels = numpy.random.default_rng(5).normal(middle, 6, (100, 120)).astype(kind)
    hdu = getattr(fits, hdu_class)(pixels)
    if touched != "of memory":
        hdu.writeto(tmp_path / "unsigned.fits")
        hdu = fits.open(tmp_path / "unsigned.fits")[-1]
        if touched == "looked at":
            assert hdu.data.mean() == pytest.approx(middle, abs=1)
    assert srcextract.extract(hdu).sky_level == pytest.approx(middle, abs=1)
    assert srcextract.background(hdu).global_level == pytest.approx(middle, abs=1)


def test_pixels_of_blank_stay_masked_where_astropy_made_them_unsigned(sky_path):
    with fits.open(sky_path) as hdus:
        assert hdus[0].data.dtype == numpy.uint16 and "BLANK" in hdus[0].header
        looked_at = srcextract.extract(hdus[0], **FITS)
    of_file = srcextract.extract(sky_path, **FITS)
    assert len(of_file) > 0 and all((looked_at[name] == of_file[name]).all() for name in of_file.columns)


@pytest.mark.parametrize("kind", ["masked array", "CCDData"])
def test_a_mask_beside_an_image_is_joined_with_its_own(kind, sky_path):
    nddata = pytest.importorskip("astropy.nddata")
    pixels = fits.getdata(sky_path).astype("f4")
    own, beside = numpy.zeros(pixels.shape, bool), numpy.zeros(pixels.shape, numpy.int16)
    own[500:], beside[:, 300:] = True, 2
    image = numpy.ma.MaskedArray(pixels, own) if kind == "masked array" else nddata.CCDData(pixels, unit="adu", mask=own)
    both = srcextract.extract(image, mask=beside)
    expected = srcextract.extract(numpy.where(own | (beside != 0), numpy.nan, pixels))
    assert 0 < len(both) == len(expected) and (both["X_IMAGE"] == expected["X_IMAGE"]).all()
    assert (image.mask == own).all()
