"""Surveys: `batch` and `merge` from files in the page cache to catalogues and a journal in the work directory."""
import gzip
import importlib.util
import itertools
import os
import shutil

import numpy as np

from memory_watch import later_thirds, watch
from session import ROOT, ProgramFailed, launch
from make_field import make_field, write_fits  # where it is, session has told
from tables import Row, amount, at_most, print_table, skipped

SIZE = 4096
STREAM_FILES, MORE_FILES, STREAM_WANTED = 100, 1000, 30  # GB/s
TWO_GPUS_WANTED = 1.7  # times one
FEW_CORES = 4
SHARE_FILES, SHARE_WANTED = 40, 0.85  # of what one image by itself gets, and of the cores
TINY_SIZE, TINY_FEW, TINY_MANY = 64, 10_000, 100_000
TINY_WANTED = {"cores": 1000, "gpu": 5000}  # images/s on two cores, and on the host of a GPU
EVEN_WANTED = 0.9  # of the rate of few images, that of many
RESTART_WANTED = 5  # s
GROWTH_WANTED = 1.05  # times the memory in the first half of a run, that in the second
MIXED_FEW, MIXED_MANY = 100, 30000
# Of what sizes a hundred files are, and how they are stored, in turn.
MIXED_SIZES = {1024: 8, 512: 8, 256: 12, 128: 24, 64: 48}
MIXED_FORMS = ["float32.fits", "int16.fits", "float32.fits", "int16.fits.fz", "float32.fits", "float32.fits.fz",
               "int16.fits", "float32.fits.gz"]


def hard_links(directory, originals, count):
    """A directory of this many files in folders of a thousand: the originals in turn, under names of their own."""
    if directory.exists():
        return directory
    source = itertools.cycle(originals)
    for first in range(0, count, 1000):
        folder = directory / f"{first // 1000:03}"
        folder.mkdir(parents=True)
        for number, original in zip(range(min(1000, count - first)), source):
            os.link(original, folder / f"{number:03}{''.join(original.suffixes)}")
    return directory


def batch(session, images, *options, again=False, start=launch):
    """One run over a directory, and the directory that it wrote."""
    output = session.work / "survey"
    if not again:
        shutil.rmtree(output, ignore_errors=True)
    return start(session.program, "batch", "-q", *options, "-o", output, ROOT / "config" / "lesson.yaml",
                 images), output


def fastest(runs, *arguments):
    return min((batch(*arguments)[0] for _ in range(runs)), key=lambda run: run.wall)


# --- large images ----------------------------------------------------------------------------------------------------


def stream(session, size, count):
    return hard_links(session.work / f"stream_{size}_{count}", session.copies(size, 4), count)


def sustained(session, size, devices):
    """GB/s of what more files add to the time of 100, and those of the 100 with the start of the process."""
    options = ["--backend", "cuda", "--device", devices]
    few, many = (fastest(4, session, stream(session, size, count), *options).wall / 1e3
                 for count in (STREAM_FILES, STREAM_FILES + MORE_FILES))
    gigabytes = size * size * 4 / 1e9
    return MORE_FILES * gigabytes / (many - few), STREAM_FILES * gigabytes / few


def gpu_stream_rows(session):
    size = min(session.largest, SIZE)
    judged = size == SIZE
    name = f"a stream of files of {size}², one GPU"
    copy = session.benchmarks("cuda", ["pinned_copy"], [size]).get(("pinned_copy", size), {}).get("ms")
    limit = size * size * 4 / copy / 1e6 if copy else None
    one, whole = sustained(session, size, "0")
    yield Row(f"{name}, sustained", amount(limit, "GB/s") if limit else "", "", amount(one, "GB/s"),
              f"{100 * one / limit:.0f} % of limit" if limit else "", f">= {STREAM_WANTED} GB/s" if judged else "",
              one >= STREAM_WANTED if judged else None)
    yield Row(f"... the first {STREAM_FILES} files, with the start of the process", ours=amount(whole, "GB/s"))
    try:
        two, _ = sustained(session, size, "0,1")
    except ProgramFailed as error:
        yield skipped("... two GPUs beside one", error)
        return
    yield Row("... two GPUs beside one", "", amount(one, "GB/s"), amount(two, "GB/s"), f"ours / peer {two / one:.2f}",
              f">= {TWO_GPUS_WANTED:g}" if judged else "", two / one >= TWO_GPUS_WANTED if judged else None)


def cpu_stream_rows(session):
    size, cores = min(session.largest, SIZE), len(os.sched_getaffinity(0))
    judged = size == SIZE and cores <= FEW_CORES  # of many cores so few files leave some idle
    megapixels = size * size / 1e6
    alone = megapixels / session.best(7, "cpu", "lesson", [session.field(size)]).image_time() * 1e3
    run = fastest(3, session, stream(session, size, SHARE_FILES), "--backend", "cpu")
    rate, busy = SHARE_FILES * megapixels / run.wall * 1e3, run.cpu / run.wall
    yield Row(f"{SHARE_FILES} files of {size}² on the CPU; peer: one image by itself, all threads", "",
              amount(alone, "Mpixel/s"), amount(rate, "Mpixel/s"), f"{100 * rate / alone:.0f} % of peer",
              f">= {100 * SHARE_WANTED:.0f} % of peer" if judged else "",
              rate >= SHARE_WANTED * alone if judged else None)
    yield Row("... cores busy", str(cores), "", f"{busy:.2f}", f"{100 * busy / cores:.0f} % of limit",
              f">= {100 * SHARE_WANTED:.0f} % of limit" if judged else "",
              busy >= SHARE_WANTED * cores if judged else None)


# --- tiny images -----------------------------------------------------------------------------------------------------


def tiny_rows(session, backend):
    """The survey of the CPU is then started again, and merged: neither asks for a GPU."""
    many = TINY_MANY if session.largest >= SIZE else TINY_FEW
    originals = session.copies(TINY_SIZE, 4)  # a file system may allow a file no more than 65 000 links
    options = ["--backend", backend]
    rates, memory = {}, {}
    for count in sorted({TINY_FEW, many}):
        images = hard_links(session.work / f"tiny_{count}", originals, count)
        run, output = batch(session, images, *options)
        rates[count], memory[count] = count / run.wall * 1e3, run.memory
    rate, wanted = rates[many], TINY_WANTED["cores" if session.cuda_problem() else "gpu"]
    yield Row(f"{many} images of {TINY_SIZE}², {backend}", ours=amount(rate, "images/s"),
              ratio=f"{run.cpu / run.wall:.1f} cores busy, each image {amount(run.cpu / many)}",
              wanted=f">= {wanted} images/s", reached=rate >= wanted)
    if many > TINY_FEW:
        few = rates[TINY_FEW]
        yield Row(f"... beside {TINY_FEW} images", "", amount(few, "images/s"), amount(rate, "images/s"),
                  f"ours / peer {rate / few:.2f}", f">= {EVEN_WANTED:g}", rate >= EVEN_WANTED * few)
        more = (memory[many] - memory[TINY_FEW]) / (many - TINY_FEW)
        yield Row("... peak memory", ours=amount(memory[many] / 1e6, "MB"), ratio=f"{more:.0f} bytes an image more")
    if backend == "cpu":
        yield from finished_rows(session, images, many, options)
    shutil.rmtree(output)


def finished_rows(session, images, count, options):
    again, output = batch(session, images, *options, again=True)
    yield at_most("... started again when it is finished", again.wall / 1e3, RESTART_WANTED, unit="s")
    yield memory_an_image("... its peak memory", again, count)
    journal = (output / "journal.jsonl").stat().st_size
    yield Row("... journal", ours=amount(journal / 1e6, "MB"), ratio=f"{journal / count:.0f} bytes an image")
    merged = session.work / "merged.fits"
    run = launch(session.program, "merge", "-q", "-o", merged, output)
    seconds = run.wall / 1e3
    size = merged.stat().st_size
    yield Row("... merged", ours=amount(seconds, "s"),
              ratio=f"{count / seconds:.0f} images/s, {amount(size / seconds / 1e6, 'MB/s')} written")
    yield memory_an_image("... its peak memory", run, count)


def memory_an_image(what, run, count):
    return Row(what, ours=amount(run.memory / 1e6, "MB"), ratio=f"{run.memory / count:.0f} bytes an image")


# --- memory ----------------------------------------------------------------------------------------------------------


def has_astropy():
    return importlib.util.find_spec("astropy") is not None


def write_image(path, size):
    """A field in the form that the name says, if that is not there yet."""
    if path.exists():
        return
    field = make_field(size, size, seed=size)
    if ".int16" in path.suffixes:
        field = np.round(field * 10).clip(-32767, 32767).astype(np.int16)
    if path.suffix == ".fz":
        from astropy.io import fits
        fits.CompImageHDU(field, compression_type="RICE_1").writeto(path)
    elif path.suffix == ".gz":
        plain = path.with_suffix("")
        write_image(plain, size)
        path.write_bytes(gzip.compress(plain.read_bytes(), 1))
    else:
        write_fits(path, field)


def mixed_hundred(session):
    """Images of all sizes and forms, a hundred with those that are there more than once."""
    forms = itertools.cycle(form for form in MIXED_FORMS if has_astropy() or not form.endswith(".fz"))
    hundred = []
    for size, count in MIXED_SIZES.items():
        for form in itertools.islice(forms, count):
            hundred.append(session.work / f"mixed_{size}.{form}")
            write_image(hundred[-1], size)
    return hundred


def growth_row(what, values):
    first, second = later_thirds(values)
    return Row(what, "", amount(first / 1e6, "MB"), amount(second / 1e6, "MB"), f"ours / peer {second / first:.3f}",
               f"<= {GROWTH_WANTED:g}", second <= GROWTH_WANTED * first)


def memory_rows(session, backend):
    """What is resident goes up and down with the images that are under way: medians tell whether it grows."""
    hundred = mixed_hundred(session)
    runs = {}
    for count in (MIXED_FEW, MIXED_MANY):
        images = hard_links(session.work / f"mixed_{count}", hundred, count)
        runs[count], output = batch(session, images, "--backend", backend, start=watch)
        shutil.rmtree(output)
    few, many = runs[MIXED_FEW], runs[MIXED_MANY]
    yield growth_row(f"memory, {MIXED_MANY} mixed images, {backend}, last third of the run; peer: second third",
                     many.resident)
    if backend == "cuda":
        yield growth_row("... on the device", many.device) if many.device else skipped("... on the device", "no NVML")
    peaks = max(few.resident), max(many.resident)
    yield Row(f"... at the peak; peer: a run of {MIXED_FEW}", "", amount(peaks[0] / 1e6, "MB"),
              amount(peaks[1] / 1e6, "MB"),
              f"{(peaks[1] - peaks[0]) / (MIXED_MANY - MIXED_FEW):.0f} bytes an image more")
    yield Row("... images/s", "", amount(MIXED_FEW / few.wall * 1e3, "images/s"),
              amount(MIXED_MANY / many.wall * 1e3, "images/s"))


# --- all -------------------------------------------------------------------------------------------------------------


def lacking_room(session):
    """What the work directory has too little of; empty if all fits."""
    free = os.statvfs(session.work)
    images = TINY_MANY if session.largest >= SIZE else TINY_FEW
    wanted = 2e9 + 26e3 * images  # a catalogue and a report, in blocks
    if free.f_bavail * free.f_frsize < wanted:
        return f"needs {wanted / 1e9:.0f} GB in {session.work.parent}; TMPDIR says where else"
    if free.f_files and free.f_favail < 5 * images:
        return f"needs {5 * images} files in {session.work.parent}; TMPDIR says where else"
    return ""


def report(session):
    title = "Surveys, lesson.yaml: files in the page cache, one process, catalogues and journal on disk"
    if reason := lacking_room(session):
        print_table(title, [skipped("all", reason)])
        return
    rows = []
    parts = [(gpu_stream_rows, [])] if "cuda" in session.backends() else []
    parts += [(cpu_stream_rows, [])]
    parts += [(part, [backend]) for part in (tiny_rows, memory_rows) for backend in session.backends()]
    for part, arguments in parts:
        try:
            rows += part(session, *arguments)
        except ProgramFailed as error:
            rows.append(skipped(", ".join([part.__name__.removesuffix("_rows"), *arguments]), error))
    notes = [f"In {session.work.parent}. Limits: the pinned copy of as many bytes; the cores there are. Sustained is "
             f"what {MORE_FILES} more files add. Streams: the best of several; the others: one run. Memory in "
             "thirds of a run: medians."]
    if not has_astropy():
        notes.append("The mixed images are without .fz: no astropy.")
    print_table(title, rows, notes + session.cuda_note())
