"""A survey of a million images: plan, restart, status, merge and report, by memory an image and time.

Inputs and catalogues are hard links to a few, under names of their own; the journal repeats their records. So the time to
extract a million images is not needed."""
import json
import os
import re

from session import ProgramFailed, launch
from make_field import make_field, write_fits  # where it is, session has told
from tables import Row, amount, at_most, print_table, skipped

IMAGES = int(os.environ.get("SRCEXTRACT_BENCH_IMAGES", 1_000_000))
SIDE = 48
A_FOLDER = 1000
MOST_LINKS = 50_000  # a file system may allow a file no more than 65 000
MOST_BYTES, MOST_SECONDS = 200, 10


def link_outputs(output, copy, name, record):
    for path in record["outputs"]:
        os.link(copy / path, output / name.replace(".fits", path[path.index("."):]))


def write_survey(session, images):
    """An output directory in which all is done, and its inputs."""
    originals, copies = session.work / "million_originals", session.work / "million_copies"
    originals.mkdir()
    count = images // MOST_LINKS + 1
    for i in range(count):
        write_fits(originals / f"{i}.fits", make_field(SIDE, SIDE, seed=i))
    config = session.work / "million.yaml"
    config.write_text("output:\n  formats: [fits]\nextends: none\n")
    launch(session.program, "batch", "-q", "--backend", "cpu", "-o", copies, config, originals)
    lines = (copies / "journal.jsonl").read_text().splitlines()
    head, end = lines[0], lines[-1]
    records = {entry["image"]: entry for entry in map(json.loads, lines) if "image" in entry}
    inputs, output = session.work / "million_in", session.work / "million_out"
    output.mkdir()
    with open(output / "journal.jsonl", "w") as journal:
        journal.write(head + "\n")
        for number in range(images):
            name = f"night{number // A_FOLDER:04}/exposure_{number:07}.fits"
            if number % A_FOLDER == 0:
                (inputs / name).parent.mkdir(parents=True)
                (output / name).parent.mkdir()
            original = f"{number % count}.fits"
            record = records[original]
            os.link(originals / original, inputs / name)
            link_outputs(output, copies, name, record)
            outputs = {name.replace(".fits", path[path.index("."):]): size for path, size in record["outputs"].items()}
            journal.write(json.dumps({**record, "image": name, "path": str(inputs / name), "outputs": outputs},
                                     separators=(",", ":")) + "\n")
        journal.write(re.sub(r'"images":\d+', f'"images":{images}', end) + "\n")
    return config, inputs, output


def rows_of(session, images):
    config, inputs, output = write_survey(session, images)
    base = launch(session.program, "batch", "--dry-run", "-q", "-o", session.work / "none", config,
                  session.work / "million_originals").memory
    journal = (output / "journal.jsonl").stat().st_size
    yield Row("journal", ours=amount(journal / 1e6, "MB"), ratio=f"{journal / images:.0f} bytes an image")
    merged = session.work / "million.fits"
    for what, arguments, most in (
            ("plan of a first run", ["batch", "--dry-run", "-q", "-o", session.work / "none", config, inputs], None),
            ("started again when it is finished", ["batch", "-q", "-o", output, config, inputs], MOST_SECONDS),
            ("status", ["status", output], MOST_SECONDS),
            ("merge", ["merge", "-q", "-o", merged, output], None),
            ("merge --report", ["merge", "-q", "--report", "-o", merged, output], None)):
        run = launch(session.program, *arguments)
        yield at_most(what, run.wall / 1e3, most, unit="s")
        more = (run.memory - base) / images
        yield Row("... peak memory", ours=amount(run.memory / 1e6, "MB"), ratio=f"{more:.0f} bytes an image",
                  wanted=f"<= {MOST_BYTES} bytes an image", reached=more <= MOST_BYTES)


def report(session):
    images = IMAGES
    title = f"A survey of {images} images of {SIDE}², all links to a few; one run each"
    free = os.statvfs(session.work)
    if (free.f_files and free.f_favail < 0.01 * images) or free.f_bavail * free.f_frsize < 3500 * images:
        print_table(title, [skipped("all", f"needs {3500 * images / 1e9:.1f} GB in {session.work.parent}")])
        return
    rows = []
    try:
        for row in rows_of(session, images):
            rows.append(row)
    except ProgramFailed as error:
        rows.append(skipped("the rest", error))
    print_table(title, rows, [f"In {session.work.parent}. Memory is beside that of a run over a few images."])
