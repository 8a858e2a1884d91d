"""`output.alerts` tells a broker of every row of a difference: read by other programs, held against the frames, the check
image, the catalogue and NumPy."""
import csv
import gzip
import io
import json
import os
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
time = pytest.importorskip("astropy.time")
avro = pytest.importorskip("avro.datafile", reason="python3-avro is missing")
from avro.io import DatumReader

from moffat_frames import GAIN, exposures, moffat
from program import ROOT

READERS = os.environ.get("SRCEXTRACT_READERS_PYTHON")
DATE = "2026-03-01T06:30:15.25"
TAN = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRVAL1": 150.0, "CRVAL2": 2.2, "CRPIX1": 500.0, "CRPIX2": 500.0,
       "CD1_1": -1e-4, "CD1_2": 0.0, "CD2_1": 0.0, "CD2_2": 1e-4}
SHIFT = 3  # of the reference's columns, in pixels


def frames():
    """Reference and new frame, the first shifted by whole pixels; a square of bad pixels is beside a transient."""
    (reference, new), places = exposures(4, (3.0,), (3.4,))
    x, y = places[30].astype(int)
    new[y + 2:y + 6, x + 2:x + 6] = np.nan
    return (np.roll(reference, SHIFT, axis=1), new), places


def difference(program, directory, *settings, threads=2, headers=None, images=None):
    directory.mkdir(exist_ok=True)
    if images is None:
        images, _ = frames()
    moved = fits.Header({**TAN, "CRPIX1": TAN["CRPIX1"] + SHIFT})
    given = fits.Header({**TAN, "DATE-OBS": DATE, "FILTER": "r", "EXPTIME": 30.0} if headers is None else headers)
    for name, image, header in zip(("reference", "new"), images, (moved, given)):
        fits.writeto(directory / f"{name}.fits", image, header, overwrite=True)
    settings = ["difference.align=wcs", f"measurement.gain={GAIN}", "measurement.zero_point=25", "output.formats=[csv]",
                "detection.threshold=6", "detection.min_area=1", "output.alerts=[avro, parquet]", *settings]
    options = [part for setting in settings for part in ("--set", setting)]
    return subprocess.run([program, "difference", "--record", "-q", "--backend", "cpu", "--threads", str(threads), "-o", directory,
                           *options, ROOT / "tests/support/plain.yaml", directory / "reference.fits",
                           directory / "new.fits"], capture_output=True, text=True)


def alerts_of(directory):
    with open(directory / "new.diff.alerts.avro", "rb") as file, avro.DataFileReader(file, DatumReader()) as reader:
        return list(reader)


def rows_of(directory):
    with open(directory / "new.diff.cat.csv") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def stamp_of(alert, name):
    data = alert[name]["stampData"]
    assert data[:4] == b"\x1f\x8b\x08\x00" and data[4:8] == bytes(4)  # neither a name nor a time
    with fits.open(io.BytesIO(gzip.decompress(data))) as hdus:
        hdus.verify("exception")
        assert hdus[0].header["BITPIX"] == -32
        return hdus[0].data


@pytest.fixture(scope="module")
def made(program, tmp_path_factory):
    directory = tmp_path_factory.mktemp("alerts")
    done = difference(program, directory, "output.check_images=[-background, filtered]",
                      "output.columns=[default, photometry, psf, profile, shapes]")
    assert done.returncode == 0, done.stderr
    return directory


def square(image, alert, side):
    """Pixels around the one that has the place, NaN beyond the image."""
    x, y = (int(np.floor(alert["candidate"][name] + 0.5)) - 1 + side for name in ("xpos", "ypos"))
    padded = np.pad(np.asarray(image, np.float32), side, constant_values=np.nan)
    return padded[y - side // 2:y + side // 2 + 1, x - side // 2:x + side // 2 + 1]


def test_cutouts_are_the_pixels(made):
    (_, new), _ = frames()
    shifted = fits.getdata(made / "reference.fits")
    template = np.roll(shifted, -SHIFT, axis=1)
    template[:, -SHIFT:] = np.nan
    changes = fits.getdata(made / "new.diff.minus_background.fits")
    alerts = alerts_of(made)
    assert len(alerts) == len(rows_of(made)) > 35
    masked = 0
    for alert in alerts:
        for name, image in (("cutoutScience", new), ("cutoutTemplate", template), ("cutoutDifference", changes)):
            stamp = stamp_of(alert, name)
            assert stamp.shape == (63, 63)
            np.testing.assert_array_equal(stamp, square(image, alert, 63))
            assert alert[name]["fileName"].startswith(str(alert["candid"]))
            masked += np.isnan(stamp).sum()
    assert masked > 0


def test_features_are_those_of_numpy(made):
    changes = fits.getdata(made / "new.diff.minus_background.fits").astype(np.float64)
    score = fits.getdata(made / "new.diff.filtered.fits")
    sigma = json.loads((made / "new.diff.run.json").read_text())["background"]["sigma"]
    noise = 1.4826 * np.nanmedian(np.abs(score - np.nanmedian(score)))
    bad = 0
    for alert, row in zip(alerts_of(made), rows_of(made)):
        told = alert["candidate"]
        sign = int(row["SIGN"])
        pixels = sign * stamp_of(alert, "cutoutDifference")[29:34, 29:34].astype(np.float64)
        assert told["nbad"] == np.isnan(pixels).sum() and told["nneg"] == (pixels < 0).sum()
        assert told["sumrat"] == pytest.approx(np.nansum(pixels) / np.nansum(np.abs(pixels)), rel=1e-12)
        bad += told["nbad"]
        peak = int(row["YPEAK_IMAGE"]) - 1, int(row["XPEAK_IMAGE"]) - 1
        assert told["dsnrms"] == pytest.approx(sign * changes[peak] / sigma, rel=1e-9)
        assert told["scorr"] == pytest.approx(sign * score[peak] / noise, rel=0.05)
        assert told["scorr"] > 6
        x, y = told["xpos"], told["ypos"]
        assert told["mindtoedge"] == pytest.approx(min(x - 0.5, y - 0.5, 1024.5 - x, 1024.5 - y))
    assert bad > 0


def test_the_faintest_star_is_that_of_the_noise(made):
    """The noise of the best filter for a star in a sky of which a kernel made a part (Kaiser 2004)."""
    (reference, new), _ = frames()
    side = 256
    star, sharp = (np.abs(np.fft.rfft2(moffat([side / 2], [side / 2], [1.0], width, side=side))) for width in (3.4, 3.0))
    noise_new, noise_reference = (1.4826 * np.median(np.abs(image - np.median(image)))
                                  for image in (new[np.isfinite(new)], reference))
    power = noise_new ** 2 + (0.85 * noise_reference * star / sharp.clip(1e-9)) ** 2
    whole = np.ones_like(star) * 2  # the other half of the plane
    whole[:, 0] = whole[:, -1] = 1
    noise = (whole * star ** 2 / power).sum() ** -0.5 * side
    for alert in alerts_of(made):
        assert alert["candidate"]["diffmaglim"] == pytest.approx(25 - 2.5 * np.log10(5 * noise), abs=0.05)


PLAIN = {"xpos": "X_IMAGE", "ypos": "Y_IMAGE", "ra": "ALPHA_J2000", "dec": "DELTA_J2000", "magpsf": "MAG_PSF",
         "sigmapsf": "MAGERR_PSF", "chipsf": "CHI2_PSF", "magap": "MAG_APER", "sigmagap": "MAGERR_APER",
         "fwhm": "FWHM_IMAGE", "aimage": "A_IMAGE", "bimage": "B_IMAGE", "elong": "ELONGATION", "tblid": "NUMBER",
         "FLAGS": "FLAGS", "DIPOLE": "DIPOLE", "DIPOLE_SEP": "DIPOLE_SEP",
         "DIPOLE_RATIO": "DIPOLE_RATIO"}


def test_numbers_are_those_of_the_catalogue(made):
    alerts = alerts_of(made)
    fit = json.loads((made / "new.diff.run.json").read_text())["difference"]["fit"]
    width = fit["reference_fwhm"] if fit["convolved"] == "new" else fit["fwhm"]["new"]
    for alert, row in zip(alerts, rows_of(made)):
        told = alert["candidate"]
        for name, column in PLAIN.items():
            value = float(row[column])
            unknown = np.isnan(value) or (name.startswith(("mag", "sigma")) and value == 99)
            assert told[name] is None if unknown else told[name] == value, name
        assert told["sky"] == int(row["SIGN"]) * float(row["BACKGROUND"])  # as the cut-out has it: new - reference
        assert told["isdiffpos"] == ("t" if row["SIGN"] == "1" else "f")
        assert told["candid"] == alert["candid"] > 0
        if told["magap"] is not None and told["magpsf"] is not None:
            assert told["magdiff"] == pytest.approx(told["magap"] - told["magpsf"], abs=1e-12)
        if told["fwhm"]:
            assert told["seeratio"] == pytest.approx(width / told["fwhm"])
            assert told["aimagerat"] == pytest.approx(told["aimage"] / told["fwhm"])
        assert told["jd"] == pytest.approx(time.Time(DATE).jd, abs=1e-9)
        assert (told["filter"], told["exptime"], told["magzpsci"]) == ("r", 30, 25)
        assert alert["objectId"] is None and alert["prv_candidates"] is None and told["classtar"] is None
    assert len({alert["candid"] for alert in alerts}) == len(alerts)


def bytes_of(directory):
    return {path.name: path.read_bytes() for path in directory.glob("new.diff.*") if "run.json" not in path.name}


def test_same_bytes_from_any_number_of_threads(program, made, tmp_path):
    done = difference(program, tmp_path / "one", threads=1)
    assert done.returncode == 0, done.stderr
    first = bytes_of(tmp_path / "one")
    assert set(first) == {"new.diff.cat.csv", "new.diff.alerts.avro", "new.diff.alerts.parquet"}
    for name, threads in (("again", 1), ("eight", 8)):
        assert difference(program, tmp_path / name, threads=threads).returncode == 0
        assert bytes_of(tmp_path / name) == first
    report = json.loads((tmp_path / "one" / "new.diff.run.json").read_text())
    assert {name.rsplit("/")[-1] for name in report["outputs"]} == {*first, "new.diff.run.json"}
    assert [alert["candid"] for alert in alerts_of(tmp_path / "one")] == [alert["candid"] for alert in alerts_of(made)]


def test_the_catalogue_stays_as_it_is_without_alerts(program, tmp_path):
    """Though more is measured for them: apertures that the edge of the image cuts set no flag."""
    images, _ = frames()
    cards = {}
    for name, alerts in (("none", "[]"), ("alerts", "[avro]")):
        done = difference(program, tmp_path / name, f"output.alerts={alerts}", "output.formats=[fits]",
                          "measurement.apertures=[300]")
        assert done.returncode == 0, done.stderr
        with fits.open(tmp_path / name / "new.diff.cat.fits") as hdus:
            cards[name] = [str(card) for card in hdus[1].header.cards if card.keyword not in ("HISTORY", "CHECKSUM")]
            cards[name].append(hdus[1].data.tobytes())
    assert cards["none"] == cards["alerts"]
    assert min(alert["candidate"]["mindtoedge"] for alert in alerts_of(tmp_path / "alerts")) < 150


READ = """
import json, sys
import fastavro, gzip, io, numpy as np, pyarrow.parquet as pq
from astropy.io import fits
with open(sys.argv[1] + '.avro', 'rb') as file:
    reader = fastavro.reader(file)
    alerts = list(reader)
    assert reader.codec == 'null' and 'srcextract.config' in reader.metadata
table = pq.read_table(sys.argv[1] + '.parquet')
assert table.num_rows == len(alerts)
names = [field['name'] for field in reader.writer_schema['fields'][4]['type']['fields']]
for name in names:
    column = table['candid' if name == 'candid' else 'candidate_' + name].to_pylist()
    for value, alert in zip(column, alerts):
        expected = alert['candidate'][name]
        assert value == expected or (expected is None and (value == '' or value != value)), (name, value, expected)
for kind in ('cutoutScience', 'cutoutTemplate', 'cutoutDifference'):
    assert table.schema.field(kind).metadata[b'shape'] == b'[63, 63]'
    for pixels, alert in zip(table[kind].to_numpy(), alerts):
        stamp = fits.getdata(io.BytesIO(gzip.decompress(alert[kind]['stampData'])))
        np.testing.assert_array_equal(np.reshape(pixels, (63, 63)), stamp)
"""


def read_elsewhere(directory):
    if READERS is None:
        pytest.skip("SRCEXTRACT_READERS_PYTHON names no Python that has tests/support/readers.txt")
    done = subprocess.run([READERS, "-c", READ, directory / "new.diff.alerts"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_other_readers_find_the_same(made):
    read_elsewhere(made)


def test_what_is_not_known_is_null(program, tmp_path):
    """No date, no sky, a kernel of Gaussians."""
    images, _ = frames()
    new = np.roll(images[0], -SHIFT, axis=1)
    settings = ["difference.align=none", "difference.kernel=gaussian"]
    done = difference(program, tmp_path / "a", *settings, headers={}, images=(new, images[1]))
    assert done.returncode == 0, done.stderr
    alerts = [alert["candidate"] for alert in alerts_of(tmp_path / "a")]
    assert alerts and any(told["magap"] is not None for told in alerts)
    for name in ("jd", "exptime", "filter", "ra", "dec", "magpsf", "sigmapsf", "chipsf", "scorr", "seeratio", "DIPOLE",
                 "diffmaglim"):
        assert all(told[name] is None for told in alerts), name
    assert all(told["sumrat"] is not None for told in alerts)


def test_no_change_makes_no_alert(program, tmp_path):
    done = difference(program, tmp_path, "detection.threshold=100000")
    assert done.returncode == 0, done.stderr
    assert alerts_of(tmp_path) == rows_of(tmp_path) == []
    read_elsewhere(tmp_path)


def test_a_survey_loses_no_alerts(program, tmp_path):
    (reference, new), _ = frames()
    for name, image in (("r", np.roll(reference, -SHIFT, axis=1)), ("n", new)):
        fits.writeto(tmp_path / f"{name}.fits", image, fits.Header(TAN))
    (tmp_path / "survey.csv").write_text("path,reference\nn.fits,r.fits\n")
    (tmp_path / "c.yaml").write_text("output: {formats: [csv], alerts: [avro]}\nextends: none\n")

    def batch():
        done = subprocess.run([program, "batch", "--backend", "cpu", tmp_path / "c.yaml", tmp_path / "survey.csv", "-o",
                               tmp_path / "out"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stderr

    batch()
    [alerts] = (tmp_path / "out").rglob("n.diff.alerts.avro")
    before = alerts.read_bytes()
    assert "1 done already" in batch()
    alerts.unlink()
    batch()
    assert alerts.read_bytes() == before


def test_alerts_without_a_reference_are_refused(program, tmp_path):
    done = subprocess.run([program, "--record", "-o", tmp_path, "--set", "output.alerts=[avro]", ROOT / "config/default.yaml",
                           ROOT / "data/sky.fits"], capture_output=True, text=True)
    assert done.returncode == 2 and not list(tmp_path.iterdir())
    assert "--set output.alerts" in done.stderr and "run srcextract difference" in done.stderr
