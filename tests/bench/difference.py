"""A fitted difference of Moffat stars on one core beside HOTPANTS, and from files to the catalogue on a GPU."""
import os
import shutil
import sys

import numpy as np

from session import ROOT, ProgramFailed, launch
from make_field import write_fits  # where it is, session has told
from tables import Row, amount, faster, print_table, skipped, times_limit

sys.path.insert(0, str(ROOT / "tests/truth/support"))
from moffat_frames import GAIN, READ, SIDE, exposures

HOTPANTS = os.environ.get("SRCEXTRACT_HOTPANTS") or shutil.which("hotpants")
WANTED = {1024: 5, 4096: 10}
RUNS = {1024: 5, 4096: 2}


def pair(session, size):
    """Reference and new frame, of tiles with stars of their own."""
    paths = [session.work / f"difference_{frame}_{size}.fits" for frame in ("reference", "new")]
    if not paths[1].exists():
        tiles = size // SIDE
        frames = [exposures(seed, (3.0,), (3.6,))[0] for seed in range(tiles * tiles)]
        for number, path in enumerate(paths):
            rows = [np.hstack([frames[row * tiles + column][number] for column in range(tiles)]) for row in range(tiles)]
            write_fits(path, np.vstack(rows))
        os.sync()
    return paths


def ours(session, frames, *options):
    return launch(session.program, "difference", "-q", *options, "-o", session.work / "difference",
                  "--set", f"measurement.gain={GAIN}", ROOT / "config/default.yaml", *frames)


def hotpants(session, frames):
    reference, new = frames
    return launch(HOTPANTS, "-inim", new, "-tmplim", reference, "-outim", session.work / "hotpants.fits", "-oni",
                  session.work / "hotpants_noise.fits", "-c", "t", "-n", "i", "-tg", GAIN, "-ig", GAIN, "-tr", READ, "-ir", READ,
                  "-tu", 60000, "-iu", 60000, "-tl", -500, "-il", -500)


def core_row(session, size):
    what, frames = f"one core, {size} x {size}", pair(session, size)
    own = min(ours(session, frames, "--backend", "cpu", "--threads", "1").cpu for _ in range(RUNS[size]))
    if not HOTPANTS:
        return Row(what, ours=amount(own), peer="no hotpants")
    return faster(what, own, min(hotpants(session, frames).cpu for _ in range(RUNS[size])), WANTED[size])


def gpu_row(session, size):
    what = f"files to catalogue on a GPU, {size} x {size}"
    if session.cuda_problem():
        return skipped(what, "no GPU")
    frames = pair(session, size)
    own = min(ours(session, frames, "--backend", "cuda").wall for _ in range(3))
    return times_limit(what, own, 2 * min(session.run("cuda", "default", frames[1:]).wall for _ in range(3)), 2,
                       of="two extractions")


def report(session):
    rows = []
    for row, sizes in ((core_row, (1024, 4096)), (gpu_row, (4096,))):
        for size in session.sizes(*sizes):
            try:
                rows.append(row(session, size))
            except ProgramFailed as error:
                rows.append(skipped(f"{size} x {size}", error))
    print_table("Differences with a fitted kernel (peer: HOTPANTS, processor time)", rows,
                ["SRCEXTRACT_HOTPANTS names HOTPANTS. 400 stars in 1024 x 1024 pixels; the reference is convolved."])
