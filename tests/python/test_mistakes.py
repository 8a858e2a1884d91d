"""Mistakes that newcomers make: each is an exception that says what is wrong and what to do."""
import io
import logging
import pathlib
import pickle
import resource
import subprocess
import sys
import threading

import numpy
import pytest

import srcextract
from srcextract import errors

IMAGE = numpy.random.default_rng(1).normal(100, 5, (90, 80)).astype("f4")


@pytest.mark.parametrize("keys, kind, says", [
    ({"threshold": 3}, TypeError, "section__key.*did you mean .*detection__threshold"),
    ({"detection_threshold": 3}, TypeError, "did you mean detection__threshold\\?"),
    ({"min_aera": 3}, TypeError, "did you mean detection__min_area\\?"),
    ({"nothing_like_it": 3}, TypeError, "as in detection__threshold=3$"),
    ({"detection__treshold": 3}, srcextract.ConfigError, "did you mean 'threshold'"),
    ({"detektion__threshold": 3}, srcextract.ConfigError, "did you mean 'detection'"),
    ({"detection__threshold": "three"}, srcextract.ConfigError, "detection.threshold"),
    ({"detection__threshold": -1}, srcextract.ConfigError, "detection.threshold"),
    ({"detection__threshold": float("nan")}, srcextract.ConfigError, "^detection__threshold=nan.*numbers are finite$"),
    ({"detection__threshold": numpy.float32("inf")}, srcextract.ConfigError, "^detection__threshold=inf.*finite$"),
    ({"detection__threshold": object()}, srcextract.ConfigError, "^detection__threshold=<object.*values are numbers"),
    ({"detection__threshold": 3j}, srcextract.ConfigError, "^detection__threshold=3j.*values are numbers"),
    ({"config": {"detection": {"threshold": float("nan")}}}, srcextract.ConfigError, "^detection.threshold=nan.*finite$"),
    ({"config": {"measurement": {"apertures": [3, 2j]}}}, srcextract.ConfigError, "^measurement.apertures\\[1\\]=2j"),
    ({"config": {"detection.threshold": 3}}, srcextract.ConfigError, "no section.*{'detection': {'threshold': 3}}"),
    ({"config": {"min_area": 3}}, srcextract.ConfigError, "did you mean detection.min_area"),
    ({"config": {"detection": {"treshold": 3}}}, srcextract.ConfigError, "^the configuration: unknown key.*'threshold'"),
    ({"output__columns": ["X_IMGE"]}, srcextract.ConfigError, "did you mean 'X_IMAGE'"),
    ({"backend": "gpu"}, srcextract.ConfigError, "auto, cpu and cuda"),
    ({"config": "no_such.yaml"}, srcextract.ConfigError, "no_such.yaml"),
    ({"config": 3}, TypeError, "path of a YAML file, or a dict"),
    ({"config": [1]}, TypeError, "{'detection': {'threshold': 3}}; not \\[1\\] of the type list"),
    ({"config": {"detection": 3}}, srcextract.ConfigError, "detection"),
    ({"config": {"detection": {"threshold": [1, 2]}}}, srcextract.ConfigError, "threshold"),
    ({"mask": numpy.zeros((3, 3))}, srcextract.InputError, "shape"),
    ({"weight": IMAGE, "error": IMAGE}, srcextract.ConfigError, "one of them"),
    ({"header": "GAIN    = 'µ'"}, srcextract.InputError, "ASCII"),
    ({"reference": numpy.zeros(3)}, srcextract.InputError, "the reference"),
    ({"reference": "gone.fits"}, srcextract.InputError, "gone.fits"),
    ({"positions": "gone.csv"}, srcextract.InputError, "gone.csv"),
    ({"combine__method": "weighted"}, srcextract.SrcextractError, "combine"),
    ({"input__plane": 2}, srcextract.InputError, "no plane 2: it has only one; leave out input.plane"),
    ({"mask": "mask.fits"}, srcextract.InputError, "mask: mask.fits: cannot be read"),
    ({"mask": IMAGE * 1j}, srcextract.InputError, "mask.*complex64"),
    ({"mask": numpy.ones(IMAGE.shape, bool)}, srcextract.InputError, "every pixel is masked"),
    ({"error": IMAGE[:3]}, srcextract.InputError, "error has the shape \\(3, 80\\)"),
    ({"weight": IMAGE * 0}, srcextract.InputError, "every pixel is masked.*weights"),
    ({"header": {"GAIN": 3}}, srcextract.InputError, "header: a dict.*astropy.io.fits.Header"),
    ({"wcs": "CTYPE1"}, srcextract.InputError, "no astropy.wcs.WCS"),
    ({"positions": [1, 2, 3]}, srcextract.InputError, "shape \\(n, 2\\).*list of shape \\(3,\\)"),
    ({"positions": numpy.zeros((2, 5))}, srcextract.InputError, "shape \\(n, 2\\)"),
    ({"positions": numpy.zeros((0, 3))}, srcextract.InputError, "shape \\(n, 2\\)"),
    ({"positions": [[float("nan"), 3]]}, srcextract.InputError, "row 1.*X"),
    ({"backend": None}, srcextract.ConfigError, "'auto', 'cpu' and 'cuda'"),
    ({"device": -1}, srcextract.ConfigError, "device=-1.*from 0"),
    ({"device": "0"}, srcextract.ConfigError, "device='0'"),
    ({"device": [0, 0.5]}, srcextract.ConfigError, "device="),
    ({"device": 99, "backend": "cuda"}, srcextract.DeviceError, "GPU|without the CUDA back end"),
    ({"threads": 0}, srcextract.ConfigError, "threads=0: at least 1"),
    ({"threads": 1.5}, srcextract.ConfigError, "threads=1.5"),
    ({"threads": "2"}, srcextract.ConfigError, "threads='2'"),
    ({"threads": 10**12}, srcextract.ConfigError, "threads=1000000000000"),
])
def test_arguments(keys, kind, says):
    if keys.keys() == {"wcs"}:
        pytest.importorskip("astropy")
    with pytest.raises(kind, match=says):
        srcextract.extract(IMAGE, **keys)


@pytest.mark.parametrize("image, says", [
    (numpy.zeros((2, 3, 4, 5)), "2 axes.*array\\[0, 0\\]"), (numpy.zeros((0, 5)), "no pixels"), ([], "2 axes"),
    (IMAGE * numpy.nan, "every pixel is masked"), (IMAGE * 0, "all equal.*constant"), ({1, 2}, "set is no array.*FITS"),
    (numpy.zeros((9, 4, 3)), "one of its colours, as in array\\[..., 0\\]"),
    (numpy.zeros(5), "2 axes.*reshape"), (numpy.zeros((3, 4, 5)), "2 axes.*array\\[0\\]"),
    (IMAGE.astype(complex), "complex128"), (IMAGE.astype("f2"), "float16"),
    (numpy.array([["a", "b"]]), "type"), ([[1, 2], [3]], "no array"),
    (object(), "no array"), (None, "no array"), (7, "2 axes"), ({"a": 1}, "no array"), (io.StringIO("x"), "'rb'"),
    (b"", "empty"), (b"GIF89a", "FITS"), ("gone.fits", "gone.fits"), (pathlib.Path("gone.fits"), "gone.fits"),
    ("", "no path"), ("a\0b", "no path"), (".", "directory"), (numpy.zeros((4, 4), "O"), "type object"),
    (numpy.zeros((4, 4), "datetime64[s]"), "datetime64"), (numpy.zeros((2, 2), [("x", "f4")]), "type"),
])
def test_images(image, says):
    with pytest.raises(srcextract.InputError, match=says):
        srcextract.extract(image)


def test_a_device_that_is_named_may_be_one_of_numpys_numbers():
    for device in 0, numpy.int64(0), [0], range(1), numpy.array([0]):
        assert srcextract.Extractor(backend="cpu", device=device, threads=numpy.int32(1))(IMAGE).backend == "cpu"


@pytest.mark.parametrize("shape", [(0, 90, 80), (3, 0, 80), (2, 0, 4, 5)])
def test_stacks_without_pixels(shape):
    for keys in {"combine__method": "mean"}, {"input__plane": 2}:
        with pytest.raises(srcextract.InputError, match="no pixels"):
            srcextract.extract(numpy.zeros(shape, "f4"), **keys)


@pytest.mark.parametrize("planes", [None, 7, IMAGE, IMAGE[0]])
def test_one_plane_is_not_several(planes):
    with pytest.raises(srcextract.InputError, match="planes: several images.*combine\\(\\[first, second\\]\\)"):
        srcextract.combine(planes)


class Lost:
    """An array whose GPU had a fault, as PyTorch's are."""

    def __init__(self, error):
        self.error = error

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        raise self.error


def test_a_path_that_leads_nowhere_says_where_it_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(srcextract.InputError, match="sky.fits: cannot open the file: No such file.*; the path begins at .*") as raised:
        srcextract.extract("sky.fits")
    assert str(raised.value).endswith(str(tmp_path))
    with pytest.raises(srcextract.InputError, match="No such file or directory$"):
        srcextract.extract(tmp_path / "sky.fits")


def test_what_an_owner_says_of_its_memory_is_passed_on():
    with pytest.raises(srcextract.DeviceError, match="the image: .*illegal memory access.*only a new process"):
        srcextract.extract(Lost(RuntimeError("CUDA error: an illegal memory access was encountered")))
    with pytest.raises(srcextract.InputError, match="the image: .*use tensor.detach"):
        srcextract.extract(Lost(BufferError("Can't export tensors that require gradient, use tensor.detach()")))


def test_options_of_the_command_are_arguments_here(program, sky_path, tmp_path):
    """The command's own words stay what they are."""
    out = tmp_path / "shard"
    subprocess.run([program, "batch", "-q", "--shard", "1/2", "-o", out, "config/default.yaml", sky_path, sky_path.with_name(
        "sky_subtracted.fits")], cwd=sky_path.parents[1], check=True)
    with pytest.raises(srcextract.SrcextractError, match="partial=True") as raised:
        srcextract.merge(out, tmp_path / "all.fits")
    said = subprocess.run([program, "merge", out, "-o", tmp_path / "all.fits"], capture_output=True, text=True, check=False)
    assert "--partial" in said.stderr and "--" not in str(raised.value)
    faint, bright = tmp_path / "faint.ecsv", tmp_path / "bright.ecsv"
    for path, threshold in (faint, 3), (bright, 9):
        srcextract.extract(sky_path, detection__threshold=threshold).write(path)
    assert "--" not in str(srcextract.compare(faint, bright)).replace("---", "")


def test_without_a_gpu_nobody_is_told_of_options():
    for fails in (lambda: srcextract.extract(IMAGE, backend="cuda"),
                  lambda: next(srcextract.extract_many([IMAGE], backend="cuda", progress=False))):
        try:
            found = fails()
        except srcextract.DeviceError as error:
            said = str(error)
        else:
            if found:
                pytest.skip("there is a GPU")
            said = str(found.error)
        assert "backend='cpu'" in said and "--" not in said


@pytest.mark.parametrize("images", ["gone.fits", pathlib.Path("gone.fits"), b"SIMPLE", IMAGE, None, 7])
def test_one_image_is_not_many(images):
    with pytest.raises(TypeError, match="several images.*extract takes one"):
        srcextract.extract_many(images, progress=False)


def test_what_is_no_catalogue_is_not_compared_or_merged(tmp_path):
    with pytest.raises(srcextract.InputError, match="the reference: a ndarray is no catalogue"):
        srcextract.compare(IMAGE, IMAGE)
    with pytest.raises(srcextract.InputError, match="there is none to merge"):
        srcextract.merge([], tmp_path / "merged.fits")
    assert not list(tmp_path.iterdir())


def test_positions_in_an_array_need_numpy_alone():
    """As one without astropy has it: what is imported is told."""
    script = """
import sys
sys.modules["astropy"] = None
import numpy, srcextract
image = numpy.random.default_rng(1).normal(100, 5, (90, 80))
places = numpy.array([[40.5, 30.25], [12, 80], [1, 1]])
found = srcextract.extract(image, positions=places)
assert numpy.array_equal(numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]), places + 1), found["X_IMAGE"]
assert numpy.array_equal(srcextract.extract(image, positions=places.tolist())["X_IMAGE"], places[:, 0] + 1)
for call in (lambda: srcextract.extract(image, positions={"X": [1.0], "Y": [2.0]}), lambda: found.table,
             lambda: srcextract.difference(image, image, difference__kernel="gaussian"), lambda: srcextract.compare(found, found)):
    try:
        call()
    except ImportError as error:
        assert "pip install astropy" in str(error), error
    else:
        raise AssertionError("astropy was there")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_text_file_is_no_image(tmp_path):
    (tmp_path / "notes.fits").write_text("seeing was bad\n" * 400)
    for image in (tmp_path / "notes.fits", open(tmp_path / "notes.fits", "rb")):
        with pytest.raises(srcextract.InputError, match="FITS"):
            srcextract.extract(image)
    with open(tmp_path / "notes.fits") as text, pytest.raises(srcextract.InputError, match="'rb'"):
        srcextract.extract(text)
    (tmp_path / "empty.fits").write_bytes(b"")
    with pytest.raises(srcextract.InputError, match="empty"):
        srcextract.extract(tmp_path / "empty.fits")


def test_a_header_without_a_wcs_gives_no_positions_on_the_sky_and_no_error():
    fits = pytest.importorskip("astropy.io.fits")
    found = srcextract.extract(IMAGE, header=fits.Header([("OBJECT", "M31")]), detection__threshold=2,
                               detection__min_area=1)
    assert len(found) > 0 and found.wcs is None
    assert "ALPHA_J2000" not in found or not numpy.isfinite(found["ALPHA_J2000"]).any()


def test_a_column_that_is_not_there_names_those_that_are():
    found = srcextract.extract(IMAGE, {"extends": "none"})
    with pytest.raises(KeyError, match="FLUX_AUTO.*output.columns"):
        found["FLUX_AUTO"]
    with pytest.raises(KeyError, match="did you mean 'X_IMAGE'"):
        found["x_image"]
    with pytest.raises(KeyError, match="did you mean 'Y_IMAGE'"):
        found["X_IMAGE", "Y_IMGE"]
    with pytest.raises(srcextract.SrcextractError, match="unknown|ending|format"):
        found.write("found.jpeg")
    with pytest.raises(srcextract.ConfigError, match="no format"):
        found.write("found.fits", format="excel")
    with pytest.raises(srcextract.OutputError, match="no_such_directory"):
        found.write("no_such_directory/found.fits")


def test_what_a_path_cannot_have_beside_it(sky_path):
    with pytest.raises(srcextract.InputError, match="mask has the shape"):
        srcextract.extract(sky_path, mask=IMAGE)
    with pytest.raises(srcextract.InputError, match="gone.fits: cannot be read"):
        srcextract.extract("gone.fits", mask=IMAGE)


def test_without_a_gpu_cuda_is_a_device_error():
    try:
        found = srcextract.extract(IMAGE, backend="cuda")
    except srcextract.DeviceError as error:
        assert isinstance(error, RuntimeError) and str(error)
    else:
        assert found.backend == "cuda"
    assert srcextract.extract(IMAGE, backend="cpu").backend == "cpu"


def test_every_exception_is_ours_and_pythons_and_can_be_pickled():
    nearest = {"ConfigError": ValueError, "InputError": ValueError, "OutputError": OSError, "StorageError": OSError,
               "OutOfMemoryError": MemoryError, "DeviceError": RuntimeError, "WorkerError": RuntimeError,
               "InternalError": RuntimeError}
    for name, python in nearest.items():
        kind = getattr(errors, name)
        assert issubclass(kind, python) and issubclass(kind, srcextract.SrcextractError)
        again = pickle.loads(pickle.dumps(kind("what, why, and what to try")))
        assert type(again) is kind and str(again) == "what, why, and what to try"


def test_what_a_threshold_decided_is_not_asked_for_otherwise():
    image = numpy.random.default_rng(3).normal(100, 5, (90, 90)).astype("f4")
    image[50:54, 50:54] += 100
    sky = srcextract.background(image, method="constant")
    labels = srcextract.label(srcextract.threshold(image, sky))
    for keys in {"reference": "zero"}, {"detection__threshold": 3}:
        with pytest.raises(srcextract.ConfigError, match="threshold\\("):
            srcextract.measure(image, labels, sky, **keys)
    assert len(srcextract.measure(image, labels, sky, reference="background")) == 1
    # Labels that are of no threshold are measured as they are asked to be, and from zero there is more.
    of_others = labels.image.copy()
    from_zero = srcextract.measure(image, of_others, sky, reference="zero")["FLUX_ISO"]
    above = srcextract.measure(image, of_others, sky)["FLUX_ISO"]
    numpy.testing.assert_allclose(from_zero - above, labels.image.astype(bool).sum() * sky.global_level, rtol=1e-6)


def test_an_image_that_is_too_large_for_the_machine():
    # A machine that promises more memory than it has would kill the process that takes the 4 TiB.
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**41, hard))
    try:
        with pytest.raises(srcextract.OutOfMemoryError, match="not enough memory"):
            srcextract.background(numpy.broadcast_to(numpy.uint8(1), (2**20, 2**20)))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_every_thread_logs_its_own_images():
    fits = pytest.importorskip("astropy.io.fits")
    contents = io.BytesIO()
    header = fits.Header({"CTYPE1": "RA---QQQ", "CTYPE2": "DEC--QQQ"})
    fits.PrimaryHDU(numpy.random.default_rng(1).normal(100, 5, (60, 60)).astype("f4"), header).writeto(contents)
    records = []

    class Kept(logging.Handler):
        def emit(self, record):
            records.append((threading.current_thread().name, record.getMessage()))

    handler, logger = Kept(), logging.getLogger("srcextract")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        def work():
            for _ in range(40):
                srcextract.extract(contents.getvalue(), name=threading.current_thread().name)

        threads = [threading.Thread(target=work, name=f"image{number}") for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert len(records) >= 160
    assert [record for record in records if record[0] not in record[1]] == []
