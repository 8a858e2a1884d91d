"""config="radio" is part of the package: Gaussians and sources of a radio map as tables, of a file and of an array."""
import os
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
table = pytest.importorskip("astropy.table")

import srcextract as sx

BEAM = (12.0, 8.0)  # arcsec, north up
SIZE, PIXEL = 256, 2.0
POINTS = ((60.3, 80.2, 2.0), (150.6, 40.4, 0.5), (200.1, 210.8, 1.0))  # x, y from 0, Jy


def header():
    return fits.Header({"CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN", "CRVAL1": 10.0, "CRVAL2": 20.0, "CRPIX1": 128.0,
                        "CRPIX2": 128.0, "CDELT1": -PIXEL / 3600, "CDELT2": PIXEL / 3600, "BMAJ": BEAM[0] / 3600,
                        "BMIN": BEAM[1] / 3600, "BPA": 0.0, "BUNIT": "mJy/beam"})


def image():
    """Points in white noise that the beam has seen."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:SIZE, :SIZE]
    sigma = [width / PIXEL / 2.3548200450309493 for width in BEAM]  # along y and x
    ky, kx = np.fft.fftfreq(SIZE)[:, None], np.fft.rfftfreq(SIZE)[None, :]
    noise = np.fft.irfft2(np.fft.rfft2(rng.normal(size=(SIZE, SIZE))) *
                          np.exp(-2 * np.pi**2 * ((sigma[0] * ky)**2 + (sigma[1] * kx)**2)), s=(SIZE, SIZE))
    out = noise / noise.std()
    for at_x, at_y, flux in POINTS:
        out += 1000 * flux * np.exp(-((x - at_x) / sigma[1])**2 / 2 - ((y - at_y) / sigma[0])**2 / 2)
    return out.astype(np.float32)


@pytest.fixture
def path(tmp_path):
    fits.PrimaryHDU(image(), header()).writeto(tmp_path / "map.fits")
    return tmp_path / "map.fits"


def check(rows):
    assert len(rows) == len(POINTS) and str(rows["Total_flux"].unit) == "Jy"
    for x, y, flux in POINTS:
        row = rows[np.argmin(np.hypot(rows["Xposn"] - x, rows["Yposn"] - y))]
        assert np.hypot(row["Xposn"] - x, row["Yposn"] - y) < 0.05
        assert abs(row["Total_flux"] - flux) < 0.02 and abs(row["Peak_flux"] - flux) < 0.01
        assert abs(3600 * row["Maj"] - BEAM[0]) < 0.2 and not row["RESOLVED"]


def test_gaussians_and_sources_of_a_file(path):
    found = sx.extract(path, config="radio")
    check(found.components)
    check(found.sources)
    assert list(found.components["Source_id"]) == list(found.sources["Source_id"])


def test_the_command_has_the_same(path):
    program = os.environ.get("SRCEXTRACT_PROGRAM")
    if not program:
        pytest.skip("no data: SRCEXTRACT_PROGRAM names no program")
    subprocess.run([program, "-q", "-o", path.parent, "radio", path], check=True)
    found = sx.extract(path, config="radio")
    for name, rows in (("gaul", found.components), ("srl", found.sources)):
        written = table.Table.read(path.parent / f"map.{name}.fits")
        assert written.colnames == rows.colnames
        for column in rows.colnames:
            assert np.all(written[column] == rows[column]), column


def test_an_array_with_its_header(path):
    check(sx.extract(image(), header=header(), config="radio").components)


def test_channels_and_their_spectra(tmp_path):
    frequencies = np.array([1.0e9, 1.2e9, 1.4e9])
    planes = [image() * np.float32((frequency / 1.2e9)**-0.8) for frequency in frequencies]
    cards = header()
    cards.update({"CTYPE3": "FREQ", "CRVAL3": 1.0e9, "CDELT3": 2.0e8, "CRPIX3": 1.0})
    fits.PrimaryHDU(np.array(planes), cards).writeto(tmp_path / "cube.fits")
    found = sx.extract(tmp_path / "cube.fits", config="radio", input__plane=2, fit__channels=True)
    for rows in (found.components, found.sources):
        check(rows)
        assert np.allclose(rows["Freq_ch3"], 1.4e9) and str(rows["Total_flux_ch3"].unit) == "Jy"
        assert np.allclose(rows["Spec_Indx"], -0.8, atol=0.02) and np.all(rows["E_Spec_Indx"] > 0)


def test_keys_beside_the_name(path):
    rows = sx.extract(path, config="radio", output__style="aegean").components
    assert "int_flux" in rows.colnames and len(rows) == len(POINTS)


def test_without_a_fit_there_are_no_components(path):
    with pytest.raises(sx.ConfigError, match="fit__model"):
        sx.extract(path).components


def test_without_a_beam_there_is_an_error(path):
    fits.setval(path, "BMAJ", value=0.0)
    with pytest.raises(sx.InputError, match="beam.source"):
        sx.extract(path, config="radio")


def test_the_brightest_place_of_one_gaussian_has_the_errors_of_its_place():
    """Also where the axes of the beam are neither those of the image nor of the sky."""
    cards = header()
    cards["BPA"] = 30.0
    del cards["CDELT1"], cards["CDELT2"]
    side = PIXEL / 3600 / 2**0.5
    cards.update({"CD1_1": -side, "CD1_2": side, "CD2_1": side, "CD2_2": side})
    found = sx.extract(image(), header=cards, config="radio").sources
    single = found["S_Code"] == "S"
    assert np.count_nonzero(single) >= len(POINTS)
    for name in "E_RA", "E_DEC":
        np.testing.assert_allclose(found[name + "_max"][single], found[name][single], rtol=1e-12)


def test_a_stripe_is_fitted_along_either_axis():
    """A stripe one pixel wide, as artefacts are, has a fit in an image and in the image with exchanged axes."""
    cards = header()
    cards["BMAJ"] = cards["BMIN"] = 5 / 3600
    stripe = np.random.default_rng(1).normal(size=(SIZE, SIZE)).astype("f4")
    stripe[99:102, 80:160] = 0
    stripe[100, 80:160] = 3.9
    stripe[100, 120] = 5.4
    of_row, of_column = (sx.extract(pixels, header=cards, config="radio", background__method="constant").components
                         for pixels in (stripe, np.ascontiguousarray(stripe.T)))
    along = [rows[np.abs(rows[across] - 100) < 1.5] for rows, across in ((of_row, "Yposn"), (of_column, "Xposn"))]
    assert len(along[0]) == len(along[1]) > 0
    assert not any(np.any(rows["FLAG"] & 16) for rows in along)
