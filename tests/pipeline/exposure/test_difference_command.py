"""`srcextract difference`: what it makes of two frames, how its outputs are called, and what it refuses."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

import png_files
from fits_files import TAN, write
from stage_images import (CONSTANT, HEIGHT, RESULTS, WIDTH, field, image_hdu, labels_of, report, results, rows, steps,
                          write_extensions, write_image)

# No stars to fit a kernel to.
FIXED = "difference: {kernel: gaussian}\n"


def changed(image):
    """With 25 pixels of something new around (8, 33), and 9 of something gone around (52, 10); counted from 1."""
    image = image.copy()
    image[30:35, 5:10] += 40
    image[8:11, 50:53] -= 30
    return image


def write_frames(directory, reference=None, new=None, **cards):
    return (write_image(directory / "reference.fits", field(1) if reference is None else reference, **cards),
            write_image(directory / "new.fits", changed(field(2)) if new is None else new, **cards))


def signs_and_places(table):
    return [(row["SIGN"], round(float(row["X_IMAGE"])), round(float(row["Y_IMAGE"]))) for row in table]


CHANGES = [("1", 8, 33), ("-1", 52, 10)]


def names(directory):
    return sorted(p.name for p in directory.iterdir())


def test_what_changed_and_which_way(extract, tmp_path):
    directory = extract("out", FIXED + RESULTS, *write_frames(tmp_path))
    assert names(directory) == ["new.diff.cat.csv", "new.diff.reg", "new.diff.run.json", "new.diff.seg.fits"]
    table = rows(directory / "new.diff.cat.csv")
    assert signs_and_places(table) == CHANGES
    assert [float(row["FLUX_ISO"]) for row in table] == pytest.approx([25 * 40, 9 * 30], rel=0.05)
    told = report(directory / "new.diff.run.json")
    assert told["input"]["path"].endswith("new.fits") and told["counts"]["sources"] == 2
    assert told["reference"].items() >= {"path": str(tmp_path / "reference.fits"), "hdu": 0, "width": WIDTH,
                                         "height": HEIGHT, "resampled": False}.items()
    side = ["background", "subtract", "threshold", "label", "measure", "columns"]
    assert steps(told) == ["ingest", "ingest", "difference", *side, *side, "sky", "warnings", "checksum", "write"]


def test_the_column_of_signs_may_be_asked_for(extract, tmp_path):
    directory = extract("out", FIXED + "output: {formats: [csv], columns: [SIGN]}\n", *write_frames(tmp_path))
    assert rows(directory / "new.diff.cat.csv") == [{"SIGN": "1"}, {"SIGN": "-1"}]


def clipped_median(extract, directory, image):
    out = extract("plain", CONSTANT, write_image(directory / "plain.fits", image))
    return report(out / "plain.run.json")["background"]["clipped"]["median"]


def without(names, row):
    return {name: value for name, value in row.items() if name not in names}


@pytest.mark.parametrize("frames", [(field(1), changed(field(2))), (field(1) + 7, field(2) * 1.5)],
                         ids=["changed", "brighter"])
def test_a_difference_is_extracted_as_if_numpy_had_subtracted(extract, tmp_path, frames):
    """Both of its sides, one after the other."""
    skies = [clipped_median(extract, tmp_path, frame) for frame in frames]
    reference, new = (frame.astype(np.float64) - sky for frame, sky in zip(frames, skies))
    difference = (new - reference).astype(np.float32)
    sides = [extract(name, RESULTS, write_image(tmp_path / name / "sky.fits", image))
             for name, image in (("brighter", difference), ("fainter", -difference))]
    tables = [rows(side / "sky.cat.csv") for side in sides]
    assert sum(map(len, tables)) >= 2

    directory = extract("out", "difference: {kernel: gaussian, match_flux: false}\n" + RESULTS, *write_frames(tmp_path, *frames))
    ours = rows(directory / "new.diff.cat.csv")
    assert [row["SIGN"] for row in ours] == ["1"] * len(tables[0]) + ["-1"] * len(tables[1])
    assert [row["NUMBER"] for row in ours] == [str(i + 1) for i in range(len(ours))]
    assert ([without(("SIGN", "NUMBER"), row) for row in ours]
            == [without(("NUMBER",), row) for table in tables for row in table])
    above, below = (labels_of(side / "sky.seg.fits") for side in sides)
    assert np.array_equal(labels_of(directory / "new.diff.seg.fits"),
                          above + np.where(below > 0, below + len(tables[0]), 0))


def test_the_reference_is_scaled_to_the_new_frame(extract, tmp_path):
    """Ten stars of a hundred sigma tell by how much."""
    reference = field(1, brightness=2000)
    new = changed((10 + 0.7 * (field(2, brightness=2000) - 20)).astype(np.float32))
    table = rows(extract("out", FIXED + RESULTS, *write_frames(tmp_path, reference, new)) / "new.diff.cat.csv")
    assert signs_and_places(table) == CHANGES


def test_frames_that_are_shifted_by_whole_pixels(extract, tmp_path):
    """Are the same pixels, but for those that the reference does not show."""
    shown = field(1)
    reference = np.roll(shown, (2, -3), axis=(0, 1))
    shown[-2:] = shown[:, :3] = np.nan
    plain = extract("plain", FIXED + RESULTS, *write_frames(tmp_path, shown, changed(field(2)), **TAN))
    write_image(tmp_path / "reference.fits", reference, **{**TAN, "CRPIX1": TAN["CRPIX1"] - 3,
                                                           "CRPIX2": TAN["CRPIX2"] + 2})
    frames = tmp_path / "reference.fits", tmp_path / "new.fits"
    for interpolation in ("lanczos3", "bilinear"):
        settings = f"difference: {{kernel: gaussian, align: wcs, interpolation: {interpolation}}}\n"
        aligned = extract("aligned", settings + RESULTS, *frames)
        assert results(aligned) == results(plain)
        told = report(aligned / "new.diff.run.json")
        assert told["reference"]["resampled"] and "align" in steps(told)
        assert told["counts"]["masked_nan"] == np.isnan(shown).sum()
    assert signs_and_places(rows(plain / "new.diff.cat.csv")) == CHANGES


def test_frames_of_different_shape_can_be_aligned(extract, tmp_path):
    write_image(tmp_path / "reference.fits", field(1)[:, :-5], **TAN)
    new = write_image(tmp_path / "new.fits", changed(field(2)), **TAN)
    directory = extract("out", "difference: {kernel: gaussian, align: wcs}\n" + RESULTS, tmp_path / "reference.fits", new)
    assert signs_and_places(rows(directory / "new.diff.cat.csv")) == CHANGES
    told = report(directory / "new.diff.run.json")
    assert told["reference"]["width"] == WIDTH - 5 and told["counts"]["masked_nan"] == 5 * HEIGHT


@pytest.fixture
def subtract(run, configure, tmp_path):
    """As extract, of two frames, with options of the command."""

    def run_into(directory, text, *arguments):
        done = run("difference", configure(text), *arguments, "-o", directory)
        assert done.code == 0, done.err
        return tmp_path / directory

    return run_into


def test_a_mask_of_the_reference_is_as_nan_in_it(subtract, tmp_path):
    reference, new = field(1), write_image(tmp_path / "new.fits", changed(field(2)))
    reference[:, 20:22] = 4000
    bad = np.zeros(reference.shape, np.int16)
    bad[:, 20:22] = 2
    write(tmp_path / "reference.fits", image_hdu(reference), image_hdu(bad, primary=False, EXTNAME="MASK"))
    write_image(tmp_path / "holes.fits", np.where(bad, np.nan, reference))
    masked = subtract("masked", FIXED + RESULTS, "--reference-set", "mask.hdu=MASK",
                      tmp_path / "reference.fits", new)
    holes = subtract("holes", FIXED + RESULTS, tmp_path / "holes.fits", new)
    assert rows(masked / "new.diff.cat.csv") == rows(holes / "new.diff.cat.csv")
    assert signs_and_places(rows(masked / "new.diff.cat.csv")) == CHANGES
    assert report(masked / "new.diff.run.json")["reference"]["mask"]["extname"] == "MASK"
    without_mask = subtract("plain", FIXED + RESULTS, tmp_path / "reference.fits", new)
    assert len(rows(without_mask / "new.diff.cat.csv")) > len(CHANGES)


def test_maps_in_config_are_those_of_the_new_frame(subtract, tmp_path):
    """The reference has no such HDU, and no map of its name."""
    new, bad = changed(field(2)), np.zeros((HEIGHT, WIDTH), np.int16)
    bad[:, 40] = 1
    reference = write_image(tmp_path / "reference.fits", field(1))
    write(tmp_path / "new.fits", image_hdu(new), image_hdu(bad, primary=False, EXTNAME="MASK"))
    masked = subtract("masked", FIXED + "mask: {hdu: MASK}\n" + RESULTS, reference, tmp_path / "new.fits")
    told = report(masked / "new.diff.run.json")
    assert told["counts"]["masked_nan"] == HEIGHT and "mask" not in told["reference"]


def test_a_map_of_the_reference_is_read_as_that_of_the_new_frame(subtract, tmp_path):
    """Which pixels are good is said once, for both maps; and said again it is the same."""
    reference, new = (write_image(tmp_path / f"{name}.fits", image) for name, image in
                      (("reference", field(1)), ("new", changed(field(2)))))
    for name, column in (("a", 40), ("b", 20)):
        good = np.ones((HEIGHT, WIDTH), np.int16)
        good[:, column] = 0
        write_image(tmp_path / f"{name}.fits", good)
    config = f"mask: {{file: {tmp_path / 'a.fits'}, good: nonzero}}\n" + FIXED + RESULTS
    once = subtract("once", config, "--reference-set", f"mask.file={tmp_path / 'b.fits'}", reference, new)
    assert report(once / "new.diff.run.json")["counts"]["masked_nan"] == 2 * HEIGHT
    twice = subtract("twice", config, "--reference-set", f"mask.file={tmp_path / 'b.fits'}", "--reference-set",
                     "mask.good=nonzero", reference, new)
    assert rows(once / "new.diff.cat.csv") == rows(twice / "new.diff.cat.csv")


def test_the_reference_is_read_by_its_own_keys(subtract, tmp_path):
    new = write_image(tmp_path / "new.fits", changed(field(2)))
    plain = write_image(tmp_path / "reference.fits", field(1))
    write_extensions(tmp_path / "second.fits", A=field(7), B=field(1))
    one = subtract("one", FIXED + RESULTS, plain, new)
    two = subtract("two", FIXED + RESULTS, "--reference-set", "input.hdu=B", tmp_path / "second.fits", new)
    assert rows(one / "new.diff.cat.csv") == rows(two / "new.diff.cat.csv")
    assert report(two / "new.diff.run.json")["reference"]["hdu"] == 2
    # Of two frames that are combined one is the reference.
    mean = subtract("mean", FIXED + RESULTS, "--reference-set", "combine.method=mean", "--reference-set",
                   f"combine.files=[{plain}]", plain, new)
    assert rows(mean / "new.diff.cat.csv") == rows(one / "new.diff.cat.csv")


def test_the_record_has_gain_and_saturation_of_both_frames(subtract, tmp_path):
    """Of keys, headers, and the reference's own keys, in this order, the later counts; a header counts before keys."""
    new = write_image(tmp_path / "new.fits", changed(field(2)), GAIN=3.0)
    plain = write_image(tmp_path / "plain.fits", field(1))
    told = write_image(tmp_path / "told.fits", field(1), GAIN=1.25, SATURATE=50000.0)
    settings = FIXED + RESULTS + "measurement: {gain_keyword: GAIN, saturation_keyword: SATURATE, saturation: 60000}\n"

    def recorded(name, *arguments):
        return report(subtract(name, settings, *arguments) / "new.diff.run.json")

    usual = recorded("usual", plain, new)
    assert usual["difference"]["gain"] == {"reference": 3.0, "new": 3.0}
    assert usual["difference"]["saturation"] == {"reference": 60000.0, "new": 60000.0}
    assert "config" not in usual["reference"]
    header = recorded("header", told, new)["difference"]
    assert header["gain"] == {"reference": 1.25, "new": 3.0} and header["saturation"]["reference"] == 50000.0
    own = recorded("own", "--reference-set", "measurement.gain=7", "--reference-set", "measurement.saturation=900", plain, new)
    assert own["difference"]["gain"]["reference"] == 7 and own["difference"]["saturation"]["reference"] == 900
    assert own["reference"]["config"]["measurement"]["gain"] == 7
    calibrated = write_image(tmp_path / "calibrated.fits", field(1), GAIN=1.25, BUNIT="MJy/sr")
    unknown = recorded("unknown", calibrated, new)["difference"]
    assert unknown["gain"] == {"reference": 0.0, "new": 3.0}  # neither the camera's nor the new image's is that of MJy/sr
    assert own["reference"]["config"]["detection"] == own["config"]["detection"]


def test_every_step_of_a_difference_is_timed(extract, tmp_path):
    write_image(tmp_path / "reference.fits", field(1), **{**TAN, "CRPIX1": 21.0})
    new = write_image(tmp_path / "new.fits", changed(field(2)), **TAN)
    settings = ("difference: {kernel: gaussian, align: wcs, reference_fwhm: 2.5, new_fwhm: 4}\nmeasurement: {gain: 2}\n"
                "convolve: {kernel: gaussian, fwhm: 4}\nmorphology: {operation: erosion}\n"
                "output: {formats: [csv], quicklook: true}\n")
    told = report(extract("out", settings, tmp_path / "reference.fits", new) / "new.diff.run.json")
    side = ["background", "subtract", "weigh", "convolve", "threshold", "morphology", "label", "measure", "flux", "variance",
            "columns"]
    assert steps(told) == ["ingest", "picture", "ingest", "align", "match_width", "difference", *side, *side, "sky",
                           "warnings", "checksum", "write"]


def test_both_frames_are_combined(extract, tmp_path):
    cubes = np.stack([field(1), field(3)]), np.stack([changed(field(2)), changed(field(4))])
    frames = write_frames(tmp_path, *cubes)
    directory = extract("out", FIXED + "combine: {method: mean}\n" + RESULTS, *frames)
    told = report(directory / "new.diff.run.json")
    assert told["input"]["combined"] == told["reference"]["combined"] == ["plane 1", "plane 2"]
    means = write_frames(tmp_path / "means", *(np.mean(cube, axis=0, dtype=np.float64) for cube in cubes))
    assert results(directory) == results(extract("of_means", FIXED + RESULTS, *means))


def test_the_same_bytes_from_any_number_of_threads(run, configure, tmp_path):
    write_image(tmp_path / "reference.fits", field(1), **{**TAN, "CRPIX1": 21.3})
    write_image(tmp_path / "new.fits", changed(field(2)), **TAN)
    configure("difference: {kernel: gaussian, align: wcs, reference_fwhm: 2, new_fwhm: 3}\nmeasurement: {gain: 2}\n"
              "output: {formats: [fits, ecsv, csv, reg], segmentation: true, quicklook: true}\n")
    written = []
    for threads in (1, 2, 3):
        done = run("difference", "config.yaml", "reference.fits", "new.fits", "--threads", threads, "-o", f"t{threads}")
        assert done.code == 0, done.err
        written.append({p.name: p.read_bytes() for p in (tmp_path / f"t{threads}").iterdir() if p.suffix != ".json"})
    assert len(written[0]) == 6 and written[0] == written[1] == written[2]


def test_outputs_of_the_frame_itself_stay(run, configure, tmp_path):
    write_frames(tmp_path)
    configure(FIXED + "output: {formats: [fits, ecsv, csv, reg], segmentation: true, quicklook: true}\n")
    assert run("config.yaml", "new.fits", "-o", "out").code == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    assert run("difference", "config.yaml", "reference.fits", "new.fits", "-o", "out").code == 0
    assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before
    assert names(tmp_path / "out") == sorted([*before, *(name.replace("new.", "new.diff.") for name in before)])


def test_an_input_is_never_replaced(run, configure, tmp_path):
    configure("output: {formats: [fits]}\n")
    write_frames(tmp_path)
    (tmp_path / "reference.fits").rename(tmp_path / "new.diff.cat.fits")
    content = (tmp_path / "new.diff.cat.fits").read_bytes()
    done = run("difference", "config.yaml", "new.diff.cat.fits", "new.fits")
    assert done.code == 2 and "would replace the input" in done.err
    assert (tmp_path / "new.diff.cat.fits").read_bytes() == content


def test_the_picture_shows_the_new_frame_and_changes_in_red(extract, tmp_path):
    """However bright they are: what is new may be white in the new frame."""
    settings = FIXED + "output: {formats: [csv], quicklook: true}\n"
    picture = png_files.read(extract("out", settings, *write_frames(tmp_path)) / "new.diff.png").astype(int)[::-1]
    assert picture.shape == (HEIGHT, WIDTH, 3)
    red = picture[..., 0] - picture[..., 1:].max(axis=2) > 50
    grey = (picture == picture[..., :1]).all(axis=2)
    assert red[30:35, 5:10].all() and red[8:11, 50:53].all() and red.sum() == 34 and (red | grey).all()
    of_new = png_files.read(extract("new", settings + "quicklook: {overlay: none}\n", tmp_path / "new.fits")
                            / "new.png").astype(int)[::-1]
    assert np.abs(picture - of_new)[grey].max() <= 1  # there are half as many greys


def test_each_hdu_of_the_new_frame_is_compared_with_its_own(run, configure, tmp_path):
    """A mosaic: every chip shows other stars."""
    chips = [np.rot90(field(1, 60, 60), turns).copy() for turns in (0, 1, 2)]
    write_extensions(tmp_path / "reference.fits", A=chips[0], B=chips[1], C=chips[2])
    write_extensions(tmp_path / "new.fits", A=changed(chips[0]), B=changed(chips[1]), C=changed(chips[2]))
    configure(FIXED + "input: {hdu: all}\ndetection: {threshold_unit: absolute, threshold: 20}\noutput: {formats: [csv]}\n")
    done = run("difference", "config.yaml", "reference.fits", "new.fits", "-o", "out")
    assert done.code == 0, done.err
    for number in (1, 2, 3):
        assert signs_and_places(rows(tmp_path / f"out/new.diff.hdu{number}.cat.csv")) == CHANGES
        assert report(tmp_path / f"out/new.diff.hdu{number}.run.json")["reference"]["hdu"] == number


def test_a_reference_that_lacks_an_hdu(run, configure, tmp_path):
    write_extensions(tmp_path / "reference.fits", A=field(1))
    write_extensions(tmp_path / "new.fits", A=changed(field(3)), B=changed(field(4)))
    done = run("difference", configure(FIXED + "input: {hdu: all}\noutput: {formats: [csv]}\n"), "reference.fits", "new.fits",
               "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 3 and len(errors) == 1
    assert errors[0].startswith("error: HDU 2 'B' of new.fits: ") and "reference.fits" in errors[0]
    assert names(tmp_path / "out") == ["new.diff.hdu1.cat.csv", "new.diff.hdu1.run.json"]


def test_an_hdu_by_its_name(extract, tmp_path):
    for name, change in (("reference", lambda image: image), ("new", changed)):
        write_extensions(tmp_path / f"{name}.fits", A=field(5), B=change(field(1)))
    frames = tmp_path / "reference.fits", tmp_path / "new.fits"
    settings = FIXED + "input: {hdu: B}\ndetection: {threshold_unit: absolute, threshold: 20}\n"
    directory = extract("out", settings + RESULTS, *frames)
    assert signs_and_places(rows(directory / "new.diff.cat.csv")) == CHANGES


def test_help(run):
    done = run("difference", "--help")
    assert done.code == 0 and done.err == ""
    assert "srcextract difference" in done.out and "REFERENCE" in done.out and "SIGN" in done.out
    assert "srcextract difference old.fits" in run("--help").out


@pytest.mark.parametrize("frames", [[], ["reference.fits"]])
def test_a_difference_has_two_frames(run, configure, tmp_path, frames):
    write_frames(tmp_path)
    done = run("difference", configure(""), *frames, "-o", "out")
    assert done.code == 2 and f"two images, REFERENCE and NEW, not {len(frames)}" in done.err
    assert not (tmp_path / "out").exists()


def test_the_configuration_comes_first(run, tmp_path):
    write_frames(tmp_path)
    done = run("difference", "reference.fits", "new.fits", "c.yaml")
    assert done.code == 2 and "the configuration c.yaml comes after reference.fits; write it first" in done.err
    assert run("difference").code == 2


ALIGN = "difference:\n  align: wcs\n"
OTHER_SKY = {**TAN, "CRVAL1": 20.0}
NO_PROJECTION = {**TAN, "CTYPE1": "RA---ABC"}


def reference_frame(kind):
    if kind == "shape":
        return image_hdu(field(1)[:-1], **TAN)
    return image_hdu(field(1), **{"shifted": {**TAN, "CRPIX1": 21.5}, "elsewhere": OTHER_SKY, "no WCS": {},
                                  "bad WCS": NO_PROJECTION}[kind])


REFUSED = {
    "shape": ("", "reference.fits is 61 x 49 pixels and new.fits is 61 x 50 pixels"),
    "shifted": ("", "do not show the same sky: their WCS are apart by up to 1.00 pixels"),
    "elsewhere": ("", "do not show the same sky"),
    "elsewhere, to be aligned": (ALIGN, "show no sky in common"),
    "no WCS, to be aligned": (ALIGN, "reference.fits: its pixels cannot be placed on another frame"),
    "bad WCS, to be aligned": (ALIGN, "reference.fits: its pixels cannot be placed on another frame"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_frames_that_cannot_be_subtracted(run, configure, tmp_path, kind):
    settings, message = REFUSED[kind]
    write(tmp_path / "reference.fits", reference_frame(kind.split(",")[0]))
    write(tmp_path / "new.fits", image_hdu(field(2), **TAN))
    done = run("difference", configure(settings), "reference.fits", "new.fits", "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 3 and len(errors) == 1 and message in errors[0]
    assert errors[0].startswith("error: new.fits: ") or errors[0].startswith("error: reference.fits: ")
    assert ("set difference.align: wcs" in errors[0]) == (settings == "")
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize("kind", ["missing", "no FITS", "no such HDU", "truncated"])
def test_a_reference_that_cannot_be_read(run, configure, tmp_path, kind):
    _, new = write_frames(tmp_path)
    reference = tmp_path / "reference.fits"
    settings = ""
    if kind == "missing":
        reference.unlink()
    elif kind == "no FITS":
        reference.write_text("dear astronomer")
    elif kind == "truncated":
        reference.write_bytes(reference.read_bytes()[:5760])
    else:
        write_extensions(new, A=field(2))
        settings = "input: {hdu: A}\n"
    done = run("difference", configure(settings), "reference.fits", "new.fits", "-o", "out")
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 3 and len(errors) == 1 and "reference.fits" in errors[0]
    assert names(tmp_path / "out") == []


def test_errors_have_the_photon_noise_of_both_frames(extract, tmp_path):
    """A change on top of a star that both frames have: the star's photons are noise of the change."""
    gain, star = 0.5, 400
    reference, new = field(1), changed(field(2))
    for image in (reference, new):
        image[28:37, 3:12] += star
    new[30:35, 5:10] += star - 40  # of the change: as bright as the star
    directory = extract("out", f"difference: {{kernel: gaussian, match_flux: false}}\nmeasurement: {{gain: {gain}}}\n" + RESULTS,
                        *write_frames(tmp_path, reference, new))
    told = report(directory / "new.diff.run.json")
    skies = [told["difference"][frame] for frame in ("reference", "new")]
    shining = [np.maximum(0, np.float32(image) - sky["median"]) for image, sky in zip((reference, new), skies)]
    per_pixel = 1 + sum(shining) / gain / sum(sky["sigma"] ** 2 for sky in skies)
    labels = labels_of(directory / "new.diff.seg.fits")
    table = rows(directory / "new.diff.cat.csv")
    assert len(table) > 0
    brightest = max(table, key=lambda row: float(row["FLUX_ISO"]))
    inside = labels == int(brightest["NUMBER"])
    sigma = told["levels"]["sigma"]
    expected = sigma * np.sqrt(per_pixel[inside].sum())
    assert float(brightest["FLUXERR_ISO"]) == pytest.approx(expected, rel=1e-5)
    assert float(brightest["SNR"]) == pytest.approx(float(brightest["FLUX_ISO"]) / expected, rel=1e-5)
    # Photons of the change alone would be a third of these.
    assert np.sqrt(sigma ** 2 * inside.sum() + float(brightest["FLUX_ISO"]) / gain) < 0.65 * expected


COPIES = {"the same": lambda pixels: pixels, "float64": lambda pixels: pixels.astype(float),
          "in another unit": lambda pixels: pixels * np.float32(2.7), "above a pedestal": lambda pixels: pixels + np.float32(1000),
          "both": lambda pixels: pixels * np.float32(0.3) - np.float32(5)}


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("kernel", ("fitted", "gaussian"))
def test_a_frame_and_its_copy_are_one_sentence(run, configure, tmp_path, kind, kernel):
    pixels = field(1, 300, 300)
    pixels[40:44, 40:44] = np.nan
    for name, of in (("reference", pixels), ("new", COPIES[kind](pixels))):
        fits.PrimaryHDU(of).writeto(tmp_path / f"{name}.fits")
    done = run("difference", "-q", configure(f"difference: {{kernel: {kernel}}}\n{RESULTS}"), "reference.fits", "new.fits", "-o", "out")
    assert done.code == 3 and not list((tmp_path / "out").glob("*.csv"))
    said = [line for line in done.err.splitlines() if "no WCS" not in line]
    assert len(said) == 1 and "reference.fits and new.fits are one exposure" in said[0], done.err


@pytest.mark.parametrize("change", ((slice(10, 12), slice(10, 12)), (-1, -1)))
def test_a_copy_with_something_new_is_subtracted(run, configure, tmp_path, change):
    """A source injected into the last pixel as well as into others."""
    pixels = field(1, 300, 300)
    other = pixels.copy()
    other[change] += 500
    for name, of in (("reference", pixels), ("new", other)):
        fits.PrimaryHDU(of).writeto(tmp_path / f"{name}.fits")
    text = ("background: {method: constant}\ndetection: {threshold: 100, threshold_unit: absolute, min_area: 1}\n" + FIXED + RESULTS)
    assert run("difference", "-q", configure(text), "reference.fits", "new.fits", "-o", "out").code == 0
    assert len(rows(tmp_path / "out" / "new.diff.cat.csv")) == 1
