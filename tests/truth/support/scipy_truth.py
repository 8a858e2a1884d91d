"""The four steps in NumPy and SciPy, float64 on the float32 pixels: what srcextract must reproduce."""
import dataclasses

import numpy as np
from scipy import ndimage

SQUARE = np.ones((3, 3))


@dataclasses.dataclass(frozen=True)
class Semantics:
    """What a configuration means."""
    name: str
    options: tuple  # for srcextract, behind config/<config>.yaml
    config: str
    above_background: bool  # threshold and fluxes count from the clipped median, not from zero
    structure: object  # of ndimage.label; None is its default, 4-connected
    min_area: int


LESSON = Semantics("lesson", ("--set", "input.padding=keep"), "lesson", False, None, 1)
# SciPy knows no padding. The defaults with one level for the whole image; meshes are held against SExtractor and SEP.
CONSTANT = Semantics("constant", ("--set", "background.method=constant"), "plain", True, SQUARE, 5)


def clip(values):
    """What is left when nothing is at or beyond median +- 3 sigma any more."""
    while True:
        median, sigma = np.median(values), np.std(values)
        kept = values[(values > median - 3 * sigma) & (values < median + 3 * sigma)]
        if sigma == 0 or kept.size == values.size:
            return values
        values = kept


def statistics(values):
    return {"count": values.size, "mean": np.mean(values), "median": np.median(values), "sigma": np.std(values),
            "min": np.min(values), "max": np.max(values)}


@dataclasses.dataclass
class Truth:
    all: dict  # statistics of every pixel that is not masked
    clipped: dict  # and of those that survive the clip
    found: int  # components before min_area
    catalogue: dict  # {column: array}, in the order of the labels
    labels: np.ndarray  # per pixel, NUMBER of its source or 0


def measure(pixels, labels, index, level):
    """The columns of the components `index` of the label image."""
    foreground = labels > 0
    values = np.where(foreground, pixels - level, 0.0)
    centres = np.array(ndimage.center_of_mass(values, labels, index)).reshape(-1, 2)
    boxes = ndimage.find_objects(labels)
    boxes = np.array([[box[1].start + 1, box[1].stop, box[0].start + 1, box[0].stop]
                      for box in (boxes[i - 1] for i in index)]).reshape(-1, 4)
    peaks = np.concatenate(([np.nan], ndimage.maximum(pixels, labels, np.arange(1, labels.max() + 1))))
    _, first = np.unique(np.where(foreground & (pixels == peaks[labels]), labels, 0).ravel(), return_index=True)
    at = first[-labels.max():][index - 1]  # where in the image each peak is first reached, in raster order
    return {
        "NUMBER": np.arange(1, len(index) + 1), "X_IMAGE": centres[:, 1] + 1, "Y_IMAGE": centres[:, 0] + 1,
        "XMIN_IMAGE": boxes[:, 0], "XMAX_IMAGE": boxes[:, 1], "YMIN_IMAGE": boxes[:, 2], "YMAX_IMAGE": boxes[:, 3],
        "XPEAK_IMAGE": at % pixels.shape[1] + 1, "YPEAK_IMAGE": at // pixels.shape[1] + 1,
        "NPIX": ndimage.sum_labels(foreground, labels, index), "FLUX_ISO": ndimage.sum_labels(values, labels, index),
        "FLUX_MAX": peaks[index] - level, "FLAGS": flags(pixels, labels, index)}


def flags(pixels, labels, index):
    """8 at the edge of the image, 256 next to a masked pixel."""
    near_masked = ndimage.binary_dilation(np.isnan(pixels), SQUARE)
    edge = np.ones_like(near_masked)
    edge[1:-1, 1:-1] = False
    return np.isin(index, labels[near_masked]) * 256 + np.isin(index, labels[edge]) * 8


def four_steps(pixels, semantics):
    """Truth for an image of float32 pixels, NaN where masked."""
    pixels = pixels.astype(np.float64)
    good = pixels[~np.isnan(pixels)]
    clipped = statistics(clip(good))
    level = clipped["median"] if semantics.above_background else 0.0
    labels, found = ndimage.label(pixels > level + 5 * clipped["sigma"], semantics.structure)
    areas = ndimage.sum_labels(labels > 0, labels, np.arange(1, found + 1))
    index = np.flatnonzero(areas >= semantics.min_area) + 1
    catalogue = measure(pixels, labels, index, level) if index.size else {}
    number = np.zeros(found + 1, int)
    number[index] = np.arange(1, index.size + 1)
    return Truth(statistics(good), clipped, found, catalogue, number[labels])
