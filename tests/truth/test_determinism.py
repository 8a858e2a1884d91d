"""The same pixels and configuration give the same bytes, whatever the number of threads and however often."""
import pathlib

import pytest

import skies
from program import run


def outputs(program, config, image, directory, threads):
    """Bytes of every output but the report, which alone may tell one run from another."""
    run(program, config, image, directory, "--backend", "cpu", "--threads", threads, "--set",
        "output.formats=[fits,ldac,ecsv,csv,ascii_head,reg]", "--set", "output.segmentation=true")
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.endswith(".run.json")}


NAMES = ["data/sky", "nan_1001x777", "crowded_1023x1025", "float_2048", "spiral_1025"]


# The kernel of the default is wider than a column.
@pytest.mark.parametrize("config, name", [(config, name) for config in ("default", "plain", "lesson") for name in NAMES] +
                         [(config, "one_column_4099") for config in ("plain", "lesson")])
def test_same_bytes(program, sky_directory, tmp_path, config, name):
    image = skies.image(name, sky_directory)
    first = outputs(program, config, image, tmp_path / "first", 1)
    endings = {pathlib.Path(name).suffixes[-1] for name in first}
    assert endings == {".fits", ".ldac", ".ecsv", ".csv", ".txt", ".reg"} and len(first) == 7
    for i, threads in enumerate([1, 2, 7, 7]):
        again = outputs(program, config, image, tmp_path / str(i), threads)
        assert {name for name in first if again.get(name) != first[name]} == set(), f"{threads} threads"
