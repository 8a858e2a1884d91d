#!/usr/bin/env python3
"""The four steps of config/lesson.yaml beside SciPy's, and CuPy's where there is a GPU, on the same simulated field.

Times are of the steps alone, in the best of several runs, with the image in memory (ours: the stage times that the
program reports). Peak memory is that of the whole process, reading and writing included."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import lesson

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import make_field, write_fits  # noqa: E402

STEPS = {"clip": ["background"], "threshold": ["threshold"], "label": ["label"], "measure": ["measure", "columns"]}
WANTED_RATIO = 30
SCIPY_LIMIT = 4096  # beyond, SciPy takes minutes,
PUBLISHED_LIMIT = 8192  # and so does the published lesson on CuPy

# Starts the program from a process that is small itself: the kernel counts into the peak memory of a program what the
# process had that started it.
LAUNCHER = """
import json, os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), time.perf_counter() - begin, usage.ru_maxrss * 1024]))
"""


class Column:
    """Times of the steps in ms, from the best of several runs."""

    def __init__(self, name):
        self.name, self.steps, self.sources, self.wall, self.memory = name, {}, 0, None, None

    def total(self):
        return sum(self.steps.values())


def run_ours(program, backend, image, directory):
    command = [sys.executable, "-S", "-c", LAUNCHER, program, "-q", "--backend", backend, "-o", directory,
               ROOT / "config" / "lesson.yaml", image]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    code, wall, memory = json.loads(done.stdout)
    if code != 0:
        raise RuntimeError(done.stderr.strip())
    report = json.loads((directory / f"{image.stem}.run.json").read_text())
    stages = {step["step"]: step["seconds"] * 1e3 for step in report["execution"]["steps"]}
    column = Column(f"srcextract {backend}")
    column.steps = {step: sum(stages[stage] for stage in names) for step, names in STEPS.items()}
    column.sources, column.wall, column.memory = report["counts"]["sources"], wall * 1e3, memory
    return column


def run_lesson(name, steps, xp, ndimage, data, synchronize):
    column = Column(name)

    def timed(step, function):
        synchronize()
        begin = time.perf_counter()
        result = function()
        synchronize()
        column.steps[step] = (time.perf_counter() - begin) * 1e3
        return result

    column.sources = steps(xp, ndimage, data, timed)
    return column


def best(runs, run, *arguments):
    return min((run(*arguments) for _ in range(runs)), key=Column.total)


def cupy():
    """CuPy and its ndimage, or why not."""
    try:
        import cupy
        from cupyx.scipy import ndimage
        cupy.cuda.runtime.getDeviceCount()
        return cupy, ndimage, None
    except Exception as error:  # no CuPy, no driver, no device: each has its own type
        return None, None, f"{type(error).__name__}: {str(error).splitlines()[0]}"


def measure_cupy(data, runs):
    cp, ndimage, problem = cupy()
    if problem:
        print(f"CuPy skipped: {problem}")
        return []
    image, synchronize = cp.asarray(data), cp.cuda.Device().synchronize
    columns = []
    for name, steps in (("CuPy", lesson.published), ("CuPy tuned", lesson.tuned)):
        if steps is lesson.published and len(data) > PUBLISHED_LIMIT:
            print(f"the published lesson on CuPy skipped: minutes beyond {PUBLISHED_LIMIT}")
            continue
        # The first run compiles its kernels and is not the best.
        columns.append(best(min(runs, 3), run_lesson, name, steps, cp, ndimage, image, synchronize))
    return columns


def measure_scipy(data, runs):
    if len(data) > SCIPY_LIMIT:
        print(f"SciPy skipped: minutes beyond {SCIPY_LIMIT}")
        return []
    try:
        from scipy import ndimage
    except ImportError as error:
        print(f"SciPy skipped: {error}")
        return []
    return [best(runs, run_lesson, "SciPy", lesson.published, np, ndimage, data, lambda: None)]


def measure_ours(program, backend, image, directory, runs):
    try:
        return [best(runs, run_ours, program, backend, image, directory)]
    except RuntimeError as error:
        print(f"srcextract {backend} skipped: {error}")
        return []


def print_table(reference, *peers):
    """One row a step; beside every peer how many times as long as `reference` it takes."""
    def times(step, of):
        others = "".join(f"{of(peer):>14.3f}{of(peer) / of(reference):>9.1f}x" for peer in peers)
        print(f"{step:10}{of(reference):>16.3f}{others}")

    print(f"\n{'ms':10}{reference.name:>16}" + "".join(f"{peer.name:>14}{'ratio':>10}" for peer in peers))
    for step in STEPS:
        times(step, lambda column: column.steps[step])
    times("total", Column.total)
    print(f"{'sources':10}{reference.sources:>16}" + "".join(f"{peer.sources:>14}{'':10}" for peer in peers))


def print_verdict(ours, scipy, size):
    image = size * size * 4
    limit = 1.5 * image + 100e6
    print(f"whole process {ours.wall:.1f} ms; peak memory {ours.memory / 1e6:.1f} MB, wanted: at most "
          f"{limit / 1e6:.1f} (1.5 x image + 100 MB){'' if ours.memory <= limit else ': NOT REACHED'}")
    for column in scipy:
        ratio = column.total() / ours.total()
        print(f"SciPy takes {ratio:.1f} times as long, wanted: at least {WANTED_RATIO}"
              f"{'' if ratio >= WANTED_RATIO else ': NOT REACHED'}")


def bench(size, options):
    print(f"\n=== {size} x {size}, 1000 sources/Mpixel", flush=True)
    data = make_field(size, size)
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        image = directory / "field.fits"
        write_fits(image, data)
        ours = measure_ours(options.program, "cpu", image, directory, options.runs)
        cuda = measure_ours(options.program, "cuda", image, directory, options.runs)
    scipy = measure_scipy(data, options.scipy_runs)
    peers = measure_cupy(data, options.runs)
    for reference in ours:
        print_table(reference, *scipy)
        print_verdict(reference, scipy, size)
    for reference in cuda:
        print_table(reference, *scipy, *peers)
        print(f"whole process {reference.wall:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="srcextract")
    parser.add_argument("--runs", type=int, default=7, help="of ours and of CuPy (default: 7)")
    parser.add_argument("--scipy-runs", type=int, default=2, help="default: 2")
    parser.add_argument("sizes", nargs="*", type=int, default=[4096], metavar="SIZE", help="default: 4096")
    options = parser.parse_args()
    for size in options.sizes:
        bench(size, options)


if __name__ == "__main__":
    main()
