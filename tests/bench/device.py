"""The four steps on a GPU, the image resident: CUDA events, medians, beside CuPy's in the same run."""
import peers
from tables import Row, amount, at_most, print_table, skipped

WANTED = {2048: 0.10, 4096: 0.18, 8192: 0.40, 16384: 1.4, 32768: 5.5}  # ms
CUPY_LIMIT = 16384


def cupy_text(results, size):
    if isinstance(results, str) or size not in results:
        return ""
    published, tuned = results[size]
    total = sum(tuned.values())
    as_published = amount(sum(published.values())) if published else "-"
    return f"{as_published} / {amount(total)} ({amount(total - tuned['clip'])})"


def report(session):
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
