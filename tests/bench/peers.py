"""The lesson's four steps on SciPy and on CuPy (lesson.py), timed on the field that srcextract is timed on."""
import sys
import time

import numpy as np

import lesson
from session import tiled_field

PUBLISHED_LIMIT = 8192  # beyond, the published lesson on CuPy takes minutes


def best_steps(runs, steps, xp, ndimage, data, synchronize):
    """{step: ms} of the fastest of so many runs."""
    fastest = None
    for _ in range(runs):
        times = {}

        def timed(step, function):
            synchronize()
            begin = time.perf_counter()
            result = function()
            synchronize()
            times[step] = (time.perf_counter() - begin) * 1e3
            return result

        steps(xp, ndimage, data, timed)
        if fastest is None or sum(times.values()) < sum(fastest.values()):
            fastest = times
    return fastest


def scipy(size, runs=2):
    """{step: ms}, or why not."""
    try:
        from scipy import ndimage
    except ImportError as error:
        return str(error)
    return best_steps(runs, lesson.published, np, ndimage, tiled_field(size), lambda: None)


def reason_of(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def cupy_or_problem():
    try:
        import cupy
        from cupyx.scipy import ndimage
        cupy.cuda.runtime.getDeviceCount()
        return cupy, ndimage
    except Exception as error:  # no CuPy, no driver, no device: each has its own type
        return reason_of(error)


def cupy(sizes):
    """{size: (published, tuned)}, each {step: ms} or None where it takes too long; or why not."""
    found = cupy_or_problem()
    if isinstance(found, str):
        return found
    cp, ndimage = found
    synchronize = cp.cuda.Device().synchronize
    results = {}
    for size in sizes:
        data = cp.asarray(tiled_field(size))
        runs = 3 if size <= 4096 else 2  # the first compiles the kernels
        published = None
        if size <= PUBLISHED_LIMIT:
            published = best_steps(runs, lesson.published, cp, ndimage, data, synchronize)
        results[size] = published, best_steps(runs, lesson.tuned, cp, ndimage, data, synchronize)
        print(f"CuPy at {size}: done", file=sys.stderr, flush=True)
    return results
