"""Runs the Python tests named; exits with 77 (skipped, to CTest) where there is no pytest, or where not one of them ran
because each lacks what it needs. With SRCEXTRACT_REQUIRE_PEERS set, as in CI, a test that skips for want of a peer (SciPy,
SExtractor, strace...) fails instead."""

import importlib.util
import os
import sys
import tempfile

SKIPPED = 77
REQUIRED = "SRCEXTRACT_REQUIRE_PEERS" in os.environ

# What a reason to skip begins with if it is of the machine or the build. Any other is that a peer is missing: so a new
# one is not overlooked.
OF_THE_MACHINE = ("no GPU: ", "no data: ", "no limited file system: ", "root: ", "sanitizers: ")

if importlib.util.find_spec("pytest") is None:
    print(f"skipped: {sys.executable} has no pytest")
    sys.exit(1 if REQUIRED else SKIPPED)

import pytest


class Skips:
    """Counts the tests that ran, and makes failures of skips that are none of the machine's."""

    def __init__(self):
        self.ran = 0

    @staticmethod
    def judge(report):
        if not (REQUIRED and report.skipped) or hasattr(report, "wasxfail"):
            return
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(OF_THE_MACHINE):
            report.outcome = "failed"
            report.longrepr = f"SRCEXTRACT_REQUIRE_PEERS is set, but: {reason}"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self):
        self.judge((yield).get_result())

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self):
        self.judge((yield).get_result())

    def pytest_runtest_logreport(self, report):
        self.ran += report.when == "call" and (not report.skipped or hasattr(report, "wasxfail"))


def main(tests):
    skips = Skips()
    # A folder of its own: tests take permissions off folders above theirs, which others, at the same time, must not miss.
    with tempfile.TemporaryDirectory(prefix="srcextract-") as folder:
        code = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "--basetemp", os.path.join(folder, "tests"), *tests],
                           plugins=[skips])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED or (code == pytest.ExitCode.OK and skips.ran == 0):
        return SKIPPED
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
