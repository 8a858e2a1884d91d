"""Fields of Moffat stars for PSFEx and SCAMP, and what these programs make of catalogues."""
import re
import shutil
import subprocess

import numpy as np

from astropy.io import fits
from astropy.wcs import WCS

PSFEX, SCAMP = shutil.which("psfex"), shutil.which("scamp")
SKY, GAIN = 800.0, 1.5
SIDE = 900


def draw_stars(rng, side, x, y, flux, alpha=2.6, beta=3.0, noise=8.0):
    """Moffat stars at positions counted from 1, on a sky with its noise and the photons' of the stars."""
    image = np.full((side, side), SKY)
    for cx, cy, light in zip(x, y, flux):
        x0, x1 = np.clip([int(cx) - 30, int(cx) + 31], 0, side)
        y0, y1 = np.clip([int(cy) - 30, int(cy) + 31], 0, side)
        v, u = np.mgrid[y0:y1, x0:x1]
        r2 = (u + 1 - cx) ** 2 + (v + 1 - cy) ** 2
        image[y0:y1, x0:x1] += light * (beta - 1) / (np.pi * alpha ** 2) * (1 + r2 / alpha ** 2) ** -beta
    return rng.normal(image, np.sqrt(noise ** 2 + (image - SKY) / GAIN)).astype(np.float32)


def sky_of_exposure(ra, dec, angle, side=SIDE, scale=3e-4):
    wcs = WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crpix, wcs.wcs.crval = ["RA---TAN", "DEC--TAN"], [side / 2] * 2, [ra, dec]
    cos, sin = np.cos(angle), np.sin(angle)
    wcs.wcs.cd = scale * np.array([[-cos, sin], [sin, cos]])
    return wcs


def header_of(wcs, number=1):
    header = fits.Header()
    for i in (1, 2):
        header[f"CTYPE{i}"], header[f"CUNIT{i}"] = wcs.wcs.ctype[i - 1], "deg"
        header[f"CRPIX{i}"], header[f"CRVAL{i}"] = wcs.wcs.crpix[i - 1], wcs.wcs.crval[i - 1]
        for j in (1, 2):
            header[f"CD{i}_{j}"] = wcs.wcs.cd[i - 1, j - 1]
    header.update({"OBJECT": "field", "EXPTIME": 30.0, "GAIN": GAIN, "FILTER": "r", "AIRMASS": 1.1, "SATURATE": 60000.0,
                   "RADESYS": "ICRS", "DATE-OBS": f"2020-01-0{number}T03:00:00"})
    return header


def run(command, directory):
    """Return code and all that it said, without what moves the cursor."""
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True, errors="replace",
                          timeout=600)
    return done.returncode, re.sub(r"\x1b\[[0-9;]*[a-zA-Z]", "", done.stdout + done.stderr)


def psfex(catalogue, directory, *options):
    """The header of the PSF that it makes of the stars of the catalogue: LOADED, ACCEPTED, CHI2, PSF_FWHM."""
    # Without a file it is ended by the system: it takes its defaults from one.
    (directory / "psfex.conf").write_text(run([PSFEX, "-dd"], directory)[1])
    psf = (directory / catalogue).with_suffix(".psf")
    psf.unlink(missing_ok=True)
    code, said = run([PSFEX, catalogue, "-c", "psfex.conf", "-CHECKIMAGE_TYPE", "NONE", "-CHECKPLOT_TYPE", "NONE",
                      "-CHECKPLOT_DEV", "PSC", "-WRITE_XML", "N", "-PSFVAR_DEGREES", 1, "-NTHREADS", 1, *options], directory)
    return (dict(fits.getheader(psf, 1)) if code == 0 and psf.exists() else None), code, said


def scamp(catalogues, reference, directory, *options):
    """Residuals in arcseconds: {"internal": (along the axes, chi2, detections), "external": likewise}."""
    (directory / "scamp.conf").write_text(run([SCAMP, "-dd"], directory)[1])
    code, said = run([SCAMP, *catalogues, "-c", "scamp.conf", "-ASTREF_CATALOG", "FILE", "-ASTREFCAT_NAME", reference,
                      "-CHECKPLOT_TYPE", "NONE", "-WRITE_XML", "N", "-NTHREADS", 1, *options], directory)
    found = re.findall(r'^Group\s+1:\s+([\d.]+)"\s+([\d.]+)"\s+([\d.]+)\s+(\d+)', said, re.MULTILINE)
    assert code == 0 and len(found) >= 2, said[-3000:]
    return {which: tuple(map(float, row)) for which, row in zip(("internal", "external"), found[-2:])}


def write_reference(path, ra, dec, mag, error):
    """A catalogue of references as SCAMP reads one from a file: FITS_LDAC. Errors are in degrees."""
    cards = "".join(card.ljust(80) for card in ("SIMPLE  =                    T", "BITPIX  =                    8",
                                                "NAXIS   =                    0", "END"))
    head = fits.BinTableHDU.from_columns([fits.Column("Field Header Card", f"{len(cards)}A", array=[cards])],
                                         name="LDAC_IMHEAD")
    each = np.ones(len(ra))
    columns = [("X_WORLD", "1D", ra), ("Y_WORLD", "1D", dec), ("ERRA_WORLD", "1E", error * each),
               ("ERRB_WORLD", "1E", error * each), ("ERRTHETA_WORLD", "1E", 0 * each), ("MAG", "1E", mag),
               ("MAGERR", "1E", 0.01 * each), ("OBSDATE", "1D", 2020 * each)]
    objects = fits.BinTableHDU.from_columns([fits.Column(name, form, array=values) for name, form, values in columns],
                                            name="LDAC_OBJECTS")
    fits.HDUList([fits.PrimaryHDU(), head, objects]).writeto(path)
