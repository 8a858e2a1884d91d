"""A plugin of pytest: [name, outcome, whether srcextract did work in it] for each test, as JSON in SRCEXTRACT_SUITE_REPORT."""
import json
import os

calls = None  # of srcextract in this test; None: every test counts as one of srcextract
_file, _tests = "", {}


def work(files):
    """Counts a call of srcextract; in other files than these it only prepares what is tested."""
    global calls
    calls += not files or _file in files


def pytest_runtest_setup(item):
    global calls, _file
    calls, _file = None if calls is None else 0, item.path.name


def pytest_runtest_logreport(report):
    name = f"{_file}::{report.nodeid.partition('::')[2]}"
    outcome = _tests.get(name, ("passed",))[0]
    _tests[name] = report.outcome if report.outcome != "passed" else outcome, calls is None or calls > 0


def pytest_sessionfinish():
    if "SRCEXTRACT_SUITE_REPORT" in os.environ:
        with open(os.environ["SRCEXTRACT_SUITE_REPORT"], "w") as file:
            json.dump([[name, *what] for name, what in sorted(_tests.items())], file)
