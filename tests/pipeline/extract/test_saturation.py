"""4 in FLAGS: sources with a pixel at the saturation level, which the configuration or the header gives."""

import pytest

np = pytest.importorskip("numpy")

from stage_images import HEIGHT, RESULTS, WIDTH, field, rows, write_image

LEVEL = 80.0


def clipped(slope=0.0):
    """Stars cut off at the level, on a sky that rises; the ten stars are 20 to 200 bright on 20."""
    y, x = np.indices((HEIGHT, WIDTH))
    return np.minimum(field(1) + slope * x, LEVEL).astype(np.float32)


def flagged(path, pixels):
    """Whether each source has 4, and whether one of its pixels is at the level."""
    from astropy.io import fits
    labels = fits.getdata(path / "sky.seg.fits", "SEGMENTATION")
    found = rows(path / "sky.cat.csv")
    truth = [bool((pixels[labels == int(row["NUMBER"])] >= LEVEL).any()) for row in found]
    assert 0 < sum(truth) < len(truth)
    return [bool(int(row["FLAGS"]) & 4) for row in found], truth


@pytest.mark.parametrize("sky, slope", (("method: constant", 0.0), ("mesh_size: 16", 0.0), ("mesh_size: 16", 0.03)))
@pytest.mark.parametrize("kernel", ("none", "gaussian, sigma: 1"))
def test_pixels_at_the_level_of_the_configuration(extract, tmp_path, sky, slope, kernel):
    pixels = clipped(slope)
    write_image(tmp_path / "sky.fits", pixels)
    text = f"background: {{{sky}}}\nconvolve: {{kernel: {kernel}}}\nmeasurement: {{saturation: {LEVEL}}}\n{RESULTS}"
    mine, truth = flagged(extract("out", text, "sky.fits"), pixels)
    assert mine == truth


def test_the_level_of_the_header(extract, tmp_path):
    pixels = clipped()
    write_image(tmp_path / "sky.fits", pixels, SATURATE=LEVEL)
    text = f"measurement: {{saturation_keyword: SATURATE, saturation: 1.0e+9}}\n{RESULTS}"
    mine, truth = flagged(extract("out", text, "sky.fits"), pixels)
    assert mine == truth


def test_without_a_level_nothing_is_flagged(run, configure, extract, tmp_path):
    write_image(tmp_path / "sky.fits", clipped())
    found = rows(extract("none", RESULTS, "sky.fits") / "sky.cat.csv")
    assert found and not any(int(row["FLAGS"]) & 4 for row in found)
    configure("measurement: {saturation_keyword: SATURATE}\noutput: {formats: [csv]}\n")
    done = run("config.yaml", "sky.fits", "-o", "out")
    assert done.code == 0 and "has no SATURATE" in done.err
    assert rows(tmp_path / "out" / "sky.cat.csv") and not any(
        int(row["FLAGS"]) & 4 for row in rows(tmp_path / "out" / "sky.cat.csv"))


def test_levels_that_are_none(run, configure, tmp_path):
    write_image(tmp_path / "sky.fits", clipped(), SATURATE="much")
    for text, code, words in (("saturation_keyword: saturate", 2, "no FITS keyword"), ("saturation: -1", 2, "at least 0")):
        configure(f"measurement: {{{text}}}\n")
        done = run("config.yaml", "sky.fits", "-o", "out")
        assert done.code == code and words in done.err, done.err
        assert not list(tmp_path.glob("out/*"))
    for text, words in (("saturation_keyword: SATURATE", "so no source is flagged"),
                        (f"saturation_keyword: SATURATE, saturation: {LEVEL}", "so measurement.saturation, ")):
        configure(f"measurement: {{{text}}}\noutput: {{formats: [csv]}}\n")
        done = run("config.yaml", "sky.fits", "-o", "told")
        assert done.code == 0 and "SATURATE = 'much' of its header is no number above 0" in done.err and words in done.err
        assert any(int(row["FLAGS"]) & 4 for row in rows(tmp_path / "told/sky.cat.csv")) == ("saturation:" in text)
