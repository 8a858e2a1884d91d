"""`srcextract -d DETECT CONFIG --band g=g.fits --band r=r.fits`: sources are found once, and every band has the columns that it
would have by itself, to the last bit."""

import re

import pytest

np = pytest.importorskip("numpy")

from fits_files import TAN
from stage_images import field, labels_of, report, rows, steps, write_extensions, write_image

CSV = "output: {formats: [csv], columns: [all]}\n"
BANDS = ("--band", "g=g.fits", "--band", "r=r.fits")
# What follows from DETECT alone: of whichever band a catalogue is, these are the same.
FOUND = {"NUMBER", "X_IMAGE", "Y_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE", "YPEAK_IMAGE",
         "NPIX", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE", "THRESHOLD", "ALPHA_J2000",
         "DELTA_J2000", "ELONGATION", "ELLIPTICITY", "POLAR_IMAGE", "CXX_IMAGE", "CYY_IMAGE", "CXY_IMAGE", "ISOAREAF_IMAGE",
         "NLOWDWEIGHT_ISO", "THRESHOLDMAX", "ALPHA_B1950", "DELTA_B1950"}
FOUND_ON_SKY = {"X_WORLD", "Y_WORLD", "ALPHA_SKY", "DELTA_SKY", "XPEAK_WORLD", "YPEAK_WORLD", "ALPHAPEAK_SKY", "DELTAPEAK_SKY",
                "ALPHAPEAK_J2000", "DELTAPEAK_J2000", "X2_WORLD", "Y2_WORLD", "XY_WORLD", "A_WORLD", "B_WORLD", "THETA_WORLD",
                "THETA_SKY", "THETA_J2000", "CXX_WORLD", "CYY_WORLD", "CXY_WORLD",
                "ISOAREAF_WORLD", "ALPHAPEAK_B1950", "DELTAPEAK_B1950", "THETA_B1950", "POLAR_WORLD"}


def write_bands(directory, **cards):
    """What is found in the mean of two bands, of which one is three times as bright, noisier, and without the last stars."""
    g = field(1)
    r = 3 * field(2) + 100
    r[25:, :] = np.random.default_rng(3).normal(160, 3, r[25:, :].shape)
    for name, pixels in (("mean", (g + r) / 2), ("g", g), ("r", r)):
        write_image(directory / f"{name}.fits", pixels, **cards)
    weights = np.random.default_rng(4).uniform(0.5, 2, g.shape)
    for name, scale in (("mean", 1), ("g", 1), ("r", 1 / 9)):
        weights[np.random.default_rng(5).random(g.shape) < 2e-3] = 0
        write_image(directory / f"{name}.weight.fits", scale * np.roll(weights, len(name)))
    bad = np.zeros(g.shape, int)
    bad[20:22, 5:9] = 1
    write_image(directory / "bad.fits", bad, bitpix=16)


def in_band(column, band):
    """FLUX_APER_g_1 of FLUX_APER_1."""
    stem, _, number = column.rpartition("_")
    return f"{stem}_{band}_{number}" if stem and number.isdigit() else f"{column}_{band}"


def expected(separate):
    """The columns of one catalogue, of those of separate runs by band."""
    first = next(iter(separate.values()))
    columns = {name: [row[name] for row in first] for name in first[0] if name in FOUND | FOUND_ON_SKY | {"ID_PARENT"}}
    for band, table in separate.items():
        columns |= {in_band(name, band): [row[name] for row in table] for name in table[0] if name not in columns}
    return columns


def columns_of(table):
    return {name: [row[name] for row in table] for name in table[0]}


WEIGHTS_OF_DETECT = [part for option in ("--set", "--detect-set") for part in (option, "weights.file=mean.weight.fits")]
# The configuration; options of all runs, which leave DETECT as it is; and keys of each band, which by itself has them by --set.
CASES = {
    "default": ("", [], {}),
    "sextractor": ("convolve: {kernel: values, values: [[1, 2, 1], [2, 4, 2], [1, 2, 1]]}\ndeblend: {method: tree, clean: true}\n"
                   "detection: {threshold: 1.5, analysis_threshold: 2}\nmeasurement: {apertures: [3, 5, 9], gain: 2}\n", [], {}),
    "one level, above its own noise": ("background: {method: constant}\nconvolve: {kernel: gaussian, fwhm: 3}\n"
                                       "detection: {threshold_unit: detection_sigma, analysis_threshold: 3}\n", [], {}),
    "matched": ("convolve: {kernel: gaussian, fwhm: 3, filter: matched}\n", [], {}),
    "keys of their own": ("measurement: {zero_point: 20}\n", ["--detect-set", "background.mesh_size=64", "--detect-set", "mask.file=''"],
                          {"g": ["measurement.gain=2", "measurement.zero_point=25.5", "background.mesh_size=32"],
                           "r": ["measurement.apertures=[4, 8]", "measurement.saturation=300", "mask.file=bad.fits"]}),
    "a map of flags": ("", [], {"r": ["flags.file=bad.fits"]}),
    "weights": ("weights: {type: weight}\n", WEIGHTS_OF_DETECT,
                {band: [f"weights.file={band}.weight.fits"] for band in "gr"}),
    "weights, interpolated": ("weights: {type: weight, interpolate: all}\n", WEIGHTS_OF_DETECT,
                              {band: [f"weights.file={band}.weight.fits"] for band in "gr"}),
    "a level that is known": ("", ["--detect-set", "background.level=''", "--detect-set", "background.rms=''"], {"g": ["background.level=20", "background.rms=1"]}),
}


def options_of(keys, option, prefix=""):
    return [part for key in keys for part in (option, prefix + key)]


@pytest.mark.parametrize("kind", CASES)
def test_every_band_is_as_by_itself(extract, tmp_path, kind):
    text, common, keys = CASES[kind]
    write_bands(tmp_path, **TAN)
    separate = {band: rows(extract(f"alone {band}", text + CSV, "-d", "mean.fits", *common,
                                   *options_of(keys.get(band, []), "--set"), f"{band}.fits") / f"{band}.cat.csv")
                for band in "gr"}
    own = [part for band in keys for part in options_of(keys[band], "--band-set", f"{band}:")]
    directory = extract("out", text + CSV, "-d", "mean.fits", *common, *BANDS, *own)
    assert sorted(path.name for path in directory.iterdir()) == ["mean.bands.cat.csv", "mean.bands.run.json"]
    table = rows(directory / "mean.bands.cat.csv")
    assert len(table) >= 6
    joined, told = columns_of(table), expected(separate)
    assert set(joined) == set(told)
    assert [name for name in told if joined[name] != told[name]] == []
    # What stands once is the same whichever band is measured.
    assert [name for name in FOUND | FOUND_ON_SKY if columns_of(separate["g"])[name] != columns_of(separate["r"])[name]] == []
    assert joined["FLUX_AUTO_g"] != joined["FLUX_AUTO_r"] and joined["FLAGS_g"] and "FLAGS" not in joined


def test_one_band_and_many(extract, tmp_path):
    """DETECT may be a band, too, and a file several; order is that of the options."""
    write_bands(tmp_path)
    one = rows(extract("one", CSV, "-d", "g.fits", "--band", "g=g.fits") / "g.bands.cat.csv")
    alone = rows(extract("alone", CSV, "g.fits") / "g.cat.csv")
    assert columns_of(one) == expected({"g": alone})
    many = extract("many", CSV, "-d", "mean.fits", *BANDS, "--band", "r2=r.fits", "--band-set", "r2:measurement.gain=3",
                   "--band", "z=mean.fits")
    joined = columns_of(rows(many / "mean.bands.cat.csv"))
    assert joined["FLUX_AUTO_r"] == joined["FLUX_AUTO_r2"] and joined["FLUXERR_AUTO_r"] != joined["FLUXERR_AUTO_r2"]
    assert [name for name in joined if name.startswith("MAG_AUTO")] == [f"MAG_AUTO_{band}" for band in ("g", "r", "r2", "z")]
    assert [band["name"] for band in report(many / "mean.bands.run.json")["bands"]] == ["g", "r", "r2", "z"]


def test_any_number_of_threads(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("output: {columns: [all], formats: [csv, fits], segmentation: true}\ndeblend: {method: tree, clean: true}\n")
    made = []
    for threads in (1, 3):
        done = run("-d", "mean.fits", "config.yaml", *BANDS, "-o", f"out{threads}", "--threads", threads)
        assert done.code == 0, done.err
        made.append({path.name: path.read_bytes() for path in (tmp_path / f"out{threads}").iterdir()
                     if not path.name.endswith(".json")})
    assert len(made[0]) == 3 and made[0] == made[1]


def test_every_format(extract, tmp_path):
    """Units are those of each band, and vectors stay vectors."""
    fits, ascii = pytest.importorskip("astropy.io.fits"), pytest.importorskip("astropy.table")
    write_bands(tmp_path)
    write_image(tmp_path / "g.fits", field(1), BUNIT="adu")
    write_image(tmp_path / "r.fits", 3 * field(2), BUNIT="MJy/sr")
    text = ("output: {formats: [fits, ecsv, csv, reg], columns: [default, photometry], segmentation: true}\n"
            "measurement: {apertures: [3, 5]}\n")
    out = extract("out", text, "-d", "mean.fits", *BANDS, "--band-set", "r:measurement.gain=2", "--band-set", "r:mask.file='bad.fits'")
    alone = extract("alone", text, "-d", "mean.fits", "g.fits")
    assert sorted(path.name for path in out.iterdir()) == [
        f"mean.bands.{ending}" for ending in ("cat.csv", "cat.ecsv", "cat.fits", "reg", "run.json", "seg.fits")]
    assert (out / "mean.bands.reg").read_bytes() == (alone / "g.reg").read_bytes()
    assert np.array_equal(labels_of(out / "mean.bands.seg.fits"), labels_of(alone / "g.seg.fits"))
    table, header = fits.getdata(out / "mean.bands.cat.fits", 1), fits.getheader(out / "mean.bands.cat.fits", 1)
    own, own_header = fits.getdata(alone / "g.cat.fits", 1), fits.getheader(alone / "g.cat.fits", 1)
    assert table["FLUX_APER_g"].shape == (len(table), 2) and np.array_equal(table["FLUX_APER_g"], own["FLUX_APER"])
    units = {column.name: column.unit for column in table.columns}
    assert [units[name] for name in ("FLUX_AUTO_g", "FLUX_MAX_g", "FLUX_AUTO_r", "FLUX_MAX_r", "THRESHOLD", "MAG_AUTO_r")] == [
        "adu", "adu", "pixel.MJy/sr", "MJy/sr", "count", "mag"]

    def told_of(header):
        names = {header[f"TTYPE{i}"]: i for i in range(1, header["TFIELDS"] + 1)}
        return {name: tuple(header.get(f"{key}{i}") for key in ("TFORM", "TCOMM", "TUCD")) for name, i in names.items()}

    told = told_of(header)
    for name, words in told_of(own_header).items():
        assert told[name if name in told else f"{name}_g"] == words and words[2], name
    settings = ["measurement.gain=2", "mask.file='bad.fits'"]
    assert list(header["HISTORY"])[:5] == ["srcextract -d mean.fits", "srcextract --band g=g.fits", "srcextract --band r=r.fits",
                                           *(f"srcextract --band-set r:{setting}" for setting in settings)]
    read = ascii.Table.read(out / "mean.bands.cat.ecsv")
    assert read.meta["bands"] == {"g": {"file": "g.fits", "settings": []}, "r": {"file": "r.fits", "settings": settings}}
    assert read.meta["detection_image"] == "mean.fits"
    assert read["FLUX_APER_g"].shape == (len(table), 2) and read.colnames == [column.name for column in table.columns]
    assert str(read["FLUX_MAX_r"].unit) == "MJy / sr" and read["FLUX_MAX_r"].meta["ucd"] == "phot.flux;stat.max"


def test_the_record_has_each_band(extract, tmp_path):
    write_bands(tmp_path)
    write_image(tmp_path / "g.fits", field(1), GAIN=2.5, FILTER="SDSS g")
    out = extract("out", "measurement: {gain_keyword: GAIN, zero_point: 30}\n" + CSV, "-d", "mean.fits", *BANDS, "--band-set",
                  "r:measurement.zero_point=27.5", "--band-set", "r:measurement.gain_keyword=none", "--band-set",
                  "r:measurement.gain=4", "--band-set", "r:mask.file=bad.fits")
    told = report(out / "mean.bands.run.json")
    g, r = told["bands"]
    alone = report(extract("alone", CSV, "-d", "mean.fits", "--set", "mask.file=bad.fits", "--detect-set", "mask.file=''",
                           "r.fits") / "r.run.json")
    assert told["detection_image"]["path"] == "mean.fits" and told["detection_image"]["background"] == alone["detection_image"][
        "background"]
    assert (g["name"], g["zero_point"], g["gain"], g["settings"], g["header"]["FILTER"]) == ("g", 30, 2.5, [], "SDSS g")
    assert (r["name"], r["zero_point"], r["gain"]) == ("r", 27.5, 4)
    assert r["settings"] == ["measurement.zero_point=27.5", "measurement.gain_keyword=none", "measurement.gain=4",
                             "mask.file=bad.fits"]
    for key in ("input", "mask", "background", "levels", "counts", "warnings", "sky", "footprint"):
        assert r[key] == alone[key], key
    assert "mask" not in g and g["input"]["path"] == "g.fits" and g["background"] != r["background"]
    assert r["config"]["mask"]["file"] == "bad.fits" and g["config"]["mask"]["file"] == told["config"]["mask"]["file"] == ""
    assert told["sources"] == len(rows(out / "mean.bands.cat.csv"))
    # Sources are found once, and measured twice.
    assert steps(told).count("threshold") == 1 and "photometry" not in steps(told)
    for band in (g, r):
        names = [step["step"] for step in band["steps"]]
        assert names.count("photometry") == 1 and "threshold" not in names and "label" not in names


def test_a_threshold_in_surface_brightness(extract, tmp_path):
    """What DETECT's threshold is stands with the run; a zero point of its own changes a band's magnitudes alone."""
    write_bands(tmp_path, **TAN)
    text = "detection: {threshold: 34, threshold_unit: mag_per_arcsec2}\nmeasurement: {zero_point: 27}\n" + CSV
    plain, other = (columns_of(rows(extract(name, text, "-d", "mean.fits", *BANDS, *more) / "mean.bands.cat.csv"))
                    for name, more in (("plain", ()), ("other", ("--band-set", "g:measurement.zero_point=28"))))
    changed = {name for name in plain if plain[name] != other[name]}
    assert len(plain["NUMBER"]) > 5 and {"MAG_AUTO_g", "MAG_ISO_g", "MU_MAX_g"} <= changed
    assert {name for name in changed if not re.fullmatch(r".*_g(_\d+)?", name)} == set()


def test_the_first_wcs_that_there_is_tells_the_sky(extract, tmp_path):
    write_bands(tmp_path)
    write_image(tmp_path / "r.fits", 3 * field(2), **TAN)
    alone = columns_of(rows(extract("alone", CSV, "-d", "mean.fits", "r.fits") / "r.cat.csv"))
    joined = columns_of(rows(extract("out", CSV, "-d", "mean.fits", *BANDS) / "mean.bands.cat.csv"))
    assert all(joined[name] == alone[name] for name in FOUND | FOUND_ON_SKY)
    assert joined["XWIN_WORLD_r"] == alone["XWIN_WORLD"] and "XWIN_WORLD_g" not in joined and "XWIN_IMAGE_g" in joined


def test_bands_of_two_skies_are_refused_where_the_detection_image_has_none(run, configure, tmp_path):
    write_bands(tmp_path)
    write_image(tmp_path / "g.fits", field(1), **TAN)
    write_image(tmp_path / "r.fits", field(2), **{**TAN, "CRVAL1": 151.0})
    configure("")
    done = run("config.yaml", "-d", "mean.fits", "--band", "u=mean.fits", *BANDS, "-o", "out")
    assert done.code == 3 and not list((tmp_path / "out").iterdir()), done.err
    assert all(word in done.err for word in ("band r: ", "g.fits and r.fits do not show the same sky", "resample"))


def test_hdus_of_one_file(extract, tmp_path):
    write_bands(tmp_path)
    write_extensions(tmp_path / "all.fits", SUM=field(1) + field(2), G=field(1), R=field(2))
    write_image(tmp_path / "sum.fits", field(1) + field(2))
    write_image(tmp_path / "r2.fits", field(2))
    inside = extract("inside", CSV, "-d", "all.fits", "--detect-set", "input.hdu=SUM", "--band", "g=all.fits", "--band", "r=all.fits",
                     "--band-set", "g:input.hdu=G", "--band-set", "r:input.hdu=R")
    files = extract("files", CSV, "-d", "sum.fits", "--band", "g=g.fits", "--band", "r=r2.fits")
    assert rows(inside / "all.bands.cat.csv") == rows(files / "sum.bands.cat.csv")


def test_compressed(extract, tmp_path):
    import gzip

    write_bands(tmp_path)
    plain = extract("plain", CSV, "-d", "mean.fits", *BANDS)
    for name in ("mean", "g", "r"):
        (tmp_path / f"{name}.fits.gz").write_bytes(gzip.compress((tmp_path / f"{name}.fits").read_bytes()))
    packed = extract("packed", CSV, "-d", "mean.fits.gz", "--band", "g=g.fits.gz", "--band", "r=r.fits.gz", "--memory", "1G")
    assert rows(packed / "mean.bands.cat.csv") == rows(plain / "mean.bands.cat.csv")


WRONG = {
    "no detection image": ([*BANDS], "", ["--band requires", "--detect"]),
    "an image beside": (["-d", "mean.fits", *BANDS, "r.fits"], "", ["not as IMAGE", "--band NAME=r.fits"]),
    "positions": (["-d", "mean.fits", *BANDS, "--positions", "p.csv"], "", ["--positions"]),
    "no name": (["-d", "mean.fits", "--band", "g.fits"], "", ["--band g.fits: ", "NAME=FILE", "g=g.fits"]),
    "no file": (["-d", "mean.fits", "--band", "g="], "", ["--band g=: names no file"]),
    "a bad name": (["-d", "mean.fits", "--band", "g-r=g.fits"], "", ["--band: the band 'g-r'", "letter"]),
    "a name twice": (["-d", "mean.fits", *BANDS, "--band", "G=g.fits"], "", ["'g' and 'G'", "capitals", "rename"]),
    "a name of a column": (["-d", "mean.fits", "--band", "win=g.fits"], "", ["SNR_win", "rename"]),
    "a number at its end": (["-d", "mean.fits", "--band", "g_2=g.fits"], "", ["'g_2'", "FLUX_APER_1"]),
    "settings without bands": (["-d", "mean.fits", "--band-set", "g:measurement.gain=2", "g.fits"], "",
                               ["--band-set requires", "--band"]),
    "settings of nobody": (["-d", "mean.fits", *BANDS, "--band-set", "z:measurement.gain=2"], "",
                           ["--band-set z:measurement.gain=2: there is no band 'z'", "g, r"]),
    "settings of no band": (["-d", "mean.fits", *BANDS, "--band-set", "measurement.gain=2"], "",
                            ["--band-set measurement.gain=2: has to say of which band", "g:measurement.gain=2"]),
    "a key of the run": (["-d", "mean.fits", *BANDS, "--band-set", "g:detection.threshold=3"], "",
                         ["--band-set g:detection.threshold=3: ", "--set"]),
    "the pixels' size": (["-d", "mean.fits", *BANDS, "--band-set", "g:measurement.pixel_scale=3"], "",
                         ["g:measurement.pixel_scale=3", "--set"]),
    "no such key": (["-d", "mean.fits", *BANDS, "--band-set", "g:mask.fil=x"], "",
                    ["error: --band-set g:mask.fil=x: unknown key 'fil'"]),
    "no such word": (["-d", "mean.fits", *BANDS, "--band-set", "r:weights.type=odd"], "",
                     ["error: --band-set r:weights.type=odd: 'weights.type' must be one of"]),
    "cut-outs": (["-d", "mean.fits", *BANDS], "output: {columns: ['VIGNET(5,5)']}\n", ["config.yaml:1:", "VIGNET", "leave it out"]),
    "check images": (["-d", "mean.fits", *BANDS], "output: {check_images: [background]}\n",
                     ["config.yaml:1:", "check images", "leave it out"]),
    "a picture": (["-d", "mean.fits", *BANDS], "output: {quicklook: true}\n", ["config.yaml:1:", "picture", "leave it out"]),
    "several HDUs": (["-d", "mean.fits", *BANDS], "input: {hdu: all}\n", ["config.yaml:1:", "--band-set NAME:input.hdu="]),
    "several HDUs of a band": (["-d", "mean.fits", *BANDS, "--band-set", "r:input.hdu=[0, 1]"], "",
                               ["--band-set r:input.hdu=[0, 1]: with --band"]),
    "fainter": (["-d", "mean.fits", *BANDS], "detection: {sign: both}\n", ["config.yaml:1:", "fainter"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_refused(run, configure, tmp_path, kind):
    arguments, text, words = WRONG[kind]
    write_bands(tmp_path)
    (tmp_path / "p.csv").write_text("X_IMAGE,Y_IMAGE\n3,4\n")
    configure(text)
    done = run("config.yaml", *arguments, "-o", "out")
    assert done.code == 2 and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


FAILING = {
    "missing": (lambda path: path.unlink(), 3, ["band r: r.fits"]),
    "no FITS": (lambda path: path.write_text("what"), 3, ["band r: r.fits"]),
    "cut short": (lambda path: path.write_bytes(path.read_bytes()[:4000]), 3, ["band r: ", "of r.fits is truncated"]),
    "other shape": (lambda path: write_image(path, field(1, width=60), **TAN), 3,
                    ["band r: ", "mean.fits is 61 x 50 pixels and r.fits is 60 x 50", "resample"]),
    "shifted": (lambda path: write_image(path, field(1), **{**TAN, "CRPIX1": 21.5}), 3,
                ["band r: ", "do not show the same sky", "resample"]),
    "masked": (lambda path: write_image(path, np.full((50, 61), np.nan), **TAN), 3, ["band r: r.fits", "masked"]),
    "flat": (lambda path: write_image(path, np.ones((50, 61)), **TAN), 3, ["band r: r.fits", "sigma"]),
}


@pytest.mark.parametrize("kind", FAILING)
def test_a_band_that_fails_is_named(run, configure, tmp_path, kind):
    spoil, code, words = FAILING[kind]
    write_bands(tmp_path, **TAN)
    spoil(tmp_path / "r.fits")
    configure("")
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "-o", "out")
    assert done.code == code and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize("spoil, words", [
    (lambda path: path.unlink(), ["mean.fits"]),
    (lambda path: write_image(path, np.full((50, 61), np.nan)), ["mean.fits: the detection image: ", "masked"]),
])
def test_a_detection_image_that_fails_is_of_no_band(run, configure, tmp_path, spoil, words):
    write_bands(tmp_path)
    spoil(tmp_path / "mean.fits")
    configure("")
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "-o", "out")
    assert done.code == 3 and done.err.count("error: ") == 1 and "band " not in done.err.split("error: ")[1], done.err
    assert all(word in done.err for word in words) and not list((tmp_path / "out").glob("*")), done.err


def test_no_size_of_a_pixel_for_the_threshold(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("detection: {threshold_unit: mag_per_arcsec2}\nmeasurement: {zero_point: 27}\n")
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "-o", "out")
    assert done.code == 3 and "band g: g.fits: config.yaml:1:" in done.err and "measurement.pixel_scale" in done.err, done.err


def test_too_little_memory(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("")
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "-o", "out", "--memory", "20K")
    assert done.code == 1 and "--memory allows 20" in done.err and not list((tmp_path / "out").glob("*")), done.err


def test_a_map_of_a_band_that_is_not_there(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("")
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "--band-set", "r:mask.file=none.fits", "-o", "out")
    assert done.code == 3 and "band r: " in done.err and "--band-set r:mask.file=none.fits: " in done.err, done.err


def test_batch_refuses_bands_by_name(run, configure, tmp_path):
    write_bands(tmp_path)
    configure("")
    done = run("batch", "config.yaml", ".", "--band", "g=g.fits", "-o", "out")
    assert done.code == 2 and "--band g=g.fits: batch" in done.err and "srcextract -d DETECT CONFIG --band" in done.err
    assert not (tmp_path / "out").exists() and "--band" not in run("batch", "--help").out


def test_no_band_is_replaced(run, configure, tmp_path):
    """A band is called like an output, or the log is."""
    write_bands(tmp_path)
    before = write_image(tmp_path / "mean.bands.seg.fits", field(1)).read_bytes()
    configure("output: {formats: [csv], segmentation: true}\n")
    done = run("-d", "mean.fits", "config.yaml", "--band", "g=mean.bands.seg.fits")
    assert done.code == 2 and "mean.bands.seg.fits" in done.err, done.err
    assert (tmp_path / "mean.bands.seg.fits").read_bytes() == before and not (tmp_path / "mean.bands.cat.csv").exists()
    done = run("-d", "mean.fits", "config.yaml", *BANDS, "--log-file", "mean.bands.run.json")
    assert done.code == 2 and "--log-file" in done.err, done.err


def test_no_source(extract, tmp_path):
    write_bands(tmp_path)
    text = "detection: {threshold: 10000}\noutput: {formats: [csv, fits, ecsv, reg], columns: [all]}\n"
    out = extract("out", text, "-d", "mean.fits", *BANDS)
    assert rows(out / "mean.bands.cat.csv") == []
    assert "FLUX_AUTO_r" in (out / "mean.bands.cat.csv").read_text()


def test_help_names_it(run):
    told = run("--help").out
    assert "--band NAME=FILE" in told and "--band-set NAME:KEY=VALUE" in told
