"""Surveys whose manifest names a detection image, or a table of positions, for each image: the same bytes as from the command
for one image, however often the run is killed; what changed beside an image is noticed; what fails is one image."""

import json
import os
import shutil
import signal
import time

import pytest

import survey_support as survey
from fits_files import TAN, hdu, write
from survey_beside import CONFIG, SANITIZED, SIDE, batch_runner, results, run_single, told, write_sky, write_table, write_weights


@pytest.fixture
def data(tmp_path):
    """Four images in two nights, three detection images, a map of weights, two tables, and a manifest: by its rows, what
    the command for one image is told of each."""
    (tmp_path / "c.yaml").write_text(CONFIG)
    below = tmp_path / "data"
    for seed, name in enumerate(("night1/a", "night1/b", "night2/a", "night2/c")):
        write_sky(below / f"{name}.fits", seed)
    for seed, name in enumerate(("night1/deep", "night2/deep", "chi2")):
        write_sky(below / f"{name}.fits", 10 + seed)
    write_weights(below / "w.fits", 0.01)
    for seed in (1, 2):
        write_table(below / f"known{seed}.csv", seed)
    (below / "survey.csv").write_text(MANIFEST)
    return below


MANIFEST = """path,name,detect,detect:weights.file,detect:weights.type,positions,detection.threshold
night1/a.fits,,night1/deep.fits,,,,
night1/b.fits,,night1/deep.fits,data/w.fits,weight,,4
night2/a.fits,,night2/deep.fits,,,,
night2/c.fits,,chi2.fits,,,,
night1/a.fits,,,,,known1.csv,
night2/c.fits,far/c.forced,,,,known2.csv,
night2/c.fits,plain/c.fits,,,,,
"""
# By what outputs are called after: what the command for one image is given, and what it calls them.
ROWS = {
    "night1/a": (["-d", "data/night1/deep.fits"], "data/night1/a.fits", "a"),
    "night1/b": (["-d", "data/night1/deep.fits", "--detect-set", "weights.file=data/w.fits", "--detect-set",
                  "weights.type=weight", "--set", "detection.threshold=4"], "data/night1/b.fits", "b"),
    "night2/a": (["-d", "data/night2/deep.fits"], "data/night2/a.fits", "a"),
    "night2/c": (["-d", "data/chi2.fits"], "data/night2/c.fits", "c"),
    "night1/a.forced": (["--positions", "data/known1.csv"], "data/night1/a.fits", "a.forced"),
    "far/c.forced": (["--positions", "data/known2.csv"], "data/night2/c.fits", "c.forced"),
    "plain/c": ([], "data/night2/c.fits", "c"),
}
NAMES = sorted(("night1/a.fits", "night1/b.fits", "night2/a.fits", "night2/c.fits", "night1/a.forced", "far/c.forced",
                "plain/c.fits"))
FOUND_ELSEWHERE = {"night1/a", "night1/b", "night2/a", "night2/c"}


@pytest.fixture
def batch(run, tmp_path):
    return batch_runner(run, tmp_path)


def test_the_bytes_of_the_command_for_one_image(run, batch, data, tmp_path):
    single, reports = run_single(run, tmp_path, ROWS)
    assert batch().did == NAMES
    made = results(tmp_path / "out")
    assert sorted(made) == sorted(single)
    assert [name for name in single if made[name] != single[name]] == []
    for stem, report in reports.items():
        mine = json.loads((tmp_path / "out" / f"{stem}.run.json").read_bytes())
        assert told(mine) == told(report), stem
        assert ("detection_image" in mine) == (stem in FOUND_ELSEWHERE)
        assert ("positions" in mine) == stem.endswith(".forced")
    assert len({single[f"{name}.cat.csv"] for name in ROWS}) == len(ROWS)  # or one would do for another


@pytest.mark.parametrize("options", [["--threads", 1], ["--threads", 3], ["--memory", "64M"], ["-v"]])
def test_whatever_it_runs_with(batch, data, tmp_path, options):
    batch()
    assert batch(*options, out="other").did == NAMES
    assert results(tmp_path / "other") == results(tmp_path / "out")


def test_shards_merge_to_the_same_catalogue(run, batch, data, tmp_path):
    """Of detection images: forced rows have other columns."""
    (data / "found.csv").write_text("".join(line + "\n" for line in MANIFEST.splitlines() if "known" not in line))
    batch(manifest="data/found.csv")
    for shard in ("1/2", "2/2"):
        batch("--shard", shard, out="shards", manifest="data/found.csv")
    for out in ("out", "shards"):
        assert run("merge", out, "-o", f"{out}.cat.fits").code == 0
    assert (tmp_path / "out.cat.fits").read_bytes() == (tmp_path / "shards.cat.fits").read_bytes()


def test_nothing_is_left_to_do(batch, data, tmp_path):
    batch()
    assert batch().did == []
    assert batch(manifest="../" + tmp_path.name + "/data/survey.csv").did == []
    os.rename(data / "survey.csv", data / "renamed.csv")
    assert batch(manifest=data / "renamed.csv").did == []


CHANGES = {
    "night1/deep.fits": ["night1/a.fits", "night1/b.fits"],
    "chi2.fits": ["night2/c.fits"],
    "w.fits": ["night1/b.fits"],
    "known1.csv": ["night1/a.forced"],
    "known2.csv": ["far/c.forced"],
}


@pytest.mark.parametrize("file", CHANGES)
def test_a_file_beside_that_changed_is_noticed(run, batch, data, tmp_path, file):
    batch()
    before = results(tmp_path / "out")
    size = (data / file).stat().st_size
    if file == "w.fits":
        write_weights(data / file, 0.1)
    elif file.endswith(".fits"):
        write_sky(data / file, 30)
    else:
        (data / file).write_text((data / file).read_text().replace(".", "1.", 1).replace("\ns", "\n", 1))
    assert (data / file).stat().st_size == size
    assert batch().did == CHANGES[file]
    after, (single, _) = results(tmp_path / "out"), run_single(run, tmp_path, ROWS)
    assert after == single and after != before
    assert batch().did == []


@pytest.mark.parametrize("edit", [("night2/deep.fits", "chi2.fits"), ("night2/deep.fits", ""), ("night2/deep.fits", "./night2/deep.fits")])
def test_another_name_is_another_file(batch, data, edit):
    batch()
    (data / "survey.csv").write_text(MANIFEST.replace(*edit))
    assert batch().did == ["night2/a.fits"]


@pytest.mark.parametrize("harm", ["missing", "cut short", "other shape", "other sky", "no image"])
def test_a_broken_detection_image_is_the_failure_of_its_image(run, batch, data, tmp_path, harm):
    single, _ = run_single(run, tmp_path, ROWS)
    path = data / "night2" / "deep.fits"
    whole = path.read_bytes()
    words = ["deep.fits"]
    if harm == "missing":
        path.unlink()
    elif harm == "cut short":
        path.write_bytes(whole[:9000])
    elif harm == "other shape":
        write_sky(path, 11, width=SIDE + 1)
        words += ["97 x 96", "96 x 96", "night2/a.fits", "detect:input.hdu"]
    elif harm == "other sky":
        write(path, hdu((SIDE, SIDE), values=survey.sky(11, SIDE, SIDE), **{**TAN, "CRVAL1": 151.0}))
        words += ["same sky", "night2/a.fits"]
    else:
        path.write_text("nothing of the kind")
    first = batch(code=6)
    assert first.did == NAMES
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("night2/a.fits", "input")
    assert all(word in row["reason"] for word in words), row["reason"]
    others = {name: content for name, content in single.items() if not name.startswith("night2/a.")}
    assert results(tmp_path / "out") == others
    assert batch(code=6).did == []
    path.write_bytes(whole)
    assert batch().did == ["night2/a.fits"]  # it has another time than that which failed
    assert results(tmp_path / "out") == single and survey.failures(tmp_path / "out") == []


@pytest.mark.parametrize("text", ["id,X_IMAGE,Y_IMAGE\ns,1,two\n", "id,X_IMAGE\ns,1\n", None])
def test_a_broken_table_is_the_failure_of_its_image(batch, data, tmp_path, text):
    if text is None:
        (data / "known1.csv").unlink()
    else:
        (data / "known1.csv").write_text(text)
    assert batch(code=6).did == NAMES
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("night1/a.forced", "input") and "data/known1.csv" in row["reason"]


# Images that take one thread some seconds; of each kind of row as many.
KINDS = [("night1/a.fits", "night1/deep.fits", "", ""), ("night2/a.fits", "chi2.fits", "", ""),
         ("night1/b.fits", "", "known1.csv", ""), ("", "night2/deep.fits", "", "night2/c.fits"), ("night2/c.fits", "", "", "")]
MANY = 200 if SANITIZED else 4000


def test_a_run_that_is_killed_goes_on_to_the_same_bytes(run, data, tmp_path):
    """Before its journal has a record, and after. What was under way is tried by itself, with its files."""
    rows = [f"{path},n{i:04},{detect},{table},{band}" for i, (path, detect, table, band) in enumerate(KINDS * (MANY // 5))]
    (data / "many.csv").write_text("path,name,detect,positions,band:r\n" + "\n".join(rows) + "\n")
    command = ["c.yaml", "data/many.csv", "-o", "out", "--threads", "1"]
    out = tmp_path / "out"
    for attempt, wanted in enumerate(("n0010.run.json", 1, 2)):
        process = survey.start(*command, cwd=tmp_path, log=tmp_path / f"log{attempt}")
        known = len(survey.records(out / "journal.jsonl"))

        def is_there():
            if isinstance(wanted, str):
                return (out / wanted).exists()
            return len(survey.records(out / "journal.jsonl")) > known

        while process.poll() is None and not is_there():
            time.sleep(0.002)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    done = run("batch", *command)
    assert done.code == 0 and "first, in processes of their own" in done.err, done.err
    plan = survey.planned(done.err)
    assert plan["done"] > 10 and plan["to_do"] + plan["done"] == MANY and plan["changed"] == 0
    assert sorted(survey.done(out / "journal.jsonl")) == [f"n{i:04}" for i in range(MANY)]
    options = [[word for option, file in (("-d", detect), ("--positions", table), ("--band", f"r=data/{band}" if band else ""))
                for word in (option, file if option == "--band" else f"data/{file}") if file] for _, detect, table, band in KINDS]
    single, _ = run_single(run, tmp_path, {
        f"n{i:04}": (options[i], f"data/{path}" if path else None,
                     "deep.bands" if band else path[-6] + (".forced" if table else ""))
        for i, (path, _, table, band) in enumerate(KINDS)})
    made = results(out)
    assert len(made) == 3 * MANY
    for name, content in made.items():
        assert content == single[f"n{int(name[1:5]) % len(KINDS):04}{name[5:]}"], name


@pytest.mark.skipif(SANITIZED, reason="sanitizers: they want to be loaded before any other library")
def test_a_detection_image_that_ends_the_program_is_one_failure(run, batch, data, tmp_path):
    """Whatever was under way beside it is tried by itself, with its files, and so is what it ended."""
    single, _ = run_single(run, tmp_path, ROWS)
    os.rename(data / "night2/deep.fits", data / "night2/deep.crash-segv.fits")
    (data / "survey.csv").write_text(MANIFEST.replace("night2/deep", "night2/deep.crash-segv"))
    harmful = {"LD_PRELOAD": os.environ["SRCEXTRACT_DEEDS"]}
    batch("--threads", 4, code=-signal.SIGSEGV, env=harmful)
    assert "first, in processes of their own" in batch("--threads", 4, code=6, env=harmful).err
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("night2/a.fits", "crash")
    assert results(tmp_path / "out") == {name: content for name, content in single.items()
                                         if not name.startswith("night2/a.")}


def test_every_extension_has_its_own(run, batch, data, tmp_path):
    survey.write_extensions(data / "mef.fits", (1, 2, 3))
    survey.write_extensions(data / "deep.fits", (4, 5, 6))
    (data / "survey.csv").write_text("path,detect,input.hdu\nmef.fits,deep.fits,all\n")
    assert len(batch().did) == 3
    done = run("-d", "data/deep.fits", "--set", "input.hdu=all", "c.yaml", "data/mef.fits", "-o", "single")
    assert done.code == 0, done.err
    assert results(tmp_path / "out") == results(tmp_path / "single")


@pytest.mark.parametrize("packed", [False, True])
def test_memory_is_planned_for_both_images(run, batch, data, tmp_path, packed):
    """With so much as one image needs, the one that has another beside it fails, and the other does not."""
    write_sky(data / "large.fits", 1, width=600, height=600)
    deep = write_sky(data / "large_deep.fits", 2, width=600, height=600)
    if packed:
        import gzip
        (data / "large_deep.fits.gz").write_bytes(gzip.compress(deep.read_bytes()))
    (data / "survey.csv").write_text("path,name,detect\nlarge.fits,alone,\nlarge.fits,beside,large_deep.fits"
                                     f"{'.gz' if packed else ''}\n")
    least = {}
    for name in ("alone", "beside"):
        low, high = 100_000, 100_000_000
        while high - low > 50_000:
            middle = (low + high) // 2
            run("batch", "-q", "c.yaml", "data/survey.csv", "-o", "out", "--memory", middle, "--retry-failed", "--force")
            if name in survey.done(tmp_path / "out/journal.jsonl"):
                high = middle
            else:
                low = middle
        least[name] = high
    assert least["beside"] > least["alone"] + 600 * 600 * (4 if packed else 1)
    batch("--memory", (least["alone"] + least["beside"]) // 2, "--force", code=6)
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("beside", "memory")


def test_positions_that_are_more_than_memory_has_room_for(batch, data, tmp_path):
    (data / "known1.csv").write_text("X_IMAGE,Y_IMAGE\n" + "5.5,7.25\n" * 100_000)
    (data / "survey.csv").write_text("path,positions\nnight1/a.fits,known1.csv\nnight2/a.fits,known2.csv\n")
    batch("--memory", "4M", code=6)
    (row,) = survey.failures(tmp_path / "out")
    assert (row["image"], row["kind"]) == ("night1/a.forced", "memory")
    assert "rows of this table, or more, need about" in row["reason"] and "--memory" in row["reason"]
    assert batch("--retry-failed").did == ["night1/a.forced"]


REFUSED = {
    "capitals": ("path,Detect\na.fits,b.fits\n", ":1: ", ["'Detect'", "write 'detect'"]),
    "typo in a column": ("path,detec\na.fits,b.fits\n", ":1: ", ["'detec'", "write 'detect'"]),
    "a column twice": ("path,detect,detect\na.fits,b.fits,c.fits\n", ":1: ", ["'detect'"]),
    "semicolons": ("path;detect\na.fits;b.fits\n", ":1: ", ["';'", "commas"]),
    "one position": ("path,position\na.fits,p.csv\n", ":1: ", ["'position'", "write 'positions'"]),
    "both": ("path,detect,positions\na.fits,b.fits,p.csv\n", ":2: ", ["leave `detect` or `positions` empty"]),
    "key of all": ("path,detect,detect:detection.threshold\na.fits,b.fits,3\n", ":1: ", ["detect:detection.threshold: ", "weights"]),
    "typo": ("path,detect,detect:weights.fiel\na.fits,b.fits,w.fits\n", ":1: ", ["did you mean 'file'"]),
    "no key": ("path,detect,detect:weights\na.fits,b.fits,w.fits\n", ":1: ", ["detect:section.key"]),
    "no detection image": ("path,detect,detect:input.hdu\na.fits,b.fits,1\na.fits,,2\n", ":3: ", ["detect:input.hdu=2"]),
    "bad value": ("path,detect,detect:background.mesh_size\na.fits,b.fits,many\n", ":2: ", ["detect:background.mesh_size=many"]),
    "no use": ("path,detect,detect:weights.file\na.fits,b.fits,w.fits\n", ":2: ", ["detect:weights.file=w.fits", "weights.type"]),
    "sign": ("path,detect,detection.sign\na.fits,b.fits,both\n", ":2: ", ["detection.sign", "`detect`"]),
    "label map": ("path,positions,output.segmentation\na.fits,p.csv,true\n", ":2: ", ["output.segmentation", "`positions`"]),
    "twice": ("path,name,detect\na.fits,x,b.fits\na.fits,x,c.fits\n", ": ", ["survey.csv:2", "survey.csv:3", "two detection images"]),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_makes_no_sense_is_said_with_its_line(run, tmp_path, kind):
    text, place, words = REFUSED[kind]
    (tmp_path / "c.yaml").write_text(CONFIG)
    (tmp_path / "survey.csv").write_text(text)
    for name in "abc":
        write_sky(tmp_path / f"{name}.fits", 1)
    done = run("batch", "c.yaml", "survey.csv", "-o", "out")
    assert done.code == 2 and (place == ": " or f"survey.csv{place}" in done.err), done.err
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["-q"]])
def test_columns_of_the_users_own_are_named_and_change_nothing(run, batch, data, tmp_path, options):
    (data / "survey.csv").write_text("exposure,path,observer,date\n30,night1/a.fits,Messier,1781-04-13\n")
    said = batch(*options).err
    assert said.count("'exposure', 'observer', 'date'") == (0 if "-q" in options else 1), said
    if options != ["--dry-run"]:
        single, _ = run_single(run, tmp_path, {"night1/a": ([], "data/night1/a.fits", "a")})
        assert results(tmp_path / "out") == single


def test_a_key_that_detection_images_alone_use_is_of_use(batch, data, tmp_path):
    """weights.file of CONFIG is of no use to an image without weights.type, which the manifest gives the detection image."""
    (tmp_path / "c.yaml").write_text(CONFIG + "weights:\n  file: data/w.fits\n")
    (data / "survey.csv").write_text("path,detect\nnight1/a.fits,night1/deep.fits\n")
    assert "weights.file" in batch(code=2).err
    (data / "survey.csv").write_text("path,detect,detect:weights.type\nnight1/a.fits,night1/deep.fits,weight\n")
    batch()
    report = json.loads((tmp_path / "out/night1/a.run.json").read_bytes())
    assert report["detection_image"]["weights"]["path"] == "data/w.fits" and "weights" not in report


@pytest.mark.parametrize("column, source, output", [("detect", "chi2.fits", "a.cat.fits"),
                                                    ("positions", "known1.csv", "a.forced.cat.csv")])
def test_a_file_beside_that_is_called_like_an_output_is_never_replaced(batch, data, tmp_path, column, source, output):
    (tmp_path / "out/night1").mkdir(parents=True)
    kept = shutil.copy(data / source, tmp_path / "out/night1" / output)
    (data / "survey.csv").write_text(f"path,{column}\nnight1/a.fits,{kept}\n")
    batch(code=6)
    (row,) = survey.failures(tmp_path / "out")
    assert row["kind"] == "config" and "would replace" in row["reason"]
    assert kept.read_bytes() == (data / source).read_bytes()


def test_one_table_of_all_is_one_image_each(run, batch, data, tmp_path):
    """From several threads."""
    (data / "survey.csv").write_text("path,name,positions\n" + "".join(
        f"night{1 + i % 2}/a.fits,n{i}.forced,known{1 + i // 20}.csv\n" for i in range(40)))
    batch("--threads", 4)
    single, _ = run_single(run, tmp_path, {
        f"n{i}.forced": (["--positions", f"data/known{1 + i // 20}.csv"], f"data/night{1 + i % 2}/a.fits", "a.forced")
        for i in (0, 1, 20, 21)})
    made = results(tmp_path / "out")
    for i in range(40):
        for ending in ("csv", "fits", "reg"):
            name = ".reg" if ending == "reg" else f".cat.{ending}"
            assert made[f"n{i}.forced{name}"] == single[f"n{i % 2 + i // 20 * 20}.forced{name}"]
