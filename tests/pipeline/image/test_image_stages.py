"""Images combined, convolved and cleaned, and frames subtracted, through the program. What makes an image of images is
held against NumPy: a plain run on the image that NumPy makes must find the same."""

import pytest

np = pytest.importorskip("numpy")

from fits_files import TAN, write
from stage_images import (CONSTANT, RESULTS, field, image_hdu, labels_of, report, results, rows, steps, write_extensions,
                          write_image)



def planes_with_holes():
    planes = np.stack([field(seed, brightness=brightness) for seed, brightness in ((1, 100), (2, 60), (3, 140))])
    planes[0, 10:14, 20:30] = planes[1, 12:16, 25:35] = planes[:, 40, 7] = np.nan
    return planes


def weighted(planes, weights):
    weights = np.asarray(weights, float)[:, np.newaxis, np.newaxis]
    good = np.isfinite(planes)
    with np.errstate(invalid="ignore"):
        return np.nansum(weights * planes, axis=0) * weights.sum() / (weights * good).sum(axis=0)


METHODS = {
    "mean": ("method: mean", lambda planes: weighted(planes, [1 / 3] * 3)),
    "luminosity": ("method: luminosity", lambda planes: weighted(planes, [0.21, 0.71, 0.07])),
    "weighted": ("method: weighted, weights: [2, 0.5, 1]", lambda planes: weighted(planes, [2, 0.5, 1])),
    "median": ("method: median", lambda planes: np.nanmedian(planes, axis=0)),
}
NAMES = {"cube": [f"plane {i}" for i in (1, 2, 3)], "extensions": ["HDU G", "HDU 2", "HDU I"],
         "files": ["the image", "g.fits", "b.fits"]}


def write_planes(tmp_path, source, planes):
    """The image to extract, and what `combine` must say."""
    if source == "cube":
        return write_image(tmp_path / "sky.fits", planes), ""
    if source == "extensions":
        return write_extensions(tmp_path / "sky.fits", G=planes[0], R=planes[1], I=planes[2]), ", hdus: [G, 2, I]"
    write_image(tmp_path / "g.fits", planes[1])
    write_image(tmp_path / "b.fits", planes[2])
    return write_image(tmp_path / "sky.fits", planes[0]), ", files: [g.fits, b.fits]"


@pytest.mark.filterwarnings("ignore:All-NaN")
@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_combined_is_extracted_as_if_numpy_had_combined_it(extract, tmp_path, method, source):
    planes = planes_with_holes()
    setting, combine = METHODS[method]
    image, named = write_planes(tmp_path, source, planes)
    ours = extract("ours", f"combine: {{{setting}{named}}}\n" + RESULTS, image)
    told = report(ours / "sky.run.json")
    assert told["input"]["combined"] == NAMES[source] and steps(told)[:2] == ["ingest", "combine"]
    assert told["counts"]["sources"] == 10

    by_numpy = combine(planes.astype(np.float64)).astype(np.float32)
    numpys = extract("numpys", RESULTS, write_image(tmp_path / "by_numpy/sky.fits", by_numpy))
    assert results(numpys) == results(ours)


@pytest.mark.parametrize("method", ["inverse_variance", "chi_square"])
def test_planes_are_weighed_by_their_noise(extract, tmp_path, method):
    planes = np.stack([20 + scale * (field(seed) - 20) for seed, scale in ((1, 1), (2, 3), (3, 0.5))])
    skies = []
    for plane in planes:
        directory = extract("plane", CONSTANT, write_image(tmp_path / "plane.fits", plane))
        clipped = report(directory / "plane.run.json")["background"]["clipped"]
        skies.append((clipped["median"], clipped["sigma"]))
    medians, sigmas = np.array(skies).T[:, :, np.newaxis, np.newaxis]
    deviations = (planes.astype(np.float64) - medians) / sigmas
    combined = ((deviations**2).sum(axis=0) if method == "chi_square"
                else (deviations / sigmas).sum(axis=0) / (1 / sigmas**2).sum())
    ours = extract("ours", f"combine: {{method: {method}}}\n" + RESULTS, write_image(tmp_path / "sky.fits", planes))
    by_numpy = write_image(tmp_path / "by_numpy/sky.fits", combined.astype(np.float32))
    assert results(extract("numpys", RESULTS, by_numpy)) == results(ours)


def test_some_planes_of_a_cube(extract, tmp_path):
    planes = planes_with_holes()
    image = write_image(tmp_path / "sky.fits", planes)
    ours = extract("ours", "combine: {method: median, planes: [3]}\n" + RESULTS, image)
    assert results(extract("third", "input: {plane: 3}\n" + RESULTS, image)) == results(ours)


def test_the_wcs_is_that_of_the_first(extract, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1), **TAN)
    write_image(tmp_path / "more.fits", field(2), **{**TAN, "CRVAL1": 200.0})
    directory = extract("out", "combine: {method: mean, files: [more.fits]}\n" + RESULTS, image)
    assert all(149 < float(row["ALPHA_J2000"]) < 151 for row in rows(directory / "sky.cat.csv"))


# Lopsided, so that a kernel that is not turned or is upside down is noticed.
LOPSIDED = np.array([[1, 2, 1], [2, 4, 8], [0, 2, 0.5]])
ROWS = str(LOPSIDED.tolist())


def write_kernels(tmp_path, kernel):
    (tmp_path / "norm.conv").write_text("CONV NORM\n# a comment\n"
                                        + "".join(" ".join(map(str, row)) + "\n" for row in kernel))
    (tmp_path / "nonorm.conv").write_text((tmp_path / "norm.conv").read_text().replace("NORM", "NONORM", 1))
    write(tmp_path / "kernel.fits", image_hdu(kernel, -64))


def convolved(image, kernel, sky):
    """About the sky, which is what lies beyond the edges."""
    height, width = kernel.shape
    padded = np.pad(image.astype(np.float64) - sky, ((height // 2, height // 2), (width // 2, width // 2)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape)
    return sky + np.einsum("yxji,ji->yx", windows, kernel[::-1, ::-1])


def check_convolved(directory, image, kernel):
    """The segmentation is what is above the level in the convolved image; fluxes are those of the image itself."""
    told = report(directory / "sky.run.json")
    assert "convolve" in steps(told) and "flux" in steps(told)
    level, sky = told["levels"]["detection"], told["levels"]["background"]
    labels = labels_of(directory / "sky.seg.fits")
    above = convolved(image, kernel, told["background"]["clipped"]["median"]) - level
    clear = np.abs(above) > 1e-3
    assert clear.mean() > 0.99 and ((labels > 0) == (above > 0))[clear].all()
    for row in rows(directory / "sky.cat.csv"):
        pixels = image[labels == int(row["NUMBER"])].astype(np.float64)
        assert float(row["FLUX_ISO"]) == pytest.approx((pixels - sky).sum(), rel=1e-12)
        assert float(row["FLUX_MAX"]) == pytest.approx(pixels.max() - sky, rel=1e-12)


@pytest.mark.parametrize("unit", ["sigma", "detection_sigma"])
def test_a_kernel_is_the_same_wherever_it_comes_from(extract, tmp_path, unit):
    image = field(1)
    path = write_image(tmp_path / "sky.fits", image)
    write_kernels(tmp_path, LOPSIDED)
    more = CONSTANT + RESULTS + f"detection: {{min_area: 1, threshold_unit: {unit}}}\n"
    of_values = extract("values", f"convolve: {{kernel: values, values: {ROWS}}}\n" + more, path)
    check_convolved(of_values, image, LOPSIDED / LOPSIDED.sum())
    for file in ("norm.conv", "kernel.fits"):
        of_file = extract("file", f"convolve: {{kernel: file, file: {file}}}\n" + more, path)
        assert results(of_file) == results(of_values)


def test_a_kernel_that_is_not_normalised(extract, tmp_path):
    image = field(1)
    path = write_image(tmp_path / "sky.fits", image)
    write_kernels(tmp_path, LOPSIDED)
    more = CONSTANT + RESULTS + "detection: {min_area: 1}\n"
    of_file = extract("file", "convolve: {kernel: file, file: nonorm.conv}\n" + more, path)
    check_convolved(of_file, image, LOPSIDED)
    for text in (f"kernel: values, values: {ROWS}", "kernel: file, file: kernel.fits"):
        other = extract("other", f"convolve: {{{text}, normalize: false}}\n" + more, path)
        assert results(other) == results(of_file)


RADIUS_SQUARED = np.add.outer(np.arange(-6.0, 7) ** 2, np.arange(-6.0, 7) ** 2)
SHAPES = {
    "gaussian, fwhm: 2.8": np.exp(-RADIUS_SQUARED * 4 * np.log(2) / 2.8**2)[1:-1, 1:-1],
    "gaussian, sigma: 1.4, size: 7": np.exp(-RADIUS_SQUARED / 2 / 1.4**2)[3:-3, 3:-3],
    "tophat, radius: 2.5": (RADIUS_SQUARED[4:-4, 4:-4] <= 2.5**2) * 1.0,
    "mexican_hat, sigma: 1.2": (1 - RADIUS_SQUARED / 2 / 1.2**2) * np.exp(-RADIUS_SQUARED / 2 / 1.2**2),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_kernels_by_their_shape(extract, tmp_path, shape):
    image = field(1)
    path = write_image(tmp_path / "sky.fits", image)
    settings = CONSTANT + RESULTS + "detection: {min_area: 1}\n"
    directory = extract("out", f"convolve: {{kernel: {shape}}}\n" + settings, path)
    check_convolved(directory, image, SHAPES[shape] / np.abs(SHAPES[shape]).sum())



def eroded(mask, square):
    """Once; there is nothing beyond the edges."""
    padded = np.pad(mask, 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    element = np.ones((3, 3), bool) if square else np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    return windows[..., element].all(axis=-1)


def dilated(mask, square):
    """Where the complement is not eroded, were there foreground beyond the edges of that."""
    return ~eroded(np.pad(~mask, 1, constant_values=True), square)[1:-1, 1:-1]


@pytest.mark.parametrize("element", ["cross", "square"])
@pytest.mark.parametrize("operation", ["erosion", "opening"])
@pytest.mark.parametrize("iterations", [1, 2])
def test_the_foreground_is_cleaned(extract, tmp_path, operation, element, iterations):
    image = field(1)
    path = write_image(tmp_path / "sky.fits", image)
    threshold = "detection: {threshold: 1.5, min_area: 1}\n"
    morphology = f"morphology: {{operation: {operation}, element: {element}, iterations: {iterations}}}\n"
    directory = extract("out", CONSTANT + morphology + threshold + RESULTS, path)
    told = report(directory / "sky.run.json")
    assert steps(told)[2:5] == ["threshold", "morphology", "label"]
    mask = image.astype(np.float64) > told["levels"]["detection"]
    for _ in range(iterations):
        mask = eroded(mask, element == "square")
    for _ in range(iterations if operation == "opening" else 0):
        mask = dilated(mask, element == "square")
    labels = labels_of(directory / "sky.seg.fits")
    assert np.array_equal(labels > 0, mask) and 0 < labels.max() < 12 and mask.any()


ALL_STAGES = """\
combine: {method: luminosity}
convolve: {kernel: gaussian, fwhm: 2.5, edges: reflect}
morphology: {operation: opening, element: square}
detection: {threshold: 4, threshold_unit: detection_sigma}
difference: {kernel: gaussian, align: wcs, reference_fwhm: 2, new_fwhm: 3}
output: {formats: [fits, ecsv, csv, reg], segmentation: true, quicklook: true}
quicklook: {stretch: equalize, size: 32}
"""


def files(directory):
    return {p.name: p.read_bytes() for p in directory.iterdir() if not p.name.endswith(".run.json")}


def test_every_stage_has_its_time_in_the_report(extract, tmp_path):
    directory = extract("out", ALL_STAGES, write_image(tmp_path / "sky.fits", planes_with_holes()))
    told = report(directory / "sky.run.json")
    assert steps(told) == ["ingest", "combine", "picture", "background", "subtract", "convolve", "filtered noise",
                           "threshold", "morphology", "label", "measure", "flux", "columns", "sky", "warnings", "checksum", "write"]
    assert all(step["seconds"] >= 0 for step in told["execution"]["steps"])
    assert "reference" not in told


def test_the_same_bytes_from_any_number_of_threads(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", planes_with_holes())
    written = []
    for threads in (1, 2, 3):
        done = run(configure(ALL_STAGES), "sky.fits", "--threads", threads, "-o", f"out{threads}")
        assert done.code == 0, done.err
        written.append(files(tmp_path / f"out{threads}"))
    assert set(written[0]) == {"sky.cat.fits", "sky.cat.ecsv", "sky.cat.csv", "sky.reg", "sky.seg.fits", "sky.png"}
    assert written[0] == written[1] == written[2]


def test_the_dumped_configuration_is_the_same_one(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", planes_with_holes())
    (tmp_path / "kernel.conv").write_text("CONV NORM\n1 2 1\n")
    written = []
    for text in (ALL_STAGES, ALL_STAGES.replace("gaussian, fwhm: 2.5", f"values, values: {ROWS}"),
                 ALL_STAGES.replace("gaussian, fwhm: 2.5", "file, file: kernel.conv")):
        dumped = run("--dump-config", configure(text))
        assert dumped.code == 0 and run("--dump-config", configure(dumped.out)).out == dumped.out
        for out, yaml in (("given", text), ("dumped", dumped.out)):
            assert run(configure(yaml), "sky.fits", "-o", out).code == 0
        assert files(tmp_path / "given") == files(tmp_path / "dumped")
        written.append(files(tmp_path / "given"))
        # What the report says is enough, even where the file of the kernel is gone.
        configure(report(tmp_path / "given/sky.run.json")["config_yaml"])
        assert run("config.yaml", "sky.fits", "-o", "reported").code == 0
        assert files(tmp_path / "reported") == files(tmp_path / "given")
    assert written[0] != written[1] != written[2]
