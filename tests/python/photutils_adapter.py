"""A plugin of pytest: tests of photutils run with the work done by srcextract.

    python -m pytest -p photutils_adapter --pyargs photutils.aperture

Functions and methods of photutils that srcextract has an equivalent of are replaced where all classes of photutils call them, so
that photutils still checks arguments, handles units and makes tables. What is asked for and srcextract has not (rectangles, linear
levels of deblending) is done by photutils. A test counts as one of srcextract if srcextract did what it
tests (suite_report.py).
"""
import functools
import math

import numpy
from photutils import aperture, background, segmentation
from photutils.background import background_2d
from photutils.detection import core as stars
from photutils.segmentation import catalog, deblend, detect, finder
from scipy import ndimage

import srcextract as sx
import suite_report
from srcextract import sep

suite_report.calls = 0

pytest_plugins = ["suite_report"]


class NotOurs(Exception):
    """srcextract has no equivalent of what is asked for."""


def replaces(owner, name, *files):
    """Replaces a function, or a method; it is given the replaced one first, which does what raises NotOurs. `files` test it."""
    def decorator(function):
        theirs = getattr(owner, name)

        @functools.wraps(theirs)
        def either(*given, **told):
            try:
                result = function(theirs, *given, **told)
            except NotOurs:
                return theirs(*given, **told)
            suite_report.work(files)
            return result
        static = isinstance(vars(owner).get(name), staticmethod)
        setattr(owner, name, staticmethod(either) if static else either)
        return either
    return decorator


def replaces_property(owner, name):
    """Replaces what computes a property; its kind, and what photutils wraps around it, stay."""
    def decorator(function):
        old = owner.__dict__[name]
        theirs = old.fget

        def either(self):
            try:
                result = function(self)
            except NotOurs:
                return theirs(self)
            suite_report.work(())
            return result
        either.__name__, either.__doc__ = name, theirs.__doc__
        setattr(owner, name, type(old)(either))
    return decorator


# Sums in apertures


def sums(self, theirs, data, error, mask, method, subpixels, ellipse, radii):
    """photutils leaves masked pixels out, where SEP scales the others up to the whole aperture: so masked pixels are 0."""
    data = numpy.asanyarray(data)
    unit = getattr(data, "unit", None)
    if data.ndim != 2 or (error is not None and (numpy.shape(error) != data.shape or getattr(error, "unit", None) != unit)):
        raise NotOurs  # photutils says what is wrong
    subpix = {"exact": 0, "center": 1, "subpixel": subpixels}.get(method)
    if not isinstance(subpix, int) or (method == "subpixel" and subpix < 1):
        raise NotOurs
    pixels = numpy.array(getattr(data, "value", data), dtype=float)
    noise = None if error is None else numpy.array(getattr(error, "value", error), dtype=float)
    if mask is not None:
        pixels[mask] = 0
        if noise is not None:
            noise[mask] = 0
    x, y = numpy.atleast_2d(self.positions).T
    function = {(0, 1): sep.sum_circle, (0, 2): sep.sum_circann, (3, 1): sep.sum_ellipse,
                (3, 2): sep.sum_ellipann}[len(ellipse), len(radii)]
    total, deviation, _ = function(pixels, x, y, *ellipse, *radii, err=noise, subpix=subpix)
    reach = max(radii[-1], *[radii[-1] * axis for axis in ellipse[:2]]) if ellipse else radii[-1]
    outside = (x + reach < -0.5) | (y + reach < -0.5) | (x - reach > data.shape[1] - 0.5) | (y - reach > data.shape[0] - 0.5)
    total[outside] = deviation[outside] = numpy.nan
    deviation = numpy.array([]) if error is None else deviation
    return (total, deviation) if unit is None else (total << unit, deviation << unit)


def angle(theta):
    """Between -pi/2 and pi/2, as SEP has it."""
    return math.remainder(float(getattr(theta, "value", theta)) if not hasattr(theta, "to") else theta.to("rad").value, math.pi)


def larger_first(a, b, theta):
    return (a, b, angle(theta)) if a >= b else (b, a, math.remainder(angle(theta) + math.pi / 2, math.pi))


@replaces(aperture.PixelAperture, "do_photometry", "test_photometry.py")
def do_photometry(theirs, self, data, error=None, mask=None, method="exact", subpixels=5):
    told = (self, theirs, data, error, mask, method, subpixels)
    if type(self) is aperture.CircularAperture:
        return sums(*told, (), (self.r,))
    if type(self) is aperture.CircularAnnulus:
        return sums(*told, (), (self.r_in, self.r_out))
    if type(self) is aperture.EllipticalAperture:
        return sums(*told, larger_first(self.a, self.b, self.theta), (1.0,))
    if type(self) is aperture.EllipticalAnnulus and math.isclose(self.a_in * self.b_out, self.b_in * self.a_out):
        axes = larger_first(self.a_out, self.b_out, self.theta)
        return sums(*told, axes, (self.a_in / self.a_out, 1.0))
    raise NotOurs


# The sky


@replaces(background.LocalBackground, "__call__")
def local_background(theirs, self, data, x, y, mask=None):
    """The median of the pixels in the ring."""
    if type(self.bkg_estimator) is not background.MedianBackground or not numpy.isfinite(x).all() or not numpy.isfinite(y).all():
        raise NotOurs
    at = numpy.atleast_1d(x), numpy.atleast_1d(y)
    median = sep.stats_circann(data, *at, self.inner_radius, self.outer_radius, mask=mask, subpix=1)[2]
    return median if numpy.ndim(x) else median[0]


@replaces(background.Background2D, "__init__", "none: what is read of it counts")
def mesh_of_background(theirs, self, data, box_size, **told):
    theirs(self, data, box_size, **told)
    estimators = {background.SExtractorBackground: "sextractor", background.MedianBackground: "median"}
    estimator = estimators.get(type(self.bkg_estimator))
    height, width = self._interp_kwargs["shape"]
    box_y, box_x = (int(side) for side in self.box_size)
    self._of_srcextract = None
    if (estimator is None or type(self.bkg_rms_estimator) is not background.StdBackgroundRMS or self.sigma_clip is None
            or type(self.interpolator) is not background_2d._BkgZoomInterpolator or min(box_y, box_x) < 8
            or max(self.filter_size) > 15):
        return
    masks = [told.get("mask"), told.get("coverage_mask"), None if isinstance(data, numpy.ndarray) else data.mask]
    pixels = numpy.array(getattr(data, "value", data if isinstance(data, numpy.ndarray) else data.data), dtype=float)
    for mask in masks:
        if mask is not None:
            pixels[mask] = numpy.nan
    self._of_srcextract = sx.background(pixels, mesh_size=box_x, mesh_height=box_y, estimator=estimator,
                                        kappa=float(self.sigma_clip.sigma), filter_size=int(self.filter_size[1]),
                                        filter_height=int(self.filter_size[0]), filter_threshold=float(self.filter_threshold or 0))


def of_srcextract(name, values):
    @replaces_property(background.Background2D, name)
    def property_(self):
        if self._of_srcextract is None:
            raise NotOurs
        made = numpy.array(values(self._of_srcextract), dtype=self._interp_kwargs["dtype"])
        if not name.endswith("mesh") and self.coverage_mask is not None:
            made[self.coverage_mask] = self.fill_value
        return self._apply_units(made)


of_srcextract("background", lambda sky: sky.level)
of_srcextract("background_rms", lambda sky: sky.rms)
of_srcextract("background_mesh", lambda sky: sky.mesh.level)
of_srcextract("background_rms_mesh", lambda sky: sky.mesh.rms)


# Detection


@replaces(stars.StarFinderBase, "_find_stars")
def find_stars(theirs, convolved_data, kernel, threshold, *, min_separation=0.0, mask=None, exclude_border=False):
    """Returns the peaks of objects. As in photutils, a peak near a brighter pixel is dropped, and so is a peak at the border."""
    if numpy.ndim(threshold):
        raise NotOurs
    pixels, level = (numpy.array(getattr(one, "value", one), dtype=float) for one in (convolved_data, threshold))
    objects = sep.extract(pixels, float(level), mask=mask, minarea=1, filter_kernel=None, deblend_cont=0.0, clean=False)
    x, y = objects["xcpeak"], objects["ycpeak"]
    near = numpy.asarray(getattr(kernel, "mask", numpy.ones(numpy.shape(kernel) or 1)), bool)
    height, width = (side // 2 for side in near.shape)
    if min_separation:
        offsets = numpy.arange(-min_separation, min_separation + 1)
        near = numpy.hypot(*numpy.meshgrid(offsets, offsets)) <= min_separation
    kept = pixels[y, x] == ndimage.maximum_filter(pixels, footprint=near, mode="constant")[y, x]
    if exclude_border:
        kept &= (x >= width) & (y >= height) & (x < pixels.shape[1] - width) & (y < pixels.shape[0] - height)
    at = numpy.lexsort((x[kept], y[kept]))
    return numpy.column_stack([x[kept], y[kept]])[at] if kept.any() else None


def found_by(data, threshold, n_pixels, connectivity, mask):
    if connectivity not in (4, 8):
        raise NotOurs
    pixels = numpy.array(data, dtype=float)
    if mask is not None:
        pixels[mask] = numpy.nan
    if numpy.ndim(threshold):
        foreground = pixels > threshold
    else:
        nothing = sx.background(numpy.zeros(pixels.shape), method="constant")
        foreground = sx.threshold(pixels, nothing.subtracted, threshold=float(threshold), threshold_unit="absolute")
    return sx.label(foreground, min_area=int(n_pixels), connectivity=int(connectivity))


@replaces(detect, "_detect_sources", "test_detect.py", "test_finder.py")
def detect_sources(theirs, data, threshold, n_pixels, footprint, inverse_mask, *, relabel, return_segmimg):
    """Only for detect_sources: deblend_sources of photutils takes the same function for the levels."""
    unit = getattr(data, "unit", None)
    pixels, level = (values if unit is None else values.value for values in (data, threshold))
    found = found_by(pixels, level, n_pixels, 8 if footprint[0, 0] else 4, None if inverse_mask is None else ~inverse_mask)
    return segmentation.SegmentationImage(numpy.array(found)) if len(found) else None


def deblended(theirs, data, segmentation_image, n_pixels, *, labels=None, n_levels=32, contrast=0.001, mode="exponential",
              connectivity=8, relabel=True, **told):
    """Every segment by itself, from its lowest pixel, as photutils does."""
    if (not isinstance(segmentation_image, segmentation.SegmentationImage) or segmentation_image.shape != numpy.shape(data)
            or mode != "exponential" or connectivity != 8 or not relabel or not 2 <= n_levels <= 256 or not 0 <= contrast < 1):
        raise NotOurs
    chosen = segmentation_image.labels if labels is None else numpy.atleast_1d(labels)
    segmentation_image.check_labels(chosen)
    pixels = numpy.array(getattr(data, "value", data), dtype=float)
    if any(not pixels[segmentation_image.data == label].min() > 0 for label in chosen):
        raise NotOurs  # photutils takes linear levels then
    nothing = sx.background(numpy.zeros(pixels.shape), method="constant").subtracted
    made, parents, last = segmentation_image.data.copy(), {}, segmentation_image.max_label
    for label in chosen:
        own = segmentation_image.data == label
        parts = numpy.array(sx.deblend(pixels, own.astype("i4"), nothing, thresholds=int(n_levels), contrast=float(contrast), clean=False,
                                       detection__threshold=float(pixels[own].min()), detection__threshold_unit="absolute",
                                       detection__min_area=int(n_pixels)))
        count = parts.max()
        if count > 1:
            made[own] = numpy.where(parts[own] > 0, parts[own] + last, 0)
            parents[label] = numpy.arange(1, count + 1) + last
            last += count
    numbers = numpy.zeros(last + 1, made.dtype)
    present = numpy.unique(made[made > 0])
    numbers[present] = numpy.arange(1, len(present) + 1)
    result = segmentation.SegmentationImage(numbers[made])
    result._deblend_label_map = {int(label): numbers[parts] for label, parts in parents.items()}
    return result


for where in segmentation, deblend, finder:
    replaces(where, "deblend_sources", "test_deblend.py", "test_finder.py")(deblended)


# The catalogue of segments


def columns_of(cat, names, **keys):
    """Columns of a catalogue's labels. Masked pixels are of no label: srcextract makes NaN of a label that has some."""
    if cat._detection_catalog is not None:
        raise NotOurs
    shape, labels = cat._data.shape, cat._segmentation_image.data.copy()
    nothing = sx.background(numpy.zeros(shape), method="constant", rms="1").subtracted
    data, filtered = (numpy.array(one, dtype=float) for one in (cat._data, cat._convolved_data))
    if cat._mask is not None:
        data[cat._mask] = filtered[cat._mask] = numpy.nan
    labels[~numpy.isfinite(data)] = 0
    mask = {"correct": "correct", "mask": "blank", "none": "none"}[cat.aperture_mask_method]
    told = {"detection__threshold": 0.0, "detection__threshold_unit": "absolute", "overlap": "exact", "noise": "pixel"}
    found = sx.photometry(data, labels, nothing, found_in=filtered, columns=["NUMBER", *names], mask=mask,
                          **told, **keys)
    at = {number: row for row, number in enumerate(found["NUMBER"])}
    rows = numpy.array([at.get(label, -1) for label in numpy.atleast_1d(cat.labels)])
    values = [numpy.array(found[name], dtype=float).reshape(len(found), -1)[rows, 0] for name in names]
    for column in values:
        column[rows < 0] = numpy.nan
    return values


def scalar(cat, values):
    return values[0] if cat.isscalar else values


def of_catalogue(name, columns, make):
    @replaces_property(catalog.SourceCatalog, name)
    def property_(self):
        return make(self, *columns_of(self, columns))


of_catalogue("centroid", ["X_IMAGE", "Y_IMAGE"], lambda cat, x, y: scalar(cat, numpy.column_stack([x, y]) - 1))
of_catalogue("centroid_win", ["XWIN_IMAGE", "YWIN_IMAGE"], lambda cat, x, y: scalar(cat, numpy.column_stack([x, y]) - 1))
of_catalogue("_covariance", ["X2_IMAGE", "Y2_IMAGE", "XY_IMAGE"],
             lambda cat, xx, yy, xy: numpy.moveaxis(numpy.array([[xx, xy], [xy, yy]]), 2, 0))


@replaces_property(catalog.SourceCatalog, "segment_flux")
def segment_flux(cat):
    flux, = columns_of(cat, ["FLUX_ISO"], local_sky=int(cat.local_bkg_width))
    return scalar(cat, flux if cat._data_unit is None else flux << cat._data_unit)


@replaces_property(catalog.SourceCatalog, "max_value")
def max_value(cat):
    most, = columns_of(cat, ["FLUX_MAX"])
    return scalar(cat, most if cat._data_unit is None else most << cat._data_unit)


@replaces_property(catalog.SourceCatalog, "_measured_kron_radius")
def measured_kron_radius(cat):
    """KRON_RADIUS without its factor; the least radius is left to photutils."""
    return columns_of(cat, ["KRON_RADIUS"], kron=[1.0, 0.0])[0]


@replaces(catalog.SourceCatalog, "_calc_kron_photometry")
def kron_photometry(theirs, cat, *, kron_params=None):
    factor, least, *circle = cat.kron_params if kron_params is None else cat._validate_kron_params(kron_params)
    if any(circle) or cat._error is not None:
        raise NotOurs
    flux, = columns_of(cat, ["FLUX_AUTO"], kron=[float(factor), float(factor * least)], local_sky=int(cat.local_bkg_width))
    return flux, numpy.full(flux.shape, numpy.nan)


@replaces(catalog.SourceCatalog, "_aperture_photometry")
def circular_photometry(theirs, cat, apertures, *, desc="", **told):
    radii = {one.r for one in apertures if type(one) is aperture.CircularAperture}
    if len(radii) != 1 or None in apertures or cat._error is not None or told.get("method") != "exact":
        raise NotOurs
    flux, = columns_of(cat, ["FLUX_APER"], apertures=[2 * float(radii.pop())], local_sky=int(cat.local_bkg_width))
    return flux, numpy.full(flux.shape, numpy.nan)


@replaces(catalog.SourceCatalog, "flux_radius")
def flux_radius(theirs, cat, fraction, name=None, overwrite=False):
    if name is not None or not 0 < fraction < 1 or cat.local_bkg_width or any(cat.kron_params[2:]):
        raise NotOurs
    radius, = columns_of(cat, ["FLUX_RADIUS"], flux_radius=[float(fraction)],
                         kron=[float(cat.kron_params[0]), float(cat.kron_params[0] * cat.kron_params[1])])
    return scalar(cat, radius) * catalog.u.pix

