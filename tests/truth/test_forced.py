"""`--positions`: light at places that are told, beside SEP, plain sums with NumPy, Astropy's WCS, light that is known, and the
program's own catalogues."""
import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
wcs = pytest.importorskip("astropy.wcs")

from oracle_fields import field
from program import ROOT, read_catalogue, run

RAW = ("background.method=constant", "measurement.reference=zero")  # pixels as they are


def sets(*settings):
    return [part for one in settings for part in ("--set", one)]


def write_positions(path, **columns):
    lines = [",".join(columns)] + [",".join(map(str, row)) for row in zip(*columns.values())]
    path.write_text("\n".join(lines) + "\n")
    return path


def measure(program, image, directory, positions, *settings, config="plain"):
    """The rows at these positions, {column: array}; text columns are left to their tests."""
    run(program, config, image, directory, "--positions", positions, *sets("output.formats=[csv]", *settings))
    return read_catalogue(directory / f"{image.stem}.forced.cat.csv")


IDENTITIES = {
    "sextractor": ("sextractor", []),
    "the noise of the sky's mesh": ("sextractor", ["detection.threshold_unit=detection_sigma", "weights.type=background"]),
    "one level": ("plain", ["background.method=constant"]),
    "weights": ("sextractor", ["weights.type=rms", "weights.file={noise}"]),
    "weights, interpolated": ("sextractor", ["weights.type=rms", "weights.file={noise}", "weights.interpolate=all"]),
    "mask, level": ("plain", ["mask.file={mask}", "background.level=1000"]),
}


@pytest.mark.parametrize("kind", IDENTITIES)
def test_at_the_places_of_a_catalogue_it_has_its_apertures(program, tmp_path, kind):
    """Where apertures do not mind neighbours, which nobody knows of at given positions."""
    config, settings = IDENTITIES[kind]
    pixels = field(931, 400, 6000, noise=20.0)
    rng = np.random.default_rng(932)
    pixels[rng.random(pixels.shape) < 1e-3] = np.nan
    noise = np.where(np.arange(400) < 200, 20, 30).astype(np.float32) * np.ones((400, 1), np.float32)
    noise[rng.random(pixels.shape) < 1e-3] = 0
    for name, values in (("x", pixels), ("noise", noise), ("mask", (rng.random(pixels.shape) < 1e-3).astype(np.int16))):
        fits.writeto(tmp_path / f"{name}.fits", values)
    settings = [one.format(noise=tmp_path / "noise.fits", mask=tmp_path / "mask.fits") for one in settings]
    settings += ["measurement.mask=none", "measurement.gain=2.5", "measurement.apertures=[3, 5, 12.5]",
                 "measurement.zero_point=25"]
    run(program, config, tmp_path / "x.fits", tmp_path,
        *sets(*settings, "output.columns=[default, photometry]", "output.formats=[csv, fits]"))
    told = read_catalogue(tmp_path / "x.cat.csv")
    mine = measure(program, tmp_path / "x.fits", tmp_path, tmp_path / "x.cat.fits", *settings, config=config)
    assert len(told["NUMBER"]) > 150
    for name in ("NUMBER", "X_IMAGE", "Y_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE", "BACKGROUND"):
        np.testing.assert_array_equal(mine[name], told[name], name)
    apertures = [f"{stem}_APER{end}" for stem in ("FLUX", "FLUXERR", "MAG", "MAGERR") for end in ("", "_1", "_2")]
    for name in apertures:  # a position that has gone through X_IMAGE may be another float
        assert (mine[name] == told[name]).mean() > 0.99, name
        np.testing.assert_allclose(mine[name], told[name], rtol=2e-3, atol=2, err_msg=name)
    for name in ("FLUX_AUTO", "FLUXERR_AUTO", "MAG_AUTO"):  # and so may its ellipse
        same = np.isclose(mine[name], told[name], rtol=1e-9)
        assert same.mean() > 0.97, (name, same.mean())
    cut, was_cut = (one["FLAGS"].astype(int) & 16 for one in (mine, told))  # a radius that is given was not looked for
    assert np.all(cut <= was_cut) and cut.sum() > 0.5 * was_cut.sum() > 0


@pytest.mark.parametrize("seed", [941, 942])
def test_beside_sep(program, tmp_path, seed):
    sep = pytest.importorskip("sep")
    rng = np.random.default_rng(seed)
    pixels = field(seed, 300, 8000, noise=15.0).astype(np.float32)
    noise = rng.uniform(10, 25, pixels.shape).astype(np.float32)
    fits.writeto(tmp_path / "x.fits", pixels)
    fits.writeto(tmp_path / "noise.fits", noise)
    x, y = rng.uniform(15, 285, (2, 500))
    at = write_positions(tmp_path / "p.csv", x=x + 1, y=y + 1)
    radii = (1.5, 4.0, 9.3)
    mine = measure(program, tmp_path / "x.fits", tmp_path, at, *RAW, "measurement.gain=3", "weights.type=rms",
                   f"weights.file={tmp_path / 'noise.fits'}", f"measurement.apertures={[2 * r for r in radii]}")
    for end, radius in zip(("", "_1", "_2"), radii):
        told, error, _ = sep.sum_circle(pixels, x, y, radius, err=noise, gain=3.0, subpix=5)
        # SEP lays its sub-pixels in double, we in float as SExtractor: one on the edge may be inside of one alone.
        flux, own = mine[f"FLUX_APER{end}"], mine[f"FLUXERR_APER{end}"]
        assert (np.abs(flux - told) < 1e-5 * told).mean() > 0.98
        assert np.all(np.abs(flux - told) < 0.1 * pixels.max()) and np.all(np.abs(own / error - 1) < 0.02)
        assert (np.abs(own / error - 1) < 1e-5).mean() > 0.98
        sky = sep.sum_circle(noise.astype(float) ** 2, x, y, radius, subpix=5)[0]
        np.testing.assert_allclose(mine[f"FLUXLIM_APER{end}"], 3 * np.sqrt(sky), rtol=0.02)


def test_ellipses_are_sums_of_their_pixels(program, tmp_path):
    rng = np.random.default_rng(951)
    pixels = rng.normal(50, 5, (200, 240)).astype(np.float32)
    fits.writeto(tmp_path / "x.fits", pixels)
    count = 120
    x, y = rng.uniform(1, 240, count), rng.uniform(1, 200, count)
    a, ratio, theta, kron = rng.uniform(1, 6, count), rng.uniform(0.2, 1, count), rng.uniform(-90, 180, count), rng.uniform(1, 5, count)
    at = write_positions(tmp_path / "p.csv", X_IMAGE=x, Y_IMAGE=y, A_IMAGE=a, B_IMAGE=a * ratio, THETA_IMAGE=theta,
                         KRON_RADIUS=kron)
    mine = measure(program, tmp_path / "x.fits", tmp_path, at, *RAW)
    v, u = np.mgrid[1:201, 1:241]
    turned = np.radians(theta)
    expected = []
    for i in range(count):
        along = (u - x[i]) * np.cos(turned[i]) + (v - y[i]) * np.sin(turned[i])
        across = (v - y[i]) * np.cos(turned[i]) - (u - x[i]) * np.sin(turned[i])
        expected.append(pixels[np.hypot(along / a[i], across / (a[i] * ratio[i])) <= kron[i]].sum(dtype=float))
    difference = np.abs(mine["FLUX_AUTO"] - expected)
    assert (difference < 1e-3).mean() > 0.97 and difference.max() < 3 * pixels.max()
    np.testing.assert_allclose(mine["KRON_RADIUS"], kron, rtol=1e-6)
    cut = np.minimum.reduce([x - 1, y - 1, 240 - x, 200 - y]) < ratio * a * kron - 2
    assert cut.sum() > 5 and np.all(mine["FLAGS"][cut].astype(int) & 16 == 16)


@pytest.mark.parametrize("seed", [961, 962, 963])
def test_light_that_is_known(program, tmp_path, seed):
    """Moffat stars, brighter and fainter than the noise, and places where there is nothing, on a slope that is given as the
    sky: a mesh has light of the stars in it."""
    rng = np.random.default_rng(seed)
    side, sigma, alpha, beta, radius = 512, 8.0, 2.8, 3.2, 4.0
    y, x = np.mgrid[:side, :side]
    clean = 300 + 0.03 * x - 0.02 * y
    fits.writeto(tmp_path / "sky.fits", clean.astype(np.float32))
    grid = (np.indices((12, 12)).reshape(2, -1).T * 42 + 24).astype(float)
    places = grid + rng.uniform(-2, 2, grid.shape)
    flux = 10 ** rng.uniform(2, 3.5, len(places))
    fine = np.arange(175) * 0.2 - 17.4  # five sub-pixels of each of 35 pixels
    for (px, py), light in zip(places, flux):
        left, low = int(px) - 17, int(py) - 17
        du, dv = fine + int(px) - px, fine + int(py) - py
        profile = (1 + (du[None, :] ** 2 + dv[:, None] ** 2) / alpha ** 2) ** -beta
        star = profile.reshape(35, 5, 35, 5).sum((1, 3)) * 0.04
        clean[low:low + 35, left:left + 35] += light * (beta - 1) / (np.pi * alpha ** 2) * star
    blank = rng.uniform(20, side - 20, (4000, 2))
    blank = blank[np.hypot(*(blank[:, None] - places[None]).transpose(2, 0, 1)).min(1) > 16][:1500]
    fits.writeto(tmp_path / "x.fits", (clean + rng.normal(0, sigma, clean.shape)).astype(np.float32))
    everywhere = np.concatenate([places, blank])
    at = write_positions(tmp_path / "p.csv", X=everywhere[:, 0] + 1, Y=everywhere[:, 1] + 1)
    mine = measure(program, tmp_path / "x.fits", tmp_path, at, f"measurement.apertures=[{2 * radius}]",
                   f"background.level={tmp_path / 'sky.fits'}", "measurement.zero_point=25")
    inside = 1 - (1 + radius ** 2 / alpha ** 2) ** (1 - beta)
    stars, none = slice(0, len(places)), slice(len(places), None)
    pulls = (mine["FLUX_APER"][stars] - flux * inside) / mine["FLUXERR_APER"][stars]
    assert abs(np.mean(pulls)) < 4 / np.sqrt(len(places)) and 0.8 < np.std(pulls) < 1.2
    empty = mine["FLUX_APER"][none] / mine["FLUXERR_APER"][none]
    assert abs(empty.mean()) < 0.2 and 0.9 < empty.std() < 1.1
    limit = mine["FLUXLIM_APER"][none]
    np.testing.assert_allclose(limit, 3 * sigma * np.sqrt(np.pi) * radius, rtol=0.1)
    np.testing.assert_allclose(mine["MAGLIM_APER"][none], 25 - 2.5 * np.log10(limit), rtol=1e-12)
    assert (mine["FLUX_APER"][none] > limit).mean() < 0.02 < (mine["FLUX_APER"][stars] > mine["FLUXLIM_APER"][stars]).mean()


def turned_wcs(sky=("RA---TAN", "DEC--TAN"), at=(83.6, -5.4)):
    frame = wcs.WCS(naxis=2)
    frame.wcs.ctype, frame.wcs.crval, frame.wcs.crpix = sky, at, (40.3, 61.7)
    frame.wcs.cd = 1e-4 * np.array([[-0.8, 0.6], [0.6, 0.8]])
    return frame


@pytest.mark.parametrize("system", ["equatorial", "galactic"])
def test_positions_on_the_sky(program, tmp_path, system):
    frame = turned_wcs() if system == "equatorial" else turned_wcs(("GLON-TAN", "GLAT-TAN"), (208.9, -19.4))
    rng = np.random.default_rng(971)
    pixels = rng.normal(100, 3, (120, 100)).astype(np.float32)
    fits.writeto(tmp_path / "x.fits", pixels, frame.to_header())
    x, y = rng.uniform(-20, 120, 300), rng.uniform(-20, 140, 300)
    sky = frame.pixel_to_world(x - 1, y - 1).icrs
    at = write_positions(tmp_path / "p.csv", ra=sky.ra.deg, dec=sky.dec.deg)
    mine = measure(program, tmp_path / "x.fits", tmp_path, at, *RAW, "measurement.apertures=[6]")
    # Astropy goes from galactic coordinates to ICRS by way of FK5, which we take for one with ICRS: 0.02 arcseconds.
    same = 1e-6 if system == "equatorial" else 0.02 / 0.36
    np.testing.assert_allclose(mine["X_IMAGE"], x, rtol=0, atol=same)
    np.testing.assert_allclose(mine["Y_IMAGE"], y, rtol=0, atol=same)
    np.testing.assert_array_equal(mine["ALPHA_J2000"], sky.ra.deg)
    x, y = mine["X_IMAGE"], mine["Y_IMAGE"]
    outside = (x < 0.5) | (x >= 100.5) | (y < 0.5) | (y >= 120.5)
    assert 50 < outside.sum() < 250
    np.testing.assert_array_equal(np.isnan(mine["FLUX_APER"]), outside)
    np.testing.assert_array_equal(np.isnan(mine["FLUXLIM_APER"]), outside)
    assert np.all(mine["FLAGS"][outside] == 16)
    direct = measure(program, tmp_path / "x.fits", tmp_path, write_positions(tmp_path / "q.csv", x=mine["X_IMAGE"], y=mine["Y_IMAGE"]), *RAW,
                     "measurement.apertures=[6]")
    np.testing.assert_allclose(mine["FLUX_APER"], direct["FLUX_APER"], rtol=1e-2)


@pytest.mark.parametrize("mode", ["none", "blank", "correct"])
def test_bad_pixels_edges_and_saturation(program, tmp_path, mode):
    pixels = np.full((60, 60), 10, np.float32)
    pixels[::2, ::2] += 1
    pixels[20:40, 20:40] = np.nan
    pixels[50, 10] = 5000
    fits.writeto(tmp_path / "x.fits", pixels)
    # In the middle of the hole, half over its edge, on good pixels, cut by the corner, with a bright pixel.
    at = write_positions(tmp_path / "p.csv", x=[30.5, 20.5, 10, 1, 12], y=[30.5, 30, 10, 1, 50])
    mine = measure(program, tmp_path / "x.fits", tmp_path, at, *RAW, "measurement.apertures=[8]",
                   f"measurement.mask={mode}", "measurement.saturation=4000")
    assert mine["FLAGS"].astype(int).tolist() == [257, 257, 0, 16, 4]
    assert np.isnan(mine["FLUX_APER"]).tolist() == [True, False, False, False, False]
    whole = mine["FLUX_APER"][2]
    assert whole == pytest.approx(10.25 * np.pi * 16, rel=0.02)
    half = 1 if mode == "correct" else 0.5
    assert mine["FLUX_APER"][1] == pytest.approx(half * whole, rel=0.1)
    assert mine["FLUX_APER"][3] == pytest.approx(whole * (0.25 + 4 / (np.pi * 16) + 0.005), rel=0.05)


def test_repository_configurations_measure_positions(program, tmp_path):
    """Whatever they deblend, convolve or look for."""
    fits.writeto(tmp_path / "x.fits", field(981, 128, 4000))
    at = write_positions(tmp_path / "p.csv", x=[30.5, 64], y=[30.5, 70])
    seen = []
    for config in ("plain", "default", "sextractor", "lesson"):
        seen.append(measure(program, tmp_path / "x.fits", tmp_path, at, "background.method=constant", config=config))
    assert all(np.isfinite(one["FLUX_APER"]).all() and len(one["NUMBER"]) == 2 for one in seen)
