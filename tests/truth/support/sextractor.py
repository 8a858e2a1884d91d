"""Runs SExtractor, set to do as srcextract does: no filter, deblending or cleaning."""
import pathlib
import shutil
import subprocess

PROGRAM = shutil.which("source-extractor") or shutil.which("sex")
SETTINGS = {
    "BACK_TYPE": "MANUAL", "THRESH_TYPE": "ABSOLUTE", "DETECT_MINAREA": 5, "FILTER": "N", "DEBLEND_NTHRESH": 1,
    "DEBLEND_MINCONT": 1.0, "CLEAN": "N", "MASK_TYPE": "NONE", "WEIGHT_TYPE": "NONE", "GAIN": 0, "GAIN_KEY": "NONE",
    "SATUR_LEVEL": 1e29, "SATUR_KEY": "NONE", "MEMORY_PIXSTACK": 10_000_000, "MEMORY_OBJSTACK": 60_000,
    "VERBOSE_TYPE": "QUIET"}
# With a background and a noise map of its own, as a user would ask it for five sigma: meshes as it has them by default.
BY_ITSELF = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "WEIGHT_TYPE": "BACKGROUND",
             "THRESH_TYPE": "RELATIVE", "DETECT_THRESH": 5, "ANALYSIS_THRESH": 5}


def at_level(background, threshold):
    """The settings that give it these, `threshold` counted from `background`."""
    return {"BACK_VALUE": background, "DETECT_THRESH": threshold, "ANALYSIS_THRESH": threshold}


def sextract(image, directory, columns, catalog_type="FITS_1.0", **settings):
    """The path of SExtractor's catalogue of these columns."""
    (directory / "columns").write_text("\n".join(columns) + "\n")
    path = pathlib.Path(directory) / f"{catalog_type.lower()}.cat"
    chosen = SETTINGS | {"PARAMETERS_NAME": "columns", "CATALOG_NAME": path, "CATALOG_TYPE": catalog_type} | settings
    command = [PROGRAM, str(image), "-c", "/dev/null"]
    command += [str(part) for name, value in chosen.items() for part in (f"-{name}", value)]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    assert done.returncode == 0 and "overflow" not in done.stderr, done.stderr
    return path
