"""photutils' own tests, with srcextract doing what it has an equivalent of (photutils_adapter.py): the counts of docs/testing.md."""
import pytest

import peer_suites

photutils = pytest.importorskip("photutils")
for needed in "scipy", "skimage", "matplotlib", "gwcs":
    pytest.importorskip(needed)


def test_what_passed_passes():
    if not photutils.__version__.startswith("3.0"):
        pytest.skip(f"photutils {photutils.__version__} has other tests than 3.0, which docs/testing.md counts")
    tests = peer_suites.of_photutils()
    assert peer_suites.differ(tests) == peer_suites.excepted("photutils_suite_exceptions.txt")
    if peer_suites.PAGE.is_file():
        page = peer_suites.PAGE.read_text().splitlines()
        assert [row for row in peer_suites.rows(tests) if row not in page] == []
