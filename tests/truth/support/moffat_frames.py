"""Pairs of frames of Moffat stars between which transients appear and vanish: their wings are no Gaussian's."""
import numpy as np

SIDE, GAIN, READ = 1024, 1.5, 4.0


def moffat(x, y, flux, fwhm, shear=(0.0, 0.0), side=SIDE, beta=3.0):
    """Stars on a frame; a shear is that of an ellipse of the same area."""
    image = np.zeros((side, side))
    g1, g2 = shear
    turn = np.array([[1 - g1, -g2], [-g2, 1 + g1]]) / np.sqrt(1 - g1 * g1 - g2 * g2)
    alpha2 = (fwhm / 2) ** 2 / (2 ** (1 / beta) - 1)
    for i, j, f in zip(x, y, flux):
        peak = abs(f) * (beta - 1) / np.pi / alpha2
        half = int(np.clip(np.sqrt(alpha2) * (peak / 0.05) ** (0.5 / beta), 12, 250))
        low, left = max(0, int(j) - half), max(0, int(i) - half)
        v, u = np.mgrid[low:min(side, int(j) + half + 1), left:min(side, int(i) + half + 1)]
        a, b = turn @ np.array([(u - i).ravel(), (v - j).ravel()])
        r2 = ((a * a + b * b) / alpha2).reshape(u.shape)
        image[low:low + u.shape[0], left:left + u.shape[1]] += f * (beta - 1) / np.pi / alpha2 * (1 + r2) ** -beta
    return image


def frames(*how, **more):
    """Reference and new frame, with 40 transients of which the half vanish."""
    return exposures(*how, **more)[0]


def exposures(seed, before, after, stars=400, brightest=6e5, shift=0.0):
    """Reference and new frame, with 40 transients of which the first half vanish; and where these are."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, SIDE, (2, stars))
    flux = np.minimum(1500 * rng.uniform(size=stars) ** -1.25, brightest)
    tx, ty = rng.uniform(30, SIDE - 30, (2, 40))
    images = []
    for shape, where, moved, throughput, sky in ((before, np.s_[:20], 0, 1.0, 200), (after, np.s_[20:], shift, 0.85, 260)):
        shining = throughput * (moffat(x + moved, y, flux, *shape) + moffat(tx[where], ty[where], np.full(20, 2500.0), *shape))
        electrons = rng.poisson((shining + sky) * GAIN) + rng.normal(0, READ, shining.shape)
        images.append((electrons / GAIN).astype(np.float32))
    return images, np.column_stack((tx, ty))
