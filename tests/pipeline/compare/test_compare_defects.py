"""`srcextract compare`: what can go wrong with a catalogue is caught, and named in the first of the reasons."""

import pytest

pytest.importorskip("astropy")

import numpy as np
from astropy.table import Table, vstack
from catalogues import read, reasons, report, write
from exposures import SIZE, WCS, extract, pixels

X = ["X_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "XPEAK_IMAGE"]
Y = [name.replace("X", "Y", 1) for name in X]


@pytest.fixture(scope="module")
def exposures(tmp_path_factory):
    """The catalogues of two images of one simulated sky, each with noise of its own."""
    directory = tmp_path_factory.mktemp("exposures")
    return [extract(directory / f"{i}.fits", pixels(i), WCS) for i in range(2)]


@pytest.fixture(params=["the same image", "another exposure"])
def pair(request, own):
    """The reference and a new catalogue before anything is done to it."""
    if request.param == "the same image":
        return [own / "sky.cat.fits", own / "sky.cat.fits"]
    return request.getfixturevalue("exposures")


def test_nothing_is_said_where_there_is_no_defect(compare, pair):
    done = compare(*pair)
    assert done.code == 0 and done.out.endswith("within the rules\n")
    lines = len(done.out.splitlines())
    assert (lines == 1) == (pair[0] == pair[1]), done.out  # equal catalogues are one line, and -v has the tables of them, too
    assert len(compare(*pair, "-v").out.splitlines()) > 30
    assert len(read(pair[0])) > 200


def changed(names, change):
    def plant(table):
        for name in names:
            table[name] = change(np.asarray(table[name]))
        return table

    return plant


def faintest_lost(table):
    return table[table["FLUX_ISO"] >= np.quantile(table["FLUX_ISO"], 0.02)]


def exchanged(table):
    table["ALPHA_J2000"], table["DELTA_J2000"] = table["DELTA_J2000"].copy(), table["ALPHA_J2000"].copy()
    return table


def sprinkled(table):
    table["FLUX_ISO"][7::100] = np.nan
    return table


DEFECTS = {
    "shift of 0.1 pixel": (changed(["X_IMAGE"], lambda x: x + 0.1), ["X_IMAGE: ", " sources moved by +0.1", "pixel"]),
    "flux scale": (changed(["FLUX_ISO"], lambda f: 1.01 * f), ["FLUX_ISO: ", " sources are larger by +", " %"]),
    "faintest lost": (faintest_lost, ["sources: ", "faint"]),
    "x axis flipped": (changed(X, lambda x: SIZE + 1 - x), ["positions: ", "the x axis is flipped: new x = 204"]),
    "counted from 0": (changed(X + Y, lambda x: x - 1),
                       ["X_IMAGE: ", " sources moved by -", " pixel: one side counts from 0 (likewise Y_IMAGE, "]),
    "theta in radians": (changed(["THETA_IMAGE"], np.radians), ["THETA_IMAGE: ", "radians where the reference has "]),
    "RA and Dec exchanged": (exchanged, ["ALPHA_J2000: ", "ALPHA_J2000 and DELTA_J2000 have changed places"]),
    "rows duplicated": (lambda table: vstack([table, table[10:30]]),
                        ["sources: 20 rows are duplicated, none in the reference: row ", " repeats row 11"]),
    "NaN sprinkled": (sprinkled, ["FLUX_ISO: no number (NaN) in ", "in which the reference has one, first in row 8"]),
    "unit of the values": (changed(["FLUX_ISO"], lambda f: f / 1000),
                           ["FLUX_ISO: ", "the unit is 1000 times the reference's"]),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_the_first_reason(compare, pair, tmp_path, defect):
    plant, words = DEFECTS[defect]
    reference, new = pair
    first = reasons(compare(reference, write(plant(read(new)), tmp_path / "new.fits")))[0]
    print(first)
    assert first.startswith(words[0])
    for part in words[1:]:
        assert part in first


def test_the_size_of_a_defect_is_told_as_people_say_it(compare, own, tmp_path):
    new = write(changed(["FLUX_ISO"], lambda f: 1.01 * f)(read(own / "sky.cat.fits")), tmp_path / "new.fits")
    first = reasons(compare(own / "sky.cat.fits", new))[0]
    assert first.startswith("FLUX_ISO: 251 of 251 sources are larger by +1.000 ± 0.000 %")


def test_rows_counted_from_0_and_from_1_are_told_apart(compare, own, tmp_path):
    """The words name what happened in the other direction, too."""
    turned = write(changed(X + Y, lambda x: x - 1)(read(own / "sky.cat.fits")), tmp_path / "from_0.fits")
    first = reasons(compare(turned, own / "sky.cat.fits"))[0]
    assert first.startswith("X_IMAGE: 251 of 251 sources moved by +1.0") and "one side counts from 0" in first


def test_no_cause_is_named_that_few_rows_have(compare, own, tmp_path):
    """A factor that varies from 0.2 to 0.8 is half in the median, and yet no diameter for a radius."""
    factors = np.random.default_rng(1).permutation(np.linspace(0.2, 0.8, 251))
    new = write(changed(["A_IMAGE"], lambda a: factors * a)(read(own / "sky.cat.fits")), tmp_path / "new.fits")
    first = reasons(compare(own / "sky.cat.fits", new))[0]
    assert first.startswith("A_IMAGE: ") and "diameter" not in first


def with_unit(own, path, unit, factor):
    table = Table.read(own / "sky.cat.fits")
    table["FLUX_ISO"] = np.asarray(table["FLUX_ISO"]) * factor
    table["FLUX_ISO"].unit = unit
    table.write(path)
    return path


def test_a_unit_of_the_header(compare, own, tmp_path):
    """A reason by itself; where the values were left as they are they are a second one."""
    in_jansky = with_unit(own, tmp_path / "jansky.fits", "Jy", 1)
    said = reasons(compare(in_jansky, with_unit(own, tmp_path / "right.fits", "mJy", 1000)))
    assert len(said) == 1 and said[0].startswith("FLUX_ISO: the unit changed from Jy to mJy")
    said = reasons(compare(in_jansky, with_unit(own, tmp_path / "wrong.fits", "mJy", 1)))
    assert len(said) == 2 and said[0].startswith("FLUX_ISO: the unit changed from Jy to mJy")
    assert said[1].startswith("FLUX_ISO: 251 of 251 sources have 0.001 times the reference's value")
    said = reasons(compare(in_jansky, with_unit(own, tmp_path / "metres.fits", "m", 1)))
    assert len(said) == 1 and said[0].startswith("FLUX_ISO: the unit changed from Jy to m")


def test_a_column_lost_is_a_reason(compare, own, tmp_path):
    table = read(own / "sky.cat.fits")
    del table["FLUX_MAX"]
    done = compare(own / "sky.cat.fits", write(table, tmp_path / "new.fits"))
    assert reasons(done) == ["columns: the new catalogue does not have FLUX_MAX"]


def simulated(tmp_path, names, *columns):
    return [write(Table(list(values), names=names), tmp_path / f"{name}.fits") for name, values in zip(("a", "b"), columns)]


def test_rounded_positions_do_not_make_two_images_one(compare, tmp_path):
    """Nor does a single source, whose offset is the shift."""
    random = np.random.default_rng(3)
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(20) * 40 + 20, np.arange(20) * 40 + 20))
    flux = random.uniform(300, 9000, 400)
    names = ["XPEAK_IMAGE", "YPEAK_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO"]
    moved = [values + random.choice([-1, 0, 0, 0, 1], 400) for values in (x, y)]
    noisy = flux * random.normal(1, 0.05, 400)
    both = simulated(tmp_path, names, (x, y, flux, flux * 0.05), (*moved, noisy, flux * 0.05))
    assert "noise plays no part" not in compare(*both).out
    one = simulated(tmp_path, ["X_IMAGE", "Y_IMAGE", *names[2:]], ([50.0], [60.0], [100.0], [5.0]), ([50.3], [60.2], [104.0], [5.0]))
    done = compare(*one)
    assert done.code == 0 and "noise plays no part" not in done.out


def test_rows_without_a_position_are_neither_lost_nor_gained(compare, own, tmp_path):
    table = read(own / "sky.cat.fits")
    for name in ("X_IMAGE", "Y_IMAGE", "ALPHA_J2000", "DELTA_J2000"):
        table[name][::10] = np.nan
    path = write(table, tmp_path / "a.fits")
    done = compare(path, path, "--matched", tmp_path / "both.fits")
    assert done.code == 0, done.out
    told = Table.read(tmp_path / "both.fits")["MATCH"]
    assert sum(np.char.strip(np.asarray(told, str)) == "nowhere") == 2 * len(table[::10])


def test_values_without_an_error_are_judged(compare, tmp_path):
    random = np.random.default_rng(4)
    x, y = random.uniform(0, 1000, (2, 200))
    flux, error = np.linspace(100, 900, 200), np.full(200, 5.0)
    error[:50] = np.nan
    other = np.where(np.isnan(error), 1.5 * flux, flux)
    both = simulated(tmp_path, ["X_IMAGE", "Y_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO"], (x, y, flux, error), (x, y, other, error))
    (tmp_path / "r.yaml").write_text("columns: {FLUX_AUTO: {difference: sigma, error: FLUXERR_AUTO, tolerance: 3, outliers: 0, bias: 3}}\n")
    assert any("50 of 200 rows are outliers" in line for line in reasons(compare(*both, tmp_path / "r.yaml")))


def test_right_ascension_in_sigma_is_an_angle_on_the_sky(compare, tmp_path):
    """At declination 60, and across 0."""
    random = np.random.default_rng(5)
    names = ["ALPHA_J2000", "DELTA_J2000", "FLUX_AUTO", "ERRX2_WORLD", "ERRY2_WORLD"]
    alpha, delta = random.uniform(-0.5, 0.5, 400), random.uniform(59.7, 60.3, 400)
    sigma = 1e-5
    moved = alpha + sigma * random.normal(0, 2**0.5, 400) / np.cos(np.radians(delta)), delta + sigma * random.normal(0, 2**0.5, 400)
    variance, flux = np.full(400, sigma**2), random.uniform(100, 900, 400)
    both = simulated(tmp_path, names, (alpha % 360, delta, flux, variance, variance),
                     (moved[0] % 360, moved[1], flux * random.normal(1, 0.01, 400), variance, variance))
    (tmp_path / "r.yaml").write_text("columns: {ALPHA_J2000: {difference: sigma, error: ERRX2_WORLD, tolerance: 5, outliers: 0, bias: 0.5}}\n")
    done = compare(*both, tmp_path / "r.yaml", "--json", "-")
    in_sigma = report(done).columns["ALPHA_J2000"]["in_sigma"]
    assert done.code == 0 and abs(in_sigma["scatter"] - 1) < 0.15 and abs(in_sigma["median"]) < 0.2


@pytest.mark.parametrize("reference, new", [("5", "6"), ("0", "1e-30"), ("nan", "5"), ("5", "nan"), ("5", "5.000001")])
def test_catalogues_that_differ_in_one_value_are_not_called_equal(compare, tmp_path, reference, new):
    """Whatever the rules tolerate, and whether or not the value has an error by which the difference could count."""
    for name, value in (("a", reference), ("b", new)):
        rows = [f"{10 * i},{20 * i},{1000 + i},{'nan' if i == 7 else 1},{value if i == 7 else 3}" for i in range(1, 200)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["X_IMAGE,Y_IMAGE,FLUX_AUTO,FLUXERR_AUTO,MU_MAX", *rows]) + "\n")
        rows[6] = rows[6].replace("1007", "1008") if name == "b" else rows[6]
        (tmp_path / f"{name}_flux.csv").write_text("\n".join(["X_IMAGE,Y_IMAGE,FLUX_AUTO,FLUXERR_AUTO", *(row.rpartition(",")[0] for row in rows)]) + "\n")
    assert "equal" not in compare("a.csv", "b.csv").out and "equal" not in compare("a_flux.csv", "b_flux.csv").out
    assert "equal" in compare("a.csv", "a.csv").out
