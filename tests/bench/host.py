"""The CPU: the four steps beside a read of the image and beside SciPy, and the whole process beside SExtractor."""
import json
import pathlib
import shutil
import subprocess

import peers
from session import ROOT
from tables import Row, amount, faster, print_table, skipped, times_limit

SEXTRACTOR = shutil.which("source-extractor") or shutil.which("sex")
FILTERS = pathlib.Path("/usr/share/source-extractor")
COLUMNS = ["NUMBER", "X_IMAGE", "Y_IMAGE", "ISOAREA_IMAGE", "FLUX_ISO", "FLUXERR_ISO", "X2_IMAGE", "Y2_IMAGE",
           "XY_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE", "FLAGS"]
STEPS_SIZE = 4096
PROCESS_SIZE = 8192  # for which the ratios of the whole process are wanted; smaller ones are shown
# 5 sigma of the filtered image, whose white noise is 0.34 of the image's.
LIKE_DEFAULT = {"FILTER_NAME": FILTERS / "gauss_2.0_5x5.conv", "DETECT_THRESH": 1.7, "ANALYSIS_THRESH": 1.7,
                "WEIGHT_TYPE": "BACKGROUND"}
LIGHT = [f"{kind}_{of}" for of in ("ISO", "APER", "AUTO") for kind in ("MAG", "MAGERR", "FLUX", "FLUXERR")]
DEFAULTS = {"DETECT_THRESH": 5, "ANALYSIS_THRESH": 5, "VERBOSE_TYPE": "QUIET"}


def plain_settings(size):
    """No filter, no cleaning, no deblending, one mesh as large as the image."""
    return {"FILTER": "N", "CLEAN": "N", "DEBLEND_NTHRESH": 1, "DEBLEND_MINCONT": 1, "BACK_SIZE": size,
            "BACK_FILTERSIZE": 1}


def steps_table(session):
    size = STEPS_SIZE
    title = f"CPU: four steps, {size}², lesson.yaml, 1000 sources/Mpixel"
    ours = session.benchmarks("cpu", ["one_read", "four_steps", "one_thread"], session.sizes(size))
    if not ours:
        print_table(title, [skipped("all", f"no bench_stages, or --largest is below {size}")])
        return
    four_steps, one_thread = ours["four_steps", size]["ms"], ours["one_thread", size]["ms"]
    rows = [times_limit("all threads beside one read", four_steps, ours["one_read", size]["ms"], 8),
            faster("all threads beside one", four_steps, one_thread, 1.8)]
    scipy = peers.scipy(size)
    if isinstance(scipy, str):
        rows.append(skipped("SciPy", scipy))
    else:
        rows.append(faster("all threads beside SciPy", four_steps, sum(scipy.values()), 30))
    bandwidth = size * size * 4 / ours["one_read", size]["ms"] / 1e6
    print_table(title, rows, [f"Limit: one read of the image by all threads, {bandwidth:.1f} GB/s. All times are the "
                              "best of several: other work on the machine disturbs it least."])


def threads_table(session):
    """Where time goes with more and more threads: the stages, one read of the image, and what sharing a loop costs."""
    size = STEPS_SIZE
    entries = session.benchmarks("cpu", ["threads_[0-9]+", "one_read_by_[0-9]+", "sharing_by_[0-9]+"],
                                 session.sizes(size))
    counts = sorted(int(name.removeprefix("threads_")) for name, _ in entries if name.startswith("threads_"))
    if not counts:
        return
    stages = ["background", "threshold", "label", "measure"]
    print(f"\n### CPU: four steps by number of threads, {size}², lesson.yaml, 1000 sources/Mpixel, ms\n")
    print("| threads | " + " | ".join(stages) + " | all | one thread / all | one read | sharing a loop, µs |")
    print("|---" * (len(stages) + 5) + "|")
    one = entries[f"threads_{counts[0]}", size]["ms"]
    for count in counts:
        steps = entries[f"threads_{count}", size]
        cells = [f"{steps[stage] * 1e3:.3f}" for stage in stages]
        cells += [f"{steps['ms']:.2f}", f"{one / steps['ms']:.1f}"]
        cells += [f"{entries[f'one_read_by_{count}', size]['ms']:.3f}"]
        cells += [f"{entries[f'sharing_by_{count}', size]['ms'] * 1e3:.1f}"]
        print(f"| {count} | " + " | ".join(cells) + " |")
    print("\nThe best of each. Sharing: what a loop takes beyond the share of each thread in its work.", flush=True)


def sextractor_command(directory, name, settings, image, columns=COLUMNS):
    """SExtractor with its own defaults but for `settings`; it wants a list of columns and a file of the filter."""
    (directory / f"{name}.param").write_text("\n".join(columns) + "\n")
    settings = DEFAULTS | {"PARAMETERS_NAME": directory / f"{name}.param", "CATALOG_NAME": directory / f"{name}.cat",
                           "FILTER_NAME": FILTERS / "default.conv"} | settings
    options = " ".join(f"-{key} {value}" for key, value in settings.items())
    return f"{SEXTRACTOR} {image} -c /dev/null {options}"


def hyperfine(directory, commands, runs):
    """Milliseconds of the fastest run of every command, in the order given."""
    report = directory / "hyperfine.json"
    subprocess.run(["hyperfine", "--shell=none", "--warmup=1", f"--runs={runs}", "--style=none",
                    f"--export-json={report}", *commands], check=True, capture_output=True)
    return [result["min"] * 1e3 for result in json.loads(report.read_text())["results"]]


def whole_process_rows(session, size):
    missing = [name for name, path in (("source-extractor", SEXTRACTOR), ("hyperfine", shutil.which("hyperfine")))
               if not path]
    if missing:
        return [skipped("whole process beside SExtractor", f"no {' and no '.join(missing)}")]
    image, directory = session.field(size), session.work
    program = f"{session.program} -q --backend cpu -o {directory / 'out'}"
    ours, defaults, plain, whole, like = hyperfine(directory, [
        f"{program} {ROOT / 'tests/support/plain.yaml'} {image}",
        sextractor_command(directory, "defaults", {}, image),
        sextractor_command(directory, "plain", plain_settings(size), image),
        f"{program} {image}",
        sextractor_command(directory, "like", LIKE_DEFAULT, image, [*dict.fromkeys(COLUMNS + LIGHT)])], 5)
    sources = {name: session.run("cpu", name, [image]).reports[0]["counts"]["sources"] for name in ("plain", "default")}
    found = ", ".join(f"{count_lines(directory / f'{name}.cat')} {name}" for name in ("defaults", "plain", "like"))
    judged = size == PROCESS_SIZE
    return [faster("SExtractor, its defaults at 5 sigma", ours, defaults, 10 if judged else None),
            faster("SExtractor, FILTER N, CLEAN N, no deblending, one mesh", ours, plain, 3 if judged else None),
            faster("SExtractor, filter, threshold and columns of default.yaml", whole, like, 5 if judged else None),
            Row("sources", peer=found, ours=", ".join(f"{count} {name}" for name, count in sources.items()))]


def count_lines(catalogue):
    return sum(not line.startswith("#") for line in catalogue.read_text().splitlines())


def report(session):
    steps_table(session)
    threads_table(session)
    size = min(session.largest, PROCESS_SIZE)
    run = session.best(5, "cpu", "plain", [session.field(size)])
    rows = whole_process_rows(session, size)
    image = size * size * 4
    most = 1.25 if size == PROCESS_SIZE else None
    rows.append(times_limit("resident memory", run.memory / 1e6, image / 1e6, most, "MB", of="image"))
    steps = ", ".join(f"{step} {amount(time)}" for step, time in run.steps().items())
    print_table(f"CPU: whole process, {size}², no key named", rows, [
        "hyperfine's fastest of several runs after one to warm up.",
        f"The fastest of five by itself: {amount(run.wall)}, of which {steps}."])
