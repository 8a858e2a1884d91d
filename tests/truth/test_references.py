"""The images of data/: the catalogues that stand beside them, and what was really put into them."""
import pathlib
import subprocess

import numpy as np
import pytest
from program import ROOT, SHARED, extract, run

IMAGES = [("default", "sky"), ("lesson", "sky_subtracted")]
DATA = ROOT / "data"
EQUAL = DATA / "reference" / "equal.yaml"


def read_ecsv(path):
    """Header lines, column names, and rows as text, of a file without spaces in its values."""
    lines = path.read_text().splitlines()
    header = [line for line in lines if line.startswith("#")]
    names, *rows = [line.split() for line in lines[len(header):]]
    return header, names, rows


def compare(program, *arguments):
    """The exit code of `srcextract compare`, and what it says."""
    done = subprocess.run([program, "compare", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 5), done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("config, name", IMAGES)
def test_the_catalogue_is_the_reference_to_the_last_bit(program, tmp_path, config, name):
    run(program, config, DATA / f"{name}.fits", tmp_path, "--set", "output.formats=[ecsv]")
    reference, new = DATA / "reference" / config / f"{name}.cat.ecsv", tmp_path / f"{name}.cat.ecsv"
    code, said = compare(program, reference, new, EQUAL)
    assert code == 0, said
    header, _, rows = read_ecsv(new)
    assert f"are equal ({len(rows)} rows, " in said and len(rows) > 50
    # What is said of the columns and of the run: no number, and so nothing that a comparison looks at.
    assert header == read_ecsv(reference)[0]


def next_double(text):
    return repr(float(np.nextafter(float(text), np.inf)))


ALTERATIONS = {
    "flux": ("FLUX_ISO", next_double, 5), "position": ("X_IMAGE", next_double, 5),
    "count": ("NPIX", lambda text: str(int(text) + 1), 5), "number": ("NUMBER", lambda text: str(int(text) + 1000), 5),
    "flag": ("FLAGS", lambda text: str(int(text) ^ 1), 5), "nothing": ("FLUX_ISO", str, 0),
    "sky": ("DELTA_J2000", lambda text: repr(float(text) + 1e-9), 5),
    "libm": ("DELTA_J2000", lambda text: repr(float(text) + 1e-13), 0)}


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_the_rules_of_the_references_demand_equality(program, tmp_path, alteration):
    """In one value of one row."""
    reference = DATA / "reference" / "default" / "sky.cat.ecsv"
    column, alter, expected = ALTERATIONS[alteration]
    header, names, rows = read_ecsv(reference)
    rows[100][names.index(column)] = alter(rows[100][names.index(column)])
    new = tmp_path / "new.ecsv"
    new.write_text("\n".join([*header, " ".join(names), *map(" ".join, rows)]) + "\n")
    code, said = compare(program, reference, new, EQUAL, "-q")
    assert code == expected, said
    assert expected == 0 or f"  {column}: " in said


@pytest.mark.skipif(not SHARED.exists(), reason="no data: shared/data")
@pytest.mark.parametrize("threshold, expected", [(2, 0), (5, 5)])
def test_sextractor_s_catalogue_of_the_image_of_sep(program, tmp_path, threshold, expected):
    run(program, "plain", SHARED / "sep" / "image.fits", tmp_path, "--set", "output.formats=[fits]", "--set",
        f"detection.threshold={threshold}")
    rules = pathlib.Path(__file__).parent / "sep_image.yaml"
    code, said = compare(program, SHARED / "sep" / "image.cat", tmp_path / "image.cat.fits", rules)
    assert code == expected, said


@pytest.mark.parametrize("config, name", IMAGES)
def test_bright_stars_are_found_where_they_were_put(program, tmp_path, config, name):
    catalogue, _ = extract(program, config, DATA / f"{name}.fits", tmp_path)
    _, names, rows = read_ecsv(DATA / f"{name}_truth.ecsv")
    truth = {column: [row[i] for row in rows] for i, column in enumerate(names)}
    x, y, flux = (np.array(truth[column], dtype=float) for column in ("x", "y", "flux"))
    star = np.array(truth["type"]) == "star"
    size = 1024 if name == "sky" else 384
    inside = (np.minimum(x, y) > 12) & (np.maximum(x, y) < size - 12)
    # Alone within 16 pixels among what could shift its centre, and neither faint nor saturated.
    distance = np.hypot(x[:, None] - x, y[:, None] - y) + np.where(flux > 0.05 * flux[:, None], 0, 1e9)
    np.fill_diagonal(distance, 1e9)
    chosen = star & inside & (distance.min(axis=1) > 16) & (flux > 9000) & (flux < 4e5)
    compared = 0
    for i in np.flatnonzero(chosen):
        offset = np.hypot(catalogue["X_IMAGE"] - x[i], catalogue["Y_IMAGE"] - y[i])
        nearest = offset.argmin()
        if catalogue["FLAGS"][nearest] != 0:  # masked pixels took a part of it
            continue
        assert offset[nearest] < 0.2
        # An isophote holds most of a bright star's light, and not more than all of it.
        assert 0.6 * flux[i] < catalogue["FLUX_ISO"][nearest] < 1.03 * flux[i]
        compared += 1
    assert compared >= 3
