"""Configurations and lists of columns from public repositories, tests/truth/public/set_ups.tsv, and a scene in which each can
run: every file that a key names stands in for the one of its author."""
import pathlib
import subprocess

import numpy as np
from astropy.io import fits

import survey_fields
from psf_models import Moffats, write_psf
from sextractor import PROGRAM

LISTED = pathlib.Path(__file__).resolve().parents[1] / "public" / "set_ups.tsv"
KERNELS = pathlib.Path("/usr/share/source-extractor")
SIDE, SEEING, NOISE = 512, 3.0, 20.0
USUAL = ["NUMBER", "X_IMAGE", "Y_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO", "MAG_AUTO", "FLUX_APER", "FWHM_IMAGE", "FLAGS"]
RETINA = "RETI 3 3\n" + " ".join(["1"] * 10) + "\n"


class SetUp:
    """A .sex file, as its keys, and the .param file that it names, as its columns."""

    def __init__(self, repository, path, keys, columns):
        self.repository, self.path, self.keys, self.columns = repository, path, keys, columns

    def __str__(self):
        return f"{self.repository}/{self.path}"

    def words(self, key, usual=""):
        return self.keys.get(key, usual).split(",")


def rows(kind):
    return [line.split("\t")[1:] for line in LISTED.read_text().splitlines() if line.startswith(kind + "\t")]


def column_lists():
    return {int(number): (f"{repository}/{path}", columns.split()) for repository, path, number, columns in rows("param")}


def set_ups():
    lists = column_lists()
    return [SetUp(repository, path, dict(part.split("=", 1) for part in keys.split("|") if part),
                  lists[int(number)][1] if int(number) in lists else USUAL)
            for repository, path, number, keys in rows("sex")]


def make_scene(directory):
    """The image and the files beside it."""
    light = survey_fields.sources(961, SIDE, 2500, SEEING, NOISE)
    image, weight, seen = survey_fields.stack(962, SIDE, NOISE, np.minimum(light, 40_000.0))
    cards = {"GAIN": 2.0, "SATURATE": 39_000.0, "EXPTIME": 60.0}
    fits.writeto(directory / "field.fits", image + np.float32(1000), survey_fields.header(0.3, **cards))
    fits.writeto(directory / "weight.fits", weight)
    fits.writeto(directory / "rms.fits", np.where(weight > 0, 1 / np.sqrt(np.maximum(weight, 1e-9)), 1e30).astype(np.float32))
    fits.writeto(directory / "flag.fits", survey_fields.flags_of(seen, image, 39_000.0))
    write_psf(directory / "field.psf", Moffats(SEEING, SIDE).table())
    (directory / "field.ret").write_text(RETINA)
    rng = np.random.default_rng(963)
    places = zip(*rng.uniform(1, SIDE, (2, 400)), rng.uniform(15, 22, 400))
    (directory / "sky.list").write_text("".join(f"{i} {x:.2f} {y:.2f} {m:.3f}\n" for i, (x, y, m) in enumerate(places)))


def stand_in(set_up, key, word, index):
    """The file in the place of one that a key names."""
    if key == "FILTER_NAME":
        if "ret" in word.lower().rpartition(".")[2]:
            return "field.ret"
        return KERNELS / (word if word and (KERNELS / word).exists() else "gauss_2.5_5x5.conv")
    if key == "WEIGHT_IMAGE":
        types = set_up.words("WEIGHT_TYPE")
        return "weight.fits" if types[min(index, len(types) - 1)].upper() == "MAP_WEIGHT" else "rms.fits"
    return {"STARNNW_NAME": KERNELS / "default.nnw", "FLAG_IMAGE": "flag.fits", "ASSOC_NAME": "sky.list",
            "PSF_NAME": "field.psf"}.get(key, word)


def write_set_up(set_up, directory, stem):
    """The files STEM.sex and STEM.param in the directory."""
    named = ("FILTER_NAME", "STARNNW_NAME", "WEIGHT_IMAGE", "FLAG_IMAGE", "ASSOC_NAME", "PSF_NAME")
    usual = {"FILTER_NAME": "default.conv", "STARNNW_NAME": "default.nnw", "FLAG_IMAGE": "flag.fits", "PSF_NAME": "default.psf",
             "WEIGHT_IMAGE": "weight.fits"}
    lines = {"PARAMETERS_NAME": f"{stem}.param"}
    for key, value in (usual | set_up.keys).items():
        if key in named:
            value = ",".join(str(stand_in(set_up, key, word, i)) for i, word in enumerate(value.split(",")))
        lines[key] = value
    types = set_up.words("CHECKIMAGE_TYPE", "NONE")
    lines["CHECKIMAGE_NAME"] = ",".join(f"{stem}.check{i}.fits" for i in range(len(types)))
    (directory / f"{stem}.sex").write_text("".join(f"{key} {value}\n" for key, value in lines.items()))
    (directory / f"{stem}.param").write_text("\n".join(set_up.columns) + "\n")


def run_with(command, directory, stem, *more):
    return subprocess.run([*map(str, command), "field.fits", "-c", f"{stem}.sex", "-CATALOG_NAME", f"{stem}.cat", *more],
                          cwd=directory, capture_output=True, text=True, errors="replace")


def sextractor(directory, stem, *more):
    return run_with([PROGRAM], directory, stem, *more)


def ours(program, directory, stem, *more):
    return run_with([program, "sextractor"], directory, stem, *more)
