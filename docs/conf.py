"""The documentation site: every page of docs/. scripts/docs.sh builds it."""
import pathlib
import re

import srcextract

DOCS = pathlib.Path(__file__).resolve().parent

project = "srcextract"
author = "the srcextract authors"
copyright = author
version = release = srcextract.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_copybutton"]
html_theme = "furo"
html_title = f"srcextract {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]

# The copy button takes the commands of a block, without prompts and without what they print.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

# A page that has code cells is run from an empty directory, and an error in it is one of the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]  # DuckDB's literals are not SQL to the highlighter
myst_heading_anchors = 4  # as GitHub names them

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_use_param = False


def link_to_repository(app, page, source):
    """A link to a file of the repository that is no page becomes a download: the site has no page for it to lead to."""
    folder = pathlib.Path(app.env.doc2path(page)).parent

    def link(match):
        text, target = match.groups()
        outside = not (folder / target).resolve().is_relative_to(DOCS)
        return f"{{download}}`{text} <{target}>`" if outside else match[0]

    source[0] = re.sub(r"(?<!!)\[([^\]`]+)\]\((\.\./[^)#\s]+)(?:#[^)]*)?\)", link, source[0])


def setup(app):
    app.connect("source-read", link_to_repository)
