"""srcextract psf on the image of the documentation."""
import base64
import os
import re
import subprocess

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

import png_files
from driver import ROOT

PROGRAM = os.environ["SRCEXTRACT_PROGRAM"]


def parts_of(svg, directory):
    """The text of a picture, and the pixels of the pictures within, however they are compressed."""
    pictures = []
    for i, data in enumerate(re.findall(r"base64,([^\"]*)", svg)):
        (directory / f"{i}.png").write_bytes(base64.b64decode(data))
        pictures.append(png_files.read(directory / f"{i}.png"))
    return re.sub(r"base64,[^\"]*", "", svg), pictures


def test_the_picture_of_the_documentation_is_fresh(tmp_path):
    done = subprocess.run([PROGRAM, "psf", "-q", "-o", tmp_path, "data/sky.fits"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sky.psf", "sky.psf.stars.fits", "sky.psf.svg"]
    text, pictures = parts_of((tmp_path / "sky.psf.svg").read_text(), tmp_path)
    documented, known = parts_of((ROOT / "docs/pictures/psf.svg").read_text(), tmp_path)
    stale = "docs/pictures/psf.svg is stale: srcextract psf data/sky.fits draws it again"
    assert text == documented and len(pictures) == 11, stale
    assert all(np.array_equal(*pair) for pair in zip(pictures, known)), stale


def test_the_cards_are_those_of_psfex(tmp_path):
    subprocess.run([PROGRAM, "psf", "-q", "-o", tmp_path, "data/sky.fits"], cwd=ROOT, check=True)
    with fits.open(tmp_path / "sky.psf") as file:
        head, mask = file["PSF_DATA"].header, file["PSF_DATA"].data["PSF_MASK"][0]
        for card in ("LOADED", "ACCEPTED", "CHI2", "POLNAXIS", "POLGRP1", "POLNAME1", "POLZERO1", "POLSCAL1", "POLNGRP",
                     "POLDEG1", "PSF_FWHM", "PSF_SAMP", "PSFNAXIS", "PSFAXIS1", "PSFAXIS2", "PSFAXIS3"):
            assert card in head
        assert mask.shape == (head["PSFAXIS3"], head["PSFAXIS2"], head["PSFAXIS1"]) and mask.dtype == ">f4"
        assert abs(mask[0].sum() * head["PSF_SAMP"] ** 2 - 1) < 1e-5 and np.abs(mask[1:].sum((1, 2))).max() < 1e-5
        stars = fits.getdata(tmp_path / "sky.psf.stars.fits", 1)
        assert head["LOADED"] == len(stars) and head["ACCEPTED"] == stars["USED"].sum() > 50


@pytest.mark.parametrize("arguments, words", [([], "IMAGE is required"), (["--positions", "x.csv", "a.fits"], "--positions"),
                                              (["absent.fits"], "absent.fits")])
def test_wrong_calls_are_answered(tmp_path, arguments, words):
    done = subprocess.run([PROGRAM, "psf", *arguments], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0 and words in done.stderr
