import os

import pytest


@pytest.fixture(scope="session")
def program():
    if "SRCEXTRACT_PROGRAM" not in os.environ:
        raise pytest.UsageError("SRCEXTRACT_PROGRAM must name the program to test")
    return os.environ["SRCEXTRACT_PROGRAM"]


@pytest.fixture(scope="session")
def sky_directory(tmp_path_factory):
    """Where simulated skies are made, once."""
    return tmp_path_factory.mktemp("skies")
