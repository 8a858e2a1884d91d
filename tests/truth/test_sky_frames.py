"""Images in other celestial systems: FK4, FK5 of another equinox, ecliptic, supergalactic. Their positions are those of
astropy, in every catalogue; radio maps have Gaussians with the shape of their beam."""
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")
coordinates = pytest.importorskip("astropy.coordinates")
import astropy.units as u

import wide_maps

CELL, BEAM = 0.002, (0.014, 0.009)
EQUATORIAL, ECLIPTIC = ("RA", "DEC"), ("ELON", "ELAT")
# Each with the distance, in arcseconds, by which conventions may differ: astropy has ICRS where we say J2000.
FRAMES = {
    "FK4": (EQUATORIAL, {"EQUINOX": 1950.0}, coordinates.FK4(equinox="B1950"), 0.1),
    "FK4 by EPOCH": (EQUATORIAL, {"EPOCH": 1950.0}, coordinates.FK4(equinox="B1950"), 0.1),
    "FK4 of 1900": (EQUATORIAL, {"RADESYS": "FK4", "EQUINOX": 1900.0},
                    coordinates.FK4(equinox="B1900", obstime="B1950"), 0.1),
    "FK4-NO-E": (EQUATORIAL, {"RADESYS": "FK4-NO-E", "EQUINOX": 1950.0}, coordinates.FK4NoETerms(equinox="B1950"), 0.1),
    "FK5 of 1975": (EQUATORIAL, {"RADESYS": "FK5", "EQUINOX": 1975.0}, coordinates.FK5(equinox="J1975"), 0.1),
    "galactic": (("GLON", "GLAT"), {}, coordinates.Galactic(), 0.01),
    "supergalactic": (("SLON", "SLAT"), {}, coordinates.Supergalactic(), 0.1),
    "ecliptic": (ECLIPTIC, {"EQUINOX": 2000.0, "RADESYS": "FK5"},
                 coordinates.BarycentricMeanEcliptic(equinox="J2000"), 0.1),
    "ecliptic of ICRS": (ECLIPTIC, {}, coordinates.BarycentricMeanEcliptic(equinox="J2000"), 0.1),
}


@pytest.fixture(scope="module")
def image():
    cards = wide_maps.header("SIN", CELL, (160, 160), BEAM, "Jy/beam", crval=(77.0, 21.0), angle=35.0)
    noise = 2e-4
    longitude, latitude = 77.0 + np.array([-0.08, 0.05, 0.09]), 21.0 + np.array([0.07, 0.02, -0.1])
    drawn, pixels = wide_maps.draw(cards, (160, 160), list(zip(longitude, latitude)), 1.0, BEAM, 35.0, noise)
    return drawn.astype("f4"), pixels, longitude, latitude


@pytest.mark.parametrize("name", FRAMES)
def test_positions_are_those_of_astropy(program, tmp_path, image, name):
    axes, cards, frame, tolerance = FRAMES[name]
    pixels, values, longitude, latitude = image[0], image[1], image[2], image[3]
    header = wide_maps.header("SIN", CELL, (160, 160), BEAM, "Jy/beam", crval=(77.0, 21.0), axes=axes, angle=35.0,
                              **cards)
    path = tmp_path / "map.fits"
    fits.writeto(path, pixels, header)
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "radio", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    truth = coordinates.SkyCoord(longitude * u.deg, latitude * u.deg, frame=frame).icrs
    gaussians = table.Table.read(tmp_path / "map.gaul.fits")
    islands = table.Table.read(tmp_path / "map.cat.fits")
    for rows, alpha, delta in ((gaussians, "RA", "DEC"), (islands, "ALPHA_J2000", "DELTA_J2000")):
        assert len(rows) == 3
        found = coordinates.SkyCoord(np.asarray(rows[alpha]) * u.deg, np.asarray(rows[delta]) * u.deg)
        nearest, distance, _ = truth.match_to_catalog_sky(found)
        assert sorted(nearest) == [0, 1, 2]
        # The fit's own error: a hundredth of a pixel.
        assert np.all(distance.arcsec < tolerance + 0.1), (name, distance.arcsec)
    assert np.all(gaussians["DC_Maj"] < 0.2 * BEAM[0])
    assert gaussians["Total_flux"] == pytest.approx(1.0, rel=0.01)
    # The position angle in the catalogue counts from the north of J2000.
    ahead = coordinates.SkyCoord((longitude[0] + 1e-3 * np.sin(np.radians(35)) / np.cos(np.radians(latitude[0]))) * u.deg,
                                 (latitude[0] + 1e-3 * np.cos(np.radians(35))) * u.deg, frame=frame).icrs
    row = gaussians[np.argmin(np.hypot(gaussians["Xposn"] - values[0][0], gaussians["Yposn"] - values[0][1]))]
    angle = truth[0].position_angle(ahead).deg % 180
    assert abs((row["PA"] - angle + 90) % 180 - 90) < 1


def test_positions_are_found_in_such_an_image(program, tmp_path, image):
    header = wide_maps.header("SIN", CELL, (160, 160), BEAM, "Jy/beam", crval=(77.0, 21.0), EQUINOX=1950.0)
    path = tmp_path / "map.fits"
    fits.writeto(path, image[0], header)
    truth = coordinates.SkyCoord(image[2] * u.deg, image[3] * u.deg, frame=coordinates.FK4(equinox="B1950")).icrs
    places = tmp_path / "places.csv"
    table.Table({"ra": truth.ra.deg, "dec": truth.dec.deg}).write(places)
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "--positions", places, path], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    rows = table.Table.read(tmp_path / "map.forced.cat.fits")
    np.testing.assert_allclose(np.column_stack([rows["X_IMAGE"], rows["Y_IMAGE"]]), image[1] + 1, atol=0.02)


def test_a_system_that_is_not_known_is_named(program, tmp_path, image):
    header = wide_maps.header("SIN", CELL, (160, 160), BEAM, "Jy/beam", crval=(77.0, 21.0), RADESYS="GAPPT")
    path = tmp_path / "map.fits"
    fits.writeto(path, image[0], header)
    done = subprocess.run([program, "--backend", "cpu", "-o", tmp_path, "radio", path], capture_output=True, text=True)
    assert done.returncode == 3 and "GAPPT" in done.stderr and "measurement.pixel_scale" in done.stderr
