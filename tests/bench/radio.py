"""Radio maps: Gaussians that are fitted a second, and whole maps from file to tables."""
import radio_map
from make_field import write_fits
from session import ProgramFailed
from tables import Row, amount, at_most, print_table, skipped

SIZE, SOURCES, RUNS = 4096, 1600, 5
LARGE, COMPONENTS = 16384, 40000
FILAMENTS = 1024


def map_file(session, name, size, make):
    path = session.work / f"{name}.fits"
    if not path.exists():
        write_fits(path, make(), **radio_map.cards(size))
    return path


def fastest(session, backend, path, *options):
    return min((session.run(backend, "radio", [path], *options) for _ in range(RUNS)), key=lambda run: run.image_time())


def one_core_rows(session):
    if not session.sizes(SIZE):
        return [skipped(f"one core, {SIZE}²", f"--largest is below {SIZE}")]
    path = map_file(session, "radio", SIZE, lambda: radio_map.make_map(SIZE, SOURCES))
    run = fastest(session, "cpu", path, "--threads", "1")
    fitted, seconds = run.reports[0]["fit"]["gaussians"], run.steps()["fit"] / 1e3
    rows = [at_most(f"{SIZE}², {fitted} Gaussians, one thread", run.image_time(), 500),
            Row("... Gaussians a second, with the measurement of the noise", ours=f"{fitted / seconds:.0f}", wanted=">= 20000",
                reached=fitted >= 20000 * seconds)]
    path = map_file(session, "filaments", FILAMENTS, lambda: radio_map.make_filaments(FILAMENTS))
    rows.append(at_most(f"{FILAMENTS}² of filaments, one thread", fastest(session, "cpu", path, "--threads", "1").image_time(), 5000))
    return rows


def large_rows(session):
    if not session.sizes(LARGE):
        return [skipped(f"{LARGE}²", f"--largest is below {LARGE}")]
    path = map_file(session, "radio_large", LARGE, lambda: radio_map.make_map(LARGE, COMPONENTS))
    rows = []
    for backend, most in (("cpu", 4000), ("cuda", 1500)):
        try:
            run = fastest(session, backend, path)
        except ProgramFailed as error:
            rows.append(skipped(f"{LARGE}², {backend}", str(error)))
            continue
        fitted, steps = run.reports[0]["fit"]["gaussians"], run.steps()
        rows += [at_most(f"{LARGE}², {fitted} Gaussians, {backend}", run.image_time(), most),
                 at_most(f"... with the start of the program, {backend}", run.wall)]
        rows += [Row(f"... {name}", ours=amount(ms)) for name, ms in steps.items() if ms > 0.02 * run.image_time()]
        image = path.stat().st_size
        rows.append(Row(f"... peak memory over the image, {backend}", ours=f"{run.memory / image:.2f}",
                        wanted="<= 2.5" if backend == "cpu" else "", reached=run.memory <= 2.5 * image if backend == "cpu" else None))
    return rows


def report(session):
    print_table("Radio maps: config/radio.yaml, from the file to the tables", one_core_rows(session) + large_rows(session),
                [f"The fastest of {RUNS}. Sources of 5 to 5000 sigma on noise of a beam of {radio_map.BEAM[0]} by "
                 f"{radio_map.BEAM[1]} arcseconds, pixels of {radio_map.PIXEL}; an image's time is that of run.json."])
