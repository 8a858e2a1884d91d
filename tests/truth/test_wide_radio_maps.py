"""Wide radio maps, whose pixels differ in size and shape on the sky. The flux of a Gaussian is the integral over solid
angle, wherever it is; a point is not resolved."""
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import wide_maps

BEAM = (1.5, 1.5)
CELL = 0.25
PEAK = 5.0


def gaussians(program, path, image, cards, *options):
    fits.writeto(path, image.astype("f4"), cards, overwrite=True)
    done = subprocess.run([program, "--backend", "cpu", "-o", path.parent, *options, "radio", path], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return table.Table.read(path.with_suffix(".gaul.fits")), done.stderr


def nearest(rows, pixels):
    for x, y in pixels:
        distance = np.hypot(rows["Xposn"] - x, rows["Yposn"] - y)
        assert distance.min() < 1.5, (x, y, distance.min())
        yield rows[np.argmin(distance)]


# A part of a map has its reference point beside it.
ON_EQUATOR = [(180, 0), (180, 30), (180, 60), (150, 30), (225, -60)]
PROJECTIONS = {
    "CAR": (ON_EQUATOR, (560, 560), {}),
    "MER": (ON_EQUATOR, (760, 560), {}),
    "CEA": (ON_EQUATOR, (460, 560), {}),
    "AIT": (ON_EQUATOR, (560, 560), {}),
    "SFL": (ON_EQUATOR, (560, 560), {}),
    "HPX": ([(180, 0), (180, 30), (170, 60), (150, 25)], (560, 560), {"PV2_1": 4, "PV2_2": 3}),
    "TSC": ([(180, 0), (190, 30), (200, 20), (180, -38)], (400, 400), {}),
    "TAN": ([(180, 0), (180, 30), (180, 55), (140, 20)], (720, 720), {}),
    "SIN": ([(180, 0), (180, 30), (180, 55), (140, 20)], (480, 480), {}),
    "ZEA": ([(180, 0), (180, 30), (180, 60), (140, 20)], (520, 520), {}),
    "STG": ([(180, 0), (180, 30), (180, 60), (140, 20)], (600, 600), {}),
    "ARC": ([(180, 0), (180, 30), (180, 60), (140, 20)], (560, 560), {}),
}


@pytest.mark.parametrize("unit", ["K", "MJy/sr"])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_flux_is_the_integral_over_solid_angle(program, tmp_path, projection, unit):
    places, shape, more = PROJECTIONS[projection]
    cards = wide_maps.header(projection, CELL, shape, BEAM, unit, **more)
    image, pixels = wide_maps.draw(cards, shape, places, PEAK, BEAM)
    rows, _ = gaussians(program, tmp_path / "wide.fits", image, cards)
    janskys = PEAK * wide_maps.janskys(unit, BEAM)
    for row, place in zip(nearest(rows, pixels), places):
        assert row["Total_flux"] == pytest.approx(janskys, rel=0.01), place
        assert row["Peak_flux"] == pytest.approx(janskys, rel=0.02), place
        assert [row["Maj"], row["Min"]] == pytest.approx(BEAM, rel=0.02), place


@pytest.mark.parametrize("projection", ["CAR", "TAN"])
def test_janskys_per_beam_have_the_beam_of_the_place(program, tmp_path, projection):
    places, shape, more = PROJECTIONS[projection]
    cards = wide_maps.header(projection, CELL, shape, BEAM, "Jy/beam", **more)
    image, pixels = wide_maps.draw(cards, shape, places, PEAK, BEAM)
    rows, _ = gaussians(program, tmp_path / "wide.fits", image, cards)
    for row, place in zip(nearest(rows, pixels), places):
        assert row["Total_flux"] == pytest.approx(PEAK, rel=0.01), place


def test_the_beam_of_an_interferometer_is_constant_in_the_pixels_of_sin(program, tmp_path):
    """Its visibilities are Fourier components of the direction cosines, which SIN has as axes."""
    cards = wide_maps.header("SIN", CELL, (480, 480), BEAM, "Jy/beam")
    y, x = np.indices((480, 480))
    image = np.random.default_rng(3).normal(0, 0.01, (480, 480))
    pixels = [(240, 240), (240, 400), (90, 300)]
    for at in pixels:
        image += PEAK * np.exp(-4 * np.log(2) * ((x - at[0]) ** 2 + (y - at[1]) ** 2) / (BEAM[0] / CELL) ** 2)
    rows, _ = gaussians(program, tmp_path / "sin.fits", image, cards)
    for row in nearest(rows, pixels):
        assert row["Total_flux"] == pytest.approx(PEAK, rel=0.01)
        assert row["RESOLVED"] == 0


def test_janskys_per_pixel_are_summed(program, tmp_path):
    places, shape, more = PROJECTIONS["CAR"]
    cards = wide_maps.header("CAR", CELL, shape, BEAM, "Jy/pixel", **more)
    image, pixels = wide_maps.draw(cards, shape, places[:3], PEAK, BEAM)
    rows, _ = gaussians(program, tmp_path / "wide.fits", image, cards)
    for row, (x, y) in zip(nearest(rows, pixels), pixels):
        left, low = int(x) - 20, int(y) - 10
        assert row["Total_flux"] == pytest.approx(image[low:low + 21, left:left + 41].sum(), rel=0.01)


def test_an_elongated_beam_turns_with_the_north_of_the_place(program, tmp_path):
    """A point has the beam's shape on the sky at every latitude; twice as long in declination it is resolved."""
    beam, angle = (2.4, 1.5), 30.0
    cards = wide_maps.header("CAR", CELL, (560, 560), beam, "K", angle=angle)
    image, pixels = wide_maps.draw(cards, (560, 560), ON_EQUATOR, PEAK, beam, angle)
    rows, _ = gaussians(program, tmp_path / "long.fits", image, cards)
    for row in nearest(rows, pixels):
        assert [row["Maj"], row["Min"]] == pytest.approx(beam, rel=0.03)
        assert row["PA"] == pytest.approx(angle, abs=2)
        assert row["DC_Maj"] < 0.6
    large = (4.8, 3.0)
    image, pixels = wide_maps.draw(cards, (560, 560), ON_EQUATOR[:3], PEAK, large, angle)
    rows, _ = gaussians(program, tmp_path / "large.fits", image, cards)
    for row in nearest(rows, pixels):
        assert row["RESOLVED"] == 1
        assert row["DC_Maj"] == pytest.approx(np.sqrt(large[0] ** 2 - beam[0] ** 2), rel=0.04)
        assert row["DC_Min"] == pytest.approx(np.sqrt(large[1] ** 2 - beam[1] ** 2), rel=0.04)


def test_two_gaussians_of_an_island_have_the_beams_of_their_own_places(program, tmp_path):
    places = [(180, 58), (180, 60.5)]
    cards = wide_maps.header("CAR", CELL, (560, 560), BEAM, "K")
    image, pixels = wide_maps.draw(cards, (560, 560), places, PEAK, BEAM)
    rows, _ = gaussians(program, tmp_path / "two.fits", image, cards)
    found = list(nearest(rows, pixels))
    assert found[0]["Isl_id"] == found[1]["Isl_id"]
    for row in found:
        assert row["Total_flux"] == pytest.approx(PEAK * wide_maps.janskys("K", BEAM), rel=0.01)
    sources = table.Table.read(tmp_path / "two.srl.fits")
    assert sources["Total_flux"].sum() == pytest.approx(rows["Total_flux"].sum(), rel=1e-9)
