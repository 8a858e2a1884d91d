"""srcextract, SExtractor, SEP and photutils on one image: the same meshes, filter, least area, deblending and apertures.
Each gives {column: array}: x, y from 0; x_win, y_win; ex, ey, ex_win, ey_win, the errors of both, NaN where it has none; and
auto, auto_err, aper, aper_err. `measure` off leaves out all but x and y."""
import functools
import pathlib
import tempfile
import warnings

import numpy as np
from astropy.io import fits

from program import extract
from sextractor import sextract
from simulated.fields import APERTURE

KERNEL = np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]])
MINAREA, LEVELS, CONTRAST = 5, 32, 0.005
AUTO_FACTOR, AUTO_LEAST = 2.5, 3.5
ISOPHOTAL = ["X_IMAGE", "Y_IMAGE", "ERRX2_IMAGE", "ERRY2_IMAGE"]
MEASURED = [*ISOPHOTAL, "XWIN_IMAGE", "YWIN_IMAGE", "ERRX2WIN_IMAGE", "ERRY2WIN_IMAGE", "FLUX_AUTO", "FLUXERR_AUTO",
            "FLUX_APER", "FLUXERR_APER"]
SETTINGS = {"BACK_TYPE": "AUTO", "BACK_SIZE": 64, "BACK_FILTERSIZE": 3, "THRESH_TYPE": "RELATIVE",
            "DETECT_MINAREA": MINAREA, "FILTER": "Y", "FILTER_NAME": "default.conv", "DEBLEND_NTHRESH": LEVELS,
            "DEBLEND_MINCONT": CONTRAST, "CLEAN": "Y", "MASK_TYPE": "CORRECT", "PHOT_APERTURES": APERTURE,
            "PHOT_AUTOPARAMS": f"{AUTO_FACTOR},{AUTO_LEAST}", "MEMORY_BUFSIZE": 4096, "MEMORY_OBJSTACK": 65535}


def of_columns(table):
    """By SExtractor's names, as srcextract has them, too."""
    found = {"x": table["X_IMAGE"] - 1, "y": table["Y_IMAGE"] - 1}
    if "FLUX_AUTO" not in table:
        return found
    with np.errstate(invalid="ignore"):
        found |= {f"e{axis}{win.lower() and '_win'}": np.sqrt(table[f"ERR{axis.upper()}2{win}_IMAGE"])
                  for axis in "xy" for win in ("", "WIN")}
    return found | {"x_win": table["XWIN_IMAGE"] - 1, "y_win": table["YWIN_IMAGE"] - 1, "auto": table["FLUX_AUTO"],
                    "auto_err": table["FLUXERR_AUTO"], "aper": table["FLUX_APER"], "aper_err": table["FLUXERR_APER"]}


def by_srcextract(program, image, threshold, measure=True, further=()):
    """`further` settings are as of --set."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "field.fits"
        fits.writeto(path, image)
        settings = {"detection.threshold": threshold, "detection.analysis_threshold": threshold,
                    "measurement.apertures": [APERTURE],
                    "output.columns": f"[{', '.join(MEASURED if measure else ISOPHOTAL[:2])}]"}
        options = [part for one in (*(f"{name}={value}" for name, value in settings.items()), *further) for part in ("--set", one)]
        return of_columns(extract(program, "sextractor", path, folder, "--backend", "cpu", "--threads", 1, *options)[0])


def by_sextractor(image, threshold, measure=True):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        fits.writeto(folder / "field.fits", image)
        (folder / "default.conv").write_text("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
        columns = [*MEASURED] if measure else ISOPHOTAL[:2]
        columns[:2] = ["X_IMAGE_DBL", "Y_IMAGE_DBL"]
        table = fits.getdata(sextract(folder / "field.fits", folder, columns, DETECT_THRESH=threshold,
                                      ANALYSIS_THRESH=threshold, **SETTINGS), 1)
        return of_columns({name.removesuffix("_DBL"): np.array(table[name], float) for name in columns})


def by_sep(image, threshold, measure=True):
    """AUTO as SEP's documentation makes it."""
    import sep
    sep.set_extract_pixstack(image.size)
    sep.set_sub_object_limit(65536)
    sky = sep.Background(image, bw=64, bh=64, fw=3, fh=3)
    above, noise = image - sky.back(), sky.globalrms
    rows, labels = sep.extract(above, threshold, err=noise, minarea=MINAREA, filter_kernel=KERNEL,
                               filter_type="conv", deblend_nthresh=LEVELS, deblend_cont=CONTRAST,
                               segmentation_map=True)
    found = {"x": rows["x"], "y": rows["y"]}
    if not measure:
        return found
    mine = {"segmap": labels, "seg_id": np.arange(1, len(rows) + 1, dtype=np.int32)}
    theta = np.clip(rows["theta"], -np.pi / 2, np.pi / 2)
    ellipse = rows["x"], rows["y"], rows["a"], rows["b"], theta
    kron, _ = sep.kron_radius(above, *ellipse, 6.0, **mine)
    scale = np.maximum(AUTO_FACTOR * np.nan_to_num(kron), AUTO_LEAST)
    auto, auto_err, _ = sep.sum_ellipse(above, *ellipse, scale, err=noise, subpix=1, **mine)
    aper, aper_err, _ = sep.sum_circle(above, rows["x"], rows["y"], APERTURE / 2, err=noise, **mine)
    half, _ = sep.flux_radius(above, rows["x"], rows["y"], 6 * rows["a"], 0.5, normflux=auto, subpix=5)
    x_win, y_win, _ = sep.winpos(above, rows["x"], rows["y"], 2 / 2.35 * np.maximum(half, 0.5))
    nothing = np.full(len(rows), np.nan)
    return found | {"ex": np.sqrt(rows["errx2"]), "ey": np.sqrt(rows["erry2"]), "x_win": x_win, "y_win": y_win,
                    "ex_win": nothing, "ey_win": nothing, "auto": auto, "auto_err": auto_err, "aper": aper,
                    "aper_err": aper_err}


def by_photutils(image, threshold, measure=True):
    from astropy.convolution import convolve
    from photutils.background import Background2D, SExtractorBackground, StdBackgroundRMS
    from photutils.segmentation import SourceCatalog, deblend_sources, detect_sources
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sky = Background2D(image, 64, filter_size=3, bkg_estimator=SExtractorBackground(),
                           bkg_rms_estimator=StdBackgroundRMS())
        above, noise = image - sky.background, sky.background_rms_median
        smooth = convolve(above, KERNEL / KERNEL.sum(), boundary="fill")
        labels = detect_sources(smooth, threshold * noise, MINAREA)
        if labels is None:
            return {"x": np.zeros(0), "y": np.zeros(0)}
        labels = deblend_sources(smooth, labels, MINAREA, n_levels=LEVELS, contrast=CONTRAST, progress_bar=False)
        rows = SourceCatalog(above, labels, convolved_data=smooth, error=np.full(image.shape, noise),
                             aperture_mask_method="correct", kron_params=(AUTO_FACTOR, AUTO_LEAST / AUTO_FACTOR, 0))
        found = {"x": np.atleast_1d(rows.x_centroid), "y": np.atleast_1d(rows.y_centroid)}
        if not measure:
            return found
        aper, aper_err = rows.circular_photometry(APERTURE / 2)
        nothing = np.full(len(found["x"]), np.nan)
        return found | {"ex": nothing, "ey": nothing, "x_win": rows.x_centroid_win, "y_win": rows.y_centroid_win,
                        "ex_win": nothing, "ey_win": nothing, "auto": rows.kron_flux, "auto_err": rows.kron_flux_err,
                        "aper": aper, "aper_err": aper_err}


def finders(program, further=()):
    return {"srcextract": functools.partial(by_srcextract, program, further=further), "SExtractor": by_sextractor,
            "SEP": by_sep, "photutils": by_photutils}
