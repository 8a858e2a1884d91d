"""Surveys whose manifest names bands: of each row one catalogue, with the bytes of `srcextract -d DETECT CONFIG --band
NAME=FILE...`, however often the run is killed; what changed in a band is noticed; what fails is one row."""

import json
import os
import signal

import pytest

import survey_support as survey
from fits_files import TAN, hdu, write
from survey_beside import CONFIG, SANITIZED, SIDE, batch_runner, results, run_single, told, write_sky, write_weights

MANIFEST = """path,name,detect,band:g,band:r,band:g:measurement.zero_point,band:r:weights.file,band:r:weights.type,detect:background.mesh_size,detection.threshold
,,night1/deep.fits,night1/g.fits,night1/r.fits,26,,,,
,,night2/deep.fits,night2/g.fits,night2/r.fits,26.5,data/w.fits,weight,48,4
,two/only.fits,night2/deep.fits,,night2/r.fits,,,,,
night1/r.fits,,night1/deep.fits,,,,,,,
night1/g.fits,,,,,,,,,
"""
BANDS1 = ["--band", "g=data/night1/g.fits", "--band", "r=data/night1/r.fits", "--band-set", "g:measurement.zero_point=26"]
BANDS2 = ["--band", "g=data/night2/g.fits", "--band", "r=data/night2/r.fits", "--band-set", "g:measurement.zero_point=26.5",
          "--band-set", "r:weights.file=data/w.fits", "--band-set", "r:weights.type=weight", "--detect-set",
          "background.mesh_size=48", "--set", "detection.threshold=4"]
ROWS = {
    "night1/deep.bands": (["-d", "data/night1/deep.fits", *BANDS1], None, "deep.bands"),
    "night2/deep.bands": (["-d", "data/night2/deep.fits", *BANDS2], None, "deep.bands"),
    "two/only": (["-d", "data/night2/deep.fits", "--band", "r=data/night2/r.fits"], None, "deep.bands"),
    "night1/r": (["-d", "data/night1/deep.fits"], "data/night1/r.fits", "r"),
    "night1/g": ([], "data/night1/g.fits", "g"),
}
NAMES = sorted(("night1/deep.bands", "night2/deep.bands", "two/only.fits", "night1/r.fits", "night1/g.fits"))


@pytest.fixture
def data(tmp_path):
    (tmp_path / "c.yaml").write_text(CONFIG)
    below = tmp_path / "data"
    for night in (1, 2):
        for seed, name in enumerate(("deep", "g", "r")):
            write_sky(below / f"night{night}/{name}.fits", 5 * night + seed)
    write_weights(below / "w.fits", 0.01)
    (below / "survey.csv").write_text(MANIFEST)
    return below


@pytest.fixture
def batch(run, tmp_path):
    return batch_runner(run, tmp_path)


def test_the_bytes_of_the_command_with_bands(run, batch, data, tmp_path):
    single, reports = run_single(run, tmp_path, ROWS)
    assert batch().did == NAMES
    made = results(tmp_path / "out")
    assert sorted(made) == sorted(single)
    assert [name for name in single if made[name] != single[name]] == []
    for stem, report in reports.items():
        mine = json.loads((tmp_path / "out" / f"{stem}.run.json").read_bytes())
        bands = [[{key: value for key, value in band.items() if key != "steps"} for band in one.pop("bands", [])]
                 for one in (mine, report)]
        assert bands[0] == bands[1] and told(mine) == told(report), stem
    header = made["night1/deep.bands.cat.csv"].split(b"\n")[0]
    assert b"FLUX_AUTO_g" in header and b"FLUX_AUTO_r" in header and b"FLUX_AUTO_g" not in made["two/only.cat.csv"]
    assert batch().did == []


@pytest.mark.parametrize("options", [["--threads", 1], ["--threads", 4], ["--memory", "64M"], ["--shard", "1/1"], ["-v"]])
def test_whatever_it_runs_with(batch, data, tmp_path, options):
    batch()
    assert batch(*options, out="other").did == NAMES
    assert results(tmp_path / "other") == results(tmp_path / "out")


def test_the_journal_says_what_was_found(run, batch, data, tmp_path):
    batch()
    entry = survey.last_words(tmp_path / "out/journal.jsonl")["night1/deep.bands", None]
    report = json.loads((tmp_path / "out/night1/deep.bands.run.json").read_bytes())
    assert entry["path"].endswith("night1/deep.fits") and entry["sources"] == report["sources"] > 0
    assert entry["datasum"] == report["detection_image"]["datasum"]
    assert sorted(entry["outputs"]) == [f"night1/deep.bands.{name}" for name in ("cat.csv", "cat.fits", "reg", "run.json")]
    (data / "survey.csv").write_text("".join(line + "\n" for line in MANIFEST.splitlines()[:3]))
    batch(out="of_bands")
    assert run("merge", "of_bands", "-o", "all.cat.fits").code == 0
    assert b"FLUX_AUTO_g" in (tmp_path / "all.cat.fits").read_bytes()


def test_rows_of_several_kinds_are_told_of_before_they_cannot_be_merged(run, batch, data):
    """By the warning, each kind in a DIR of its own, and that is merged."""
    rows = [",night1/deep.fits,night1/g.fits,night1/r.fits,", ",night2/deep.fits,night2/g.fits,night2/r.fits,",
            "night1/r.fits,night1/deep.fits,,,", "night2/r.fits,,,,", ",night1/r.fits,night1/g.fits,,",
            "night1/g.fits,,,,known.csv"]
    (data / "known.csv").write_text("X_IMAGE,Y_IMAGE\n20,30\n")

    def extract(*chosen):
        (data / "survey.csv").write_text("path,detect,band:g,band:r,positions\n" + "".join(rows[i] + "\n" for i in chosen))
        out = "out" + "".join(map(str, chosen))
        return batch(out=out).err, run("merge", out, "-o", out + ".cat.fits")

    for same in ((0, 1), (2, 3), (4,), (5,)):
        said, merged = extract(*same)
        assert "different columns" not in said and merged.code == 0, said + merged.err
    kinds = {0: "with g+r", 2: "without bands", 4: "with g", 5: "at given positions"}
    for mixed in ((0, 4), (2, 0), (2, 5), (4, 5), (0, 2, 4, 5)):
        said, merged = extract(*mixed)
        assert said.count("different columns") == 1 and all(kinds[i] + " ('" in said for i in mixed), said
        assert merged.code == 2 and "has no column" in merged.err, merged.err
        assert "different bands" in merged.err and "DIR of its own" in merged.err, merged.err


@pytest.mark.parametrize("file, did", [("night1/deep.fits", ["night1/deep.bands", "night1/r.fits"]),
                                       ("night1/g.fits", ["night1/deep.bands", "night1/g.fits"]),
                                       ("night2/r.fits", ["night2/deep.bands", "two/only.fits"]),
                                       ("w.fits", ["night2/deep.bands"])])
def test_a_file_of_a_band_that_changed_is_noticed(run, batch, data, tmp_path, file, did):
    batch()
    size = (data / file).stat().st_size
    if file == "w.fits":
        write_weights(data / file, 0.1)
    else:
        write_sky(data / file, 30)
    assert (data / file).stat().st_size == size
    assert batch().did == did
    assert results(tmp_path / "out") == run_single(run, tmp_path, ROWS)[0]


def test_another_key_of_a_band_is_another_configuration(batch, data):
    batch()
    (data / "survey.csv").write_text(MANIFEST.replace("r.fits,26,", "r.fits,27,"))
    assert batch().did == ["night1/deep.bands"]


@pytest.mark.parametrize("harm", ["missing", "cut short", "other shape", "other sky"])
@pytest.mark.parametrize("file", ["r", "deep"])
def test_a_broken_file_is_the_failure_of_its_row(run, batch, data, tmp_path, harm, file):
    single, _ = run_single(run, tmp_path, ROWS)
    path = data / "night2" / f"{file}.fits"
    whole = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "cut short":
        path.write_bytes(whole[:9000])
    elif harm == "other shape":
        write_sky(path, 11, width=SIDE + 1)
    else:
        write(path, hdu((SIDE, SIDE), values=survey.sky(11, SIDE, SIDE), **{**TAN, "CRVAL1": 151.0}))
    assert batch(code=6).did == NAMES
    broken = {row["image"]: row for row in survey.failures(tmp_path / "out")}
    assert sorted(broken) == ["night2/deep.bands", "two/only.fits"]
    for row in broken.values():
        assert row["kind"] == "input" and f"night2/{file}.fits" in row["reason"], row
        assert ("band r: " in row["reason"]) or file == "deep"
    assert results(tmp_path / "out") == {name: content for name, content in single.items()
                                         if not name.startswith(("night2/deep", "two/"))}
    path.write_bytes(whole)
    assert batch().did == sorted(broken)
    assert results(tmp_path / "out") == single and survey.failures(tmp_path / "out") == []


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they want to be loaded before any other library")
def test_what_was_under_way_is_tried_by_itself(run, batch, data, tmp_path):
    """A band ends the program; its row is a failure, and the others, with their bands, are done."""
    single, _ = run_single(run, tmp_path, ROWS)
    os.rename(data / "night1/g.fits", data / "night1/g.crash-kill.fits")
    (data / "survey.csv").write_text(MANIFEST.replace("night1/g", "night1/g.crash-kill"))
    harmful = {"LD_PRELOAD": os.environ["SRCEXTRACT_DEEDS"]}
    codes = [batch("--threads", 5, code=-signal.SIGKILL, env=harmful).code]
    while codes[-1] < 0 and len(codes) < 5:
        codes.append(run("batch", "c.yaml", "data/survey.csv", "-o", "out", "--threads", 5, env=harmful).code)
    assert codes[-1] == 6
    assert sorted(row["image"] for row in survey.failures(tmp_path / "out")) == ["night1/deep.bands",
                                                                              "night1/g.crash-kill.fits"]
    assert results(tmp_path / "out") == {name: content for name, content in single.items()
                                         if not name.startswith(("night1/deep.bands", "night1/g."))}


@pytest.mark.parametrize("packed", [False, True])
def test_memory_is_planned_for_all_bands(run, batch, data, tmp_path, packed):
    """What is too little for the bands, gzipped all at once in memory, is enough for one image. Those that are not
    gzipped go by rows, the detection image and a band at a time."""
    import gzip
    ending = "fits.gz" if packed else "fits"
    for name in ("deep", "g", "r"):
        path = write_sky(data / f"{name}.fits", 1, width=600, height=600)
        if packed:
            path.with_suffix(".fits.gz").write_bytes(gzip.compress(path.read_bytes(), 1))
    (data / "survey.csv").write_text(f"path,name,detect,band:g,band:r\ng.{ending},alone,,,\n"
                                     f",bands,deep.{ending},g.{ending},r.{ending}\n")
    least = {}
    for name in ("alone", "bands"):
        low, high = 100_000, 100_000_000
        while high - low > 50_000:
            middle = (low + high) // 2
            run("batch", "-q", "c.yaml", "data/survey.csv", "-o", "out", "--memory", middle, "--force")
            if name in survey.done(tmp_path / "out/journal.jsonl"):
                high = middle
            else:
                low = middle
        least[name] = high
    assert least["bands"] > least["alone"] + 600 * 600 * (8 if packed else 1)
    batch("--memory", (least["alone"] + least["bands"]) // 2, "--force", code=6)
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("bands", "memory")
    done = run("-d", f"data/deep.{ending}", "c.yaml", "--band", f"g=data/g.{ending}", "--band", f"r=data/r.{ending}", "-o",
               "single", "--memory", least["bands"])
    assert done.code == 0, done.err


HEAD = "path,detect,band:g,band:r"
REFUSED = {
    "no detection image": (f"{HEAD}\n,,g.fits,r.fits\n", ":2: ", ["the column `detect`"]),
    "an image beside": (f"{HEAD}\na.fits,b.fits,g.fits,\n", ":2: ", ["'a.fits' is an image in a row with bands", "`path` empty"]),
    "positions": (f"{HEAD},positions\n,b.fits,g.fits,,p.csv\n", ":2: ", ["`positions`"]),
    "bands": ("path,detect,bands:g\na.fits,b.fits,g.fits\n", ":1: ", ["'bands:g'", "did you mean 'band:g'"]),
    "a colon": ("path,obs:date\na.fits,today\n", ":1: ", ["'obs:date'", "'band:NAME'"]),
    "a bad name": ("path,detect,band:g-r\n,b.fits,g.fits\n", ":1: ", ["'g-r'", "letter"]),
    "a name twice": ("path,detect,band:g,band:G\n,b.fits,g.fits,\n", ":1: ", ["'g' and 'G'"]),
    "settings of nobody": (f"{HEAD},band:z:measurement.gain\n,b.fits,g.fits,,2\n", ":1: ", ["'band:z:measurement.gain'", "'band:z'"]),
    "settings without a file": (f"{HEAD},band:r:measurement.gain\n,b.fits,g.fits,,2\n", ":2: ", ["band:r:measurement.gain=2", "`band:r`"]),
    "a key of the run": (f"{HEAD},band:g:detection.threshold\n,b.fits,g.fits,,2\n", ":1: ", ["band:g:detection.threshold", "--set"]),
    "the pixels' size": (f"{HEAD},band:g:measurement.pixel_scale\n,b.fits,g.fits,,2\n", ":1: ", ["pixels of DETECT"]),
    "no such key": (f"{HEAD},band:g:mask.fil\n,b.fits,g.fits,,2\n", ":1: ", ["unknown key 'fil'"]),
    "no key": (f"{HEAD},band:g:mask\n,b.fits,g.fits,,2\n", ":1: ", ["band:g:section.key"]),
    "no such word": (f"{HEAD},band:g:weights.type\n,b.fits,g.fits,,odd\n", ":2: ", ["band:g:weights.type=odd", "must be one of"]),
    "a picture": (f"{HEAD},output.quicklook\n,b.fits,g.fits,,true\n", ":2: ", ["output.quicklook", "`band:NAME`", "a row"]),
    "several HDUs of a band": (f"{HEAD},band:g:input.hdu\n,b.fits,g.fits,,all\n", ":2: ", ["band:g:input.hdu=all", "band:NAME:input.hdu"]),
    "several HDUs": (f"{HEAD},input.hdu\n,b.fits,g.fits,,all\n", ":2: ", ["may be several", "detect:input.hdu"]),
    "nothing to measure": ("detect,band:g\nb.fits,g.fits\nb.fits,\n", ":3: ", ["nothing to measure", "`path`, or a band"]),
    "no path at all": ("path,detect,band:g,name\n,b.fits,g.fits,\n,,,x\n", ":3: ", ["the path is empty"]),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_makes_no_sense_is_said_with_its_line(run, tmp_path, kind):
    text, place, words = REFUSED[kind]
    (tmp_path / "c.yaml").write_text(CONFIG)
    (tmp_path / "survey.csv").write_text(text)
    for name in "abgr":
        write_sky(tmp_path / f"{name}.fits", 1)
    done = run("batch", "c.yaml", "survey.csv", "-o", "out")
    assert done.code == 2 and f"survey.csv{place}" in done.err, done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_a_band_that_is_called_like_an_output_is_never_replaced(batch, data, tmp_path):
    (tmp_path / "out/night1").mkdir(parents=True)
    kept = tmp_path / "out/night1/deep.bands.cat.fits"
    kept.write_bytes((data / "night1/g.fits").read_bytes())
    (data / "survey.csv").write_text(f"detect,band:g\nnight1/deep.fits,{kept}\n")
    batch(code=6)
    (row,) = survey.failures(tmp_path / "out")
    assert row["kind"] == "config" and "would replace" in row["reason"]
    assert kept.read_bytes() == (data / "night1/g.fits").read_bytes()
