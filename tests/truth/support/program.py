"""Runs srcextract on one image and reads what it wrote."""
import csv
import json
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data"


def path_of(config):
    """A configuration of config/, or `plain`, in which no key is named."""
    return ROOT / ("tests/support" if config == "plain" else "config") / f"{config}.yaml"


def run(program, config, image, directory, *options):
    """Lets it write into `directory` what it makes of `image` with this configuration. Peers know no padding, and SExtractor's
    map of the noise is its spline: so `plain`, with which they are compared, is."""
    if config == "plain":
        options = ("--set", "input.padding=keep", *options)
        if "background.method=constant" not in options:
            options = ("--set", "background.rms_map=sextractor", "--set", "background.estimator=sextractor", *options)
    command = [program, "--record", "-q", "-o", directory, *options, path_of(config), image]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")


def extract(program, config, image, directory, *options):
    """The catalogue, {column: array}, and the report of `image` with this configuration."""
    run(program, config, image, directory, "--set", "output.formats=[csv]", *options)
    output = pathlib.Path(directory) / pathlib.Path(image).stem
    return read_catalogue(f"{output}.cat.csv"), json.loads(pathlib.Path(f"{output}.run.json").read_text())


def read_catalogue(path):
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    values = np.array(rows, dtype=float).reshape(len(rows), len(names))
    return dict(zip(names, values.T))
