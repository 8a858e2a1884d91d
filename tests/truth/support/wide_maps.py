"""Radio maps whose pixels differ on the sky: Gaussians of one width on the sky, drawn by astropy's WCS."""
import numpy as np
from astropy.io import fits
from astropy.wcs import WCS
from scipy.ndimage import gaussian_filter

BOLTZMANN, LIGHT = 1.380649e-23, 299792458.0
FREQUENCY = 1.42e9


def header(projection, cell, shape, beam, unit, crval=(180.0, 0.0), axes=("RA", "DEC"), angle=0.0, pixel=None, **more):
    """A header of `shape` (rows, columns); beam: (major, minor) in degrees."""
    cards = fits.Header()
    names = [f"{name:-<4}" for name in axes]
    pixel = pixel or (shape[1] / 2 + 0.5, shape[0] / 2 + 0.5)
    for key, value in dict(CTYPE1=f"{names[0]}-{projection}", CTYPE2=f"{names[1]}-{projection}", CRVAL1=crval[0],
                           CRVAL2=crval[1], CDELT1=-cell, CDELT2=cell, CRPIX1=pixel[0], CRPIX2=pixel[1], BMAJ=beam[0],
                           BMIN=beam[1], BPA=angle, BUNIT=unit, RESTFRQ=FREQUENCY, **more).items():
        cards[key] = value
    return cards


def solid_angle(beam):
    return np.pi * np.radians(beam[0]) * np.radians(beam[1]) / (4 * np.log(2))


def janskys(unit, beam):
    """The flux density, in Jy, of a Gaussian of the beam's shape with a peak of 1."""
    return {"K": 2 * BOLTZMANN * (FREQUENCY / LIGHT) ** 2 * solid_angle(beam) / 1e-26,
            "MJy/sr": 1e6 * solid_angle(beam), "Jy/beam": 1.0}[unit]


def offsets(longitude, latitude, at):
    """Degrees east and north of a place, along the great circle."""
    lon, lat, lon0, lat0 = (np.radians(angle) for angle in (longitude, latitude, *at))
    east = np.cos(lat) * np.sin(lon - lon0)
    north = np.sin(lat) * np.cos(lat0) - np.cos(lat) * np.sin(lat0) * np.cos(lon - lon0)
    along = np.sin(lat) * np.sin(lat0) + np.cos(lat) * np.cos(lat0) * np.cos(lon - lon0)
    scale = np.degrees(np.arctan2(np.hypot(east, north), along)) / np.maximum(np.hypot(east, north), 1e-30)
    return east * scale, north * scale


def draw(cards, shape, places, peak, beam, angle=0.0, noise=0.01, seed=2):
    """An image with Gaussians of one shape on the sky, and their pixels (from 0), in noise that is smooth over a beam of
    the reference point. Off the sky it is NaN."""
    wcs = WCS(cards)
    y, x = np.indices(shape, dtype=float)
    longitude, latitude = wcs.all_pix2world(x, y, 0)
    turn, variance = np.radians(angle), np.square(beam) / (8 * np.log(2))
    image = gaussian_filter(np.random.default_rng(seed).normal(0, 1, shape), variance.prod() ** 0.25 / cards["CDELT2"])
    image *= noise / image.std()
    for place in places:
        east, north = offsets(longitude, latitude, place)
        major, minor = east * np.sin(turn) + north * np.cos(turn), east * np.cos(turn) - north * np.sin(turn)
        part = peak * np.exp(-(major**2 / variance[0] + minor**2 / variance[1]) / 2)
        image += np.where(np.isfinite(part), part, 0)
    image[~np.isfinite(longitude)] = np.nan
    return image, np.column_stack(wcs.all_world2pix(*np.transpose(places), 0))
