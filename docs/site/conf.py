"""The documentation site of the Python package; scripts/docs.sh builds it."""
import os
import pathlib

import srcextract

project = "srcextract"
author = "the srcextract authors"
copyright = author
version = release = srcextract.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "furo"
html_title = f"srcextract {version}"
exclude_patterns = ["requirements.txt", "_build"]

# Every page that has code is run from an empty directory, and an error in it is one of the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_use_param = False

# Where pages find the repository's images.
os.environ["SRCEXTRACT_DATA"] = str(pathlib.Path(__file__).resolve().parents[2] / "data")
os.environ["SRCEXTRACT_CONFIG"] = str(pathlib.Path(__file__).resolve().parents[2] / "config")
