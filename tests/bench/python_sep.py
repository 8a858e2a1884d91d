"""srcextract.sep beside SEP, and photutils where it is, on one image in memory: Background, extract, sum_circle, kron_radius
and AUTO.

    PYTHONPATH=build/python python tests/bench/python_sep.py [--size 4096] [--runs 5] [--threads 1 2] [--photutils-runs 3]

Least of several runs of each in turn; and what a call takes of which the work is next to nothing. photutils takes a minute.
"""
import argparse
import pathlib
import sys
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import tiled_field  # noqa: E402

import photutils_steps  # noqa: E402

STEPS = ["Background", "data - bkg", "extract", "sum_circle", "kron_radius", "AUTO"]


def photometry(sep, image):
    """Seconds of each step, of the clock and of the processor, and how many objects there are."""
    times = [(time.perf_counter(), time.process_time())]

    def lap(value):
        times.append((time.perf_counter(), time.process_time()))
        return value

    sky = lap(sep.Background(image))
    above = lap(image - sky)
    objects = lap(sep.extract(above, 1.5, err=sky.globalrms))
    place = objects["x"], objects["y"]
    ellipse = objects["a"], objects["b"], objects["theta"]
    lap(sep.sum_circle(above, *place, 3.0, err=sky.globalrms))
    kron, _ = lap(sep.kron_radius(above, *place, *ellipse, 6.0))
    lap(sep.sum_ellipse(above, *place, *ellipse, 2.5 * kron, err=sky.globalrms, subpix=1))
    return numpy.diff(times, axis=0).T, len(objects)


def call_overhead(sep, calls=2000):
    """Microseconds of a call of which the work is one small circle."""
    image, place = numpy.ones((20, 20), "f4"), numpy.array([10.0])

    def once():
        begin = time.perf_counter()
        for _ in range(calls):
            sep.sum_circle(image, place, place, 1.0)
        return (time.perf_counter() - begin) / calls * 1e6

    return min(once() for _ in range(3))


def least(runs, photometry):
    """Of each step by itself, and the objects; None where there are to be no runs."""
    taken = [photometry() for _ in range(runs)]
    return (numpy.minimum.reduce([times for times, _ in taken]), taken[-1][1]) if taken else None


def photutils_times(image, runs):
    """Those of photutils, and its version; or why there are none."""
    try:
        import photutils
        import scipy  # noqa: F401
    except ImportError as missing:
        return None, f"photutils is not in the table: {missing}"
    return least(runs, lambda: photutils_steps.photometry(image)), f"photutils {photutils.__version__}, of {runs} runs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--photutils-runs", type=int, default=3, help="0 leaves photutils out")
    options = parser.parse_args()
    import sep
    from srcextract import sep as ours

    image = numpy.ascontiguousarray(tiled_field(options.size), dtype="f4")
    ways = {"SEP": (sep, 1), **{f"srcextract, {count} threads": (ours, count) for count in options.threads}}
    best, found = {}, {}
    for _ in range(options.runs):
        for name, (module, threads) in ways.items():
            ours.set_threads(threads)
            taken, found[name] = photometry(module, image)
            best[name] = numpy.minimum(best.get(name, taken), taken)
    peer, told = photutils_times(image, options.photutils_runs)
    if peer:
        best["photutils"], found["photutils"] = peer
    for which, clock in enumerate(("clock", "processor")):
        print(f"{options.size} x {options.size} float32, SEP {sep.__version__}; {told}; ms of the {clock}")
        print(f"{'':24}" + "".join(f"{step:>12}" for step in [*STEPS, "all", "times SEP", "objects"]))
        for name, both in best.items():
            taken, times = both[which], best["SEP"][which].sum() / both[which].sum()
            print(f"{name:24}" + "".join(f"{1e3 * one:12.1f}" for one in [*taken, taken.sum()])
                  + f"{times:12.2f}{found[name]:12}")
    print(f"a call: {call_overhead(ours):.1f} us; SEP {call_overhead(sep):.1f}")


if __name__ == "__main__":
    main()
