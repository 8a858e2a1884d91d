"""The test suites of SEP and photutils with srcextract in their place: what ran, what passed, and why the rest differs.

    python tests/python/peer_suites.py    # prints the rows of the table in docs/testing.md; SEP's needs SRCEXTRACT_SEP_SOURCES
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "testing.md"
# Other files of photutils' suite call nothing that srcextract stands in for, or test the form of calls alone.
FILES = ["aperture.tests.test_photometry", "background.tests.test_background_2d", "background.tests.test_local_background",
         "detection.tests.test_daofinder", "detection.tests.test_irafstarfinder", "detection.tests.test_starfinder",
         "segmentation.tests.test_catalog", "segmentation.tests.test_deblend", "segmentation.tests.test_detect",
         "segmentation.tests.test_finder"]
OF_SEP = """
import pytest, sys, srcextract.sep
sys.modules["sep"] = srcextract.sep
import suite_report
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "suite_report", *sys.argv[1:]]))
"""


def ran(command, folder):
    """[name, outcome, whether srcextract did work] of each test of a command."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.json"
        paths = [str(HERE), str(pathlib.Path(__import__("srcextract").__file__).absolute().parents[1]), os.environ.get("PYTHONPATH", "")]
        told = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), SRCEXTRACT_SUITE_REPORT=str(report), MPLBACKEND="agg")
        done = subprocess.run([sys.executable, *command], cwd=folder or scratch, env=told, capture_output=True, text=True, timeout=900)
        if not report.exists():
            raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])
        return json.loads(report.read_text())


def of_photutils():
    """Tests of levels in equal steps of light and of several processes are left out: photutils does that by itself."""
    return ran(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "photutils_adapter", "-k", "not multiproc and not linear", "--pyargs",
                *(f"photutils.{file}" for file in FILES)], None)


def of_sep(sources):
    return ran(["-c", OF_SEP, *sorted(path.name for path in pathlib.Path(sources).glob("test*.py"))], sources)


def differ(tests):
    return {name for name, outcome, ours in tests if ours and outcome == "failed"}


def excepted(file):
    """Names of tests, which stand indented below the reason."""
    lines = [line for line in (HERE / file).read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0].endswith(":")
    assert all(line.endswith(":") or line.startswith("    ") for line in lines)
    return {line.strip() for line in lines if line.startswith("    ")}


def rows(tests):
    """A line of the table for each file: its tests, those in which srcextract does the work, and of these what passes and differs."""
    counts = {}
    for name, outcome, ours in tests:
        row = counts.setdefault(name.split("::")[0], [0, 0, 0, 0])
        row[0] += 1
        for at, counted in enumerate((ours, ours and outcome == "passed", ours and outcome == "failed"), 1):
            row[at] += counted
    return [f"| `{file}` | {' | '.join(str(number) for number in row)} |" for file, row in sorted(counts.items())]


if __name__ == "__main__":
    found = of_photutils()
    print("\n".join([*rows(found), *sorted(differ(found))]))
    if "SRCEXTRACT_SEP_SOURCES" in os.environ:
        found = of_sep(os.environ["SRCEXTRACT_SEP_SOURCES"])
        print("\n".join([*rows(found), *sorted(differ(found))]))
