"""Surveys of small images, and what `srcextract batch` makes of them."""

import csv
import json
import os
import random
import re
import subprocess

import pytest

from fits_files import TAN, hdu, write

PROGRAM = os.environ["SRCEXTRACT_PROGRAM"]


def sky(seed, width=200, height=200):
    """Pixels around zero, with sources of 3 x 3 pixels, whose number and places are the seed's."""
    choose = random.Random(seed)
    noise = [choose.uniform(-1, 1) for _ in range(997)]
    pixels = (noise * (width * height // len(noise) + 1))[:width * height]
    for _ in range(20 + seed % 7):
        x, y = choose.randrange(1, width - 1), choose.randrange(1, height - 1)
        for row in (y - 1, y, y + 1):
            pixels[row * width + x - 1:row * width + x + 2] = [50.0 + seed] * 3
    return pixels


def image(seed, width=200, height=200, primary=True):
    return hdu((width, height), values=sky(seed, width, height), primary=primary, **TAN)


@pytest.fixture
def config(tmp_path):
    """A configuration of which nothing but FITS catalogues come."""
    path = tmp_path / "c.yaml"
    path.write_text("output:\n  formats: [fits]\nextends: none\n")
    return path


def write_images(directory, names):
    """Small images of these names, each with sources of its own."""
    directory.mkdir()
    for seed, name in enumerate(names):
        write(directory / name, image(seed))
    return directory


def write_survey(directory, images, kinds=5, **size):
    """Images that are links to a few files, in two nights, and a file that is none."""
    for night in ("night1", "night2"):
        (directory / night).mkdir(parents=True)
    originals = [write(directory / "night1" / f"{kind:03}.fits", image(kind, **size)) for kind in range(kinds)]
    for i in range(kinds, images):
        os.link(originals[i % kinds], directory / f"night{1 + i % 2}" / f"{i:03}.fits")
    (directory / "night2" / "bad.fits").write_bytes(originals[0].read_bytes()[:5000])
    return directory


def write_extensions(path, seeds):
    return write(path, hdu(()), *(image(seed, primary=False) for seed in seeds))


def start(*arguments, cwd, log, **more):
    """`srcextract batch`, under way; what it says goes to the file `log`, a path or a descriptor, which is closed."""
    with open(log, "w") as stderr:
        return subprocess.Popen([PROGRAM, "batch", *map(str, arguments)], cwd=cwd, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=stderr, **more)


def outputs(directory):
    """The bytes of all that is the same in every run: neither reports, which hold times, nor journals and what
    belongs to them."""
    varies = (".run.json", ".jsonl", ".lock", ".begun")
    return {str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*"))
            if path.is_file() and not path.name.endswith(varies)}


def records(journal):
    """What a journal says of images, in its order. Each line of it is JSON; but for the last, which may be torn."""
    if not journal.exists():
        return []
    lines = journal.read_bytes().decode().split("\n")
    return [entry for entry in map(json.loads, lines[:-1]) if "image" in entry]


def last_words(journal):
    """By image and HDU."""
    return {(entry["image"], entry.get("hdu")): entry for entry in records(journal)}


def done(journal):
    """The names of the images that are done."""
    return sorted(name for (name, _), entry in last_words(journal).items() if "failed" not in entry)


def failures(directory, shard=""):
    path = directory / f"failures{shard}.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def planned(log):
    """The numbers in the line of the log that says what there is to do, by its words; and of files that are `left`, of
    which the end of the log tells."""
    line = re.search(r"^info: (?:shard \d+/\d+: )?(\d+) files? to do(?: \((.+)\))?, (\d+) done already$", log, re.M)
    if line is None:
        return None
    words = {"new": "new", "changed": "changed", "failed before": "retried", "forced": "forced"}
    plan = {"to_do": int(line[1]), **dict.fromkeys(words.values(), 0), "done": int(line[3]), "left": 0}
    for part in line[2].split(", ") if line[2] else ():
        count, kind = part.split(" ", 1)
        plan[words[kind]] = int(count)
    if left := re.search(r"^warning: not tried again: (\d+) files? that failed before; --retry-failed does$", log, re.M):
        plan["left"] = int(left[1])
    return plan
