"""What is said of an installation is what its command says, and its metadata can be shown anywhere."""
import importlib.metadata
import os
import pathlib
import re
import subprocess
import sysconfig

import pytest

import srcextract

COMMAND = pathlib.Path(sysconfig.get_path("scripts")) / "srcextract"


@pytest.fixture
def metadata():
    name = srcextract.build_info()["distribution"]
    if name == "none":
        pytest.skip("no data: the package is not installed, it is imported from a build")
    return importlib.metadata.metadata(name)


def test_it_is_what_the_command_prints():
    if not os.access(COMMAND, os.X_OK):
        pytest.skip("no data: the package is not installed, it is imported from a build")
    printed = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    of_command = dict(line.split(maxsplit=1) for line in printed)
    info = srcextract.build_info()
    del info["distribution"]
    assert {"srcextract": info.pop("version"), **info} == of_command and len(info) > 8


def test_the_name_says_which_cuda_is_in(metadata):
    """A name with cuda is of a package with that CUDA; packages built here by pip have the plain name and what was there."""
    of_name, built = re.search(r"-cuda(\d+)$", metadata["Name"]), srcextract.build_info()["CUDA"]
    assert of_name is None or built.split(".")[0] == of_name[1]


def test_the_metadata_hold_anywhere(metadata):
    assert metadata["License-Expression"] == "BSD-3-Clause" and "LICENSE" in metadata.get_all("License-File")
    text = metadata.get_payload() or metadata["Description"]
    links = re.findall(r"\]\(([^)]*)\)|(?:src|href)=\"([^\"]*)\"", text)
    assert len(text) > 500 and all((one or other).startswith("https://") for one, other in links)
