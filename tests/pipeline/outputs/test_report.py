"""The page that --report writes: its content."""

import csv
import json
import re

import pytest

np = pytest.importorskip("numpy")

from astropy.io import fits
from driver import ROOT
from fits_files import TAN
from report_pages import EVIL, Page
from stage_images import field, write_image

def report_of(run, tmp_path, image, *options):
    done = run("-q", "-o", "out", "--report", *options, image)
    assert done.code == 0, done.err
    stem = image.name.removesuffix(".fits")
    return Page(tmp_path / f"out/{stem}.report.html")


def test_it_holds_the_rows_of_the_catalogue(run, tmp_path):
    page = report_of(run, tmp_path, ROOT / "data/sky.fits", "--set", "output.formats=[csv]")
    with open(tmp_path / "out/sky.cat.csv", newline="") as file:
        rows = {row["NUMBER"]: row for row in csv.DictReader(file)}
    data = page.data
    names = [column[0] for column in data["columns"]]
    assert names == list(next(iter(rows.values())))
    assert len(data["rows"]) == data["total"] == len(rows) > 400
    for values in data["rows"]:
        row = rows[str(values[0])]
        for name, value in zip(names, values):
            assert value == pytest.approx(float(row[name]), rel=1e-6, nan_ok=True), name
    fluxes = [float(rows[str(values[0])]["FLUX_AUTO"]) for values in data["rows"]]
    assert fluxes == sorted(fluxes, reverse=True)
    assert f"All {len(rows)} sources" in page.texts["catalogue"]


def test_it_is_one_file_of_at_most_two_megabytes(run, tmp_path):
    rng = np.random.default_rng(1)
    image = write_image(tmp_path / "noise.fits", rng.uniform(0, 1, (1024, 1024)).astype(np.float32))
    page = report_of(run, tmp_path, image)
    assert len(page.source.encode()) <= 2_000_000
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    assert not re.search(r"https?://", page.source)


def test_a_difference_with_both_frames_has_at_most_two_megabytes(run, tmp_path):
    """Uniform noise is what pictures take most bytes for; a threshold of 2 sigma gives more rows than the page has room for."""
    rng = np.random.default_rng(1)
    frames = [write_image(tmp_path / f"{name}.fits", rng.uniform(0, 1, (1024, 1024)).astype(np.float32)) for name in ("old", "new")]
    done = run("difference", "-q", "-o", "out", "--report", "--set", "difference.kernel=gaussian", "--set", "detection.threshold=2",
               "--set", "detection.min_area=1", *frames)
    assert done.code == 0, done.err
    page = Page(tmp_path / "out/new.diff.report.html")
    assert 1_900_000 < len(page.source.encode()) <= 2_000_000
    assert 100 < len(page.data["rows"]) < page.data["total"]
    assert [picture["alt"] for picture in page.pictures if picture.get("id", "").startswith("whole")] == ["Reference", "New frame"]


def test_it_says_what_run_json_says(run, tmp_path):
    page = report_of(run, tmp_path, write_image(tmp_path / "sky.fits", field(1), OBJECT="M 31", **TAN))
    told = json.loads((tmp_path / "out/sky.run.json").read_text())
    assert told["config"]["output"]["report"] is True
    assert "out/sky.report.html" in told["outputs"]
    assert page.texts["configuration"].split("(YAML)")[1].strip() == told["config_yaml"].strip()
    steps = [step["step"] for step in told["execution"]["steps"]]
    assert steps[-1] == "report"
    shown = page.texts["run"]
    assert all(f"{step['step']}{1e3 * step['seconds']:.2f}" in shown for step in told["execution"]["steps"][:-1])
    assert "OBJECTM 31" in shown and "by the WCS of the image" in shown


def test_nothing_of_a_header_or_a_name_becomes_part_of_the_page(run, tmp_path):
    image = write_image(tmp_path / "<script>alert(2)<&'\".fits", field(1), OBJECT=EVIL, FILTER='"><img src=x onerror=alert(3)>',
                        EXTNAME=EVIL, BUNIT=EVIL)
    page = report_of(run, tmp_path, image)
    assert page.script_count == 2
    assert EVIL in page.texts["run"] and "<script>alert(2)<&'\".fits" in page.texts["run"]
    assert len(page.pictures) == 1 + page.texts["maps"].count("black")


def test_warnings_are_shown(run, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1))
    page = report_of(run, tmp_path, image, "--set", "output.columns=[NUMBER,X_WORLD]")
    told = json.loads((tmp_path / "out/sky.run.json").read_text())
    assert told["warnings"] and all(warning in page.texts["warnings"] for warning in told["warnings"])


def blank(pixels):
    pixels[:] = np.nan
    return pixels


NOISE_AND_STAR = np.append(np.random.default_rng(1).normal(0, 1, 500), [90.0] * 6)
THIN = ["--set", "convolve.kernel=none", "--set", "convolve.fwhm=0", "--set", "convolve.size=0"]
STRANGE = {
    "no source": (np.random.default_rng(1).normal(0, 1, (50, 61)), ["--set", "detection.threshold=50"], 0),
    "one row": (NOISE_AND_STAR[None], THIN, 1),
    "one column": (NOISE_AND_STAR[:, None], THIN, 1),
    "half blank": (np.where(np.arange(61) < 30, np.nan, field(1)), [], None),
    "no noise": (np.where(np.hypot(*(np.indices((50, 61)) - 25)) < 4, 50.0, 0.0),
                 ["--set", "background.method=constant", "--set", "detection.threshold_unit=absolute"], 1),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_images(run, tmp_path, name):
    pixels, options, sources = STRANGE[name]
    done = run("-q", "-o", "out", "--report", *options, write_image(tmp_path / "sky.fits", pixels.astype(np.float32)))
    assert done.code == 0, done.err
    data = Page(tmp_path / "out/sky.report.html").data
    assert sources is None or data["total"] == sources
    assert len(data["rows"]) == data["total"]


def test_without_an_extraction_there_is_no_report(run, tmp_path):
    done = run("-q", "-o", "out", "--report", write_image(tmp_path / "sky.fits", blank(field(1))))
    assert done.code == 3 and not (tmp_path / "out/sky.report.html").exists()


def test_every_kind_of_run_has_one(run, tmp_path):
    images = [write_image(tmp_path / f"{name}.fits", field(seed), **TAN) for seed, name in enumerate("ab")]
    (tmp_path / "p.csv").write_text("X_IMAGE,Y_IMAGE\n12,14\n500,500\n")
    runs = {"a.report.html": ["--report", images[0]], "a.diff.report.html": ["difference", "--set", "difference.kernel=gaussian", "--report", images[1], images[0]],
            "b.report.html": ["--report", "-d", *images], "a.forced.report.html": ["--positions", "p.csv", "--report", images[0]]}
    for name, options in runs.items():
        done = run(*options, "-q", "-o", "out")
        assert done.code == 0, done.err
        page = Page(tmp_path / "out" / name)
        assert page.data["image"] == {"width": 61, "height": 50, "factor": 1}
        if ".diff." in name:  # which frames, and no step twice
            assert "a.fits less b.fits" in page.source and "Referenceb.fits" in page.texts["run"]
            heads = re.findall(r'<tr><th scope="row">([^<]*)</th><td class="number">', page.source)
            assert "difference" in heads and len(heads) == len(set(heads))
    (tmp_path / "c.yaml").write_text("output: {report: true}\nextends: none\n")
    done = run("batch", "-q", "-o", "survey", "c.yaml", *images)
    assert done.code == 0, done.err
    assert (tmp_path / "survey/a.report.html").is_file() and (tmp_path / "survey/b.report.html").is_file()


def test_bands_have_none(run, tmp_path):
    image = write_image(tmp_path / "a.fits", field(1))
    done = run("--report", "-d", image, "--band", f"g={image}", "-o", "out")
    assert done.code == 2 and "report" in done.err and "leave it out" in done.err


def test_the_catalogue_is_the_same_with_a_report(run, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1))
    texts = []
    for options in ([], ["--report"]):
        done = run("-q", "-o", "out", "--set", "output.formats=[csv]", *options, image)
        assert done.code == 0, done.err
        texts.append((tmp_path / "out/sky.cat.csv").read_text())
    assert texts[0] == texts[1]


COPIES = ["--set", "output.report_copies=40"]


def test_the_completeness_is_there_if_it_is_asked_for(run, tmp_path):
    image = write_image(tmp_path / "sky.fits", field(1, 256, 300, 300.0))
    without = report_of(run, tmp_path, image)
    assert "completeness" not in without.data and "completeness" not in without.texts and "#completeness" not in without.addresses
    assert "completeness" not in json.loads((tmp_path / "out/sky.run.json").read_text())
    catalogue = (tmp_path / "out/sky.cat.fits").read_bytes().split(b"report_copies")[0]
    page = report_of(run, tmp_path, image, *COPIES)
    told = json.loads((tmp_path / "out/sky.run.json").read_text())
    assert page.data["completeness"] == told["completeness"] and told["completeness"]["copies"] == 40
    assert {**page.data, "completeness": 0} == {**without.data, "completeness": 0}
    assert "completeness" in [step["step"] for step in told["execution"]["steps"]] and "#completeness" in page.addresses
    for one in told["completeness"]["bins"]:
        low, high = one["magnitudes"]
        share, (least, most) = 100 * one["share"], (100 * limit for limit in one["interval"])
        row = f"{low:g} to {high:g}{one['copies']}{one['found']}{share:.1f}{least:.1f} to {most:.1f}"
        assert row in page.texts["completeness"].replace("\n", "")
    assert f"magnitude {told['completeness']['limit_50']:.2f}" in page.texts["completeness"]
    assert (tmp_path / "out/sky.cat.fits").read_bytes().startswith(catalogue)


@pytest.mark.parametrize("name", STRANGE)
def test_the_completeness_of_strange_images(run, tmp_path, name):
    pixels, options, _ = STRANGE[name]
    page = report_of(run, tmp_path, write_image(tmp_path / "sky.fits", pixels.astype(np.float32)), *options, *COPIES)
    assert page.data["completeness"].get("problem", "none") in page.texts["completeness"] or page.data["completeness"]["bins"]


def test_a_crowd_has_its_residual_and_the_completeness(run, tmp_path):
    rng = np.random.default_rng(8)
    y, x = np.indices((200, 200))
    pixels = rng.normal(100, 3, (200, 200))
    for cx, cy in rng.uniform(5, 195, (60, 2)):
        pixels += 10 ** rng.uniform(2.2, 3.5) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 1.5**2))
    image = write_image(tmp_path / "sky.fits", pixels.astype(np.float32))
    done = run("crowd", "-q", "-o", "out", "--report", "--set", "crowd.inject=200", image)
    assert done.code == 0, done.err
    page = Page(tmp_path / "out/sky.report.html")
    assert "Residual, without sky and what was fitted" in page.source
    magnitudes = [row[[column[0] for column in page.data["columns"]].index("MAG_PSF")] for row in page.data["rows"]]
    assert page.data["magnitude"].startswith("MAG_PSF") and magnitudes == sorted(magnitudes) and len(magnitudes) > 40
    for one in json.loads((tmp_path / "out/sky.run.json").read_text())["crowd"]["injected"]:
        row = f"{one['flux']:.4g}{one['added']}{one['found']}{100 * one['found'] / one['added']:.1f}"
        assert row in page.texts["completeness"].replace("\n", "")
    without = report_of(lambda *options: run("crowd", *options), tmp_path, image)
    assert "Not measured" in without.texts["completeness"] and "crowd.inject=1000" in without.texts["completeness"]


def test_a_difference_has_no_copies(run, tmp_path):
    images = [write_image(tmp_path / f"{name}.fits", field(seed)) for seed, name in enumerate("ab")]
    done = run("difference", "--report", *COPIES, *images)
    assert done.code == 2 and "output.report_copies" in done.err and "set it to 0" in done.err


def test_of_a_radio_map_it_has_the_gaussians(run, tmp_path):
    rng = np.random.default_rng(4)
    y, x = np.indices((120, 130))
    pixels = rng.normal(0, 1e-3, (120, 130))
    for cx, cy, peak in ((30, 40, 0.5), (38, 46, 0.3), (90, 80, 0.2), (60, 20, 0.04)):
        pixels += peak * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * 2.2**2))
    side = 5 / 3600
    beam = {"BMAJ": 2.2 * 2.3548 * side, "BMIN": 2.2 * 2.3548 * side, "BPA": 0.0, "BUNIT": "JY/BEAM", "CTYPE1": "RA---SIN", "CTYPE2": "DEC--SIN",
            "CRPIX1": 65, "CRPIX2": 60, "CRVAL1": 30, "CRVAL2": 40, "CDELT1": -side, "CDELT2": side}
    image = write_image(tmp_path / "map.fits", pixels.astype(np.float32), **beam)
    done = run("radio", "-q", "-o", "out", "--report", image)
    assert done.code == 0, done.err
    page = Page(tmp_path / "out/map.report.html")
    gaussians = fits.getdata(tmp_path / "out/map.gaul.fits")
    rows = page.data["rows"]
    names = [column[0] for column in page.data["columns"]]
    assert len(rows) == len(gaussians) == page.data["total"] == 4 and "X_IMAGE" not in names
    brightest = np.argsort(-gaussians["Total_flux"])
    for name in ("Gaus_id", "RA", "Total_flux", "E_Total_flux", "Peak_flux", "Maj", "PA"):
        assert [row[names.index(name)] for row in rows] == pytest.approx(list(gaussians[name][brightest]), rel=1e-6), name
    assert dict(zip(names, (column[1] for column in page.data["columns"])))["Total_flux"] == "Jy"
    x0, y0, a, b, _ = page.data["shapes"][0]  # where the Gaussian has half of its peak: 3 A_IMAGE are half its full width
    assert (x0, y0) == pytest.approx((31, 41), abs=0.1) and 3 * a == pytest.approx(2.2 * 2.3548 / 2, rel=0.03) and b <= a
    assert f"{2.2 * 2.3548 * 5:.4g} × {2.2 * 2.3548 * 5:.4g} arcseconds" in page.texts["run"]
    assert f"4 Gaussians of {len(fits.getdata(tmp_path / 'out/map.srl.fits'))} sources in " in page.source and "All 4 Gaussians" in page.texts["catalogue"]
