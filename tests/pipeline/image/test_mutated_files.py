"""Files with one mistake each (mutated_fits.py), hundreds in one process: at least half are accepted, none ends the
process or hangs it, and each refusal is one line with the file, the reason and what to do."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import warnings

import pytest

pytest.importorskip("astropy.io.fits")

from mutated_fits import Mutants, good_files  # noqa: E402

SANITIZED = os.environ.get("SRCEXTRACT_SANITIZE", "") != ""
FILES = 21000 if "SRCEXTRACT_LONG" in os.environ else 1000 if SANITIZED else 5000
AT_ONCE = 500
SECONDS = 300 if SANITIZED else 60  # for so many; they take a tenth of that
# A refusal ends with a clause that tells the user what to do, as an imperative.
FIX = re.compile(r"(; |\? If not, )(check it with .*, and )?(correct|fetch|make|name|raise|run|set|subtract)\b[^;]*$")
CONFIG = """extends: none
output: {formats: [csv, fits], columns: [default, photometry, shapes], segmentation: true}
background: {method: mesh, mesh_size: 16}
deblend: {method: tree}
measurement: {gain_keyword: GAIN}
"""


@pytest.fixture(scope="module")
def mutants():
    return Mutants()


@pytest.fixture(scope="module", autouse=True)
def warnings_of_astropy():
    warnings.simplefilter("ignore")


@pytest.fixture
def in_memory(tmp_path):
    """A directory whose files need no disk, where there is one: each image's outputs are flushed."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="srcextract-mutated-") as name:
        yield pathlib.Path(name)


def extract(paths, directory):
    """Exit code (a text if it hung) and what was said."""
    (directory / "c.yaml").write_text(CONFIG)
    try:
        done = subprocess.run([os.environ["SRCEXTRACT_PROGRAM"], "-q", "--threads", "2", "-o", "out", "c.yaml", *paths],
                              cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return done.returncode, done.stderr.decode(errors="backslashreplace")


def culprits(paths, directory):
    """The files that do it alone."""
    ends = {path: extract([path], directory)[0] for path in paths}
    return {path: end for path, end in ends.items() if end not in (0, 3)}


def faults(said, paths):
    """What is wrong with the refusals, and the files that are refused."""
    wrong, refused = [], collections.Counter()
    for line in said.splitlines():
        named = re.findall(r"\d{6}\.fits(?:\.gz)?", line)
        if not line.startswith(("error: ", "warning: ")) or len(set(named)) != 1 or "internal" in line:
            wrong.append(line)
        if not line.startswith("error: "):
            continue
        refused.update(set(named))
        if not FIX.search(line):
            wrong.append("says not what to do: " + line)
    wrong += [f"{path}: {count} errors" for path, count in refused.items() if count != 1]
    return wrong, set(refused) & set(paths)


def test_good_files_are_accepted_without_an_error(tmp_path):
    paths = []
    for name, data in good_files().items():
        (tmp_path / f"{name.removesuffix('.gz')}.fits{'.gz' if name.endswith('.gz') else ''}").write_bytes(data)
    paths = sorted(path.name for path in tmp_path.iterdir())
    code, said = extract([path for path in paths if not path.endswith(".gz")], tmp_path)
    assert code == 0, said


def test_files_with_one_mistake_are_read_or_refused(mutants, in_memory):
    accepted, wrong = 0, []
    for first in range(0, FILES, AT_ONCE):
        directory = in_memory / str(first)
        directory.mkdir()
        paths = []
        for number in range(first, min(first + AT_ONCE, FILES)):
            name, data = mutants.make(number)
            (directory / name).write_bytes(data)
            paths.append(name)
        code, said = extract(paths, directory)
        assert code in (0, 3), (code, said[-2000:], culprits(paths, directory))
        of_these, refused = faults(said, paths)
        wrong += of_these
        done = {path.name.split(".")[0] for path in (directory / "out").glob("*.csv")}
        assert {path.split(".")[0] for path in paths if path not in refused} == done
        accepted += len(done)
        shutil.rmtree(directory)
    assert wrong == [], "\n".join([f"{len(wrong)}:", *wrong[:100]])
    assert accepted >= FILES / 2, f"only {accepted} of {FILES} are accepted"
