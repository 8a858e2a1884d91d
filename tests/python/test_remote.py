"""Images at http:// and s3://: the catalogue of the local file, cut-outs that fetch the tiles they need, and errors. The
servers are real, and on this machine."""
import concurrent.futures
import logging
import multiprocessing
import pathlib
import re
import subprocess
import sys

import numpy
import pytest

import srcextract
from remote_server import serving, serving_s3

astropy = pytest.importorskip("astropy", "5.3")  # sections of compressed images
fits = pytest.importorskip("astropy.io.fits")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("aiohttp")
nddata = pytest.importorskip("astropy.nddata")
wcs = pytest.importorskip("astropy.wcs")

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
TILE, SIDE, BLOCK = 64, 1536, 1 << 14
CORNER, SHAPE = (700, 260), (200, 300)
ROWS, COLUMNS = (slice(first, first + length) for first, length in zip(CORNER, SHAPE))


def stars(seed):
    """Moffat stars, elliptical, on a sky with a gradient."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:SIDE, :SIDE]
    image = random.normal(500 + 0.01 * x, 8)
    y, x = numpy.mgrid[-12:13, -12:13]
    star = (1 + (x**2 + 0.7 * y**2 + 0.3 * x * y) / 6.0)**-2.5
    for row, column in random.integers(13, SIDE - 13, (SIDE * SIDE // 1500, 2)):
        image[row - 12:row + 13, column - 12:column + 13] += random.uniform(200, 4000) * star
    return image


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sky_path):
    made = tmp_path_factory.mktemp("served")
    header = fits.Header([("CTYPE1", "RA---TAN"), ("CTYPE2", "DEC--TAN"), ("CRVAL1", 150.0), ("CRVAL2", 2.2), ("CRPIX1", 700.0),
                          ("CRPIX2", 800.0), ("CD1_1", -7e-5), ("CD1_2", 1e-6), ("CD2_1", 1e-6), ("CD2_2", 7e-5), ("GAIN", 1.7)])
    image = stars(3)
    for kind, pixels in ("RICE_1", image.astype("i2")), ("GZIP_2", image.astype("f4")):
        fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(pixels, header, name="SCI", compression_type=kind, tile_shape=(TILE, TILE),
                                                           quantize_level=0)]).writeto(made / f"{kind}.fits.fz")
    fits.PrimaryHDU(image.astype("f4"), header).writeto(made / "plain.fits")
    (made / "sky.fits").write_bytes(sky_path.read_bytes())
    (made / "text.fits").write_text("no image")
    (made / "known.csv").write_text("X,Y\n100,200\n300.5,400.25\n")
    return made


@pytest.fixture(scope="module")
def server(folder):
    with serving(folder) as files:
        yield files


@pytest.fixture
def files(server):
    server.forget()
    server.ranges, server.break_after, server.secret = True, None, None
    return server


@pytest.fixture(scope="module")
def bucket(folder):
    pytest.importorskip("moto.server", exc_type=ImportError)
    boto3 = pytest.importorskip("boto3")
    pytest.importorskip("s3fs")
    with serving_s3() as application:
        client = boto3.client("s3", endpoint_url=application.address, region_name="us-east-1", aws_access_key_id="mine",
                              aws_secret_access_key="secret")
        client.create_bucket(Bucket="night")
        for path in folder.iterdir():
            client.upload_file(str(path), "night", f"deep/{path.name}", ExtraArgs={"ACL": "public-read"})
        yield application


@pytest.fixture
def s3(bucket, monkeypatch):
    """The server, which this process finds and has credentials for."""
    import s3fs
    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket.address)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    s3fs.S3FileSystem.clear_instance_cache()
    bucket.sent = 0
    yield bucket
    s3fs.S3FileSystem.clear_instance_cache()


def written(found, path):
    found.write(path)
    return path.read_bytes()


def assert_same(found, expected):
    assert len(found) == len(expected) > 5 and found.columns == expected.columns
    for name in expected.columns:
        numpy.testing.assert_array_equal(found[name], expected[name], name)


@pytest.mark.parametrize("name", ["plain.fits", "RICE_1.fits.fz", "GZIP_2.fits.fz", "sky.fits"])
def test_an_address_gives_the_bytes_of_the_file(name, files, folder, tmp_path):
    expected = written(srcextract.extract(folder / name), tmp_path / "local.cat.fits")
    found = srcextract.extract(f"{files.address}/{name}")
    assert written(found, tmp_path / "remote.cat.fits") == expected
    assert found.name == f"{files.address}/{name}"
    assert files.sent == (folder / name).stat().st_size


def test_a_server_without_ranges_will_do(files, folder):
    files.ranges = False
    expected = srcextract.extract(folder / "plain.fits")
    assert_same(srcextract.extract(f"{files.address}/plain.fits"), expected)
    assert_same(srcextract.extract(fsspec.open(f"{files.address}/plain.fits")), expected)


def test_further_ways_to_name_it(files, folder, tmp_path):
    address = f"{files.address}/RICE_1.fits.fz"
    expected = srcextract.extract(folder / "RICE_1.fits.fz", input__hdu="SCI")
    for image in (fsspec.open(address), f"filecache::{address}", f"file://{folder}/RICE_1.fits.fz"):
        assert_same(srcextract.extract(image, input__hdu="SCI"), expected)
    with fsspec.open(address) as file:
        assert_same(srcextract.extract(file, input__hdu="SCI"), expected)
    with fits.open(address, use_fsspec=True) as hdus:
        assert_same(srcextract.extract(hdus), expected)


def test_references_and_positions_may_be_addresses_too(files, folder):
    local = srcextract.difference(folder / "plain.fits", folder / "RICE_1.fits.fz")
    remote = srcextract.difference(f"{files.address}/plain.fits", f"{files.address}/RICE_1.fits.fz")
    assert remote.columns == local.columns and len(remote) == len(local)
    forced = srcextract.extract(f"{files.address}/plain.fits", positions=f"{files.address}/known.csv")
    assert list(forced["X_IMAGE"]) == [100, 300.5] and list(forced["Y_IMAGE"]) == [200, 400.25]


def test_pictures_fetch_the_image_again(files, folder):
    found = srcextract.extract(f"{files.address}/sky.fits")
    numpy.testing.assert_array_equal(found.cutouts(9, image=found.name), srcextract.extract(folder / "sky.fits").cutouts(9))


def needed(path):
    """The bytes of the tiles that the cut-out touches, by the table of the file, and those before the first tile."""
    with fits.open(path, disable_image_compression=True) as hdus:
        table = hdus[1]
        lengths = table.data.field("COMPRESSED_DATA")
        across = -(-SIDE // TILE)
        tiles = [row * across + column for row in range(ROWS.start // TILE, (ROWS.stop - 1) // TILE + 1)
                 for column in range(COLUMNS.start // TILE, (COLUMNS.stop - 1) // TILE + 1)]
        before = table.fileinfo()["datLoc"] + table.header["NAXIS1"] * table.header["NAXIS2"]
        return sum(len(lengths[tile]) for tile in tiles), before


def cut_out(address, keys):
    """The cut-out as astropy makes it, and the header of the whole."""
    with fits.open(address, use_fsspec=True, fsspec_kwargs=keys) as hdus:
        hdu = hdus["SCI"]
        middle = [first + (length - 1) / 2 for first, length in zip(CORNER, SHAPE)]
        made = nddata.Cutout2D(hdu.section, middle[::-1], SHAPE, wcs=wcs.WCS(hdu.header))
        return made, hdu.header.copy()


@pytest.mark.parametrize("kind", ["RICE_1", "GZIP_2"])
def test_a_cut_out_fetches_its_tiles_and_no_others(kind, files, folder):
    path = folder / f"{kind}.fits.fz"
    tiles, before = needed(path)
    assert tiles + before < path.stat().st_size / 8
    made, header = cut_out(f"{files.address}/{path.name}", {"block_size": BLOCK})
    # A row of tiles is one stretch of the file, which is read with a block more; so are the headers and the table of tiles.
    stretches = 1 + (ROWS.stop - 1) // TILE + 1 - ROWS.start // TILE
    assert tiles < files.sent < before + tiles + 2 * BLOCK * stretches < path.stat().st_size / 3
    whole = fits.getdata(path, "SCI")
    numpy.testing.assert_array_equal(made.data, whole[ROWS, COLUMNS])
    expected = srcextract.extract(numpy.ascontiguousarray(whole[ROWS, COLUMNS]), header=header, wcs=wcs.WCS(header)[ROWS, COLUMNS])
    assert_same(srcextract.extract(made, header=header), expected)


@pytest.mark.parametrize("kind", ["RICE_1", "GZIP_2"])
def test_places_and_errors_in_a_cut_out_are_those_in_the_whole(kind, files, folder):
    """The header gives the cut-out its GAIN, and its own WCS the places on the sky."""
    pytest.importorskip("scipy")
    from astropy import units
    made, header = cut_out(f"{files.address}/{kind}.fits.fz", {"block_size": BLOCK})
    whole = srcextract.extract(folder / f"{kind}.fits.fz", detection__threshold=20)
    part = srcextract.extract(made, header=header, detection__threshold=20)
    inside = part[numpy.all([(part[name] > 30) & (part[name] < length - 30)
                             for name, length in zip(("Y_IMAGE", "X_IMAGE"), SHAPE)], axis=0)]
    pairs = inside.match(whole, 0.1 * units.arcsec)
    assert len(pairs.rows) >= 0.9 * len(inside) >= 5
    errors = inside["FLUXERR_ISO"][pairs.rows] / whole["FLUXERR_ISO"][pairs.other_rows]
    assert abs(numpy.median(errors) - 1) < 0.02
    poorer = srcextract.extract(made, detection__threshold=20)  # without the header there is no GAIN
    assert numpy.median(poorer["FLUXERR_ISO"]) < 0.9 * numpy.median(part["FLUXERR_ISO"])


def test_the_example_of_the_documents_runs(files, folder):
    page = DOCS / "python.md"
    if not page.is_file():
        pytest.skip("no data: docs/ is not here")
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    code, = (block for block in blocks if "https://archive.example" in block)
    assert code.count("https://archive.example/field.fits.fz") == 2
    names = {}  # it imports what it uses
    exec(code.replace("https://archive.example/field.fits.fz", f"{files.address}/RICE_1.fits.fz"), names)
    assert len(names["found"]) > 5 and names["found"].shape == (300, 400)


def test_a_header_replaces_nothing_of_a_cut_out_but_what_it_lacks(folder):
    """Also of a local file: the WCS is the cut-out's."""
    with fits.open(folder / "plain.fits") as hdus:
        header = hdus[0].header
        made = nddata.Cutout2D(hdus[0].data, (410, 800), SHAPE, wcs=wcs.WCS(header))
        found = srcextract.extract(made, header=header)
        sky = made.wcs.all_pix2world(found["X_IMAGE"], found["Y_IMAGE"], 1)
        numpy.testing.assert_allclose([found["ALPHA_J2000"], found["DELTA_J2000"]], sky, rtol=1e-9)
        assert len(found) > 5
        whole = srcextract.extract(made, header=header, wcs=wcs.WCS(header))
        assert abs(whole["ALPHA_J2000"] - found["ALPHA_J2000"]).min() > 1e-3


@pytest.mark.parametrize("name", ["plain.fits", "RICE_1.fits.fz"])
def test_s3_gives_the_bytes_of_the_file(name, s3, folder, tmp_path):
    expected = written(srcextract.extract(folder / name), tmp_path / "local.cat.fits")
    assert written(srcextract.extract(f"s3://night/deep/{name}"), tmp_path / "remote.cat.fits") == expected


def test_a_cut_out_at_s3_fetches_its_tiles(s3, folder):
    path = folder / "RICE_1.fits.fz"
    tiles, before = needed(path)
    made, header = cut_out("s3://night/deep/RICE_1.fits.fz", {"default_block_size": BLOCK})
    assert tiles < s3.sent < path.stat().st_size / 3
    whole = numpy.ascontiguousarray(fits.getdata(path, "SCI")[ROWS, COLUMNS])
    assert_same(srcextract.extract(made, header=header),
                srcextract.extract(whole, header=header, wcs=wcs.WCS(header)[ROWS, COLUMNS]))


@pytest.fixture
def guarded(s3):
    """The server, which from here on asks for real keys."""
    import urllib.request

    def reset(count):
        urllib.request.urlopen(urllib.request.Request(f"{s3.address}/moto-api/reset-auth", str(count).encode(),
                                                      {"Content-Type": "text/plain"}, method="POST")).close()

    reset(0)
    yield s3
    reset(10**9)


def refused(image, match, **keys):
    with pytest.raises(srcextract.InputError, match=match) as raised:
        srcextract.extract(image, **keys)
    assert "/proc" not in str(raised.value)
    return str(raised.value)


def test_wrong_keys_of_s3_are_told(guarded):
    told = refused("s3://night/deep/sky.fits", "^s3://night/deep/sky.fits: the server does not let you read it")
    assert "AWS_ACCESS_KEY_ID" in told and "anon=True" in told


def test_no_keys_for_s3_are_told(s3, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    assert "AWS_PROFILE" in refused("s3://night/deep/sky.fits", "does not let you read it")
    srcextract.extract(fsspec.open("s3://night/deep/sky.fits", anon=True))


def test_what_is_not_there_is_told(files, s3):
    refused(f"{files.address}/lost.fits", "lost.fits: the server has no such file; check the address")
    refused(fsspec.open(f"{files.address}/lost.fits"), "no such file")
    refused("s3://night/deep/lost.fits", "^s3://night/deep/lost.fits: the server has no such file")
    refused("s3://dawn/deep/lost.fits", "no such file")
    refused(f"{files.address}/text.fits", f"^{files.address}/text.fits: ")


@pytest.mark.parametrize("bytes_sent", [0, 100_000])
def test_a_connection_that_breaks_is_told(bytes_sent, files):
    files.break_after = bytes_sent
    address = f"{files.address}/plain.fits"
    told = "the connection broke.*try again, or fetch it to a file"
    refused(address, told)
    refused(fsspec.open(address), told)
    files.break_after = None
    with fsspec.open(address, block_size=1 << 20) as file:
        file.read(10)
        files.break_after = bytes_sent
        refused(file, told)
    files.break_after = None
    with fits.open(address, use_fsspec=True, fsspec_kwargs={"block_size": BLOCK}) as hdus:
        hdus[0].header
        files.break_after = bytes_sent
        refused(hdus[0], told)


def test_no_server_is_told(folder):
    with serving(folder) as gone:
        address = f"{gone.address}/plain.fits"
    refused(address, "the connection broke, or the server failed.*try again")


def test_a_part_of_a_server_without_ranges_is_told(files):
    files.ranges = False
    with fits.open(f"{files.address}/plain.fits", use_fsspec=True, fsspec_kwargs={"block_size": BLOCK}) as hdus:
        refused(hdus[0], "sends whole files only.*give the address itself")


def test_a_password_is_asked_for_and_not_told(files, folder, caplog):
    files.secret = "Bearer xyz"
    address = f"{files.address}/plain.fits"
    assert "headers=" in refused(address, "does not let you read it .*401")
    assert_same(srcextract.extract(fsspec.open(address, headers={"Authorization": "Bearer xyz"})), srcextract.extract(folder / "plain.fits"))
    files.secret = None
    with caplog.at_level(logging.INFO, "srcextract"):
        found = srcextract.extract(f"{files.address}/plain.fits?X-Amz-Signature=abc123&part=2")
    assert found.name.endswith("plain.fits?X-Amz-Signature=&part=2") and "abc123" not in caplog.text
    assert "abc123" not in refused(f"{files.address}/lost.fits?token=abc123", "lost.fits")
    assert "hush" not in refused(f"{files.address.replace('http://', 'http://me:hush@')}/lost.fits", "lost.fits")


def test_an_unknown_kind_of_address_is_told():
    refused("gopher://host/sky.fits", "gopher.*fsspec knows http, https, s3")


@pytest.mark.parametrize("package, address", [("fsspec", "https://host/sky.fits"), ("aiohttp", "https://host/sky.fits"),
                                              ("s3fs", "s3://night/sky.fits")])
def test_a_missing_package_is_told(package, address):
    code = (f"import sys; sys.modules[{package!r}] = None\nimport srcextract\n"
            f"try: srcextract.extract({address!r})\nexcept ModuleNotFoundError as error: print(error)")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith(f"{address}: a package that fetches it is not installed") and "pip install fsspec aiohttp s3fs" in told


def test_many_addresses_are_extracted_in_order_and_their_failures_named(files, folder):
    names = ["plain.fits", "lost.fits", "sky.fits", "text.fits", "RICE_1.fits.fz"]
    expected = list(srcextract.extract_many([folder / name for name in names], progress=False))
    images = [f"{files.address}/{name}" for name in names]
    images.insert(2, folder / "plain.fits")
    expected.insert(2, expected[0])
    for pool in (None, concurrent.futures.ThreadPoolExecutor(2),
                 concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork"))):
        found = list(srcextract.extract_many(images, progress=False, executor=pool))
        assert [one.name for one in found] == [str(image) for image in images]
        for one, other in zip(found, expected):
            assert bool(one) == bool(other)
            if one:
                assert_same(one, other)
            else:
                assert type(one.error) is srcextract.InputError and str(one.error).startswith(one.name)
        if pool is not None:
            pool.shutdown()
