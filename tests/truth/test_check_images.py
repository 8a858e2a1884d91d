"""Check images beside SExtractor's, and beside each other."""
import gzip
import io
import json
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ndimage = pytest.importorskip("scipy.ndimage")
from astropy.wcs import WCS

import sextractor
from test_mesh import sky

SAME = {"background": "BACKGROUND", "rms": "BACKGROUND_RMS", "minus_background": "-BACKGROUND",
        "minibackground": "MINIBACKGROUND", "miniback_rms": "MINIBACK_RMS", "filtered": "FILTERED"}
OURS = ["background", "rms", "-background", "filtered", "objects", "-objects", "snr", "minibackground", "miniback_rms",
        "threshold"]
KERNEL = np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]])


def ours(program, directory, image, images=OURS, **settings):
    """The check images, and the catalogue's numbers of pixels. The map of the noise is SExtractor's."""
    config = directory / "c.yaml"
    sections = {"detection": "{threshold: 1.5, min_area: 5}", "background": "{rms_map: sextractor}", "output": f"{{check_images: {images}}}".replace("'", ""),
                "convolve": f"{{kernel: values, values: {KERNEL.tolist()}}}", **settings}
    config.write_text("".join(f"{name}: {keys}\n" for name, keys in sections.items()) + "extends: none\n")
    subprocess.run([program, "--record", "-q", "-o", directory, config, image], check=True)
    names = [name.replace("-", "minus_") for name in images]
    return ({name: fits.getdata(directory / f"image.{name}.fits") for name in names},
            fits.getdata(directory / "image.cat.fits")["NPIX"].sum())


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "image.fits"
    header = fits.Header({"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 5.0, "CRPIX2": 6.0, "CRVAL1": 10.0,
                          "CRVAL2": 20.0, "CDELT1": -1e-4, "CDELT2": 1e-4, "BUNIT": "adu"})
    fits.PrimaryHDU(sky(np.random.default_rng(41), 500, 700, 5, 5), header).writeto(path)
    return path


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_they_are_sextractors(program, image, tmp_path):
    found, _ = ours(program, tmp_path, image)
    (tmp_path / "default.conv").write_text("CONV NORM\n" + "\n".join(" ".join(map(str, row)) for row in KERNEL) + "\n")
    names = {name: tmp_path / f"their_{name}.fits" for name in SAME}
    sextractor.sextract(image, tmp_path, ["NUMBER"], BACK_TYPE="AUTO", BACK_SIZE=64, THRESH_TYPE="RELATIVE",
                        DETECT_THRESH=1.5, FILTER="Y", FILTER_NAME=tmp_path / "default.conv",
                        CHECKIMAGE_TYPE=",".join(SAME.values()), CHECKIMAGE_NAME=",".join(map(str, names.values())))
    for name, path in names.items():
        theirs = fits.getdata(path)
        assert found[name].shape == theirs.shape, name
        # The level is about 1000, of which a float holds 6e-5; a filtered pixel is the sum of nine.
        assert np.abs(found[name] - theirs).max() <= 1e-3, name
    assert np.array_equal(found["minibackground"], fits.getdata(names["minibackground"]))


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
@pytest.mark.parametrize("columns, circles", ((["FLUX_AUTO", "MAG_APER(2)"], "10,25"), (["FLUX_APER"], "7"), (["FLUX_AUTO"], "7")))
def test_outlines_of_apertures_are_where_sextractor_draws_them(program, image, tmp_path, columns, circles):
    """Both draw lines one pixel wide, which add 30 sigma; a corner of a line may be another pixel."""
    sextractor.sextract(image, tmp_path, ["NUMBER", *columns], BACK_TYPE="AUTO", BACK_SIZE=64, THRESH_TYPE="RELATIVE",
                        DETECT_THRESH=1.5, WEIGHT_TYPE="BACKGROUND", PHOT_APERTURES=circles, CHECKIMAGE_TYPE="APERTURES,-BACKGROUND",
                        CHECKIMAGE_NAME=f"{tmp_path}/a.fits,{tmp_path}/b.fits")
    names = [column.split("(")[0] for column in columns]
    found, _ = ours(program, tmp_path, image, ["apertures", "-background", "rms"], convolve="{kernel: none}",
                    measurement=f"{{apertures: [{circles}], mask: none}}",
                    output=f"{{check_images: [apertures, -background, rms], columns: [default, {', '.join(names)}]}}")
    assert "KRON_RADIUS" not in fits.getdata(tmp_path / "image.cat.fits").names
    theirs = fits.getdata(tmp_path / "a.fits") - fits.getdata(tmp_path / "b.fits")
    lines = found["apertures"] - found["minus_background"]
    noise = np.median(found["rms"])
    drawn, expected = lines > noise, theirs > noise
    near = [(a & ndimage.binary_dilation(b, np.ones((3, 3)))).sum() / a.sum()
            for a, b in ((drawn, expected), (expected, drawn))]
    assert drawn.sum() > 5000 and min(near) > 0.995
    assert np.median(lines[drawn]) == pytest.approx(30 * noise, rel=0.02)
    assert np.median(theirs[expected]) == pytest.approx(np.median(lines[drawn]), rel=0.02)


def test_they_fit_each_other_and_the_catalogue(program, image, tmp_path):
    found, pixels = ours(program, tmp_path, image)
    stored = fits.getdata(image).astype(np.float32)
    assert np.array_equal(found["minus_background"], stored - found["background"])
    assert np.array_equal(found["objects"] + found["minus_objects"], found["minus_background"])
    assert (found["objects"] != 0).sum() == pixels > 1000
    assert np.array_equal(found["snr"], found["filtered"] / found["rms"])
    header = fits.getheader(tmp_path / "image.background.fits")
    assert header["CTYPE1"] == "RA---TAN" and header["CRVAL1"] == 10 and header["BUNIT"] == "adu"
    # Of meshes of 64 pixels, the centre of the first is where the image has its pixels 0 to 63.
    meshes = WCS(fits.getheader(tmp_path / "image.minibackground.fits"))
    side = 64
    assert np.allclose(meshes.all_pix2world([[0, 0], [1, 2]], 0),
                       WCS(header).all_pix2world([[side / 2 - 0.5] * 2, [1.5 * side - 0.5, 2.5 * side - 0.5]], 0), rtol=0, atol=1e-9)


def test_of_a_constant_background_they_are_flat(program, image, tmp_path):
    images = ["background", "rms", "-background", "snr"]
    found, _ = ours(program, tmp_path, image, images, background="{method: constant}", convolve="{kernel: none}")
    assert found["background"].min() == found["background"].max()
    assert found["rms"].min() == found["rms"].max() > 0
    stored = fits.getdata(image).astype(np.float32)
    assert np.array_equal(found["minus_background"], stored - found["background"])
    assert np.array_equal(found["snr"], found["minus_background"] / found["rms"])


def test_masked_pixels_stay_masked(program, image, tmp_path):
    with fits.open(image, mode="update") as file:
        file[0].data[100:120, 50:60] = np.nan
    found, _ = ours(program, tmp_path, image, ["-background", "background", "objects"])
    assert np.isnan(found["minus_background"]).sum() == 200
    assert np.isfinite(found["background"]).all()


ABSOLUTE = {"background": "{method: constant}", "convolve": "{kernel: none}"}


@pytest.mark.parametrize("operation", ("erosion", "opening"))
@pytest.mark.parametrize("deblend", ("none", "tree"))
def test_the_masks_are_those_of_numpy_and_scipy(program, image, tmp_path, operation, deblend):
    """A pixel is above an absolute threshold, which is a number of the image, or is not; a masked one never is."""
    with fits.open(image, mode="update") as file:
        file[0].data[100:120, 50:60] = np.nan
    level, square = np.float32(1200), np.ones((3, 3))
    found, _ = ours(program, tmp_path, image, ["threshold", "morphology"], **ABSOLUTE,
                    detection=f"{{threshold: {level}, threshold_unit: absolute, min_area: 1}}",
                    morphology=f"{{operation: {operation}, element: square, iterations: 2}}", deblend=f"{{method: {deblend}}}")
    mask = fits.getdata(image).astype(np.float32) > level
    cleaned = {"erosion": ndimage.binary_erosion, "opening": ndimage.binary_opening}[operation](mask, square, 2)
    assert 200 < cleaned.sum() < mask.sum() < 0.5 * mask.size
    assert np.array_equal(found["threshold"], mask.astype(np.float32))
    assert np.array_equal(found["morphology"], cleaned.astype(np.float32))
    header = fits.getheader(tmp_path / "image.morphology.fits")
    assert header["EXTNAME"] == "MORPHOLOGY" and header["BITPIX"] == -32 and "BUNIT" not in header
    threshold, _ = ours(program, tmp_path, image, ["threshold"], **ABSOLUTE, deblend=f"{{method: {deblend}}}",
                        detection=f"{{threshold: {level}, threshold_unit: absolute, min_area: 1}}")
    assert np.array_equal(threshold["threshold"], found["threshold"])


@pytest.mark.parametrize("sign", ("both", "negative"))
def test_the_mask_has_the_sides_that_were_searched(program, image, tmp_path, sign):
    found, _ = ours(program, tmp_path, image, ["threshold", "-background"], **ABSOLUTE,
                    detection=f"{{threshold: 2, min_area: 5, sign: {sign}}}")
    levels = json.loads((tmp_path / "image.run.json").read_text())["levels"]
    above = levels["detection"] - levels["background"]
    value = found["minus_background"]
    mask = (value < -above) | ((value > above) & (sign == "both"))
    differs = (found["threshold"] == 1) != mask
    assert mask.sum() > 1000 and (np.abs(np.abs(value[differs]) - above) < 1e-3).all()
    assert set(np.unique(found["threshold"])) == {0, 1}


def test_meshes_that_are_none_are_refused(program, tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("background: {method: constant}\noutput: {check_images: [minibackground]}\nextends: none\n")
    done = subprocess.run([program, "--record", config, tmp_path / "image.fits"], capture_output=True, text=True)
    assert done.returncode == 2 and "output.check_images" in done.stderr and "background.method" in done.stderr


@pytest.mark.parametrize("method", ("mesh", "constant"))
@pytest.mark.parametrize("kind, rescale", (("rms", True), ("variance", True), ("variance", False), ("weight", True)))
def test_with_a_map_the_noise_is_the_maps(program, image, tmp_path, kind, rescale, method):
    y, x = np.mgrid[:500, :700]
    truth = (22.5 * (1 + x / 700 + 0.5 * np.sin(y / 40))).astype(np.float32)
    factor = 9.0 if rescale and kind != "rms" else 1.0
    values = {"rms": truth, "variance": factor * truth ** 2, "weight": factor / truth ** 2}[kind].astype(np.float32)
    values[100:130, 200:260] = 0
    values[:, 31] = np.nan
    fits.PrimaryHDU(values).writeto(tmp_path / "map.fits")
    found, _ = ours(program, tmp_path, image, ["rms", "snr", "filtered", "background"], background=f"{{method: {method}}}",
                    weights=f"{{type: {kind}, file: '{tmp_path}/map.fits', rescale: {str(rescale).lower()}}}")
    scale = json.loads((tmp_path / "image.run.json").read_text())["weights"]["noise_scale"]
    assert (scale == 1) == (factor == 1)
    good = values > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = values.astype(float) ** {"rms": 2, "variance": 1, "weight": -1}[kind]
    expected = np.where(good, scale * np.sqrt(variance), np.nan)
    assert np.array_equal(np.isnan(found["rms"]), ~good) and (~good).sum() == 30 * 60 + 500
    assert np.allclose(found["rms"][good], expected[good], rtol=3e-7, atol=0)
    assert np.isfinite(found["background"]).all()
    assert np.array_equal(np.isnan(found["snr"]), ~good)
    assert np.allclose(found["snr"][good], (found["filtered"] / expected)[good], rtol=5e-7, atol=0)


@pytest.mark.parametrize("interpolate", ("variance", "all"))
def test_a_pixel_that_was_filled_has_the_noise_of_its_neighbour(program, image, tmp_path, interpolate):
    y, x = np.mgrid[:500, :700]
    truth = (22.5 * (1 + x / 700 + 0.5 * np.sin(y / 40))).astype(np.float32)
    truth[:, 31:33] = truth[:, 30:31]
    truth[200, 400:410] = truth[200, 399]
    values = truth.copy()
    values[:, 31:33] = 0
    values[200, 400:410] = np.nan
    fits.PrimaryHDU(values).writeto(tmp_path / "map.fits")
    found, _ = ours(program, tmp_path, image, ["rms", "snr", "filtered"],
                    weights=f"{{type: rms, file: '{tmp_path}/map.fits', interpolate: {interpolate}}}")
    assert np.allclose(found["rms"], truth, rtol=3e-7, atol=0)
    assert np.isfinite(found["filtered"]).all()
    assert np.allclose(found["snr"], found["filtered"] / truth, rtol=5e-7, atol=0)


@pytest.mark.parametrize("interpolate", ("none", "all"))
@pytest.mark.parametrize("sign", ("both", "negative"))
def test_showing_the_noise_of_a_map_changes_no_catalogue(program, image, tmp_path, sign, interpolate):
    values = np.full((500, 700), 22.5, np.float32)
    values[:, 300:] = 45
    values[:, 31] = 0
    fits.PrimaryHDU(values).writeto(tmp_path / "map.fits")
    settings = {"weights": f"{{type: rms, file: '{tmp_path}/map.fits', interpolate: {interpolate}}}"}
    shown, _ = ours(program, tmp_path, image, ["rms"], **settings)
    settings["detection"] = f"{{threshold: 0.7, min_area: 5, sign: {sign}}}"
    _, without = ours(program, tmp_path, image, [], **settings)
    found, pixels = ours(program, tmp_path, image, ["rms", "snr"], **settings)
    assert pixels == without > 100
    assert np.array_equal(found["rms"], shown["rms"], equal_nan=True)


def test_compressed_they_are_the_same(program, image, tmp_path):
    """To the last bit, to Astropy, CFITSIO's fitsverify and this program; the bytes on any number of threads."""
    with fits.open(image, mode="update") as file:
        file[0].data[100:120, 50:60] = np.nan
    config = tmp_path / "c.yaml"
    kernel = f"convolve: {{kernel: values, values: {KERNEL.tolist()}}}\n"
    written = {}
    for way, ending in (("none", ""), ("gzip", ".gz"), ("tiles", ".fz")):
        config.write_text(f"output: {{check_images: [{', '.join(OURS)}], check_compression: {way}}}\n{kernel}\nextends: none\n")
        for threads in (1, 3):
            out = tmp_path / f"{way}{threads}"
            subprocess.run([program, "--record", "-q", "--threads", str(threads), "-o", out, config, image], check=True)
            files = {path.name: path.read_bytes() for path in out.glob("image.*.fits*") if ".cat." not in path.name}
            assert len(files) == len(OURS) and all(name.endswith(".fits" + ending) for name in files)
            assert written.setdefault(way, files) == files
    for name, raw in written["none"].items():
        if not name.startswith("image.mini"):
            assert len(written["tiles"][name + ".fz"]) < len(raw) and len(written["gzip"][name + ".gz"]) < len(raw)
        assert gzip.decompress(written["gzip"][name + ".gz"]) == raw
        assert written["gzip"][name + ".gz"][4:8] == bytes(4), "no date"
        pixels, header = fits.getdata(io.BytesIO(raw)), fits.getheader(io.BytesIO(raw))
        with fits.open(tmp_path / "tiles1" / (name + ".fz")) as file:
            assert isinstance(file[1], fits.CompImageHDU)
            assert file[1].data.astype(">f4").tobytes() == pixels.astype(">f4").tobytes(), name
            for card in header.cards:
                if card.keyword not in ("SIMPLE", "EXTEND"):
                    assert file[1].header[card.keyword] == card.value
        with fits.open(tmp_path / "tiles1" / (name + ".fz"), disable_image_compression=True) as file:
            assert file[1].header["ZCMPTYPE"] == "GZIP_2"
    assert np.isnan(fits.getdata(tmp_path / "tiles1" / "image.minus_background.fits.fz")).sum() == 200
    if shutil.which("fitsverify"):
        for path in (tmp_path / "tiles1").glob("*.fz"):
            said = subprocess.run(["fitsverify", path], capture_output=True, text=True).stdout
            assert "0 warning(s) and 0 error(s)" in said, said


def test_compressed_ones_are_read_as_any_image(program, image, tmp_path):
    """A catalogue of the image above its sky is the same of either file; a folder's check images are no input."""
    config = tmp_path / "c.yaml"
    catalogues = []
    for way, ending in (("none", ""), ("gzip", ".gz"), ("tiles", ".fz")):
        config.write_text(f"output: {{check_images: [-background], check_compression: {way}}}\nextends: none\n")
        subprocess.run([program, "--record", "-q", "-o", tmp_path / way, config, image], check=True)
        shutil.copy(tmp_path / way / f"image.minus_background.fits{ending}", tmp_path / way / f"above.fits{ending}")
        config.write_text("output: {formats: [csv]}\nbackground: {method: constant}\n")
        subprocess.run([program, "--record", "-q", "-o", tmp_path / way, config, tmp_path / way / f"above.fits{ending}"], check=True)
        catalogues.append((tmp_path / way / "above.cat.csv").read_bytes())
        done = subprocess.run([program, "batch", config, tmp_path / way, "-o", tmp_path / "survey" / way],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert [path.name for path in (tmp_path / "survey" / way).glob("*.csv")] == ["above.cat.csv"]
    assert catalogues[0].count(b"\n") > 20 and len(set(catalogues)) == 1


def test_tiles_of_any_image(program, tmp_path):
    """One pixel wide or high, and of several tiles whose last is cut."""
    config = tmp_path / "c.yaml"
    config.write_text("background: {method: constant}\n"
                      "output: {check_images: [-background, rms], check_compression: tiles}\nextends: none\n")
    rng = np.random.default_rng(9)
    for height, width in ((1, 200), (200, 1), (3, 30000), (5, 70001), (1031, 300)):
        pixels = rng.normal(100, 3, (height, width)).astype(np.float32)
        fits.PrimaryHDU(pixels).writeto(tmp_path / "image.fits", overwrite=True)
        subprocess.run([program, "--record", "-q", "-o", tmp_path, config, tmp_path / "image.fits"], check=True)
        level = np.unique(pixels - fits.getdata(tmp_path / "image.minus_background.fits.fz"))
        assert np.ptp(level) < 1e-4 and abs(level[0] - 100) < 1
        assert len(np.unique(fits.getdata(tmp_path / "image.rms.fits.fz"))) == 1
