"""Masks as a user gives them: by bit numbers and by the names of LSST's mask planes, in a file or an HDU; and those that
cannot be used, after which nothing is there."""

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import (HEIGHT, RESULTS, WIDTH, check_no_use, field, image_hdu, report, results, rows, write_image,
                          write_with_map)
from fits_files import write

PLANES = {"BAD": 0, "SAT": 1, "CR": 3, "DETECTED_NEGATIVE": 6}


def planes():
    """Bad columns, a saturated box, a cosmic ray, and what is no defect; some lie on others."""
    mask = np.zeros((HEIGHT, WIDTH), np.int32)
    mask[:, 30] |= 1 << PLANES["BAD"]
    mask[5:9, 28:34] |= 1 << PLANES["SAT"]
    mask[20, 10:15] |= 1 << PLANES["CR"]
    mask[:, :20] |= 1 << PLANES["DETECTED_NEGATIVE"]
    return mask


def write_lsst(path, mask, compressed=False):
    write_with_map(path, "MASK", mask, PLANES, compressed)


def with_nan(directory, mask):
    """The same image with NaN where the mask is True."""
    pixels = field(1)
    pixels[mask] = np.nan
    write_image(directory / "nan.fits", pixels)
    return "nan.fits"


@pytest.mark.parametrize("compressed", (False, True))
@pytest.mark.parametrize("bits, names", (("[BAD, SAT]", ("BAD", "SAT")), ("[0, 1]", ("BAD", "SAT")), ("[CR]", ("CR",)),
                                         ("[DETECTED_NEGATIVE, 3]", ("DETECTED_NEGATIVE", "CR")), ("[]", PLANES)))
def test_bits_by_name_and_number(extract, tmp_path, bits, names, compressed):
    mask = planes()
    bad = np.isin(mask & sum(1 << PLANES[name] for name in names), 0, invert=True)
    write_lsst(tmp_path / "sky.fits", mask, compressed)
    masked = extract("mask", f"mask: {{hdu: MASK, bits: {bits}}}\n{RESULTS}", "sky.fits")
    nan = extract("nan", RESULTS, with_nan(tmp_path, bad))
    told = report(masked / "sky.run.json")
    assert told["counts"]["masked_mask"] == bad.sum() > 0 and told["counts"]["masked_nan"] == 0
    assert told["mask"]["hdu"] == 2 and told["mask"]["extname"] == "MASK"
    assert results(masked)["sky.seg.fits"] == results(nan)["nan.seg.fits"]
    assert rows(masked / "sky.cat.csv") == rows(nan / "nan.cat.csv") != []


def append_cards(path, cards):
    with fits.open(path, mode="update") as hdus:
        for keyword, value in cards:
            hdus["MASK"].header.append((keyword, value), end=True)


def test_a_number_is_that_bit_whatever_the_header_calls_so(extract, tmp_path):
    mask = planes()
    write_lsst(tmp_path / "sky.fits", mask)
    append_cards(tmp_path / "sky.fits", [("MP_3", 6)])
    masked = extract("mask", f"mask: {{hdu: MASK, bits: [3]}}\n{RESULTS}", "sky.fits")
    assert report(masked / "sky.run.json")["counts"]["masked_mask"] == (mask & 1 << 3 != 0).sum() == 5


def test_a_name_of_two_bits_is_none(run, configure, extract, tmp_path):
    write_lsst(tmp_path / "sky.fits", planes())
    append_cards(tmp_path / "sky.fits", [("MP_BAD", 4), ("MP_CR", 3)])
    configure("mask: {hdu: MASK, bits: [BAD]}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 3 and "BAD is bit 0, and that it is bit 4" in done.err
    extract("same", f"mask: {{hdu: MASK, bits: [CR]}}\n{RESULTS}", "sky.fits")


def test_of_many_names_a_few_are_told(run, configure, tmp_path):
    write_lsst(tmp_path / "sky.fits", planes())
    append_cards(tmp_path / "sky.fits", [(f"MP_X{i}", i % 16) for i in range(500)])
    configure("mask: {hdu: MASK, bits: [NOPE]}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 3 and "and 494 more" in done.err and len(done.err) < 1000


def test_a_map_of_good_pixels(extract, tmp_path):
    good = np.ones((HEIGHT, WIDTH), np.uint8)
    good[3:9, 40:50] = 0
    write_image(tmp_path / "sky.fits", field(1))
    write_image(tmp_path / "good.fits", good.astype(float))
    masked = extract("mask", f"mask: {{file: good.fits, good: nonzero}}\n{RESULTS}", "sky.fits")
    assert report(masked / "sky.run.json")["counts"]["masked_mask"] == 60
    nan = extract("nan", RESULTS, with_nan(tmp_path, good == 0))
    assert rows(masked / "sky.cat.csv") == rows(nan / "nan.cat.csv")


def test_a_mask_beside_weights(extract, tmp_path):
    weights = np.ones((HEIGHT, WIDTH))
    weights[:10] = 0
    write_lsst(tmp_path / "sky.fits", planes())
    write_image(tmp_path / "map.fits", weights)
    out = extract("out", "mask: {hdu: MASK, bits: [BAD]}\nweights: {type: weight, file: map.fits}\n" + RESULTS, "sky.fits")
    counts = report(out / "sky.run.json")["counts"]
    assert counts["masked_mask"] == HEIGHT and counts["masked_weight"] == 10 * (WIDTH - 1)


def test_the_new_frame_of_a_difference_is_masked(extract, tmp_path):
    fresh = field(2)
    fresh[24:27, 30:33] += 200
    write_image(tmp_path / "old.fits", field(1))
    write_image(tmp_path / "new.fits", fresh)
    mask = np.zeros((HEIGHT, WIDTH))
    mask[23:28, 29:34] = 1
    write_image(tmp_path / "mask.fits", mask)
    text = "difference: {kernel: gaussian, match_flux: false}\n" + RESULTS
    assert len(rows(extract("plain", text, "old.fits", "new.fits") / "new.diff.cat.csv")) == 1
    assert rows(extract("masked", text + "mask: {file: mask.fits}\n", "old.fits", "new.fits") / "new.diff.cat.csv") == []


@pytest.mark.parametrize("text, code, words", (
    ("mask: {bits: [1]}", 2, ("mask.bits", "has no use without a map")),
    ("mask: {hdu: all}", 2, ("mask.hdu",)),
    ("mask: {hdu: MASK, bits: [BAD, NOPE]}", 3, ("no bit NOPE", "BAD (0), SAT (1), CR (3), DETECTED_NEGATIVE (6)")),
    ("mask: {hdu: MASK, bits: [32]}", 3, ("config.yaml:1:", "HDU 2 of sky.fits: the map has no bit 32", "32 bits")),
    ("mask: {hdu: MASK, bits: [bad]}", 3, ("no bit bad", "; did you mean BAD?")),
    ("mask: {hdu: MASK, bits: [MP_SAT]}", 3, ("no bit MP_SAT", "; did you mean SAT?")),
    ("mask: {hdu: IMAGE}", 3, ("the image itself",)),
    ("mask: {hdu: 9}", 3, ("9",)),
    ("mask: {file: real.fits, bits: [1]}", 3, ("real numbers",)),
    ("mask: {file: small.fits}", 3, ("60 x 50", "61 x 50")),
    ("mask: {file: none.fits}", 3, ("none.fits",)),
    ("mask: {file: sparse.fits}", 3, ("more than half of them are masked", "background.mesh_size")),
    ("mask: {file: real.fits, good: nonzero}", 3, ("every pixel is masked", f"{WIDTH * HEIGHT} by the mask")),
))
def test_masks_that_cannot_be_used(run, configure, tmp_path, text, code, words):
    write_lsst(tmp_path / "sky.fits", planes())
    write_image(tmp_path / "real.fits", np.zeros((HEIGHT, WIDTH)))
    write_image(tmp_path / "small.fits", np.zeros((HEIGHT, WIDTH - 1)))
    sparse = np.ones((HEIGHT, WIDTH))
    sparse[::2, ::2] = sparse[1::4, 1::4] = 0
    write_image(tmp_path / "sparse.fits", sparse)
    check_no_use(run, configure, tmp_path, text, code, words)
