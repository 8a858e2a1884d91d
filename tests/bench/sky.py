"""The sky as a mesh, from pixels to the foreground: on one core beside SExtractor and SEP, and on a GPU."""
import time

from host import DEFAULTS, FILTERS, SEXTRACTOR, sextractor_command
from session import launch, tiled_field
from tables import at_most, faster, print_table, skipped

SIZE, DEVICE_SIZE, RUNS = 4096, 8192, 5
STEPS = ["ingest", "background", "subtract", "convolve", "threshold"]
OURS = ["--threads", "1", "--set", "detection.threshold=1.5", "--set", "convolve.kernel=values",
        "--set", "convolve.values=[[1,2,1],[2,4,2],[1,2,1]]"]
FILTER = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
UNREACHED = 1e6  # sigma: no pixel is so bright, so that nothing is joined, deblended or measured


def sextractor(session):
    """Milliseconds of one core, of the fastest of several runs that find nothing."""
    nothing = {"DETECT_THRESH": UNREACHED, "ANALYSIS_THRESH": UNREACHED, "FILTER": "Y",
               "FILTER_NAME": FILTERS / "default.conv", "WEIGHT_TYPE": "BACKGROUND"}
    command = sextractor_command(session.work, "sky", DEFAULTS | nothing, session.field(SIZE)).split()
    return min(launch(*command).cpu for _ in range(RUNS))


def sep_steps():
    """The same of SEP, on an array in memory; or why not."""
    try:
        import numpy as np
        import sep
    except ImportError as error:
        return str(error)
    pixels = np.ascontiguousarray(tiled_field(SIZE), dtype=np.float32)
    fastest = float("inf")
    for _ in range(RUNS):
        begin = time.process_time()
        sky = sep.Background(pixels)
        above = pixels - sky.back()
        sep.extract(above, UNREACHED, err=sky.rms(), filter_kernel=np.array(FILTER, np.float32))
        fastest = min(fastest, time.process_time() - begin)
    return fastest * 1e3


def host_rows(session):
    if not session.sizes(SIZE):
        return [skipped(f"one core, {SIZE}²", f"--largest is below {SIZE}")]
    runs = [session.run("cpu", "plain", [session.field(SIZE)], *OURS).steps() for _ in range(RUNS)]
    # SEP has its pixels in memory, and does not read them.
    read, in_memory = (min(sum(steps[name] for name in names) for steps in runs) for names in (STEPS, STEPS[1:]))
    rows = [faster("one core beside SExtractor", read, sextractor(session), 6)
            if SEXTRACTOR else skipped("one core beside SExtractor", "no source-extractor")]
    peer = sep_steps()
    rows.append(skipped("one core beside SEP", peer) if isinstance(peer, str) else
                faster("one core beside SEP", in_memory, peer, 5))
    return rows


def device_rows(session):
    sizes = session.sizes(DEVICE_SIZE)
    names = {"sky_to_runs": "level and noise, subtracted, threshold", "sky_to_runs_filtered": "... with a 3 x 3 filter"}
    entries = session.benchmarks("cuda", list(names), sizes)
    for name, what in names.items():
        what = f"{what}, {DEVICE_SIZE}², resident"
        entry = entries.get((name, DEVICE_SIZE))
        if entry is None or "error_message" in entry:
            yield skipped(what, session.lacking("no bench_stages" if sizes else f"--largest is below {DEVICE_SIZE}"))
        else:
            yield at_most(what, entry["ms"], 0.5)


def report(session):
    print_table(f"The sky as a mesh, to the foreground at 1.5 sigma, {SIZE}²", host_rows(session) + list(device_rows(session)),
                [f"One core: {', '.join(STEPS)}, SExtractor's filter of 3 x 3, without reading beside SEP. The peers look for "
                 "what no pixel reaches, so that they join, deblend and measure nothing, and are counted by what they take "
                 "of a core; SExtractor with its start and its reading."])
