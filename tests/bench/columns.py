"""What columns cost: default.sex with its usual columns, with fluxes in apertures and with all, on one core, beside SExtractor
and, where it measures them, SEP; and default.yaml beside SExtractor with its filter, threshold and columns."""
import json
import subprocess
import sys

import host
from make_field import make_field
from session import ROOT, ProgramFailed, launch, write_fits
from tables import Row, faster, print_table, skipped

SIZE, CROWDED_SIZE = 4096, 2048
FLUXES = ("MAG_ISO MAGERR_ISO FLUX_APER FLUXERR_APER MAG_APER MAGERR_APER FLUX_AUTO FLUXERR_AUTO MAG_AUTO MAGERR_AUTO "
          "KRON_RADIUS").split()
FURTHER = ("FLUX_PETRO FLUXERR_PETRO MAG_PETRO MAGERR_PETRO PETRO_RADIUS FLUX_RADIUS XWIN_IMAGE YWIN_IMAGE X2WIN_IMAGE "
           "Y2WIN_IMAGE XYWIN_IMAGE ERRX2WIN_IMAGE ERRY2WIN_IMAGE ERRXYWIN_IMAGE ERRAWIN_IMAGE ERRBWIN_IMAGE ERRTHETAWIN_IMAGE "
           "AWIN_IMAGE BWIN_IMAGE THETAWIN_IMAGE "
           "FLUX_WIN FLUXERR_WIN MAG_WIN MAGERR_WIN SNR_WIN NITER_WIN FLAGS_WIN FWHM_IMAGE ISO0 ISO1 ISO2 ISO3 ISO4 ISO5 "
           "ISO6 ISO7 ERRX2_IMAGE ERRY2_IMAGE ERRXY_IMAGE ERRA_IMAGE ERRB_IMAGE ERRTHETA_IMAGE FLUX_ISOCOR "
           "FLUXERR_ISOCOR MAG_ISOCOR MAGERR_ISOCOR ISOAREAF_IMAGE MU_MAX ELONGATION ELLIPTICITY CXX_IMAGE CYY_IMAGE "
           "CXY_IMAGE").split()
# By the groups of ours that these are of; "all" is without what SExtractor has not (ANNULUS_SKY) or counts otherwise.
GROUPS = {"default": "default", "photometry": "photometry", "all": "default, photometry, shapes, windowed, profile"}
CHOICES = {"default": host.COLUMNS, "photometry": host.COLUMNS + FLUXES, "all": host.COLUMNS + FLUXES + FURTHER}
DEFAULT_SEX = {"DETECT_THRESH": 1.5, "ANALYSIS_THRESH": 1.5, "PIXEL_SCALE": 1, "MEMORY_OBJSTACK": 65535,
               "MEMORY_PIXSTACK": 16000000, "MEMORY_BUFSIZE": 4096}

# SEP measures what it has of "all" (no Petrosian fluxes, no moments or errors of windows, no profiles), on float32 pixels.
SEP = """
import json, sys, time
import numpy as np, sep
from astropy.io import fits
image = fits.getdata(sys.argv[1]).astype(np.float32)
sep.set_extract_pixstack(16000000)
sep.set_sub_object_limit(100000)
kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32)
times = {}
begin = time.process_time()
sky = sep.Background(image)
above = image - sky
o, labels = sep.extract(above, 1.5, err=sky.globalrms, minarea=5, filter_kernel=kernel, segmentation_map=True)
times["default"] = time.process_time() - begin
ids = dict(segmap=labels, seg_id=np.arange(1, len(o) + 1, dtype=np.int32))
place, theta = (o["x"], o["y"]), np.clip(o["theta"], -np.pi / 2, np.pi / 2)
radius, _ = sep.kron_radius(above, *place, o["a"], o["b"], theta, 6.0, **ids)
auto, _, _ = sep.sum_ellipse(above, *place, o["a"], o["b"], theta, np.maximum(2.5 * radius, 3.5), subpix=1, **ids)
sep.sum_circle(above, *place, 2.5, **ids)
times["photometry"] = time.process_time() - begin
half, _ = sep.flux_radius(above, *place, 6.0 * o["a"], 0.5, normflux=auto, subpix=5, **ids)
sep.winpos(above, *place, np.maximum(2 / 2.35 * half, 0.4), subpix=11)
times["all"] = time.process_time() - begin
print(json.dumps(times))
"""


def sep_times(image, runs):
    """{columns: ms} of the fastest of so many runs, or why not."""
    fastest = None
    for _ in range(runs):
        done = subprocess.run([sys.executable, "-c", SEP, image], capture_output=True, text=True)
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        times = json.loads(done.stdout)
        if fastest is None or times["all"] < fastest["all"]:
            fastest = times
    return {columns: seconds * 1e3 for columns, seconds in fastest.items()}


def processor_time(runs, *command):
    return min(launch(*command).cpu for _ in range(runs))


def default_row(session, image, what, runs):
    """Of default.yaml thresholds are in the noise of the filtered image; SExtractor is told the same level."""
    ours = processor_time(runs, session.program, "-q", "--record", "--backend", "cpu", "--threads", 1, "-o", session.work / "out",
                          ROOT / "config/default.yaml", image)
    levels = json.loads((session.work / "out" / f"{image.stem}.run.json").read_text())["levels"]
    threshold = levels["detection"] / levels["sigma"]
    settings = DEFAULT_SEX | {"DETECT_THRESH": threshold, "ANALYSIS_THRESH": threshold,
                              "FILTER_NAME": host.FILTERS / "gauss_2.0_5x5.conv"}
    command = host.sextractor_command(session.work, "default_yaml", settings, image, host.COLUMNS + FLUXES)
    return faster(f"default.yaml, {what}: SExtractor", ours, processor_time(runs, *command.split()), 5)


def rows_of(session, image, what, least, runs):
    directory, ours = session.work, {}
    for columns in CHOICES:
        ours[columns] = processor_time(
            runs, session.program, "-q", "--record", "--backend", "cpu", "--threads", 1, "--set", f"output.columns=[{GROUPS[columns]}]",
            "--set", "measurement.pixel_scale=1", "-o", directory / "out", ROOT / "config/sextractor.yaml", image)
    for columns, names in CHOICES.items():
        if not host.SEXTRACTOR:
            yield skipped(f"{columns}, {what}: SExtractor", "no source-extractor")
            continue
        command = host.sextractor_command(directory, columns, DEFAULT_SEX, image, names)
        yield faster(f"{columns}, {what}: SExtractor", ours[columns], processor_time(runs, *command.split()), least)
    peer = sep_times(image, runs)
    if isinstance(peer, str):
        yield skipped(f"{what}: SEP", peer)
        return
    for columns, milliseconds in peer.items():
        yield faster(f"{columns}, {what}: SEP", ours[columns], milliseconds)
    sources = json.loads((directory / "out" / f"{image.stem}.run.json").read_text())["counts"]["sources"]
    yield Row(f"sources, {what}", ours=str(sources))


def report(session):
    rows = []
    for size, density, least, runs in ((SIZE, 1000, 5, 3), (CROWDED_SIZE, 50000, 4, 2)):
        if size > session.largest:
            rows.append(skipped(f"{size}²", f"--largest is below {size}"))
            continue
        image = session.work / f"density_{density}.fits"
        write_fits(image, make_field(size, size, per_mpix=density))
        what = f"{size}², {density}/Mpixel"
        try:
            if host.SEXTRACTOR:
                rows.append(default_row(session, image, what, runs))
            rows += rows_of(session, image, what, least, runs)
        except ProgramFailed as error:
            rows.append(skipped(what, str(error)))
    print_table("Columns: default.yaml and default.sex on one core, processor time of the whole process", rows, [
        "SEP measures on pixels in memory, and of `all` it lacks Petrosian fluxes, profiles, moments and errors of windows."
        f" Of several runs the fastest; `all` is {len(CHOICES['all'])} columns."])
