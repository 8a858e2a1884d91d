"""The picture of six fields as unkind as real images: what the default finds in each."""
import numpy as np

from picture_sheets import BLUE, MISSED, ORANGE, SIGMA, SKY, disc, field, grey, judged, moffat, noise, sheet

SIZE = 92
KEY = [[(BLUE, "within 2.5 pixels of the truth"), (ORANGE, "false"), (MISSED, "missed", True)]]


def blurred(image, sigma):
    """Smoothed by a Gaussian, on a torus: the pixels share their noise, which keeps its standard deviation."""
    frequency = np.fft.fftfreq(len(image))
    kernel = np.exp(-2 * (np.pi * sigma) ** 2 * (frequency[:, None] ** 2 + frequency ** 2))
    smooth = np.fft.ifft2(np.fft.fft2(image - SKY) * kernel).real
    return SKY + smooth * SIGMA / smooth.std()


def stars_on(image, seed, count, faint, bright, fwhm=3.0):
    """Adds stars that are 12 pixels apart or more. Returns their places."""
    _, places = field(SIZE, seed, count, 1, 1)
    for (x, y), flux in zip(places, np.geomspace(faint, bright, count)):
        moffat(image, x, y, flux, fwhm)
    return places


def crowd(run):
    image, rng = noise(SIZE, 301), np.random.default_rng(302)
    places, fluxes = rng.uniform(4, SIZE - 4, (400, 2)), 400 * rng.pareto(0.9, 400).clip(0, 200)
    for (x, y), flux in zip(places, fluxes):
        moffat(image, x, y, flux)
    bright = fluxes > 3000
    panel = judged(grey(image, "400 stars", bend=6, high=SKY + 60 * SIGMA), run(image, {"background.mesh_size": 47}), places)
    # The faintest cannot be seen: only those above 20 sigma are marked as missed.
    panel.marks = [mark for mark in panel.marks if not mark[-1] or np.hypot(*(places[bright] - mark[:2]).T).min() < 0.1]
    return panel


def shared(run):
    image = blurred(noise(SIZE, 311), 1.2)
    places = stars_on(image, 312, 10, 1200, 20000)
    return judged(grey(image, "smoothed noise"), run(image, {}), places)


def step(run):
    image = noise(SIZE, 321)
    image[:, 54:] = SKY + 8 * (image[:, 54:] - SKY)
    places = stars_on(image, 322, 11, 2000, 200000)
    image[:12] = 0
    places = places[places[:, 1] > 11.5]
    return judged(grey(image, "a step of the noise", high=SKY + 40 * SIGMA, bend=4), run(image, {"background.mesh_size": 32}), places)


def nebula(run):
    image = noise(SIZE, 331)
    image += 6 * (blurred(noise(SIZE, 332), 10) - SKY)
    places = stars_on(image, 333, 10, 2000, 40000)
    image += np.random.default_rng(334).normal(0, 1, image.shape) * np.sqrt(np.maximum(image - SKY, 0) / 4)
    return judged(grey(image, "a nebula", SKY - 15 * SIGMA, SKY + 60 * SIGMA), run(image, {"background.mesh_size": 32}), places)


def hits(run):
    image, rng = noise(SIZE, 341), np.random.default_rng(342)
    places = stars_on(image, 343, 10, 1200, 400000)
    for _ in range(5):
        x, y, angle = *rng.uniform(10, SIZE - 10, 2), rng.uniform(0, np.pi)
        for k in range(rng.integers(1, 9)):
            image[int(y + k * np.sin(angle)), int(x + k * np.cos(angle))] += rng.uniform(1000, 5000)
    np.minimum(image, SKY + 9000, out=image)
    found = run(image, {"measurement.saturation": 9000})
    return judged(grey(image, "clipped, cosmic rays", high=SKY + 60 * SIGMA, bend=6), found, places)


def cluster(run):
    image, rng = noise(SIZE, 351), np.random.default_rng(352)
    places = [(47, 47)]
    disc(image, 47, 47, 1e6, 14, 0.8, 30)
    for flux in np.geomspace(3000, 60000, 12):
        while True:
            place = rng.uniform(8, SIZE - 8, 2)
            if np.hypot(*(np.array(places) - place).T).min() > 14:
                break
        places.append(tuple(place))
        disc(image, *place, flux, rng.uniform(1.2, 2.5), rng.uniform(0.4, 1), rng.uniform(0, 180))
    return judged(grey(image, "a cluster", high=SKY + 80 * SIGMA, bend=6), run(image, {}), np.array(places))


def unkind(run):
    return sheet("What the default finds in fields as unkind as real images",
                 [panel(run) for panel in (crowd, shared, step, nebula, hits, cluster)], KEY, columns=3)


PICTURES = {"unkind": unkind}
