"""Radio cubes whose spectra and polarisations are known: isolated points and Gaussians in noise that each channel's own
beam correlates."""
import numpy as np
from astropy.io import fits

from continuum_maps import BEAM, QUIET, correlated, covariance, header

REFERENCE = 1.28e9  # Hz
FREQUENCIES = REFERENCE + 8e7 * np.arange(-3, 5)


def beams(unlike):
    """A beam a channel: all the same, or inversely proportional to the frequency."""
    scale = REFERENCE / FREQUENCIES if unlike else np.ones(len(FREQUENCIES))
    return [(BEAM[0] * s, BEAM[1] * s, BEAM[2]) for s in scale]


def add_gaussian(image, x, y, total, shape, beam):
    """Adds a Gaussian of this flux, seen through a beam, on the pixels within 8 sigma."""
    seen = covariance(*beam) + covariance(*shape)
    inverse = np.linalg.inv(seen)
    reach = int(8 * np.sqrt(np.linalg.eigvalsh(seen)[1])) + 2
    rows, columns = (slice(max(0, int(at) - reach), int(at) + reach) for at in (y, x))
    east = x - np.arange(image.shape[1])[None, columns]
    north = np.arange(image.shape[0])[rows, None] - y
    peak = total * np.sqrt(np.linalg.det(covariance(*beam)) / np.linalg.det(seen))
    image[rows, columns] += peak * np.exp(
        -(inverse[0, 0] * east**2 + 2 * inverse[0, 1] * east * north + inverse[1, 1] * north**2) / 2)


class Cube:
    """`self.i` has a plane a channel; `self.polarised` one each of Q, U, V at REFERENCE; `self.deep` is a map of the mean
    flux at REFERENCE with the noise of all channels together. Truth: x, y (from 0), flux at REFERENCE, index, curvature,
    q, u, v, resolved."""

    def __init__(self, seed, size=384, unlike=False, dirty=False, curved=0.0, snr=(8, 80), noise=None):
        self.rng = rng = np.random.default_rng(seed)
        self.size, self.beams = size, beams(unlike)
        self.noise = QUIET * (np.ones(len(FREQUENCIES)) if noise is None else np.array(noise))
        places = [(x, y) for x in range(40, size - 30, 62) for y in range(40, size - 30, 62)]
        count = len(places)
        x, y = (np.array(places) + rng.uniform(-8, 8, (count, 2))).T
        self.truth = {"x": x, "y": y, "flux": QUIET * snr[0] * (snr[1] / snr[0])**rng.uniform(0, 1, count),
                      "index": rng.normal(-0.7, 0.4, count), "curvature": np.full(count, curved),
                      "resolved": rng.uniform(size=count) < 0.3}
        share, angle = rng.uniform(0, 0.5, count), rng.uniform(0, np.pi, count)
        self.truth |= {"q": self.truth["flux"] * share * np.cos(2 * angle), "u": self.truth["flux"] * share * np.sin(2 * angle),
                       "v": self.truth["flux"] * rng.normal(0, 0.1, count)}
        wide = BEAM[0] * rng.uniform(0.6, 1.4, count)
        self.shapes = [(major, 0.6 * major, turn) if resolved else (0, 0, 0)
                       for major, turn, resolved in zip(wide, rng.uniform(0, 180, count), self.truth["resolved"])]
        self.i = [self.plane(self.fluxes(frequency), beam, noise, dirty)
                  for frequency, beam, noise in zip(FREQUENCIES, self.beams, self.noise)]
        self.polarised = [self.plane(self.truth[name], BEAM, QUIET, dirty) for name in "quv"]
        self.deep = self.plane(self.truth["flux"], BEAM, QUIET / np.sqrt(len(FREQUENCIES)), dirty)

    def fluxes(self, frequency):
        ratio = np.log(frequency / REFERENCE)
        return self.truth["flux"] * np.exp(self.truth["index"] * ratio + self.truth["curvature"] * ratio**2)

    def plane(self, fluxes, beam, noise, dirty):
        image = correlated(self.rng, self.size, dirty, beam) * noise
        for x, y, flux, shape in zip(self.truth["x"], self.truth["y"], fluxes, self.shapes):
            add_gaussian(image, x, y, flux, shape, beam)
        return image

    def header(self, **more):
        return header(self.size, **{"CRVAL3": FREQUENCIES[0], "CDELT3": FREQUENCIES[1] - FREQUENCIES[0], **more})

    def write(self, path, planes=None, beam_table=None, **more):
        """Writes the cube; with its table BEAMS if the beams differ."""
        planes = self.i if planes is None else planes
        cards = self.header(**more)
        hdus = [fits.PrimaryHDU(np.array(planes, "f4")[None], cards)]
        table = self.beams if beam_table is None and len(set(self.beams)) > 1 else beam_table
        if table:
            for name in ("BMAJ", "BMIN", "BPA"):
                del cards[name]
            cards["CASAMBM"] = True
            hdus = [fits.PrimaryHDU(hdus[0].data, cards), casa_table(table)]
        fits.HDUList(hdus).writeto(path, overwrite=True)
        return path

    def write_map(self, path, image, **more):
        fits.PrimaryHDU(image[None, None].astype("f4"), header(self.size, **{"CRVAL3": REFERENCE, **more})).writeto(
            path, overwrite=True)
        return path

    def rows_of(self, table, within=3):
        """The row of each component; -1: none within so many pixels."""
        at = np.column_stack([table["Xposn"], table["Yposn"]])
        distance = np.hypot(self.truth["x"][:, None] - at[:, 0], self.truth["y"][:, None] - at[:, 1])
        return np.where(distance.min(axis=1) < within, distance.argmin(axis=1), -1)


def casa_table(beams):
    major, minor, angle = np.array(beams).T
    columns = [fits.Column("BMAJ", "1E", "arcsec", array=major), fits.Column("BMIN", "1E", "arcsec", array=minor),
               fits.Column("BPA", "1E", "deg", array=angle), fits.Column("CHAN", "1J", array=np.arange(len(beams))),
               fits.Column("POL", "1J", array=np.zeros(len(beams), int))]
    table = fits.BinTableHDU.from_columns(columns, name="BEAMS")
    table.header["NCHAN"], table.header["NPOL"] = len(beams), 1
    return table
