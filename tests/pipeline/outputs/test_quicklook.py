"""The picture that output.quicklook asks for."""

import json

import pytest

np = pytest.importorskip("numpy")

import png_files
from stage_images import HEIGHT, WIDTH, field, report, rows, steps, write_image

PICTURE = "output: {formats: [csv], quicklook: true}\n"


def draw(extract, image, settings, stem="sky"):
    """Row 0 is that of the image, at the bottom."""
    return png_files.read(extract("out", PICTURE + settings, image) / f"{stem}.png").astype(int)[::-1]


def is_grey(picture):
    return (picture == picture[..., :1]).all(axis=2)


def test_the_first_row_is_at_the_bottom_and_the_first_column_at_the_left(extract, tmp_path):
    pixels = np.random.default_rng(1).normal(size=(HEIGHT, WIDTH))
    pixels[40:44, 10:14] = 500  # near the top, left of the middle
    image = write_image(tmp_path / "sky.fits", pixels)
    path = extract("out", PICTURE + "quicklook: {limits: minmax, stretch: linear, overlay: none}\n", image) / "sky.png"
    picture = png_files.read(path)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    bright = np.argwhere(picture[..., 0] > 128)
    assert bright.min(axis=0).tolist() == [HEIGHT - 44, 10] and bright.max(axis=0).tolist() == [HEIGHT - 41, 13]
    told = report(tmp_path / "out/sky.run.json")
    assert "picture" in steps(told) and any(output.endswith("sky.png") for output in told["outputs"])


@pytest.mark.parametrize("width, height, size, shape", [(61, 50, 1024, (50, 61)), (61, 50, 61, (50, 61)),
                                                        (61, 50, 60, (25, 31)), (61, 50, 20, (13, 16)),
                                                        (50, 61, 16, (16, 13)), (200, 3, 16, (1, 16))])
def test_a_picture_is_scaled_down_by_whole_pixels(extract, tmp_path, width, height, size, shape):
    pixels = np.random.default_rng(1).normal(100, 1, (height, width)).astype(np.float32)
    pixels[0, :2] = np.nan
    image = write_image(tmp_path / "sky.fits", pixels)
    settings = f"quicklook: {{size: {size}, overlay: none, limits: values, low: 90, high: 110, stretch: linear}}\n"
    picture = draw(extract, image, settings)
    assert picture.shape == (*shape, 3) and is_grey(picture).all()
    factor = -(-max(width, height) // size)
    padded = np.full((shape[0] * factor, shape[1] * factor), np.nan)
    padded[:height, :width] = pixels
    blocks = padded.reshape(shape[0], factor, shape[1], factor)
    with np.errstate(invalid="ignore"):
        means = np.nansum(blocks, axis=(1, 3)) / np.isfinite(blocks).sum(axis=(1, 3))
    want = np.where(np.isnan(means), 0, 255 * (means - 90) / 20)
    assert np.abs(picture[..., 0] - want).max() <= 0.6


def test_masked_pixels_are_black(extract, tmp_path):
    pixels = field(1)
    pixels[20:25, 30:40] = np.nan
    picture = draw(extract, write_image(tmp_path / "sky.fits", pixels), "quicklook: {overlay: none}\n")
    assert not picture[20:25, 30:40].any() and picture.any()


def test_equalisation_uses_every_grey_as_often(extract, tmp_path):
    image = write_image(tmp_path / "sky.fits", np.random.default_rng(1).normal(size=(128, 128)))
    settings = "quicklook: {stretch: equalize, limits: minmax, bins: 65536, overlay: none}\n"
    counts = np.bincount(draw(extract, image, settings)[..., 0].ravel(), minlength=256)
    assert counts[1:-1].min() > 60 and counts[1:-1].max() < 68  # of 64


@pytest.mark.parametrize("stretch", ["linear", "sqrt", "log", "asinh", "equalize"])
def test_brighter_is_whiter_in_every_stretch(extract, tmp_path, stretch):
    pixels = np.random.default_rng(1).uniform(0, 1000, (HEIGHT, WIDTH)).astype(np.float32)
    image = write_image(tmp_path / "sky.fits", pixels)
    settings = (f"quicklook: {{stretch: {stretch}, limits: minmax, overlay: none}}\n"
                "detection: {threshold_unit: absolute, threshold: 2000}\n")
    grey = draw(extract, image, settings)[..., 0].ravel()[np.argsort(pixels.ravel())]
    assert (np.diff(grey) >= 0).all() and grey[0] <= 4 and grey[-1] >= 254


def test_ellipses_stand_around_the_sources(extract, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1))
    picture = draw(extract, image, "")
    orange = ~is_grey(picture)
    assert (picture[orange] == picture[orange][0]).all()
    table = rows(tmp_path / "out/sky.cat.csv")
    assert len(table) == 10
    y, x = np.nonzero(orange)
    distances = np.min([np.hypot(x + 1 - float(row["X_IMAGE"]), y + 1 - float(row["Y_IMAGE"])) for row in table],
                       axis=0)
    reach = max(4, 3 * max(float(row["A_IMAGE"]) for row in table))
    assert distances.min() > 2 and distances.max() < reach + 1
    # Without them it is the same picture, but for the white that gave its place to orange.
    plain = draw(extract, image, "quicklook: {overlay: none}\n")
    assert np.abs(plain - picture)[~orange].max() <= 1


def test_detected_pixels_are_tinted(extract, tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    image = write_image(tmp_path / "sky.fits", field(1))
    path = extract("out", "output: {formats: [csv], quicklook: true, segmentation: true}\n"
                   "quicklook: {overlay: pixels}\n", image)
    detected = fits.getdata(path / "sky.seg.fits", "SEGMENTATION") > 0
    picture = png_files.read(path / "sky.png")[::-1]
    assert np.array_equal(~is_grey(picture), detected) and detected.any()


def test_the_picture_does_not_change_the_catalogue(extract, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1))
    with_picture = extract("with", PICTURE, image)
    without = extract("without", "output: {formats: [csv]}\n", image)
    assert (with_picture / "sky.cat.csv").read_bytes() == (without / "sky.cat.csv").read_bytes()
    assert not (without / "sky.png").exists() and "picture" not in steps(report(without / "sky.run.json"))


@pytest.mark.parametrize("setting, place, message", [
    ("limits: values", "2:11", "quicklook.low"),
    ("limits: values\n  low: 3\n  high: 2", "4:9", "must be greater than quicklook.low"),
    ("bins: 255", "2:9", "must be at least 256"),
    ("size: 8", "2:9", "must be at least 16"),
    ("stretch: cubic", "2:12", "must be one of linear"),
    ("overlay: circles", "2:12", "must be one of none"),
])
def test_a_picture_that_cannot_be(run, configure, tmp_path, setting, place, message):
    write_image(tmp_path / "sky.fits", field(1))
    done = run(configure(f"quicklook:\n  {setting}\n"), "sky.fits", "-o", "out")
    assert done.code == 2 and done.err.startswith(f"error: config.yaml:{place}: ") and message in done.err
    assert not (tmp_path / "out").exists()


def journal(directory):
    lines = map(json.loads, (directory / "journal.jsonl").read_text().splitlines())
    return {line["image"]: line for line in lines if "image" in line}


def planned(run, *arguments):
    done = run("batch", "config.yaml", "images", "-o", "out", "--dry-run", *arguments)
    assert done.code == 0, done.err
    return sorted(line.split("/")[-1] for line in done.out.splitlines())


def test_a_batch_knows_the_picture_and_the_kernel(run, configure, tmp_path):
    names = ["a.fits", "b.fits", "c.fits"]
    for seed, name in enumerate(names):
        write_image(tmp_path / "images" / name, field(seed))
    kernel = tmp_path / "kernel.conv"
    kernel.write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    configure("convolve: {kernel: file, file: kernel.conv}\noutput: {formats: [csv], quicklook: true}\n")
    assert run("batch", "config.yaml", "images", "-o", "out").code == 0
    entries = journal(tmp_path / "out")
    for name in names:
        stem = name.removesuffix(".fits")
        outputs = {f"{stem}.cat.csv", f"{stem}.png", f"{stem}.run.json"}
        assert set(entries[name]["outputs"]) == outputs
        assert entries[name]["outputs"][f"{stem}.png"] == (tmp_path / f"out/{stem}.png").stat().st_size
    assert planned(run) == []

    (tmp_path / "out/b.png").unlink()
    assert planned(run) == ["b.fits"]
    assert run("batch", "config.yaml", "images", "-o", "out").code == 0
    assert (tmp_path / "out/b.png").exists() and planned(run) == []

    before = (tmp_path / "out/a.cat.csv").read_bytes()
    kernel.write_text("CONV NORM\n# other words, the same kernel\n1 2 1\n2 4 2\n1 2 1\n")
    assert planned(run) == []
    kernel.write_text("CONV NORM\n1 2 1\n2 9 2\n1 2 1\n")
    assert planned(run) == names
    assert run("batch", "config.yaml", "images", "-o", "out").code == 0
    assert planned(run) == [] and (tmp_path / "out/a.cat.csv").read_bytes() != before


def test_a_batch_does_an_image_again_where_one_that_is_combined_with_it_has_changed(run, configure, tmp_path):
    write_image(tmp_path / "images/a.fits", field(1))
    write_image(tmp_path / "other.fits", field(2))
    configure("combine: {method: mean, files: [other.fits]}\noutput: {formats: [csv]}\n")
    assert run("batch", "config.yaml", "images", "-o", "out").code == 0 and planned(run) == []
    write_image(tmp_path / "other.fits", field(3))
    assert planned(run) == ["a.fits"]
