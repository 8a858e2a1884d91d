"""`srcextract -d DETECT CONFIG IMAGE`: which image says what, how each has its own maps, and what is refused."""

import pytest

np = pytest.importorskip("numpy")

from fits_files import TAN, write
from stage_images import (CONSTANT, RESULTS, field, image_hdu, labels_of, report, results, rows, steps, write_extensions,
                          write_image)

FOUND = ("X_IMAGE", "Y_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "XPEAK_IMAGE", "NPIX", "A_IMAGE", "THETA_IMAGE", "THRESHOLD")
MEASURED = ("FLUX_ISO", "FLUXERR_ISO", "FLUX_MAX", "BACKGROUND")


def columns(table, names):
    return [[row[name] for name in names] for row in table]


def write_bands(directory, **cards):
    """A band with ten stars, and another of three times the light, shifted in level, where the last stars are missing."""
    other = 3 * field(1) + 100
    other[25:, :] = np.random.default_rng(3).normal(160, 3, other[25:, :].shape)
    return write_image(directory / "g.fits", field(1), **cards), write_image(directory / "r.fits", other, **cards)


def test_places_of_one_and_light_of_the_other(extract, tmp_path):
    found, measured = write_bands(tmp_path)
    alone = rows(extract("alone", CONSTANT + RESULTS, found) / "g.cat.csv")
    directory = extract("out", CONSTANT + RESULTS, "-d", found, measured)
    assert sorted(path.name for path in directory.iterdir()) == ["r.cat.csv", "r.reg", "r.run.json", "r.seg.fits"]
    table = rows(directory / "r.cat.csv")
    assert columns(table, FOUND) == columns(alone, FOUND) and len(table) == 10
    labels, pixels = labels_of(directory / "r.seg.fits"), np.asarray(3 * field(1) + 100, float)
    told = report(directory / "r.run.json")
    level = told["background"]["clipped"]["median"]
    for row in table:
        if float(row["Y_IMAGE"]) > 20:
            continue
        mine = labels == int(row["NUMBER"])
        assert float(row["FLUX_ISO"]) == pytest.approx((pixels[mine] - level).sum(), rel=1e-6)
        assert float(row["FLUX_MAX"]) == pytest.approx(pixels[mine].max() - level, rel=1e-6)
    empty = [row for row in table if float(row["Y_IMAGE"]) > 30]
    assert len(empty) >= 4 and all(abs(float(row["SNR"])) < 5 for row in empty)
    assert told["detection_image"]["path"] == str(found) and told["detection_image"]["hdu"] == 0
    assert told["detection_image"]["background"]["clipped"]["sigma"] < told["background"]["clipped"]["sigma"] / 2
    assert told["input"]["path"] == str(measured)
    assert "flux" in steps(told)


def test_several_images_in_the_light_of_each(extract, tmp_path):
    found, measured = write_bands(tmp_path)
    directory = extract("out", RESULTS, "-d", found, found, measured)
    alone = extract("alone", RESULTS, found)
    assert rows(directory / "g.cat.csv") == rows(alone / "g.cat.csv")
    g, r = (rows(directory / f"{name}.cat.csv") for name in "gr")
    assert columns(g, FOUND) == columns(r, FOUND) and columns(g, MEASURED) != columns(r, MEASURED)


def test_any_number_of_threads(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("output: {columns: [all], formats: [csv], segmentation: true}\nconvolve: {kernel: gaussian, fwhm: 2}\n")
    made = []
    for threads in (1, 3):
        done = run("-d", "g.fits", "config.yaml", "r.fits", "-o", f"out{threads}", "--threads", threads)
        assert done.code == 0, done.err
        made.append(results(tmp_path / f"out{threads}"))
    assert made[0] == made[1]


def test_each_has_maps_of_its_own(extract, tmp_path):
    """Of their own files by one name; of files by --detect-set."""
    found, measured = field(1), 3 * field(1)
    weights = [np.full(found.shape, value) for value in (1.0, 1 / 9)]
    star = rows(extract("plain", RESULTS, write_image(tmp_path / "plain.fits", found)) / "plain.cat.csv")[0]
    x, y = round(float(star["X_IMAGE"])) - 1, round(float(star["Y_IMAGE"])) - 1
    weights[1][y, x] = 0
    write_extensions(tmp_path / "g.fits", SCI=found, WHT=weights[0])
    write_extensions(tmp_path / "r.fits", SCI=measured, WHT=weights[1])
    for name, pixels in (("wg", weights[0]), ("wr", weights[1])):
        write_image(tmp_path / f"{name}.fits", pixels)
    inside = extract("inside", "input: {hdu: SCI}\nweights: {type: weight, hdu: WHT}\n" + RESULTS, "-d", "g.fits", "r.fits")
    files = extract("files", "input: {hdu: SCI}\nweights: {type: weight, file: wr.fits}\n" + RESULTS, "-d", "g.fits",
                    "--detect-set", "weights.file=wg.fits", "r.fits")
    table = rows(inside / "r.cat.csv")
    assert table == rows(files / "r.cat.csv") and len(table) == 10
    assert columns(table, FOUND[:-1]) == columns(
        rows(extract("found", "input: {hdu: SCI}\nweights: {type: weight, hdu: WHT}\n" + RESULTS, "g.fits") / "g.cat.csv"),
        FOUND[:-1])
    told = report(files / "r.run.json")
    assert told["weights"]["path"].endswith("wr.fits") and told["counts"]["masked_weight"] == 1
    of_found = told["detection_image"]
    assert of_found["weights"]["path"].endswith("wg.fits") and of_found["masked"] == 0
    assert told["config"]["weights"]["file"] == "wr.fits" and of_found["config"]["weights"]["file"] == "wg.fits"
    assert {key: {**section, "file": 0} if key == "weights" else section for key, section in told["config"].items()} == {
        key: {**section, "file": 0} if key == "weights" else section for key, section in of_found["config"].items()}
    # The pixel that is masked where the star is measured adds nothing to it.
    first, flags = table[0], [int(row["FLAGS"]) for row in table]
    mine = labels_of(inside / "r.seg.fits") == int(first["NUMBER"])
    mine[y, x] = False
    level = float(first["BACKGROUND"])
    assert float(first["FLUX_ISO"]) == pytest.approx((measured[mine] - level).sum(), rel=2e-2)
    assert flags[0] != 0 and flags[0] & ~flags[1] != 0


def test_its_hdu_is_that_of_the_same_number_or_is_named(extract, run, configure, tmp_path):
    write_extensions(tmp_path / "g.fits", A=field(1), B=field(2))
    write_extensions(tmp_path / "r.fits", A=2 * field(1), B=3 * field(2))
    write_image(tmp_path / "one.fits", field(1))
    both = extract("both", "input: {hdu: all}\n" + RESULTS, "-d", "g.fits", "r.fits")
    for hdu, seed in ((1, 1), (2, 2)):
        write_image(tmp_path / f"{seed}.fits", field(seed))
        alone = rows(extract(f"alone{seed}", RESULTS, f"{seed}.fits") / f"{seed}.cat.csv")
        assert columns(rows(both / f"r.hdu{hdu}.cat.csv"), FOUND) == columns(alone, FOUND)
    named = extract("named", "input: {hdu: A}\n" + RESULTS, "-d", "one.fits", "--detect-set", "input.hdu=0", "r.fits")
    assert columns(rows(named / "r.cat.csv"), FOUND) == columns(rows(both / "r.hdu1.cat.csv"), FOUND)
    configure("input: {hdu: B}\n")
    done = run("-d", "one.fits", "config.yaml", "r.fits", "-o", "missing")
    assert done.code == 3 and "error: " in done.err and "one.fits" in done.err and "'B'" in done.err, done.err


def test_catalogues_name_it(extract, tmp_path):
    fits, table = pytest.importorskip("astropy.io.fits"), pytest.importorskip("astropy.table")
    (tmp_path / "bands").mkdir()
    write_image(tmp_path / "bands" / "it's g.fits", field(1))
    write_image(tmp_path / "r.fits", field(1))
    text = "output: {formats: [fits, ecsv]}\n"
    for name, words, history, meta in (("both", ["-d", "bands/it's g.fits"], ["srcextract -d it's g.fits"], "it's g.fits"),
                                       ("alone", [], [], None)):
        directory = extract(name, text, *words, "r.fits")
        lines = list(fits.getheader(directory / "r.cat.fits", 1)["HISTORY"])
        assert lines[:lines.index("srcextract config:")] == history
        assert table.Table.read(directory / "r.cat.ecsv").meta.get("detection_image") == meta


def test_a_kernel_in_a_file(extract, tmp_path):
    """The one image has what it has by itself."""
    write_image(tmp_path / "g.fits", field(1))
    (tmp_path / "k.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    text = "convolve: {kernel: file, file: k.conv}\n" + RESULTS
    both = extract("both", text, "-d", "g.fits", "g.fits")
    assert rows(both / "g.cat.csv") == rows(extract("alone", text, "g.fits") / "g.cat.csv")
    assert report(both / "g.run.json")["detection_image"]["config"]["convolve"]["values"] == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]


def test_keys_that_only_one_of_both_uses(run, configure, extract, tmp_path):
    """What the image of one method has no use for, the other may have."""
    found, measured = write_bands(tmp_path)
    constant = ["-d", found, "--detect-set", "background.method=constant"]
    both = extract("both", "background: {mesh_size: 16}\n" + RESULTS, *constant, measured)
    told = report(both / "r.run.json")
    assert told["detection_image"]["config"]["background"]["method"] == "constant"
    assert told["config"]["background"]["mesh_size"] == 16
    with_option = extract("option", RESULTS, *constant, "--set", "background.mesh_size=16", measured)
    assert rows(with_option / "r.cat.csv") == rows(both / "r.cat.csv")
    mesh = ["-d", found, "--detect-set", "background.method=mesh", "--set", "background.mesh_size=16", measured]
    assert report(extract("mesh", CONSTANT + RESULTS, *mesh) / "r.run.json")[
        "detection_image"]["config"]["background"]["mesh_size"] == 16
    configure(CONSTANT + RESULTS)
    done = run("-d", found, "--set", "background.mesh_size=16", "config.yaml", measured, "-o", "none")
    assert done.code == 2 and "--set background.mesh_size=16: 'background.mesh_size' has no use" in done.err, done.err
    configure(RESULTS)
    done = run(*constant, "--detect-set", "background.mesh_size=16", "config.yaml", measured, "-o", "none")
    assert done.code == 2 and "--detect-set background.mesh_size=16: 'background.mesh_size' has no use" in done.err
    assert not (tmp_path / "none").exists()


OTHER_SKY = {**TAN, "CRVAL1": 10.0, "CRVAL2": -60.0}
UNFIT = {
    "missing": (lambda path: None, 3, ["none.fits"]),
    "no FITS": (lambda path: path.write_text("what"), 3, ["bad.fits"]),
    "other shape": (lambda path: write_image(path, field(1, width=60), **TAN), 3,
                    ["bad.fits is 60 x 50 pixels and r.fits is 61 x 50", "resample"]),
    "shifted": (lambda path: write_image(path, field(1), **{**TAN, "CRPIX1": 21.5}), 3,
                ["bad.fits and r.fits do not show the same sky", "apart by up to 1.00 pixels", "resample"]),
    "elsewhere": (lambda path: write_image(path, field(1), **OTHER_SKY), 3, ["do not show the same sky", "resample"]),
    "masked": (lambda path: write_image(path, np.full((50, 61), np.nan), **TAN), 3,
               ["the detection image: ", "masked"]),
    "flat": (lambda path: write_image(path, np.ones((50, 61)), **TAN), 3, ["the detection image: ", "sigma"]),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_images_in_which_nothing_can_be_found(run, configure, tmp_path, kind):
    make, code, words = UNFIT[kind]
    write_image(tmp_path / "r.fits", field(1), **TAN)
    make(tmp_path / "bad.fits")
    configure(CONSTANT)
    done = run("-d", "none.fits" if kind == "missing" else "bad.fits", "config.yaml", "r.fits", "-o", "out")
    assert done.code == code and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not list((tmp_path / "out").glob("*"))


def test_a_wcs_that_only_one_has_is_taken(extract, tmp_path):
    write_image(tmp_path / "g.fits", field(1))
    write_image(tmp_path / "r.fits", field(1), **TAN)
    assert "ALPHA_J2000" in rows(extract("out", RESULTS, "-d", "g.fits", "r.fits") / "r.cat.csv")[0]


WRONG = {
    "fainter": (["-d", "g.fits"], "detection: {sign: both}\n", ["config.yaml:1:", "fainter", "positive"]),
    "snr": (["-d", "g.fits"], "output: {check_images: [snr]}\n", ["config.yaml:1:", "snr"]),
    "mask": (["-d", "g.fits"], "output: {check_images: [threshold]}\n", ["config.yaml:1:", "threshold", "extract DETECT alone"]),
    "copies": (["-d", "g.fits", "--report", "--set", "output.report_copies=9"], "", ["output.report_copies=9", "leave it out, or -d"]),
    "empty": (["-d", ""], "", ["-d is an empty text"]),
    "a key of the run": (["-d", "g.fits", "--detect-set", "detection.threshold=3"], "",
                         ["--detect-set detection.threshold=3", "--set"]),
    "no such key": (["-d", "g.fits", "--detect-set", "mask.fil=x.fits"], "",
                    ["error: --detect-set mask.fil=x.fits: unknown key 'fil'"]),
    "no such word": (["-d", "g.fits", "--detect-set", "weights.type=odd"], "",
                     ["error: --detect-set weights.type=odd: 'weights.type' must be one of"]),
    "no such word of the run": (["-d", "g.fits", "--set", "weights.type=odd"], "", ["error: --set weights.type=odd: "]),
    "settings without it": (["--detect-set", "input.plane=1"], "", ["--detect"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_refused(run, configure, tmp_path, kind):
    arguments, text, words = WRONG[kind]
    write_bands(tmp_path)
    configure(text)
    done = run(*arguments, "config.yaml", "r.fits", "-o", "out")
    assert done.code == 2 and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_a_map_that_is_not_there_is_where_it_was_named(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("")
    for option, code in (("--detect-set", 3), ("--set", 3)):
        done = run("-d", "g.fits", option, "mask.file=none.fits", "config.yaml", "r.fits", "-o", "out")
        assert done.code == code and f" {option} mask.file=none.fits: " in done.err, done.err


def test_batch_refuses_it_by_name(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("")
    done = run("batch", "-d", "g.fits", "config.yaml", "r.fits", "-o", "out")
    assert done.code == 2 and "-d g.fits: batch" in done.err and "srcextract -d" in done.err
    assert not (tmp_path / "out").exists() and "--detect" not in run("batch", "--help").out


def test_it_is_never_replaced(run, configure, tmp_path):
    """The detection image is called like an output."""
    write_image(tmp_path / "r.fits", field(1))
    before = write_image(tmp_path / "r.seg.fits", field(1)).read_bytes()
    configure(RESULTS)
    done = run("-d", "r.seg.fits", "config.yaml", "r.fits")
    assert done.code == 2 and "r.seg.fits" in done.err, done.err
    assert (tmp_path / "r.seg.fits").read_bytes() == before


def test_check_images_show_which_is_which(extract, tmp_path):
    fits = pytest.importorskip("astropy.io.fits")
    found, measured = write_bands(tmp_path)
    text = "output: {formats: [csv], check_images: [filtered, '-background', background]}\n"
    for kernel in ("none", "gaussian, fwhm: 2"):
        convolve = f"convolve: {{kernel: {kernel}}}\n"
        out, g, r = (extract(f"{name}{len(kernel)}", convolve + text, *images) for name, images in
                     (("both", ["-d", found, measured]), ("g", [found]), ("r", [measured])))
        shown = {path.name: path for path in out.iterdir() if path.suffix == ".fits"}
        assert len(shown) == 3
        for name, path in shown.items():
            of, stem = (g, "g") if "filtered" in name else (r, "r")
            expected = fits.open(of / name.replace("r.", f"{stem}.", 1))
            assert any(hdu.data is not None for hdu in expected)
            for mine, own in zip(fits.open(path), expected):
                assert mine.data is None and own.data is None or np.array_equal(mine.data, own.data), name


def test_a_picture(extract, tmp_path):
    found, measured = write_bands(tmp_path)
    directory = extract("out", "output: {quicklook: true, formats: [csv]}\n", "-d", found, measured)
    assert (directory / "r.png").stat().st_size > 500


def test_help_names_it(run):
    told = run("--help").out
    assert "-d,--detect DETECT" in told and "--detect-set KEY=VALUE" in told
