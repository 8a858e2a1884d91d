#!/usr/bin/env python3
"""What the Python package adds to a call: time beside what the stages report, and memory beside the command's.

Usage: PYTHONPATH=BUILD/python python3 tests/bench/python_calls.py [--program BUILD/srcextract] [--calls N] [--size N]
"""
import argparse
import importlib.util
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
import warnings

import numpy

import srcextract
from bench_field import bench_field
from session import launch
from make_field import write_fits  # where it is, session has told


def added(call, calls):
    """Microseconds of each call, and what is left of them without the times that the stages report."""
    whole, rest = [], []
    for _ in range(calls):
        begin = time.perf_counter()
        found = call()
        seconds = time.perf_counter() - begin
        whole.append(seconds * 1e6)
        rest.append((seconds - sum(found.times.values())) * 1e6)
    return whole, rest


def show_times(calls):
    print(f"{'image':>12} {'call':>15} {'us, least':>10} {'median':>8} {'added, least':>13} {'median':>8}")
    for size in (15, 32, 64, 128, 256):
        image = bench_field(size)
        extractor = srcextract.Extractor(backend="cpu", threads=1)
        for name, call in (("Extractor", lambda: extractor(image)),
                           ("extract", lambda: srcextract.extract(image, backend="cpu", threads=1)),
                           ("extract, error=", lambda: srcextract.extract(image, error=1.0, backend="cpu", threads=1))):
            added(call, 20)
            whole, rest = added(call, calls)
            print(f"{size:>5} x {size:<4} {name:>15} {min(whole):10.1f} {statistics.median(whole):8.1f} "
                  f"{min(rest):13.1f} {statistics.median(rest):8.1f}")
    if importlib.util.find_spec("astropy") is not None:
        found = extractor(image)
        times = sorted(timeit.repeat(lambda: found.table, number=1, repeat=calls))
        print(f"{'.table of ' + str(len(found)) + ' rows':>28} {times[0] * 1e6:10.1f} {statistics.median(times) * 1e6:8.1f}")


IN_PYTHON = """
import numpy, sys, srcextract
def peak():
    return int(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]) / 1024
image = numpy.load(sys.argv[1])
small = numpy.ascontiguousarray(image[:256, :256])
extractor = srcextract.Extractor(backend='cpu', threads=1)
extractor(small)
before = peak()
found = extractor(image)
print(peak() - before)
"""


def show_memory(program, size):
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        image = bench_field(size)
        numpy.save(folder / "image.npy", image)
        write_fits(folder / "image.fits", image)
        write_fits(folder / "small.fits", image[:256, :256])
        out = subprocess.run([sys.executable, "-c", IN_PYTHON, str(folder / "image.npy")], capture_output=True, text=True,
                             check=True)
        (folder / "empty.yaml").write_text("extends: none\n")
        command = [program, "-q", "--backend", "cpu", "--threads", "1", "-o", directory, str(folder / "empty.yaml")]
        large, small = (launch(*command, folder / f"{name}.fits").memory / 2**20 for name in ("image", "small"))
        print(f"\n{size} x {size} float32, {image.nbytes / 2**20:.0f} MB; more than for 256 x 256, in MB:")
        print(f"  a call on the array  {float(out.stdout):8.1f}")
        print(f"  the command          {large - small:8.1f}   (which reads the pixels from a file)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--size", type=int, default=4096)
    options = parser.parse_args()
    warnings.simplefilter("ignore", srcextract.SrcextractWarning)
    show_times(options.calls)
    if options.program:
        show_memory(options.program, options.size)


if __name__ == "__main__":
    main()
