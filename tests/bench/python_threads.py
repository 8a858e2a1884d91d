#!/usr/bin/env python3
"""N threads of Python on N images in memory beside the command on N files with as many threads: how both scale.

    PYTHONPATH=BUILD/python python3 tests/bench/python_threads.py [--program BUILD/srcextract] [--threads 1 2 4 8]

Every thread of Python has an image of its own, which it extracts --each times with one thread; the command has the same
images as often, in files that are in the page cache. The speed-up is images a second, times those of one thread. Needs NumPy
alone.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from make_field import tiled_field, write_fits  # noqa: E402

import srcextract  # noqa: E402

DEFAULTS = ROOT / "config" / "default.yaml"


def images_of(size, count):
    """Images of the same sources and noise, each moved by other rows and columns."""
    field = numpy.ascontiguousarray(tiled_field(size), dtype="f4")
    return [numpy.roll(field, (at * size // 7, at * size // 11), (0, 1)) for at in range(count)]


class Crew:
    """Threads that begin together, each with what it calls; they stay from run to run, as a pool's do."""

    def __init__(self, calls, each):
        self._gate = threading.Barrier(len(calls) + 1)
        self._each, self._going, self._failure = each, True, None
        self._threads = [threading.Thread(target=self._work, args=(call,), daemon=True) for call in calls]
        for thread in self._threads:
            thread.start()

    def _work(self, call):
        try:
            self._gate.wait()
            while self._going:
                for _ in range(self._each):
                    call()
                self._gate.wait()
                self._gate.wait()
        except threading.BrokenBarrierError:
            pass
        except BaseException as failure:
            self._failure = failure
            self._gate.abort()

    def run(self):
        """Seconds until all are done, and what the process worked meanwhile."""
        used = time.process_time()
        begin = time.perf_counter()
        try:
            self._gate.wait()
            self._gate.wait()
        except threading.BrokenBarrierError:
            raise self._failure or RuntimeError("a thread is gone") from None
        return time.perf_counter() - begin, time.process_time() - used

    def end(self):
        self._going = False
        self._gate.wait()
        for thread in self._threads:
            thread.join()


def files_of(images, folder, each):
    """The images as files, each under so many names."""
    paths = []
    for at, image in enumerate(images):
        names = [folder / f"image_{at}_{again}.fits" for again in range(each)]
        write_fits(names[0], image)
        for name in names[1:]:
            os.link(names[0], name)
        paths += names
    return paths


def crew_of(way, images, config, each):
    """A thread for each image."""
    if way == "Extractor":
        extractors = [srcextract.Extractor(config, backend="cpu", threads=1) for _ in images]
        return Crew([lambda of=of, image=image: of(image) for of, image in zip(extractors, images)], each)
    return Crew([lambda image=image: srcextract.extract(image, config, backend="cpu", threads=1) for image in images], each)


def python_times(way, images, config, each, runs):
    """Seconds of the clock and of the processor, of the run that took least."""
    crew = crew_of(way, images, config, each)
    crew.run()
    times = min(crew.run() for _ in range(runs))
    crew.end()
    return times


def command_times(program, paths, config, threads, runs):
    with tempfile.TemporaryDirectory(dir=paths[0].parent) as out:
        command = [program, "-q", "--backend", "cpu", "--threads", str(threads), "-o", out, str(config), *map(str, paths)]
        times = []
        for _ in range(runs + 1):
            begin, before = time.perf_counter(), os.times()
            subprocess.run(command, check=True)
            after = os.times()
            times.append((time.perf_counter() - begin, after.children_user + after.children_system
                          - before.children_user - before.children_system))
        return min(times)


def affinity():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="the command; without it Python alone")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--each", type=int, default=4, help="images that a thread takes in a run")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--config", help="a YAML file, which extract() reads each time; the defaults without it")
    parser.add_argument("--work", help="where the files are while this runs, n x size^2 x 4 bytes; the system's default else")
    given = parser.parse_args()
    counts = sorted(set(given.threads) | {1})
    images = images_of(given.size, counts[-1])
    ways = ["Extractor", "extract"] + ["the command"] * bool(given.program)
    taken = {}
    with tempfile.TemporaryDirectory(dir=given.work) as folder:
        paths = files_of(images, pathlib.Path(folder), given.each) if given.program else []
        for count in counts:
            for way in ways:
                taken[way, count] = (
                    command_times(given.program, paths[:count * given.each], given.config or DEFAULTS, count, given.runs)
                    if way == "the command" else
                    python_times(way, images[:count], given.config, given.each, given.runs))
    print(f"{given.size}² float32, {affinity()} processors, Python {sys.version.split()[0]}, {given.each} "
          f"images a thread; ms an image of each thread, least of {given.runs}\n")
    print("| threads |" + "".join(f" {way} | speed-up | processor |" for way in ways))
    print("|---|" + "---|---|---|" * len(ways))
    for count in counts:
        cells = []
        for way in ways:
            clock, used = taken[way, count]
            cells.append(f"{clock * 1e3 / given.each:.0f} | {count * taken[way, 1][0] / clock:.2f} | "
                         f"{used * 1e3 / given.each / count:.0f}")
        print(f"| {count} | " + " | ".join(cells) + " |")
    if affinity() < counts[-1]:
        print(f"\nMore threads than processors ({affinity()}): rows beyond that are no speed-up.")


if __name__ == "__main__":
    main()
