"""Simulated radio maps: point sources and a few resolved ones, in noise that a beam correlates and that rises away from the
centre, as in a map that was divided by the response of the primary beam."""
import numpy as np
from scipy import ndimage, spatial

SIDE = 1536
FWHM = 4.0  # of the beam, in pixels
BEAM = FWHM / 2.3548
QUIET = 1e-4  # noise at the centre


def noise_of(blanked):
    """Four times as loud at the edge as at the centre: that of a square map, at its corners, or that of one which is
    blanked beyond a circle."""
    y, x = np.mgrid[:SIDE, :SIDE]
    radius = np.hypot(x - SIDE / 2, y - SIDE / 2) / (SIDE / 2)
    if not blanked:
        return QUIET * 4 ** (radius ** 2 / 2)
    return np.where(radius < 1, QUIET * 4 ** (radius ** 2), np.nan)


def make(seed, blanked=False):
    """The map, its noise, and x, y and peak of its 400 sources."""
    rng = np.random.default_rng(seed)
    rms = noise_of(blanked)
    image = ndimage.gaussian_filter(rng.normal(size=(SIDE, SIDE)), BEAM)
    image *= rms / image.std()
    # Three beams apart at least: nothing here is about blends.
    places = np.empty((0, 2))
    while len(places) < 400:
        place = rng.uniform(30, SIDE - 30, 2)
        if len(places) and np.hypot(*(places - place).T).min() <= 3 * FWHM:
            continue
        if np.isfinite(rms[tuple(np.s_[int(c) - 25:int(c) + 26:25] for c in place[::-1])]).all():
            places = np.vstack([places, place])
    peaks = QUIET * 10 ** rng.uniform(0.5, 3, 400)
    for (cx, cy), peak in zip(places, peaks):
        wide = BEAM * (1 if rng.uniform() < 0.8 else rng.uniform(1, 1.7))
        angle = rng.uniform(0, np.pi)
        part = np.s_[int(cy) - 24:int(cy) + 25, int(cx) - 24:int(cx) + 25]
        dx, dy = np.meshgrid(np.arange(part[1].start, part[1].stop) - cx, np.arange(part[0].start, part[0].stop) - cy)
        u, v = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
        image[part] += peak * np.exp(-(u / wide) ** 2 / 2 - (v / BEAM) ** 2 / 2)
    return image.astype(np.float32), rms.astype(np.float32), np.column_stack([places, peaks])


def judge(x, y, rms, sources):
    """Of what was found at x and y, from 0: how many of the sources above 5 sigma where they are, how many of these there
    are, and how many rows have no source within a beam."""
    places, peaks = sources[:, :2], sources[:, 2]
    distance, nearest = spatial.cKDTree(places).query(np.column_stack([x, y]), distance_upper_bound=FWHM)
    found = np.unique(nearest[np.isfinite(distance)])
    at = tuple(places.round().astype(int).T[::-1])
    bright = np.flatnonzero(peaks > 5 * rms[at])
    return np.isin(bright, found).sum(), bright.size, np.isinf(distance).sum()
