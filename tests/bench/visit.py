"""A visit: the 189 detectors that the Rubin Observatory's camera reads at once, from files in the page cache to
catalogues and a journal, whole process."""
import os
import shutil
import statistics

from session import ROOT, ProgramFailed, launch
from surveys import hard_links
from tables import Row, amount, print_table, skipped

SIZE, DETECTORS, DETECTORS_OF_FEW_CORES = 4096, 189, 24
FEW_CORES = 4
RUNS = {"lesson": 9, "sextractor": 5}
WANTED = {("sextractor", "cuda"): 1.5}  # s


def times(session, config, backend, images):
    """Seconds of several runs, the shortest first, and what the best one had of the cores."""
    output, runs = session.work / "visit_output", []
    for _ in range(RUNS[config]):
        shutil.rmtree(output, ignore_errors=True)
        runs.append(launch(session.program, "batch", "-q", "--backend", backend, "-o", output,
                           ROOT / "config" / f"{config}.yaml", images))
    shutil.rmtree(output)
    runs.sort(key=lambda run: run.wall)
    return [run.wall for run in runs], runs[0].cpu / runs[0].wall


def rows_of(session, images, count, size):
    for config in RUNS:
        for backend in ("cuda", "cpu", "auto"):
            what = f"{config}.yaml, {backend}"
            if backend != "cpu" and session.cuda_problem():
                yield skipped(what, "no GPU")
                continue
            try:
                walls, busy = times(session, config, backend, images)
            except ProgramFailed as error:
                yield skipped(what, error)
                continue
            most = WANTED.get((config, backend)) if (size, count) == (SIZE, DETECTORS) else None
            yield Row(what, ours=amount(walls[0], "s"),
                      ratio=f"median {amount(statistics.median(walls), 's')}, {busy:.1f} cores busy",
                      wanted=f"<= {most:g} s" if most else "", reached=walls[0] <= most if most else None)


def report(session):
    size = min(session.largest, SIZE)
    count = DETECTORS if len(os.sched_getaffinity(0)) > FEW_CORES else DETECTORS_OF_FEW_CORES
    images = hard_links(session.work / f"visit_{count}", session.copies(size, 4), count)
    print_table(f"{count} files of {size}², 1000 sources/Mpixel, in the page cache: whole process",
                list(rows_of(session, images, count, size)),
                ["Best of nine with lesson.yaml, of five with sextractor.yaml. A visit of the Rubin Observatory is "
                 f"{DETECTORS} files."] + session.cuda_note())
