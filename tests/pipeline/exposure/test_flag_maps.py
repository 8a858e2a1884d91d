"""Maps of flags as a user gives them: in a file or an HDU, compressed, by bits and their names, of what is combined or
subtracted; and those that cannot be used, after which nothing is there."""

import csv
import json
import os

import pytest

np = pytest.importorskip("numpy")
fits = pytest.importorskip("astropy.io.fits")

from stage_images import (HEIGHT, RESULTS, WIDTH, check_no_use, field, labels_of, report, rows, write_image,
                          write_with_map)

COLUMNS = ("IMAFLAGS_ISO", "NIMAFLAGS_ISO")
PLANES = {"BAD": 0, "SAT": 1, "DETECTED_NEGATIVE": 6}


def flag_map(dtype=np.int32):
    flags = np.zeros((HEIGHT, WIDTH), dtype)
    flags[:, ::2] |= 1
    flags[::3] |= 2
    flags[:, WIDTH // 2:] |= 64
    return flags


def write_maps(path, flags, compressed=False):
    write_with_map(path, "DQ", flags, PLANES, compressed)


def flagged(catalogue):
    return [tuple(int(row[name]) for name in COLUMNS) for row in rows(catalogue)]


def expected(segmentation, flags):
    """OR of them, and how many there are, of every source of a label map."""
    labels = labels_of(segmentation)
    found = []
    for number in range(1, labels.max() + 1):
        of_source = flags[(labels == number) & (flags != 0)]
        found.append((int(np.bitwise_or.reduce(of_source)) if len(of_source) else 0, len(of_source)))
    assert len(found) >= 8 and len(set(found)) > 2
    return found


@pytest.mark.parametrize("dtype", (np.uint8, np.int16, np.uint16, np.int32, np.uint32))
@pytest.mark.parametrize("compressed", (False, True))
def test_a_map_in_the_images_own_file(extract, tmp_path, dtype, compressed):
    flags = flag_map(dtype)
    flags[1::4] |= dtype(1) << dtype(8 * flags.itemsize - 1 - (np.dtype(dtype).kind == "i"))
    write_maps(tmp_path / "sky.fits", flags, compressed)
    out = extract("out", f"flags: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    assert flagged(out / "sky.cat.csv") == expected(out / "sky.seg.fits", flags)
    told = report(out / "sky.run.json")
    assert told["flags"]["hdu"] == 2 and told["flags"]["extname"] == "DQ"


def test_bits_by_name_and_number(extract, tmp_path):
    flags = flag_map()
    write_maps(tmp_path / "sky.fits", flags)
    for i, (bits, mask) in enumerate((("[BAD, DETECTED_NEGATIVE]", 65), ("[0, 6]", 65), ("[1]", 2), ("[]", 67))):
        out = extract(f"out{i}", f"flags: {{hdu: DQ, bits: {bits}}}\n{RESULTS}", "sky.fits")
        assert flagged(out / "sky.cat.csv") == expected(out / "sky.seg.fits", flags & mask)


def test_without_a_map_there_are_no_columns(extract, tmp_path):
    write_maps(tmp_path / "sky.fits", flag_map())
    (tmp_path / "maps").mkdir()
    fits.PrimaryHDU(flag_map()).writeto(tmp_path / "maps" / "map.fits")
    plain = rows(extract("plain", RESULTS, "sky.fits") / "sky.cat.csv")
    mapped = rows(extract("mapped", f"flags: {{file: maps/map.fits}}\n{RESULTS}", "sky.fits") / "sky.cat.csv")
    assert set(mapped[0]) - set(plain[0]) == set(COLUMNS)
    assert [{name: row[name] for name in plain[0]} for row in mapped] == plain


def test_every_format_has_them(extract, tmp_path):
    write_maps(tmp_path / "sky.fits", flag_map(np.uint32) | np.uint32(1 << 31))
    out = extract("out", "flags: {hdu: DQ, type: max}\noutput: {formats: [fits, ecsv, csv], segmentation: true}\n",
                  "sky.fits")
    table = fits.getdata(out / "sky.cat.fits", 1)
    text = [line for line in (out / "sky.cat.ecsv").read_text().splitlines() if not line.startswith("#")]
    ecsv = list(csv.DictReader(text, delimiter=" "))
    assert table["IMAFLAGS_ISO"].min() >= 1 << 31
    assert [tuple(row) for row in zip(table["IMAFLAGS_ISO"].tolist(), table["NIMAFLAGS_ISO"].tolist())] == \
        flagged(out / "sky.cat.csv") == [tuple(int(row[name]) for name in COLUMNS) for row in ecsv]


def several(path, shift=0):
    """A file of an image and three maps, and these."""
    maps = [np.roll(flag_map(np.uint32), 5 * i + shift, axis=1) * np.uint32(1 + 2 * i) for i in range(3)]
    hdus = [fits.PrimaryHDU(), fits.ImageHDU(field(1 + shift), name="IMAGE")]
    fits.HDUList(hdus + [fits.ImageHDU(flags, name=f"DQ{i}") for i, flags in enumerate(maps)]).writeto(path)
    return maps


SEVERAL = "flags:\n  hdu: DQ0\n  further: [{hdu: DQ1}, {hdu: DQ2}]\n"


def of_map(catalogue, i):
    suffix = f"_{i}" if i else ""
    return [tuple(int(row[name + suffix]) for name in COLUMNS) for row in catalogue]


def test_several_maps(extract, tmp_path):
    """Each has its columns in CSV, its elements elsewhere, and may be anywhere; the first is as without the others."""
    maps = several(tmp_path / "sky.fits")
    fits.PrimaryHDU(maps[1]).writeto(tmp_path / "map.fits")
    one = extract("one", f"flags: {{hdu: DQ0}}\n{RESULTS}", "sky.fits")
    formats = "output: {formats: [fits, ecsv, csv, reg], segmentation: true}\n"
    out = extract("out", "flags:\n  hdu: DQ0\n  further: [{file: map.fits}, {hdu: DQ2, type: max, bits: [0, 2]}]\n"
                  + formats, "sky.fits")
    found = rows(out / "sky.cat.csv")
    assert of_map(found, 0) == flagged(one / "sky.cat.csv") == expected(out / "sky.seg.fits", maps[0])
    assert of_map(found, 1) == expected(out / "sky.seg.fits", maps[1])
    labels, chosen = labels_of(out / "sky.seg.fits"), maps[2] & 5
    largest = [int(chosen[labels == number].max()) for number in range(1, labels.max() + 1)]
    assert [int(row["IMAFLAGS_ISO_2"]) for row in found] == largest and any(largest)
    table = fits.getdata(out / "sky.cat.fits", 1)
    text = [line for line in (out / "sky.cat.ecsv").read_text().splitlines() if not line.startswith("#")]
    ecsv = list(csv.DictReader(text, delimiter=" "))
    suffixes = ("", "_1", "_2")
    assert [name for name in table.names if "IMAFLAGS" in name] == list(COLUMNS)
    assert [name for name in found[0] if "IMAFLAGS" in name] == [name + suffix for suffix in suffixes for name in COLUMNS]
    for name in COLUMNS:
        vectors = [[int(row[name + suffix]) for suffix in suffixes] for row in found]
        assert table[name].tolist() == vectors == [json.loads(row[name]) for row in ecsv]
    told = report(out / "sky.run.json")
    assert [told["flags"]["hdu"]] + [m["hdu"] for m in told["flags"]["further"]] == [2, 0, 4]
    assert told["config"]["flags"]["further"][1] == {"file": "", "hdu": "DQ2", "type": "max", "bits": ["0", "2"]}


def test_several_maps_of_several_images(extract, tmp_path):
    """Every map is paired with the images by itself."""
    hdus, maps = [fits.PrimaryHDU()], {}
    for i in (1, 2):
        hdus.append(fits.ImageHDU(field(i), name="SCI", ver=i))
        for j, name in enumerate(("DQ", "CR")):
            maps[i, j] = np.roll(flag_map(), i + 3 * j, axis=0) * (i + j)
            hdus.append(fits.ImageHDU(maps[i, j], name=name, ver=i))
    fits.HDUList(hdus).writeto(tmp_path / "sky.fits")
    out = extract("out", f"input: {{hdu: 'SCI,*'}}\nflags: {{hdu: 'DQ,*', further: [{{hdu: 'CR,*'}}]}}\n{RESULTS}",
                  "sky.fits")
    for i, hdu in ((1, 1), (2, 4)):
        found = rows(out / f"sky.hdu{hdu}.cat.csv")
        for j in (0, 1):
            assert of_map(found, j) == expected(out / f"sky.hdu{hdu}.seg.fits", maps[i, j])


def test_several_maps_are_merged_and_compared(run, configure, tmp_path):
    """One catalogue of all images has them; a map that changes is seen by the survey, and by the comparison."""
    (tmp_path / "night").mkdir()
    fits.PrimaryHDU(flag_map()).writeto(tmp_path / "common.fits")
    maps = [several(tmp_path / "night" / f"sky{i}.fits", i) for i in range(3)]
    configure(SEVERAL.replace("{hdu: DQ2}", "{file: common.fits}")
              + "output: {formats: [fits, csv], segmentation: true}\n")
    done = run("batch", "config.yaml", "night", "-o", "out")
    assert done.code == 0, done.err
    assert run("merge", "out", "-o", "all.fits").code == 0
    table = fits.getdata(tmp_path / "all.fits", 1)
    merged = list(zip(*(table[name][:, 1].tolist() for name in COLUMNS)))
    assert merged == [row for i in range(3) for row in expected(tmp_path / "out" / f"sky{i}.seg.fits", maps[i][1])]
    (tmp_path / "before").mkdir()
    for name in ("sky0.cat.csv", "sky0.cat.fits"):
        (tmp_path / "before" / name).write_bytes((tmp_path / "out" / name).read_bytes())
    assert run("compare", "before/sky0.cat.csv", "out/sky0.cat.csv").code == 0
    changed = flag_map()
    changed[:] = 8
    fits.PrimaryHDU(changed).writeto(tmp_path / "common.fits", overwrite=True)
    done = run("batch", "config.yaml", "night", "-o", "out")
    assert done.code == 0 and set(of_map(rows(tmp_path / "out" / "sky0.cat.csv"), 2)) != \
        set(of_map(rows(tmp_path / "before" / "sky0.cat.csv"), 2)), done.err
    done = run("compare", "before/sky0.cat.csv", "out/sky0.cat.csv")
    assert done.code != 0 and "IMAFLAGS_ISO_2" in done.out and "IMAFLAGS_ISO_1" in done.out


def test_without_sources_the_columns_are_there(extract, tmp_path):
    write_maps(tmp_path / "sky.fits", flag_map())
    out = extract("out", f"flags: {{hdu: DQ}}\ndetection: {{threshold: 1.0e+6}}\n{RESULTS}", "sky.fits")
    text = (out / "sky.cat.csv").read_text()
    assert text.count("\n") == 1 and all(name in text for name in COLUMNS)


def test_what_is_blank_has_no_flags(extract, tmp_path):
    flags = flag_map(np.int16)
    hdu = fits.ImageHDU(np.where(flags & 2, -7, flags).astype(np.int16), name="DQ")
    hdu.header["BLANK"] = -7
    fits.HDUList([fits.PrimaryHDU(field(1)), hdu]).writeto(tmp_path / "sky.fits")
    out = extract("out", f"flags: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    assert flagged(out / "sky.cat.csv") == expected(out / "sky.seg.fits", np.where(flags & 2, 0, flags))


def test_changes_have_the_flags_of_the_new_frame(extract, tmp_path):
    """Both sides of a difference: what became brighter, then what became fainter."""
    old, new = field(1), field(2)
    new[24:27, 30:33] += 200
    old[10:13, 20:23] += 200
    write_image(tmp_path / "old.fits", old)
    fits.HDUList([fits.PrimaryHDU(new), fits.ImageHDU(flag_map(), name="DQ")]).writeto(tmp_path / "new.fits")
    out = extract("out", f"difference: {{kernel: gaussian, match_flux: false}}\nflags: {{hdu: DQ}}\n{RESULTS}", "old.fits", "new.fits")
    found = rows(out / "new.diff.cat.csv")
    assert [int(row["SIGN"]) for row in found] == [1, -1]
    labels, flags = labels_of(out / "new.diff.seg.fits"), flag_map()
    for row in found:
        of_source = flags[(labels == int(row["NUMBER"])) & (flags != 0)]
        assert (int(row["IMAFLAGS_ISO"]), int(row["NIMAFLAGS_ISO"])) == (np.bitwise_or.reduce(of_source),
                                                                         len(of_source))


def test_what_is_combined_has_one_map(extract, tmp_path):
    flags = flag_map()
    fits.HDUList([fits.PrimaryHDU(), fits.ImageHDU(field(1), name="R"), fits.ImageHDU(field(2), name="G"),
                  fits.ImageHDU(flags, name="DQ")]).writeto(tmp_path / "sky.fits")
    out = extract("out", f"combine: {{method: mean, hdus: [R, G]}}\nflags: {{hdu: DQ}}\n{RESULTS}", "sky.fits")
    assert flagged(out / "sky.cat.csv") == expected(out / "sky.seg.fits", flags)


def test_many_small_images(run, configure, tmp_path):
    """Each has its own flags."""
    (tmp_path / "night").mkdir()
    for i in range(6):
        flags = np.roll(flag_map(), i, axis=0) * (i + 1)
        fits.HDUList([fits.PrimaryHDU(field(i)), fits.ImageHDU(flags, name="DQ")]).writeto(
            tmp_path / "night" / f"sky{i}.fits")
    configure(f"flags: {{hdu: DQ}}\n{RESULTS}")
    done = run("batch", "config.yaml", "night", "-o", "out", "--backend", os.environ.get("SRCEXTRACT_BACKEND", "cpu"))
    assert done.code == 0, done.err
    for i in range(6):
        flags = np.roll(flag_map(), i, axis=0) * (i + 1)
        assert flagged(tmp_path / "out" / f"sky{i}.cat.csv") == expected(tmp_path / "out" / f"sky{i}.seg.fits", flags)


@pytest.mark.parametrize("text, code, words", (
    ("flags: {type: most}", 2, ("flags.type", "has no use without a map")),
    ("flags: {bits: [1]}", 2, ("flags.bits", "has no use without a map")),
    ("flags: {type: xor}", 2, ("flags.type", "most")),
    ("flags: {hdu: all}", 2, ("flags.hdu",)),
    ("flags: {hdu: DQ, bits: [NOPE]}", 3, ("no bit NOPE", "BAD (0), SAT (1), DETECTED_NEGATIVE (6)")),
    ("flags: {hdu: DQ, bits: [32]}", 3, ("no bit 32", "32 bits")),
    ("flags: {hdu: IMAGE}", 3, ("the image itself",)),
    ("flags: {hdu: 9}", 3, ("9",)),
    ("flags: {file: real.fits}", 3, ("config.yaml:1:", "real numbers")),
    ("flags: {file: long.fits}", 3, ("config.yaml:1:", "64 bits")),
    ("flags: {file: scaled.fits}", 3, ("config.yaml:1:", "BSCALE")),
    ("flags: {file: small.fits}", 3, ("60 x 50", "61 x 50")),
    ("flags: {file: none.fits}", 3, ("none.fits",)),
    ("flags: {file: short.fits}", 3, ("truncated",)),
    ("flags: {hdu: DQ, further: [{hdu: DQ}, {}]}", 2, ("config.yaml:1:", "name no map")),
    ("flags: {hdu: DQ, further: [{hdu: DQ, bits: [NOPE]}]}", 3, ("config.yaml:1:44: HDU ", "no bit NOPE")),
    ("flags: {hdu: DQ, further: [{hdu: DQ}, {file: real.fits}]}", 3, ("config.yaml:1:46: ", "real numbers")),
    ("flags: {hdu: DQ, further: [{hdu: 9}]}", 3, ("config.yaml:1:34: ", "9")),
    ("flags: {hdu: DQ, further: [{file: small.fits}]}", 3, ("60 x 50", "61 x 50")),
    ("flags: {hdu: DQ, further: [{file: none.fits}]}", 3, ("none.fits",)),
))
def test_maps_that_cannot_be_used(run, configure, tmp_path, text, code, words):
    write_maps(tmp_path / "sky.fits", flag_map())
    write_image(tmp_path / "real.fits", np.zeros((HEIGHT, WIDTH)))
    fits.PrimaryHDU(flag_map(np.int64)).writeto(tmp_path / "long.fits")
    fits.PrimaryHDU(flag_map()[:, 1:]).writeto(tmp_path / "small.fits")
    fits.PrimaryHDU(flag_map()).writeto(tmp_path / "short.fits")
    (tmp_path / "short.fits").write_bytes((tmp_path / "short.fits").read_bytes()[:-2880])
    scaled = fits.PrimaryHDU(flag_map())
    scaled.header["BSCALE"] = 2.0
    scaled.writeto(tmp_path / "scaled.fits")
    check_no_use(run, configure, tmp_path, text, code, words)
