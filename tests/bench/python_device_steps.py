#!/usr/bin/env python3
"""The four steps of config/lesson.yaml on an array of CuPy from Python, beside the same steps of C++ on a resident image.

    PYTHONPATH=BUILD/python python3 tests/bench/python_device_steps.py [--bench BUILD/tests/bench_stages]
                                                                       [--sizes 2048 4096 8192 16384] [--runs 25]

One by one: background, threshold, label and measure of `srcextract`, on an image that as_image() has read; measure() with the
columns on the host. Extractor: a call on the array, and of that what the device took from decoded pixels to sums, by events
within the graph, which is the very work that `bench_stages` times. All others between CUDA events, in the stream that CuPy
calls current, and so with what the host adds; medians. Images in turn, more than a cache holds, as in bench_steps.cpp, of the
same pixels. Needs CuPy and NumPy alone, and a GPU.
"""
import argparse
import statistics
import sys

import cupy

import srcextract
from bench_field import bench_field
from session import ROOT, benchmarks

WARM_UP = 5
MORE_THAN_A_CACHE = 512 << 20
WANTED = 1.1  # times C++
# Of Catalogue.times: what a call does before the steps, and what the host does after them.
NOT_STEPS = {"ingest", "columns", "sky", "warnings", "flags", "read", "write"}


def timed(step):
    """What the step returns, and microseconds between an event before and one after it."""
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    made = step()
    end.record()
    end.synchronize()
    return made, cupy.cuda.get_elapsed_time(begin, end) * 1e3


def one_by_one(array):
    """Microseconds of each step, and the number of sources."""
    taken = {}

    def lap(name, step):
        made, taken[name] = timed(step)
        return made

    image = lap("as_image", lambda: srcextract.stages.as_image(array))
    sky = lap("background", lambda: srcextract.background(image, method="constant", kappa=3, max_iterations=0))
    found = lap("threshold", lambda: srcextract.threshold(image, sky, threshold=5, reference="zero",
                                                              measurement__reference="zero"))
    labels = lap("label", lambda: srcextract.label(found, connectivity=4, min_area=1))
    table = lap("measure", lambda: srcextract.measure(image, labels, sky))
    return taken, len(table)


def by_extractor(extractor, array):
    found, call = timed(lambda: extractor(array))
    steps = sum(seconds for stage, seconds in found.times.items() if stage not in NOT_STEPS)
    return {"call": call, "steps": steps * 1e6, "ingest": found.times.get("ingest", 0) * 1e6,
            "columns": found.times.get("columns", 0) * 1e6}, len(found)


def medians(way, images, runs):
    """Of each part of `way`, over images in turn; and the sources of the last."""
    for at in range(WARM_UP):
        way(images[at % len(images)])
    taken = [way(images[at % len(images)]) for at in range(runs)]
    return {name: statistics.median(parts[name] for parts, _ in taken) for name in taken[0][0]}, taken[-1][1]


def row(cells):
    print("| " + " | ".join(f"{cell:.0f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |", flush=True)


def compared(microseconds, cpp):
    return f"{microseconds:.0f}" + (f" ({microseconds / cpp[0]:.2f} x C++)" if cpp else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", help="bench_stages; without it no figure of C++")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2048, 4096, 8192, 16384])
    parser.add_argument("--runs", type=int, default=25)
    given = parser.parse_args()
    resident = {size: (entry["ms"] * 1e3, int(entry.get("sources", 0)))
                for (_, size), entry in benchmarks(given.bench, "cuda", ["four_steps"], given.sizes).items()
                if "error_message" not in entry}
    name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}, Python {sys.version.split()[0]}; us, medians of {given.runs}; wanted: at most "
          f"{WANTED} x C++\n")
    row(["image", "sources", "C++, resident", "background", "threshold", "label", "to labels", "measure and columns",
         "as_image", "Extractor: the steps", "ingest", "columns", "a call", "a call without ingest and columns"])
    row(["---"] * 14)
    for size in given.sizes:
        field = bench_field(size)
        images = [cupy.asarray(field) for _ in range(max(1, min(32, MORE_THAN_A_CACHE // field.nbytes)))]
        steps, sources = medians(one_by_one, images, given.runs)
        extractor = srcextract.Extractor(ROOT / "config" / "lesson.yaml", backend="cuda", segmentation=False)
        whole, again = medians(lambda array: by_extractor(extractor, array), images, given.runs)
        reference = resident.get(size)
        if len({sources, again} | ({reference[1]} if reference else set())) > 1:
            sys.exit(f"{size}: {sources} sources one by one, {again} of Extractor, C++ {reference}: not the same work")
        to_labels = steps["background"] + steps["threshold"] + steps["label"]
        row([f"{size}²", sources, reference[0] if reference else "—", steps["background"], steps["threshold"],
             steps["label"], to_labels, steps["measure"], steps["as_image"], compared(whole["steps"], reference),
             whole["ingest"], whole["columns"], whole["call"],
             compared(whole["call"] - whole["ingest"] - whole["columns"], reference)])
        del images
        cupy.get_default_memory_pool().free_all_blocks()
        srcextract.stages.free_device_memory()


if __name__ == "__main__":
    main()
