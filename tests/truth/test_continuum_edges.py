"""What a radio astronomer meets: maps without a beam or with one elsewhere, other units, blank channels and borders,
cubes, poles. Each has the right numbers, or an error that names the ways out."""
import json
import subprocess

import numpy as np
import pytest

pytest.importorskip("scipy")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import continuum_maps
from program import ROOT


@pytest.fixture(scope="module")
def field():
    return continuum_maps.Field(5, size=384, every=9000)


def write(path, data, header, *more):
    hdus = fits.HDUList([fits.PrimaryHDU(np.asarray(data, "f4"), fits.Header(header)), *more])
    hdus.writeto(path, overwrite=True)
    return path


def run(program, path, *settings):
    options = [part for setting in settings for part in ("--set", setting)]
    return subprocess.run([program, "--record", "-o", path.parent, *options, ROOT / "config/radio.yaml", path], capture_output=True,
                          text=True)


def gaussians(program, path, *settings):
    done = run(program, path, *settings)
    assert done.returncode == 0, done.stderr
    stem = str(path)[:-5]
    return table.Table.read(f"{stem}.gaul.fits"), json.loads(open(f"{stem}.run.json").read()), done.stderr


def check(field, rows, factor=1.0, x=0, y=0):
    """All points above 10 sigma are there, with their flux; (x, y): where the field's first pixel is."""
    found = continuum_maps.match(field, np.column_stack([rows["Xposn"] - x, rows["Yposn"] - y]))
    bright = (field.truth["snr"] > 10) & (field.truth["kind"] == "point")
    assert bright.sum() >= 3 and np.all(found[bright] >= 0)
    ratio = rows["Total_flux"][found[bright]] / field.truth["total"][bright] / factor
    assert np.all(np.abs(ratio - 1) < 6 / field.truth["snr"][bright] + 0.02), ratio


@pytest.fixture
def header(field):
    return dict(field.header)


def test_a_plain_map(program, tmp_path, field, header):
    rows, told, _ = gaussians(program, write(tmp_path / "plain.fits", field.image[None, None], header))
    check(field, rows)
    assert told["beam"]["source"] == "header" and told["beam"]["fwhm"] == pytest.approx(continuum_maps.BEAM[:2])
    assert told["beam"]["pixels"]["area"] == pytest.approx(continuum_maps.BEAM_PIXELS)
    head = fits.getheader(tmp_path / "plain.gaul.fits", 1)
    assert head["FREQ0"] == 1.28e9 and head["INIMAGE"] == "plain.fits" and head["EQUINOX"] == 2000


def test_a_given_level_is_told(program, tmp_path, field, header):
    path = write(tmp_path / "raised.fits", field.image[None, None] + 1e-3, header)
    fits.writeto(tmp_path / "level.fits", np.full(field.image.shape, 1e-3, "f4"))
    for level in ("0.001", tmp_path / "level.fits"):
        rows, _, _ = gaussians(program, path, f"background.level={level}")
        check(field, rows)
        assert rows["Isl_mean"] == pytest.approx(1e-3)


PER_PIXEL = 1 / continuum_maps.BEAM_PIXELS
PER_STERADIAN = (180 * 3600 / np.pi)**2 / (continuum_maps.BEAM_PIXELS * continuum_maps.PIXEL**2)


@pytest.mark.parametrize("unit, scale", (
    ("JY/BEAM", 1), ("Jy beam-1", 1), ("beam-1 Jy", 1), ("BEAM-1 JY", 1), ("Jy/bm", 1), ("JANSKY/BEAM", 1), ("JY/BEAM ", 1),
    ("Jy beam^-1", 1), ("jy/beam", 1), ("Jy / beam", 1), ("mJy/beam", 1e3), ("mjy/beam", 1e3), ("uJy/beam", 1e6),
    ("uJY/BEAM", 1e6), ("Jy/pixel", PER_PIXEL), ("Jy/pix", PER_PIXEL), ("JY/PIXEL", PER_PIXEL), ("MJy/sr", 1e-6 * PER_STERADIAN)))
def test_units_are_turned_into_jansky(program, tmp_path, field, header, unit, scale):
    path = write(tmp_path / "unit.fits", scale * field.image[None, None], {**header, "BUNIT": unit})
    rows, _, _ = gaussians(program, path)
    check(field, rows)
    assert str(rows["Total_flux"].unit) == "Jy" and str(rows["Peak_flux"].unit) == "Jy / beam"


def test_kelvins_are_turned_into_jansky(program, tmp_path, field, header):
    kelvin = 1.222e6 / 1.28**2 / continuum_maps.BEAM[0] / continuum_maps.BEAM[1]  # NRAO's rule
    check(field, gaussians(program, write(tmp_path / "kelvin.fits", kelvin * field.image[None, None],
                                          {**header, "BUNIT": "K"}))[0])
    without = {key: value for key, value in header.items() if not key.endswith("3")}
    done = run(program, write(tmp_path / "none.fits", kelvin * field.image, {**without, "BUNIT": "K"}))
    assert done.returncode == 3 and "FREQ" in done.stderr


@pytest.mark.parametrize("unit, why", (("adu", ""), ("Jy/beam/pix", ""), ("Jy", ""), ("MJY/BEAM", "milli or mega"), ("", "no BUNIT")))
def test_an_unknown_unit_is_told_and_no_jansky(program, tmp_path, field, header, unit, why):
    rows, told, said = gaussians(program, write(tmp_path / "counts.fits", field.image[None, None], {**header, "BUNIT": unit}))
    assert "BUNIT" in said and why in said and rows["Total_flux"].unit is None
    assert told["beam"]["unit_in_jansky"] is None
    check(field, rows)


def without_beam(header):
    return {key: value for key, value in header.items() if key not in ("BMAJ", "BMIN", "BPA")}


def test_no_beam_is_an_error_that_names_the_ways_out(program, tmp_path, field, header):
    path = write(tmp_path / "none.fits", field.image[None, None], without_beam(header))
    done = run(program, path)
    assert done.returncode == 3
    for way in ("BMAJ", "beam.source", "beam.fwhm", "BEAMS"):
        assert way in done.stderr
    rows, told, _ = gaussians(program, path, "beam.source=given", "beam.fwhm=[10.4, 7.6]", "beam.angle=30")
    check(field, rows)
    assert told["beam"]["source"] == "given"


def test_a_beam_in_history(program, tmp_path, field, header):
    cards = fits.Header(without_beam(header))
    cards["HISTORY"] = "AIPS   CLEAN BMAJ=  2.8889E-03 BMIN=  2.1111E-03 BPA=  30.00"
    rows, told, _ = gaussians(program, write(tmp_path / "history.fits", field.image[None, None], cards))
    check(field, rows)
    assert told["beam"]["source"] == "history"


def test_a_beam_in_arcseconds_is_refused(program, tmp_path, field, header):
    done = run(program, write(tmp_path / "arcsec.fits", field.image[None, None], {**header, "BMAJ": 10.4, "BMIN": 7.6}))
    assert done.returncode == 3 and "arcseconds" in done.stderr


def cube_of(field, planes):
    return np.repeat(field.image[None], planes, axis=0)[None]


def test_casas_table_of_beams(program, tmp_path, field, header):
    scale = 1.05 - 0.006 * np.arange(4)
    columns = [fits.Column("BMAJ", "1E", "arcsec", array=10.4 * scale), fits.Column("BMIN", "1E", "arcsec", array=7.6 * scale),
               fits.Column("BPA", "1E", "deg", array=np.full(4, 30.0)), fits.Column("CHAN", "1J", array=np.arange(4)),
               fits.Column("POL", "1J", array=np.zeros(4, int))]
    beams = fits.BinTableHDU.from_columns(columns, name="BEAMS")
    beams.header["NCHAN"], beams.header["NPOL"] = 4, 1
    path = write(tmp_path / "casa.fits", cube_of(field, 4), {**without_beam(header), "CASAMBM": True}, beams)
    for plane in (1, 3):
        _, told, _ = gaussians(program, path, f"input.plane={plane}")
        assert told["beam"]["source"] == "table"
        assert told["beam"]["fwhm"] == pytest.approx(np.array([10.4, 7.6]) * scale[plane - 1], rel=1e-6)


def test_the_first_channel_is_blank(program, tmp_path, field, header):
    cube = cube_of(field, 4)
    cube[0, 0], cube[0, 1] = np.nan, 0
    cube[0, 3] *= 2
    rows, told, _ = gaussians(program, write(tmp_path / "cube.fits", cube, header))
    check(field, rows)
    assert told["input"]["plane"] == 3


def test_stokes_i_is_taken_wherever_it_is(program, tmp_path, field, header):
    planes = np.stack([field.image * 0.01, field.image])[:, None]
    stokes = {**header, "CRVAL4": 2.0, "CDELT4": -1.0}  # Q, I
    rows, told, _ = gaussians(program, write(tmp_path / "stokes.fits", planes, stokes))
    check(field, rows)
    assert told["input"]["plane"] == 2


def test_five_axes_and_no_stokes(program, tmp_path, field, header):
    check(field, gaussians(program, write(tmp_path / "five.fits", field.image[None, None, None],
                                          {**header, "CTYPE5": "EXTRA"}))[0])
    plain = {key: value for key, value in header.items() if not key.endswith("4")}
    check(field, gaussians(program, write(tmp_path / "three.fits", cube_of(field, 10)[0], plain))[0])


@pytest.mark.parametrize("value", (np.nan, 0.0))
def test_a_blank_border(program, tmp_path, field, header, value):
    image = np.full((field.size + 90, field.size + 60), value)
    image[90:, 60:] = field.image
    rows, told, said = gaussians(program, write(tmp_path / "border.fits", image[None, None], header))
    check(field, rows, x=60, y=90)
    assert (f"{image.size - field.image.size} pixels of 0 are taken for padding" in said) == (value == 0)
    blank = image.size - field.image.size
    assert told["counts"]["masked_nan"] + told["counts"]["masked_mask"] == blank
    noise = rows["Isl_rms"]
    assert np.all(noise > 0.7 * field.rms.min()) and np.all(noise < 1.4 * field.rms.max())


def test_a_block_of_zeros_inside(program, tmp_path, field, header):
    """As of an interferometer's map that has no data there: the same catalogue as with NaN, and a word."""
    tables = []
    for value in (0.0, np.nan):
        image = np.array(field.image)
        image[100:130, 60:110] = value
        rows, told, said = gaussians(program, write(tmp_path / "hole.fits", image, header))
        assert told["counts"]["masked_nan"] == 1500
        assert ("1500 pixels of 0 are taken for padding and masked" in said) == (value == 0)
        tables.append(rows)
    assert tables[0].pformat(-1, -1) == tables[1].pformat(-1, -1)


@pytest.mark.parametrize("where", ({"CRVAL1": 0.0}, {"CRVAL2": -89.9}, {"CDELT1": continuum_maps.PIXEL / 3600},
                                   {"CTYPE1": "GLON-SIN", "CTYPE2": "GLAT-SIN", "CRVAL2": 5.0}))
def test_other_skies(program, tmp_path, field, header, where):
    wcs = pytest.importorskip("astropy.wcs")
    image = field.image[:, ::-1] if "CDELT1" in where else field.image
    cards = fits.Header({**header, **where})
    rows, _, _ = gaussians(program, write(tmp_path / "sky.fits", image[None, None], cards))
    x = field.size - 1 - rows["Xposn"] if "CDELT1" in where else rows["Xposn"]
    rows["Xposn"] = x
    check(field, rows)
    sky = wcs.WCS(cards).celestial.pixel_to_world(field.size - 1 - x if "CDELT1" in where else x, rows["Yposn"]).icrs
    assert np.allclose(sky.dec.deg, rows["DEC"], atol=1e-5)
    assert np.allclose(np.cos(np.radians(sky.ra.deg - rows["RA"])), 1, atol=1e-9)
    bright = rows["Peak_flux"] > 50 * rows["Isl_rms"]
    points = bright & (rows["RESOLVED"] == 0)
    assert np.allclose(3600 * rows["Maj"][points], 10.4, rtol=0.06) and np.allclose(3600 * rows["Min"][points], 7.6, rtol=0.06)


def test_nothing_is_found_in_noise_or_in_a_negated_map(program, tmp_path, header):
    rng = np.random.default_rng(3)
    noise = continuum_maps.QUIET * continuum_maps.correlated(rng, 512, False)
    rows, _, _ = gaussians(program, write(tmp_path / "noise.fits", noise[None, None], header))
    assert len(rows) <= 1
    # The negated sources are holes: nothing there is above the sky, and nothing else is far above it.
    field = continuum_maps.Field(5, size=384, every=9000)
    rows, _, _ = gaussians(program, write(tmp_path / "negated.fits", -field.image[None, None], header))
    assert len(rows) <= 1
    rows, _, _ = gaussians(program, write(tmp_path / "below.fits", field.image[None, None] - 1, header))
    check(field, rows)
    assert rows["Isl_mean"] == pytest.approx(-1, abs=1e-4)


@pytest.mark.parametrize("side", range(4))
def test_an_island_at_the_edge_is_kept_and_flagged(program, tmp_path, field, header, side):
    # The cut goes through a bright source near the middle, which comes to lie on each border in turn.
    apart = np.hypot(field.truth["x"] - field.size / 2, field.truth["y"] - field.size / 2)
    bright = np.argmin(np.where(field.truth["snr"] > 20, apart, np.inf))
    x, y = (int(field.truth[axis][bright]) for axis in "xy")
    cut = (field.image[:, x:], field.image[:, :x + 1], field.image[y:], field.image[:y + 1])[side]
    gaussians(program, write(tmp_path / "edge.fits", cut[None, None], header))
    rows = table.Table.read(tmp_path / "edge.srl.fits")
    at = rows["Xposn"] if side < 2 else rows["Yposn"]
    border = 0 if side % 2 == 0 else cut.shape[1 - side // 2] - 1
    along, there = ("Yposn", y) if side < 2 else ("Xposn", x)
    row = rows[np.argmin(np.hypot(at - border, rows[along] - there))]
    assert row["FLAG"] & 8 and abs(row[along] - there) < 2
    assert 0.8 < row["Peak_flux"] / field.truth["peak"][bright] < 1.2


def test_maps_that_emission_covers_have_all_islands_with_their_light(program, tmp_path, header):
    """Islands are described by Gaussians, or else by moments: most of the light is in the tables. Of one map that is between
    0.58 and 1.5 of it, since a single island of more than 25 summits may have half of the light."""
    size, in_tables, in_islands = 400, 0, 0
    for seed in (8, 9, 10):
        rng = np.random.default_rng(seed)
        scale = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :])
        scale[0, 0] = 1
        ridges = np.fft.irfft2(np.fft.rfft2(rng.standard_normal((size, size))) * scale**-1.6, s=(size, size))
        image = 100 * continuum_maps.QUIET * np.maximum(ridges / ridges.std(), 0)
        image = (image + continuum_maps.QUIET * continuum_maps.correlated(rng, size, False)).astype("f4")
        path = write(tmp_path / "filaments.fits", image[None, None], header)
        gaussians(program, path, "output.segmentation=true", "background.level=0")
        sources, labels = table.Table.read(tmp_path / "filaments.srl.fits"), np.squeeze(fits.getdata(tmp_path / "filaments.seg.fits"))
        assert set(sources["Isl_id"]) == set(range(1, labels.max() + 1)) and (labels > 0).sum() > size * size / 8
        for row in sources:
            light = image[labels == row["Isl_id"]].astype(float).sum() / continuum_maps.BEAM_PIXELS
            assert row["Isl_Total_flux"] == pytest.approx(light, rel=1e-4)
        assert np.all(np.isfinite(sources["Total_flux"])) and np.all(sources["E_Total_flux"] > 0)
        in_tables += sources["Total_flux"].sum()
        in_islands += image[labels > 0].sum() / continuum_maps.BEAM_PIXELS
    assert 0.7 < in_tables / in_islands < 1.4


def test_no_island_vanishes(program, tmp_path, field, header):
    gaussians(program, write(tmp_path / "all.fits", field.image[None, None], header))
    sources = table.Table.read(tmp_path / "all.srl.fits")
    catalogue = table.Table.read(tmp_path / "all.cat.fits")
    assert set(sources["Isl_id"]) == set(catalogue["NUMBER"])


@pytest.mark.parametrize("style, columns", (("aegean", {"island", "source", "ra", "err_ra", "peak_flux", "a", "flags", "psf_pa"}),
                                            ("casda", {"component_name", "flux_peak", "maj_axis", "rms_image", "comment"})))
def test_styles_are_names_and_units(program, tmp_path, field, header, style, columns):
    path = write(tmp_path / "map.fits", field.image[None, None], header)
    plain, _, _ = gaussians(program, path)
    rows, _, _ = gaussians(program, path, f"output.style={style}", "output.formats=[fits, votable]")
    assert columns <= set(rows.colnames) and len(rows) == len(plain)
    major, total, scale = ("a", "int_flux", 1) if style == "aegean" else ("maj_axis", "flux_int", 1e3)
    assert np.allclose(rows[major], 3600 * plain["Maj"]) and np.allclose(rows[total], scale * plain["Total_flux"])
    read = table.Table.read(tmp_path / "map.gaul.vot", format="votable")
    assert np.allclose(read[total], rows[total])


def test_regions_are_where_the_gaussians_are(program, tmp_path, field, header):
    rows, _, _ = gaussians(program, write(tmp_path / "map.fits", field.image[None, None], header),
                           "output.regions=[reg, ann, skymodel]")
    lines = [line for line in (tmp_path / "map.gaul.reg").read_text().splitlines() if line.startswith("ellipse")]
    assert len(lines) == len(rows)
    values = np.array([line[8:line.index(")")].replace('"', "").split(",") for line in lines], float)
    assert np.allclose(values, np.column_stack([rows["RA"], rows["DEC"], 1800 * rows["Maj"], 1800 * rows["Min"], rows["PA"] + 90]),
                       rtol=1e-6, atol=6e-3)
    notes = [line.split()[2:] for line in (tmp_path / "map.gaul.ann").read_text().splitlines() if line.startswith("ELLIPSE W")]
    assert np.allclose(np.array(notes, float), np.column_stack([rows[name] for name in ("RA", "DEC", "Maj", "Min", "PA")]),
                       rtol=1e-6, atol=6e-3)
    head, *model = [line for line in (tmp_path / "map.gaul.skymodel").read_text().splitlines() if line]
    assert head.startswith("FORMAT = Name, Type, Ra, Dec, I") and "1280000000" in head.replace("1.28e+09", "1280000000")
    assert len(model) == len(rows)
    for line, row in zip(model, rows):
        _, kind, right_ascension, declination, flux, major, *_ = [part.strip() for part in line.split(",")]
        hours, minutes, seconds = (float(part) for part in right_ascension.split(":"))
        assert np.isclose(15 * (hours + minutes / 60 + seconds / 3600), row["RA"], atol=1e-5)
        degrees, minutes, seconds, part = declination[1:].split(".")
        value = float(degrees) + float(minutes) / 60 + float(f"{seconds}.{part}") / 3600
        assert np.isclose(-value if declination[0] == "-" else value, row["DEC"], atol=1e-5)
        assert float(flux) == row["Total_flux"]
        assert kind == ("GAUSSIAN" if row["DC_Maj"] > 0 else "POINT") and np.isclose(float(major), 3600 * row["DC_Maj"], atol=1e-3)


def test_empty_regions_of_a_map_without_a_place_on_the_sky_are_told(program, tmp_path, field, header):
    for name in ("CTYPE1", "CTYPE2"):
        header.pop(name)
    path = write(tmp_path / "map.fits", field.image, {k: v for k, v in header.items() if not k.endswith(("3", "4"))})
    rows, _, said = gaussians(program, path, "output.regions=[reg]", f"measurement.pixel_scale={continuum_maps.PIXEL}")
    assert len(rows) > 5 and "files of regions are empty" in said


def test_bands_are_refused_and_positions_have_no_gaussians(program, tmp_path, field, header):
    path = write(tmp_path / "map.fits", field.image[None, None], header)
    command = [program, "--record", "-q", "-o", tmp_path, "-d", path, "--band", f"a={path}", "--band", f"b={path}", ROOT / "config/radio.yaml"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "fit.model" in done.stderr
    (tmp_path / "places.csv").write_text("X_IMAGE,Y_IMAGE\n100,100\n")
    done = subprocess.run([program, "--record", "-q", "-o", tmp_path, "--positions", tmp_path / "places.csv", ROOT / "config/radio.yaml", path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(next(tmp_path.glob("map*.run.json")).read_text())
    assert "fit" not in told and not any(name.endswith(("gaul.fits", "srl.fits")) for name in told["outputs"])


def test_gaussians_of_a_detection_image_are_fitted_in_another(program, tmp_path, field, header):
    deep = write(tmp_path / "deep.fits", field.image[None, None], header)
    half = write(tmp_path / "half.fits", field.image[None, None] / 2, header)
    done = subprocess.run([program, "--record", "-q", "-o", tmp_path, "-d", deep, ROOT / "config/radio.yaml", half], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    check(field, table.Table.read(tmp_path / "half.gaul.fits"), factor=0.5)
