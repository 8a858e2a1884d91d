"""detection.sign with Gaussians: sources below the sky, as in Stokes V or the Sunyaev-Zel'dovich effect, are Gaussians of
negative flux. They are those of the negated map."""
import subprocess

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import wide_maps

FLUXES = {(130, 120): -0.2, (60, 60): 0.1, (200, 190): -0.03, (40, 200): 0.05}
WIDTH = 2.0 * np.sqrt(8 * np.log(2))  # FWHM in pixels


@pytest.fixture(scope="module")
def image():
    noise = ndimage.gaussian_filter(np.random.default_rng(1).normal(0, 1, (256, 256)), 2)
    y, x = np.indices(noise.shape)
    return noise * 1e-3 / noise.std() + sum(
        flux * np.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / 8) for at, flux in FLUXES.items())


def run(program, path, image, *options):
    cell = 5e-4
    beam = (cell * WIDTH, cell * WIDTH)
    fits.writeto(path, image.astype("f4"), wide_maps.header("SIN", cell, image.shape, beam, "Jy/beam"))
    return subprocess.run([program, "--backend", "cpu", "-o", path.parent, *options, "radio", path], capture_output=True,
                          text=True)


def rows_of(program, path, image, *options, kind="gaul"):
    done = run(program, path, image, *options)
    assert done.returncode == 0, done.stderr
    return table.Table.read(path.with_suffix(f".{kind}.fits"))


SIGNED = ("Total_flux", "Peak_flux", "Isl_Total_flux", "Resid_Isl_mean")


def test_fluxes_have_their_sign(program, tmp_path, image):
    for kind in ("gaul", "srl"):
        rows = rows_of(program, tmp_path / f"{kind}.fits", image, "--set", "detection.sign=both", kind=kind)
        rows = rows[np.abs(rows["Total_flux"]) > 0.02]  # without peaks of the noise
        assert len(rows) == len(FLUXES)
        for at, flux in FLUXES.items():
            row = rows[np.argmin(np.hypot(rows["Xposn"] - at[0], rows["Yposn"] - at[1]))]
            assert row["Total_flux"] == pytest.approx(flux, abs=0.006)
            assert row["Peak_flux"] == pytest.approx(flux, abs=0.004)
            assert row["E_Total_flux"] > 0 and row["Isl_rms"] > 0 and row["RESOLVED"] == 0


def test_negative_ones_are_those_of_the_negated_map(program, tmp_path, image):
    negative = rows_of(program, tmp_path / "negative.fits", image, "--set", "detection.sign=negative")
    of_negated = rows_of(program, tmp_path / "negated.fits", -image)
    both = rows_of(program, tmp_path / "both.fits", image, "--set", "detection.sign=both")
    positive = rows_of(program, tmp_path / "positive.fits", image)
    above, below = len(positive), len(negative)
    assert below == len(of_negated) >= 2 and len(both) == above + below
    for name in of_negated.colnames:
        if name in ("S_Code", "Isl_mean"):
            continue
        sign = -1 if name in SIGNED else 1
        np.testing.assert_array_equal(negative[name], sign * of_negated[name], err_msg=name)
        np.testing.assert_allclose(both[name][:above], positive[name], rtol=1e-2, atol=1e-12, err_msg=name)
    assert list(both["Isl_id"]) == list(both["Source_id"]) == list(range(1, above + below + 1))
    np.testing.assert_allclose(both["Total_flux"][above:], negative["Total_flux"], rtol=1e-9)


def test_the_model_and_the_residual_hold_them(program, tmp_path, image):
    rows_of(program, tmp_path / "map.fits", image, "--set", "detection.sign=both", "--set",
            "output.check_images=[model, residual, islands]")
    model, residual, islands = (fits.getdata(tmp_path / f"map.{kind}.fits") for kind in ("model", "residual", "islands"))
    for (x, y), flux in FLUXES.items():
        assert model[y, x] == pytest.approx(flux, abs=0.004)
        assert abs(residual[y, x]) < 0.004 and islands[y, x] == 1


def test_what_cannot_go_with_it_is_refused(program, tmp_path, image):
    done = run(program, tmp_path / "map.fits", image, "--set", "detection.sign=both", "--set", "fit.reliability=true")
    assert done.returncode == 2 and "set fit.reliability to false" in done.stderr
