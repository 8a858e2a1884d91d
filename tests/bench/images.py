"""Image stages: convolution, combination, erosion and pictures on a GPU beside CuPy, the published convolution beside
SciPy and CuPy, and what a picture costs in a run."""
import dataclasses
import statistics

import image_peers
from session import ProgramFailed, tiled_field
from tables import Row, amount, at_most, faster, print_table, skipped

BANDWIDTH, FLOAT_RATE = 4.3e12, 67e12  # of an H200: bytes/s measured, read and written; operations/s, 2 an FMA
LARGE = 8192
PUBLISHED = ["general", "separable", "row"]
WANTED_OF_SCIPY = {"general": 30, "separable": 100}
RUN_SIZE, RUNS, SHARE_WANTED = 4096, 21, 0.10


@dataclasses.dataclass
class Stage:
    """A benchmark: what it is, bytes and multiply-adds a pixel that nobody can do without, ms or times the limit that
    are wanted."""
    what: str
    name: str
    bytes: float
    fmas: int = 0
    most: float | None = None
    most_limits: float | None = None
    size: int = LARGE

    def limit(self):
        """ms"""
        return 1e3 * self.size**2 * max(self.bytes / BANDWIDTH, 2 * self.fmas / FLOAT_RATE)

    def wanted(self):
        return self.most_limits * self.limit() if self.most_limits else self.most


STAGES = [
    Stage("15 x 15, general", "convolve_general_15", 8, 225, most=0.10, size=2048),
    Stage("15 x 15, general", "convolve_general_15", 8, 225, most=1.2),
    Stage("... a pixel of 1009 masked", "convolve_general_15_masked", 8, 225),
    Stage("15 x 15, separable", "convolve_separable_15", 8, 30, most=0.35),
    Stage("... a pixel of 1009 masked", "convolve_separable_15_masked", 8, 30),
    Stage("3 planes, luminosity", "combine_luminosity_of_3", 16, 3, most_limits=1.5),
    Stage("... a pixel of 101 masked", "combine_luminosity_of_3_masked", 16, 3, most_limits=1.5),
    Stage("3 planes, inverse variance", "combine_inverse_variance_of_3", 16, 3, most_limits=1.5),
    Stage("erosion of a bit mask, 3 x 3 square", "erode square", 2 / 8, most=0.05),
    Stage("erosion of a bit mask, 3 x 3 cross", "erode cross", 2 / 8, most=0.05),
    Stage("opening by a cross, from runs to runs", "morphology", 0),
    Stage("equalised 8-bit picture", "picture_equalized", 9, most=0.35),
    Stage("... its limits the extremes of the image", "picture_equalized_minmax", 13),
    Stage("the stage picture: shrunk, equalised, on the host", "picture", 4),
]


def peer_text(results, name):
    """As in `plain 3.2 ms / fused 0.6 ms`."""
    if isinstance(results, str):
        return ""
    return " / ".join(f"{way} {amount(time) if isinstance(time, float) else time}".strip()
                      for way, time in results.get(name, {}).items())


def device_row(session, stage, entries, cupy):
    what = f"{stage.what}, {stage.size}²"
    entry = entries.get((stage.name, stage.size))
    if entry is None or "error_message" in entry:
        return skipped(what, session.lacking(entry["error_message"] if entry else "no such benchmark"))
    row = at_most(what, entry["ms"], stage.wanted(), stage.limit() or None, peer_text(cupy, stage.name))
    if stage.most_limits:
        row.wanted = f"<= {stage.most_limits:g} x limit"
    return row


def device_table(session):
    title = "Image stages on the device, resident"
    sizes = session.sizes(*sorted({stage.size for stage in STAGES}))
    rows, problem = [], ""
    for size in sizes:
        stages = [stage for stage in STAGES if stage.size == size]
        entries = session.benchmarks("cuda", [stage.name for stage in stages], [size])
        cupy = image_peers.cupy_resident(size, tiled_field(size)) if entries else ""
        problem = cupy if isinstance(cupy, str) else problem
        rows += [device_row(session, stage, entries, cupy) for stage in stages] if entries else [
            skipped(f"all, {size}²", session.lacking("no bench_stages, or none of these benchmarks"))]
    if LARGE not in sizes:
        rows.append(skipped(f"all, {LARGE}²", f"--largest is below {LARGE}"))
    notes = [f"Limit: the bytes at {BANDWIDTH / 1e12:g} TB/s, as measured on an H200, or the multiply-adds at "
             f"{FLOAT_RATE / 1e12:g} TFLOPS, whichever takes longer. Peer: CuPy on float32, bool for erosion. Medians "
             f"of 25 or 30, of CuPy {image_peers.REPETITIONS}, between CUDA events; pictures by the clock."]
    print_table(title, rows, notes + ([f"CuPy skipped: {problem}"] if problem else []) + session.cuda_note())


# --- the published convolution ---------------------------------------------------------------------------------------


def published_row(what, ours, times, least=None):
    """`times` of the peer, as float64 like the published ones and as float32 like ours: the faster is held against."""
    row = faster(what, ours, min(times.values()), least)
    row.peer = " / ".join(map(amount, times.values()))
    return row


def cpu_rows(entries, scipy):
    for form in PUBLISHED:
        ours = entries[f"convolve_published_{form}", image_peers.PUBLISHED_SIZE]["ms"]
        peer = {"row": "numpy.convolve"}.get(form, "convolve2d")
        if isinstance(scipy, str):
            yield Row(f"{form}, cpu", ours=amount(ours))
            continue
        yield published_row(f"{form}, cpu; peer: {peer}", ours, scipy["row" if form == "row" else "general"],
                            WANTED_OF_SCIPY.get(form))
        if form == "separable":
            yield published_row("... peer: ndimage.convolve1d twice", ours, scipy[form])


def cuda_rows(entries, cupy):
    for index, (way, suffix) in enumerate([("resident", ""), ("with transfers", "_with_transfers")]):
        for form in PUBLISHED:
            entry = entries[f"convolve_published_{form}{suffix}", image_peers.PUBLISHED_SIZE]
            if "error_message" in entry:
                yield skipped(f"{form}, cuda, {way}", entry["error_message"])
            elif isinstance(cupy, str):
                yield Row(f"{form}, cuda, {way}", ours=amount(entry["ms"]))
            else:
                times = cupy["row" if form == "row" else "general"]
                yield published_row(f"{form}, cuda, {way}", entry["ms"],
                                    {dtype: time[index] for dtype, time in times.items()})


def published_table(session):
    size = image_peers.PUBLISHED_SIZE
    notes = [f"Dirac points every {image_peers.SPACING} pixels of {size}², a Gaussian of 15 x 15; row: the pixels of "
             "all rows as one, 15 of the Gaussian. Peers on float64, as published / float32: ours is held against the "
             "faster. On a CPU the fastest of several; on a GPU medians, resident between CUDA events, with transfers "
             "by the clock, from and to pageable memory. Published: SciPy 2.4 s, CuPy on a T4 20.6 ms, with transfers "
             "35 ms."]
    rows = []
    if entries := session.benchmarks("cpu", [f"convolve_published_{form}" for form in PUBLISHED], session.sizes(size)):
        scipy = image_peers.scipy_published()
        notes += [f"SciPy skipped: {scipy}"] if isinstance(scipy, str) else []
        rows += cpu_rows(entries, scipy)
    else:
        rows.append(skipped("cpu", f"no bench_stages, or --largest is below {size}"))
    names = [f"convolve_published_{form}{suffix}" for form in PUBLISHED for suffix in ("", "_with_transfers")]
    if entries := session.benchmarks("cuda", names, session.sizes(size)):
        cupy = image_peers.cupy_published()
        notes += [f"CuPy skipped: {cupy}"] if isinstance(cupy, str) else []
        rows += cuda_rows(entries, cupy)
    else:
        rows.append(skipped("cuda", session.lacking(f"no bench_stages, or --largest is below {size}")))
    print_table("The published convolution", rows, notes)


# --- what a picture costs --------------------------------------------------------------------------------------------


def picture_rows(session, backend):
    size = min(session.largest, RUN_SIZE)
    plain, drawn = [], []
    for _ in range(RUNS):  # in turn: what else the machine does disturbs both
        plain.append(session.run(backend, "plain", [session.field(size)]))
        drawn.append(session.run(backend, "plain", [session.field(size)], "--set", "output.quicklook=true"))

    def median(runs, of):
        return statistics.median(map(of, runs))

    picture = median(drawn, lambda run: run.steps()["picture"])
    write = median(drawn, lambda run: run.steps()["write"]) - median(plain, lambda run: run.steps()["write"])
    image, without = (median(runs, lambda run: run.image_time()) for runs in (drawn, plain))
    share = (picture + write) / image
    judged = size == RUN_SIZE
    yield Row(f"the picture in a run, {size}², {backend}", ours=f"{amount(picture)} picture + {amount(write)} of write",
              ratio=f"{100 * share:.1f} % of the image's {amount(image)}",
              wanted=f"<= {100 * SHARE_WANTED:g} %" if judged else "",
              reached=share <= SHARE_WANTED if judged else None)
    yield Row("... the image, as run.json has it; peer: without a picture", "", amount(without), amount(image),
              f"{100 * (image - without) / image:.1f} % more" if image > without else "no more")
    wall, wall_without = (median(runs, lambda run: run.wall) for runs in (drawn, plain))
    yield Row("... the whole process; peer: without a picture", "", amount(wall_without), amount(wall),
              f"{100 * (picture + write) / wall:.1f} % is the picture")


def share_table(session):
    rows = []
    for backend in session.backends():
        try:
            rows += picture_rows(session, backend)
        except ProgramFailed as error:
            rows.append(skipped(f"the picture in a run, {backend}", error))
    print_table("What a picture costs: no key named, and output.quicklook, ellipses, 1024 pixels a side", rows,
                [f"Medians of {RUNS} processes each."] + session.cuda_note())


def report(session):
    device_table(session)
    published_table(session)
    share_table(session)
