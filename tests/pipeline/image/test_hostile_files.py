"""Files made to do harm: exit 0 or 3 with a message, the same twice, and within the memory that was given."""

import gzip
import inspect
import os
import struct
import subprocess
import sys
import threading

import pytest

from fits_files import card, hdu, padded, sky

fits = pytest.importorskip("astropy.io.fits")
np = pytest.importorskip("numpy")

MEGABYTE = 1 << 20
LONG_TEXT = "'this text is longer than thirty characters'"


def outcome(run, tmp_path, path):
    """What a run on the file ends with, twice."""
    ends = []
    for turn in ("first", "second"):
        (tmp_path / "c.yaml").write_text("output:\n  formats: [csv]\nextends: none\n")
        done = run("-q", "c.yaml", path, "-o", turn)
        written = [file.read_bytes() for file in sorted((tmp_path / turn).glob("*.csv"))]
        ends.append((done.code, done.err, written))
    assert ends[0] == ends[1]
    return ends[0]


def with_card(data, keyword, text, start=0):
    at = data.index(keyword.ljust(8).encode(), start)
    return data[:at] + text.ljust(80).encode() + data[at + 80:]


@pytest.fixture
def tiles(tmp_path):
    """A compressed image."""
    path = tmp_path / "tiles.fits"
    pixels = np.random.default_rng(1).normal(100, 5, (60, 60)).astype("i2")
    fits.CompImageHDU(pixels, compression_type="RICE_1").writeto(path)
    return path.read_bytes()


@pytest.mark.parametrize("keyword, text, named", [
    ("ZTILE1", "ZTILE1  = '1E      '", "ZTILE1"),
    ("ZNAXIS", "ZNAXIS  =                   -1", "ZNAXIS"),
    ("ZNAXIS", "ZNAXIS  =                  256", "ZNAXIS"),
    ("ZNAXIS", "ZNAXIS  =            100000000", "ZNAXIS"),
    ("ZNAXIS", "ZNAXIS  =           2147483647", "ZNAXIS"),
    ("ZVAL2", f"ZBLANK  = {LONG_TEXT}", "ZBLANK"),
    ("ZVAL2", f"THEAP   = {LONG_TEXT}", "THEAP"),
    ("ZVAL2", "ZTILE1  = '2D'", "ZTILE1"),
])
def test_structure_that_makes_no_sense_is_named(run, tmp_path, tiles, keyword, text, named):
    for cut in (0, 2880):
        data = with_card(tiles, keyword, text, 2880)
        (tmp_path / "bad.fits").write_bytes(data[:len(data) - cut])
        code, said, _ = outcome(run, tmp_path, "bad.fits")
        assert code == 3
        assert named in said or cut and "truncated" in said


def test_blank_that_is_a_long_text_is_named(run, tmp_path):
    data = hdu((40, 30), 16, [int(v) for v in sky()], BLANK=-1)
    (tmp_path / "bad.fits").write_bytes(with_card(data, "BLANK", f"BLANK   = {LONG_TEXT}"))
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and "BLANK" in said


@pytest.mark.parametrize("keyword, value", [("GCOUNT", 0), ("GCOUNT", 2), ("PCOUNT", 1)])
@pytest.mark.parametrize("packed", (False, True))
def test_image_of_another_number_of_groups(run, tmp_path, keyword, value, packed):
    """With no groups the data unit is empty, whatever NAXISn say, and nothing is there for the pixels."""
    data = hdu((3000, 3000), **{keyword: value}) + bytes(2880)
    name = "bad.fits.gz" if packed else "bad.fits"
    (tmp_path / name).write_bytes(gzip.compress(data) if packed else data)
    code, said, written = outcome(run, tmp_path, name)
    assert code == 3 and f"{keyword} is" in said and not written


@pytest.mark.parametrize("text", ["END     = 3", "END     / here"])
def test_header_that_may_end_and_may_not(run, tmp_path, text):
    data = hdu((40, 30), values=sky(), MARK=1, CRVAL1=3.0)
    (tmp_path / "bad.fits").write_bytes(with_card(data, "MARK", text))
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and "follows END" in said and text in said


@pytest.mark.parametrize("text", ["bscale  = 2.0", "Bzero   = 100", "BZERO= 100", " BSCALE = 2.0", "blank   = 3"])
def test_scale_that_is_no_card_of_fits(run, tmp_path, text):
    data = hdu((40, 30), 16, [int(v) for v in sky()], MARK=1)
    (tmp_path / "bad.fits").write_bytes(with_card(data, "MARK", text))
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and text in said and "capital letters" in said


def test_seed_of_tiles_that_is_no_card_of_fits(run, tmp_path):
    pixels = np.random.default_rng(1).normal(100, 5, (60, 60)).astype("f4")
    fits.CompImageHDU(pixels, compression_type="RICE_1", quantize_method=1, dither_seed=7).writeto(tmp_path / "good.fits")
    data = (tmp_path / "good.fits").read_bytes()
    (tmp_path / "bad.fits").write_bytes(with_card(data, "ZDITHER0", "zdither0= 7"))
    assert outcome(run, tmp_path, "good.fits")[0] == 0
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and "zdither0" in said


def test_hcompress_streams_that_end_early_are_damaged(run, tmp_path):
    pixels = np.random.default_rng(2).normal(100, 5, (400, 400)).astype("i4")
    fits.CompImageHDU(pixels, compression_type="HCOMPRESS_1", hcomp_scale=0, **whole_tile()).writeto(tmp_path / "a.fits")
    data = (tmp_path / "a.fits").read_bytes()
    begin = (data.index(b"END     ", data.index(b"XTENSION")) + 80 + 2879) // 2880 * 2880
    length, offset = struct.unpack(">ii", data[begin:begin + 8])
    heap = begin + offset
    zeros = data[:heap + 2000] + bytes(length - 2000) + data[heap + length:]
    short = data[:begin] + struct.pack(">i", 5000) + data[begin + 4:]
    for bad in (zeros, short):
        (tmp_path / "bad.fits").write_bytes(bad)
        code, said, _ = outcome(run, tmp_path, "bad.fits")
        assert code == 3 and "tile 0" in said
    (tmp_path / "bad.fits").write_bytes(data[:heap + length - 100] + bytes(100) + data[heap + length:])
    assert outcome(run, tmp_path, "bad.fits")[0] in (0, 3)


def whole_tile():
    return {"tile_shape" if "tile_shape" in inspect.signature(fits.CompImageHDU.__init__).parameters else "tile_size": (400, 400)}


def peak_and_code(tmp_path, *arguments, command=()):
    """Peak memory in bytes and exit status of a run with --memory 500M."""
    (tmp_path / "c.yaml").write_text("extends: none\n")
    script = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, done.returncode)")
    done = subprocess.run([sys.executable, "-c", script, os.environ["SRCEXTRACT_PROGRAM"], *command, "-q",
                           "--memory", "500M", "--backend", "cpu", *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
    peak, code = done.stdout.split()[-2:]
    return int(peak), int(code), done.stderr


def write_bomb(path, first, zeros, then=b""):
    """A gzip file of these bytes, so many zeros, and as another member these."""
    block = bytes(16 * MEGABYTE)
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(first)
        for _ in range(zeros // len(block)):
            file.write(block)
    if then:
        path.write_bytes(path.read_bytes() + gzip.compress(then))


def write_column_tiles(path, axes, bitpix, streams, shared=False, codec="GZIP_1", letter="B"):
    """A compressed cube whose tiles are its columns, through all planes. `shared`: all are the first one's bytes."""
    width = axes[0]
    lengths = [len(stream) for stream in streams]
    offsets = [0] * width if shared else [sum(lengths[:i]) for i in range(width)]
    rows = b"".join(struct.pack(">ii", length // (2 if letter == "I" else 1), offset)
                    for length, offset in zip(lengths, offsets))
    data = rows + (streams[0] if shared else b"".join(streams))
    cards = {"XTENSION": "BINTABLE", "BITPIX": 8, "NAXIS": 2, "NAXIS1": 8, "NAXIS2": width,
             "PCOUNT": len(data) - len(rows), "GCOUNT": 1, "TFIELDS": 1, "TTYPE1": "COMPRESSED_DATA",
             "TFORM1": f"1P{letter}({max(lengths)})", "ZIMAGE": True, "ZCMPTYPE": codec, "ZBITPIX": bitpix,
             "ZNAXIS": len(axes), **{f"ZNAXIS{i + 1}": n for i, n in enumerate(axes)},
             **{f"ZTILE{i + 1}": n for i, n in enumerate((1, *axes[1:]))}}
    head = "".join([*(card(key, value) for key, value in cards.items()), "END".ljust(80)]).encode()
    path.write_bytes(hdu((), 8) + padded(head, b" ") + padded(data, b"\0"))


def test_tiles_that_are_columns_of_a_cube_are_the_same_pixels(run, tmp_path):
    width, height, planes = 150, 200, 3
    random = np.random.default_rng(5)
    cube = random.normal(100, 5, (planes, height, width)).astype(">f4")
    for plane in range(planes):
        for x, y in random.integers(10, 140, (20, 2)):
            cube[plane, y - 2:y + 3, x - 2:x + 3] += 200 + 40 * plane
    (tmp_path / "c.yaml").write_text("output:\n  formats: [csv]\nextends: none\n")
    (tmp_path / "plain.fits").write_bytes(hdu((width, height, planes)) + padded(cube.tobytes(), b"\0"))
    streams = [gzip.compress(cube[:, :, x].tobytes()) for x in range(width)]
    write_column_tiles(tmp_path / "tiles.fits", (width, height, planes), -32, streams)
    for plane in ("2", "3"):
        for name in ("plain", "tiles"):
            done = run("-q", "--set", f"input.plane={plane}", "c.yaml", f"{name}.fits", "-o", name + plane)
            assert done.code == 0, done.err
        catalogues = [next((tmp_path / (name + plane)).glob("*.csv")).read_bytes() for name in ("plain", "tiles")]
        rows = [[line for line in text.splitlines() if not line.startswith(b"#")] for text in catalogues]
        assert rows[0] == rows[1] and len(rows[0]) > 10


def test_tiles_that_all_have_one_stream_are_refused(run, tmp_path):
    stream = gzip.compress(np.random.default_rng(1).integers(0, 9, 12000).astype("u1").tobytes())
    write_column_tiles(tmp_path / "bad.fits", (3000, 12000), 8, [stream] * 3000, shared=True)
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and "compressed bytes by what their table says" in said


def test_plio_lists_that_are_too_short_for_their_pixels_are_damaged(run, tmp_path):
    """A list without instructions is one of zeros, of which IRAF writes 4095 with a word."""
    words = struct.pack(">7h", 0, 7, -100, 7, 0, 0, 0)
    write_column_tiles(tmp_path / "bad.fits", (1, 1000, 1000), 16, [words], codec="PLIO_1", letter="I")
    code, said, _ = outcome(run, tmp_path, "bad.fits")
    assert code == 3 and "tile 0" in said


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """A gzipped cube of 1 GB, whose end says that there are 100 bytes."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.fits.gz"
    write_bomb(path, hdu((40, 30, 880000), 8), 1024 * MEGABYTE, bytes(100))
    return path


@pytest.mark.skipif(bool(os.environ.get("SRCEXTRACT_SANITIZE")), reason="sanitizers: they take memory of their own")
class TestBombs:
    MOST = int(500e6 * 1.2)

    def test_gzip_that_goes_on_behind_the_image(self, tmp_path):
        write_bomb(tmp_path / "bomb.fits.gz", hdu((40, 30), values=sky()), 1024 * MEGABYTE, bytes(100))
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "bomb.fits.gz")
        assert code in (0, 3), said
        assert peak < self.MOST

    def test_gzip_of_what_its_header_asks_for(self, tmp_path):
        head = hdu((32768, 32768), 8)
        write_bomb(tmp_path / "bomb.fits.gz", head, 1024 * MEGABYTE, bytes(100))
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "bomb.fits.gz")
        assert code == 1, said  # as for any image that is larger than --memory
        assert "--memory" in said
        assert peak < self.MOST

    @pytest.mark.parametrize("command", ((), ("batch", "-o", "out")))
    def test_gzip_whose_end_tells_its_size(self, tmp_path, command):
        """What the end tells is no more believed than what the header asks for."""
        write_bomb(tmp_path / "bomb.fits.gz", hdu((32768, 32768), 8)[:2880], 1024 * MEGABYTE)
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "bomb.fits.gz", command=command)
        assert code == (6 if command else 1) and "--memory" in said, said
        assert peak < 100e6

    def test_several_at_once_whose_ends_say_little(self, tmp_path):
        """There is room for any of them, and not for eight at once."""
        side = 6000
        names = [f"bomb{i}.fits.gz" for i in range(8)]
        write_bomb(tmp_path / names[0], hdu((side, side), 8), 3 * 16 * MEGABYTE, bytes(100))
        for name in names[1:]:
            os.link(tmp_path / names[0], tmp_path / name)
        peak, code, said = peak_and_code(tmp_path, "--threads", 8, "c.yaml", *names)
        assert code == 3 and said.count("empty or constant image") == 8, said
        assert peak < self.MOST

    @pytest.mark.parametrize("key", ["mask.file", "weights.file", "flags.file", "background.level", "combine.files",
                                     "convolve.file", "reference"])
    def test_gzip_beside_the_image(self, tmp_path, bomb, key):
        """Of what the configuration names no more is inflated than there is memory for."""
        (tmp_path / "a.fits").write_bytes(hdu((40, 30), values=sky()))
        more = {"weights.file": ["--set", "weights.type=weight"], "combine.files": ["--set", "combine.method=mean"],
                "convolve.file": ["--set", "convolve.kernel=file"]}.get(key, [])
        value = f"[{bomb}]" if key == "combine.files" else bomb
        named = ["c.yaml", bomb, "a.fits"] if key == "reference" else [
            *more, "--set", f"{key}={value}", "c.yaml", "a.fits"]
        peak, code, said = peak_and_code(tmp_path, *named, command=["difference"] if key == "reference" else [])
        assert code in (1, 2, 3) and str(bomb) in said and "inflated" in said, said
        assert peak < self.MOST

    def test_gzipped_masks_of_several_at_once(self, tmp_path):
        """There is room for the mask of any of them, and not for eight at once."""
        names = [f"{i}.fits" for i in range(8)]
        for name in names:
            (tmp_path / name).write_bytes(hdu((40, 30), values=sky()))
        write_bomb(tmp_path / "mask.fits.gz", hdu((40, 30, 180000), 8), 224 * MEGABYTE)
        peak, code, said = peak_and_code(tmp_path, "--threads", 8, "--set", "mask.file=mask.fits.gz", "c.yaml", *names)
        assert code == 0, said
        assert peak < self.MOST

    def test_tiles_that_are_columns_of_a_cube(self, tmp_path):
        width, height, planes = 1000, 300, 500
        stream = gzip.compress(bytes(height * planes * 8))
        write_column_tiles(tmp_path / "a.fits", (width, height, planes), -64, [stream] * width)
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "a.fits")
        assert code == 3 and "empty or constant image" in said, said
        assert peak < self.MOST

    def test_planes_beyond_number(self, tmp_path):
        path = tmp_path / "planes.fits"
        path.write_bytes(hdu((1, 1, 10**8), 8))
        os.truncate(path, path.stat().st_size + 10**8 + 2880)
        peak, code, said = peak_and_code(tmp_path, "--set", "combine.method=median", "c.yaml", "planes.fits")
        assert code == 2 and "100000000 planes" in said, said
        assert peak < self.MOST

    def test_headers_beyond_number(self, tmp_path):
        """What is kept of those that nobody asks for does not count, but for the inflated file."""
        head = hdu((), 8, primary=False, **{f"K{i}": i for i in range(30)})
        assert len(head) == 2880
        with gzip.open(tmp_path / "heads.fits.gz", "wb", compresslevel=1) as file:
            file.write(hdu((), 8))
            for _ in range(150):
                file.write(head * 1000)
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "heads.fits.gz")
        assert code == 3 and "there is no image in the file; it holds 150001 images without pixels" in said, said
        assert peak < self.MOST

    @pytest.mark.parametrize("side, expected", [(4500, 1), (3000, 0)])
    def test_every_tenth_pixel_is_a_source(self, tmp_path, side, expected):
        """With 300 bytes for each there is room for the million of the smaller image, and not for the others."""
        pixels = np.random.default_rng(1).normal(100, 5, (side, side)).astype(">f4")
        pixels[::2, ::5] += 1000
        (tmp_path / "many.fits").write_bytes(hdu((side, side)) + padded(pixels.tobytes(), b"\0"))
        peak, code, said = peak_and_code(tmp_path, "--set", "detection.min_area=1", "c.yaml", "many.fits", "-o", "out")
        assert code == expected, said
        assert (code == 0) == (tmp_path / "out/many.cat.fits").exists()
        assert code == 0 or "sources, which need about" in said and "--memory" in said, said
        assert peak < self.MOST

    def test_header_that_asks_for_more_than_the_file_holds(self, tmp_path):
        (tmp_path / "bomb.fits").write_bytes(hdu((1000000, 1000000), -64))
        peak, code, said = peak_and_code(tmp_path, "c.yaml", "bomb.fits")
        assert code == 3 and "truncated" in said
        assert peak < self.MOST / 4

    def test_cell_of_a_votable_without_end(self, run, tmp_path):
        head = ('<VOTABLE><RESOURCE><TABLE><FIELD name="X_IMAGE" datatype="double"/>'
                '<FIELD name="Y_IMAGE" datatype="double"/><DATA><TABLEDATA><TR><TD>')
        (tmp_path / "bomb.vot").write_text(head + "1" * (8 * MEGABYTE) + "</TD><TD>1</TD></TR></TABLEDATA></DATA></TABLE>"
                                           "</RESOURCE></VOTABLE>")
        done = run("compare", "bomb.vot", "bomb.vot")
        assert done.code == 3
        assert "a TD has more than 1048576 bytes" in done.err


def test_file_rewritten_and_cut_short_while_it_is_read(run, tmp_path):
    """No signal, whatever instant the file changes at."""
    small = hdu((200, 300), values=[float(i % 7) for i in range(60000)])
    large = hdu((300, 600), 16, values=[i % 50 for i in range(180000)], **{f"KEY{i}": i for i in range(1200)})
    path = tmp_path / "changing.fits"
    path.write_bytes(large)
    over = threading.Event()

    def rewrite():
        turn = 0
        while not over.is_set():
            turn += 1
            with open(path, "r+b") as file:
                file.truncate([0, 2880, 100000][turn % 3])
                file.write(small if turn % 2 else large)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        (tmp_path / "c.yaml").write_text("output:\n  formats: [csv]\nextends: none\n")
        codes = [run("-q", "c.yaml", path, "-o", "out").code for _ in range(60)]
    finally:
        over.set()
        writer.join()
    assert set(codes) <= {0, 3}, codes


def test_file_rewritten_in_place_while_it_is_read(run, tmp_path):
    """Of the same size, so that every read of it succeeds: pixels of two images, of which no catalogue is made."""
    side = 2000
    images = [hdu((side, side), 16, [int(level + (i * 7919) % 13) for i in range(side)] * side) for level in (100, 5000)]
    path = tmp_path / "changing.fits"
    path.write_bytes(images[0])
    over = threading.Event()

    def rewrite():
        with open(path, "r+b", buffering=0) as file:
            while not over.is_set():
                for image in images:
                    os.pwrite(file.fileno(), image, 0)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        (tmp_path / "c.yaml").write_text("output:\n  formats: [csv]\nextends: none\n")
        runs = [run("-q", "c.yaml", path, "-o", "out") for _ in range(3)]
    finally:
        over.set()
        writer.join()
    assert all(done.code == 3 for done in runs)
    assert any("changed while it was read" in done.err for done in runs), [done.err for done in runs]
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    assert run("-q", "c.yaml", path, "-o", "out").code == 0
