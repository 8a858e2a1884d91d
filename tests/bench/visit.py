"""A visit: the 189 detectors that the Rubin Observatory's camera reads at once, from files in the page cache to
catalogues and a journal, whole process, in each of the forms in which surveys store them."""
import os
import shutil
import statistics
import subprocess

import numpy as np

from session import ROOT, ProgramFailed, launch
from make_field import write_fits  # where it is, session has told
from rice import write_rice
from surveys import TWO_GPUS_WANTED, hard_links
from tables import Row, amount, print_table, skipped

SIZE, DETECTORS, DETECTORS_OF_FEW_CORES = 4096, 189, 24
FEW_CORES, COPIES = 4, 4
SINGLE_SIZE, SINGLE_WANTED = 2048, 1.1  # times the CPU alone
RUNS = {"lesson": 9, "sextractor": 5}
FORMS = {"float32": ".fits", "int16": ".fits", "RICE int16": ".fits.fz", "RICE float32": ".fits.fz"}
WANTED = {("lesson", "float32", "auto"): 0.5, ("lesson", "int16", "auto"): 0.35, ("lesson", "RICE int16", "auto"): 0.4,
          ("lesson", "RICE float32", "auto"): 0.4, ("sextractor", "float32", "cuda"): 1.0}  # s


def write_form(path, form, pixels):
    """The field, whose noise is 1 and whose sky is 0, with ten units of an integer, or four steps, to that."""
    integers = np.clip(np.round(10 * pixels), -32768, 32767).astype(np.int16)
    if form == "int16":
        write_fits(path, integers)
    elif form == "RICE int16":
        write_rice(path, integers)
    else:
        write_rice(path, pixels, dither=1, step=0.25)


def copies_of(session, form, size):
    """Files of one form, so many that no cache holds their pixels."""
    if form == "float32":
        return session.copies(size, COPIES)
    paths = [session.work / f"visit_{form.replace(' ', '_')}_{number}{FORMS[form]}" for number in range(COPIES)]
    write_form(paths[0], form, session.pixels(size))
    for path in paths[1:]:
        shutil.copyfile(paths[0], path)
    os.sync()
    return paths


def times(session, config, images, *options):
    """Seconds of several runs, the shortest first, and what the best one had of the cores."""
    output, runs = session.work / "visit_output", []
    for _ in range(RUNS[config]):
        shutil.rmtree(output, ignore_errors=True)
        runs.append(launch(session.program, "batch", "-q", *options, "-o", output, ROOT / "config" / f"{config}.yaml",
                           images))
        if runs[-1].warnings:  # of all pixels in one source, for instance: then these are no times of a visit
            raise ProgramFailed(runs[-1].warnings[0])
    shutil.rmtree(output)
    runs.sort(key=lambda run: run.wall)
    return [run.wall / 1e3 for run in runs], runs[0].cpu / runs[0].wall


def gpus():
    """How many there are."""
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return 0
    return sum(line.startswith("GPU ") for line in listed.splitlines())


def row_of(session, what, config, images, options, wanted=None, beside=None):
    """A row, and the shortest time; `beside`: that of one GPU."""
    try:
        walls, busy = times(session, config, images, *options)
    except ProgramFailed as error:
        return skipped(what, error), None
    judged = f"<= {wanted:g} s" if wanted else ""
    reached = walls[0] <= wanted if wanted else None
    ratio = f"median {amount(statistics.median(walls), 's')}, {busy:.1f} cores busy"
    if beside:
        ratio += f", {beside / walls[0]:.2f} times one GPU"
        judged, reached = f">= {TWO_GPUS_WANTED} times one", beside / walls[0] >= TWO_GPUS_WANTED
    return Row(what, ours=amount(walls[0], "s"), ratio=ratio, wanted=judged, reached=reached), walls[0]


def rows_of(session, form, images, whole):
    for config in RUNS if form == "float32" else ["lesson"]:
        for backend in ("auto", "cuda", "cpu"):
            what = f"{config}.yaml, {form}, {backend}"
            if backend == "cuda" and session.cuda_problem():
                yield skipped(what, "no GPU")
                continue
            wanted = WANTED.get((config, form, backend)) if whole else None
            yield row_of(session, what, config, images, ["--backend", backend], wanted)[0]
        if gpus() > 1:
            one, seconds = row_of(session, f"{config}.yaml, {form}, cuda, one GPU of {gpus()}", config, images,
                                  ["--backend", "cuda", "--device", "0"])
            yield one
            two = ["--backend", "cuda", "--device", "0,1"]
            yield row_of(session, f"{config}.yaml, {form}, cuda, two", config, images, two, beside=seconds)[0]


def single_rows(session):
    """One small image, which must not wait for a driver."""
    size = min(session.largest, SINGLE_SIZE)
    walls = {backend: min(session.run(backend, "lesson", [session.field(size)]).wall for _ in range(15))
             for backend in ("cpu", "auto")}
    ratio = walls["auto"] / walls["cpu"]
    yield Row(f"one image of {size}², auto", peer=amount(walls["cpu"]), ours=amount(walls["auto"]),
              ratio=f"{ratio:.2f} times the CPU alone", wanted=f"<= {SINGLE_WANTED}", reached=ratio <= SINGLE_WANTED)


def report(session):
    size = min(session.largest, SIZE)
    count = DETECTORS if len(os.sched_getaffinity(0)) > FEW_CORES else DETECTORS_OF_FEW_CORES
    rows = []
    for form in FORMS:
        images = hard_links(session.work / f"visit_{form.replace(' ', '_')}", copies_of(session, form, size), count)
        rows += rows_of(session, form, images, (size, count) == (SIZE, DETECTORS))
    print_table(f"{count} files of {size}², 1000 sources/Mpixel, in the page cache: whole process",
                rows + list(single_rows(session)),
                ["Best of nine with lesson.yaml, of five with sextractor.yaml. A visit of the Rubin Observatory is "
                 f"{DETECTORS} files."] + session.cuda_note())
