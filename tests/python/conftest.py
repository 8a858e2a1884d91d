"""What tests of the Python package share: the command, an image, and where the package is."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The command, which the package has to agree with."""
    path = os.environ.get("SRCEXTRACT_PROGRAM", str(ROOT / "build" / "srcextract"))
    if not os.access(path, os.X_OK):
        pytest.skip("no program: set SRCEXTRACT_PROGRAM")
    return path


@pytest.fixture(scope="session")
def run(program, tmp_path_factory):
    """Runs the command; returns the directory with what it wrote."""

    def command(image, *options, config=ROOT / "config" / "default.yaml"):
        out = tmp_path_factory.mktemp("command")
        subprocess.run([program, "-q", "-o", str(out), *options, str(config), str(image)], check=True)
        return out

    return command


@pytest.fixture(scope="session")
def sky_path():
    return ROOT / "data" / "sky.fits"


@pytest.fixture
def counted(monkeypatch):
    """A bar that tqdm would draw, as a list: the total, each step, and "closed"."""
    tqdm_auto = pytest.importorskip("tqdm.auto")
    steps = []

    class Bar:
        def __init__(self, total, unit):
            steps.append(total)

        def update(self, number):
            steps.append(number)

        def close(self):
            steps.append("closed")

    monkeypatch.setattr(tqdm_auto, "tqdm", Bar)
    return steps


# What a test may be without on any machine: no registry's package runs everywhere.
OPTIONAL = ("cupy", "torch", "jax", "'ray", "no GPU", "no CUDA")


def _require_peers(report):
    """A peer that is missing is a failure where SRCEXTRACT_REQUIRE_PEERS is set, as in CI."""
    reason = str(report.longrepr)
    if (report.skipped and "SRCEXTRACT_REQUIRE_PEERS" in os.environ and not any(word in reason for word in OPTIONAL)
            and ("could not import" in reason or "no program" in reason)):
        report.outcome = "failed"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    _require_peers(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():
    outcome = yield
    _require_peers(outcome.get_result())
