"""`srcextract --positions TABLE CONFIG IMAGE`: the tables that are read, what is carried along, what is written, and what is
refused."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")
table = pytest.importorskip("astropy.table")

from fits_files import TAN
from stage_images import field, report, rows, steps, write_extensions, write_image

CSV = "output: {formats: [csv]}\n"


def write_table(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def places(directory, name="p.csv"):
    return write_table(directory / name, "id,X_IMAGE,Y_IMAGE,note", "s7,12.5,20,first", "a b,40,8.25,", "s3,-30,8,off")


def test_rows_in_the_order_of_the_table(extract, tmp_path):
    places(tmp_path)
    image = write_image(tmp_path / "r.fits", field(1))
    directory = extract("out", CSV + "measurement: {apertures: [4, 8]}\n", "--positions", "p.csv", image)
    assert sorted(path.name for path in directory.iterdir()) == ["r.forced.cat.csv", "r.forced.run.json"]
    told = rows(directory / "r.forced.cat.csv")
    assert [(row["NUMBER"], row["id"], row["X_IMAGE"], row["note"]) for row in told] == [
        ("1", "s7", "12.5", "first"), ("2", "a b", "40", ""), ("3", "s3", "-30", "off")]
    assert list(told[0]) == ["NUMBER", "X_IMAGE", "Y_IMAGE", "BACKGROUND", "FLAGS"] + [
        f"{name}_APER{end}" for name in ("FLUX", "FLUXERR", "MAG", "MAGERR") for end in ("", "_1")] + [
        "FLUXLIM_APER", "FLUXLIM_APER_1", "MAGLIM_APER", "MAGLIM_APER_1", "id", "note"]
    assert [row["FLAGS"] for row in told] == ["0", "0", "16"]
    assert all(told[2][name] == "nan" for name in ("FLUX_APER", "FLUXERR_APER_1", "FLUXLIM_APER", "BACKGROUND"))
    run = report(directory / "r.forced.run.json")
    assert run["positions"] == {"path": "p.csv", "rows": 3, "by": "pixels", "off_image": 1}
    assert run["counts"]["sources"] == 3 and run["counts"]["source_pixels"] == 0
    assert "photometry" in steps(run) and "threshold" not in steps(run)


def test_every_format_in_and_out(extract, tmp_path):
    """ECSV, FITS and a VOTable say the same as CSV; what FITS and ECSV hold is what CSV does."""
    image = write_image(tmp_path / "r.fits", field(1))
    own = table.Table({"X": [12.5, 40], "Y": [20, 8.25], "NUMBER": [70, 5], "ID": ["s7", "a b"], "Z_PHOT": [0.5, 1.25]})
    names = ["p.ecsv", "p.fits", "p.vot"]
    own.write(tmp_path / "p.ecsv")
    own.write(tmp_path / "p.fits")
    own.write(tmp_path / "p.vot", format="votable")
    write_table(tmp_path / "p.csv", "NUMBER,X,Y,ID,Z_PHOT", "70,12.5,20,s7,0.5", "5,40,8.25,a b,1.25")
    text = "output: {formats: [csv, ecsv, fits, reg]}\n"
    first = extract("csv", text, "--positions", "p.csv", image)
    bytes_of_csv = (first / "r.forced.cat.csv").read_bytes()
    for i, name in enumerate(names):
        directory = extract(f"out{i}", text, "--positions", name, image)
        assert (directory / "r.forced.cat.csv").read_bytes() == bytes_of_csv, name
        assert (directory / "r.forced.reg").read_text().count("ellipse(") == 2
        for written in (table.Table.read(directory / f"r.forced.cat.{ending}") for ending in ("fits", "ecsv")):
            assert list(written["NUMBER"]) == [70, 5] and [str(text).strip() for text in written["ID"]] == ["s7", "a b"]
            assert [f"{value!r}" for value in map(float, written["FLUX_APER"])] == [row["FLUX_APER"] for row in rows(first / "r.forced.cat.csv")]
        history = list(fits.getheader(directory / "r.forced.cat.fits", 1)["HISTORY"])
        assert history[0] == f"srcextract --positions {name}"
        assert table.Table.read(directory / "r.forced.cat.ecsv").meta["positions"] == name
    assert str(table.Table.read(directory / "r.forced.cat.fits")["FLUXLIM_APER"].unit) == str(
        table.Table.read(directory / "r.forced.cat.fits")["FLUX_APER"].unit)


def test_what_another_catalogue_measured_is_not_carried_along(extract, tmp_path):
    image = write_image(tmp_path / "g.fits", field(1))
    other = write_image(tmp_path / "r.fits", 3 * field(1) + 7)
    extract(".", "output: {formats: [fits], columns: [default, photometry]}\n", image)
    mine = rows(extract("out", CSV, "--positions", "g.cat.fits", other) / "r.forced.cat.csv")
    found = table.Table.read(tmp_path / "g.cat.fits")
    assert len(mine) == len(found) == 10
    assert {"A_IMAGE", "KRON_RADIUS", "FLUX_AUTO"} <= set(mine[0]) and not {"NPIX", "FLUX_ISO", "SNR"} & set(mine[0])
    ratio = np.array([float(row["FLUX_AUTO"]) for row in mine]) / np.array(found["FLUX_AUTO"])
    np.testing.assert_allclose(ratio, 3, rtol=0.05)


def test_a_catalogue_of_several_hdus_with_pictures_and_vectors(extract, tmp_path):
    """What says of a row where it is from, and cut-outs, are not carried along; several circles are a vector."""
    write_extensions(tmp_path / "two.fits", A=field(2), B=2 * field(3))
    both = "input: {hdu: all}\nmeasurement: {apertures: [4, 8, 12]}\noutput: {formats: [fits, csv], one_catalogue: true"
    extract(".", both + ', columns: [default, "VIGNET(4,3)"]}\n', "two.fits")
    directory = extract("out", both + "}\n", "--positions", "two.cat.fits", "two.fits")
    mine = table.Table.read(directory / "two.forced.cat.fits")
    assert len(mine) == 2 * len(table.Table.read(tmp_path / "two.cat.fits"))
    assert mine["FLUX_APER"].shape[1] == mine["FLUXLIM_APER"].shape[1] == 3 and "VIGNET" not in mine.colnames
    named = list(rows(directory / "two.hdu1.forced.cat.csv")[0]) if (directory / "two.hdu1.forced.cat.csv").exists() else []
    assert not {name for name in named if "VIGNET" in name}


def test_no_threshold_is_needed(extract, tmp_path):
    """Nor, for one in magnitudes, the size of a pixel."""
    write_image(tmp_path / "r.fits", field(1))
    write_table(tmp_path / "p.csv", "X,Y", "20,30")
    by_sigma, by_magnitude = (
        rows(extract(name, CSV + text, "--positions", "p.csv", "r.fits") / "r.forced.cat.csv")[0]
        for name, text in (("a", "measurement: {zero_point: 25}\n"),
                           ("b", "measurement: {zero_point: 25}\ndetection: {threshold_unit: mag_per_arcsec2, threshold: 22}\n")))
    assert by_sigma["FLUX_APER"] == by_magnitude["FLUX_APER"] and float(by_sigma["FLUXERR_APER"]) > 0


def test_ellipses_that_are_not_whole(extract, tmp_path):
    """Without a Kron radius it follows the light, as it does where there was none; without an ellipse there is no flux."""
    image = write_image(tmp_path / "r.fits", field(1))
    extract(".", "output: {formats: [csv, fits], columns: [default, photometry]}\n", image)
    found = rows(tmp_path / "r.cat.csv")[0]
    head, ellipse = "x,y,A_IMAGE,B_IMAGE,THETA_IMAGE", [found[name] for name in ("X_IMAGE", "Y_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE")]
    place = ",".join(ellipse)
    write_table(tmp_path / "by_light.csv", head, place)
    write_table(tmp_path / "some.csv", head + ",KRON_RADIUS", place + ",0", place + ",", f"{ellipse[0]},{ellipse[1]},,,,4",
                f"{ellipse[0]},{ellipse[1]},0,0,0,4", place + ",4")
    alone = rows(extract("a", CSV, "--positions", "by_light.csv", image) / "r.forced.cat.csv")[0]
    some = rows(extract("b", CSV, "--positions", "some.csv", image) / "r.forced.cat.csv")
    assert float(alone["FLUX_AUTO"]) == pytest.approx(float(found["FLUX_AUTO"]), rel=0.02)
    assert float(alone["KRON_RADIUS"]) == pytest.approx(float(found["KRON_RADIUS"]), rel=1e-3)
    for row in some[:2]:
        assert row["FLUX_AUTO"] == alone["FLUX_AUTO"] and row["KRON_RADIUS"] == alone["KRON_RADIUS"]
    assert [row["FLUX_AUTO"] for row in some[2:4]] == ["nan", "nan"]
    assert all(row["FLUX_APER"] == alone["FLUX_APER"] for row in some)
    assert float(some[4]["KRON_RADIUS"]) == 4 and float(some[4]["FLUXLIM_AUTO"]) > 0


def test_the_sky_goes_before_pixels_where_both_are_there(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1), **TAN)
    write_image(tmp_path / "plain.fits", field(1))
    write_table(tmp_path / "p.csv", "RA,DEC,X,Y", "150,2,5,6")
    for name, place, by in (("sky", (20.5, 15.5), "sky"), ("plain", (5, 6), "pixels")):
        directory = extract(name, CSV, "--positions", "p.csv", f"{name}.fits")
        row = rows(directory / f"{name}.forced.cat.csv")[0]
        assert (float(row["X_IMAGE"]), float(row["Y_IMAGE"])) == pytest.approx(place, abs=1e-6)
        assert report(directory / f"{name}.forced.run.json")["positions"]["by"] == by
        assert (row["ALPHA_J2000"], row["DELTA_J2000"]) == ("150", "2")


SEXAGESIMAL = ["# %ECSV 1.0", "# ---", "# datatype:", "# - {name: RAJ2000, unit: '\"h:m:s\"', datatype: string}",
               "# - {name: DEJ2000, unit: '\"d:m:s\"', datatype: string}", "# - {name: _RAJ2000, unit: deg, datatype: float64}",
               "# - {name: _DEJ2000, unit: deg, datatype: float64}", "RAJ2000 DEJ2000 _RAJ2000 _DEJ2000",
               '"10 00 00.0" "+02 00 00" 150 2']


@pytest.mark.parametrize("lines", (
    ["RA_ICRS,DE_ICRS", "150,2"], ["ra_icrs,de_icrs", "150,2"], ["_RAJ2000,_DEJ2000", "150,2"], ["RAJ2000,DEJ2000", "150,2"],
    ["RA_ICRS,DE_ICRS,_RAJ2000,_DEJ2000", "150,2,149.9999999,2.0000001"],  # one place, rounded
    ["RAJ2000,DEJ2000,RA,DEC", "10:00:00,+02:00:00,150,2"], ["RA,DE_ICRS,_RAJ2000,_DEJ2000", "7,8,150,2"], SEXAGESIMAL))
def test_the_names_that_vizier_gives_them(extract, tmp_path, lines):
    write_image(tmp_path / "sky.fits", field(1), **TAN)
    write_table(tmp_path / "p.csv", *lines)
    row, = rows(extract("out", CSV, "--positions", "p.csv", "sky.fits") / "sky.forced.cat.csv")
    assert (float(row["X_IMAGE"]), float(row["Y_IMAGE"])) == pytest.approx((20.5, 15.5), abs=1e-4)
    assert float(row["ALPHA_J2000"]) == pytest.approx(150, abs=1e-9) and float(row["FLUXERR_APER"]) > 0


def test_vizier_by_way_of_astropy(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1), **TAN)
    own = table.Table({"_RAJ2000": [150.0, 150.1], "_DEJ2000": [2.0, 2.05], "Gmag": [15.5, 17]})
    own["_RAJ2000"].unit = own["_DEJ2000"].unit = "deg"
    for name, form in (("p.vot", "votable"), ("p.fits", "fits")):
        own.write(tmp_path / name, format=form)
        told = rows(extract(form, CSV, "--positions", name, "sky.fits") / "sky.forced.cat.csv")
        assert [row["Gmag"] for row in told] == ["15.5", "17"]
        assert float(told[0]["X_IMAGE"]) == pytest.approx(20.5, abs=1e-6)


def test_rows_of_one_place(extract, tmp_path):
    """Each is a row of its own."""
    image = write_image(tmp_path / "r.fits", field(1))
    write_table(tmp_path / "p.csv", "id,X,Y", "a,12.5,20", "b,40,8.25", "c,12.5,20", "d,12.5,20")
    told = rows(extract("out", CSV, "--positions", "p.csv", image) / "r.forced.cat.csv")
    assert [row["id"] for row in told] == list("abcd") and [row["NUMBER"] for row in told] == list("1234")
    assert told[0]["FLUX_APER"] == told[2]["FLUX_APER"] == told[3]["FLUX_APER"] != told[1]["FLUX_APER"]
    write_table(tmp_path / "same.csv", "X,Y", "12.5,20", "12.5,20")
    assert [row["FLUX_APER"] for row in rows(extract("same", CSV, "--positions", "same.csv", image) / "r.forced.cat.csv")] == [
        told[0]["FLUX_APER"]] * 2


def test_several_images_and_hdus_and_any_number_of_threads(run, configure, tmp_path):
    rng = np.random.default_rng(5)
    write_table(tmp_path / "p.csv", "X,Y,A_IMAGE,B_IMAGE,THETA_IMAGE",
                *(f"{x},{y},2,1.5,{30 * x}" for x, y in rng.uniform(0, 60, (300, 2))))
    write_image(tmp_path / "r.fits", field(1))
    write_extensions(tmp_path / "two.fits", A=field(2), B=2 * field(3))
    configure("input: {hdu: all}\noutput: {formats: [fits, csv], one_catalogue: true}\n")
    made = []
    for threads in (1, 3):
        out = tmp_path / f"out{threads}"
        done = run("--positions", "p.csv", "config.yaml", "r.fits", "two.fits", "-o", out, "--threads", threads)
        assert done.code == 0, done.err
        made.append({path.name: path.read_bytes() for path in out.glob("*.csv")})
        assert len(made[-1]) == 3 and len(fits.getdata(out / "two.forced.cat.fits")) == 600
    assert made[0] == made[1]


def test_pictures_and_check_images(extract, tmp_path):
    write_image(tmp_path / "r.fits", field(1))
    places(tmp_path)
    directory = extract("out", "output: {quicklook: true, check_images: [background, rms, '-background'], formats: [reg]}\n",
                        "--positions", "p.csv", "r.fits")
    assert (directory / "r.forced.png").stat().st_size > 500
    assert len(list(directory.glob("r.forced.*.fits"))) == 3


UNFIT = {
    "missing": (None, ["none.csv"]),
    "no positions": (["ID,FLUX", "1,2"], ["p.csv: there are no positions", "X_IMAGE", "RA, DEC", "there are ID, FLUX"]),
    "one of two": (["X,ID", "1,2"], ["p.csv: of X_IMAGE and Y_IMAGE", "without the other"]),
    "no row": (["X,Y"], ["p.csv: the table has no row"]),
    "a word": (["X,Y", "", "1,2", "3,four"], ["p.csv: line 4: Y is 'four', which is no number"]),
    "sexagesimal": (["RA,DEC", "150.1,2.2", "10:00:00,+02:12:00"], ["p.csv: line 3: RA is '10:00:00'", "degrees"]),
    "missing number": (["X,Y", "1,2", "3,", "5,6"], ["p.csv: line 3: there is no finite number in column Y"]),
    "infinite": (["X,Y", "1,2", "inf,3"], ["p.csv: line 3: there is no finite number in column X"]),
    "declination": (["ra,dec", "1,2", "3,91"], ["p.csv: line 3: a declination is from -90 to 90"]),
    "two positions": (["RA_ICRS,DE_ICRS,_RAJ2000,_DEJ2000", "150,2,150,2", "150.1,2,150.1001,2"],
                      ["p.csv: line 3: RA_ICRS, DE_ICRS and _RAJ2000, _DEJ2000 are not the same position", "epochs"]),
    "halves of two": (["RA_ICRS,DEJ2000", "1,2"], ["p.csv: of ALPHA_J2000", "without the other"]),
    "astropy's pairs": (["coord.ra,coord.dec", "1,2"], ["p.csv: there are no positions", "there are coord.ra, coord.dec"]),
    "hours": (["# %ECSV 1.0", "# ---", "# datatype:", "# - {name: RAJ2000, unit: '\"h:m:s\"', datatype: string}",
               "# - {name: DEJ2000, unit: '\"d:m:s\"', datatype: string}", "RAJ2000 DEJ2000", '"05 34 31" "+22 00 52"'],
              ['p.csv: column RAJ2000 is in hours', '"h:m:s"', "degrees with decimals"]),
    "half an ellipse": (["X,Y,A_IMAGE", "1,2,3"], ["p.csv: of A_IMAGE, B_IMAGE and THETA_IMAGE"]),
    "a radius alone": (["X,Y,KRON_RADIUS", "1,2,3"], ["p.csv: KRON_RADIUS is in units of an ellipse"]),
    "numbers that are none": (["X,Y,NUMBER", "1,2,0.5"], ["p.csv: column NUMBER", "whole numbers", "another name"]),
    "radians": (["# %ECSV 1.0", "# ---", "# datatype:", "# - {name: RA, unit: rad, datatype: float64}",
                 "# - {name: DEC, unit: rad, datatype: float64}", "RA DEC", "1 1"],
                ["p.csv: column RA is in 'rad'", "deg"]),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_tables_that_cannot_be_used(run, configure, tmp_path, kind):
    lines, words = UNFIT[kind]
    if lines:
        write_table(tmp_path / "p.csv", *lines)
    write_image(tmp_path / "r.fits", field(1), **TAN)
    configure("")
    done = run("--positions", "p.csv" if lines else "none.csv", "config.yaml", "r.fits", "-o", "out")
    assert done.code == 3 and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_an_image_without_a_sky(run, configure, tmp_path):
    """It fails by itself."""
    write_table(tmp_path / "p.csv", "RA,DEC", "150,2")
    write_image(tmp_path / "sky.fits", field(1), **TAN)
    write_image(tmp_path / "plain.fits", field(1))
    configure("")
    done = run("--positions", "p.csv", "config.yaml", "plain.fits", "sky.fits", "-o", "out")
    assert done.code == 3 and "error: plain.fits" in done.err and "no celestial WCS" in done.err and "p.csv" in done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["sky.forced.cat.fits", "sky.forced.run.json"]


def test_sky_positions_of_the_table_without_a_wcs(extract, tmp_path):
    write_table(tmp_path / "p.csv", "X,Y,RA,DEC,ID", "12.5,20,150.5,2.25,a", "40,8.25,-9.5,-3,b")
    image = write_image(tmp_path / "r.fits", field(1))
    told = rows(extract("out", CSV, "--positions", "p.csv", image) / "r.forced.cat.csv")
    assert [(row["X_IMAGE"], row["ALPHA_J2000"], row["DELTA_J2000"], row["ID"]) for row in told] == [
        ("12.5", "150.5", "2.25", "a"), ("40", "350.5", "-3", "b")]


WRONG = {
    "empty": (["--positions", ""], "", ["--positions"]),
    "detection image": (["-d", "r.fits"], "", ["--positions", "--detect"]),
    "label map": ([], "output: {segmentation: true}\n", ["config.yaml:1:", "label map"]),
    "check image": ([], "output: {check_images: [snr]}\n", ["config.yaml:1:", "snr"]),
    "mask": ([], "output: {check_images: [threshold]}\n", ["config.yaml:1:", "threshold"]),
    "copies": (["--report"], "output: {report_copies: 9}\n", ["config.yaml:1:", "copies of stars"]),
    "flags": ([], "flags: {file: f.fits}\n", ["config.yaml:1:", "flags"]),
    "local sky": ([], "measurement: {local_sky: 24}\n", ["config.yaml:1:", "its frame lies about the pixels of a source"]),
    "least circles": ([], "measurement: {least_apertures: [20, 20]}\n", ["config.yaml:1:", "circles do not replace"]),
    "overlay": ([], "output: {quicklook: true}\nquicklook: {overlay: pixels}\n", ["config.yaml:2:", "pixels"]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_refused(run, configure, tmp_path, kind):
    arguments, text, words = WRONG[kind]
    places(tmp_path)
    write_image(tmp_path / "r.fits", field(1))
    configure(text)
    table_of = [] if kind == "empty" else ["--positions", "p.csv"]
    done = run(*table_of, *arguments, "config.yaml", "r.fits", "-o", "out")
    assert done.code == 2 and done.err.count("error: ") == 1, done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_batch_refuses_it_by_name(run, configure, tmp_path):
    places(tmp_path)
    configure("")
    done = run("batch", "--positions", "p.csv", "config.yaml", "r.fits", "-o", "out")
    assert done.code == 2 and "--positions p.csv: batch" in done.err and "srcextract --positions" in done.err
    assert not (tmp_path / "out").exists() and "--positions" not in run("batch", "--help").out


def test_the_table_is_never_replaced(run, configure, tmp_path):
    image = write_image(tmp_path / "r.fits", field(1))
    before = places(tmp_path, "r.forced.cat.csv").read_bytes()
    configure(CSV)
    done = run("--positions", "r.forced.cat.csv", "config.yaml", image)
    assert done.code == 2 and "r.forced.cat.csv" in done.err, done.err
    assert (tmp_path / "r.forced.cat.csv").read_bytes() == before


def test_names_that_are_no_ascii_stay_apart_in_fits(extract, tmp_path):
    """FITS has ASCII alone, and names of 68 characters: α and δ are two columns there all the same."""
    long = "n" * 70
    image = write_image(tmp_path / "r.fits", field(1))
    (tmp_path / "p.csv").write_text(f"X,Y,α,δ,{long}1,{long}2\n10,20,1,2,3,4\n", encoding="utf-8")
    directory = extract("out", "output: {formats: [fits, ldac, ecsv]}\n", "--positions", "p.csv", image)
    for ending, hdu in ("fits", 1), ("ldac", 2):
        assert list(fits.getdata(directory / f"r.forced.cat.{ending}", hdu)[0])[-4:] == [1, 2, 3, 4]
    assert "α δ" in (directory / "r.forced.cat.ecsv").read_text(encoding="utf-8")


def test_columns_of_the_users_own_keep_names_and_bits(extract, tmp_path):
    """Names such as a cross-match gives, and names that begin as srcextract's do."""
    image = write_image(tmp_path / "r.fits", field(1))
    table.Table({"X": [10.0], "Y": [20.0], "NUMBER_2": [123], "MAG_AUTO_2": [20.5], "FLUX_APER_1": [7.0], "A_ID": [2**60 + 1],
                 "MAG_ID": [2**40], "B_RA": [123.456789012345], "MAG_REF": [17.123456789012], "ISOAREA_REF": [2**53 + 1]}
                ).write(tmp_path / "p.fits")
    directory = extract("out", "output: {formats: [fits, ldac]}\n", "--positions", "p.fits", image)
    for ending, hdu in ("fits", 1), ("ldac", 2):
        told = fits.getdata(directory / f"r.forced.cat.{ending}", hdu)
        assert list(told[0])[-7:] == [123, 20.5, 2**60 + 1, 2**40, 123.456789012345, 17.123456789012, 2**53 + 1]
        assert told.names[-7:] == ["NUMBER_2", "MAG_AUTO_2", "A_ID", "MAG_ID", "B_RA", "MAG_REF", "ISOAREA_REF"]
