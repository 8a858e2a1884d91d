"""RICE-compressed images: what the threads together decompress beside what as many of CFITSIO's would."""
from tables import Row, amount, print_table, skipped

SIZE = 4096
FORMATS = {"int16": "int16", "dithered": "float32, subtractive dither"}
WAYS = {"tiles": "one image, all threads", "tiles_stream": "a stream of images, one a thread"}
WANTED = 0.9  # times cores times CFITSIO's rate on one
BYTES = {"int16": 2, "dithered": 4}  # of a pixel as it is stored
GPU_WAYS = {"rice_one": "one image that is there",
            "rice_pinned": "a stream from page-locked memory, two under way",
            "rice_pinned_stream": "a stream from page-locked memory, eight under way",
            "rice_file": "one file, all threads",
            "rice_file_stream": "a stream of files, eight readers"}
GPU_WANTED = {"rice_one": 100, "rice_pinned_stream": 100}  # GB/s of decoded pixels


def gpu_rows(session, cpu):
    """On the device, beside what all threads of the host take for an image."""
    names = [f"{way}_{format}" for way in GPU_WAYS for format in FORMATS]
    entries = session.benchmarks("cuda", names, session.sizes(SIZE)) if cpu else {}
    for format, words in FORMATS.items() if entries else ():
        peer = cpu[f"tiles_{format}", SIZE]["ms"]
        for way, how in GPU_WAYS.items():
            ours = entries[f"{way}_{format}", SIZE]["ms"]
            rate, wanted = SIZE * SIZE * BYTES[format] / ours / 1e6, GPU_WANTED.get(way)
            yield Row(f"{words}, GPU: {how}", peer=amount(peer), ours=amount(ours, "ms"),
                      ratio=f"{amount(rate, 'GB/s')}, peer / ours {peer / ours:.1f}",
                      wanted=f">= {wanted} GB/s" if wanted else "> 1", reached=rate >= wanted if wanted else ours < peer)


def rows(session):
    names = [f"{way}_{format}" for way in ("cfitsio", *WAYS) for format in FORMATS]
    entries = session.benchmarks("cpu", names, session.sizes(SIZE))
    for format, words in FORMATS.items() if entries else ():
        peer = entries[f"cfitsio_{format}", SIZE]["ms"]
        for way, how in WAYS.items():
            entry = entries[f"{way}_{format}", SIZE]
            cores = round(entry["cores"])
            ratio = peer / entry["ms"] / cores
            yield Row(f"{words}: {how}", peer=amount(peer), ours=amount(entry["ms"]),
                      ratio=f"{ratio:.2f} x {cores} cores x peer", wanted=f">= {WANTED}", reached=ratio >= WANTED)
    yield from gpu_rows(session, entries)


def report(session):
    print_table(f"RICE_1, {SIZE}²: a file in the page cache to stored pixels in memory, time an image",
                list(rows(session)) or [skipped("all", f"no bench_stages, or --largest is below {SIZE}")],
                ["Peer: CFITSIO, fits_open_image and fits_read_img, on one thread; of rows of the GPU the host, one image, "
                 "all threads. The best of several, of a GPU the median."])
