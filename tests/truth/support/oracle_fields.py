"""Fields to try definitions on: stars and galaxies of every brightness on a sky that is not flat."""
import numpy as np
from scipy import ndimage


def profiles(rng, count, width, height, seeing, faintest):
    """Positions, fluxes and shapes: two thirds stars, one third galaxies."""
    flux = faintest * rng.pareto(0.8, count).clip(0, 1e4) + faintest
    return zip(rng.uniform(0, width, count), rng.uniform(0, height, count), flux, rng.random(count) < 1 / 3,
               rng.uniform(0.3, 1, count), rng.uniform(0, np.pi, count), seeing * rng.uniform(0.8, 2.5, count))


def field(seed, side, per_mpix, seeing=2.5, sky=1000.0, noise=20.0, slope=2.0, correlated=False, saturation=None):
    """Moffat stars of FWHM `seeing` and elliptical exponential galaxies over a slope (in noises from side to side), with
    white noise, or noise that resampling has correlated; what is over `saturation` is cut there."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side, :side]
    image = sky + slope * noise * (x + 0.5 * y) / side
    white = rng.normal(0, noise, image.shape)
    image += ndimage.uniform_filter(white, 2) * 1.5 if correlated else white
    alpha = seeing / 2 / np.sqrt(2 ** (1 / 2.5) - 1)
    for cx, cy, flux, galaxy, ratio, angle, size in profiles(rng, int(per_mpix * side * side / 1e6), side, side, seeing,
                                                              25 * noise):
        reach = 25 if flux < 1e5 else 60
        part = np.s_[max(0, int(cy) - reach):int(cy) + reach, max(0, int(cx) - reach):int(cx) + reach]
        dx, dy = x[part] - cx, y[part] - cy
        if galaxy:
            u, v = dx * np.cos(angle) + dy * np.sin(angle), (dy * np.cos(angle) - dx * np.sin(angle)) / ratio
            image[part] += flux / (2 * np.pi * size ** 2 * ratio) * np.exp(-np.hypot(u, v) / size)
        else:
            image[part] += flux * 1.5 / (np.pi * alpha ** 2) * (1 + (dx ** 2 + dy ** 2) / alpha ** 2) ** -2.5
    if saturation:
        image = np.minimum(image, saturation)
    return image.astype(np.float32)


def weights_of_a_mosaic(seed, side):
    """Weights of a mosaic: exposures of different depth, bad columns, holes and single bad pixels."""
    rng = np.random.default_rng(seed)
    depth = np.ones((side, side))
    depth[:side // 2] += 1
    depth[:, side // 3:] += 0.5
    depth[:, rng.choice(side, side // 64, False)] = 0
    for y, x in zip(*rng.integers(0, side, (2, side // 16))):
        depth[y:y + rng.integers(1, 7), x:x + rng.integers(1, 7)] = 0
    depth[rng.random(depth.shape) < 1e-3] = 0
    depth[side // 2:side // 2 + 45, 50:95] = 0  # wider than interpolation reaches
    return (depth / 400).astype(np.float32)
