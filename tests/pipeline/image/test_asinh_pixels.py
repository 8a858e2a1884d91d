"""Pixels of an asinh scale, as in stacks of Pan-STARRS: flux = BOFFSET + BSOFTEN * 2 sinh(x * ln 10 / 2.5), here by NumPy."""

import os

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, RESULTS, WIDTH, field, rows

POGSON = 2.5 / np.log(10)
SOFTEN, OFFSET = 3.5, 12.0
CARDS = {"BSOFTEN": SOFTEN, "BOFFSET": OFFSET}
PHOTOMETRY = "output: {formats: [csv], columns: [default, photometry]}\n"


def compressed(flux):
    return POGSON * np.arcsinh((flux.astype(float) - OFFSET) / (2 * SOFTEN))


def linear(stored):
    return (OFFSET + SOFTEN * 2 * np.sinh(stored.astype(float) / POGSON)).astype(np.float32)


def write_image(path, pixels, cards=CARDS, hdu=fits.ImageHDU, **how):
    image = hdu(pixels, **how)
    image.header.update(cards)
    fits.HDUList([fits.PrimaryHDU(), image]).writeto(path, overwrite=True)
    return path.name


def write_scaled(path, stored, hdu=fits.ImageHDU, **how):
    """16-bit integers with BSCALE and BZERO, as Pan-STARRS has them; NaN is BLANK. Returns the values that they stand for."""
    scale, zero = 20 / 60000, 2.0
    whole = np.where(np.isnan(stored), 0, np.round((stored - zero) / scale)).astype(np.int16)
    whole[np.isnan(stored)] = -32768
    write_image(path, whole, CARDS | {"BSCALE": scale, "BZERO": zero, "BLANK": -32768}, hdu, **how)
    return np.where(whole == -32768, np.nan, whole * scale + zero)


def catalogue(extract, name, config=PHOTOMETRY):
    return rows(extract(f"out-{name}", config, f"{name}.fits") / f"{name}.cat.csv")


def expect_as(got, truth):
    """The same catalogue: both images are rounded to float32 once, by other functions."""
    assert len(got) == len(truth) >= 10
    for one, other in zip(got, truth):
        assert one.keys() == other.keys()
        for key in one:
            assert float(one[key]) == pytest.approx(float(other[key]), rel=3e-4, abs=3e-4), key


@pytest.mark.parametrize("kind", ("float32", "float64", "int16", "rice", "gzipped"))
def test_asinh_pixels_are_made_linear(extract, tmp_path, kind):
    stored = compressed(field(1))
    stored[5:9, 5:9] = np.nan
    if kind in ("int16", "gzipped"):
        stored = write_scaled(tmp_path / "sky.fits", stored)
    elif kind == "rice":
        stored = write_scaled(tmp_path / "sky.fits", stored, fits.CompImageHDU, compression_type="RICE_1")
    else:
        stored = stored.astype(kind)
        write_image(tmp_path / "sky.fits", stored)
    if kind == "gzipped":
        os.system(f"gzip -k {tmp_path}/sky.fits && mv {tmp_path}/sky.fits.gz {tmp_path}/sky.fits")
    write_image(tmp_path / "flux.fits", linear(stored), {})
    expect_as(catalogue(extract, "sky"), catalogue(extract, "flux"))


def test_it_is_said(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", compressed(field(1)).astype(np.float32))
    said = run(configure(RESULTS), "sky.fits", "-o", "out").err
    assert "info: sky.fits: its pixels x have an asinh scale (BSOFTEN, BOFFSET), and are made linear: 12 + 3.5 * 2 sinh" in said


def test_faint_and_bright_pixels(extract, tmp_path):
    """From 1e-6 of the softening to 1e7 of it, of both signs."""
    flux = np.geomspace(1e-6, 1e7, 1500) * SOFTEN
    stored = (POGSON * np.arcsinh(np.stack([flux, -flux]) / (2 * SOFTEN))).reshape(60, 50)
    stored = np.random.default_rng(2).permutation(stored.ravel()).reshape(60, 50)
    write_image(tmp_path / "sky.fits", stored, CARDS | {"BOFFSET": 0.0})
    out = extract("out", "background: {method: constant, level: '0', rms: '1'}\ndetection: {threshold: 1.0e9}\n"
                  "output: {formats: [csv], check_images: [-background]}\n", "sky.fits")
    made = fits.getdata(next(out.glob("*.fits")))
    truth = SOFTEN * 2 * np.sinh(stored / POGSON)
    assert np.max(np.abs(made / truth - 1)) < 2e-7


def test_an_image_by_rows(extract, run, configure, tmp_path):
    """--memory that holds only some of the rows changes no byte."""
    big = np.tile(compressed(field(1, 500, 610)).astype(np.float32), (4, 4))
    write_image(tmp_path / "sky.fits", big)
    tables = []
    for memory in ("400M", "25M"):
        assert run("-q", configure(PHOTOMETRY), "sky.fits", "-o", memory, "--memory", memory, "--backend", "cpu").code == 0
        tables.append((tmp_path / memory / "sky.cat.csv").read_bytes())
    assert tables[0] == tables[1] and tables[0].count(b"\n") > 100


def test_a_written_image_is_not_made_linear_twice(extract, tmp_path):
    write_image(tmp_path / "sky.fits", compressed(field(1)).astype(np.float32))
    out = extract("out", "output: {formats: [csv], check_images: [-background], segmentation: true}\n", "sky.fits")
    for path in out.glob("*.fits"):
        for hdu in fits.open(path):
            assert "BSOFTEN" not in hdu.header and "BOFFSET" not in hdu.header, path


def test_a_map_of_noise_and_a_mask_beside_it(extract, tmp_path):
    """Pan-STARRS' maps of variance have the scale as well; its masks are integers, whose bits stay."""
    variance = 1 + field(5) / 40
    mask = np.zeros((HEIGHT, WIDTH), np.int16)
    mask[20:30, 10:25] = 8
    for name, cards, of in (("sky", CARDS, compressed), ("flux", {}, lambda pixels: pixels)):
        hdus = [fits.ImageHDU(np.asarray(of(pixels), float), fits.Header(cards), name=called)
                for called, pixels in (("SCI", field(1)), ("VAR", variance))]
        fits.HDUList([fits.PrimaryHDU(), *hdus, fits.ImageHDU(mask, fits.Header(cards), name="MASK")]).writeto(tmp_path / f"{name}.fits")
    config = ("input: {hdu: SCI}\nweights: {type: variance, hdu: VAR, rescale: false}\nmask: {hdu: MASK, bits: [3]}\n" + PHOTOMETRY)
    got, truth = (catalogue(extract, name, config) for name in ("sky", "flux"))
    assert len(got) == len(truth) >= 7
    for one, other in zip(got, truth):
        assert float(one["FLUXERR_ISO"]) == pytest.approx(float(other["FLUXERR_ISO"]), rel=1e-3)


@pytest.mark.parametrize("value", (0.0, -1.0, "'x'"))
def test_a_scale_that_makes_no_flux_is_refused(run, configure, tmp_path, value):
    write_image(tmp_path / "sky.fits", compressed(field(1)).astype(np.float32), {"BSOFTEN": value, "BOFFSET": 0.0})
    done = run(configure(RESULTS), "sky.fits", "-o", "out")
    assert done.code == 3 and "BSOFTEN" in done.err


@pytest.mark.parametrize("cards, kind", (({"BOFFSET": 3.0}, np.float32), (CARDS, np.int16)))
def test_half_a_scale_is_warned_of(run, configure, tmp_path, cards, kind):
    write_image(tmp_path / "sky.fits", field(1).astype(kind), cards)
    done = run("-q", configure(RESULTS), "sky.fits", "-o", "out")
    assert done.code == 0 and "np.sinh(data / 1.0857362)" in done.err, done.err
