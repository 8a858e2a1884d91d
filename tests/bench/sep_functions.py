"""Every function of srcextract.sep beside SEP's, photutils beside a pipeline of them, on one thread and on one image in memory.

    PYTHONPATH=build/python python tests/bench/sep_functions.py [--sizes 1024 2048] [--densities 1000 20000] [--runs 3] [--photutils]

`scripts/bench.sh --only sep` prints the same. Times are of the processor: of each function the least of several runs, both in turn.
"""
import argparse
import pathlib
import sys
import time

import numpy

import photutils_steps
from tables import Row, amount, faster, print_table, skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import make_field  # noqa: E402

CASES = [(1024, 1000), (2048, 1000), (2048, 5000), (1024, 20000), (2048, 20000), (4096, 1000)]
TOGETHER = {"Background + extract + apertures": (["Background", "data - sky", "extract", "sum_circle", "sum_ellipse"], 5),
            "eight functions of a pipeline": (["Background", "data - sky", "extract", "sum_circle", "kron_radius", "sum_ellipse",
                                              "flux_radius", "winpos"], 3)}
WANTED = {"flux_radius": 2, "winpos": 2}
FIRST_PIXSTACK = 300000


def functions(sep, image):
    """(name, seconds of the processor) of every function, in the order of a pipeline, and the number of objects."""
    times = {}

    def timed(name, call):
        begin = time.process_time()
        result = call()
        times[name] = time.process_time() - begin
        return result

    sky = timed("Background", lambda: sep.Background(image))
    timed("back", sky.back)
    timed("rms", sky.rms)
    above = timed("data - sky", lambda: image - sky)
    noise = sky.globalrms
    found, segments = timed("extract, map", lambda: sep.extract(above, 1.5, err=noise, segmentation_map=True))
    timed("extract, noise of each pixel", lambda: sep.extract(above, 1.5, err=numpy.full_like(above, noise)))
    found = timed("extract", lambda: sep.extract(above, 1.5, err=noise))
    x, y, a, b, theta = (found[name] for name in ("x", "y", "a", "b", "theta"))
    theta = numpy.clip(theta, -numpy.pi / 2, numpy.pi / 2)
    own = {"segmap": segments, "seg_id": numpy.arange(1, len(found) + 1, dtype="i4")}
    mask = numpy.zeros(image.shape, bool)
    timed("sum_circle", lambda: sep.sum_circle(above, x, y, 3.0, err=noise))
    timed("sum_circle, exact", lambda: sep.sum_circle(above, x, y, 3.0, err=noise, subpix=0))
    timed("sum_circle, mask", lambda: sep.sum_circle(above, x, y, 3.0, err=noise, mask=mask))
    timed("sum_circle, map", lambda: sep.sum_circle(above, x, y, 3.0, err=noise, **own))
    timed("sum_circle, ring of sky", lambda: sep.sum_circle(above, x, y, 3.0, err=noise, bkgann=(6.0, 8.0)))
    timed("sum_circann", lambda: sep.sum_circann(above, x, y, 6.0, 8.0, err=noise))
    timed("sum_ellipann", lambda: sep.sum_ellipann(above, x, y, a, b, theta, 2.0, 4.0, err=noise))
    kron, _ = timed("kron_radius", lambda: sep.kron_radius(above, x, y, a, b, theta, 6.0))
    timed("kron_radius, map", lambda: sep.kron_radius(above, x, y, a, b, theta, 6.0, **own))
    flux, _, _ = timed("sum_ellipse", lambda: sep.sum_ellipse(above, x, y, a, b, theta, 2.5 * kron, err=noise, subpix=1))
    timed("sum_ellipse, 5 x 5", lambda: sep.sum_ellipse(above, x, y, a, b, theta, 2.5 * kron, err=noise))
    timed("sum_ellipse, exact", lambda: sep.sum_ellipse(above, x, y, a, b, theta, 2.5 * kron, err=noise, subpix=0))
    timed("sum_ellipse, map", lambda: sep.sum_ellipse(above, x, y, a, b, theta, 2.5 * kron, err=noise, subpix=1, **own))
    half, _ = timed("flux_radius", lambda: sep.flux_radius(above, x, y, 6.0 * a, 0.5, normflux=flux, subpix=5))
    timed("flux_radius, map", lambda: sep.flux_radius(above, x, y, 6.0 * a, 0.5, normflux=flux, subpix=5, **own))
    sigma = numpy.clip(2 / 2.35 * half, 0.4, 10)
    timed("winpos", lambda: sep.winpos(above, x, y, sigma))
    timed("winpos, mask", lambda: sep.winpos(above, x, y, sigma, mask=mask))
    form = timed("ellipse_coeffs", lambda: sep.ellipse_coeffs(a, b, theta))
    timed("ellipse_axes", lambda: sep.ellipse_axes(*form))
    timed("mask_ellipse", lambda: sep.mask_ellipse(mask, x, y, a, b, theta, 3.0))
    timed("subfrom", lambda: sky.subfrom(above))
    return times, len(found)


def room_for(sep, image):
    """Gives SEP's buffer of pixels the least of 300000 x 2^n that is enough: a larger one takes longer."""
    sky = sep.Background(image)
    above, size = image - sky, FIRST_PIXSTACK
    sep.set_sub_object_limit(100000)
    while True:
        sep.set_extract_pixstack(size)
        try:
            return sep.extract(above, 1.5, err=sky.globalrms)
        except Exception as error:
            if "pixel buffer full" not in str(error):
                raise
            size *= 2


def compared(ours, sep, image, runs):
    """{name: (seconds of ours, of SEP)}, the least of several runs."""
    room_for(sep, image)
    ours.set_threads(1)
    best = {}
    for _ in range(runs):
        both = [functions(module, image) for module in (ours, sep)]
        for name in both[0][0]:
            taken = numpy.array([times[name] for times, _ in both])
            best[name] = numpy.minimum(best.get(name, taken), taken)
    return best, [count for _, count in both]


def rows_of(ours, sep, size, density, runs, with_photutils):
    image = make_field(size, size, per_mpix=density)
    best, counts = compared(ours, sep, image, runs)
    what = f"{size}², {density}/Mpixel"
    for name, (mine, theirs) in best.items():
        yield faster(f"{name}, {what}", 1e3 * mine, 1e3 * theirs, WANTED.get(name, 1))
    for name, (parts, least) in TOGETHER.items():
        mine, theirs = sum(best[part] for part in parts)
        yield faster(f"**{name}**, {what}", 1e3 * mine, 1e3 * theirs, least)
    if with_photutils:
        yield photutils_row(best, image, what)
    yield Row(f"objects, {what}", peer=str(counts[1]), ours=str(counts[0]))


def photutils_row(best, image, what):
    """Its detect_sources, deblend_sources and SourceCatalog beside extract."""
    try:
        (_, processor), _ = photutils_steps.photometry(image)
    except ImportError as missing:
        return skipped(f"photutils, {what}", str(missing))
    return faster(f"extract beside photutils' detect, deblend, catalogue, {what}", 1e3 * best["extract"][0], 1e3 * processor[2], 30)


def modules():
    """srcextract.sep and SEP; or why not."""
    try:
        import sep
        import srcextract.sep as ours
    except ImportError as missing:
        return str(missing)
    return ours, sep


def report(session):
    print_tables([case for case in CASES if case[0] <= session.largest], 3, True)


def print_tables(cases, runs, with_photutils):
    both = modules()
    if isinstance(both, str):
        print_table("SEP's functions", [skipped("srcextract.sep", both)])
        return
    for size, density in cases:
        rows = list(rows_of(*both, size, density, runs, with_photutils and size <= 2048))
        print_table(f"SEP's functions, one thread: SEP {both[1].__version__}, {size}², {density}/Mpixel", rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2048])
    parser.add_argument("--densities", type=int, nargs="+", default=[1000, 20000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--photutils", action="store_true")
    options = parser.parse_args()
    print_tables([(size, density) for size in options.sizes for density in options.densities], options.runs, options.photutils)


if __name__ == "__main__":
    main()
