"""Maps of a radio interferometer whose components are known: points, Gaussians, doubles, in noise that the beam
correlates and that is four times as loud at the corners as at the centre."""
import numpy as np
from astropy.io import fits
from astropy.wcs import WCS

PIXEL = 2.0  # arcsec
BEAM = (10.4, 7.6, 30.0)  # FWHM in arcsec, degrees from north through east
QUIET = 2e-5  # Jy/beam at the centre
SIGMA = 1 / np.sqrt(8 * np.log(2))  # of a FWHM
BEAM_PIXELS = 2 * np.pi * SIGMA**2 * BEAM[0] * BEAM[1] / PIXEL**2


def covariance(major, minor, angle):
    """Of a Gaussian on the sky in (east, north), in squared pixels."""
    sine, cosine = np.sin(np.radians(angle)), np.cos(np.radians(angle))
    axes = np.array([[sine, cosine], [cosine, -sine]])
    return axes @ np.diag([(major * SIGMA / PIXEL)**2, (minor * SIGMA / PIXEL)**2]) @ axes.T


def header(size, **more):
    cards = {"CTYPE1": "RA---SIN", "CRVAL1": 180.0, "CDELT1": -PIXEL / 3600, "CRPIX1": size / 2 + 1, "CUNIT1": "deg",
             "CTYPE2": "DEC--SIN", "CRVAL2": -30.0, "CDELT2": PIXEL / 3600, "CRPIX2": size / 2 + 1, "CUNIT2": "deg",
             "CTYPE3": "FREQ", "CRVAL3": 1.28e9, "CDELT3": 1e6, "CRPIX3": 1.0, "CUNIT3": "Hz",
             "CTYPE4": "STOKES", "CRVAL4": 1.0, "CDELT4": 1.0, "CRPIX4": 1.0,
             "BMAJ": BEAM[0] / 3600, "BMIN": BEAM[1] / 3600, "BPA": BEAM[2], "BUNIT": "Jy/beam", "EQUINOX": 2000.0}
    return fits.Header({**cards, **more})


def correlated(rng, size, dirty):
    """Noise of variance 1 on a torus: white noise seen through the beam or, if `dirty`, noise whose autocorrelation is
    the beam."""
    beam = covariance(*BEAM) / (2 if dirty else 1)
    north = 2 * np.pi * np.fft.fftfreq(size)[:, None]
    east = -2 * np.pi * np.fft.rfftfreq(size)[None, :]
    through = np.exp(-(beam[0, 0] * east**2 + 2 * beam[0, 1] * east * north + beam[1, 1] * north**2) / 2)
    noise = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((size, size))) * through, s=(size, size))
    return noise / noise.std()


class Field:
    """A map and its components, a dict of arrays: x, y (from 0), peak, total, rms there, kind, major, minor (arcsec, on
    the sky), source."""

    def __init__(self, seed, size=1024, dirty=False, doubles=0, every=10500, spacing=12):
        self.rng = np.random.default_rng(seed)
        self.size = size
        self.header = header(size)
        down, across = np.mgrid[:size, :size]
        self.rms = QUIET * 4**(((across - size / 2)**2 + (down - size / 2)**2) / (size * size / 2))
        self.image = correlated(self.rng, size, dirty) * self.rms
        self.rows, self.places, self.sources = [], np.empty((0, 2)), 0
        for _ in range(doubles):
            self.add_double(*self.place(4 * spacing))
        for _ in range(size * size // every):
            resolved = self.rng.uniform() < 0.25
            self.add_single(*self.place(2 * spacing), resolved)
        self.tell()

    def tell(self):
        """Sets `truth`, which is to be done again after add()."""
        names = ("kind", "x", "y", "peak", "total", "rms", "major", "minor", "source")
        self.truth = {name: np.array([row[i] for row in self.rows]) for i, name in enumerate(names)}
        self.truth["snr"] = self.truth["peak"] / self.truth["rms"]

    def place(self, apart):
        while True:
            at = self.rng.uniform(16, self.size - 16, 2)
            if not len(self.places) or np.min(np.hypot(*(self.places - at).T)) > apart:
                self.places = np.vstack([self.places, at])
                return at

    def brightness(self, x, y, least=3):
        """N(> S) ~ 1 / S, to 1000 times the least."""
        return least / self.rng.uniform(1e-3, 1) * self.rms[int(y), int(x)]

    def add(self, kind, x, y, total, shape):
        """Adds a Gaussian whose shape, seen without the beam, is (major, minor, angle) on the sky."""
        seen = covariance(*BEAM) + covariance(*shape)
        peak = total * np.sqrt(np.linalg.det(covariance(*BEAM)) / np.linalg.det(seen))
        inverse = np.linalg.inv(seen)
        reach = int(6 * np.sqrt(np.linalg.eigvalsh(seen)[1])) + 2
        left, right = max(0, int(x) - reach), min(self.size, int(x) + reach + 1)
        low, high = max(0, int(y) - reach), min(self.size, int(y) + reach + 1)
        east, north = x - np.arange(left, right)[None, :], np.arange(low, high)[:, None] - y
        self.image[low:high, left:right] += peak * np.exp(
            -(inverse[0, 0] * east**2 + 2 * inverse[0, 1] * east * north + inverse[1, 1] * north**2) / 2)
        axes = np.sqrt(np.linalg.eigvalsh(seen)) * PIXEL / SIGMA
        self.rows.append((kind, x, y, peak, total, self.rms[int(y), int(x)], axes[1], axes[0], self.sources))

    def add_single(self, x, y, resolved):
        shape = (0, 0, 0)
        if resolved:
            major = BEAM[0] * self.rng.uniform(0.5, 2)
            shape = (major, major * self.rng.uniform(0.3, 1), self.rng.uniform(0, 180))
        grown = np.sqrt(np.linalg.det(covariance(*BEAM) + covariance(*shape)) / np.linalg.det(covariance(*BEAM)))
        self.add("resolved" if resolved else "point", x, y, self.brightness(x, y) * grown, shape)
        self.sources += 1

    def add_double(self, x, y):
        apart, angle = BEAM[0] / PIXEL * self.rng.uniform(1.2, 3), self.rng.uniform(0, 2 * np.pi)
        dx, dy, flux = apart / 2 * np.cos(angle), apart / 2 * np.sin(angle), self.brightness(x, y, least=12)
        for sign, share in ((1, 1), (-1, self.rng.uniform(0.5, 1))):
            self.add("double", x + sign * dx, y + sign * dy, flux * share, (0, 0, 0))
        self.sources += 1

    def write(self, path, **cards):
        fits.PrimaryHDU(self.image[None, None].astype("f4"), fits.Header({**self.header, **cards})).writeto(
            path, overwrite=True)

    def pixels_of(self, right_ascension, declination):
        return np.column_stack(WCS(self.header).celestial.all_world2pix(right_ascension, declination, 0))


def match(field, places, within=BEAM[0] / PIXEL):
    """The row of each component, brightest first, each row once; -1: none within so many pixels."""
    found, free = np.full(len(field.truth["x"]), -1), np.ones(len(places), bool)
    at = np.column_stack([field.truth["x"], field.truth["y"]])
    for i in np.argsort(-field.truth["snr"]):
        distance = np.where(free, np.hypot(*(places - at[i]).T), np.inf)
        if len(distance) and distance.min() < within:
            found[i] = distance.argmin()
            free[found[i]] = False
    return found


def false_rows(field, places, within=1.5 * BEAM[0] / PIXEL):
    """How many rows are near no component."""
    at = np.column_stack([field.truth["x"], field.truth["y"]])
    return sum(np.min(np.hypot(*(at - place).T)) > within for place in places)
