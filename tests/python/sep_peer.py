"""SEP, which srcextract.sep is held against."""
import pytest


def peer(minor=0):
    """SEP itself, at least 1.minor; 1.3 changed what extract returns."""
    sep = pytest.importorskip("sep")
    if int(sep.__version__.split(".")[1]) < minor:
        pytest.skip(f"SEP {sep.__version__} is older than 1.{minor} (pip install sep)")
    return sep
