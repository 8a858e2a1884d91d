"""The images of data/: the catalogues that stand beside them, and what was really put into them."""
import numpy as np
import pytest
from program import ROOT, extract, run

IMAGES = [("default", "sky"), ("lesson", "sky_subtracted")]
DATA = ROOT / "data"


def read_ecsv(path):
    """Header lines, column names, and rows as text, of a file without spaces in its values."""
    lines = path.read_text().splitlines()
    header = [line for line in lines if line.startswith("#")]
    names, *rows = [line.split() for line in lines[len(header):]]
    return header, names, rows


@pytest.mark.parametrize("config, name", IMAGES)
def test_the_catalogue_is_the_reference_to_the_last_bit(program, tmp_path, config, name):
    run(program, config, DATA / f"{name}.fits", tmp_path, "--set", "output.formats=[ecsv]")
    header, names, rows = read_ecsv(tmp_path / f"{name}.cat.ecsv")
    wanted_header, wanted_names, wanted_rows = read_ecsv(DATA / "reference" / config / f"{name}.cat.ecsv")
    assert header == wanted_header
    assert names == wanted_names
    assert len(rows) == len(wanted_rows) > 50
    # The sky position alone goes through the C library's trigonometry (docs/architecture.md).
    sky = [i for i, column in enumerate(names) if column in ("ALPHA_J2000", "DELTA_J2000")]
    assert len(sky) == 2
    for row, wanted in zip(rows, wanted_rows):
        assert [v for i, v in enumerate(row) if i not in sky] == [v for i, v in enumerate(wanted) if i not in sky]
        for i in sky:
            assert abs(float(row[i]) - float(wanted[i])) < 1e-12 * 360


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
