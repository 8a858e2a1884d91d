"""Docstrings are complete: numpydoc finds no public name without one, no argument and no result that is not described."""
import inspect

import pytest

import srcextract
import srcextract.sep

validate = pytest.importorskip("numpydoc.validate").validate

MODULES = srcextract, srcextract.sep, srcextract.data, srcextract.stages, srcextract.errors
WRONG = {"GL08": "no docstring", "PR01": "arguments that are not described", "PR02": "described, and no argument",
         "RT01": "a result that is not described"}


def public():
    """Functions, classes and their members."""
    for module in MODULES:
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            one = getattr(module, name)
            if not ((inspect.isclass(one) or inspect.isfunction(one)) and one.__module__.startswith("srcextract")):
                continue
            yield f"{module.__name__}.{name}"
            for member, value in vars(one).items() if inspect.isclass(one) else ():
                if not member.startswith("_") and (callable(value) or hasattr(value, "__get__")):
                    yield f"{module.__name__}.{name}.{member}"


def test_nothing_is_left_out():
    names = sorted(set(public()))
    assert len(names) > 150 and "srcextract.Catalogue.match" in names and "srcextract.sep.winpos" in names
    wrong = [f"{name}: {WRONG[code]}: {text}" for name in names for code, text in validate(name)["errors"] if code in WRONG]
    assert not wrong, "\n".join(wrong)
