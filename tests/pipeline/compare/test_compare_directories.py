"""`srcextract compare`: two directories, file by file."""

import gzip
import json
import resource
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

FEW = "NUMBER,X_IMAGE,Y_IMAGE,FLUX_ISO\n" + "".join(f"{i},{i}.5,{2 * i},{100 * i}\n" for i in range(1, 31))
OTHER = FEW.replace("30,30.5,60,3000\n", "")


@pytest.fixture
def folders(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir(), new.mkdir()
    return old, new


def fill(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def lines_of(done):
    """What stdout says of each file, by its name: the verdict and the reasons."""
    verdicts, name = {}, None
    for line in done.out.partition("\n\n")[0].splitlines():
        if line.startswith(("within ", "BEYOND ")):
            verdict, name = line.split()[:2]
            verdicts[name] = [verdict]
        else:
            verdicts[name].append(line.strip())
    return verdicts


def test_files_are_paired_by_stem_whatever_their_format(compare, folders, own):
    old, new = folders
    fill(old, m31_csv=FEW, m33_cat_csv=FEW)
    fill(new, m31_cat_csv=FEW, m33_csv=OTHER)
    shutil.copy(own / "sky.cat.fits", old)
    (new / "sky.cat.ecsv.gz").write_bytes(gzip.compress((own / "sky.cat.ecsv").read_bytes()))
    done = compare(old, new)
    found = lines_of(done)
    assert done.code == 5 and done.out.endswith("\n2 of 3 catalogues within the rules\n")
    assert {name: lines[0] for name, lines in found.items()} == {"m31": "within", "m33": "BEYOND", "sky": "within"}
    assert len(found["m33"]) >= 2 and found["m33"][1].startswith("sources: 1 were lost")


def test_the_same_format_is_preferred(compare, folders, own):
    """Of several new formats of one stem; those that the reference does not have are not read."""
    old, new = folders
    shutil.copy(own / "sky.cat.csv", old)
    shutil.copy(own / "sky.cat.csv", new)
    (new / "sky.cat.ecsv").write_text("no catalogue")
    done = compare(old, new, "--json", "-")
    (file,) = json.loads(done.out)["files"]
    assert done.code == 0
    assert (file["reference"], file["new"]) == (str(old / "sky.cat.csv"), str(new / "sky.cat.csv"))


def test_every_file_of_the_reference_is_compared(compare, folders):
    old, new = folders
    fill(old, a_csv=FEW, a_txt=FEW)
    fill(new, a_csv=FEW, a_txt=OTHER)
    done = compare(old, new)
    found = lines_of(done)
    assert done.code == 5 and found["a.csv"] == ["within"] and found["a.txt"][1].startswith("sources: 1 were lost")
    (new / "a.txt").unlink()
    assert lines_of(compare(old, new)) == {"a.csv": ["within"], "a.txt": ["within"]}


def test_nights_are_descended_into_and_the_summary_names_what_is_beyond(compare, folders, tmp_path):
    """As batch writes them: of one stem in two nights, and beside files that are no catalogues."""
    for folder in folders:
        for night in ("night1", "night2", "night2/late", ".hidden", "all.hats"):
            (folder / night).mkdir()
            fill(folder / night, m31_cat_csv=FEW, m31_run_json="{}")
        fill(folder, m33_csv=FEW, failures_csv="image,hdu,path,kind,reason\n")
        (folder / "failures.1-of-2.csv").write_text("image,hdu,path,kind,reason\n")
    assert list(lines_of(compare(*folders))) == ["m33", "night1/m31", "night2/late/m31", "night2/m31"]
    assert compare(*folders).out.endswith("\n\n4 of 4 catalogues within the rules\n")
    fill(folders[1] / "night2", m31_cat_csv=OTHER, new_csv=FEW)
    done = compare(*folders)
    assert done.code == 5 and lines_of(done)["night2/m31"][1].startswith("sources: 1 were lost")
    assert done.out.endswith("\nbeyond the rules: night2/m31, night2/new\n3 of 5 catalogues within the rules\n")
    for folder in folders:
        (folder / "night2/loop").symlink_to(folder)
        (folder / "far").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    fill(tmp_path / "elsewhere", m1_csv=FEW)
    assert list(lines_of(compare(*folders))) == ["far/m1", *lines_of(done)]


def test_an_update_puts_catalogues_into_their_nights(compare, run, folders):
    for folder in folders:
        (folder / "night1").mkdir()
        fill(folder / "night1", a_csv=FEW)
    (folders[1] / "night2").mkdir()
    fill(folders[1] / "night1", a_csv=OTHER)
    fill(folders[1] / "night2", a_csv=FEW)
    assert run("compare", *folders, "--update", "better").code == 0
    assert (folders[0] / "night1/a.csv").read_text() == OTHER and (folders[0] / "night2/a.csv").read_text() == FEW
    assert compare(*folders).code == 0


def test_notes_are_told_once(compare, folders, tmp_path):
    old, new = folders
    for folder in folders:
        fill(folder, a_csv=FEW, b_csv=FEW)
    (tmp_path / "rules.yaml").write_text("columns: {FLUXX*: {bias: 0.2}}\n")
    done = compare(old, new, "rules.yaml")
    (line,) = [line for line in done.out.splitlines() if "FLUXX*" in line]
    assert done.code == 0 and line.startswith("a and 1 more: the rule for FLUXX*")


def test_what_is_no_catalogue_is_left_alone(compare, folders, own):
    old, new = folders
    shutil.copy(own / "sky.cat.fits", old)
    shutil.copy(own / "sky.cat.fits", new)
    for folder in folders:
        (folder / "sky.seg.fits").write_bytes(b"a segmentation")
        (folder / "sky.fits").write_bytes(b"an image")
        (folder / "sky.run.json").write_text("{}")
        (folder / "sky.reg").write_text("image\n")
        (folder / "sky.cat.csv.log").write_text("why\n")
        (folder / ".hidden.csv").write_text("no catalogue")
        (folder / "sub.csv").mkdir()
    done = compare(old, new)
    assert done.code == 0 and list(lines_of(done)) == ["sky"]


def test_a_missing_counterpart_is_beyond_the_rules(compare, folders):
    old, new = folders
    fill(old, a_csv=FEW, b_csv=FEW)
    fill(new, b_csv=FEW, c_csv=FEW)
    done = compare(old, new)
    assert done.code == 5
    assert lines_of(done) == {"a": ["BEYOND", "the new directory has no catalogue of this name"],
                              "b": ["within"],
                              "c": ["BEYOND", "the reference has no catalogue of this name"]}


def test_an_unreadable_file_is_a_failure_of_its_own(run, folders):
    old, new = folders
    fill(old, a_csv=FEW, b_csv=FEW, c_csv=FEW)
    fill(new, a_csv=FEW, b_csv=FEW[:-3] + ",\n", c_csv=FEW)
    done = run("compare", old, new)
    found = lines_of(done)
    assert done.code == 3 and done.out.endswith("\n2 of 3 catalogues within the rules\n")
    assert [found[name][0] for name in "abc"] == ["within", "BEYOND", "within"]
    assert found["b"][1].startswith(str(new / "b.csv"))


def test_reports_hold_every_file(run, folders, tmp_path):
    old, new = folders
    fill(old, a_csv=FEW, b_csv=FEW, c_csv=FEW)
    fill(new, a_csv=OTHER, b_csv="")
    run("compare", old, new, "--json", "all.json", "--junit", "all.xml")
    files = json.loads((tmp_path / "all.json").read_text())["files"]
    assert [file["name"] for file in files] == ["a", "b", "c"]
    assert [("failure" in file, file["verdict"]) for file in files] == [(False, "beyond"), (True, "beyond"),
                                                                        (True, "beyond")]
    suites = ElementTree.parse(tmp_path / "all.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["a", "b", "c"]
    for suite in suites:
        broken = [case for case in suite if len(case) > 0]
        assert len(broken) == int(suite.get("failures")) + int(suite.get("errors")) > 0
    for counted in ("tests", "failures", "errors"):
        assert sum(int(suite.get(counted)) for suite in suites) == int(suites.get(counted)), counted
    # b is empty, which is an error; that there is no c is a failure.
    assert [(suite.get("errors"), len(list(suite.iter("error")))) for suite in suites] == [("0", 0), ("1", 1), ("0", 0)]
    assert suites[1].find("testcase/error").get("message").startswith(str(new / "b.csv"))
    assert [suite.get("failures") for suite in suites][1:] == ["0", "1"]


def test_verbose_has_the_table_of_every_file(compare, folders):
    old, new = folders
    fill(old, a_csv=FEW, b_csv=FEW)
    fill(new, a_csv=FEW, b_csv=FEW)
    assert compare(old, new, "-v").out.count("\n  FLUX_ISO ") == 2
    assert compare(old, new).out.count("FLUX_ISO") == 0


@pytest.mark.parametrize("arguments, message", [
    (["old", "nowhere"], "error: nowhere: there is no file or directory of this name"),
    (["old", "new/a.csv"], "old is a directory and new/a.csv is not"),
    (["old/a.csv", "new"], "new is a directory and old/a.csv is not"),
    (["old", "new", "--matched", "both.csv"], "--matched is for two catalogues"),
])
def test_what_fits_no_directory_is_a_usage_error(run, folders, arguments, message):
    fill(folders[0], a_csv=FEW)
    fill(folders[1], a_csv=FEW)
    done = run("compare", *arguments)
    assert done.code == 2 and done.out == "" and message in done.err


def test_a_directory_without_catalogues_is_an_error(run, folders):
    fill(folders[1], a_csv=FEW)
    done = run("compare", *folders)
    assert done.code == 3 and done.out == "" and f"{folders[0]}: holds no catalogue" in done.err


def test_more_files_than_a_process_may_have_open(run, folders):
    for folder in folders:
        for i in range(100):
            (folder / f"field{i}.csv").write_text(FEW)
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))}
    done = run("compare", *folders, "--update", "nothing has changed", **few)
    assert done.code == 0, done.err
    assert "100 of 100 catalogues within the rules" in done.out
