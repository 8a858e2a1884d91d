import os

import pytest

pytest.importorskip("scipy")

import cleaned_masks


def test_cleaned_masks_are_those_of_scipy():
    problems, _ = cleaned_masks.compare(os.environ["SRCEXTRACT_CLEAN_MASKS"], "cpu")
    assert not problems


def test_the_cases_are_of_every_kind():
    cases = list(cleaned_masks.random_cases())
    assert {case.mask.shape[1] for case in cases} == set(range(1, 131))
    assert {(case.operation, case.element, case.iterations) for case in cases} == {
        (operation, element, n) for operation in range(3) for element in range(2) for n in range(1, 6)}
    left = [case.truth().any() for case in cases if case.operation < 2]
    assert 0.2 < sum(left) / len(left) < 0.8
