"""Runs the Python tests named, or those of this folder; exits with 77 (skipped, to CTest) where there is no
pytest, or where every test named lacks what it needs."""

import importlib.util
import os
import sys

if importlib.util.find_spec("pytest") is None:
    print(f"skipped: {sys.executable} has no pytest")
    sys.exit(77)

import pytest

tests = sys.argv[1:] or [os.path.dirname(os.path.abspath(__file__))]
code = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *tests])
sys.exit(77 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code)
