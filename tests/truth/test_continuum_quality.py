"""How reliable and how complete the catalogue of a radio map is, by the negated map and by injected Gaussians, beside what
simulations with known sources tell; and pure correlated noise, in which there is nothing to find."""
import json
import subprocess

import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
stats = pytest.importorskip("scipy.stats")
table = pytest.importorskip("astropy.table")
fits = pytest.importorskip("astropy.io.fits")

import continuum_maps
from continuum_maps import BEAM, BEAM_PIXELS, PIXEL, QUIET
from rounds import first

SIDE = np.sqrt(BEAM[0] * BEAM[1]) / PIXEL


def run(program, path, *options, config="radio", code=0):
    record = [] if "inject" in options else ["--record"]
    command = (program, *record, *options, "-o", path.parent, *([config] if config else []), path)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def settings(*pairs):
    return [part for pair in pairs for part in ("--set", pair)]


def record(path, suffix=".run.json"):
    return json.loads(path.with_name(path.stem + suffix).read_text())


def table_of(path, kind):
    return table.Table.read(path.with_name(f"{path.stem}.{kind}.fits"))


def bins_of(told):
    return told["elsewhere"]["bins"], told["near_bright"]["bins"]


def counts(bins, which):
    return sum(one[which] for one in bins)


@pytest.mark.parametrize("dirty", (False, True))
def test_the_negated_map_has_the_islands_that_scipy_finds(program, tmp_path, dirty):
    field = continuum_maps.Field(3, size=768, dirty=dirty)
    path = tmp_path / "map.fits"
    field.write(path)
    run(program, path, *settings("fit.reliability=true", "detection.threshold=2.5", "detection.seed=3.3",
                                 "output.check_images=[background, rms]"))
    level, rms = (np.squeeze(fits.getdata(tmp_path / f"map.{name}.fits")) for name in ("background", "rms"))
    depth = (level - field.image.astype("f4")) / rms
    labels, count = ndimage.label(depth > 2.5, np.ones((3, 3)))
    deepest = ndimage.maximum(depth, labels, np.arange(1, count + 1))
    sizes = np.bincount(labels.ravel())[1:]
    islands = np.sum((deepest > 3.3) & (sizes >= 5))
    negative = record(path)["fit"]["reliability"]["negative"]
    assert islands > 30 and islands <= negative <= 1.1 * islands, (islands, negative)


SKIES = {"mesh": (), "constant": ("background.method=constant",),
         "from zero": ("background.method=constant", "detection.reference=zero"),
         "given": ("background.level=1e-5", "background.rms=2.2e-5"), "map": ("weights.type=rms", "weights.file={rms}"),
         "map, constant": ("weights.type=rms", "weights.file={rms}", "background.method=constant"),
         "opened": ("morphology.operation=opening",), "no seed": ("detection.seed=0", "detection.threshold=3.6")}


@pytest.mark.parametrize("sky", SKIES)
def test_it_has_the_sources_of_a_map_that_was_negated_before(program, tmp_path, sky):
    """Of skies that are alike on both sides: few sources, one pass."""
    field = continuum_maps.Field(4, size=768, every=40000)
    if sky in ("constant", "from zero", "given"):
        field.image = np.asarray(field.image / field.rms * QUIET)
    level = 1e-5 if sky == "given" else 0
    fits.PrimaryHDU(field.rms.astype("f4")).writeto(tmp_path / "rms.fits")
    options = settings("fit.reliability=true", "background.refine=1", "detection.threshold=2.5", "detection.seed=3.6",
                       *(setting.format(rms=tmp_path / "rms.fits") for setting in SKIES[sky]))
    told = []
    for name, sign in (("map", 1), ("negated", -1)):
        path = tmp_path / f"{name}.fits"
        fits.PrimaryHDU((sign * field.image + level).astype("f4"), field.header).writeto(path)
        run(program, path, "-q", *options)
        told.append((record(path)["fit"]["sources"], record(path)["fit"]["reliability"]["negative"]))
    (positive, negative), (of_negated, negative_of_negated) = told
    assert negative > 8 and positive > negative + 8
    assert abs(of_negated - negative) <= 1 and abs(negative_of_negated - positive) <= 1, told


@pytest.mark.parametrize("dirty", (False, True))
def test_reliability_is_the_share_of_real_sources(program, tmp_path, dirty):
    """Of low thresholds, at which many sources are noise."""
    claimed, false, rows, low = 0.0, 0, 0, 0
    for seed in first(6, range(51, 81)):
        field = continuum_maps.Field(seed, size=768, dirty=dirty)
        path = tmp_path / f"map{seed}.fits"
        field.write(path)
        run(program, path, "-q", *settings("fit.reliability=true", "detection.threshold=2.5", "detection.seed=3.7"))
        sources, gaussians, told = table_of(path, "srl"), table_of(path, "gaul"), record(path)["fit"]["reliability"]
        places = np.column_stack([sources["Xposn"], sources["Yposn"]])
        false += continuum_maps.false_rows(field, places)
        claimed += np.sum(1 - sources["RELIABILITY"])
        rows += len(sources)
        assert np.all(sources["RELIABILITY"][sources["Peak_flux"] > 8 * sources["Isl_rms"]] == 1)
        low += np.sum(sources["RELIABILITY"] < 0.9)
        of_source = dict(zip(sources["Source_id"], sources["RELIABILITY"]))
        assert [of_source[number] for number in gaussians["Source_id"]] == list(gaussians["RELIABILITY"])
        assert sum(counts(bins, "positive") for bins in bins_of(told)) == len(sources)
        for one in (one for bins in bins_of(told) for one in bins):
            if one["positive"] > 0:
                assert one["interval"][0] <= one["reliability"] <= one["interval"][1]
                assert one["reliability"] == pytest.approx(max(0, 1 - one["negative"] / one["positive"]))
    # Both are numbers of peaks of noise.
    assert false > 60 and low > 60, (false, low)
    assert abs(claimed - false) < 3.5 * np.sqrt(claimed + false), (claimed, false, rows)


def disturb(field, x, y, peak, bowl):
    """A point and what poor calibration leaves around it: spokes of both signs or, as a bowl, one ring below the sky."""
    field.add("point", x, y, peak, (0, 0, 0))
    down, across = np.mgrid[:field.size, :field.size]
    distance, angle = np.hypot(across - x, down - y), np.arctan2(down - y, across - x)
    if bowl:
        field.image -= 1e-3 * peak * np.exp(-((distance - 6 * SIDE) / (2 * SIDE))**2)
    else:
        field.image += 3e-3 * peak * np.cos(7 * angle) * np.exp(-distance / (4 * SIDE)) * (distance > 3 * SIDE)


@pytest.mark.parametrize("bowl", (False, True), ids=("spokes", "bowl"))
def test_what_very_bright_sources_leave_around_them_is_told_apart(program, tmp_path, bowl):
    false_near, negative_near, marked, good = 0, 0, [], []
    for seed in first(3, range(91, 101)):
        field = continuum_maps.Field(seed, size=1024)
        x, y = np.random.default_rng(seed).uniform(300, 700, 2)
        disturb(field, x, y, 6000 * QUIET, bowl)
        field.tell()
        path = tmp_path / f"map{seed}.fits"
        field.write(path)
        run(program, path, "-q", *settings("fit.reliability=true"))
        told, sources = record(path)["fit"]["reliability"], table_of(path, "srl")
        elsewhere, near = bins_of(told)
        assert 1 <= told["bright"] <= 3 and told["near_bright"]["within"] == pytest.approx(15 * SIDE, rel=1e-3)
        assert counts(elsewhere, "negative") <= 2 and counts(near, "positive") >= 1
        places = np.column_stack([sources["Xposn"], sources["Yposn"]])
        is_near = np.hypot(*(places - (x, y)).T) < 15 * SIDE
        is_false = np.array([continuum_maps.false_rows(field, [place]) == 1 for place in places])
        false_near += np.sum(is_false & is_near)
        negative_near += counts(near, "negative")
        marked += list(sources["RELIABILITY"][is_false & is_near])
        good += list(sources["RELIABILITY"][~is_false & ~is_near])
    assert np.mean(good) > 0.97
    assert negative_near > 3
    if bowl:  # what is only below the sky makes no source
        assert false_near < negative_near
    else:
        assert len(marked) > 9 and np.median(marked) < 0.6, marked
        assert abs(false_near - negative_near) < 3.5 * np.sqrt(false_near + negative_near), (false_near, negative_near)


def points(seed, dirty, snr, size=1024):
    """A map of noise alone, with a point of this range of S/N in each of its 15 x 15 cells."""
    field = continuum_maps.Field(seed, size=size, dirty=dirty, every=10**9)
    cells, side = 15, size // 15
    for down in range(cells):
        for across in range(cells):
            x, y = (np.array([across, down]) + field.rng.uniform(0.2, 0.8, 2)) * side
            field.add("point", x, y, np.exp(field.rng.uniform(*np.log(snr))) * field.rms[int(y), int(x)], (0, 0, 0))
    field.tell()
    return field


@pytest.mark.parametrize("dirty", (False, True))
def test_injected_completeness_is_that_of_known_sources(program, tmp_path, dirty):
    """Sources of another simulation with another noise, found by their positions alone."""
    edges, found, of = (4, 5, 6, 7, 8, 10), np.zeros(5), np.zeros(5)
    for seed in first(6, range(201, 213)):
        field = points(seed, dirty, (4, 10))
        path = tmp_path / f"known{seed}.fits"
        field.write(path)
        run(program, path, "-q")
        rows = table_of(path, "srl")
        places = np.column_stack([rows["Xposn"], rows["Yposn"]])
        is_found = continuum_maps.match(field, places, within=BEAM[0] / PIXEL / 2) >= 0
        of += np.histogram(field.truth["snr"], edges)[0]
        found += np.histogram(field.truth["snr"][is_found], edges)[0]
    injected, matched = np.zeros(5), np.zeros(5)
    for seed in first(2, range(301, 305)):
        path = tmp_path / f"map{seed}.fits"
        continuum_maps.Field(seed, dirty=dirty, doubles=4).write(path)
        run(program, path, "inject", "-q", "--number", "2400", "--snr", "4,10")
        rows = table_of(path, "inject")
        assert list(rows["SNR_LOW"]) == list(edges[:-1]) and list(rows["SNR_HIGH"]) == list(edges[1:])
        injected += rows["INJECTED"]
        matched += rows["FOUND"]
    assert injected.sum() == 2400 * len(first(2, range(301, 305)))
    assert of.sum() == 225 * len(first(6, range(201, 213)))
    known, ours = found / of, matched / injected
    error = np.sqrt(known * (1 - known) / of + ours * (1 - ours) / injected) + 1 / of
    assert np.all(abs(known - ours) < 3.5 * error), (known, ours)
    assert ours[0] < 0.5 and ours[-1] > 0.97


@pytest.mark.parametrize("dirty", (False, True))
def test_injected_gaussians_are_measured_without_bias(program, tmp_path, dirty):
    path = tmp_path / "map.fits"
    continuum_maps.Field(401, dirty=dirty, doubles=4).write(path)
    done = run(program, path, "inject", "-q", "--number", "2000", "--snr", "10,200")
    bins, rows, told = table_of(path, "inject"), table_of(path, "injected"), record(path, ".inject.json")
    assert len(rows) == 2000 and np.all((rows["SNR"] >= 10) & (rows["SNR"] <= 200))
    logs = np.sort(np.log(rows["SNR"] / 10) / np.log(20))  # spread evenly
    assert stats.kstest(logs, "uniform").statistic < 0.01
    measured = rows[rows["FOUND"] == 1]
    assert len(measured) > 1950
    for name in ("PEAK", "TOTAL", "X", "Y"):
        pulls = (measured[name] - measured[f"TRUE_{name}"]) / measured[f"E_{name}"]
        low, middle, high = np.percentile(pulls, (15.87, 50, 84.13))
        assert abs(middle) < 0.15 and 0.9 < (high - low) / 2 < 1.12, (name, low, middle, high)
    ratio = measured["TOTAL"] / measured["TRUE_TOTAL"]
    assert abs(np.median(ratio[measured["SNR"] > 30]) - 1) < 0.005
    # The table by S/N is that of its rows.
    for bin_ in bins:
        part = rows[(rows["SNR"] >= bin_["SNR_LOW"]) & (rows["SNR"] < bin_["SNR_HIGH"])]
        seen = part[part["FOUND"] == 1]
        assert (bin_["INJECTED"], bin_["FOUND"]) == (len(part), len(seen))
        assert bin_["PEAK_BIAS"] == pytest.approx(np.median(seen["PEAK"] / seen["TRUE_PEAK"]) - 1, abs=1e-12)
        pulls = (seen["TOTAL"] - seen["TRUE_TOTAL"]) / seen["E_TOTAL"]
        assert bin_["PULL_TOTAL"] == pytest.approx(np.median(pulls), abs=1e-9)
        low, high = np.percentile(pulls, (15.865525393145707, 84.134474606854293))
        assert bin_["PULL_TOTAL_WIDTH"] == pytest.approx((high - low) / 2, abs=1e-9)
        assert bin_["COMPLETENESS_LOW"] < bin_["COMPLETENESS"] <= bin_["COMPLETENESS_HIGH"] + 1e-12
    assert [one["injected"] for one in told["injection"]["bins"]] == list(bins["INJECTED"])
    assert told["injection"]["rounds"] == rows["ROUND"].max() + 1 and told["beam"]["fwhm"] == [10.4, 7.6]
    for one in told["injection"]["bins"]:
        assert f"{one['snr'][0]:g} to {one['snr'][1]:g}" in done.stdout


def test_injected_gaussians_are_apart_and_the_same_for_any_number_of_threads(program, tmp_path):
    field = continuum_maps.Field(402, doubles=6)
    written = []
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        path = tmp_path / str(threads) / "map.fits"
        field.write(path)
        run(program, path, "inject", "-q", "--threads", threads, "--number", "900", "--shapes", "catalogue")
        written.append([(path.parent / f"map.{kind}.fits").read_bytes() for kind in ("inject", "injected")])
    assert written[0] == written[1]
    rows = table_of(path, "injected")
    for number in np.unique(rows["ROUND"]):
        part = rows[rows["ROUND"] == number]
        assert len(part) <= 1.2 * field.size**2 / (50 * BEAM_PIXELS)
        at = np.column_stack([part["TRUE_X"], part["TRUE_Y"]])
        apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        assert np.sort(apart, axis=1)[:, 1].min() > np.sqrt(50 * BEAM_PIXELS) / 2 - 3
    ratio = rows["TRUE_TOTAL"] / rows["TRUE_PEAK"]
    assert ratio.min() > 0.999 and 0.1 < np.mean(ratio > 1.2) < 0.6  # a quarter of the field is resolved
    places = np.column_stack([rows["TRUE_X"], rows["TRUE_Y"]]) - np.round(np.column_stack([rows["TRUE_X"], rows["TRUE_Y"]]))
    assert stats.kstest(places.ravel(), "uniform", (-0.5, 1)).pvalue > 0.001


def test_the_residual_holds_what_is_injected_and_no_source_of_the_map(program, tmp_path):
    """A bright source hides nothing: where it was, others are found."""
    field = continuum_maps.Field(403, size=512, every=10**9)
    down, across = np.mgrid[30:512:45, 30:512:45]
    for x, y in zip(across.ravel(), down.ravel()):
        field.add("point", float(x), float(y), 300 * field.rms[y, x], (0, 0, 0))
    path = tmp_path / "map.fits"
    field.write(path)
    run(program, path, "inject", "-q", "--number", "1500", "--snr", "20,40")
    rows = table_of(path, "injected")
    at = np.column_stack([rows["TRUE_X"], rows["TRUE_Y"]])
    sources = np.column_stack([across.ravel(), down.ravel()])
    on_source = np.min(np.hypot(*(at[:, None] - sources[None]).transpose(2, 0, 1)), axis=1) < SIDE
    assert np.sum(on_source) > 40
    assert np.mean(rows["FOUND"][on_source]) > 0.95 and np.mean(rows["FOUND"]) > 0.97


def test_what_cannot_be_injected_is_refused_with_a_way_out(program, tmp_path):
    path = tmp_path / "sky.fits"
    fits.PrimaryHDU(np.random.default_rng(1).normal(100, 3, (64, 64)).astype("f4")).writeto(path)
    assert "output.report_copies" in run(program, path, "inject", config=None, code=2).stderr
    assert "beam.source" in run(program, path, "inject", code=3).stderr
    field = continuum_maps.Field(404, size=256, every=10**9)
    path = tmp_path / "map.fits"
    field.write(path)
    assert "--shapes points" in run(program, path, "inject", "--shapes", "catalogue", code=3).stderr
    for wrong in ("9,3", "3", "3,", "a,b"):
        assert "--snr needs two numbers" in run(program, path, "inject", "--snr", wrong, code=2).stderr
    # As docs/radio.md writes it: the map follows the list.
    done = subprocess.run([program, "inject", "-q", "-o", tmp_path, "--number", "20", "--snr", "3,100", "radio", path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    run(program, path, "inject", "-q", "--number", "5000", "--rounds", "2")
    assert len(table_of(path, "injected")) < 200
    (tmp_path / "sky.run.json").unlink(missing_ok=True)
    done = run(program, path, "-d", path, *settings("fit.reliability=true"), code=2)
    assert "fit.reliability" in done.stderr


def test_both_are_in_the_report(program, tmp_path):
    path = tmp_path / "map.fits"
    continuum_maps.Field(405).write(path)
    run(program, path, "-q", "--report", *settings("fit.reliability=true", "output.report_copies=500"))
    told, page = record(path), path.with_name("map.report.html").read_text()
    assert told["injection"]["injected"] == 500 and "completeness" not in told
    assert 'id="completeness"' in page and 'id="reliability"' in page
    for one in told["injection"]["bins"]:
        low, high = one["snr"]
        assert f'{low:g} to {high:g}</th><td class="number">{one["injected"]}</td><td class="number">{one["found"]}</td>' in page
    for one in bins_of(told["fit"]["reliability"])[0]:
        assert f'<td class="number">{one["positive"]}</td><td class="number">{one["negative"]}</td>' in page
    # It changes nothing else.
    (tmp_path / "alone").mkdir()
    alone = tmp_path / "alone" / "map.fits"
    continuum_maps.Field(405).write(alone)
    run(program, alone, "-q")
    with_column, without = table_of(path, "srl"), table_of(alone, "srl")
    assert set(with_column.colnames) - set(without.colnames) == {"RELIABILITY"}
    assert all(np.array_equal(with_column[name], without[name]) for name in without.colnames if name != "S_Code")


def test_a_survey_joins_the_tables_of_gaussians_and_sources(program, tmp_path):
    night = tmp_path / "night"
    (night / "a").mkdir(parents=True)
    for name, seed, every in (("a/one", 501, 10500), ("two", 502, 10500), ("none", 503, 10**9)):
        continuum_maps.Field(seed, size=512, every=every).write(night / f"{name}.fits")
    for style in ("pybdsf", "casda"):
        out = tmp_path / style
        for command in (["batch", *settings(f"output.style={style}"), "radio", night, "-o", out],
                        ["merge", out, "-o", out / "survey.cat.fits"], ["merge", out, "-o", out / "survey.csv"]):
            subprocess.run([str(part) for part in (program, *command, "-q")], check=True, capture_output=True)
        for kind in ("srl", "gaul"):
            joined = fits.getdata(out / f"survey.{kind}.fits", 1)
            parts = [(name, fits.getdata(out / f"{name}.{kind}.fits", 1)) for name in ("a/one", "none", "two")]
            assert sum(len(part) for _, part in parts) == len(joined) > 20 and len(parts[1][1]) == 0
            assert joined.names == ["IMAGE", *parts[0][1].names]
            assert list(joined["IMAGE"]) == [f"{name}.fits" for name, part in parts for _ in range(len(part))]
            for name in parts[0][1].names:
                values = [value for _, part in parts for value in part[name]]
                assert all(a == b or (a != a and b != b) for a, b in zip(joined[name], values)), name
                assert joined.columns[name].unit == parts[0][1].columns[name].unit
            text = table.Table.read(out / f"survey.{kind}.csv", format="ascii.csv")
            assert len(text) == len(joined) and text.colnames == joined.names


KERNEL = ("convolve.kernel=gaussian", "convolve.fwhm=5")
WAYS = {"matched": ("convolve.filter=matched",), "matched by the beam": ("convolve.filter=matched", *KERNEL),
        "matched, constant sky": ("convolve.filter=matched", *KERNEL, "background.method=constant"),
        "rate": ("detection.false_discovery_rate=0.01",),
        "rate, no filter": ("detection.false_discovery_rate=0.01", "convolve.kernel=none", "detection.min_area=1"),
        "rate, matched": ("detection.false_discovery_rate=0.01", "convolve.filter=matched")}


@pytest.mark.parametrize("dirty", (False, True))
@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_found_in_correlated_noise(program, tmp_path, way, dirty):
    rows = []
    for seed in first(4, range(601, 621)):
        noise = continuum_maps.correlated(np.random.default_rng(seed), 1024, dirty) * QUIET
        path = tmp_path / f"noise{seed}.fits"
        fits.PrimaryHDU(noise.astype("f4"), continuum_maps.header(1024)).writeto(path)
        run(program, path, "-q", *settings(*WAYS[way]), config=None)
        told = record(path)
        rows.append(told["counts"]["sources"])
        if way.startswith("rate"):
            assert told["false_discoveries"] == {"rate": 0.01, "correlated_pixels": round(2 * BEAM_PIXELS)}
    # Of peaks of Gaussian noise 0.17 a map are above 5 sigma (Adler 1981): of areas of 5 pixels fewer.
    assert max(rows) <= 1 and sum(rows) <= len(rows) / 10, rows


def test_the_beam_tells_how_many_pixels_share_their_noise(program, tmp_path):
    field = continuum_maps.Field(701, size=512)

    def told(name, *pairs, **cards):
        path = tmp_path / f"{name}.fits"
        header = {key: value for key, value in {**field.header, **cards}.items() if value is not None}
        fits.PrimaryHDU(field.image.astype("f4"), fits.Header(header)).writeto(path)
        done = run(program, path, "-v", *settings("detection.false_discovery_rate=0.01", *pairs), config=None)
        return record(path)["false_discoveries"]["correlated_pixels"], record(path)["levels"]["detection"], done.stderr

    pixels, level, text = told("beam")
    assert pixels == round(2 * BEAM_PIXELS) == 45 and "45 pixels share their noise" in text
    assert told("given", "detection.correlated_pixels=7")[0] == 7
    alone, lower, _ = told("one", "detection.correlated_pixels=1")
    assert alone == 1 and lower < level
    assert told("none", BMAJ=None, BMIN=None, BPA=None)[:2] == (1, lower)
    wrong, _, text = told("arcsec", BMAJ=10.4, BMIN=7.6)
    assert wrong == 1 and "detection.correlated_pixels" in text
