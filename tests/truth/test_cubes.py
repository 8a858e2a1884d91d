"""Radio cubes: fluxes of channels and spectral indices, Stokes Q, U and V, and what is done with channels that are blank,
noisy, without a beam or of another beam."""
import json
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import cube_maps
from continuum_maps import PIXEL, QUIET, SIGMA
from cube_maps import FREQUENCIES, REFERENCE, Cube
from program import ROOT
from rounds import first

CHANNELS = range(1, len(FREQUENCIES) + 1)


def run(program, path, *settings, options=()):
    sets = [part for setting in settings for part in ("--set", setting)]
    return subprocess.run([program, "--record", "-o", path.parent, *options, *sets, ROOT / "config/radio.yaml", path],
                          capture_output=True, text=True)


def extract(program, path, *settings, options=(), kind="gaul"):
    done = run(program, path, *settings, options=options)
    assert done.returncode == 0, done.stderr
    stem = str(path)[:-5]
    rows = table.Table.read(f"{stem}.{kind}.fits")
    for name in rows.colnames:
        if np.ma.isMaskedArray(rows[name]) and rows[name].dtype.kind == "f":
            rows[name] = rows[name].filled(np.nan)
    return rows, json.loads(open(f"{stem}.run.json").read()), done.stderr


def spread(values):
    low, high = np.percentile(values, [16, 84])
    return (high - low) / 2


def check_pulls(pulls, what):
    """Their width is 1, to 5 % and three errors of the width itself, and they have no bias."""
    pulls = np.array(pulls)
    assert len(pulls) > 100 and np.all(np.isfinite(pulls)), what
    assert abs(spread(pulls) - 1) < 0.05 + 3 * 1.2 / np.sqrt(2 * len(pulls)), f"{what}: {spread(pulls)} of {len(pulls)}"
    assert abs(np.median(pulls)) < 0.05 + 4 * 1.25 / np.sqrt(len(pulls)), f"{what}: {np.median(pulls)}"


# --- what is right ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("unlike, dirty, deep", ((False, False, True), (True, False, True), (True, True, True), (True, False, False)))
def test_channels_and_indices_have_the_errors_that_are_told(program, tmp_path, unlike, dirty, deep):
    """Gaussians of a deep map, or of one channel, measured in a cube."""
    channels, indices, of_points, curved, rows_in_all = [], [], [], 0, 0
    for seed in first(5, tuple(range(20, 40))):
        cube = Cube(seed, unlike=unlike, dirty=dirty)
        path = cube.write(tmp_path / "cube.fits")
        own = (cube.write_map(tmp_path / "deep.fits", cube.deep), f"fit.cube={path}") if deep else (path, "input.plane=4")
        rows, told, _ = extract(program, *own, "fit.channels=true")
        assert [one["left_out"] for one in told["fit"]["channels"]] == [None] * len(FREQUENCIES)
        assert np.allclose([one["beam"]["fwhm"] for one in told["fit"]["channels"]], np.array(cube.beams)[:, :2], rtol=1e-6)
        assert np.allclose([one["noise_area"] for one in told["fit"]["channels"]], 1 if dirty else 2, atol=0.25)
        found = cube.rows_of(rows)
        seen = found >= 0
        assert np.mean(seen) > (0.999 if deep else 0.9)
        row = rows[found[seen]]
        rows_in_all += len(row)
        curved += np.isfinite(row["Spec_curv"]).sum()
        for n, frequency in zip(CHANNELS, FREQUENCIES):
            assert np.allclose(row[f"Freq_ch{n}"], frequency)
            pulls = (row[f"Total_flux_ch{n}"] - cube.fluxes(frequency)[seen]) / row[f"E_Total_flux_ch{n}"]
            channels.extend(pulls)
            of_points.extend(pulls[~cube.truth["resolved"][seen]])
        plain = np.isnan(row["Spec_curv"])
        indices.extend(((row["Spec_Indx"] - cube.truth["index"][seen]) / row["E_Spec_Indx"])[plain])
    check_pulls(channels, "fluxes")
    check_pulls(of_points, "fluxes of points")
    check_pulls(indices, "indices")
    assert curved <= 0.02 * rows_in_all  # 0.27 % of power laws


def test_curvature_is_found_where_it_is(program, tmp_path):
    cube = Cube(3, curved=4.0, snr=(100, 300))
    cube.write(tmp_path / "cube.fits")
    rows, _, _ = extract(program, cube.write_map(tmp_path / "deep.fits", cube.deep), "fit.channels=true",
                         f"fit.cube={tmp_path / 'cube.fits'}")
    row = rows[cube.rows_of(rows)]
    known = np.isfinite(row["Spec_curv"])
    assert known.mean() > 0.9
    pulls = ((row["Spec_curv"] - 4) / row["E_Spec_curv"])[known]
    assert abs(np.median(pulls)) < 1 and 0.6 < spread(pulls) < 1.5
    slope = cube.truth["index"] + 8 * np.log(row["Spec_Freq"] / REFERENCE)
    pulls = ((row["Spec_Indx"] - slope) / row["E_Spec_Indx"])[known]
    assert abs(np.median(pulls)) < 1 and 0.6 < spread(pulls) < 1.5


@pytest.mark.parametrize("unlike", (False, True))
def test_channels_are_combined_for_the_fit(program, tmp_path, unlike):
    """Fainter sources are found than in a channel, and fluxes have the beams of their channels."""
    pulls, indices, of_sum, of_one = [], [], [], []
    for seed in first(4, tuple(range(50, 60))):
        cube = Cube(seed, unlike=unlike, snr=(3, 30))
        path = cube.write(tmp_path / "cube.fits")
        one, _, _ = extract(program, path)
        rows, told, said = extract(program, path, "combine.method=inverse_variance", "fit.channels=true")
        assert ("weighted mean" in said) == unlike
        assert told["beam"]["frequency"] == pytest.approx(FREQUENCIES.mean(), rel=2e-3)
        found = cube.rows_of(rows)
        of_sum.extend(found >= 0)
        of_one.extend(cube.rows_of(one) >= 0)
        row = rows[found[found >= 0]]
        for n, frequency in zip(CHANNELS, FREQUENCIES):
            pulls.extend((row[f"Total_flux_ch{n}"] - cube.fluxes(frequency)[found >= 0]) / row[f"E_Total_flux_ch{n}"])
        indices.extend((row["Spec_Indx"] - cube.truth["index"][found >= 0]) / row["E_Spec_Indx"])
    assert np.mean(of_sum) > 0.92 and np.mean(of_one) < np.mean(of_sum) - 0.1
    check_pulls(pulls, "fluxes")
    check_pulls(indices, "indices")


def test_the_channel_that_was_fitted_has_the_flux_of_the_fit(program, tmp_path):
    path = Cube(7).write(tmp_path / "cube.fits")
    for kind in ("gaul", "srl"):
        rows, _, _ = extract(program, path, "input.plane=3", "fit.channels=true", kind=kind)
        fitted = rows["FLAG"] == 0
        assert fitted.sum() > 20
        apart = np.abs(rows["Total_flux_ch3"] - rows["Total_flux"])[fitted] / rows["E_Total_flux"][fitted]
        assert np.median(apart) < 0.002 and apart.max() < 0.1  # the shapes of the last round tell which pixels count
        assert np.allclose(rows["E_Total_flux_ch3"][fitted], rows["E_Total_flux"][fitted], rtol=0.1)
        assert np.median(rows["E_Total_flux_ch3"] / rows["E_Total_flux"]) == pytest.approx(1, abs=0.02)


def test_fluxes_are_those_of_a_dense_least_squares_fit(program, tmp_path):
    """By NumPy, with whole matrices, over the pixels within 0.7 FWHM."""
    cube = Cube(8, unlike=True, snr=(20, 60))
    path = cube.write(tmp_path / "cube.fits")
    settings = ("input.plane=1", "fit.channels=true", "background.level=0", "background.rms=2e-5", "fit.noise_area=2",
                "background.method=constant", "background.mesh_beams=0", "background.refine=1")
    rows, told, _ = extract(program, path, *settings)
    isolated = [row for row in rows if row["S_Code"] == "S" and row["FLAG"] == 0]
    assert len(isolated) > 20

    def in_pixels(major, minor, angle):  # of degrees from the y axis anticlockwise, to the covariance of (x, y)
        s, c = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        axes = np.array([[-s, c], [c, s]])
        return axes @ np.diag([(major * SIGMA / PIXEL)**2, (minor * SIGMA / PIXEL)**2]) @ axes.T

    down, across = np.mgrid[:cube.size, :cube.size]
    for row in isolated[:12]:
        seen = in_pixels(3600 * row["Maj_img_plane"], 3600 * row["Min_img_plane"], row["PA_img_plane"])
        for n, beam in zip(CHANNELS, cube.beams):
            of_beam = in_pixels(*beam)
            shape = seen - in_pixels(*cube.beams[0]) + of_beam
            dx, dy = across - row["Xposn"], down - row["Yposn"]
            inverse = np.linalg.inv(shape)
            distance = inverse[0, 0] * dx**2 + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy**2
            near = distance <= 0.7**2 * 8 * np.log(2)
            profile = np.exp(-distance[near] / 2)
            values = cube.i[n - 1].astype("f4")[near]
            noise = told["fit"]["channels"][n - 1]["rms"]
            grown = np.sqrt(np.linalg.det(shape) / np.linalg.det(of_beam))
            apart = np.array([across[near][:, None] - across[near], down[near][:, None] - down[near]])
            common = np.exp(-np.einsum("iab,ij,jab->ab", apart, np.linalg.inv(2 * of_beam), apart) / 2)
            total = grown * (profile @ values) / (profile @ profile)
            error = grown * noise * np.sqrt(profile @ common @ profile) / (profile @ profile)
            assert row[f"Total_flux_ch{n}"] == pytest.approx(total, rel=1e-4)
            # The table's error has that of the fitted shape, too.
            assert error * 0.99 < row[f"E_Total_flux_ch{n}"] < 2.5 * error


def test_indices_are_those_of_scipys_fit(program, tmp_path):
    optimize = pytest.importorskip("scipy.optimize")
    path = Cube(9).write(tmp_path / "cube.fits")
    rows, _, _ = extract(program, path, "combine.method=inverse_variance", "fit.channels=true")
    for row in rows[np.isnan(rows["Spec_curv"])]:
        fluxes = np.array([row[f"Total_flux_ch{n}"] for n in CHANNELS])
        law = lambda f, flux, index: flux * (f / row["Spec_Freq"])**index
        (flux, index), _ = optimize.curve_fit(law, FREQUENCIES, fluxes, p0=(fluxes.mean(), -0.7))
        # All channels have nearly one error.
        assert index == pytest.approx(row["Spec_Indx"], abs=0.1 * row["E_Spec_Indx"])
        assert flux == pytest.approx(row["Spec_flux"], rel=0.01)


# --- channels that are of no use ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("combined", (False, True))
def test_blank_and_noisy_channels_are_left_out_and_named(program, tmp_path, combined):
    noise = np.ones(len(FREQUENCIES))
    noise[5] = 5
    cube = Cube(11, noise=noise)
    cube.i[1], cube.i[2] = np.full_like(cube.i[1], np.nan), np.zeros_like(cube.i[2])
    settings = ("fit.channels=true", *(("combine.method=inverse_variance",) if combined else ()))
    rows, told, said = extract(program, cube.write(tmp_path / "cube.fits"), *settings)
    assert "channel 2 (plane 2, 1.12 GHz) is not measured" in said and "channel 6 (plane 6" in said and "times the median" in said
    left = {one["channel"]: one["left_out"] for one in told["fit"]["channels"]}
    assert {n for n, why in left.items() if why} == {2, 3, 6}
    for n in CHANNELS:
        assert np.all(np.isnan(rows[f"Total_flux_ch{n}"])) == (n in (2, 3, 6))
    assert np.all(np.isfinite(rows["Spec_Indx"]))
    row = rows[cube.rows_of(rows)]
    pulls = (row["Spec_Indx"] - cube.truth["index"]) / row["E_Spec_Indx"]
    assert abs(np.median(pulls)) < 0.8 and spread(pulls) < 1.6
    if combined:
        assert "left out of the combination" in said


def test_a_channel_without_a_beam_is_left_out(program, tmp_path):
    cube = Cube(12, unlike=True)
    cube.beams[4] = (0, 0, 0)
    for settings in ((), ("combine.method=inverse_variance",)):
        rows, told, said = extract(program, cube.write(tmp_path / "cube.fits"), "fit.channels=true", *settings)
        assert "channel 5" in said and "no beam" in said
        assert np.all(np.isnan(rows["Total_flux_ch5"])) and np.all(np.isfinite(rows["Total_flux_ch4"]))
    assert told["fit"]["channels"][4]["beam"] is None


def test_a_cube_without_frequencies_has_fluxes_and_no_index(program, tmp_path):
    cube = Cube(13)
    data = np.array(cube.i, "f4")
    cards = {key: value for key, value in cube.header().items() if not key.endswith(("3", "4"))}
    fits.writeto(tmp_path / "cube.fits", data, fits.Header(cards))
    rows, _, _ = extract(program, tmp_path / "cube.fits", "fit.channels=true")
    assert np.all(np.isfinite(rows["Total_flux_ch8"])) and np.all(np.isnan(rows["Freq_ch8"])) and np.all(np.isnan(rows["Spec_Indx"]))


def test_more_channels_than_a_table_can_hold_are_an_error(program, tmp_path):
    cube = Cube(13, size=100)
    fits.writeto(tmp_path / "many.fits", np.repeat(np.array(cube.i, "f4"), 38, axis=0)[None], cube.header(CDELT3=1e6))
    done = run(program, tmp_path / "many.fits", "fit.channels=true")
    assert done.returncode == 3 and "304 channels" in done.stderr and "average" in done.stderr


def axes_of(cube, order):
    """The cube with its axes in another order, and a fifth one."""
    cards = dict(cube.header())
    frequency = {key[:-1]: cards.pop(key) for key in list(cards) if key.endswith("3")}
    stokes = {key[:-1]: cards.pop(key) for key in list(cards) if key.endswith("4")}
    data = np.array(cube.i, "f4")
    if order == "stokes first":
        cards |= {f"{key}3": value for key, value in stokes.items()} | {f"{key}4": value for key, value in frequency.items()}
        return data[:, None], cards
    if order == "five":
        cards |= {f"{key}5": value for key, value in frequency.items()} | {f"{key}3": value for key, value in stokes.items()}
        return data[:, None, None], {**cards, "CTYPE4": "TIME"}
    line, light = 1.42e9, 299792458.0
    velocities = light * (1 - FREQUENCIES / line)
    cards |= {"CTYPE3": "VRAD", "CUNIT3": "km/s", "CRVAL3": velocities[0] / 1e3, "CRPIX3": 1.0,
              "CDELT3": (velocities[1] - velocities[0]) / 1e3, "RESTFRQ": line}
    return data, cards


@pytest.mark.parametrize("order", ("stokes first", "five", "velocities"))
def test_axes_of_any_order_and_kind(program, tmp_path, order):
    cube = Cube(14)
    plain, _, _ = extract(program, cube.write(tmp_path / "plain.fits"), "combine.method=inverse_variance", "fit.channels=true")
    data, cards = axes_of(cube, order)
    fits.writeto(tmp_path / "other.fits", data, fits.Header(cards))
    rows, _, _ = extract(program, tmp_path / "other.fits", "combine.method=inverse_variance", "fit.channels=true")
    for name in ("Total_flux_ch1", "Total_flux_ch8", "Freq_ch8", "Spec_Indx"):
        assert np.allclose(rows[name], plain[name], rtol=1e-9)


# --- polarisation ------------------------------------------------------------------------------------------------------

def polarised_cube(cube, path, i=None):
    planes = np.array([cube.deep if i is None else i, *cube.polarised], "f4")[:, None]
    fits.PrimaryHDU(planes, fits.Header({**cube.header(), "CRVAL3": REFERENCE})).writeto(path, overwrite=True)
    return path


def test_polarisation_has_the_errors_that_are_told(program, tmp_path):
    pulls, angles, fractions, limits = {name: [] for name in "quv"}, [], [], []
    for seed in first(5, tuple(range(70, 90))):
        cube = Cube(seed)
        rows, told, _ = extract(program, polarised_cube(cube, tmp_path / "iquv.fits"), "fit.stokes=true")
        assert [one["stokes"] for one in told["fit"]["stokes"]] == [2, 3, 4]
        row = rows[cube.rows_of(rows)]
        for name in "quv":
            pulls[name].extend((row[f"Total_{name.upper()}"] - cube.truth[name]) / row[f"E_Total_{name.upper()}"])
        linear = np.hypot(cube.truth["q"], cube.truth["u"])
        sure = row["Linear_Pol_flux"] > 5 * row["E_Linear_Pol_flux"]
        angle = np.degrees(np.arctan2(cube.truth["u"], cube.truth["q"])) / 2
        apart = (row["Linear_Pol_Ang"] - angle + 90) % 180 - 90
        angles.extend((apart / row["E_Linear_Pol_Ang"])[sure])
        fractions.extend(((row["Linear_Pol_frac"] - linear / cube.truth["flux"]) / row["E_Linear_Pol_frac"])[sure])
        assert np.all((row["Linear_Pol_Ang"] >= 0) & (row["Linear_Pol_Ang"] < 180))
        limits.append(np.isfinite(row["Linear_Pol_Lim"]))
        below = np.isfinite(row["Linear_Pol_Lim"])
        assert np.allclose(row["Linear_Pol_Lim"][below], 3 * row["E_Linear_Pol_flux"][below])
        assert np.all(row["Linear_Pol_flux"][below] < row["Linear_Pol_Lim"][below])
    for name, of in pulls.items():
        check_pulls(of, name)
    assert 0.1 < np.mean(limits) < 0.9
    for what, of in (("angle", angles), ("fraction", fractions)):
        assert len(of) > 40 and abs(spread(of) - 1) < 0.3 and abs(np.median(of)) < 0.4, what


def test_polarisation_of_another_file_or_of_none(program, tmp_path):
    cube = Cube(71)
    other = polarised_cube(cube, tmp_path / "iquv.fits")
    own, _, _ = extract(program, other, "fit.stokes=true")
    rows, _, _ = extract(program, cube.write_map(tmp_path / "deep.fits", cube.deep), "fit.stokes=true", f"fit.cube={other}")
    assert np.allclose(rows["Total_Q"], own["Total_Q"], rtol=1e-9)
    done = run(program, tmp_path / "deep.fits", "fit.stokes=true")
    assert done.returncode == 3 and "fit.cube" in done.stderr and "STOKES" in done.stderr
    for cut in (np.s_[:, :, :, 1:], np.s_[:, :, 1:, :]):
        fits.writeto(tmp_path / "cut.fits", fits.getdata(other)[cut], fits.getheader(other), overwrite=True)
        done = run(program, tmp_path / "deep.fits", "fit.stokes=true", f"fit.cube={tmp_path / 'cut.fits'}")
        assert done.returncode == 3 and "fit.cube" in done.stderr and "resample" in done.stderr
    done = run(program, tmp_path / "deep.fits", f"fit.cube={other}")
    assert done.returncode == 2 and "fit.channels or fit.stokes" in done.stderr


# --- outputs -----------------------------------------------------------------------------------------------------------

def test_styles_have_their_names(program, tmp_path):
    path = Cube(15).write(tmp_path / "cube.fits")
    settings = ("combine.method=inverse_variance", "fit.channels=true")
    plain, _, _ = extract(program, path, *settings)
    casda, _, _ = extract(program, path, *settings, "output.style=casda")
    assert np.allclose(casda["spectral_index"], plain["Spec_Indx"])
    aegean, _, _ = extract(program, path, *settings, "output.style=aegean")
    assert np.allclose(aegean["Total_flux_ch2"], plain["Total_flux_ch2"]) and "peak_flux" in aegean.colnames
    assert str(plain["Total_flux_ch2"].unit) == "Jy" and str(plain["Freq_ch2"].unit) == "Hz"


def test_the_catalogue_is_the_same_for_any_number_of_threads(program, tmp_path):
    path = Cube(16, unlike=True).write(tmp_path / "cube.fits")
    bytes_of = []
    for threads in ("1", "2", "5"):
        extract(program, path, "combine.method=inverse_variance", "fit.channels=true", options=("--threads", threads))
        bytes_of.append([(tmp_path / f"cube.{kind}.fits").read_bytes() for kind in ("gaul", "srl")])
    assert bytes_of[0] == bytes_of[1] == bytes_of[2]


@pytest.mark.parametrize("combined", (False, True))
def test_check_images_have_the_axes_of_the_map(program, tmp_path, combined):
    wcs = pytest.importorskip("astropy.wcs")
    cube = Cube(17)
    path = cube.write(tmp_path / "cube.fits")
    names = ("model", "residual", "rms", "background", "islands")
    plane = ("combine.method=inverse_variance",) if combined else ("input.plane=3",)
    extract(program, path, *plane, "background.mesh_beams=20", "background.filter_size=3", f"output.check_images=[{', '.join(names)}]", "output.segmentation=true")
    place = wcs.WCS(fits.getheader(path))
    images = {}
    for name in (*names, "seg"):
        with fits.open(tmp_path / f"cube.{name}.fits") as hdus:
            hdu = hdus[0] if hdus[0].data is not None else hdus[1]
            images[name], head = np.array(hdu.data), hdu.header.copy()
        if name == "seg":
            continue
        assert images[name].shape == (1, 1, cube.size, cube.size), name
        assert head["CTYPE3"] == "FREQ" and head["CTYPE4"] == "STOKES" and head["NAXIS4"] == 1
        index = (len(FREQUENCIES) - 1) / 2 if combined else 2
        assert np.allclose(wcs.WCS(head).wcs_pix2world([[10, 20, 0, 0]], 0), place.wcs_pix2world([[10, 20, index, 0]], 0),
                           rtol=2e-3 if combined else 1e-12)
    assert set(np.unique(images["islands"])) == {0, 1}
    assert np.array_equal(images["islands"][0, 0] > 0, images["seg"] > 0)
    assert np.allclose(images["rms"], QUIET / (np.sqrt(8) if combined else 1), rtol=0.15)
    peak = np.unravel_index(np.argmax(images["model"][0, 0]), (cube.size, cube.size))
    assert images["islands"][0, 0][peak] == 1


def test_zeros_at_the_border_of_a_detection_image_are_masked(program, tmp_path):
    cube = Cube(18)
    deep, shallow = cube.deep.copy(), cube.i[3].copy()
    deep[:60], deep[:, :40] = 0, 0
    cube.write_map(tmp_path / "deep.fits", deep)
    rows, told, said = extract(program, cube.write_map(tmp_path / "shallow.fits", shallow),
                               options=("-d", tmp_path / "deep.fits"))
    assert f"deep.fits: {(deep == 0).sum()} pixels of 0 are taken for padding" in said
    assert np.all(rows["Yposn"] > 55) and np.all(rows["Xposn"] > 35)
    inside = (cube.truth["x"] > 60) & (cube.truth["y"] > 80)
    assert np.all(cube.rows_of(rows)[inside] >= 0)


def test_units_of_a_cube_beside_the_image_are_known_or_refused(program, tmp_path):
    cube = Cube(21)
    path = cube.write(tmp_path / "cube.fits")
    deep = cube.write_map(tmp_path / "deep.fits", cube.deep)
    for unit in ("MJY/BEAM", "adu", None):
        with fits.open(path, mode="update") as hdus:
            if unit is None:
                del hdus[0].header["BUNIT"]
            else:
                hdus[0].header["BUNIT"] = unit
        done = run(program, deep, "fit.channels=true", f"fit.cube={path}")
        assert done.returncode == 3 and "fit.cube" in done.stderr and "BUNIT" in done.stderr, done.stderr


def test_kelvins_are_not_summed_over_channels(program, tmp_path):
    path = Cube(22).write(tmp_path / "cube.fits")
    with fits.open(path, mode="update") as hdus:
        hdus[0].header["BUNIT"] = "K"
    done = run(program, path, "combine.method=inverse_variance", "fit.channels=true")
    assert done.returncode == 3 and "Jy/beam" in done.stderr, done.stderr


def test_channels_without_frequencies_and_other_polarisations_are_told(program, tmp_path):
    path = Cube(23).write(tmp_path / "cube.fits")
    with fits.open(path, mode="update") as hdus:
        hdus[0].header["CTYPE3"] = "CHAN"
    _, _, said = extract(program, path, "input.plane=2", "fit.channels=true")
    assert "no spectral indices" in said
    with fits.open(path, mode="update") as hdus:
        hdus[0].header["CTYPE3"], hdus[0].header["CRVAL4"] = "FREQ", 2
    _, _, said = extract(program, path, "input.plane=2")
    assert "Stokes Q, and not I" in said


def test_check_images_of_a_cube_with_a_table_of_beams_are_maps(program, tmp_path):
    """They have the beam that was used, and not the sign of a table that they lack."""
    path = Cube(24, unlike=True).write(tmp_path / "cube.fits")
    rows, told, _ = extract(program, path, "input.plane=2", "output.check_images=[residual]")
    head = fits.getheader(tmp_path / "cube.residual.fits")
    assert np.allclose([3600 * head["BMAJ"], 3600 * head["BMIN"], head["BPA"]], [*told["beam"]["fwhm"], told["beam"]["angle"]])
    assert "CASAMBM" not in head and len(rows) > 10
    assert run(program, tmp_path / "cube.residual.fits").returncode == 0


def test_the_beams_of_a_cube_count_beside_a_given_one(program, tmp_path):
    """The beam that is given is that of the image."""
    cube = Cube(25, unlike=True)
    path = cube.write(tmp_path / "cube.fits")
    deep = cube.write_map(tmp_path / "deep.fits", cube.deep)
    settings = ("fit.channels=true", f"fit.cube={path}")
    known, _, _ = extract(program, deep, *settings)
    with fits.open(deep, mode="update") as hdus:
        beam = [3600 * hdus[0].header["BMAJ"], 3600 * hdus[0].header["BMIN"], hdus[0].header["BPA"]]
        for name in ("BMAJ", "BMIN", "BPA"):
            del hdus[0].header[name]
    given, _, _ = extract(program, deep, *settings, "beam.source=given", f"beam.fwhm=[{beam[0]},{beam[1]}]",
                          f"beam.angle={beam[2]}")
    assert np.allclose(given["Total_flux_ch1"], known["Total_flux_ch1"], rtol=1e-5, equal_nan=True)
