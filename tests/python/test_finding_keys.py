"""Keys and columns are found: by help(), by keys(), by TAB, and by signatures that can be read."""
import inspect
import json
import pathlib
import pydoc
import subprocess
import sys

import pytest

import srcextract
import srcextract.sep

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "config" / "schema.json"


def sections():
    if not SCHEMA.exists():
        pytest.skip("no data: config/ is not here")
    declared = json.loads(SCHEMA.read_text())["properties"]
    return {name: one["properties"] for name, one in declared.items() if "properties" in one}


def test_help_names_every_section():
    text = pydoc.plain(pydoc.render_doc(srcextract.extract))
    for name in sections():
        assert name in text.split("The sections are:")[1].split("Returns")[0].replace(",", " ").replace(":", " ").split()


def test_keys_prints_names_values_and_meaning(capsys):
    for name, keys in sections().items():
        srcextract.keys(name)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(" = ")[0] for line in lines if not line.startswith(" ")] == [f"{name}__{key}" for key in keys]
        assert max(map(len, lines)) <= 100
    srcextract.keys("detection")
    text = " ".join(capsys.readouterr().out.split())
    assert "detection__min_area = 5 Sources of fewer pixels are dropped" in text
    assert "detection__connectivity = 8 Neighbours that join a source" in text and "One of 4, 8." in text


def test_keys_finds_words(capsys):
    srcextract.keys()
    assert {line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")} == set(sections())
    srcextract.keys("threshold_unit")
    assert capsys.readouterr().out.startswith("detection__threshold_unit = 'detection_sigma'")
    srcextract.keys("detection.MIN_area")
    assert capsys.readouterr().out.startswith("detection__min_area = 5\n")
    srcextract.keys("Benjamini")  # of a description alone
    assert capsys.readouterr().out.startswith("detection__false_discovery_rate")
    with pytest.raises(srcextract.ConfigError, match="no key has 'treshold'.*did you mean .*detection__threshold"):
        srcextract.keys("treshold")


IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import srcextract as sx, srcextract, numpy; from srcextract import extract; found = sx.extract(numpy.random.default_rng(1).normal(0, 1, (64, 64)))")
def of(line):
    return shell.complete(None, line, len(line))[1]
for line in LINES:
    print(of(line))
"""
COMPLETIONS = {"sx.extract(image, det": "detection__threshold=", "extract('a.fits', wei": "weights__type=",
               "print(len(srcextract.extract(f(image), crowd__": "crowd__threshold=", "sx.Extractor(psf__": "psf__method=",
               "sx.crowd('a.fits', err": "error=", "sx.threshold(image, thres": "threshold_unit=",
               "sx.extract_many(paths, out": "output__columns=", 'found["X_': "X_IMAGE"}


def test_tab_completes_keys_and_columns():
    pytest.importorskip("IPython")
    done = subprocess.run([sys.executable, "-c", IN_IPYTHON.replace("LINES", repr(list(COMPLETIONS)))], capture_output=True, text=True)
    told = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert len(told) == len(COMPLETIONS), done.stdout + done.stderr
    for (line, wanted), found in zip(COMPLETIONS.items(), told, strict=True):
        assert wanted in found, (line, found)


def test_elsewhere_tab_is_as_before():
    from srcextract.key_texts import names_of
    assert names_of(srcextract.extract) and not names_of(print) and not names_of(3) and not names_of(None)
    assert not names_of(srcextract.Psf) and not names_of(srcextract.compare)


def test_only_public_names_are_listed():
    names = dir(srcextract)
    assert set(names) == {*srcextract.__all__, "errors", "sep", "stages", "__version__"}
    assert all(hasattr(srcextract, name) for name in names) and not {"arrays", "places", "_core", "pipeline"} & set(names)
    for name in ("extract", "keys", "Keys", "data", "SrcextractWarning"):
        assert name in names
    star: dict = {}
    exec("from srcextract import *", star)
    assert star["keys"] is srcextract.keys and "warned" not in star


def test_signatures_can_be_read():
    functions = [getattr(srcextract.sep, name) for name in srcextract.sep.__all__ if callable(getattr(srcextract.sep, name))]
    public = [getattr(srcextract, name) for name in srcextract.__all__ if inspect.isfunction(getattr(srcextract, name))]
    assert len(functions) > 15 and len(public) > 15
    for one in functions + public:
        text = str(inspect.signature(one))
        assert len(text) < 1000 and "Union[" not in text and "numpy._typing" not in text, text
