import os

import numpy as np
import pytest

import numpy_combine


@pytest.mark.parametrize("method", numpy_combine.METHODS)
def test_is_what_numpy_makes_of_the_planes(method):
    assert not numpy_combine.compare(os.environ["SRCEXTRACT_COMBINE_PLANES"], "cpu", method)


@pytest.mark.parametrize("method", numpy_combine.METHODS)
def test_the_cases_are_of_every_kind(method):
    cases = list(numpy_combine.random_cases(method))
    shapes = {case.planes.shape[1:] for case in cases}
    assert any(height == 1 for height, _ in shapes) and any(width == 1 for _, width in shapes)
    assert any(np.isnan(case.planes).all(axis=0).any() for case in cases)
    assert any(np.isfinite(case.planes).all() for case in cases) and any((case.sigmas == 0).any() for case in cases)


@pytest.mark.parametrize("method", numpy_combine.METHODS)
def test_the_comparison_notices_another_float(method):
    for case in numpy_combine.random_cases(method, 1):
        right = numpy_combine.combined_by_numpy(method, case).astype(np.float32)
        masked = np.isnan(case.planes).sum()
        assert numpy_combine.problem_of(method, case, right, masked) is None
        wrong = np.nextafter(right, np.float32(np.inf))
        assert numpy_combine.problem_of(method, case, wrong, masked)
