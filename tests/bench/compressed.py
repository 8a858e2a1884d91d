"""RICE-compressed images: what the threads together decompress beside what as many of CFITSIO's would."""
from tables import Row, amount, print_table, skipped

SIZE = 4096
FORMATS = {"int16": "int16", "dithered": "float32, subtractive dither"}
WAYS = {"tiles": "one image, all threads", "tiles_stream": "a stream of images, one a thread"}
WANTED = 0.9  # times cores times CFITSIO's rate on one


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


def report(session):
    print_table(f"RICE_1, {SIZE}²: a file in the page cache to stored pixels in memory, time an image",
                list(rows(session)) or [skipped("all", f"no bench_stages, or --largest is below {SIZE}")],
                ["Peer: CFITSIO, fits_open_image and fits_read_img, on one thread. The best of several."])
