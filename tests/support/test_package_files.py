"""Test programs in an unpacked package read the package's files, and a file that is missing is a failure."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("SRCEXTRACT_TEST_PROGRAMS")
pytestmark = pytest.mark.skipif(not PROGRAMS, reason="needs the folder of the test programs: SRCEXTRACT_TEST_PROGRAMS")
READ_FILES = {
    "test_config": ["ConfigFiles.TheShippedOnesMeanWhatTheySay", "Documents.AreWhatIsDeclared", "Documents.TheDefaultFileGetsWhatItLacks",
                    "Schema.ShippedFilesNameItAndAreValid"],
    "test_io": ["AstropysTables.TheTruthOfTheSkyThatComesWithSrcextract", "StartCfitsio.ManyThreadsMayOpenTheFirstFiles",
                "TableParquet.NoRowsAndSomeColumns"],
    "test_sextractor": ["SextractorNames.TheManualNamesEveryKeyThatIsKept",
                        "SextractorTranslation.DefaultsAreThoseOfSextractorYaml"],
}
TESTS = [(program, test) for program, tests in READ_FILES.items() for test in tests]


def run(program, tests, folder):
    """Runs these tests where the files of the repository are to be found in `folder`."""
    return subprocess.run([f"{PROGRAMS}/{program}", f"--gtest_filter={tests}"], text=True, capture_output=True,
                          env={**os.environ, "SRCEXTRACT_SOURCE_DIR": str(folder)}, timeout=300)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    tree = tmp_path_factory.mktemp("another name")
    subprocess.run([ROOT / "scripts/package_files.sh", tree, "--with-tests"], check=True)
    return tree


@pytest.mark.parametrize("program", READ_FILES)
def test_programs_find_their_files_in_a_package(program, package):
    tests = READ_FILES[program] + (["*TableParquet*"] if program == "test_io" else [])
    done = run(program, ":".join(tests), package)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ]" in done.stdout and "Running 0 tests" not in done.stdout


@pytest.mark.parametrize("program, test", TESTS)
def test_a_file_that_is_missing_is_a_failure(program, test, tmp_path):
    done = run(program, test, tmp_path)
    assert "Running 1 test " in done.stdout, f"no test {test}"
    assert done.returncode == 1 and "[  FAILED  ]" in done.stdout, done.stdout
