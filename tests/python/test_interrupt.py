"""Ctrl-C ends a call within a second; threads work at the same time; nothing is kept of a call."""
import concurrent.futures
import gc
import os
import pathlib
import resource
import signal
import subprocess
import sys
import textwrap
import time

import numpy
import pytest

import srcextract


def field(seed=7, shape=(200, 250)):
    random = numpy.random.default_rng(seed)
    image = random.normal(20, 3, shape).astype("f4")
    for y, x in random.integers(8, min(shape) - 8, (12, 2)):
        image[y - 2:y + 3, x - 2:x + 3] += 60
    return image


def assert_same(found, expected):
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


ROOT = pathlib.Path(__file__).resolve().parents[2]

# Prints when the work begins and how long it went on after the signal: a crowd that takes one thread several seconds.
INTERRUPTED = """
    import signal, sys, time
    import numpy, srcextract
    random = numpy.random.default_rng(1)
    image = random.normal(20, 3, (SIDE, SIDE)).astype("f4")
    stamp = numpy.exp(-((numpy.mgrid[-6:7, -6:7] / 2.0)**2).sum(0) / 2).astype("f4")
    for y, x in random.integers(6, SIDE - 7, (SIDE * SIDE // 200, 2)):
        image[y - 6:y + 7, x - 6:x + 7] += stamp * random.uniform(30, 600)
    small = numpy.ascontiguousarray(image[:300, :300])
    extractor = srcextract.Extractor("CONFIG", backend="cpu", threads=1)
    expected = extractor(small)
    assert len(expected) > 20
    told = []
    def handler(number, frame):
        told.append(time.monotonic())
        signal.default_int_handler(number, frame)  # Python's own; that of a job in the background is to ignore it
    signal.signal(signal.SIGINT, handler)
    print("begins", flush=True)
    begin = time.monotonic()
    try:
        WORK
        print("never interrupted, in", time.monotonic() - begin)
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - begin, time.monotonic() - told[0], flush=True)
    again = extractor(small)
    assert all((again[name] == expected[name]).all() for name in ("X_IMAGE", "FLUX_ISO"))
    print("again", len(again), flush=True)
"""


def interrupt(work, after, side=8000):
    script = textwrap.dedent(INTERRUPTED).replace("WORK", work).replace("SIDE", str(side))
    script = script.replace("CONFIG", str(ROOT / "config" / "sextractor.yaml"))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout.readline().strip() == "begins", process.stderr.read()
        time.sleep(after)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        line = process.stdout.readline().split()
        waited = time.monotonic() - sent
        rest = process.stdout.read()
        errors = process.stderr.read()
    assert line and line[0] == "interrupted", (line, rest, errors)
    assert "again" in rest, errors
    print(f"{work}: interrupted after {after} s, it ended {waited:.3f} s later")
    return waited


@pytest.mark.parametrize("after", [0.05, 0.3, 1, 2, 3])
def test_an_interrupt_ends_a_call_within_a_second(after):
    assert interrupt("extractor(image)", after) < 1


# Of srcextract.sep, on one thread: each takes several seconds.
PLACES = "n = {count}; x, y = random.uniform(50, SIDE - 50, (2, n)); r = numpy.full(n, {radius}); sep.set_threads(1); "
OF_SEP = {
    "extract": "sep.set_threads(1); sep.extract(image, 24.0, deblend_cont=1e-5, segmentation_map=True)",
    "Background": "sep.set_threads(1); sep.Background(image, bw=2, bh=2, fw=15, fh=15)",
    "sum_circle": PLACES.format(count=200_000, radius=150.0) + "sep.sum_circle(image, x, y, r)",
    "large circles": PLACES.format(count=200, radius=5000.0) + "sep.sum_circle(image, x, y, r, mask=image > 1e9)",
    "kron_radius": PLACES.format(count=200_000, radius=100.0) + "sep.kron_radius(image, x, y, r, r, 0 * r, 1.0)",
    "flux_radius": PLACES.format(count=20_000, radius=100.0) + "sep.flux_radius(image, x, y, r, 0.5)",
    "winpos": PLACES.format(count=100_000, radius=20.0) + "sep.winpos(image, x, y, r)",
    "mask_ellipse": PLACES.format(count=20_000, radius=400.0) + ("sep.mask_ellipse(numpy.zeros(image.shape, bool), x, y, r, "
                                                                  "r, 0 * r, 1.0)"),
}


@pytest.mark.parametrize("function", OF_SEP)
def test_an_interrupt_ends_what_sep_calls_within_a_second(function):
    assert interrupt("import srcextract.sep as sep; " + OF_SEP[function], 0.5, side=6000) < 1


def test_an_interrupt_ends_the_work_on_files_within_a_second(tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    fits.PrimaryHDU(field(shape=(3000, 3000))).writeto(tmp_path / "large.fits")
    work = (f"list(srcextract.extract_many([{str(tmp_path / 'large.fits')!r}] * 200, backend='cpu', threads=2, "
            "progress=False))")
    assert interrupt(work, 1.0, side=300) < 1


def test_a_handler_that_does_not_raise_ends_nothing():
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        image = field(shape=(1500, 1500))
        expected = srcextract.extract(image, backend="cpu")
        os.kill(os.getpid(), signal.SIGUSR1)
        assert_same(srcextract.extract(image, backend="cpu"), expected)
        assert heard
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("side", [200, 700])
def test_threads_at_the_same_time(shared, side):
    images = [field(seed, (side, side + 50)) for seed in range(8)]
    expected = [srcextract.extract(image, backend="cpu") for image in images]
    common = srcextract.Extractor(backend="cpu", threads=2)

    def work(number):
        extractor = common if shared else srcextract.Extractor(backend="cpu", threads=1)
        for _ in range(5):
            assert_same(extractor(images[number]), expected[number])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_the_interpreter_goes_on_meanwhile():
    """Another thread counts while an image is extracted: it would not with the GIL held."""
    image = field(shape=(3000, 3000))
    extractor = srcextract.Extractor(backend="cpu", threads=1)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(extractor, image)
        turns = 0
        while not running.done():
            turns += 1
            time.sleep(0.001)
    assert turns > 10


def test_ten_thousand_calls_keep_nothing():
    image = field(shape=(40, 40))
    mask = numpy.zeros(image.shape, bool)
    extractor = srcextract.Extractor(backend="cpu", threads=1, mask__hdu="MASK")

    def some(count):
        for _ in range(count):
            found = extractor(image, mask=mask)
            found["X_IMAGE"]
        del found
        gc.collect()
        return (sys.getrefcount(image), sys.getrefcount(mask)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    some(1000)
    references, memory = some(100)
    later, grown = some(9000)
    assert later == references
    assert grown - memory < 4 * 1024  # KB


def test_an_error_of_the_work_arrives_from_its_thread():
    with pytest.raises(srcextract.InputError):
        srcextract.extract(numpy.full((900, 900), numpy.nan), backend="cpu")


def test_what_says_that_it_lies_on_a_gpu_and_does_not():
    class Lies:
        __cuda_array_interface__ = {"data": (4096, False), "shape": (50, 50), "typestr": "<f4", "version": 3,
                                    "stream": None}

    with pytest.raises((srcextract.DeviceError, srcextract.InputError)):
        srcextract.extract(Lies())


def test_memory_that_dlpack_lends():
    class Lends:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

    image = field()
    expected = srcextract.extract(image)
    references = sys.getrefcount(image)
    assert_same(srcextract.extract(Lends(image)), expected)
    assert_same(srcextract.extract(Lends(image[::-1, ::2])), srcextract.extract(image[::-1, ::2]))
    gc.collect()
    assert sys.getrefcount(image) == references


AT_WORK_AT_THE_END = """
import sys, threading, time, numpy, srcextract, srcextract.sep
image = numpy.random.default_rng(0).normal(100, 5, (700, 700)).astype("f4")
call = {"extract": lambda: srcextract.extract(image), "background": lambda: srcextract.background(image),
        "sep": lambda: srcextract.sep.Background(image), "path": lambda: srcextract.extract(sys.argv[2]),
        "many": lambda: list(srcextract.extract_many([sys.argv[2]] * 3, progress=False))}[sys.argv[1]]
begun = threading.Event()
def work():
    while True:
        call()
        begun.set()
threading.Thread(target=work, daemon=True).start()
begun.wait()
"""


@pytest.mark.parametrize("call", ["extract", "background", "sep", "path", "many"])
def test_python_ends_while_a_daemon_is_at_work(call, sky_path):
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", AT_WORK_AT_THE_END, call, str(sky_path)], capture_output=True,
                              text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


FORKED = """
import os, sys, srcextract
list(srcextract.extract_many([sys.argv[1]], progress=False))
images = srcextract.extract_many([sys.argv[1]] * 50, progress=False)
next(iter(images))
if os.fork() == 0:
    sys.exit(0)
_, status = os.wait()
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_child_of_fork_ends(sky_path):
    """It has none of the threads of extract_many, and waits for none."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED, str(sky_path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
