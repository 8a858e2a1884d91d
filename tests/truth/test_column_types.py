"""Whole numbers are whole numbers in every format, as Astropy reads them; what compares and joins catalogues takes them."""
import pathlib
import re
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
from astropy.table import Table

import sextractor
from oracle_fields import field
from program import ROOT, run

FORMATS = {"fits": "cat.fits", "ecsv": "cat.ecsv", "csv": "cat.csv"}
WHOLE = {"NITER_WIN": "i2", "FLAGS_WIN": "i2", "FLAGS": "i2", **{f"ISO{i}": "i4" for i in range(8)}, "NUMBER": "i4",
         "ISOAREAF_IMAGE": "i8", "ANNULUS_PIXELS": "i4", "NLOWWEIGHT_ISO": "i4", "NLOWDWEIGHT_ISO": "i4", "FLAGS_WEIGHT": "i2",
         "NPIX": "i8", "ISOAREA_IMAGE": "i8", "IMAFLAGS_ISO": "i8", "NIMAFLAGS_ISO": "i8",
         **{f"{axis}{which}_IMAGE": "i4" for axis in "XY" for which in ("MIN", "MAX", "PEAK")}}


def extracted(program, directory, columns="[all]"):
    """The catalogues in every format, of two images with maps of flags."""
    sky = field(751, 192, 2000, noise=20.0)
    hdus = [fits.PrimaryHDU(), fits.ImageHDU(sky, name="SCI"), fits.ImageHDU(np.indices(sky.shape)[0].astype("i4"), name="DQ"),
            fits.ImageHDU(np.indices(sky.shape)[1].astype("i2"), name="DQ2")]
    fits.HDUList(hdus).writeto(directory / "sky.fits", overwrite=True)
    run(program, "plain", directory / "sky.fits", directory, "--set", "output.formats=[fits, ecsv, csv]", "--set",
        f"output.columns={columns}", "--set", "input.hdu=SCI", "--set", "flags.hdu=DQ", "--set", "flags.further=[{hdu: DQ2}]",
        "--set", "detection.analysis_threshold=6", "--set", "detection.threshold=4")
    return {name: directory / f"sky.{ending}" for name, ending in FORMATS.items()}


def test_every_format(program, tmp_path):
    paths = extracted(program, tmp_path)
    tables = {"fits": Table.read(paths["fits"]), "ecsv": Table.read(paths["ecsv"], format="ascii.ecsv"),
              "csv": Table.read(paths["csv"], format="ascii.csv")}
    assert len(tables["fits"]) > 15 and (tables["fits"]["NITER_WIN"] > 1).any() and (tables["fits"]["ISO0"] > 5).any()
    for name in ("IMAFLAGS_ISO", "NIMAFLAGS_ISO"):
        tables["csv"][name] = np.column_stack([tables["csv"][name], tables["csv"][f"{name}_1"]])
        assert tables["fits"][name].shape == (len(tables["fits"]), 2)
    for name, kind in WHOLE.items():
        for form, table in tables.items():
            values = np.asarray(table[name])
            assert values.dtype.kind == "i", f"{name} in {form}"
            assert form == "csv" or values.dtype.newbyteorder("=") == np.dtype(kind), f"{name} in {form}: {values.dtype}"
            assert np.array_equal(values, tables["fits"][name]), f"{name} in {form}"
    real = [name for name in tables["fits"].colnames if name not in WHOLE]
    assert len(real) > 60 and all(tables["fits"][name].dtype.kind == "f" for name in real if name != "ID_PARENT")
    assert not any(re.search(r"[.e]", row) for row in np.asarray(tables["csv"]["ISO3"]).astype(str))


@pytest.mark.skipif(sextractor.PROGRAM is None, reason="SExtractor is not installed")
def test_as_sextractor_has_them(program, tmp_path):
    """What is a whole number there is one here, of as many bits or more."""
    names = ["NITER_WIN", "FLAGS_WIN", *(f"ISO{i}" for i in range(8)), "ISOAREAF_IMAGE", "FLAGS", "XPEAK_IMAGE"]
    mine = fits.getdata(extracted(program, tmp_path)["fits"], 1)
    theirs = fits.getdata(sextractor.sextract(f"{tmp_path}/sky.fits[1]", tmp_path, ["X_IMAGE", *names]), 1)
    for name in names:
        assert theirs[name].dtype.kind == mine[name].dtype.kind == "i", name
        assert mine[name].dtype.itemsize >= theirs[name].dtype.itemsize, name


def test_compare_and_merge_take_them(program, tmp_path):
    paths = extracted(program, tmp_path)
    for other in ("ecsv", "csv"):
        done = subprocess.run([program, "compare", paths["fits"], paths[other]], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    table = Table.read(paths["ecsv"], format="ascii.ecsv")
    table["ISO3"] += 7
    table.write(tmp_path / "other.ecsv", format="ascii.ecsv")
    done = subprocess.run([program, "compare", paths["fits"], tmp_path / "other.ecsv"], capture_output=True, text=True)
    assert done.returncode != 0 and "ISO3" in done.stdout

    survey = tmp_path / "survey"
    (tmp_path / "in").mkdir()
    for i in range(2):
        fits.writeto(tmp_path / "in" / f"{i}.fits", field(760 + i, 128, 2000, noise=20.0))
    command = [program, "batch", "-q", ROOT / "tests/support/plain.yaml", tmp_path / "in", "-o", survey, "--set",
               "output.columns=[default, windowed, profile]"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([program, "merge", survey, "-o", tmp_path / "all.fits"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    merged = fits.getdata(tmp_path / "all.fits", 1)
    parts = [fits.getdata(path, 1) for path in sorted(pathlib.Path(survey).glob("*.cat.fits"))]
    assert len(parts) == 2
    for name in ("NITER_WIN", "FLAGS_WIN", "ISO0", "ISOAREAF_IMAGE"):
        assert merged[name].dtype == parts[0][name].dtype and merged[name].dtype.kind == "i", name
        assert np.array_equal(merged[name], np.concatenate([part[name] for part in parts])), name
