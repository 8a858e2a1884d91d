"""Memory and time of images that go by rows, beside the whole image, and of images too large for a GPU. The largest is 30000² with --full."""
from make_field import BITPIX, make_field  # where it is, session has told
from fits_cards import header
from session import ProgramFailed, ROOT, launch
from tables import Row, amount, at_most, print_table, skipped

MADE = 4096
PER_MEGAPIXEL = 100  # a source takes about 1 kB: with 1000, 16384² does not fit 200 MB, nor 30000² 500 MB


def write_large(path, side):
    """A field of stars again and again, written by rows: it need not fit into memory."""
    field = make_field(MADE, MADE, per_mpix=PER_MEGAPIXEL)
    with open(path, "wb") as file:
        file.write(header({"SIMPLE": True, "BITPIX": BITPIX["f4"], "NAXIS": 2, "NAXIS1": side, "NAXIS2": side}))
        for row in range(0, side, MADE):
            block = field[:min(MADE, side - row)]
            for line in block.astype(">f4"):
                file.write((line.tobytes() * (side // MADE + 1))[:4 * side])
        file.write(bytes(-file.tell() % 2880))
    return path


def rows_of(session, image, side):
    megapixels = side * side / 1e6
    output = session.work / "memory_out"
    runs = (("default.yaml, whole", "default", (), None),
            ("default.yaml, --memory 200M" if side <= 16384 else "default.yaml, --memory 500M", "default",
             ("--memory", "200M" if side <= 16384 else "500M"), 200 if side <= 16384 else 600),
            ("default.yaml, -d, --memory 200M" if side <= 16384 else "default.yaml, -d, --memory 500M", "default",
             ("-d", image, "--memory", "200M" if side <= 16384 else "500M"), 200 if side <= 16384 else 600),
            ("sextractor.yaml with segmentation, --memory 500M", "sextractor",
             ("--memory", "500M", "--set", "output.segmentation=true"), 1000))
    whole = None
    for what, config, options, most in runs:
        try:
            run = launch(session.program, "-q", "--backend", "cpu", *options, "-o", output, ROOT / "config" / f"{config}.yaml",
                         image)
        except ProgramFailed as error:
            yield skipped(f"{side}², {what}", error)
            continue
        whole = whole or run.wall
        yield at_most(f"{side}², {what}", run.memory / 1e6, most, unit="MB")
        yield Row("... time", ours=amount(run.wall / 1e3, "s"),
                  ratio=f"{run.wall / whole:.2f} x whole, {megapixels / run.wall * 1e3:.0f} Mpixel/s")


def rows_of_device(session, image, side):
    """A GPU that has room for the whole image, and one that has room for half of its float32 pixels, beside the host's memory; each
    the second of two runs."""
    few = f"{max(side * side * 2 // 10 ** 6, 100)}M"
    whole = {}
    for config in ("lesson", "default"):
        for options in ((), ("--device-memory", few)):
            for _ in range(2):
                run = launch(session.program, "-q", "--backend", "cuda", *options, "-o", session.work / "memory_out",
                             ROOT / "config" / f"{config}.yaml", image)
            whole.setdefault(config, run.wall)
            yield Row(f"{side}², {config}.yaml, GPU{', ' + ' '.join(options) if options else ''}", ours=amount(run.wall / 1e3, "s"),
                      ratio=f"{run.wall / whole[config]:.2f} x whole, {side * side / run.wall / 1e3:.0f} Mpixel/s")


def report(session):
    rows = []
    for side in session.sizes(4096, 16384) + ([30000] if session.largest > 30000 else []):
        image = write_large(session.work / "large.fits", side)
        rows.extend(rows_of(session, image, side))
        if not session.cuda_problem():
            rows.extend(rows_of_device(session, image, side))
        image.unlink()
    print_table("Images by rows: peak memory of the process", rows,
                [f"On a disk of {session.work.parent}, float32, {PER_MEGAPIXEL} sources per million pixels.", *session.cuda_note()])
