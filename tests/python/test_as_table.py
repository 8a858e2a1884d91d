"""A catalogue as a table of other packages: rows, chosen columns, Arrow's stream, arrays, astropy, file objects."""
import io

import numpy
import pytest

import srcextract as sx

table = pytest.importorskip("astropy.table")

COLUMNS = {"output__columns": ["default", "photometry"], "measurement__apertures": [3, 5, 8]}


@pytest.fixture(scope="module")
def found():
    return sx.extract(sx.data.sky(), **COLUMNS)


@pytest.fixture(scope="module")
def carried():
    """With text and columns of its own, whose names end in numbers."""
    places = table.Table({"X": [100.0, 200.0, 300.0], "Y": [50.0, 60.0, 70.0], "WHO": ["a", "b", "ç"], "MAG": [1, 2, 3], "MAG_1": [4, 5, 6]})
    return sx.extract(sx.data.sky(), positions=places, measurement__apertures=[3, 6])


def test_a_loop_goes_over_rows(found):
    rows = list(found)
    assert len(rows) == len(found) and list(rows[0]) == found.table.colnames
    for at in 0, 7, len(found) - 1:
        assert rows[at]["X_IMAGE"] == found["X_IMAGE"][at]
        numpy.testing.assert_array_equal(rows[at]["FLUX_APER"], found["FLUX_APER"][at])
    assert [row["NUMBER"] for row in found[found["SNR"] > 20]] == list(found["NUMBER"][found["SNR"] > 20])
    assert list(found[:0]) == [] and "X_IMAGE" in found and "FLUX_APER_2" in found.keys()


def test_names_and_columns_are_those_of_a_dict(found, carried):
    for one in found, carried[1:]:
        assert [name for name, _ in one.items()] == list(one.keys()) == one.columns
        for name, values in one.items():
            numpy.testing.assert_array_equal(values, one[name])
        assert dict(one).keys() == one.keys()


def test_columns_are_chosen(found, carried):
    some = found[["SNR", "FLUX_APER", "X_IMAGE"]]
    assert isinstance(some, sx.Catalogue) and len(some) == len(found)
    assert some.columns == ["SNR", "FLUX_APER", "FLUX_APER_1", "FLUX_APER_2", "X_IMAGE"] and some.table.colnames == ["SNR", "FLUX_APER", "X_IMAGE"]
    numpy.testing.assert_array_equal(some["FLUX_APER"], found["FLUX_APER"])
    for key in ("X_IMAGE", "Y_IMAGE"), numpy.array(["X_IMAGE", "Y_IMAGE"]), ["X_IMAGE", "Y_IMAGE", "X_IMAGE"]:
        assert found[key].columns == ["X_IMAGE", "Y_IMAGE"]
    bright = found["SNR"] > 20
    for part in found[bright][["X_IMAGE"]][3:9], found[["X_IMAGE", "SNR"]][bright][3:9][["X_IMAGE"]]:
        assert part.columns == ["X_IMAGE"]
        numpy.testing.assert_array_equal(part["X_IMAGE"], found["X_IMAGE"][bright][3:9])
    assert found[["FLUX_APER_1"]].columns == ["FLUX_APER_1"] and found[["FLUX_APER_1"]]["FLUX_APER_1"].ndim == 1
    assert carried[["MAG", "WHO"]].columns == ["MAG", "WHO"] and list(carried[["WHO"]]["WHO"]) == ["a", "b", "ç"]
    with pytest.raises(KeyError, match="no column 'FLUX_AUTOS'; did you mean 'FLUX_AUTO'"):
        found[["X_IMAGE", "FLUX_AUTOS"]]
    with pytest.raises(KeyError, match="no column 'SNR'.*there are X_IMAGE"):
        found[["X_IMAGE"]]["SNR"]
    assert some.segmentation.shape == found.shape and "5 columns" in repr(some)


@pytest.mark.parametrize("ending", ["fits", "ecsv", "vot", "parquet", "csv"])
def test_chosen_columns_are_written(found, carried, ending, tmp_path):
    def read(path):
        if ending == "parquet":
            return pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()
        return table.Table.read(path, format={"vot": "votable", "csv": "ascii.csv"}.get(ending))

    for whole, names in (found, ["SNR", "FLUX_APER", "X_IMAGE"]), (carried, ["MAG_APER", "X_IMAGE", "WHO", "MAG"]), (found, ["FLUX_ISO"]):
        whole[::2].write(tmp_path / f"whole.{ending}")
        whole[names][::2].write(tmp_path / f"part.{ending}")
        every, part = read(tmp_path / f"whole.{ending}"), read(tmp_path / f"part.{ending}")
        numbered = [one for name in names for one in (name, f"{name}_1", f"{name}_2")]  # CSV has a column for each aperture
        of_own = [name for name in numbered if name in every.keys() and name != "MAG_1"]
        assert list(part.keys()) == of_own
        for name in part.keys():
            assert list(map(str, part[name])) == list(map(str, every[name]))


def test_regions_need_no_chosen_positions(found, tmp_path):
    found.write(tmp_path / "whole.reg")
    found[["FLUX_ISO"]].write(tmp_path / "part.reg")
    assert (tmp_path / "part.reg").read_bytes() == (tmp_path / "whole.reg").read_bytes()


def test_chosen_columns_are_pickled(found):
    import pickle
    part = pickle.loads(pickle.dumps(found[["X_IMAGE", "FLUX_APER"]][3:5]))
    assert part.table.colnames == ["X_IMAGE", "FLUX_APER"] and list(part["X_IMAGE"]) == list(found["X_IMAGE"][3:5])


def test_polars_has_the_columns(found, carried):
    polars = pytest.importorskip("polars")
    for one in found, carried, found[found["SNR"] > 20][["X_IMAGE", "FLUX_APER"]]:
        frame = polars.DataFrame(one)
        assert frame.columns == one.table.colnames and len(frame) == len(one)
        for name in frame.columns:
            numpy.testing.assert_array_equal(frame[name].to_numpy(), one[name])


def test_duckdb_asks_it(found):
    duckdb = pytest.importorskip("duckdb")
    bright = duckdb.sql("SELECT NUMBER, FLUX_APER[2] AS FLUX FROM found WHERE SNR > 20 ORDER BY SNR DESC").fetchall()
    order = numpy.argsort(-found["SNR"])
    expected = [at for at in order if found["SNR"][at] > 20]
    assert [number for number, _ in bright] == list(found["NUMBER"][expected])
    numpy.testing.assert_array_equal([flux for _, flux in bright], found["FLUX_APER"][expected, 1])


def test_arrow_takes_it_without_a_copy(found):
    pyarrow = pytest.importorskip("pyarrow")
    taken = pyarrow.table(found)
    assert taken.equals(found.to_arrow()) and taken.schema.metadata[b"name"] == found.name.encode()
    assert taken["X_IMAGE"].chunk(0).buffers()[1].address == found["X_IMAGE"].__array_interface__["data"][0]


def test_pandas_takes_it(found, carried):
    pandas = pytest.importorskip("pandas")
    for one in found, carried[1:]:
        pandas.testing.assert_frame_equal(pandas.DataFrame(numpy.asarray(one)), one.to_pandas(), check_dtype=False)
        if hasattr(pandas.DataFrame, "from_arrow"):
            frame = pandas.DataFrame.from_arrow(one)
            assert list(frame.columns) == one.table.colnames and list(frame["X_IMAGE"]) == list(one["X_IMAGE"])


def test_numpy_has_a_field_for_each_column(found, carried):
    for one in found, carried, found[5:9][["X_IMAGE", "FLAGS"]]:
        array = numpy.asarray(one)
        assert array.shape == (len(one),) and list(array.dtype.names) == one.columns
        for name in one.columns:
            values = one[name]
            numpy.testing.assert_array_equal(array[name], values if values.ndim == 1 else values[:, 0])
    places = numpy.array(found[["X_IMAGE", "Y_IMAGE"]], dtype=float)
    numpy.testing.assert_array_equal(places, numpy.column_stack([found["X_IMAGE"], found["Y_IMAGE"]]))
    with pytest.raises(ValueError, match="is a copy"):
        numpy.asarray(found, copy=False)


def test_astropy_takes_it(found, carried):
    for one in found, carried[:2], found[["X_IMAGE", "FLUX_APER"]]:
        for kind in table.Table, table.QTable:
            made, expected = kind(one), kind(one.table)
            assert type(made) is kind and made.colnames == expected.colnames and made.meta == expected.meta
            for name in made.colnames:
                numpy.testing.assert_array_equal(made[name], expected[name])
                assert made[name].unit == expected[name].unit and made[name].info.description == expected[name].info.description
    made = table.Table(found)
    made["X_IMAGE"][0] = -1
    assert found["X_IMAGE"][0] > 0
    assert len(table.vstack([table.Table(found[:3]), table.Table(found[5:7])])) == 5


def test_it_is_positions_and_an_image_no_more_than_before(found):
    """What it has for other packages does not make it an array for the package itself."""
    some = found[::50]
    numpy.testing.assert_allclose(sx.extract(sx.data.sky(), positions=some)["X_IMAGE"], some["X_IMAGE"], atol=1e-4)
    forced = sx.extract(sx.data.sky(), positions=some[["X_IMAGE", "Y_IMAGE"]])
    numpy.testing.assert_allclose(forced["X_IMAGE"], some["X_IMAGE"], atol=1e-4)
    assert sx.compare(found, found).within
    with pytest.raises(sx.SrcextractError):
        sx.extract(found)


@pytest.mark.parametrize("format", ["fits", "ldac", "ecsv", "csv", "votable", "parquet", "reg"])
def test_a_file_object_has_the_bytes_of_the_file(found, format, tmp_path):
    part, memory = found[:20], io.BytesIO()
    part.write(tmp_path / "file", format)
    part.write(memory, format)
    assert memory.getvalue() == (tmp_path / "file").read_bytes()
    with open(tmp_path / "opened", "wb") as file:
        part.write(file, format)
    assert (tmp_path / "opened").read_bytes() == memory.getvalue()


def test_file_objects_of_text_and_without_a_format(found, tmp_path):
    text = io.StringIO()
    found.write(text, "csv")
    found.write(tmp_path / "found.csv")
    assert text.getvalue() == (tmp_path / "found.csv").read_text()
    with pytest.raises(sx.ConfigError, match=r"a file object has no ending; give the format, as in write\(file, 'fits'\)"):
        found.write(io.BytesIO())


def test_a_column_is_made_when_it_is_read(found):
    part = found[found["SNR"] > 20]
    part["X_IMAGE"]
    assert list(part._read) == [("X_IMAGE",)]
