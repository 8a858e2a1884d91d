"""Configurations of public surveys, tests/truth/configurations, and the default.sex that SExtractor ships, given to
SExtractor and, by `srcextract convert-config`, to srcextract, over images such as these surveys have: one catalogue, by the
measures of test_default_sex.py, and no farther from SExtractor than it is from itself with another seed where it divides
pixels by lot. With -s the table of docs/sextractor.md is printed."""
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

fits = pytest.importorskip("astropy.io.fits")
pytest.importorskip("scipy.spatial")

import survey_fields
from oracle_fields import field
from sextractor import PROGRAM
from test_default_sex import FLUXES, OTHERS, allowed, partners

CONFIGURATIONS = pathlib.Path(__file__).parent / "configurations"
KERNELS = pathlib.Path("/usr/share/source-extractor")
# Limits that SExtractor's memory would set to what is in its catalogue, and a file to read.
ALL_OF_IT = ["-MEMORY_BUFSIZE", "4096", "-MEMORY_OBJSTACK", "65535", "-MEMORY_PIXSTACK", "10000000", "-VERBOSE_TYPE", "QUIET",
             "-CATALOG_TYPE", "FITS_1.0", "-CATALOG_NAME"]
COLUMNS = ["NUMBER", "X_IMAGE_DBL", "Y_IMAGE_DBL", "A_IMAGE", "ISOAREAF_IMAGE", "KRON_RADIUS", *FLUXES,
           *(name.replace("FLUX", "FLUXERR") for name in FLUXES), *OTHERS]
SIDE = 1024

if not PROGRAM:
    pytest.skip("no SExtractor (Debian's source-extractor) on PATH", allow_module_level=True)


def run(command, directory, **environment):
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True,
                          env=os.environ | {"KERNELS": str(KERNELS)} | environment)
    assert done.returncode == 0 and "overflow" not in done.stderr, done.stderr
    return done


def raw(seed, per_mpix, seeing, noise, saturation, gain, **more):
    """An exposure: its noise is of the sky, and stars of it are saturated, a little above the level of which that is said."""
    image = field(seed, SIDE, per_mpix, seeing=seeing, noise=noise, saturation=1.02 * saturation)
    return image, {"GAIN": gain, **more}


def default(directory):
    image, cards = raw(951, 1000, 3.0, 20.0, 50_000, 2.5)
    fits.writeto(directory / "field.fits", image, survey_fields.header(1.0, **cards))
    (directory / "survey.sex").write_text(run([PROGRAM, "-dd"], directory).stdout.replace("default.param", "survey.param"))
    shutil.copy(KERNELS / "default.conv", directory)


def stacks(directory, seed, seeing, noise, saturation, scale, gain):
    light = survey_fields.sources(seed, SIDE, 3000, seeing, noise)
    image, weight, seen = survey_fields.stack(seed, SIDE, noise, np.minimum(light, 1.02 * saturation))
    fits.writeto(directory / "field.fits", image, survey_fields.header(scale, GAIN=gain, SATURATE=saturation))
    fits.writeto(directory / "field.weight.fits", weight)
    fits.writeto(directory / "flag.fits", survey_fields.flags_of(seen, image, saturation))
    return light


def des(directory):
    light = stacks(directory, 952, 3.6, 6.0, 20_000.0, 0.263, 60.0)
    deep, weight, _ = survey_fields.stack(953, SIDE, 4.0, 1.2 * light, 18)
    fits.writeto(directory / "detect.fits", deep, survey_fields.header(0.263))
    fits.writeto(directory / "detect.weight.fits", weight)


def cfis(directory):
    stacks(directory, 954, 3.7, 4.0, 15_000.0, 0.187, 4000.0)


def galapagos(directory):
    image, cards = raw(955, 1500, 2.8, 12.0, 40_000, 0.5)
    fits.writeto(directory / "field.fits", image, survey_fields.header(0.339, **cards))


def cfhtlens(directory):
    image, cards = raw(956, 3000, 4.2, 15.0, 60_000, 1.6, SATURATE=60_000)
    fits.writeto(directory / "field.fits", image, survey_fields.header(0.186, **cards))


def meerlicht(directory):
    image, cards = raw(957, 20_000, 3.0, 20.0, 55_000, 2.2)
    fits.writeto(directory / "field.fits", image, survey_fields.header(0.564, **cards))


# How each field is made, and how near rows that are not divided are to be: of 1000 sources to a million pixels 99.5 %.
SURVEYS = {"default": (default, 0.995), "des_y6": (des, 0.985), "cfis_stack": (cfis, 0.985), "cfhtlens": (cfhtlens, 0.985),
           "galapagos_cold": (galapagos, 0.985), "galapagos_hot": (galapagos, 0.985), "meerlicht": (meerlicht, 0.985)}


def scene(directory, name):
    if name != "default":
        shutil.copy(CONFIGURATIONS / f"{name}.sex", directory / "survey.sex")
    SURVEYS[name][0](directory)
    (directory / "survey.param").write_text("\n".join(columns_of(directory)) + "\n")


def columns_of(directory):
    flags = ["IMAFLAGS_ISO(1)", "NIMAFLAGS_ISO(1)"] if (directory / "flag.fits").exists() else []
    return COLUMNS + flags


def theirs(directory, catalogue="their.cat", **environment):
    images = "detect.fits,field.fits" if (directory / "detect.fits").exists() else "field.fits"
    run([PROGRAM, images, "-c", "survey.sex", *ALL_OF_IT, catalogue], directory, **environment)
    table = fits.getdata(directory / catalogue, 1)
    return {column.removesuffix("_DBL").partition("(")[0]: np.ravel(table[column.partition("(")[0]]).astype(float)
            for column in columns_of(directory)}


def mine(program, directory):
    """Ours, and what the conversion said."""
    said = run([program, "convert-config", "survey.sex", "-o", "converted.yaml"], directory).stderr
    options = []
    if (directory / "detect.fits").exists():
        options = ["-d", "detect.fits", *re.search(r"for DETECT add (--detect-set .*)$", said, re.M)[1].split()]
    run([program, "-q", "-o", "out", "converted.yaml", "field.fits", "--set", "output.formats=[fits]", *options], directory)
    table = fits.getdata(directory / "out/field.cat.fits", 1)
    table = {name: np.ravel(table[name]).astype(float) for name in table.names if table[name].size == len(table)}
    return table | {"SNR": table["FLUX_ISO"] / table["FLUXERR_ISO"]}, said


def at(places, table):
    """Rows of both that are the same sources."""
    one, other, *_ = partners(places, table)
    return {name: values[one] for name, values in places.items()}, {name: values[other] for name, values in table.items()}


def apart(one, other):
    """How far fluxes of what is divided are from one another, in errors: median and 90 % of ISO and AUTO."""
    one, other = at(one, other)
    parts = other["FLAGS"].astype(int) & 2 == 2
    far = [np.abs(one[name] - other[name]) / other[name.replace("FLUX", "FLUXERR")] for name in FLUXES[:2]]
    return np.array([np.quantile(values[parts], q) for values in far for q in (0.5, 0.9)])


def shares(one, other):
    """Of rows that are not divided, those whose values of a column are the same; and of all those whose FLAGS are."""
    one, other = at(one, other)
    kept = ((other["FLAGS"].astype(int) & 2) == 0) & ~has_circle(other)
    equal = {column: (np.abs(one[column] - other[column]) <= allowed(column, one, other))[kept].mean()
             for column in [*FLUXES, *OTHERS[:3]]}
    return {"FLAGS": ((one["FLAGS"].astype(int) & 255) == other["FLAGS"].astype(int)).mean()} | equal


def has_circle(told):
    """Where PHOT_AUTOAPERS has made a circle of an ellipse, which the conversion says is lost."""
    return told["KRON_RADIUS"] == 0


def no_worse(share, least, chance, count):
    """Whether a share is as large as it is to be, or, where SExtractor with another seed agrees with itself less than that,
    as large as that is to within what `count` sources tell."""
    return share >= min(least, chance - 2 * np.sqrt(chance * (1 - chance) / count))


def row(*cells):
    return "| " + " | ".join(cells) + " |"


@pytest.mark.parametrize("name", SURVEYS)
def test_one_catalogue(program, tmp_path, name):
    scene(tmp_path, name)
    (found, said), told = mine(program, tmp_path), theirs(tmp_path)
    again = theirs(tmp_path, "again.cat", LD_PRELOAD=os.environ["SRCEXTRACT_ANOTHER_SEED"])
    again["SNR"] = again["FLUX_ISO"] / again["FLUXERR_ISO"]
    *_, of_mine, of_theirs = partners(found, told)
    ours, chance = shares(found, told), shares(again, told)
    by_rule, by_chance = apart(found, told), apart(again, told)
    parts = np.count_nonzero(told["FLAGS"].astype(int) & 2)
    print()
    print(row(f"`{name}`", f"{len(told['X_IMAGE'])}", f"{parts}", f"{of_mine:.2%}, {of_theirs:.2%}",
              *(f"{share:.1%}" for share in ours.values()), f"{by_rule[0]:.2f}, {by_rule[2]:.2f}"))
    print(row("itself", "", "", ", ".join(f"{share:.2%}" for share in partners(again, told)[2:]),
              *(f"{share:.1%}" for share in chance.values()), f"{by_chance[0]:.2f}, {by_chance[2]:.2f}"))
    tell_what_is_lost(said, *at(found, told))
    count = len(told["X_IMAGE"])
    assert count > 100 and no_worse(min(of_mine, of_theirs), 0.995, min(partners(again, told)[2:]), count)
    assert ours["FLAGS"] >= 0.99
    for column in [*FLUXES, *OTHERS[:3]]:
        least = 0.985 if "WIN" in column else SURVEYS[name][1]
        assert no_worse(ours[column], least, chance[column], count - parts), column
    if parts > 50:
        assert (by_rule[::2] <= 1.2 * by_chance[::2]).all()
    if parts > 200:
        assert (by_rule[1::2] <= 1.2 * by_chance[1::2]).all()


def tell_what_is_lost(said, mine, told):
    print(said, end="")
    print(f"{np.count_nonzero(has_circle(told))} circles of PHOT_AUTOAPERS")
    whole = (told["FLAGS"].astype(int) & 2) == 0
    for column in FLUXES:
        error = column.replace("FLUX", "FLUXERR")
        kept = whole & ~has_circle(told) & (told[error] > 0)
        far = np.abs(mine[error][kept] / told[error][kept] - 1)
        print(f"{error}: {(far < 1e-4).mean():.1%} the same, median {np.median(far):.2g}, 90 % {np.quantile(far, 0.9):.2g}")
    for column in ("IMAFLAGS_ISO", "NIMAFLAGS_ISO"):
        if column in told:
            same = (mine[column] == told[column])[whole]
            print(f"{column}: {same.mean():.2%} the same, {np.count_nonzero(told[column][whole])} set")
            assert same.mean() >= 0.985 and np.count_nonzero(told[column]) > 100
