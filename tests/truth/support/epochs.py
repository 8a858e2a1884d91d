"""Simulated epochs of one field, between which transients appear, vanish and move.

Stars and galaxies are Gaussians: what another seeing or another orientation makes of them is known exactly. A position
in the field is a row (x, y); an Epoch says which pixel, counted from 0, shows it."""
import dataclasses

import numpy as np

SIGMA_PER_FWHM = 1 / np.sqrt(8 * np.log(2))
PIXEL = 0.5 / 3600  # degrees


@dataclasses.dataclass(frozen=True)
class Epoch:
    """How a frame was taken. Fluxes of objects are those in a frame of transparency 1."""
    side: int = 4096
    sky: float = 100.0
    noise: float = 5.0
    transparency: float = 1.0
    fwhm: float = 3.5
    gain: float = np.inf  # e-/count, for the Poisson noise of what shines
    rotation: float = 0.0  # degrees, about the middle
    shift: tuple = (0.0, 0.0)

    @property
    def sigma(self):
        return self.fwhm * SIGMA_PER_FWHM

    @property
    def turn(self):
        c, s = np.cos(np.radians(self.rotation)), np.sin(np.radians(self.rotation))
        return np.array([[c, -s], [s, c]])

    def pixels_of(self, places):
        middle = (self.side - 1) / 2
        return (np.asarray(places) - middle) @ self.turn.T + middle + self.shift

    def contains(self, places, margin):
        """Which of them it shows, so many pixels from its edges at least."""
        return (np.abs(self.pixels_of(places) - (self.side - 1) / 2) <= (self.side - 1) / 2 - margin).all(axis=1)

    def wcs(self):
        """FITS cards: a gnomonic projection about the middle of the field."""
        x, y = self.pixels_of([[(self.side - 1) / 2] * 2])[0] + 1
        cd = np.diag([-PIXEL, PIXEL]) @ self.turn.T
        return {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.0, "CRPIX1": float(x),
                "CRPIX2": float(y), **{f"CD{i + 1}_{j + 1}": float(cd[i, j]) for i in (0, 1) for j in (0, 1)}}


@dataclasses.dataclass(frozen=True)
class Objects:
    """Fluxes, and how far they extend without seeing: covariances, which are 0 for points."""
    places: np.ndarray
    fluxes: np.ndarray
    covariances: np.ndarray


def points(places, fluxes):
    return Objects(np.asarray(places, float), np.asarray(fluxes, float), np.zeros((len(places), 2, 2)))


def stars_and_galaxies(side, rng, per_mpix=1000, faintest=200.0, brightest=1e6):
    """Half of each, with a power law of fluxes."""
    count = int(per_mpix * side * side / 1e6)
    fluxes = np.minimum(faintest * rng.uniform(size=count) ** (-1 / 1.2), brightest)
    major = np.where(rng.uniform(size=count) < 0.5, rng.uniform(1, 4, count), 0)
    axes = major * rng.uniform(0.3, 1, count), major
    angle = rng.uniform(0, np.pi, count)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    covariances = np.einsum("ikn,kn,jkn->nij", turn, np.square(axes), turn)
    return Objects(rng.uniform(0, side - 1, (count, 2)), fluxes, covariances)


def within(epoch, centre, radius):
    """The pixels along an axis of a frame that are this close, from the first to before the second."""
    return max(0, int(np.ceil(centre - radius))), min(epoch.side, int(centre + radius) + 1)


def light(epoch, objects):
    """What shines in a frame, without noise or sky: down to a thousandth of the noise; float32."""
    image = np.zeros((epoch.side, epoch.side), np.float32)
    covariances = epoch.turn @ objects.covariances @ epoch.turn.T + epoch.sigma**2 * np.eye(2)
    peaks = epoch.transparency * objects.fluxes / (2 * np.pi * np.sqrt(np.linalg.det(covariances)))
    widest = np.linalg.eigvalsh(covariances)[:, 1]
    reach = np.sqrt(2 * np.log(np.maximum(1000 * peaks / epoch.noise, 2)) * widest)
    weights = np.linalg.inv(covariances)
    for (x, y), weight, peak, radius in zip(epoch.pixels_of(objects.places), weights, peaks, reach):
        (left, right), (low, high) = within(epoch, x, radius), within(epoch, y, radius)
        if left < right and low < high:
            dx, dy = np.arange(left, right) - x, np.arange(low, high)[:, np.newaxis] - y
            square = weight[0, 0] * dx**2 + (2 * weight[0, 1] * dx + weight[1, 1] * dy) * dy
            image[low:high, left:right] += peak * np.exp(-0.5 * square)
    return image


def expose(epoch, shining, rng):
    """The frame: light, sky and noise; float32."""
    image = rng.standard_normal(shining.shape, dtype=np.float32)
    if np.isfinite(epoch.gain):
        image *= np.sqrt(np.float32(epoch.noise**2) + shining / np.float32(epoch.gain))
    else:
        image *= np.float32(epoch.noise)
    image += shining
    image += np.float32(epoch.sky)
    return image


def place_transients(count, on_galaxies, epochs, objects, rng, apart=40, margin=25):
    """So many places in all of the epochs, the first of them on galaxies, and none near another."""
    extended = np.flatnonzero(objects.covariances[:, 0, 0] > 0)
    galaxies = rng.choice(extended, 10 * on_galaxies, replace=False)
    offsets = np.einsum("nij,nj->ni", np.linalg.cholesky(objects.covariances[galaxies]),
                        rng.normal(0, 0.7, (len(galaxies), 2)))
    anywhere = rng.uniform(0, epochs[0].side - 1, (10 * count, 2))
    places = np.empty((0, 2))
    for candidates, wanted in ((objects.places[galaxies] + offsets, on_galaxies), (anywhere, count)):
        for place in candidates[np.all([epoch.contains(candidates, margin) for epoch in epochs], axis=0)]:
            if len(places) < wanted and (np.hypot(*(places - place).T) > apart).all():
                places = np.vstack([places, place])
    assert len(places) == count
    return places


def mean_around(shining, x, y, sigma):
    """The mean of what shines, weighted with the square of a star of this width at (x, y)."""
    reach = int(4 * sigma) + 1
    columns, rows = (np.arange(round(at) - reach, round(at) + reach + 1) for at in (x, y))
    weights = np.exp(-(((rows - y) / sigma) ** 2))[:, np.newaxis] * np.exp(-(((columns - x) / sigma) ** 2))
    return np.average(shining[np.ix_(rows, columns)], weights=weights)


def flux_of(signal_to_noise, places, epochs, lights):
    """The flux that has this signal-to-noise in the difference, for a filter matched to the wider of the stars.

    A star of sigma w that is filtered by itself peaks at its flux times q = 1 / (4 pi w^2), and noise whose variance
    is 1 a pixel becomes q. In a frame of sharper stars, sigma s, which is convolved to w first, it becomes
    1 / (4 pi (w^2 + w^2 - s^2)). What a transient shines itself adds the mean of its light in its own square,
    flux / (3 pi w^2)."""
    wider = max(epoch.sigma for epoch in epochs)
    q = 1 / (4 * np.pi * wider**2)
    variance, own = 0.0, 0.0
    for epoch, shining in zip(epochs, lights):
        share = 1 / (4 * np.pi * (2 * wider**2 - epoch.sigma**2)) / epoch.transparency**2
        around = np.array([mean_around(shining, x, y, wider) for x, y in epoch.pixels_of(places)])
        variance = variance + share * (epoch.noise**2 + around / epoch.gain)
        own = max(own, share * epoch.transparency / epoch.gain / (3 * np.pi * wider**2))
    half = signal_to_noise**2 * own / 2
    return (half + np.sqrt(half**2 + (signal_to_noise * q) ** 2 * variance)) / q**2
