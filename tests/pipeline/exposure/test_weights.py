"""Maps of weights as a user gives them: in a file or an HDU, and those that cannot be used, of which every message begins
with the place in the configuration, and nothing is written."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, WIDTH, RESULTS, field, image_hdu, report, results, rows, steps, write_image
from fits_files import hdu, write


def ones():
    return np.ones((HEIGHT, WIDTH))


def holes():
    weights = ones()
    weights[10:14, 20:30] = 0
    weights[:, 40] = np.nan
    return weights


HOLES = 40 + HEIGHT


def refused(run, tmp_path, code, beginning, *words):
    before = sorted(tmp_path.rglob("*"))
    done = run("config.yaml", "sky.fits", "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == code, done.err
    assert len(errors) == 1 and errors[0].startswith("error: " + beginning), errors
    assert all(word in errors[0] for word in words), errors
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before] in ([], [tmp_path / "out"])


def test_a_map_in_a_file_or_an_hdu(extract, tmp_path):
    write_image(tmp_path / "plain.fits", field(1))
    write_image(tmp_path / "map.fits", holes())
    write(tmp_path / "both.fits", image_hdu(field(1)), image_hdu(holes(), primary=False, EXTNAME="WHT"))
    of_file = extract("a", f"weights: {{type: weight, file: map.fits}}\n{RESULTS}", "plain.fits")
    of_hdu = extract("b", f"weights: {{type: weight, hdu: wht}}\n{RESULTS}", "both.fits")
    of_number = extract("c", f"weights: {{type: weight, hdu: 1}}\n{RESULTS}", "both.fits")
    found = rows(of_file / "plain.cat.csv")
    assert len(found) == 10
    assert found == rows(of_hdu / "both.cat.csv") == rows(of_number / "both.cat.csv")
    for path, name, number in ((of_file / "plain.run.json", "map.fits", 0), (of_hdu / "both.run.json", "both.fits", 1)):
        told = report(path)
        assert told["counts"]["masked_weight"] == HOLES and told["counts"]["masked_nan"] == 0
        assert told["weights"]["path"].endswith(name) and told["weights"]["hdu"] == number
        assert "weights" in steps(told)


def test_what_a_map_masks_is_flagged_and_in_no_source(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1))
    flat = rows(extract("flat", f"{RESULTS}", "sky.fits") / "sky.cat.csv")
    star = flat[0]
    x, y = round(float(star["X_IMAGE"])) - 1, round(float(star["Y_IMAGE"])) - 1
    weights = ones()
    weights[y, x] = 0
    write_image(tmp_path / "map.fits", weights)
    out = extract("out", f"weights: {{type: weight, file: map.fits}}\n{RESULTS}", "sky.fits")
    near = [row for row in rows(out / "sky.cat.csv")
            if abs(float(row["X_IMAGE"]) - x - 1) < 2 and abs(float(row["Y_IMAGE"]) - y - 1) < 2]
    assert near and all(int(row["FLAGS"]) & 256 for row in near)
    assert sum(int(row["NPIX"]) for row in near) < int(star["NPIX"])


def test_a_map_of_ones_says_as_much_as_none(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "map.fits", ones() * 7)
    for method in ("constant", "mesh"):
        sky = f"background: {{method: {method}}}\n"
        none = extract(f"none_{method}", f"{sky}weights: {{type: none}}\n{RESULTS}", "sky.fits")
        for kind in ("weight", "variance"):
            one = extract(f"{kind}_{method}", f"{sky}weights: {{type: {kind}, file: map.fits}}\n{RESULTS}", "sky.fits")
            assert results(one)["sky.seg.fits"] == results(none)["sky.seg.fits"]
            for mine, other in zip(rows(one / "sky.cat.csv"), rows(none / "sky.cat.csv"), strict=True):
                for name in ("FLUX_ISO", "FLUXERR_ISO", "SNR", "THRESHOLD"):
                    assert float(mine[name]) == pytest.approx(float(other[name]), rel=1e-5)


def test_an_rms_map_is_taken_as_it_is(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1))
    rms = ones()
    rms[:, WIDTH // 2:] = 4
    write_image(tmp_path / "map.fits", rms)
    for kernel in ("none", "gaussian, sigma: 1"):
        out = extract("out" + kernel[:1], "weights: {type: rms, file: map.fits}\n"
                      f"convolve: {{kernel: {kernel}}}\n{RESULTS}", "sky.fits")
        sides = set()
        for row in rows(out / "sky.cat.csv"):
            left, right = int(row["XMIN_IMAGE"]) - 1, int(row["XMAX_IMAGE"]) - 1
            if left < WIDTH // 2 <= right:
                continue
            sigma = 1 if right < WIDTH // 2 else 4
            sides.add(sigma)
            assert float(row["FLUXERR_ISO"]) == pytest.approx(sigma * np.sqrt(int(row["NPIX"])), rel=1e-6)
            assert float(row["THRESHOLD"]) == pytest.approx(5 * sigma, rel=1e-6)
        assert sides == {1, 4}


def test_an_absolute_threshold_stays_one(extract, tmp_path):
    write_image(tmp_path / "sky.fits", field(1) - 20)
    rms = ones()
    rms[:, WIDTH // 2:] = 4
    write_image(tmp_path / "map.fits", rms)
    text = "background: {method: constant}\ndetection: {threshold: 9, threshold_unit: absolute}\n" + RESULTS
    plain = extract("plain", text, "sky.fits")
    mapped = extract("mapped", text + "weights: {type: rms, file: map.fits}\n", "sky.fits")
    assert results(plain)["sky.seg.fits"] == results(mapped)["sky.seg.fits"]
    errors = [{row["FLUXERR_ISO"] for row in rows(out / "sky.cat.csv")} for out in (plain, mapped)]
    assert errors[0] != errors[1]


def test_what_masks_a_pixel_says_whether_it_is_filled(extract, tmp_path):
    """`all` fills what the map, NaN or a mask leaves out; `variance` what the map does, where there is a value."""
    pixels, weights, mask = field(1), ones(), np.zeros((HEIGHT, WIDTH))
    weights[:, 30] = 0
    pixels[:, 12] = np.nan
    mask[:, 45] = 1
    for name, values in (("sky", pixels), ("map", weights), ("mask", mask)):
        write_image(tmp_path / f"{name}.fits", values)
    for kind, left in (("none", {12, 30, 45}), ("variance", {12, 45}), ("all", set())):
        for method in ("constant", "mesh"):
            out = extract(f"{kind}_{method}", f"background: {{method: {method}}}\nmask: {{file: mask.fits}}\n"
                          f"weights: {{type: weight, file: map.fits, interpolate: {kind}}}\n"
                          "output: {formats: [csv], check_images: [-background]}\n", "sky.fits")
            shown = fits.getdata(out / "sky.minus_background.fits")
            assert set(np.flatnonzero(np.isnan(shown).any(axis=0))) == left
            told = report(out / "sky.run.json")
            assert (told["counts"]["masked_weight"], told["counts"]["masked_nan"]) == (HEIGHT, HEIGHT)
            assert ("interpolate" in steps(told)) == (kind != "none")
            for x in (12, 30, 45) if kind == "all" else ():
                assert np.array_equal(shown[:, x], shown[:, x - 1])
            if kind == "variance" and method == "constant":
                assert np.ptp(shown[:, 30] - pixels[:, 30]) < 1e-4


@pytest.mark.parametrize("text, beginning, word", (
    ("weights: {type: weight}\n", "config.yaml:1:", "needs a map"),
    ("weights: {type: background, file: map.fits}\n", "config.yaml:1:", "has no use but with weights.type"),
    ("weights: {hdu: WHT}\n", "config.yaml:1:", "has no use but with weights.type"),
    ("weights: {threshold: 1}\n", "config.yaml:1:", "has no use but with weights.type"),
    ("weights: {type: rms, file: map.fits, threshold: -1}\n", "config.yaml:1:", "at least 0"),
    ("weights: {convolve: true}\n", "config.yaml:1:", "has no use but with weights.type"),
    ("weights: {interpolate: all}\n", "config.yaml:1:", "has no use but with weights.type"),
    ("weights: {type: rms, file: map.fits, interpolate_rows: 3}\n", "config.yaml:1:", "weights.interpolate variance"),
    ("weights: {type: rms, file: map.fits, interpolate: all, interpolate_rows: -1}\n", "config.yaml:1:", "at least 0"),
    ("weights: {type: rms, file: map.fits, interpolate: all, interpolate_rows: 2000}\n", "config.yaml:1:", "1000"),
))
def test_keys_that_do_not_go_together(run, configure, tmp_path, text, beginning, word):
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "map.fits", ones())
    configure(text)
    refused(run, tmp_path, 2, beginning, word)


@pytest.mark.parametrize("keys, beginning, words", (
    ("file: missing.fits", "config.yaml:2:9: missing.fits", ()),
    ("file: small.fits", "config.yaml:2:9: ", ("60 x 50", "61 x 50")),
    ("file: sky.txt", "config.yaml:2:9: ", ("sky.txt",)),
    ("file: map.fits\n  hdu: NONE", "config.yaml:3:8: ", ("NONE",)),
    ("hdu: 7", "config.yaml:2:8: ", ("7",)),
    ("hdu: 0", "config.yaml:2:8: ", ("the image itself",)),
))
def test_maps_that_cannot_be_used(run, configure, tmp_path, keys, beginning, words):
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "map.fits", ones())
    write_image(tmp_path / "small.fits", ones()[:, 1:])
    (tmp_path / "sky.txt").write_text("no image")
    configure(f"weights:\n  {keys}\n  type: weight\n")
    refused(run, tmp_path, 3, "sky.fits: " * (keys != "hdu: 0") + beginning, *words)


@pytest.mark.parametrize("kind", ("weight", "variance", "rms"))
@pytest.mark.parametrize("method", ("constant", "mesh"))
def test_a_map_of_zeros(run, configure, tmp_path, kind, method):
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "map.fits", 0 * ones())
    configure(f"background: {{method: {method}}}\nweights: {{type: {kind}, file: map.fits}}\n")
    refused(run, tmp_path, 3, "", "every pixel is masked", f"{WIDTH * HEIGHT} by the map of weights", "weights.hdu")


def test_a_map_that_ends_early(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "map.fits", ones())
    whole = (tmp_path / "map.fits").read_bytes()
    (tmp_path / "map.fits").write_bytes(whole[:-2880])
    configure("weights: {type: weight, file: map.fits}\n")
    refused(run, tmp_path, 3, "sky.fits: config.yaml:1:", "truncated")


def set_all(settings, option="--set"):
    return [part for setting in settings for part in (option, setting)]


GAUSSIAN = ["--set", "difference.kernel=gaussian"]
MAP = ["weights.type=weight", "weights.file=map.fits"]
NO_MAP_OF_A_FRAME = {
    "gaussian kernel": ([*GAUSSIAN, *set_all(MAP)], ["weights.type=weight: ", "set the kernel to fitted"]),
    "gaussian kernel, reference": ([*GAUSSIAN, *set_all(MAP, "--reference-set")],
                                   ["--reference-set weights.type=weight: ", "set the kernel to fitted"]),
    "beyond": (set_all([*MAP, "weights.threshold=1", "weights.beyond=detect"]), ["weights.beyond=detect: ", "set it to mask"]),
    "interpolate": (set_all([*MAP, "weights.interpolate=all"], "--reference-set"), ["weights.interpolate=all", "set it to none"]),
    "convolve": (set_all([*MAP, "weights.convolve=true"]), ["weights.convolve=true", "set it to false"]),
    "sky": (["--reference-set", "background.level=100"], ["--reference-set background.level=100", "leave it out"]),
    "a key of the run": (["--reference-set", "detection.threshold=3"], ["--reference-set detection.threshold=3", "--set"]),
    "a key of another kind": (["--reference-set", "measurement.gain_unit=3"], ["--reference-set measurement.gain_unit", "--set"]),
    "no use": (["--reference-set", "weights.threshold=3"], ["--reference-set weights.threshold=3", "has no use"]),
}


@pytest.mark.parametrize("kind", NO_MAP_OF_A_FRAME)
def test_what_a_frame_of_a_difference_cannot_have(run, configure, tmp_path, kind):
    options, words = NO_MAP_OF_A_FRAME[kind]
    for name in ("old", "sky"):
        write_image(tmp_path / f"{name}.fits", field(1))
    write_image(tmp_path / "map.fits", ones())
    configure("")
    done = run("difference", *options, "config.yaml", "old.fits", "sky.fits", "-o", "out")
    assert done.code == 2 and all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_a_survey_notices_that_the_map_changed(run, configure, tmp_path):
    (tmp_path / "night").mkdir()
    for name in ("a", "b"):
        write_image(tmp_path / "night" / f"{name}.fits", field(1))
    write_image(tmp_path / "map.fits", ones())
    configure("weights: {type: weight, file: map.fits}\n")
    for weights, masked in ((ones(), 0), (holes(), HOLES)):
        write_image(tmp_path / "map.fits", weights)
        done = run("batch", "config.yaml", "night", "-o", "out")
        assert done.code == 0, done.err
        assert report(tmp_path / "out" / "a.run.json")["counts"]["masked_weight"] == masked
