import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))


@pytest.fixture(scope="session")
def program():
    if "SRCEXTRACT_PROGRAM" not in os.environ:
        raise pytest.UsageError("SRCEXTRACT_PROGRAM must name the program to test")
    return os.environ["SRCEXTRACT_PROGRAM"]


@pytest.fixture(scope="session")
def sky_directory(tmp_path_factory):
    """Where simulated skies are made, once."""
    return tmp_path_factory.mktemp("skies")
