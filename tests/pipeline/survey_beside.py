"""Surveys with files beside their images (detection images, bands, tables of positions), and what the command for one image
makes of each row."""

import json
import os
import random

import survey_support as survey
from fits_files import TAN, hdu, write

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
CONFIG = ("extends: none\noutput:\n  formats: [fits, csv, reg]\n  columns: [default, photometry]\nmeasurement:\n  apertures: [4, 8]\n"
          "background:\n  mesh_size: 32\n")
SIDE = 96


def batch_runner(run, tmp_path):
    """Runs the survey; `did`: the names of what it did."""

    def run_batch(*arguments, code=0, out="out", manifest="data/survey.csv", **more):
        journal = tmp_path / out / "journal.jsonl"
        before = len(survey.records(journal))
        finished = run("batch", "c.yaml", manifest, "-o", out, *arguments, **more)
        assert finished.code == code, finished.err
        finished.did = sorted(entry["image"] for entry in survey.records(journal)[before:])
        return finished

    return run_batch


def write_sky(path, seed, **size):
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, survey.image(seed, **{"width": SIDE, "height": SIDE, **size}))


def write_weights(path, worst):
    """Weights of 1, but for a band of the image."""
    values = [worst if SIDE // 3 < i // SIDE < SIDE // 2 else 1.0 for i in range(SIDE * SIDE)]
    return write(path, hdu((SIDE, SIDE), values=values, **TAN))


def write_table(path, seed):
    choose = random.Random(seed)
    rows = [f"s{seed}-{i},{choose.uniform(1, SIDE):.3f},{choose.uniform(1, SIDE):.3f}" for i in range(5 + seed)]
    path.write_text("id,X_IMAGE,Y_IMAGE\n" + "\n".join(rows) + "\n")
    return path


def run_single(run, tmp_path, rows, out="single"):
    """The outputs of the command for one image, or for two frames, for each row, by their names in the survey; and its
    reports."""
    outputs, reports = {}, {}
    for stem, (options, images, name) in rows.items():
        done = run(*options, "c.yaml", *(images or "").split(), "-o", f"{out}/{stem}")
        assert done.code == 0, done.err
        for path in (tmp_path / out / stem).iterdir():
            ending = path.name.removeprefix(name)
            if ending == ".run.json":
                reports[stem] = json.loads(path.read_bytes())
            else:
                outputs[stem + ending] = path.read_bytes()
    return outputs, reports


def results(directory):
    return {name: content for name, content in survey.outputs(directory).items()
            if name != "failures.csv"}


def told(report):
    """A report without what differs from run to run."""
    return {key: value for key, value in report.items() if key not in ("execution", "outputs")}


def assert_shards_merge_to_the_same_bytes(run, batch, tmp_path):
    """The survey at once, in out, and in two shards."""
    batch("--shard", "1/2", out="shards")
    batch("--shard", "2/2", out="shards")
    batch()
    for out in ("out", "shards"):
        done = run("merge", out, "-o", f"{out}.csv")
        assert done.code == 0, done.err
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "shards.csv").read_bytes()
