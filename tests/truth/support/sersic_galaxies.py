"""Galaxies with Sersic profiles seen through a PSF, drawn by points of equal light: no formula of the program is used."""
import numpy as np
from scipy.signal import fftconvolve
from scipy.special import gammaincinv

FINE = 8  # points of the grid a pixel, along each axis


def points(n, count=200_000):
    """Places of points of equal light of a circular profile of half-light radius 1."""
    share = (np.arange(count) + 0.5) / count
    radius = (gammaincinv(2 * n, share) / gammaincinv(2 * n, 0.5)) ** n
    angle = 2 * np.pi * ((np.arange(count) * 0.6180339887498949) % 1)
    return radius * np.cos(angle), radius * np.sin(angle)


def stamp(psf, x, y, radius, n, q, theta, half=48):
    """A galaxy of flux 1 in (2 half + 1)^2 pixels about the pixel nearest to (x, y). `radius` is on the major axis, theta in
    degrees from x towards y. psf.light(x, y, u, v) is the light of a star in pixels at the offsets u, v."""
    u, v = points(n)
    u, v = u * radius, v * radius * q
    t = np.radians(theta)
    u, v = u * np.cos(t) - v * np.sin(t) + x - round(x), u * np.sin(t) + v * np.cos(t) + y - round(y)
    size = (2 * half + 1) * FINE
    # two-dimensional histogram with linear weights, so that places between points of the grid keep their centre
    i, j = u * FINE + size // 2, v * FINE + size // 2
    grid = np.zeros((size + 1, size + 1))
    i0, j0 = np.floor(i).astype(int), np.floor(j).astype(int)
    inside = (i0 >= 0) & (i0 < size) & (j0 >= 0) & (j0 < size)
    i, j, i0, j0 = i[inside], j[inside], i0[inside], j0[inside]
    for a in (0, 1):
        for b in (0, 1):
            np.add.at(grid, (j0 + b, i0 + a), np.abs(1 - a - (i - i0)) * np.abs(1 - b - (j - j0)) / len(u))
    k = 16 * FINE
    b, a = (np.mgrid[-k:k + 1, -k:k + 1]) / FINE
    seen = fftconvolve(grid[:size, :size], psf.light(x, y, a, b), mode="same")
    middle = size // 2
    picked = middle + FINE * np.arange(-half, half + 1)
    return seen[np.ix_(picked, picked)]


def add(image, psf, x, y, flux, *shape, half=48):
    light = flux * stamp(psf, x, y, *shape, half=half)
    x0, y0 = round(x) - half, round(y) - half
    a, b, c, d = max(x0, 0), max(y0, 0), min(x0 + light.shape[1], image.shape[1]), min(y0 + light.shape[0], image.shape[0])
    image[b:d, a:c] += light[b - y0:d - y0, a - x0:c - x0]
