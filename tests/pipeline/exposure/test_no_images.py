"""HDUs that are no image to extract: vectors, images smaller than the kernel, and arrays of one value without pixels."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, RESULTS, WIDTH, field, rows

VECTOR = np.full(480, 0.005, np.float32)
KERNEL = "convolve: {kernel: gaussian, fwhm: 1.5, size: 3}\n"
WIDE = "convolve: {kernel: gaussian, fwhm: 2.0, size: 9}\n"
NO_IMAGES = {
    "vector": (VECTOR, KERNEL, "(one axis)"),
    "row": (VECTOR[np.newaxis], KERNEL, "(480 x 1 pixel)"),
    "column": (VECTOR[:, np.newaxis], "", "(1 x 480 pixels)"),
    "tiny": (np.eye(2, dtype=np.float32), KERNEL, "(2 x 2 pixels)"),
    "below the kernel": (np.eye(8, dtype=np.float32), WIDE, "(8 x 8 pixels)"),
    "overscan": (field(4)[:, :4], WIDE, f"(4 x {HEIGHT} pixels)"),
}


def constant(name, value, bitpix=16, shape=(HEIGHT, WIDTH), **cards):
    """An HDU as HST has it for a plane of equal pixels."""
    hdu = fits.ImageHDU(name=name)
    hdu.header["BITPIX"] = bitpix
    hdu.header.update({"NPIX1": shape[1], "NPIX2": shape[0], "PIXVALUE": value, **cards})
    return hdu


def write(path, *hdus):
    fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(path, overwrite=True)
    return path.name


def alone(extract, tmp_path, pixels, stages):
    fits.PrimaryHDU(pixels).writeto(tmp_path / "alone.fits", overwrite=True)
    return rows(extract("alone", stages + RESULTS, "alone.fits") / "alone.cat.csv")


@pytest.mark.parametrize("kind", NO_IMAGES)
@pytest.mark.parametrize("packed", (False, True))
def test_auto_and_all_pass_over_what_is_no_image(run, configure, extract, tmp_path, kind, packed):
    pixels, stages, reason = NO_IMAGES[kind]
    image = fits.CompImageHDU(field(1), compression_type="GZIP_1", quantize_level=0) if packed else fits.ImageHDU(field(1))
    truth = alone(extract, tmp_path, field(1), stages)
    write(tmp_path / "before.fits", fits.ImageHDU(pixels), image)
    write(tmp_path / "behind.fits", image, fits.ImageHDU(pixels))
    for name, number in (("before", 1), ("behind", 2)):
        for hdu in ("auto", "all", "'*'"):
            config = configure(f"input: {{hdu: {hdu}}}\n{stages}{RESULTS}")
            done = run(config, f"{name}.fits", "-o", name)
            assert done.code == 0, done.err
            assert rows(tmp_path / name / f"{name}.cat.csv") == truth != []
            said = [line for line in done.err.splitlines() if "left out of input.hdu" in line]
            assert len(said) == 1 and f"HDU {number}" in said[0] and reason in said[0], done.err


def test_a_named_one_is_an_error_that_names_it(run, configure, tmp_path):
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1)), fits.ImageHDU(VECTOR, name="SKY"), constant("ERR", 0.0, -32))
    for hdu, named, code in (("2", "HDU 2 'SKY' of sky.fits", 2), ("SKY", "HDU 2 'SKY' of sky.fits", 2),
                             ("3", "HDU 3 'ERR' of sky.fits", 3), ("ERR", "HDU 3 'ERR' of sky.fits", 3)):
        done = run(configure(f"input: {{hdu: {hdu}}}\n{KERNEL}{RESULTS}"), "sky.fits", "-o", "out")
        assert done.code == code and named in done.err, done.err


def test_a_file_of_nothing_else_is_taken_as_it_is(run, configure, tmp_path):
    """Without a kernel a single row was extracted before, and is."""
    pixels = np.zeros((1, 300), np.float32)
    pixels[0] = np.random.default_rng(1).normal(0, 1, 300)
    pixels[0, 100:107] = 60
    write(tmp_path / "row.fits", fits.ImageHDU(pixels))
    assert run(configure(RESULTS), "row.fits", "-o", "out").code == 0
    assert [row["NPIX"] for row in rows(tmp_path / "out" / "row.cat.csv")] == ["7"]
    done = run(configure(KERNEL + RESULTS), "row.fits", "-o", "out")
    assert done.code == 2 and "is larger than the image" in done.err


@pytest.mark.parametrize("bitpix, value", ((8, 0), (16, 0), (32, 0), (16, 0.0)))
def test_a_constant_array_of_good_flags_masks_nothing(extract, tmp_path, bitpix, value):
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1), name="SCI"), constant("DQ", value, bitpix))
    got = rows(extract("out", f"input: {{hdu: SCI}}\nmask: {{hdu: DQ, bits: [3]}}\n{RESULTS}", "sky.fits") / "sky.cat.csv")
    assert got == alone(extract, tmp_path, field(1), "") != []


def test_a_constant_array_of_bad_flags_masks_everything(run, configure, tmp_path):
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1), name="SCI"), constant("DQ", 8))
    done = run(configure(f"input: {{hdu: SCI}}\nmask: {{hdu: DQ}}\n{RESULTS}"), "sky.fits", "-o", "out")
    assert done.code == 3 and "every pixel is masked" in done.err


@pytest.mark.parametrize("type_, value", (("rms", 2.5), ("variance", 6.25), ("weight", 0.16)))
def test_a_constant_array_is_a_map_of_its_value(extract, tmp_path, type_, value):
    """The same catalogue as with the same numbers in pixels."""
    image = fits.ImageHDU(field(1), name="SCI")
    write(tmp_path / "sky.fits", image, constant("ERR", value, -32))
    full = np.full((HEIGHT, WIDTH), value, np.float32)
    write(tmp_path / "full.fits", image, fits.ImageHDU(full, name="ERR"))
    write(tmp_path / "map.fits", constant("", value, -32))
    stages = f"input: {{hdu: SCI}}\n{RESULTS}"
    own = f"weights: {{type: {type_}, hdu: ERR, rescale: false}}\n"
    truth = rows(extract("full", own + stages, "full.fits") / "full.cat.csv")
    assert rows(extract("own", own + stages, "sky.fits") / "sky.cat.csv") == truth != []
    other = f"weights: {{type: {type_}, file: map.fits, rescale: false}}\n"
    assert rows(extract("other", other + stages, "full.fits") / "full.cat.csv") == truth


def test_constant_arrays_belong_to_images_by_their_version(extract, tmp_path):
    """Two chips of HST, one with flags and one without any."""
    hole = np.zeros((HEIGHT, WIDTH), np.int16)
    hole[10:25, 10:30] = 8
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1), name="SCI", ver=1), constant("DQ", 0, EXTVER=1),
          fits.ImageHDU(field(2), name="SCI", ver=2), fits.ImageHDU(hole, name="DQ", ver=2))
    out = extract("out", f"input: {{hdu: 'SCI*'}}\nmask: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    masked = field(2)
    masked[hole != 0] = np.nan
    for number, pixels in ((1, field(1)), (3, masked)):
        assert rows(out / f"sky.hdu{number}.cat.csv") == alone(extract, tmp_path, pixels, "") != []


def test_a_constant_array_of_flags(extract, tmp_path):
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1), name="SCI"), constant("FLAGS", 5))
    out = extract("out", f"input: {{hdu: SCI}}\nflags: {{hdu: FLAGS}}\n{RESULTS}", "sky.fits")
    assert {row["FLAGS_MAP"] if "FLAGS_MAP" in row else row["IMAFLAGS_ISO"] for row in rows(out / "sky.cat.csv")} == {"5"}


def test_a_constant_array_of_another_shape_is_refused(run, configure, tmp_path):
    write(tmp_path / "sky.fits", fits.ImageHDU(field(1), name="SCI"), constant("ERR", 1.0, -32, (HEIGHT, WIDTH + 1)))
    done = run(configure(f"input: {{hdu: SCI}}\nweights: {{type: rms, hdu: ERR}}\n{RESULTS}"), "sky.fits", "-o", "out")
    assert done.code == 3 and "a map must have a value for each" in done.err
