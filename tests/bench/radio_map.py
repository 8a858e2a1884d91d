"""Radio maps with NumPy alone: points and Gaussians on noise that a beam has seen, and filaments."""
import numpy as np

PIXEL = 2.0  # arcsec
BEAM = (10.4, 7.6)  # full widths in arcsec; the longer one along y
QUIET = 2e-5  # Jy/beam, the noise at the centre; four times that in the corners
TILE = 4096
SIGMAS = np.array([BEAM[1], BEAM[0]]) / PIXEL / np.sqrt(8 * np.log(2))

CARDS = {"CTYPE1": "RA---SIN", "CRVAL1": 180.0, "CDELT1": -PIXEL / 3600, "CTYPE2": "DEC--SIN", "CRVAL2": -30.0,
         "CDELT2": PIXEL / 3600, "BMAJ": BEAM[0] / 3600, "BMIN": BEAM[1] / 3600, "BPA": 0.0, "BUNIT": "Jy/beam"}


def cards(size):
    """Keywords of a map's header."""
    return CARDS | {"CRPIX1": size / 2 + 1, "CRPIX2": size / 2 + 1}


def seen(image):
    """The image as the beam shows it, on a torus."""
    y, x = 2 * np.pi * np.fft.fftfreq(len(image))[:, None], 2 * np.pi * np.fft.rfftfreq(len(image))[None, :]
    through = np.exp(-((x * SIGMAS[0])**2 + (y * SIGMAS[1])**2) / 2)
    return np.fft.irfft2(np.fft.rfft2(image) * through, s=image.shape)


def noise(rng, size):
    made = seen(rng.standard_normal((size, size)))
    return made / made.std()


def add_sources(rng, image, count):
    """Adds Gaussians of 5 to 5000 sigma on a jittered grid, N(> S) ~ 1 / S; every fourth is up to twice as wide as a
    point."""
    across = int(np.ceil(np.sqrt(count)))
    step = len(image) / across
    for place in rng.permutation(across * across)[:count]:
        x, y = ((np.array(divmod(place, across)) + rng.uniform(0.3, 0.7, 2)) * step)
        wide = rng.uniform(1, 2, 2) if rng.uniform() < 0.25 else np.ones(2)
        reach = int(6 * max(SIGMAS * wide)) + 1
        rows, columns = (np.arange(max(0, int(at) - reach), min(len(image), int(at) + reach + 1)) for at in (y, x))
        shape = [np.exp(-((cells - at) / sigma)**2 / 2) for cells, at, sigma in zip((columns, rows), (x, y), SIGMAS * wide)]
        image[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] += 5 / rng.uniform(1e-3, 1) * np.outer(shape[1], shape[0])


def make_map(size, count, seed=1):
    """A map of `count` sources, float32. It is made of tiles, which takes seconds and not minutes."""
    rng = np.random.default_rng(seed)
    side = min(size, TILE)
    image = np.empty((size, size), np.float32)
    tiles = (size // side)**2
    for number in range(tiles):
        tile = noise(rng, side)
        add_sources(rng, tile, count // tiles)
        y, x = (side * part for part in divmod(number, size // side))
        image[y:y + side, x:x + side] = tile
    from_centre = ((np.arange(size) - size / 2) / (size / 2))**2 / 2
    for y in range(size):
        image[y] *= (QUIET * 4**(from_centre + from_centre[y])).astype(np.float32)
    return image


def make_filaments(size, seed=5):
    """A map that emission covers: positive parts of a field whose power falls with its scale, 100 times the noise."""
    rng = np.random.default_rng(seed)
    y, x = np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :]
    scale = np.hypot(x, y)
    scale[0, 0] = 1
    field = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((size, size))) * scale**-1.6, s=(size, size))
    return (seen(np.maximum(field / field.std(), 0) * 100 * QUIET) + QUIET * noise(rng, size)).astype(np.float32)
