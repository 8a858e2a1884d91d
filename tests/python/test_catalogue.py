"""A catalogue as astropy, Arrow, pandas, photutils, matplotlib and notebooks have it."""
import xml.etree.ElementTree

import numpy
import pytest

import srcextract

fits = pytest.importorskip("astropy.io.fits")
table = pytest.importorskip("astropy.table")

COLUMNS = {"output__columns": ["default", "photometry"], "measurement__apertures": [3, 5, 8]}


@pytest.fixture(scope="module", params=["default", "photometry"])
def found(request, sky_path):
    return srcextract.extract(sky_path, {"extends": "none"}, **(COLUMNS if request.param == "photometry" else {}))


@pytest.mark.parametrize("ending", ["ecsv", "fits"])
def test_the_table_is_what_astropy_reads_of_the_file(found, ending, tmp_path):
    found.write(tmp_path / f"found.{ending}")
    read, made = table.Table.read(tmp_path / f"found.{ending}"), found.table
    assert read.colnames == made.colnames
    for name in read.colnames:
        assert read[name].unit == made[name].unit, name
        assert read[name].dtype.newbyteorder("=") == made[name].dtype, name
        numpy.testing.assert_array_equal(read[name], made[name], name)
    for name in made.colnames:
        assert made[name].description and made[name].meta["ucd"]
    if ending == "ecsv":
        assert {name: read[name].description for name in made.colnames} == {
            name: made[name].description for name in made.colnames}


def test_arrow_has_what_the_parquet_file_has(found, tmp_path):
    pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    found.write(tmp_path / "found.parquet")
    read, made = parquet.read_table(tmp_path / "found.parquet"), found.to_arrow()
    made.validate(full=True)
    for theirs, mine in zip(read.schema, made.schema, strict=True):
        assert theirs.equals(mine, check_metadata=True)
    assert read.replace_schema_metadata(None).equals(made.replace_schema_metadata(None)) and made.num_rows == 251
    assert made["X_IMAGE"].chunk(0).buffers()[1].address == found["X_IMAGE"].__array_interface__["data"][0]


def test_pandas_has_the_columns(found):
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert list(frame.columns) == found.columns and len(frame) == 251
    for name in found.columns:
        values = found[name]  # of several apertures they are in one array, and a frame has a column for each
        numpy.testing.assert_array_equal(frame[name].to_numpy(), values if values.ndim == 1 else values[:, 0])


def test_photutils_measures_the_same_sources(sky_path):
    segmentation = pytest.importorskip("photutils.segmentation")
    found = srcextract.extract(sky_path, {"extends": "none"})
    with fits.open(sky_path) as hdus:
        pixels = hdus[0].data.astype("f8")
    arguments = found.to_photutils()
    measured = segmentation.SourceCatalog(numpy.nan_to_num(pixels - found.background), **arguments)
    numpy.testing.assert_array_equal(measured.labels, found["NUMBER"])
    numpy.testing.assert_allclose(measured.segment_flux, found["FLUX_ISO"], rtol=1e-5)
    centroids = numpy.array(measured.centroid)
    numpy.testing.assert_allclose(centroids, numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]) - 1, atol=1e-4)
    sky = measured.sky_centroid
    numpy.testing.assert_allclose(sky.ra.deg, found["ALPHA_J2000"], atol=1e-7)


def test_a_notebook_shows_a_table(found):
    text = found._repr_html_()
    cells = xml.etree.ElementTree.fromstring(f"<div>{text.replace('<br>', '<br/>')}</div>")
    assert len(cells.findall("table/tbody/tr")) == 8 and "243 more" in text
    assert [cell.text for cell in cells.findall("table/thead/tr/th")] == found.columns
    odd = srcextract.extract(numpy.random.default_rng(1).normal(0, 1, (64, 64)), name="<b> & 'x'")
    xml.etree.ElementTree.fromstring(f"<div>{odd._repr_html_().replace('<br>', '<br/>')}</div>")
    assert "251 sources" in repr(found) and "1024 x 1024" in repr(found)


def test_a_plot_has_an_ellipse_for_every_source(found, sky_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import collections, pyplot
    with fits.open(sky_path) as hdus:
        for image in (None, sky_path, hdus[0]):
            ax = found.plot(image=image)
            ellipses, = [one for one in ax.collections if isinstance(one, collections.EllipseCollection)]
            offsets = numpy.asarray(ellipses.get_offsets())
            numpy.testing.assert_allclose(offsets[:, 0], found["X_IMAGE"] - 1, atol=1e-4)
            assert ax.images[0].get_array().shape == found.shape
            ax.figure.canvas.draw()
            pyplot.close(ax.figure)
    _, mine = pyplot.subplots()
    assert found.plot(mine, color="cyan", cmap="magma") is mine
    pyplot.close("all")


def test_no_sources_are_a_catalogue_as_well(tmp_path):
    found = srcextract.extract(numpy.random.default_rng(2).normal(100, 5, (80, 90)), detection__threshold=50)
    assert len(found) == 0 and len(found.table) == 0 and "0 sources" in repr(found)
    assert not found.segmentation.any()
    found._repr_html_()
    if pytest.importorskip("pyarrow"):
        assert found.to_arrow().num_rows == 0
    found.write(tmp_path / "none.ecsv")
    assert len(table.Table.read(tmp_path / "none.ecsv")) == 0


def test_columns_outlive_the_catalogue(sky_path):
    import gc
    found = srcextract.extract(sky_path)
    x, segments = found["X_IMAGE"], found.segmentation
    before = x.copy(), segments.sum()
    del found
    gc.collect()
    [numpy.ones(100_000) for _ in range(20)]
    numpy.testing.assert_array_equal(x, before[0])
    assert segments.sum() == before[1]
