"""Random masks, labelled by the program's own stages through label_masks and by scipy.ndimage.label."""
import subprocess

import numpy as np
from scipy import ndimage

STRUCTURES = {4: None, 8: np.ones((3, 3))}


def random_masks(count=20000, seed=1):
    """Every shape from 1 x 1 up, single rows and columns, now and then a larger one; every density."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        width, height = rng.integers(1, 48, 2)
        if i % 10 == 0:
            height = 1
        elif i % 10 == 1:
            width = 1
        elif i % 500 == 2:
            width, height = rng.integers(100, 400, 2)
        yield rng.uniform(size=(height, width)) < rng.uniform()


def labelled(tool, backend, masks, connectivity):
    """The label maps that the program makes of them."""
    request = b"".join(np.array([*mask.shape[::-1], connectivity], np.int32).tobytes() + mask.tobytes()
                       for mask in masks)
    done = subprocess.run([tool, "--backend", backend], input=request, stdout=subprocess.PIPE, check=True)
    labels = np.frombuffer(done.stdout, np.int32)
    ends = np.cumsum([mask.size for mask in masks])
    if labels.size != ends[-1]:
        raise RuntimeError(f"{labels.size} labels for {ends[-1]} pixels")
    return [part.reshape(mask.shape) for part, mask in zip(np.split(labels, ends[:-1]), masks)]


def compare(tool, backend, count=20000):
    """What does not agree (nothing, if all does) and a summary."""
    masks = list(random_masks(count))
    problems, components = [], 0
    for connectivity, structure in STRUCTURES.items():
        for i, (mask, ours) in enumerate(zip(masks, labelled(tool, backend, masks, connectivity))):
            truth, found = ndimage.label(mask, structure)
            components += found
            if not np.array_equal(ours, truth):
                problems.append(f"mask {i}, {mask.shape}, {connectivity}-connected: other labels")
    return problems[:10], f"{len(masks)} masks, 4- and 8-connected, {components} components"
