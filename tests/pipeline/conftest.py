import os
import shutil
import subprocess

import pytest

from driver import ROOT, run_program
from fits_files import write_sky


def pytest_configure():
    if "SRCEXTRACT_PROGRAM" not in os.environ:
        raise pytest.UsageError("SRCEXTRACT_PROGRAM must name the program to test")


@pytest.fixture
def run(tmp_path):
    """Runs the program in the test's own directory; `env` is added to the environment."""
    return lambda *arguments, cwd=tmp_path, **more: run_program(*arguments, cwd=cwd, **more)


@pytest.fixture
def compare(run):
    """Runs `srcextract compare`, whose stderr is empty unless it cannot compare."""

    def run_compare(*arguments, **more):
        done = run("compare", *arguments, **more)
        assert (done.err == "") == (done.code in (0, 5)), done.err
        return done

    return run_compare


@pytest.fixture
def tracer():
    """Skips the test where system calls cannot be traced."""
    if "address" in os.environ.get("SRCEXTRACT_SANITIZE", ""):
        pytest.skip("sanitizers: the search for leaks does not bear to be traced")
    if shutil.which("strace") is None or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode != 0:
        pytest.skip("no strace, or it may not trace")


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    """The catalogues of data/sky.fits, which are called sky.cat.*, in every format that the program writes."""
    directory = tmp_path_factory.mktemp("own")
    done = run_program("-q", "-o", directory, "--set", "output.formats=[fits,ecsv,csv,votable,votable_text]", ROOT / "tests/support/plain.yaml",
                       ROOT / "data/sky.fits")
    assert done.code == 0, done.err
    return directory


@pytest.fixture
def config(tmp_path):
    """A configuration whose results for fits_files.sky() are known by hand."""
    path = tmp_path / "c.yaml"
    path.write_text("background:\n  method: constant\nmeasurement:\n  reference: zero\noutput:\n  formats: [csv]\n"
                    "extends: none\n")
    return path


@pytest.fixture
def image(tmp_path):
    return write_sky(tmp_path / "sky.fits")


@pytest.fixture
def configure(tmp_path):
    """Writes config.yaml with this text, which stands alone if it does not say what it extends, and returns its name."""

    def write_config(text):
        (tmp_path / "config.yaml").write_text(text if "extends:" in text else f"{text.rstrip()}\nextends: none\n")
        return "config.yaml"

    return write_config


@pytest.fixture
def extract(run, configure, tmp_path):
    """The directory, named by the caller, in which a run with a configuration of this text has written its outputs: of
    an image, or of two frames, of which the first is subtracted."""

    def run_into(directory, text, *images):
        command = ["difference"] if len(images) == 2 else []
        done = run(*command, configure(text), *images, "-o", directory)
        assert done.code == 0, done.err
        return tmp_path / directory

    return run_into


@pytest.fixture
def show(tmp_path):
    """Opens a page, and holds at the end of the test that it said nothing and asked for nothing but itself."""
    import browser

    shown = []

    def show_page(path, **options):
        page = browser.Browser(tmp_path / f"profile{len(shown)}", **options)
        shown.append((page, path))
        page.open(path, **({} if options.get("scripts", True) else {"ready": "document.readyState === 'complete'"}))
        return page

    yield show_page
    for page, path in shown:
        page.ask("0")  # takes what the page has said until now
        page.close()
        assert page.messages == []
        assert page.requests == [path.resolve().as_uri()]
