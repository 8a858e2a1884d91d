"""How cost grows: with the size, with the density of sources, on hostile images; and memory over the image."""
from session import ProgramFailed
from tables import Row, amount, print_table, skipped

SIZES = {"cpu": [2048, 4096, 8192], "cuda": [2048, 4096, 8192, 16384, 32768]}
FLAT_FROM = 4096
DENSITIES = [10, 1000, 50000]


def failure(what, entry):
    return Row(what, ours=entry["error_message"].split(";")[0], wanted="no failure", reached=False)


def slowest_stage(entry):
    """The stage that took most of it, where the benchmark tells them apart."""
    times = {stage: entry[stage] for stage in ("background", "threshold", "label", "measure") if stage in entry}
    if not times:
        return ""
    stage = max(times, key=times.get)
    return f" ({stage} {100 * times[stage] / sum(times.values()):.0f} %)"


def compared(what, entry, normal, most):
    """A row that holds an image's time against a normal one's."""
    if "error_message" in entry:
        return failure(what, entry)
    ratio = entry["ms"] / normal["ms"]
    return Row(what, "", amount(normal["ms"]), amount(entry["ms"]) + slowest_stage(entry), f"{ratio:.2f} x normal",
               f"<= {most:g} x normal" if most else "", ratio <= most if most else None)


def size_rows(session, backend):
    sizes = session.sizes(*SIZES[backend])
    entries = session.benchmarks(backend, ["four_steps"], sizes)
    per_pixel = {size: entry["ms"] * 1e9 / size**2 for (_, size), entry in entries.items()}
    for (_, size), entry in entries.items():
        if "error_message" in entry:
            yield failure(f"{backend} {size}²", entry)
            continue
        picoseconds = per_pixel[size]
        ratio = picoseconds / per_pixel.get(FLAT_FROM, picoseconds)
        judged = size > FLAT_FROM
        yield Row(f"{backend} {size}²", ours=amount(picoseconds, "ps/pixel"),
                  ratio=f"{ratio:.2f} x that of {FLAT_FROM}²", wanted="<= 1.25" if judged else "",
                  reached=ratio <= 1.25 if judged else None)


def density_rows(session, backend):
    size = 4096
    entries = session.benchmarks(backend, [f"density_{density}" for density in DENSITIES], session.sizes(size))
    for density in DENSITIES if entries else ():
        yield compared(f"{backend} {size}², {density} sources/Mpixel", entries[f"density_{density}", size],
                       entries[f"density_{DENSITIES[0]}", size], 3 if density != DENSITIES[0] else None)


def hostile_rows(session, backend):
    size = 4096
    entries = session.benchmarks(backend, ["four_steps", "hostile_[a-z_]+"], session.sizes(size))
    for (name, _), entry in entries.items():
        if name != "four_steps":
            yield compared(f"{backend} {size}², {name.removeprefix('hostile_').replace('_', ' ')}", entry,
                           entries["four_steps", size], 5)


def memory_row(what, bytes_used, size, most):
    image = size * size * 4
    ratio = bytes_used / image
    return Row(what, amount(image / 1e6, "MB"), "", amount(bytes_used / 1e6, "MB"), f"{ratio:.2f} x image",
               f"<= {most:g} x image" if most else "", ratio <= most if most else None)


def memory_rows(session):
    for size in session.sizes(4096, 8192):
        for backend in session.backends():
            try:
                run = session.run(backend, "plain", [session.field(size)])
            except ProgramFailed as error:
                yield skipped(f"host, {backend}, {size}²", error)
                continue
            # With a GPU, the driver and its context are most of it.
            yield memory_row(f"host peak, whole process, {backend} {size}²", run.memory, size,
                             1.25 if backend == "cpu" else None)
    entries = session.benchmarks("cuda", ["memory"], session.sizes(2048, 4096, 8192, 16384))
    for (_, size), entry in entries.items():
        yield memory_row(f"device, {size}²", entry["device_bytes"], size, 2)


def report(session):
    backends = session.backends()
    left_out = session.cuda_note()

    def table(title, rows):
        print_table(title, [row for backend in backends for row in rows(session, backend)] or
                    [skipped("all", "no bench_stages")], left_out)

    table("How cost grows with size: four steps", size_rows)
    table(f"With density; peer: {DENSITIES[0]} sources/Mpixel", density_rows)
    table("On hostile images; peer: a normal field", hostile_rows)
    print_table("Memory; limit: the image", list(memory_rows(session)), left_out)
