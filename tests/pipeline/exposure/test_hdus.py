"""Several HDUs of a file at once: which are extracted by lists, patterns and EXTVER, and which masks and maps of weights
belong to them."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import HEIGHT, RESULTS, WIDTH, field, report, results, rows, write_image

MASK = 1 << 3


def hole(seed):
    """A bad box that covers other stars for every seed."""
    mask = np.zeros((HEIGHT, WIDTH), np.int16)
    mask[4 + 7 * seed:14 + 7 * seed, 3 + 9 * seed:20 + 9 * seed] = MASK
    return mask


def science(seed, name="SCI", ver=None, **cards):
    return fits.ImageHDU(field(seed), fits.Header(cards), name=name, ver=ver)


def write(path, *hdus):
    fits.HDUList([fits.PrimaryHDU(), *hdus]).writeto(path, overwrite=True)
    return path.name


def exposures(path):
    """1 SCI,1; 2 ERR,1; 3 DQ,1; 4 SCI,2; 5 ERR,2; 6 DQ,2; 7 SCI2; 8 a table called SCI_CAT."""
    hdus = []
    for ver in (1, 2):
        hdus += [science(ver, ver=ver), fits.ImageHDU(field(9) / 20, name="ERR", ver=ver),
                 fits.ImageHDU(hole(ver), name="DQ", ver=ver)]
    table = fits.BinTableHDU.from_columns([fits.Column("X", "J", array=[1])], name="SCI_CAT")
    return write(path, *hdus, science(3, "SCI2"), table)


def alone(extract, tmp_path, seed, mask=None):
    """The rows of such an image in a file of its own, with NaN where the mask is not 0."""
    pixels = field(seed)
    if mask is not None:
        pixels[mask != 0] = np.nan
    fits.PrimaryHDU(pixels).writeto(tmp_path / "alone.fits", overwrite=True)
    return rows(extract("alone", RESULTS, "alone.fits") / "alone.cat.csv")


@pytest.mark.parametrize("hdu, numbers", (
    ("[1, 4, 7]", (1, 4, 7)), ("[7, 1]", (1, 7)), ("[SCI, SCI2]", (1, 7)), ("'SCI*'", (1, 4, 7)), ("sci*", (1, 4, 7)),
    ("'SCI,*'", (1, 4)), ("['SCI,2', SCI2]", (4, 7)), ("['?CI,*', 7, 1]", (1, 4, 7)), ("'*,2'", (4, 5)),
))
def test_lists_patterns_and_versions_select(extract, tmp_path, hdu, numbers):
    exposures(tmp_path / "sky.fits")
    out = extract("out", f"input: {{hdu: {hdu}}}\n{RESULTS}", "sky.fits")
    assert sorted(path.name for path in out.glob("*.csv")) == [f"sky.hdu{number}.cat.csv" for number in numbers]
    for number, seed in ((1, 1), (4, 2), (7, 3)):
        if number in numbers:
            assert rows(out / f"sky.hdu{number}.cat.csv") == alone(extract, tmp_path, seed) != []
            assert report(out / f"sky.hdu{number}.run.json")["input"]["hdu"] == number


@pytest.mark.parametrize("hdu, seed", (("SCI,2", 2), ("'SCI, 2'", 2), ("[SCI]", 1), ("'SCI2,1'", 3), ("'sci?'", 3)))
def test_one_of_several(extract, tmp_path, hdu, seed):
    exposures(tmp_path / "sky.fits")
    out = extract("out", f"input:\n  hdu: {hdu}\n{RESULTS}", "sky.fits")
    assert rows(out / "sky.cat.csv") == alone(extract, tmp_path, seed)


def test_the_command_line_selects_as_well(run, configure, tmp_path):
    exposures(tmp_path / "sky.fits")
    done = run(configure(RESULTS), "sky.fits", "--set", "input.hdu=SCI,2", "-o", "out")
    assert done.code == 0 and report(tmp_path / "out/sky.run.json")["input"]["hdu"] == 4
    assert report(tmp_path / "out/sky.run.json")["config"]["input"]["hdu"] == "SCI,2"


@pytest.mark.parametrize("text, words", (
    ("input: {hdu: 'X*'}", ("no image's name fits 'X*'", "1 'SCI,1', 2 'ERR,1', 3 'DQ,1', 4 'SCI,2'")),
    ("input: {hdu: 'SCI_*'}", ("no image's name fits 'SCI_*'", "8 'SCI_CAT'")),
    ("input: {hdu: 'SCI,3'}", ("no HDU is named 'SCI,3'", "4 'SCI,2'")),
    ("input: {hdu: [SCI, NOPE]}", ("no HDU is named 'NOPE'", "7 'SCI2'")),
    ("input: {hdu: [1, 9]}", ("there is no HDU 9; counted from 0", "set input.hdu")),
    ("input: {hdu: [SCI, SCI_CAT]}", ("HDU 8 'SCI_CAT'", "is not an image", "input.hdu = [SCI, SCI_CAT]")),
    ("input: {hdu: 'SCI*'}\nmask: {hdu: NOPE}", ("config.yaml:2:13: ", "no HDU is named 'NOPE'", "set mask.hdu")),
    ("input: {hdu: 'SCI*'}\nmask: {hdu: 'DQ*'}", ("config.yaml:2:13: ", "mask.hdu = DQ* has 2 maps for 3 images",
                                                 "HDU 7 'SCI2'", "HDU 3 'DQ',1, HDU 6 'DQ',2")),
    ("input: {hdu: SCI2}\nmask: {hdu: [2, 3]}", ("config.yaml:2:13: ", "mask.hdu = [2, 3] has 2 maps for 1 image (")),
    ("input: {hdu: 'SCI,*'}\nmask: {hdu: 'DQ,1'}", ("config.yaml:2:13: ", "has no map of EXTVER 2", "HDU 4 'SCI'")),
    ("input: {hdu: 'SCI,*'}\nweights: {type: rms, hdu: [ERR, DQ, 'ERR,2']}",
     ("config.yaml:2:27: ", "has several maps of EXTVER 1", "HDU 1 'SCI'")),
    ("input: {hdu: all}\nmask: {hdu: '*'}", ("config.yaml:2:13: ", "names every image that input.hdu = all selects",
                                            "mask.file")),
    ("input: {hdu: [SCI, ERR]}\nweights: {type: rms, hdu: [SCI, 5]}", ("the image itself", "config.yaml:2:27: ")),
    ("input: {hdu: 'SCI,*'}\nmask: {file: other.fits, hdu: all}", ("mask.hdu = all has 3 maps for 2 images",)),
))
def test_what_does_not_fit_is_said(run, configure, tmp_path, text, words):
    exposures(tmp_path / "sky.fits")
    write(tmp_path / "other.fits", *(fits.ImageHDU(hole(seed)) for seed in range(3)))
    configure(text + "\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 3, done.err
    assert all(word in done.err for word in words), done.err


def check_pairs(extract, tmp_path, text, image="sky.fits", numbers=None, seeds=(1, 2, 3)):
    """Every image is extracted, and each with the mask of its own seed."""
    out = extract("out", f"{text}\n{RESULTS}", image)
    told = sorted((report(path) for path in out.glob("*.run.json")), key=lambda one: one["input"]["hdu"])
    assert len(told) == len(seeds)
    if numbers is not None:
        assert [one["input"]["hdu"] for one in told] == list(numbers)
    for one, seed in zip(told, seeds):
        assert one["counts"]["masked_mask"] == np.count_nonzero(hole(seed)) > 0
        found = rows(out / f"sky.hdu{one['input']['hdu']}.cat.csv")
        assert found == alone(extract, tmp_path, seed, hole(seed)) != alone(extract, tmp_path, seed)


def mask_hdu(seed, name="DQ", ver=None):
    return fits.ImageHDU(hole(seed), name=name, ver=ver)


def compressed(seed, name="DQ"):
    return fits.CompImageHDU(hole(seed), name=name)


@pytest.mark.parametrize("mask", ("DQ", "'DQ*'", "['DQ,1', 'DQ,3', 'DQ,2']", "[2, 4, 6]"))
@pytest.mark.parametrize("hdu", ("all", "'SCI*'", "['SCI,1', 'SCI,2', 'SCI,3']"))
def test_masks_by_extver(extract, tmp_path, hdu, mask):
    order = (3, 1, 2)  # of the masks in the file
    hdus = [part for ver, other in zip((1, 2, 3), order) for part in (science(ver, ver=ver), mask_hdu(other, ver=other))]
    write(tmp_path / "sky.fits", *hdus)
    check_pairs(extract, tmp_path, f"input: {{hdu: {hdu}}}\nmask: {{hdu: {mask}}}", numbers=(1, 3, 5))


def test_masks_by_order_in_the_same_file(extract, tmp_path):
    write(tmp_path / "sky.fits", *(science(seed, f"CCD{seed}") for seed in (1, 2, 3)),
          *(mask_hdu(seed, f"BAD{seed}") for seed in (1, 2, 3)))
    check_pairs(extract, tmp_path, "input: {hdu: all}\nmask: {hdu: 'BAD*'}", numbers=(1, 2, 3))
    # EXTVER that is the same all over tells nothing.
    write(tmp_path / "sky.fits", *(science(seed, f"CCD{seed}", ver=1) for seed in (1, 2, 3)),
          *(mask_hdu(seed, f"BAD{seed}", ver=1) for seed in (1, 2, 3)))
    check_pairs(extract, tmp_path, "input: {hdu: 'CCD*'}\nmask: {hdu: [BAD1, BAD2, BAD3]}", numbers=(1, 2, 3))


@pytest.mark.parametrize("hdu", ("auto", "all", "'*'"))
@pytest.mark.parametrize("make", (mask_hdu, compressed))
def test_masks_of_another_file_by_extname(extract, tmp_path, hdu, make):
    write(tmp_path / "sky.fits", *(science(seed, f"N{seed}") for seed in (1, 2, 3)))
    write(tmp_path / "bad.fits", make(0, "S1"), *(make(seed, f"n{seed}") for seed in (2, 3, 1)))
    check_pairs(extract, tmp_path, f"input: {{hdu: all}}\nmask: {{file: bad.fits, hdu: {hdu}}}")
    out = extract("one", f"input: {{hdu: N2}}\nmask: {{file: bad.fits}}\n{RESULTS}", "sky.fits")
    assert rows(out / "sky.cat.csv") == alone(extract, tmp_path, 2, hole(2))


def test_masks_of_another_file_by_order(extract, tmp_path):
    write(tmp_path / "sky.fits", *(science(seed, f"N{seed}") for seed in (1, 2, 3)))
    write(tmp_path / "bad.fits", *(mask_hdu(seed, f"MASK{seed}") for seed in (1, 2, 3)))
    check_pairs(extract, tmp_path, "input: {hdu: all}\nmask: {file: bad.fits}")


def test_one_mask_serves_all(extract, tmp_path):
    write(tmp_path / "sky.fits", *(science(seed, f"N{seed}") for seed in (1, 2)), mask_hdu(3))
    out = extract("out", f"input: {{hdu: all}}\nmask: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    for number in (1, 2):
        assert rows(out / f"sky.hdu{number}.cat.csv") == alone(extract, tmp_path, number, hole(3))


def test_a_damaged_header_leaves_what_comes_before(run, configure, tmp_path):
    """Also to the pairs: it is no image that lacks a mask, and no mask."""
    hdus = [part for ver in (1, 2) for part in (science(ver, ver=ver), mask_hdu(ver, ver=ver))]
    write(tmp_path / "sky.fits", *hdus)
    with open(tmp_path / "sky.fits", "ab") as file:
        file.write(b"XTENSION".ljust(2880))
    for hdu, mask in (("all", "DQ"), ("'SCI*'", "'DQ*'"), ("all", "[2, 4]")):
        done = run(configure(f"input: {{hdu: {hdu}}}\nmask: {{hdu: {mask}}}\n{RESULTS}"), "sky.fits", "-o", "out")
        assert done.code == 3 and done.err.count("error: ") == 1 and "error: HDU 5 of sky.fits" in done.err, done.err
        for number, seed in ((1, 1), (3, 2)):
            told = report(tmp_path / f"out/sky.hdu{number}.run.json")
            assert told["mask"]["hdu"] == number + 1
            assert told["counts"]["masked_mask"] == np.count_nonzero(hole(seed))
            (tmp_path / f"out/sky.hdu{number}.run.json").unlink()


def test_an_image_alone_has_the_mask_of_its_extver(extract, tmp_path):
    exposures(tmp_path / "sky.fits")
    out = extract("out", f"input: {{hdu: 'SCI,2'}}\nmask: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    assert rows(out / "sky.cat.csv") == alone(extract, tmp_path, 2, hole(2))
    out = extract("first", f"input: {{hdu: SCI2}}\nmask: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    assert rows(out / "sky.cat.csv") == alone(extract, tmp_path, 3, hole(1))


def test_maps_of_the_file_are_no_images(extract, tmp_path):
    """Of science, weights and mask by names that tell nothing, `all` extracts the first alone; its weights count."""
    weights = np.ones((HEIGHT, WIDTH), np.float32)
    weights[:, :20] = 0
    write(tmp_path / "sky.fits", science(1, "A"), fits.ImageHDU(weights, name="B"), mask_hdu(1, "C"))
    assert np.count_nonzero((weights == 0) & (hole(1) != 0)) > 0
    text = f"input: {{hdu: all}}\nweights: {{type: weight, hdu: B}}\nmask: {{hdu: C}}\n{RESULTS}"
    out = extract("out", text, "sky.fits")
    assert [path.name for path in out.glob("*.run.json")] == ["sky.run.json"]
    told = report(out / "sky.run.json")
    assert told["input"]["hdu"] == 1 and told["weights"]["hdu"] == 2 and told["mask"]["hdu"] == 3
    assert told["counts"]["masked_weight"] == np.count_nonzero((weights == 0) & (hole(1) == 0))
    # With the map in another file an HDU of its name is an image like any other.
    write(tmp_path / "other.fits", science(1, "A"), science(2, "C"))
    fits.PrimaryHDU(hole(1)).writeto(tmp_path / "bad.fits")
    out = extract("other", f"input: {{hdu: all}}\nmask: {{file: bad.fits, hdu: 0}}\n{RESULTS}", "other.fits")
    assert sorted(path.name for path in out.glob("*.run.json")) == ["other.hdu1.run.json", "other.hdu2.run.json"]


def test_flags_and_levels_belong_to_their_images(extract, tmp_path):
    """Every image has a flag and a level of its own, which no other one has."""
    hdus = []
    for ver in (1, 2):
        hdus += [science(ver, ver=ver), fits.ImageHDU(np.full((HEIGHT, WIDTH), ver, np.uint8), name="DQ", ver=ver),
                 fits.ImageHDU(np.full((HEIGHT, WIDTH), 7.5 * ver, np.float32), name="SKY", ver=ver)]
    write(tmp_path / "sky.fits", *hdus)
    out = extract("out", f"input: {{hdu: 'SCI*'}}\nflags: {{hdu: DQ}}\nbackground: {{level_hdu: SKY}}\n{RESULTS}", "sky.fits")
    for ver, number in ((1, 1), (2, 4)):
        found = rows(out / f"sky.hdu{number}.cat.csv")
        assert {(row["IMAFLAGS_ISO"], float(row["BACKGROUND"])) for row in found} == {(str(ver), 7.5 * ver)}


def test_threads_change_nothing(run, configure, tmp_path):
    write(tmp_path / "sky.fits", *(science(seed, f"N{seed}") for seed in (1, 2, 3)),
          *(mask_hdu(seed, f"BAD{seed}") for seed in (1, 2, 3)))
    configure(f"input: {{hdu: all}}\nmask: {{hdu: 'BAD*'}}\n{RESULTS}")
    for threads in (1, 2, 5):
        assert run("config.yaml", "sky.fits", "--threads", threads, "-o", f"out{threads}").code == 0
    assert results(tmp_path / "out1") == results(tmp_path / "out2") == results(tmp_path / "out5") != {}


def test_the_gain_and_the_saturation_of_each_hdu(extract, tmp_path):
    """Of the HDU, or else of the primary one, unless the HDU does not inherit."""
    own = {"GAIN": 0.5, "SATURATE": 60.0}
    hdus = [science(1, "A", **own), science(2, "B"), science(3, "C", INHERIT=False)]
    file = fits.HDUList([fits.PrimaryHDU(header=fits.Header({"GAIN": 4.0, "SATURATE": 120.0})), *hdus])
    file.writeto(tmp_path / "sky.fits")
    by_keyword = extract("keyword", "input: {hdu: all}\nmeasurement: {gain: 2, gain_keyword: GAIN, saturation: 90, "
                                    f"saturation_keyword: SATURATE}}\n{RESULTS}", "sky.fits")
    seen = []
    for number, (gain, level) in enumerate(((0.5, 60), (4, 120), (2, 90)), 1):
        text = f"input: {{hdu: {number}}}\nmeasurement: {{gain: {gain}, saturation: {level}}}\n{RESULTS}"
        by_number = rows(extract(f"number{number}", text, "sky.fits") / "sky.cat.csv")
        assert rows(by_keyword / f"sky.hdu{number}.cat.csv") == by_number
        # FLUXERR_ISO² = NPIX σ² + FLUX / gain; σ is 1 here, and known to a few per cent.
        for row in by_number:
            error, npix, flux = (float(row[name]) for name in ("FLUXERR_ISO", "NPIX", "FLUX_ISO"))
            assert error ** 2 == pytest.approx(npix + flux / gain, rel=0.1)
        saturated = [int(row["FLAGS"]) & 4 != 0 for row in by_number]
        peaks = [float(row["FLUX_MAX"]) + 20 for row in by_number]
        for flag, peak in zip(saturated, peaks):
            assert flag == (peak >= level) or abs(peak - level) < 2
        seen.append(sum(saturated))
    assert 0 < seen[1] < seen[2] < seen[0]


def test_gains_that_are_none(run, configure, tmp_path):
    write(tmp_path / "sky.fits", science(1, GAIN="high"))
    configure("measurement: {gain_keyword: Gain}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 2 and "no FITS keyword" in done.err and not list(tmp_path.glob("out/*"))
    for name, text, words in (("text", "gain_keyword: GAIN, gain: 2", "GAIN = 'high' of its header is no number above 0, so measurement.gain, 2, counts"),
                              ("none", "gain_keyword: none, gain: 2", "")):
        configure(f"measurement: {{{text}}}\noutput: {{formats: [csv]}}\n")
        done = run("config.yaml", "sky.fits", "-o", name)
        assert done.code == 0 and words in done.err, done.err
    assert rows(tmp_path / "text/sky.cat.csv") == rows(tmp_path / "none/sky.cat.csv") != []
    configure("measurement: {gain_keyword: EGAIN}\noutput: {formats: [csv]}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 0 and "has no EGAIN" in done.err
    write(tmp_path / "stack.fits", science(1, GAIN=0))  # as SWarp writes it where it knows none
    configure("measurement: {gain: 2, gain_keyword: GAIN}\noutput: {formats: [csv]}\n")
    done = run("config.yaml", "stack.fits", "-o", "stack")
    assert done.code == 0 and "has GAIN = 0" in done.err
    configure("output: {formats: [csv]}\n")
    assert run("config.yaml", "stack.fits", "-o", "plain").code == 0
    assert rows(tmp_path / "stack/stack.cat.csv") == rows(tmp_path / "plain/stack.cat.csv") != []


def test_the_gain_of_a_difference_is_each_frames_own(extract, run, configure, tmp_path):
    fresh = field(2)
    fresh[24:27, 30:33] += 200
    write(tmp_path / "old.fits", fits.ImageHDU(field(1), fits.Header({"GAIN": 9.0})))
    write(tmp_path / "new.fits", fits.ImageHDU(fresh, fits.Header({"GAIN": 0.5})))
    plain = "difference: {kernel: gaussian}\n" + RESULTS
    by_keyword = extract("keyword", "measurement: {gain_keyword: GAIN}\n" + plain, "old.fits", "new.fits")
    done = run("difference", "--reference-set", "measurement.gain=9", configure("measurement: {gain: 0.5}\n" + plain), "old.fits",
               "new.fits", "-o", "number")
    assert done.code == 0, done.err
    of_new = extract("of_new", "measurement: {gain: 0.5}\n" + plain, "old.fits", "new.fits")
    without = extract("without", plain, "old.fits", "new.fits")
    found = rows(by_keyword / "new.diff.cat.csv")
    assert found == rows(tmp_path / "number/new.diff.cat.csv") != rows(without / "new.diff.cat.csv")
    assert found != rows(of_new / "new.diff.cat.csv") != []


def test_an_hdu_in_the_name_of_a_file(run, configure, tmp_path):
    write_image(tmp_path / "one.fits", field(1))
    configure("input: {hdu: 1}\n")
    done = run("config.yaml", "one.fits", "one.fits[1]", "-o", "out")
    assert done.code == 3 and "no HDU 1; counted from 0, the file has 0 alone; set input.hdu" in done.err, done.err
    assert "one.fits[1]: there is no file of this name" in done.err and "HDUs are named by keys, as input.hdu" in done.err


def test_a_plane_is_that_of_the_images_that_are_combined(extract, tmp_path):
    """Not that of the file's first image, a cube whose first plane with values is the third."""
    cube = np.full((3, HEIGHT, WIDTH), np.nan, "f4")
    cube[2] = field(1)
    fits.HDUList([fits.PrimaryHDU(cube), science(2), science(3)]).writeto(tmp_path / "cube.fits")
    config = f"input: {{plane: 0}}\ncombine: {{method: mean, hdus: [1, 2]}}\n{RESULTS}"
    found = extract("out", config, "cube.fits")
    fits.PrimaryHDU((field(2).astype("f8") + field(3)) / 2).writeto(tmp_path / "mean.fits")
    expected = rows(extract("mean", RESULTS, "mean.fits") / "mean.cat.csv")
    told = rows(found / "cube.cat.csv")
    assert [row["X_IMAGE"][:5] for row in told] == [row["X_IMAGE"][:5] for row in expected] != []
    assert report(found / "cube.run.json")["input"]["plane"] == 1
