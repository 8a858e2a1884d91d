"""`srcextract sextractor` in the place of `source-extractor`: the same arguments in the same directory write files of the
same names, in which a reader finds the same columns and, by the measures of test_converted_sex.py, the same sources."""
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
ascii = pytest.importorskip("astropy.io.ascii")
pytest.importorskip("scipy.spatial")

from oracle_fields import field
from sextractor import PROGRAM
from test_converted_sex import COLUMNS, CONFIGURATIONS, check, scene
from test_default_sex import partners
from test_dual_image import bands

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore::astropy.io.fits.verify.VerifyWarning")


ROOT = pathlib.Path(__file__).resolve().parents[2]


class Both:
    """Two directories with the same files in them: in one SExtractor is run, in the other srcextract, with the same
    arguments."""

    def __init__(self, program, directory):
        self.programs = {"theirs": [PROGRAM], "ours": [program, "sextractor"]}
        self.places = {name: directory / name for name in self.programs}
        for place in self.places.values():
            place.mkdir()

    def prepare(self, make):
        for place in self.places.values():
            make(place)

    def run(self, *arguments):
        """What each of them wrote: the names of its new files, and its standard output."""
        written = {}
        for name, place in self.places.items():
            before = set(place.iterdir())
            done = subprocess.run([*self.programs[name], *map(str, arguments)], cwd=place, capture_output=True, text=True,
                                  env=os.environ | {"FIELD": str(place)})
            assert done.returncode == 0, done.stderr
            written[name] = sorted(path.name for path in set(place.iterdir()) - before), done.stdout
        assert written["ours"][0] == written["theirs"][0]
        return written["ours"][1], written["theirs"][1]

    def each(self, read):
        return read(self.places["ours"]), read(self.places["theirs"])


@pytest.fixture
def both(program, tmp_path):
    return Both(program, tmp_path)


def columns_of(table):
    """By the names that test_converted_sex.py has, in the order of the file."""
    mine = {name.removesuffix("_DBL"): np.asarray(table[name], float) for name in table.names}
    return mine | ({"SNR": mine["FLUX_ISO"] / mine["FLUXERR_ISO"]} if "FLUXERR_ISO" in mine else {})


def fits_catalogue(name):
    return lambda place: fits.getdata(place / name, 1)


def check_both(ours, theirs):
    assert list(ours.names) == list(theirs.names)
    check(columns_of(ours), columns_of(theirs))


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_the_same_arguments_the_same_catalogue(both, name):
    both.prepare(lambda place: scene(place, name))
    both.run("field.fits", "-c", "survey.sex", "-CATALOG_NAME", "survey.cat", "-verbose_type", "quiet")
    check_both(*both.each(fits_catalogue("survey.cat")))


def test_two_images_with_weights_of_their_own(both):
    def make(place):
        scene(place, "background")
        found, measured = bands(921, 2000)
        fits.writeto(place / "g.fits", found)
        fits.writeto(place / "r.fits", measured)
        (place / "survey.sex").write_text(
            (place / "survey.sex").read_text().replace("background,BACKGROUND", "BACKGROUND,NONE"))

    both.prepare(make)
    for i, images in enumerate((["g.fits,r.fits"], ["g.fits", "r.fits"])):
        both.run(*images, "-c", "survey.sex", "-CATALOG_NAME", f"{i}.cat")
        check_both(*both.each(fits_catalogue(f"{i}.cat")))


def test_of_two_values_the_first_is_that_of_an_image_alone(both):
    def make(place):
        scene(place, "background")
        (place / "survey.sex").write_text(
            (place / "survey.sex").read_text().replace("background,BACKGROUND", "BACKGROUND,NONE"))

    both.prepare(make)
    level = np.median(fits.getdata(both.places["ours"] / "field.fits"))
    both.run("field.fits", "-c", "survey.sex", "-BACK_TYPE", "MANUAL,AUTO", "-BACK_VALUE", f"{level:.1f},3", "-CLEAN", "N",
             "-DEBLEND_NTHRESH", "1", "-WEIGHT_TYPE", "NONE")
    check_both(*both.each(fits_catalogue("test.cat")))


CHECK_IMAGES = ["BACKGROUND", "BACKGROUND_RMS", "MINIBACKGROUND", "MINIBACK_RMS", "-BACKGROUND", "FILTERED", "OBJECTS",
                "-OBJECTS", "SEGMENTATION"]


def test_check_images(both):
    """Under the names that they are given, in the primary HDU, uncompressed."""
    both.prepare(lambda place: scene(place, "hot"))
    names = [f"check{i}.fits" for i in range(len(CHECK_IMAGES))]
    both.run("field.fits", "-c", "survey.sex", "-CATALOG_TYPE", "NONE", "-DEBLEND_NTHRESH", "1", "-CLEAN", "N",
             "-CHECKIMAGE_TYPE", ",".join(CHECK_IMAGES), "-CHECKIMAGE_NAME", ",".join(names))
    for kind, name in zip(CHECK_IMAGES, names):
        def read(place):
            with fits.open(place / name) as file:
                assert len(file) == 1
                return file[0].header["BITPIX"], file[0].data.astype(float)

        (ours, mine), (theirs, told) = both.each(read)
        assert ours == theirs and mine.shape == told.shape, kind
        if kind == "SEGMENTATION":
            assert np.mean((mine > 0) == (told > 0)) > 0.9999 and mine.max() > 200
            assert abs(mine.max() - told.max()) <= 2
        elif kind == "-OBJECTS":  # pixels of what is too small to be a source are left in (docs/sextractor.md)
            assert np.mean(np.abs(mine - told) < 1e-2) > 0.98
        else:
            assert np.mean(np.abs(mine - told) <= 1e-4 * np.abs(told).max()) > 0.9999, kind


def test_default_names(both):
    """default.sex and default.param of the directory, test.cat, check.fits."""
    def make(place):
        scene(place, "hot")
        (place / "survey.sex").rename(place / "default.sex")
        (place / "survey.param").rename(place / "default.param")

    both.prepare(make)
    both.run("field.fits", "-PARAMETERS_NAME", "default.param", "-CHECKIMAGE_TYPE", "SEGMENTATION")
    check_both(*both.each(fits_catalogue("test.cat")))
    assert both.places["ours"].joinpath("check.fits").exists()


def test_columns_in_their_order_with_as_many_values_as_are_asked_for(both):
    """X_IMAGE beside X_IMAGE_DBL; fewer circles than are measured, more, as many; a picture of one pixel's width."""
    wanted = ["FLAGS", "Y_IMAGE", "X_IMAGE_DBL", "X_IMAGE(2)", "FLUX_APER(2)", "FLUXERR_APER(4)", "MAG_APER", "VIGNET(5,3)",
              "FLUX_RADIUS(3)", "NUMBER", "EXT_NUMBER"]

    def make(place):
        fits.writeto(place / "field.fits", field(931, 512, 1000, seeing=3.0, noise=20.0).astype(np.float32))
        (place / "default.param").write_text("\n".join(wanted) + "\n")

    both.prepare(make)
    both.run("field.fits", "-FILTER", "N", "-DEBLEND_NTHRESH", "1", "-CLEAN", "N", "-CATALOG_TYPE", "FITS_1.0",
             "-PHOT_APERTURES", "5,8,12", "-PHOT_FLUXFRAC", "0.2,0.5")
    ours, theirs = both.each(fits_catalogue("test.cat"))
    assert list(ours.names) == list(theirs.names) and len(ours) == len(theirs) > 50
    for name in theirs.names:
        assert ours[name].shape == theirs[name].shape, name
    order = [np.argsort(table["X_IMAGE"]) for table in (ours, theirs)]
    for name in ["X_IMAGE_DBL", "Y_IMAGE", "FLUX_APER", "FLUXERR_APER", "VIGNET", "EXT_NUMBER", "FLUX_RADIUS"]:
        assert np.allclose(ours[name][order[0]], theirs[name][order[1]], rtol=1e-4, atol=1e-2), name
    assert np.all(ours["FLUXERR_APER"][:, 3] == 0) and np.all(ours["FLUXERR_APER"][:, 2] > 0)


@pytest.fixture
def small(both):
    """A field that is the same to both, and their columns."""
    def make(place):
        fits.writeto(place / "field.fits", field(932, 512, 1000, seeing=3.0, noise=20.0).astype(np.float32))
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nFLUX_APER(2)\nFLUX_ISO\nFLAGS\n")
        (place / "default.sex").write_text(
            "FILTER N\nCLEAN N\nDEBLEND_NTHRESH 1\nPHOT_APERTURES 5,8\nVERBOSE_TYPE QUIET\nGAIN_KEY NONE\nSATUR_KEY NONE\n")

    both.prepare(make)
    return both


def test_a_makefile_with_one_word_changed(small, program):
    rule = "%.cat: %.fits\n\t$(SEX) $< -c default.sex -CATALOG_TYPE FITS_1.0 -CATALOG_NAME $@\n"
    for name, command in small.programs.items():
        place = small.places[name]
        (place / "Makefile").write_text(f"SEX = {' '.join(command)}\n{rule}")
        subprocess.run(["make", "field.cat"], cwd=place, check=True, capture_output=True)
    ours, theirs = small.each(fits_catalogue("field.cat"))
    assert list(ours.names) == list(theirs.names) and len(ours) == len(theirs)


def test_links_do_the_same(small, program):
    place = small.places["ours"]
    subprocess.run([program, "sextractor", "field.fits", "-CATALOG_TYPE", "FITS_1.0"], cwd=place, check=True)
    expected = (place / "test.cat").read_bytes()
    for name in "sex", "sextractor", "source-extractor":
        (place / name).symlink_to(program)
        subprocess.run([f"./{name}", "field.fits", "-CATALOG_TYPE", "FITS_1.0", "-CATALOG_NAME", f"{name}.cat"], cwd=place,
                       check=True)
        assert (place / f"{name}.cat").read_bytes() == expected


def keys_of(text):
    """Keys and their values, of a configuration."""
    keys = {}
    for line in text.splitlines():
        words = line.split("#")[0].replace(",", " ").split()
        if words:
            keys[words[0]] = words[1:]
    return keys


@pytest.mark.parametrize("option", ["-d", "-dd"])
def test_the_same_defaults(small, option):
    ours, theirs = small.run(option)
    assert keys_of(ours) == keys_of(theirs) and len(keys_of(ours)) > 30


def test_our_defaults_and_columns_are_files_of_sextractors(small):
    """-dd is a configuration to SExtractor, which changes nothing, and -dp a list of columns, of which none is asked for."""
    ours, _ = small.run("-dd")
    columns, _ = small.run("-dp")
    place = small.places["theirs"]
    (place / "ours.sex").write_text(ours)
    (place / "ours.param").write_text(columns + "NUMBER\nX_IMAGE\nFLUX_ISO\n")
    (place / "plain.param").write_text("NUMBER\nX_IMAGE\nFLUX_ISO\n")
    (place / "none.sex").write_text("# nothing\n")
    (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
    for name in "ours", "plain":
        done = subprocess.run([PROGRAM, "field.fits", "-c", "ours.sex" if name == "ours" else "none.sex", "-PARAMETERS_NAME",
                               f"{name}.param", "-CATALOG_NAME", f"{name}.cat", "-VERBOSE_TYPE", "QUIET"], cwd=place,
                              capture_output=True, text=True)
        assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    assert (place / "ours.cat").read_bytes() == (place / "plain.cat").read_bytes()


def test_the_same_list_of_columns(small):
    ours, theirs = small.run("-dp")
    names = [{line.split()[0] for line in text.splitlines()} for text in (ours, theirs)]
    assert names[0] == names[1] and len(names[0]) > 400


@pytest.mark.parametrize("option", ["-h", "-v"])
def test_what_asks_for_nothing(small, option):
    ours, theirs = small.run(option)
    assert ours.strip()
    if option == "-v":
        assert ours == theirs


def test_an_extension_of_a_file(both):
    """By the number in brackets; without one all of them, whose rows go on."""
    def make(place):
        images = [field(seed, 384, 1000, seeing=3.0, noise=20.0).astype(np.float32) for seed in (933, 934)]
        fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, images)]).writeto(place / "two.fits")
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nEXT_NUMBER\nFLUX_ISO\n")

    both.prepare(make)
    settings = ["-FILTER", "N", "-DEBLEND_NTHRESH", "1", "-CLEAN", "N"]
    for number in 1, 2:
        both.run(f"two.fits[{number}]", *settings, "-CATALOG_TYPE", "FITS_1.0", "-CATALOG_NAME", f"{number}.cat")
        ours, theirs = both.each(fits_catalogue(f"{number}.cat"))
        assert len(ours) == len(theirs) > 30 and set(ours["EXT_NUMBER"]) == set(theirs["EXT_NUMBER"]) == {1}
        assert np.allclose(np.sort(ours["FLUX_ISO"]), np.sort(theirs["FLUX_ISO"]), rtol=1e-4)
    both.run("two.fits", *settings, "-CATALOG_TYPE", "ASCII")
    ours, theirs = both.each(lambda place: np.loadtxt(place / "test.cat"))
    assert ours.shape == theirs.shape and np.array_equal(ours[:, 3], theirs[:, 3])
    assert np.array_equal(ours[:, 0], theirs[:, 0])


def test_check_images_of_several_images(both):
    """Extensions of one file, after a primary HDU without an image."""
    def make(place):
        images = [field(seed, 256, 1000, seeing=3.0, noise=20.0).astype(np.float32) for seed in (935, 936)]
        fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, images)]).writeto(place / "two.fits")
        (place / "default.param").write_text("NUMBER\n")

    both.prepare(make)
    both.run("two.fits", "-FILTER", "N", "-DEBLEND_NTHRESH", "1", "-CLEAN", "N", "-CATALOG_TYPE", "NONE", "-CHECKIMAGE_TYPE",
             "BACKGROUND,SEGMENTATION", "-CHECKIMAGE_NAME", "sky.fits,labels.fits")
    for name in "sky.fits", "labels.fits":
        def read(place):
            with fits.open(place / name) as file:
                file.verify("exception")
                assert file[0].data is None
                return [image.data.astype(float) for image in file[1:]]

        ours, theirs = both.each(read)
        assert len(ours) == len(theirs) == 2
        for mine, told in zip(ours, theirs):
            if name == "labels.fits":  # which are other numbers
                mine, told = (mine > 0).astype(float), (told > 0).astype(float)
            assert mine.shape == told.shape and np.mean(np.abs(mine - told) <= 1e-4 * np.abs(told).max()) > 0.9999


def test_the_image_that_comes_with_the_program(both):
    """With SExtractor's own defaults."""
    def make(place):
        shutil.copy(ROOT / "data/sky.fits", place)
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nFLUX_AUTO\nFLUXERR_AUTO\nFLAGS\nALPHA_J2000\n")
        (place / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")

    both.prepare(make)
    both.run("sky.fits", "-CATALOG_TYPE", "FITS_1.0")
    ours, theirs = both.each(fits_catalogue("test.cat"))
    own, other, of_mine, of_theirs = partners(columns_of(ours), columns_of(theirs))
    assert len(ours) == len(theirs) and of_mine == of_theirs > 0.99  # docs/sextractor.md: at BLANK pixels
    assert np.mean(ours["FLAGS"][own] & 255 == theirs["FLAGS"][other]) > 0.98
    assert np.abs(ours["ALPHA_J2000"][own] - theirs["ALPHA_J2000"][other]).max() < 1e-6
    apart = np.abs(ours["FLUX_AUTO"][own] - theirs["FLUX_AUTO"][other]) / theirs["FLUXERR_AUTO"][other]
    assert np.mean(apart[theirs["FLAGS"][other] & 2 == 0] < 1e-3) > 0.95


def read_skycat(path):
    """Rows of numbers between the line of dashes and [EOD], below a line of names."""
    text = path.read_text()
    head, rows = text.split("\n------------------\n")
    assert rows.rstrip().endswith("[EOD]")
    return head.splitlines()[-1].split(), np.array([line.split() for line in rows.splitlines()[:-1]], float)


def read_votable(path):
    from astropy.io.votable import parse
    table = next(parse(path, verify="ignore").iter_tables()).to_table()
    return table.colnames, np.transpose([table[name] for name in table.colnames])


def read_fits(hdu):
    def read(path):
        table = fits.getdata(path, hdu)
        return list(table.names), np.column_stack([table[name] for name in table.names])

    return read


def read_head(path):
    table = ascii.read(path, format="sextractor")
    return table.colnames, np.transpose([table[name] for name in table.colnames])


READERS = {"ASCII": lambda path: ([], np.loadtxt(path)), "ASCII_HEAD": read_head, "ASCII_SKYCAT": read_skycat,
           "ASCII_VOTABLE": read_votable, "FITS_1.0": read_fits(1), "FITS_LDAC": read_fits(2)}


def check_tables(ours, theirs):
    """Names, and rows in the order of X_IMAGE, the second column, of a field in which nothing is divided."""
    assert ours[0] == theirs[0]
    mine, told = (table[1][np.argsort(table[1][:, 1])] for table in (ours, theirs))
    assert mine.shape == told.shape and len(mine) > 50
    assert np.allclose(mine[:, 1:], told[:, 1:], rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("name", ["cat", "STDOUT"])
def test_types_of_catalogues(small, kind, name):
    # SExtractor's VOTables and SkyCat's headers do not tell the lengths of vectors.
    untold = kind in ("ASCII_VOTABLE", "ASCII_SKYCAT")
    columns = "NUMBER X_IMAGE Y_IMAGE FLUX_ISO FLAGS" + ("" if untold else " FLUX_APER(2)")
    small.prepare(lambda place: (place / "some.param").write_text(columns.replace(" ", "\n") + "\n"))
    texts = small.run("field.fits", "-CATALOG_TYPE", kind, "-CATALOG_NAME", name, "-PARAMETERS_NAME", "some.param")
    if name == "STDOUT" and kind.startswith("ASCII"):
        for place, text in zip(small.places.values(), reversed(texts)):
            (place / name).write_text(text)
    else:
        assert texts == ("", "")
    check_tables(*small.each(lambda place: READERS[kind](place / name)))


@pytest.mark.parametrize("kind", ["FITS_1.0", "FITS_LDAC"])
def test_tables_of_several_images(both, kind):
    """One for each, and of LDAC its header before it."""
    def make(place):
        images = [field(seed, 384, 1000, seeing=3.0, noise=20.0).astype(np.float32) for seed in (937, 938)]
        fits.HDUList([fits.PrimaryHDU(), *map(fits.ImageHDU, images)]).writeto(place / "two.fits")
        (place / "default.param").write_text("NUMBER\nX_IMAGE\nY_IMAGE\nFLUX_ISO\nEXT_NUMBER\n")

    both.prepare(make)
    both.run("two.fits", "-FILTER", "N", "-DEBLEND_NTHRESH", "1", "-CLEAN", "N", "-CATALOG_TYPE", kind)

    def read(place):
        with fits.open(place / "test.cat") as file:
            file.verify("exception")
            return [hdu.name for hdu in file], [read_fits(i)(place / "test.cat") for i, hdu in enumerate(file)
                                                if hdu.name.endswith("OBJECTS")]

    ours, theirs = both.each(read)
    assert ours[0] == theirs[0] and len(ours[1]) == len(theirs[1]) == 2
    for mine, told in zip(ours[1], theirs[1]):
        check_tables(mine, told)
