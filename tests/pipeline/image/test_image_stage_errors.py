"""Image stages that cannot be: every message begins with the place in the configuration, or the file, that is wrong,
and nothing is written."""

import pytest

np = pytest.importorskip("numpy")

from fits_files import hdu
from stage_images import field, image_hdu, write_extensions, write_image


def with_value(shape, value):
    kernel = np.ones(shape)
    kernel[-1, 0] = value
    return kernel


KERNEL_FILES = {
    "ragged.conv": "CONV NORM\n1 2 1\n2 4\n1 2 1\n",
    "word.conv": "CONV NORM\n# of what\n1 2 1\n2 x 1\n1 2 1\n",
    "nan.conv": "CONV NORM\n1 nan 1\n",
    "headless.conv": "1 2 1\n",
    "even.conv": "CONV NORM\n1 2\n3 4\n",
    "zero.conv": "CONV NONORM\n0 0 0\n",
    "valueless.conv": "CONV NORM\n",
    "empty.conv": "",
    "even.fits": image_hdu(np.ones((3, 4)), -64),
    "zero.fits": image_hdu(np.zeros((3, 3), int), 16),
    "nan.fits": image_hdu(with_value((3, 3), np.nan)),
    "large.fits": image_hdu(np.ones((65, 65))),
    "cube.fits": image_hdu(np.ones((3, 3, 3))),
    "truncated.fits": image_hdu(np.ones((3, 3)))[:-2880],
    "headers.fits": hdu((), 8),
}
# What is said after the place of convolve.file.
KERNEL_FILE_PROBLEMS = {
    "ragged.conv": "the kernel in ragged.conv must have rows of one length",
    "word.conv": "word.conv:4: 'x' is no finite number",
    "nan.conv": "nan.conv:2: 'nan' is no finite number",
    "headless.conv": "headless.conv:1: no kernel file",
    "even.conv": "the kernel in even.conv must have odd sides, not 2 x 2",
    "zero.conv": "the kernel in zero.conv must not all be zero",
    "valueless.conv": "the kernel in valueless.conv must have at least one value",
    "empty.conv": "empty.conv:1: no kernel file",
    "even.fits": "the kernel in even.fits must have odd sides, not 4 x 3",
    "zero.fits": "the kernel in zero.fits must not all be zero",
    "nan.fits": "HDU 0 of nan.fits: pixel (1, 3) is no finite number",
    "large.fits": "the kernel in large.fits must have sides of at most 63 values, not 65 x 65",
    "cube.fits": "HDU 0 of cube.fits is a cube",
    "truncated.fits": "HDU 0 of truncated.fits is truncated",
    "headers.fits": "headers.fits: ",
    "missing.conv": "missing.conv: cannot open the file",
    ".": ".: ",
}


def check_refused(run, tmp_path, code, beginning, message=""):
    before = sorted(tmp_path.rglob("*"))
    done = run("config.yaml", "sky.fits", "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == code, done.err
    assert done.out == "" and len(errors) == 1
    assert errors[0].startswith("error: " + beginning) and message in errors[0]
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before] in ([], [tmp_path / "out"])


@pytest.mark.parametrize("name", KERNEL_FILE_PROBLEMS)
def test_a_file_that_holds_no_kernel(run, configure, tmp_path, name):
    write_image(tmp_path / "sky.fits", field(1))
    if name in KERNEL_FILES:
        content = KERNEL_FILES[name]
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    configure(f"convolve:\n  kernel: file\n  file: {name}\n")
    check_refused(run, tmp_path, 2, "config.yaml:3:9: " + KERNEL_FILE_PROBLEMS[name])


def test_a_kernel_file_that_may_not_be_read(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", field(1))
    (tmp_path / "kernel.conv").write_text("CONV NORM\n1 2 1\n")
    (tmp_path / "kernel.conv").chmod(0)
    try:
        (tmp_path / "kernel.conv").read_bytes()
        pytest.skip("root: it may read everything")
    except PermissionError:
        pass
    configure("convolve:\n  kernel: file\n  file: kernel.conv\n")
    check_refused(run, tmp_path, 2, "config.yaml:3:9: kernel.conv: cannot open the file: Permission denied")


CONFIG_PROBLEMS = {
    # What stands in the section, the place, and what is wrong there.
    "kernel: values\n  values: [[1, 2], [2, 1]]": ("3:11", "must have odd sides, not 2 x 2"),
    "kernel: values\n  values: [[0, 0, 0]]": ("3:11", "must not all be zero"),
    "kernel: values\n  values: [[1, 2, 1], [1, 2]]": ("3:11", "must have rows of one length"),
    "kernel: values\n  values:\n  - [1, 2, 1]\n  - [1, .nan, 1]": ("5:9", "it must be finite"),
    "kernel: values\n  values: [[1, x, 1]]": ("3:16", "must be a number, not 'x'"),
    "kernel: values\n  values: 3": ("3:11", "must be a list"),
    "kernel: values": ("2:11", "needs convolve.values"),
    "kernel: file": ("2:11", "needs convolve.file"),
    "kernel: gaussian": ("2:11", "needs convolve.fwhm or convolve.sigma"),
    "kernel: gaussian\n  fwhm: 3\n  sigma: 1": ("2:11", "not both"),
    "kernel: gaussian\n  fwhm: 3\n  size: 4": ("4:9", "must be odd"),
    "kernel: gaussian\n  fwhm: 3\n  size: 65": ("4:9", "must be at most 63"),
    "kernel: gaussian\n  fwhm: 40": ("3:9", "too large for a kernel of 63 pixels"),
    "kernel: gausian\n  fwhm: 3": ("2:11", "did you mean 'gaussian'?"),
    "kernel: tophat\n  fwhm: 3": ("2:11", "needs convolve.radius"),
    "fwhm: 3": ("2:9", "no use but with convolve.kernel gaussian"),
}


@pytest.mark.parametrize("text", CONFIG_PROBLEMS)
def test_a_kernel_that_is_none(run, configure, tmp_path, text):
    place, message = CONFIG_PROBLEMS[text]
    write_image(tmp_path / "sky.fits", field(1))
    configure(f"convolve:\n  {text}\n")
    check_refused(run, tmp_path, 2, f"config.yaml:{place}: ", message)


@pytest.mark.parametrize("kernel, size", [("gaussian\n  fwhm: 3", "13 x 13"), ("tophat\n  radius: 9", "19 x 19"),
                                          ("values\n  values: [[1, 2, 3, 4, 3, 2, 1, 0, 0, 0, 0]]", "11 x 1")])
def test_a_kernel_that_is_larger_than_the_image(run, configure, tmp_path, kernel, size):
    write_image(tmp_path / "sky.fits", field(1, 40, 10))
    configure(f"convolve:\n  kernel: {kernel}\n")
    check_refused(run, tmp_path, 2, "sky.fits: config.yaml:2:11: ", f"{size} pixels, is larger than the image")


def test_an_image_that_the_kernel_does_not_fit_does_not_stop_the_others(run, configure, tmp_path):
    write_image(tmp_path / "small.fits", field(1, 10, 10))
    write_image(tmp_path / "sky.fits", field(1))
    configure("convolve: {kernel: gaussian, fwhm: 3}\noutput: {formats: [csv]}\n")
    done = run("config.yaml", "small.fits", "sky.fits", "-o", "out")
    assert done.code == 2 and "error: small.fits: config.yaml:1:20: " in done.err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["sky.cat.csv", "sky.run.json"]


def write_planes(tmp_path):
    write_image(tmp_path / "sky.fits", np.stack([field(seed) for seed in (1, 2, 3)]))
    write_image(tmp_path / "other.fits", field(2))
    write_image(tmp_path / "small.fits", field(1, 50, 40))


COMBINE_PROBLEMS = {
    # What stands in the section, the exit code, the place, and what is wrong there.
    "method: mean\n  planes: [1, 4]": (3, "3:11", "there is no plane 4 to combine: the image has 3"),
    "method: mean\n  planes: [0, 1]": (2, "3:11", "must hold numbers from 1"),
    "method: mean\n  planes: [1.5]": (2, "3:12", "must be a whole number"),
    "method: luminosity\n  planes: [1, 2]": (2, "3:11", "red, green and blue, but there are 2 planes"),
    "method: luminosity\n  files: [other.fits]": (2, "3:10", "red, green and blue, but there are 2 planes"),
    "method: weighted\n  weights: [1, 2]": (2, "3:12", "2 values, but there are 3 planes"),
    "method: weighted\n  weights: [0, 0, 0]": (2, "3:12", "not all 0"),
    "method: weighted": (2, "2:11", "a weight for each image"),
    "method: mean\n  weights: [1, 2, 3]": (2, "3:12", "no use but with combine.method weighted"),
    "method: mean\n  hdus: [0, X]": (3, "3:9", "no HDU is named 'X'"),
    "method: mean\n  hdus: [0, 9]": (3, "3:9", "there is no HDU 9"),
    "method: mean\n  files: [other.fits, small.fits]": (3, "3:10", "and small.fits is 40 x 50"),
    "method: mean\n  files: [missing.fits]": (3, "3:10", "missing.fits: cannot open the file"),
    "method: mean\n  files: [config.yaml]": (3, "3:10", "config.yaml: not a FITS file"),
    "method: mean\n  files: [other.fits]\n  planes: [1]": (2, "4:11", "cannot be given beside another"),
    "method: mean\n  hdus: [0]\ninput:\n  hdu: all": (2, "3:9", "cannot be given where input.hdu is all"),
    "files: [other.fits]": (2, "2:10", "no use where combine.method is none"),
    "method: average": (2, "2:11", "must be one of none, weighted"),
}


@pytest.mark.parametrize("text", COMBINE_PROBLEMS)
def test_images_that_cannot_be_combined(run, configure, tmp_path, text):
    code, place, message = COMBINE_PROBLEMS[text]
    write_planes(tmp_path)
    configure(f"combine:\n  {text}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == code and done.out == "" and len(errors) == 1
    # What only the image shows to be wrong is said of it.
    of_image = errors[0].startswith("error: sky.fits: ")
    assert errors[0].removeprefix("error: ").removeprefix("sky.fits: ").startswith(f"config.yaml:{place}: ")
    assert message in errors[0] and (of_image or code == 2)
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_extensions_of_different_shape(run, configure, tmp_path):
    write_extensions(tmp_path / "sky.fits", G=field(1), R=field(1, 50, 40))
    configure("combine:\n  method: mean\n  hdus: [G, R]\n")
    check_refused(run, tmp_path, 3, "sky.fits: config.yaml:3:9: HDU G is 61 x 50 pixels and HDU R is 40 x 50")


def test_an_extension_without_pixels(run, configure, tmp_path):
    write_extensions(tmp_path / "sky.fits", G=field(1))
    configure("combine:\n  method: mean\n  hdus: [0, G]\n")
    check_refused(run, tmp_path, 3, "config.yaml:3:9: HDU 0 of sky.fits has no pixels")


def test_only_the_frame_that_lacks_a_plane_is_refused(run, configure, tmp_path):
    write_planes(tmp_path)
    configure("combine: {method: mean, planes: [1, 3]}\noutput: {formats: [csv]}\n")
    done = run("config.yaml", "other.fits", "sky.fits", "-o", "out")
    assert done.code == 3 and "error: other.fits: config.yaml:1:33: there is no plane 3" in done.err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["sky.cat.csv", "sky.run.json"]


def test_too_many_planes(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", np.random.default_rng(0).normal(size=(65, 10, 10)))
    configure("combine:\n  method: median\n")
    check_refused(run, tmp_path, 2, "sky.fits: config.yaml:2:11: ", "64")


DIFFERENCE_PROBLEMS = {
    "reference_fwhm: 3": ("2:19", "difference.new_fwhm"),
    "new_fwhm: 3": ("2:13", "difference.reference_fwhm"),
    "reference_fwhm: 3\n  new_fwhm: 20": ("3:13", "must be at most 18"),
    "reference_fwhm: -3\n  new_fwhm: 3": ("2:19", "must be at least 0"),
    "algn: wcs": ("2:3", "did you mean 'align'?"),
    "align: pixels": ("2:10", "must be one of none, wcs"),
    "interpolation: lanczos": ("2:18", "did you mean 'lanczos3'?"),
    "match_flux: perhaps": ("2:15", "must be true or false"),
}


@pytest.mark.parametrize("text", DIFFERENCE_PROBLEMS)
def test_a_difference_that_cannot_be(run, configure, tmp_path, text):
    place, message = DIFFERENCE_PROBLEMS[text]
    write_image(tmp_path / "sky.fits", field(1))
    configure(f"difference:\n  {text}\n  kernel: gaussian\n")
    check_refused(run, tmp_path, 2, f"config.yaml:{place}: ", message)


def test_widths_whose_kernel_is_larger_than_the_image(run, configure, tmp_path):
    for name in ("reference.fits", "new.fits"):
        write_image(tmp_path / name, field(1))
    configure("difference:\n  reference_fwhm: 2\n  new_fwhm: 18\n  kernel: gaussian\n")
    done = run("difference", "config.yaml", "reference.fits", "new.fits", "-o", "out")
    assert done.code == 2
    assert "error: new.fits: config.yaml:3:13: the kernel, 63 x 63 pixels, is larger than the image" in done.err
    assert not list((tmp_path / "out").iterdir())


def test_the_same_files_are_not_combined_with_both_frames(run, configure, tmp_path):
    for seed, name in enumerate(("reference.fits", "new.fits", "other.fits")):
        write_image(tmp_path / name, field(seed))
    configure("combine:\n  method: mean\n  files: [other.fits]\n")
    done = run("difference", "config.yaml", "reference.fits", "new.fits", "-o", "out")
    assert done.code == 2 and "error: config.yaml:3:10: the same files would be combined with both frames" in done.err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
