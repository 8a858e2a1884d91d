"""Borders of constant pixels, as registered stacks have them. Truth: the same image with NaN there, written by NumPy."""

import gzip
import inspect

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import report, rows

HEIGHT, WIDTH = 240, 320
CSV = "output: {formats: [csv]}\n"
SATURATED = ("--set", "measurement.saturation_keyword=SATURATE")


def sky(seed=1, level=1000.0, stars=120):
    """Noise of sigma 10, and stars of 30 to 300 sigma all over, also at the edge."""
    rng = np.random.default_rng(seed)
    y, x = np.indices((HEIGHT, WIDTH))
    image = rng.normal(level, 10, (HEIGHT, WIDTH))
    for at_x, at_y, peak in zip(rng.uniform(0, WIDTH, stars), rng.uniform(0, HEIGHT, stars), rng.uniform(300, 3000, stars)):
        image += peak * np.exp(-((x - at_x) ** 2 + (y - at_y) ** 2) / 4.5)
    return image


def frame(left=17, below=22, right=12, above=9):
    border = np.ones((HEIGHT, WIDTH), bool)
    border[below:HEIGHT - above, left:WIDTH - right] = False
    return border


def rotated(angle):
    """What is outside a chip that was turned by this angle in degrees."""
    y, x = np.indices((HEIGHT, WIDTH)) - np.reshape([HEIGHT / 2, WIDTH / 2], (2, 1, 1))
    turn = np.radians(angle)
    return ((np.abs(x * np.cos(turn) + y * np.sin(turn)) > 0.47 * WIDTH)
            | (np.abs(y * np.cos(turn) - x * np.sin(turn)) > 0.47 * HEIGHT))


def staggered():
    """Four chips that are not in line, with gaps that reach the edge."""
    outside = np.ones((HEIGHT, WIDTH), bool)
    for i in range(4):
        outside[7 * i:HEIGHT - 30 + 7 * i, 80 * i + 5:80 * i + 76] = False
    return outside


def write(path, pixels, bitpix="f4", compressed=None, **cards):
    pixels = np.rint(pixels) if bitpix[0] in "iu" else pixels
    data, header = pixels.astype(bitpix), fits.Header(cards)
    if compressed in ("gz", None):
        fits.PrimaryHDU(data, header).writeto(path)
    else:
        shape = {"rows": (1, WIDTH), "tiles": (40, 64), "whole": (HEIGHT, WIDTH)}[compressed]
        # Older versions ignore an argument that they do not know.
        named = inspect.signature(fits.CompImageHDU.__init__).parameters
        tile = {"tile_shape": shape} if "tile_shape" in named else {"tile_size": shape[::-1]}
        fits.CompImageHDU(data, header, compression_type="RICE_1", quantize_level=0, **tile).writeto(path)
        assert fits.getval(path, "ZTILE2", 1, disable_image_compression=True) == shape[0]
    if compressed == "gz":
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path.name


@pytest.fixture
def catalogue(run, tmp_path):
    """The catalogue's bytes, run.json and messages of a run with these options."""
    (tmp_path / "csv.yaml").write_text(CSV)

    def of(image, *options, command=(), config="csv.yaml", stem=None, code=0):
        done = run(*command, *options, "-o", "out", config, *(image if isinstance(image, tuple) else (image,)))
        assert done.code == code, done.err
        stem = stem or (image[0] if isinstance(image, tuple) else image).split(".")[0]
        return (tmp_path / "out" / f"{stem}.cat.csv").read_bytes(), report(tmp_path / "out" / f"{stem}.run.json"), done.err

    return of


def check(catalogue, tmp_path, pixels, border, value, bitpix="f4", *options, **how):
    """The catalogue is that of the image with NaN in its border."""
    padded = np.where(border, value, pixels)
    if bitpix[0] in "iu":
        pixels = np.rint(pixels)
    write(tmp_path / "nan.fits", np.where(border, np.nan, pixels))
    found, told, said = catalogue(write(tmp_path / "padded.fits", padded, bitpix, **how), *options)
    assert found == catalogue("nan.fits", *options)[0]
    assert told["input"]["padding"] == [{"value": pytest.approx(value), "pixels": border.sum()}]
    assert told["counts"]["masked_nan"] == border.sum() and told["warnings"] == []
    assert f"{border.sum()} pixels of " in said and "--set input.padding=keep" in said
    return told


@pytest.mark.parametrize("value, bitpix", ((0, "f4"), (-999, "f8"), (1e20, "f4"), (1000, "f4"), (0, "i2"), (-32768, "i4"),
                                           (255, "u2"), (4000, "i2")))
def test_a_border_of_any_value(catalogue, tmp_path, value, bitpix):
    told = check(catalogue, tmp_path, sky(), frame(), value, bitpix)
    assert told["input"]["bitpix"] == {"f": -1, "i": 1, "u": 1}[bitpix[0]] * 8 * int(bitpix[1])


@pytest.mark.parametrize("border", (frame(1, 0, 0, 0), frame(0, 0, 0, 1), frame(0, 30, 0, 0), frame(60, 60, 60, 60),
                                    rotated(0.7), rotated(5), rotated(-30), staggered()))
def test_a_border_of_any_shape(catalogue, tmp_path, border):
    check(catalogue, tmp_path, sky(), border, 0)


@pytest.mark.parametrize("compressed", ("gz", "rows", "tiles", "whole"))
@pytest.mark.parametrize("bitpix", ("f4", "i2"))
def test_compressed_images(catalogue, tmp_path, compressed, bitpix):
    check(catalogue, tmp_path, sky(), frame(), 0, bitpix, compressed=compressed if bitpix == "i2" else "gz")


def test_stars_near_the_border_are_found(catalogue, tmp_path):
    """39 of 93 were, in a stack of 2200 x 1500."""
    rng, border = np.random.default_rng(5), frame()
    near = [(x, y) for x, y in zip(rng.uniform(24, WIDTH - 20, 900), rng.uniform(29, HEIGHT - 16, 900))
            if min(x - 17, y - 22, WIDTH - 12 - x, HEIGHT - 9 - y) < 30]
    apart = []
    for place in near:
        if all(np.hypot(place[0] - x, place[1] - y) > 16 for x, y in apart):
            apart.append(place)
    y, x = np.indices((HEIGHT, WIDTH))
    image = rng.normal(1000, 10, (HEIGHT, WIDTH))
    for at_x, at_y in apart:
        image += 150 * np.exp(-((x - at_x) ** 2 + (y - at_y) ** 2) / 4.5)
    catalogue(write(tmp_path / "stack.fits", np.where(border, 0, image)))
    found = [(float(row["X_IMAGE"]) - 1, float(row["Y_IMAGE"]) - 1) for row in rows(tmp_path / "out/stack.cat.csv")]
    lost = [place for place in apart if min(np.hypot(place[0] - x, place[1] - y) for x, y in found) > 1]
    assert len(apart) > 50 and len(lost) <= 0.03 * len(apart) and len(found) <= 1.03 * len(apart)


def test_several_values_one_in_another(catalogue, tmp_path):
    image, border = sky(), frame(40, 22, 12, 9)
    padded = np.where(border, 0, image)
    padded[:, :20], padded[-4:], padded[:, -5:] = -999, 7.5, np.nan
    write(tmp_path / "nan.fits", np.where(border, np.nan, image))
    found, told, _ = catalogue(write(tmp_path / "padded.fits", padded))
    assert found == catalogue("nan.fits")[0]
    assert {one["value"] for one in told["input"]["padding"]} == {0, -999, 7.5}


def test_a_mask_and_weights_beside(catalogue, tmp_path):
    image, border, bad = sky(), frame(), np.zeros((HEIGHT, WIDTH), "i2")
    bad[100:120, 100:140] = 1
    write(tmp_path / "nan.fits", np.where(border, np.nan, image))
    write(tmp_path / "padded.fits", np.where(border, 0, image))
    write(tmp_path / "bad.fits", bad, "i2")
    write(tmp_path / "rms.fits", np.full((HEIGHT, WIDTH), 10.0))
    maps = ("--set", "mask.file=bad.fits", "--set", "weights.type=rms", "--set", "weights.file=rms.fits")
    found, told, _ = catalogue("padded.fits", *maps)
    assert found == catalogue("nan.fits", *maps)[0]
    assert told["counts"]["masked_mask"] == (bad == 1).sum() and told["counts"]["masked_nan"] == border.sum()


def test_a_detection_image_bands_a_difference_and_a_batch(run, tmp_path):
    border, other = frame(), frame(9, 9, 30, 9)
    (tmp_path / "csv.yaml").write_text(CSV)
    again = sky() + np.random.default_rng(9).normal(0, 5, (HEIGHT, WIDTH))
    for name, value in (("padded", 0), ("nan", np.nan)):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "g.fits", np.where(border, value, sky()))
        write(tmp_path / name / "r.fits", np.where(other, -999 if value == 0 else value, again))
    both = {}
    for name in ("padded", "nan"):
        there = tmp_path / name
        for command in (("-d", "g.fits", "../csv.yaml", "r.fits", "-o", "dual"),
                        ("-d", "g.fits", "--band", "g=g.fits", "--band", "r=r.fits", "../csv.yaml", "-o", "bands"),
                        ("difference", "../csv.yaml", "g.fits", "r.fits", "-o", "changes"),
                        ("batch", "../csv.yaml", "g.fits", "r.fits", "-o", "many")):
            done = run(*command, cwd=there)
            assert done.code == 0, done.err
        both[name] = {path.relative_to(there): path.read_bytes() for path in there.glob("*/*.cat.csv")}
    assert both["padded"] == both["nan"] and len(both["nan"]) == 5
    told = report(tmp_path / "padded/changes/r.diff.run.json")
    assert told["input"]["padding"] == [{"value": -999, "pixels": other.sum()}]
    assert told["reference"]["padding"] == [{"value": 0, "pixels": border.sum()}]
    assert report(tmp_path / "padded/dual/r.run.json")["detection_image"]["padding"] == [{"value": 0, "pixels": border.sum()}]


def star_at(y, x, width, peak, level=1e9):
    at_y, at_x = np.indices((HEIGHT, WIDTH))
    return np.minimum(sky() + peak * np.exp(-((at_y - y) ** 2 + (at_x - x) ** 2) / 2 / width**2), level)


def bleeding():
    image = sky()
    image[:90, 150:156] = image[:12, 135:170] = 65535
    return image


def kept_images():
    rng = np.random.default_rng(4)
    y, x = np.indices((HEIGHT, WIDTH))
    hole = sky()
    hole[100:140, 100:150] = -999
    flat = star_at(100, 150, 3, 500) * 0
    for at in range(20, 220, 25):
        flat += 100 * np.exp(-((y - at) ** 2 + (x - 1.3 * at) ** 2) / 8) * (np.hypot(y - at, x - 1.3 * at) < 12)
    return {
        "saturated star at an edge": star_at(2, 150, 9, 1e6, 65535),
        "saturated star in a corner": star_at(2, 2, 9, 1e6, 65535),
        "bleed": bleeding(),
        "hole": hole,
        "noiseless": flat,
        "noiseless on a level": flat + 100,
        "faint X-rays": rng.poisson(0.01, (HEIGHT, WIDTH)),
        "X-rays": rng.poisson(0.5, (HEIGHT, WIDTH)),
        "X-rays in a circle": rng.poisson(0.3, (HEIGHT, WIDTH)) * (np.hypot(y - 120, x - 160) < 118),
        "few levels": np.rint(rng.normal(100, 0.5, (HEIGHT, WIDTH))),
        "levels": np.rint(rng.normal(0, 3, (HEIGHT, WIDTH))),
        "clipped at 0": np.maximum(rng.normal(0, 5, (HEIGHT, WIDTH)), 0),
        "blocks that repeat": np.rint(np.kron(rng.normal(100, 4, (HEIGHT // 4, WIDTH // 4)), np.ones((4, 4)))),
    }


def vignetted(rng, corner=0.2):
    """Photons: 10 at the centre, a few per 10 pixels in the corners."""
    y, x = np.indices((HEIGHT, WIDTH))
    return rng.poisson(10 + (corner - 10) * ((x - WIDTH / 2) ** 2 + (y - HEIGHT / 2) ** 2) / np.hypot(WIDTH / 2, HEIGHT / 2) ** 2)


def lossy(path, pixels, **how):
    """What a lossy compression leaves of the pixels."""
    fits.CompImageHDU(pixels, **how).writeto(path / "lossy.fits", overwrite=True)
    return fits.getdata(path / "lossy.fits")


def noisy_blocks(path, seed):
    rng = np.random.default_rng(seed)
    image = sky(seed) + rng.normal(0, 14, (HEIGHT, WIDTH))
    whole = np.rint(image).astype("i2")
    for scale in (8, 16):
        for smooth in (0, 1):
            yield lossy(path, whole, compression_type="HCOMPRESS_1", hcomp_scale=scale, hcomp_smooth=smooth), "i2"
    yield lossy(path, image.astype("f4"), compression_type="RICE_1", quantize_level=0.1, quantize_method=-1), "f4"
    for side in (5, 12, 16):
        larger = np.kron(image[:HEIGHT // side + 1, :WIDTH // side + 1], np.ones((side, side)))[:HEIGHT, :WIDTH]
        yield larger, "f4"
        yield larger, "i2"
    yield vignetted(rng), "i2"
    yield vignetted(rng, 0.5), "f4"


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_a_lossy_sky_and_vignetted_photons_are_kept(catalogue, tmp_path, seed):
    for number, (image, bitpix) in enumerate(noisy_blocks(tmp_path, seed)):
        told, said = catalogue(write(tmp_path / f"{number}.fits", image, bitpix))[1:]
        assert "padding" not in told["input"] and "padding and masked" not in said, number


@pytest.mark.parametrize("side", (4, 8))
def test_the_border_of_an_enlarged_image(catalogue, tmp_path, side):
    image = np.rint(np.kron(sky()[:HEIGHT // side, :WIDTH // side], np.ones((side, side))))
    for number, border in enumerate((frame(), rotated(5))):
        told = catalogue(write(tmp_path / f"{number}.fits", np.where(border, 0, image), "i2"))[1]
        assert told["input"]["padding"] == [{"value": 0, "pixels": border.sum()}]


def test_a_border_of_the_value_of_the_sky(catalogue, tmp_path):
    check(catalogue, tmp_path, sky(level=0), rotated(5), 0.0, "f4")


@pytest.mark.parametrize("at", ((2, 2), (8, 5), (WIDTH - 3, 3), (0, 0)))
@pytest.mark.parametrize("width", (2, 4, 9))
def test_a_saturated_star_in_a_corner_is_kept(catalogue, tmp_path, at, width):
    y, x = np.indices((HEIGHT, WIDTH))
    away = np.hypot(x - at[0], y - at[1])
    light = 1e6 * np.exp(-away ** 2 / 2 / width ** 2) + 3e4 / (1 + (away / width) ** 2) ** 1.5
    image = np.minimum(sky() + light, 65000)
    for name, cards in (("level.fits", {"SATURATE": 65000}), ("none.fits", {})):
        told, said = catalogue(write(tmp_path / name, image, "u2", **cards), *SATURATED)[1:]
        assert "padding" not in told["input"] and "padding and masked" not in said
    found = rows(tmp_path / "out/level.cat.csv")
    assert any(int(row["FLAGS"]) & 4 and int(row["XMIN_IMAGE"]) <= at[0] + 1 <= int(row["XMAX_IMAGE"])
               and int(row["YMIN_IMAGE"]) <= at[1] + 1 <= int(row["YMAX_IMAGE"]) for row in found)


def test_a_saturated_border_is_masked_where_it_is_a_whole_side(catalogue, tmp_path):
    padded = write(tmp_path / "padded.fits", np.where(frame(), 65535, sky()), "u2", SATURATE=60000)
    told = catalogue(padded, *SATURATED)[1]
    assert told["input"]["padding"] == [{"value": 65535, "pixels": frame().sum()}]


@pytest.mark.parametrize("name", kept_images())
def test_what_is_no_padding_is_kept(run, tmp_path, name):
    write(tmp_path / "image.fits", kept_images()[name])
    # A threshold of its own, as some of these have no noise.
    options = ("--set", "detection.threshold_unit=absolute", "--set", "detection.threshold=20", "--set", "output.formats=[csv]")
    found = []
    for wanted in ("auto", "keep"):
        done = run(*options, "--set", f"input.padding={wanted}", "-o", wanted, "image.fits")
        assert done.code == 0, done.err
        assert "padding and masked" not in done.err
        assert "padding" not in report(tmp_path / wanted / "image.run.json")["input"]
        found.append((tmp_path / wanted / "image.cat.csv").read_bytes())
    assert found[0] == found[1]


def test_a_constant_image_stays_an_error(run, tmp_path):
    write(tmp_path / "flat.fits", np.full((HEIGHT, WIDTH), 7.0))
    write(tmp_path / "zero.fits", np.zeros((HEIGHT, WIDTH)), "i2")
    for name in ("flat.fits", "zero.fits"):
        auto, keep = (run("--set", f"input.padding={wanted}", name) for wanted in ("auto", "keep"))
        assert auto.code == keep.code != 0 and auto.err.splitlines()[-1] == keep.err.splitlines()[-1]


def test_keep_and_a_value(catalogue, tmp_path):
    image, border = sky(), frame()
    image[100:140, 100:150] = 0
    write(tmp_path / "padded.fits", np.where(border, 0, image))
    write(tmp_path / "nan.fits", np.where(border | (image == 0), np.nan, image))
    kept, told, said = catalogue("padded.fits", "--set", "input.padding=keep")
    assert told["counts"]["masked_nan"] == 0 and "padding" not in told["input"]
    assert catalogue("padded.fits")[0] != kept
    found, told, said = catalogue("padded.fits", "--set", "input.padding=0")
    assert found == catalogue("nan.fits")[0]
    assert told["input"]["padding"] == [{"value": 0, "pixels": (border | (image == 0)).sum()}]
    told = catalogue("padded.fits", "--set", "input.padding=-1")[1]
    assert any("no pixel has this value" in warning for warning in told["warnings"])


@pytest.mark.parametrize("value", (-999, 0, 65535))
def test_a_large_hole_is_told_unless_a_map_masks_it(catalogue, tmp_path, value):
    image, hole = sky(), np.zeros((HEIGHT, WIDTH), bool)
    hole[60:130, 80:160] = True
    write(tmp_path / "holed.fits", np.where(hole, value, image))
    write(tmp_path / "nan.fits", np.where(hole, np.nan, image))
    write(tmp_path / "bad.fits", hole, "i2")
    told = catalogue("holed.fits")[1]
    assert told["counts"]["masked_nan"] == 0
    assert any(f"7 % of the pixels are exactly {value}. " in one and f"--set input.padding={value}" in one
               for one in told["warnings"])
    assert catalogue("holed.fits", "--set", "mask.file=bad.fits")[1]["warnings"] == []
    assert catalogue("holed.fits", "--set", f"input.padding={value}")[0] == catalogue("nan.fits")[0]


@pytest.mark.parametrize("seed", range(3))
def test_photons_and_noiseless_images_are_not_asked_for_padding(run, tmp_path, seed):
    rng = np.random.default_rng(seed)
    y, x = np.indices((HEIGHT, WIDTH))
    light = sum(peak * np.exp(-((y - at_y) ** 2 + (x - at_x) ** 2) / 8) for at_y, at_x, peak in
                zip(rng.uniform(0, HEIGHT, 30), rng.uniform(0, WIDTH, 30), rng.uniform(20, 500, 30)))
    images = {"noiseless": light, "level": np.rint(light) + 100, "photons": rng.poisson(light + 1e-4),
              "round": rng.poisson(0.3, (HEIGHT, WIDTH)) * (np.hypot(y - 120, x - 160) < 90)}
    for name, image in images.items():
        write(tmp_path / f"{name}.fits", image)
        done = run("--set", "detection.threshold_unit=absolute", "--set", "detection.threshold=20", f"{name}.fits")
        assert done.code == 0 and "input.padding" not in done.err, name


def test_sextractors_configuration_keeps_padding(run, tmp_path):
    from driver import ROOT

    write(tmp_path / "padded.fits", np.where(frame(), 0, sky()))
    done = run(ROOT / "config/sextractor.yaml", "padded.fits")
    assert done.code == 0 and report(tmp_path / "padded.run.json")["counts"]["masked_nan"] == 0
    assert run("sextractor", "-dd").code == 0
    done = run("sextractor", "padded.fits", "-CATALOG_NAME", "found.cat")
    assert "padding" not in done.err


def test_a_corner_mesh_of_one_pixel_is_no_padding(run, tmp_path):
    write(tmp_path / "odd.fits", np.random.default_rng(2).normal(100, 5, (65, 129)))
    done = run("--set", "background.filter_size=1", "odd.fits")
    assert done.code == 0 and "padding" not in done.err
