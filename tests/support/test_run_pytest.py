"""What CTest is told of a file of tests, some or all of which skip."""

import os
import pathlib
import subprocess
import sys

import pytest

RUNNER = pathlib.Path(__file__).with_name("run_pytest.py")
PASSES = "def test_that_passes(): pass\n"
FAILS = "def test_that_fails(): assert False\n"
NO_MODULE = "def test_of_a_module(): pytest.importorskip('no_such_peer')\n"
NO_PROGRAM = "@pytest.mark.skipif(True, reason='no such program')\ndef test_of_a_program(): pass\n"
NO_FILE = "pytest.importorskip('no_such_peer')\ndef test_unseen(): pass\n"
NO_GPU = "def test_on_a_gpu(): pytest.skip('no GPU: none can be used')\n"
NO_DATA = "pytest.skip('no data: shared/data', allow_module_level=True)\n"
FAILS_AS_EXPECTED = "@pytest.mark.xfail\ndef test_known(): assert False\n"
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def outcome(folder, text, required):
    (folder / "test_it.py").write_text("import pytest\n" + text)
    environment = {name: value for name, value in os.environ.items() if name != "SRCEXTRACT_REQUIRE_PEERS"}
    if required:
        environment["SRCEXTRACT_REQUIRE_PEERS"] = "1"
    done = subprocess.run([sys.executable, RUNNER, folder / "test_it.py"], env=environment, capture_output=True, text=True)
    return {0: PASSED, 77: SKIPPED}.get(done.returncode, FAILED), done.stdout


@pytest.mark.parametrize("text, usual, required", [
    (FAILS_AS_EXPECTED, PASSED, PASSED),
    (NO_MODULE, SKIPPED, FAILED),
    (NO_FILE, SKIPPED, FAILED),
    (NO_GPU, SKIPPED, SKIPPED),
    (NO_DATA, SKIPPED, SKIPPED),
    (PASSES + NO_GPU, PASSED, PASSED),
    (PASSES + NO_PROGRAM, PASSED, FAILED),
    (FAILS + NO_GPU, FAILED, FAILED),
])
def test_what_is_said(tmp_path, text, usual, required):
    assert outcome(tmp_path, text, False)[0] == usual
    assert outcome(tmp_path, text, True)[0] == required


def test_the_reason_is_said(tmp_path):
    assert "could not import 'no_such_peer'" in outcome(tmp_path, NO_MODULE, True)[1]
    assert "SRCEXTRACT_REQUIRE_PEERS is set, but: no such program" in outcome(tmp_path, NO_PROGRAM, True)[1]
