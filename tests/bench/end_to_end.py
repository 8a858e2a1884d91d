"""From bytes to rows, from a file to its catalogue, and the first catalogue of a process."""
import pathlib
import subprocess
import time

from session import ProgramFailed
from tables import Row, amount, at_most, print_table, skipped, times_limit

BUS_WANTED = {4096: 1.15, 8192: 1.08, 16384: 1.05}  # times the pinned copy
FILE_SIZE, FILE_WANTED = 16384, 80  # ms
START_SIZE, START_WANTED = 2048, 1.15  # times a context and one copy
PARTS_OF_THE_WAY = {"pinned_to_pixels": "... to pixels, in pieces",
                    "pinned_to_sums": "... and the sums of sources there",
                    "steps_to_rows": "... the steps and rows alone, of pixels that are there"}


def bus_rows(session):
    sizes = session.sizes(*BUS_WANTED)
    entries = session.benchmarks("cuda", ["pinned_copy", *PARTS_OF_THE_WAY, "pinned_to_rows"], sizes)
    for size in sizes:
        entry = entries.get(("pinned_to_rows", size), {"error_message": session.lacking("no such benchmark")})
        if "error_message" in entry:
            yield skipped(f"pinned memory to rows, {size}²", session.lacking(entry["error_message"]))
            continue
        yield times_limit(f"pinned memory to rows, {size}²", entry["ms"], entries["pinned_copy", size]["ms"],
                          BUS_WANTED[size], of="the copy alone")
        for name, part in PARTS_OF_THE_WAY.items():
            if (name, size) in entries:
                yield Row(part, ours=amount(entries[name, size]["ms"]))


def file_rows(session, backend):
    """Only the size of the issue on a GPU is held against what is wanted there."""
    size = min(session.largest, FILE_SIZE)
    run = session.best(5, backend, "lesson", [session.field(size)])
    judged = backend == "cuda" and size == FILE_SIZE
    copy = session.benchmarks("cuda", ["pinned_copy"], [size]).get(("pinned_copy", size), {}).get("ms")
    name = f"file to catalogue, {size}², {backend}"
    yield at_most(f"{name}, as run.json has it", run.image_time(), FILE_WANTED if judged else None,
                  copy if backend == "cuda" else None)
    yield Row(f"{name}, whole process", ours=amount(run.wall))


def version_time(program):
    """Milliseconds to start the program and end it."""
    begin = time.perf_counter()
    subprocess.run([program, "--version"], capture_output=True)
    return (time.perf_counter() - begin) * 1e3


def bare_time(session):
    """Milliseconds of a process that makes a context, copies as many pixels and ends; None where there is no such."""
    program = session.stages and pathlib.Path(session.stages).with_name("bench_start")
    if not program or not program.exists():
        return None
    begin = time.perf_counter()
    done = subprocess.run([program, str(START_SIZE)], capture_output=True)
    return (time.perf_counter() - begin) * 1e3 if done.returncode == 0 else None


def start_rows(session, backend):
    run = session.best(7, backend, "lesson", [session.field(START_SIZE)])
    start = min(version_time(session.program) for _ in range(7))
    rest = max(0.0, run.wall - start - run.image_time())
    bare = [bare_time(session) for _ in range(7)] if backend == "cuda" else [None]
    what = f"process start to first catalogue, {START_SIZE}², {backend}"
    if None in bare:
        yield at_most(what, run.wall)
    else:
        yield times_limit(what, run.wall, min(bare), START_WANTED, of="a context and one copy")
    yield Row("... program start and end (--version)", ours=amount(start))
    yield Row("... the image, as run.json has it", ours=amount(run.image_time()))
    yield Row("... the rest: configuration and, on a GPU, driver and context", ours=amount(rest))


def report(session):
    rows = list(bus_rows(session))
    for backend in session.backends():
        for part in (file_rows, start_rows):
            try:
                rows += part(session, backend)
            except ProgramFailed as error:
                rows.append(skipped(f"{part.__name__.removesuffix('_rows')}, {backend}", error))
    notes = session.cuda_note() or [
        "Limits: the pinned copy of as many bytes; for the first catalogue, a process that makes a context and copies as many pixels."]
    print_table("End to end, lesson.yaml: files in the page cache, the fastest of several", rows, notes)
