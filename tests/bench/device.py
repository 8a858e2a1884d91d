"""The image resident on a GPU, medians: the four steps, by CUDA events, beside CuPy's in the same run; and the whole
chain of config/sextractor.yaml, to columns, step by step."""
import peers
from tables import Row, amount, at_most, print_table, skipped

WANTED = {2048: 0.10, 4096: 0.18, 8192: 0.40, 16384: 1.0, 32768: 3.6}  # ms
CUPY_LIMIT = 16384
WANTED_CHAIN = {4096: None, 8192: 15}  # ms
STAGES = ["ingest", "background", "subtract", "convolve", "threshold", "analysis", "label", "deblend", "clean sources",
          "measure", "flux", "area", "photometry", "columns"]
# How often a step reads or writes every pixel of an image, of those that do.
PASSES = {"ingest": 2, "background": 1, "subtract": 2, "convolve": 2, "threshold": 1, "analysis": 1}


def cupy_text(results, size):
    if isinstance(results, str) or size not in results:
        return ""
    published, tuned = results[size]
    total = sum(tuned.values())
    as_published = amount(sum(published.values())) if published else "-"
    return f"{as_published} / {amount(total)} ({amount(total - tuned['clip'])})"


def four_steps(session):
    title = "Device, resident: four steps, lesson.yaml, 1000 sources/Mpixel"
    sizes = session.sizes(*WANTED)
    ours = session.benchmarks("cuda", ["one_read", "four_steps"], sizes)
    if not ours:
        print_table(title, [skipped("all", session.lacking("no bench_stages"))], session.cuda_note())
        return
    cupy = peers.cupy([size for size in sizes if size <= CUPY_LIMIT])
    rows = []
    for size in sizes:
        four_steps, one_read = ours["four_steps", size], ours["one_read", size]
        if "error_message" in four_steps:
            rows.append(Row(f"{size}²", ours=four_steps["error_message"].split(";")[0], reached=False))
        else:
            rows.append(at_most(f"{size}²", four_steps["ms"], WANTED[size], one_read["ms"],
                                cupy_text(cupy, size)))
    largest = max(sizes)
    bandwidth = largest * largest * 4 / ours["one_read", largest]["ms"] / 1e9
    print_table(title, rows, [
        f"Limit: one read of the image by a kernel that only reads, {bandwidth:.2f} TB/s at {largest}². "
        "Peer: CuPy, the lesson as published / tuned (tuned without its clip).",
        f"CuPy skipped: {cupy}" if isinstance(cupy, str) else
        f"The published lesson on CuPy is skipped beyond {peers.PUBLISHED_LIMIT}, CuPy beyond {CUPY_LIMIT}: minutes."])


def chain(session):
    title = "Device, resident: the chain of sextractor.yaml to columns, 1000 sources/Mpixel"
    sizes = session.sizes(*WANTED_CHAIN)
    ours = session.benchmarks("cuda", ["one_read", "sextractor"], sizes)
    if not ours:
        print_table(title, [skipped("all", session.lacking("no bench_stages"))], session.cuda_note())
        return
    rows = []
    for size in sizes:
        entry, one_read = ours["sextractor", size], ours["one_read", size]["ms"]
        if "error_message" in entry:
            rows.append(Row(f"{size}²", ours=entry["error_message"].split(";")[0], reached=False))
            continue
        rows.append(at_most(f"{size}²", entry["ms"], WANTED_CHAIN[size], sum(PASSES.values()) * one_read))
        rows.append(at_most("... steps on the device", entry["device"] * 1e3))
        for stage, limit in [(name, PASSES.get(name, 0) * one_read) for name in STAGES if name in entry]:
            moved = PASSES.get(stage, 0) * size * size * 4 / 1e6
            what = f"... {stage}, {moved:.0f} MB" if moved else f"... {stage}"
            rows.append(at_most(what, entry[stage] * 1e3, limit=limit))
    print_table(title, rows, [
        "By the clock, columns by all threads; steps by CUDA events. Limit: what the step reads and writes of images, at "
        "the pace of a kernel that only reads; without one a step goes over runs or sources alone."])


def report(session):
    four_steps(session)
    chain(session)
