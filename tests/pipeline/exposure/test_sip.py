"""SIP terms in a header whose CTYPE does not end with -SIP: astropy tells both readings."""

import json
import logging
import re
import warnings

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
astropy_wcs = pytest.importorskip("astropy.wcs")

from astropy.table import Table

logging.getLogger("astropy").setLevel(logging.ERROR)

SIDE = 200
PLACE = {"CRVAL1": 214.8, "CRVAL2": 52.8, "CRPIX1": 900.5, "CRPIX2": -700.0, "CD1_1": -1.7e-5, "CD1_2": 0.0, "CD2_1": 0.0,
         "CD2_2": 1.7e-5}
TERMS = {"A_ORDER": 2, "B_ORDER": 2, "A_0_2": 2.2e-6, "A_1_1": 5.2e-6, "A_2_0": 8.6e-6, "B_0_2": -7.2e-6, "B_1_1": 6.1e-6}
PV = {"PV1_1": 1.01, "PV1_2": 0.002, "PV2_1": 1.01, "PV2_2": -0.002, "PV1_5": 1e-3, "PV2_6": -2e-3}
WORD = "SIP terms"


def axes(code, suffix=""):
    return {"CTYPE1": f"RA---{code}{suffix}", "CTYPE2": f"DEC--{code}{suffix}"}


def write(path, cards, stars=4, seed=5):
    y, x = np.mgrid[:SIDE, :SIDE]
    data = np.random.default_rng(seed).normal(100, 2, (SIDE, SIDE))
    for i in range(stars):
        for j in range(stars):
            data += 500 * np.exp(-((x - 25 - 50 * i) ** 2 + (y - 25 - 50 * j) ** 2) / 8)
    hdu = fits.PrimaryHDU(data.astype("f4"))
    hdu.header.update(cards)
    hdu.writeto(path)
    return path


def world(cards, x, y):
    header = fits.Header()
    header.update(cards)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return astropy_wcs.WCS(header).all_pix2world(np.stack([x, y], axis=1), 1)


def apart(a, b):
    """In arcseconds."""
    return 3600 * np.hypot((a[:, 0] - b[:, 0]) * np.cos(np.radians(a[:, 1])), a[:, 1] - b[:, 1])


def catalogue(path):
    table = Table.read(path, format="ascii.csv")
    assert len(table) > 10
    return table, np.stack([table["ALPHA_J2000"], table["DELTA_J2000"]], axis=1)


@pytest.mark.parametrize("plain", [axes("TAN"), {**axes("TAN"), **PV}, {**axes("TPV"), **PV}], ids=["TAN", "SCAMP 1", "TPV"])
def test_ctype_decides_and_a_warning_tells(run, tmp_path, plain):
    write(tmp_path / "a.fits", {**plain, **PLACE, **TERMS})
    read = {**plain, **PLACE} if "PV1_1" not in plain else {**axes("TPV"), **PV, **PLACE}
    answers = {}
    for how in "auto", "ctype":
        done = run("-q", "--set", f"wcs.sip={how}", "--set", "output.formats=[csv]", "a.fits", "-o", how)
        assert done.code == 0, done.err
        table, answers[how] = catalogue(tmp_path / how / "a.cat.csv")
        assert apart(answers[how], world(read, table["X_IMAGE"], table["Y_IMAGE"])).max() < 1e-5
        told = [line for line in json.loads((tmp_path / how / "a.run.json").read_text())["warnings"] if WORD in line]
        assert len(told) == done.err.count(WORD) == (how == "auto")
        if told:
            assert "A_0_2" in told[0] and "--set wcs.sip=apply" in told[0] and "--set wcs.sip=ctype" in told[0]


def test_apply_is_what_astropy_does_and_the_warning_says_how_far_it_is(run, tmp_path):
    cards = {**axes("TAN"), **PLACE, **TERMS}
    write(tmp_path / "a.fits", cards)
    done = run("-q", "--set", "wcs.sip=apply", "--set", "output.formats=[csv]", "a.fits", "-o", "apply")
    assert (done.code, done.err) == (0, "")
    table, found = catalogue(tmp_path / "apply/a.cat.csv")
    assert apart(found, world(cards, table["X_IMAGE"], table["Y_IMAGE"])).max() < 1e-5
    x, y = np.array([0.5, SIDE + 0.5, SIDE + 0.5, 0.5]), np.array([0.5, 0.5, SIDE + 0.5, SIDE + 0.5])
    shift = apart(world(cards, x, y), world({**axes("TAN"), **PLACE}, x, y))
    message = run("-q", "a.fits", "-o", "auto").err
    least, most = map(float, re.search(r"by (\S+) to (\S+) arcseconds", message).groups())
    assert (least, most) == pytest.approx((shift.min(), shift.max()), rel=0.01)


@pytest.mark.parametrize("cards", [
    {**axes("TAN", "-SIP"), **TERMS}, axes("TAN", "-SIP"), axes("TAN"), {**axes("TAN"), "A_ORDER": 0, "B_ORDER": 0},
    {**axes("TAN"), "A_ORDER": 2, "B_ORDER": 2, "A_2_0": 0.0, "B_2_0": 0.0}, {"A_ORDER": 2, "A_2_0": 1e-5, "CTYPE1": "LINEAR"}],
    ids=["suffix", "suffix alone", "none", "order 0", "zeros", "no sky"])
def test_where_both_readings_agree_nothing_is_said(run, tmp_path, cards):
    write(tmp_path / "a.fits", {**cards, **PLACE})
    done = run("-q", "a.fits", "-o", "out")
    assert (done.code, done.err) == (0, "")


def test_terms_that_cannot_be_read_are_told_and_no_reason_to_lose_positions(run, tmp_path):
    write(tmp_path / "a.fits", {**axes("ZPN"), **PLACE, **TERMS, "PV2_1": 1.0, "PV2_3": 0.1})
    done = run("-q", "--set", "output.formats=[csv]", "a.fits", "-o", "out")
    assert done.code == 0 and WORD in done.err and "there would be no positions" in done.err
    catalogue(tmp_path / "out/a.cat.csv")


@pytest.mark.parametrize("how", ["ctype", "apply"])
def test_outputs_positions_and_alignment_follow(run, tmp_path, how):
    """Everyone who reads what is written has the reading of the run, astropy too."""
    cards = {**axes("TAN"), **PLACE, **TERMS}
    write(tmp_path / "a.fits", cards)
    read = cards if how == "apply" else {**axes("TAN"), **PLACE}
    done = run("-q", "--set", f"wcs.sip={how}", "--set", "output.formats=[csv,ldac]", "--set", "output.segmentation=true",
               "--set", "output.check_images=[background]", "a.fits", "-o", "out")
    assert (done.code, done.err) == (0, "")
    table, found = catalogue(tmp_path / "out/a.cat.csv")
    x, y = np.asarray(table["X_IMAGE"]), np.asarray(table["Y_IMAGE"])
    with fits.open(tmp_path / "out/a.cat.ldac") as ldac:
        head = fits.Header.fromstring("\n".join(ldac["LDAC_IMHEAD"].data[0][0]), sep="\n")
    headers = [head]
    for image in (tmp_path / "out").glob("a.*.fits*"):
        with fits.open(image) as hdus:
            headers += [hdu.header for hdu in hdus if "CTYPE1" in hdu.header]
    assert len(headers) >= 3
    for header in headers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            at = astropy_wcs.WCS(header, naxis=2).all_pix2world(np.stack([x, y], axis=1), 1)
        assert apart(at, found).max() < 1e-5

    at = world(read, x, y)
    (tmp_path / "list.csv").write_text("RA,DEC\n" + "".join(f"{ra:.12f},{dec:.12f}\n" for ra, dec in at))
    done = run("-q", "--set", f"wcs.sip={how}", "--set", "output.formats=[csv]", "--positions", "list.csv", "a.fits", "-o", "forced")
    assert (done.code, done.err) == (0, "")
    forced = Table.read(next((tmp_path / "forced").glob("*.csv")), format="ascii.csv")
    assert np.hypot(forced["X_IMAGE"] - x, forced["Y_IMAGE"] - y).max() < 1e-3

    write(tmp_path / "b.fits", {**axes("TAN", "-SIP" if how == "apply" else ""), **PLACE, **(TERMS if how == "apply" else {})}, seed=6)
    done = run("difference", "-q", "--set", f"wcs.sip={how}", "b.fits", "a.fits", "-o", "difference")
    assert done.code == 0 and "same sky" not in done.err


def test_a_reference_with_such_terms_is_named(run, tmp_path):
    write(tmp_path / "a.fits", {**axes("TAN"), **PLACE})
    write(tmp_path / "b.fits", {**axes("TAN"), **PLACE, **TERMS}, seed=6)
    done = run("difference", "-q", "a.fits", "b.fits", "-o", "out")
    assert done.code == 0 and done.err.count(WORD) == 1
    assert "b.fits: the header has SIP" in done.err


def test_the_drop_in_follows_ctype_without_a_word_as_sextractor_does(run, tmp_path):
    cards = {**axes("TAN"), **PLACE, "EQUINOX": "J2000"}
    write(tmp_path / "a.fits", {**cards, **TERMS})
    (tmp_path / "a.param").write_text("X_IMAGE\nY_IMAGE\nALPHA_J2000\nDELTA_J2000\n")
    (tmp_path / "a.sex").write_text("PARAMETERS_NAME a.param\nFILTER N\nCATALOG_TYPE ASCII\n")
    done = run("sextractor", "a.fits", "-c", "a.sex")
    assert done.code == 0 and WORD not in done.err, done.err
    rows = np.loadtxt(tmp_path / "test.cat")
    assert len(rows) > 10
    assert apart(rows[:, 2:], world(cards, rows[:, 0], rows[:, 1])).max() < 1e-2
