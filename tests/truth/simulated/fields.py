"""Fields by GalSim of which everything is known: Moffat stars and Sérsic galaxies, in white noise on a sky with a slope. The
same seed gives the same pixels."""
import dataclasses

import galsim
import numpy as np

ZERO_POINT = 30.0
BRIGHTEST, FAINTEST = 18.0, 25.0
FWHM, BETA = 3.0, 3.0
APERTURE = 8.0  # diameter
DEPTHS = {"deep": 10.0, "shallow": 40.0}  # noise of a pixel
CROWDINGS = {"sparse": 1000, "crowded": 6000}  # sources to a million pixels
SERSIC = (1.0, 2.5, 4.0)
SUB = 10  # sub-pixels along a side of a pixel, in the true light of an aperture


@dataclasses.dataclass
class Truth:
    x: np.ndarray  # from 0 at the centre of the first pixel
    y: np.ndarray
    flux: np.ndarray
    in_aperture: np.ndarray
    galaxy: np.ndarray

    @property
    def mag(self):
        return ZERO_POINT - 2.5 * np.log10(self.flux)


def profiles(rng, count):
    """Half stars, half galaxies; counts grow by 10^0.25 a magnitude. GalSim's profile of each, and its flux."""
    psf = galsim.Moffat(beta=BETA, fwhm=FWHM)  # of pixels, too: nothing is to be averaged over them
    share = rng.random(count)
    steep = 10 ** (0.25 * (FAINTEST - BRIGHTEST)) - 1
    flux = 10 ** (0.4 * (ZERO_POINT - BRIGHTEST - np.log10(1 + share * steep) / 0.25))
    galaxy = rng.random(count) < 0.5
    # Fainter galaxies are smaller.
    radius = np.exp(rng.normal(0.9, 0.35, count)) * (flux / 1000) ** 0.1
    index, ratio, angle = rng.choice(SERSIC, count, p=(0.6, 0.25, 0.15)), rng.uniform(0.3, 1, count), rng.uniform(0, np.pi, count)
    for i in range(count):
        profile = psf.withFlux(flux[i])
        if galaxy[i]:
            light = galsim.Sersic(index[i], half_light_radius=radius[i], flux=flux[i])
            profile = galsim.Convolve(light.shear(q=ratio[i], beta=angle[i] * galsim.radians), psf)
        yield profile, flux[i], galaxy[i]


def in_circle(stamp, x, y):
    """The light of a stamp in a circle about x, y of it."""
    x0, y0, reach = int(x) - 6, int(y) - 6, 13
    part = stamp[y0:y0 + reach, x0:x0 + reach]
    steps = (np.arange(reach * SUB) + 0.5) / SUB - 0.5
    inside = (steps + x0 - x) ** 2 + (steps[:, None] + y0 - y) ** 2 < (APERTURE / 2) ** 2
    return float((part * inside.reshape(reach, SUB, reach, SUB).mean(axis=(1, 3))).sum())


def without_noise(seed, side, per_mpix):
    """The light of all sources, and the truth."""
    rng = np.random.default_rng([seed, per_mpix])
    count = rng.poisson(per_mpix * side * side / 1e6)
    place = rng.uniform(-0.5, side - 0.5, (2, count))
    image, flux, inside, galaxy = np.zeros((side, side)), np.zeros(count), np.zeros(count), np.zeros(count, bool)
    for i, (profile, flux[i], galaxy[i]) in enumerate(profiles(rng, count)):
        reach = 16 if flux[i] < 1000 else 24 if flux[i] < 10_000 else 40
        cx, cy = np.rint(place[:, i]).astype(int)
        dx, dy = place[:, i] - (cx, cy)
        stamp = profile.drawImage(nx=2 * reach + 1, ny=2 * reach + 1, scale=1, method="no_pixel", offset=(dx, dy),
                                  dtype=float).array
        inside[i] = in_circle(stamp, reach + dx, reach + dy)
        low, high = np.maximum((cx - reach, cy - reach), 0), np.minimum((cx + reach + 1, cy + reach + 1), side)
        image[low[1]:high[1], low[0]:high[0]] += stamp[low[1] - cy + reach:high[1] - cy + reach,
                                                       low[0] - cx + reach:high[0] - cx + reach]
    return image, Truth(*place, flux, inside, galaxy)


def observed(light, seed, noise):
    """With the sky, which rises by one noise from left to right, and white noise: `light` is above the sky, and so is its
    negative."""
    rng = np.random.default_rng([seed, int(noise)])
    return rng.normal(0, noise, light.shape) + light, 1000 + noise * np.linspace(0, 1, light.shape[1])
