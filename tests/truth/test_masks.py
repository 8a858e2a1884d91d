import os

import pytest

pytest.importorskip("scipy")

import random_masks


def test_labels_are_those_of_scipy():
    problems, _ = random_masks.compare(os.environ["SRCEXTRACT_LABEL_MASKS"], "cpu")
    assert not problems


def test_the_masks_are_of_every_kind():
    masks = list(random_masks.random_masks())
    shapes = {mask.shape for mask in masks}
    assert len(masks) == 20000 and len(shapes) > 1500
    assert (1, 1) in shapes and max(height for height, _ in shapes) > 256
    assert any(mask.all() for mask in masks) and not all(mask.any() for mask in masks)
