"""What SciPy and CuPy have for the image stages, and the time that it takes.

Functions that take `xp`, `signal` and `ndimage` work on either: numpy and scipy's, or cupy and cupyx.scipy's."""
import itertools
import statistics
import time

import numpy as np

import peers

REPETITIONS = 21
PUBLISHED_SIZE, SPACING = 2048, 16
LUMINOSITY = 0.21, 0.71, 0.07
L2_AND_MORE = 256e6  # bytes


def gaussian():
    """The published kernel."""
    x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
    return np.exp(-(x * x + y * y) / 2)


def published_points(dtype):
    """Dirac points."""
    points = np.zeros((PUBLISHED_SIZE, PUBLISHED_SIZE), dtype)
    points[SPACING // 2::SPACING, SPACING // 2::SPACING] = 1
    return points


def convolutions(xp, signal, ndimage, images):
    """{name: call} of ways to convolve the next of some images."""
    images = itertools.cycle(images)
    kernel = xp.asarray(gaussian(), "float32")
    line = kernel[7]

    def twice():
        rows = ndimage.convolve1d(next(images), line, 1, mode="constant")
        return ndimage.convolve1d(rows, line, 0, mode="constant")

    return {"convolve2d": lambda: signal.convolve2d(next(images), kernel, "same"), "convolve1d twice": twice}


def luminosity(red, green, blue):
    return LUMINOSITY[0] * red + LUMINOSITY[1] * green + LUMINOSITY[2] * blue


def equalize(xp, image, bins, limits=None):
    """The histogram between the limits, or between the extremes, and of every pixel the share of those below."""
    if limits is None:
        limits = float(image.min()), float(image.max())
    counts, edges = xp.histogram(image, bins, limits)
    up_to_middle = xp.cumsum(counts) - counts / 2
    middles = (edges[1:] + edges[:-1]) / 2
    grey = xp.interp(image.ravel(), middles, 255 * up_to_middle / image.size)
    return xp.rint(grey).astype("uint8").reshape(image.shape)


class Clock:
    """Of a CuPy: medians, after a call that compiles the kernels and fills the pool of memory."""

    def __init__(self, cp):
        self.cp = cp

    def device_time(self, work):
        """ms between CUDA events; while the device is at the same work for the first time, the second is queued."""
        def once():
            begin, end = self.cp.cuda.Event(), self.cp.cuda.Event()
            work()
            begin.record()
            work()
            end.record()
            end.synchronize()
            return self.cp.cuda.get_elapsed_time(begin, end)

        once()
        return statistics.median(once() for _ in range(REPETITIONS))

    def wall_time(self, work):
        """ms until the device is done."""
        def once():
            self.cp.cuda.Device().synchronize()
            begin = time.perf_counter()
            work()
            self.cp.cuda.Device().synchronize()
            return (time.perf_counter() - begin) * 1e3

        once()
        return statistics.median(once() for _ in range(REPETITIONS))


def cupy_or_problem():
    """(cupy, its signal, its ndimage), or why not."""
    found = peers.cupy_or_problem()
    if isinstance(found, str):
        return found
    try:
        from cupyx.scipy import signal
    except Exception as error:
        return peers.reason_of(error)
    return found[0], signal, found[1]


def device_calls(cp, signal, ndimage, size, field):
    """{stage: {name: call}} on a field that is resident."""
    image = cp.asarray(field)
    images = [image.copy() for _ in range(min(16, max(2, int(L2_AND_MORE / image.nbytes))))]
    ways = convolutions(cp, signal, ndimage, images)
    yield "convolve_general_15", {"convolve2d": ways["convolve2d"]}
    if size < 8192:
        return
    yield "convolve_separable_15", ways
    planes = [image, image + 1, image + 2]
    fused = cp.fuse(luminosity)
    yield "combine_luminosity_of_3", {"plain": lambda: luminosity(*planes), "fused": lambda: fused(*planes)}
    mask = image > 5
    square, cross = cp.ones((3, 3), bool), cp.asarray([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    yield "erode square", {"binary_erosion": lambda: ndimage.binary_erosion(mask, square)}
    yield "erode cross", {"binary_erosion": lambda: ndimage.binary_erosion(mask, cross)}
    limits = float(image.min()), float(image.max())
    yield "picture_equalized", {"": lambda: equalize(cp, image, 4096, limits)}
    yield "picture_equalized_minmax", {"": lambda: equalize(cp, image, 4096)}


def cupy_resident(size, field):
    """{stage: {name: ms, or why not}}; or why not at all."""
    found = cupy_or_problem()
    if isinstance(found, str):
        return found
    cp, signal, ndimage = found
    clock, results = Clock(cp), {}
    for stage, calls in device_calls(cp, signal, ndimage, size, field):
        results[stage] = {}
        for name, call in calls.items():
            try:
                results[stage][name] = clock.device_time(call)
            except Exception as error:  # a version that lacks an argument, or memory: the others still count
                results[stage][name] = peers.reason_of(error)
    cp.get_default_memory_pool().free_all_blocks()
    return results


def published_calls(xp, signal, dtype):
    """{form: (function, its arguments on the host)}: the published cell, and its 1-D form."""
    image, kernel = published_points(dtype), gaussian().astype(dtype)
    return {"general": (lambda image, kernel: signal.convolve2d(image, kernel, "same"), (image, kernel)),
            "row": (xp.convolve, (image.ravel(), kernel.diagonal().copy()))}


def cupy_published():
    """{form: {dtype: (ms resident, ms with transfers)}}, or why not."""
    found = cupy_or_problem()
    if isinstance(found, str):
        return found
    cp, signal, _ = found
    clock, results = Clock(cp), {"general": {}, "row": {}}
    try:
        for dtype in ("float64", "float32"):
            for form, (convolve, arguments) in published_calls(cp, signal, dtype).items():
                resident = [cp.asarray(argument) for argument in arguments]
                results[form][dtype] = (
                    clock.device_time(lambda: convolve(*resident)),
                    clock.wall_time(lambda: cp.asnumpy(convolve(*map(cp.asarray, arguments)))))
    except Exception as error:
        return peers.reason_of(error)
    return results


def scipy_published(runs=3):
    """{form: {dtype: ms of the fastest run}}, with the separable form as ndimage has it; or why not."""
    try:
        from scipy import ndimage, signal
    except ImportError as error:
        return str(error)

    def fastest(call):
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            call()
            times.append((time.perf_counter() - begin) * 1e3)
        return min(times)

    results = {"general": {}, "row": {}, "separable": {}}
    for dtype in ("float64", "float32"):
        for form, (convolve, arguments) in published_calls(np, signal, dtype).items():
            results[form][dtype] = fastest(lambda: convolve(*arguments))
        twice = convolutions(np, signal, ndimage, [published_points(dtype)])["convolve1d twice"]
        results["separable"][dtype] = fastest(twice)
    return results
