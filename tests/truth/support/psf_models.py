"""Stars whose shape varies over the image, and PSFEx's files of them without PSFEx."""
import numpy as np
from astropy.io import fits

NODES = (np.sqrt(0.6) * np.array([-1, 0, 1]) / 2, np.array([5, 8, 5]) / 18)  # Gauss's integral over a pixel


class Moffats:
    """Pixel-integrated elliptical Moffat stars of beta 3. Width and shear vary over an image of that side."""

    def __init__(self, fwhm, side, varies=1.0):
        self.fwhm, self.side, self.varies = fwhm, side, varies

    def light(self, x, y, u, v):
        """The light of a star of flux 1 at (x, y), from 0, in pixels at the offsets u, v from it."""
        a, b = 2 * x / self.side - 1, 2 * y / self.side - 1
        width = self.fwhm * (1 + self.varies * (0.05 * a + 0.03 * b * b))
        g1, g2 = self.varies * 0.04 * a + 0.02, self.varies * 0.04 * b - 0.02
        r0 = width / 2 / np.sqrt(2 ** (1 / 3) - 1)
        total = 0
        for du, wu in zip(*NODES):
            for dv, wv in zip(*NODES):
                s, t = (1 - g1) * (u + du) - g2 * (v + dv), -g2 * (u + du) + (1 + g1) * (v + dv)
                total = total + wu * wv * (1 + (s * s + t * t) / ((1 - g1 * g1 - g2 * g2) * r0 * r0)) ** -3
        return total * 2 / (np.pi * r0 * r0)

    def add(self, image, x, y, flux, half=30):
        x0, x1 = np.clip([round(x) - half, round(x) + half + 1], 0, image.shape[1])
        y0, y1 = np.clip([round(y) - half, round(y) + half + 1], 0, image.shape[0])
        v, u = np.mgrid[y0:y1, x0:x1]
        image[y0:y1, x0:x1] += flux * self.light(x, y, u - x, v - y)

    def cramer_rao(self, x, y, flux, sky_variance, gain):
        """The least error of the flux of a star whose place is free."""
        v, u = np.mgrid[-20:21, -20:21].astype(float)
        e = 0.02
        at = lambda dx, dy: self.light(x, y, u - (x - round(x)) - dx, v - (y - round(y)) - dy)
        basis = np.array([at(0, 0), flux * (at(e, 0) - at(-e, 0)) / (2 * e), flux * (at(0, e) - at(0, -e)) / (2 * e)])
        weight = 1 / (sky_variance + flux * basis[0] / gain)
        return np.sqrt(np.linalg.inv(np.einsum("iyx,jyx,yx->ij", basis, basis, weight))[0, 0])

    def table(self, mask=41, step=1.0, degree=2):
        """The table PSF_DATA with the model that is nearest over the image."""
        places = np.linspace(0, self.side - 1, 5)
        zero, scale = (self.side + 1) / 2, self.side / 2
        v, u = (np.mgrid[:mask, :mask] - mask // 2) * step
        powers = [(i, j) for j in range(degree + 1) for i in range(degree + 1 - j)]
        terms, stamps = [], []
        for y in places:
            for x in places:
                t = (x + 1 - zero) / scale, (y + 1 - zero) / scale
                terms.append([t[0] ** i * t[1] ** j for i, j in powers])
                stamps.append(self.light(x, y, u, v).ravel())
        planes = np.linalg.lstsq(np.array(terms), np.array(stamps), rcond=None)[0]
        return psf_table(planes.reshape(len(powers), mask, mask), zero, scale, degree, self.fwhm / step, step)


def psf_table(planes, zero, scale, degree, fwhm, step):
    count, rows, columns = planes.shape
    table = fits.BinTableHDU.from_columns(
        [fits.Column("PSF_MASK", f"{planes.size}E", dim=f"({columns},{rows},{count})", array=[planes])], name="PSF_DATA")
    cards = {"POLNAXIS": 2, "POLGRP1": 1, "POLNAME1": "X_IMAGE", "POLZERO1": zero, "POLSCAL1": scale, "POLGRP2": 1,
             "POLNAME2": "Y_IMAGE", "POLZERO2": zero, "POLSCAL2": scale, "POLNGRP": 1, "POLDEG1": degree, "PSF_FWHM": fwhm,
             "PSF_SAMP": step, "PSFNAXIS": 3, "PSFAXIS1": columns, "PSFAXIS2": rows, "PSFAXIS3": count}
    table.header.update(cards)
    return table


def write_psf(path, *tables):
    fits.HDUList([fits.PrimaryHDU(), *tables]).writeto(path, overwrite=True)
    return path
