"""photutils on the image that tests/bench/python_sep.py has, step by step the same work; that it is other code with other
definitions in places (the sky's estimator, the order of deblending) is not made up for."""
import time


def photometry(image):
    """Seconds of each step, of the clock and of the processor, as that of python_sep, and how many objects there are."""
    import numpy
    from photutils.aperture import CircularAperture, aperture_photometry
    from photutils.background import Background2D, SExtractorBackground
    from photutils.segmentation import SourceCatalog, deblend_sources, detect_sources
    from scipy.ndimage import convolve

    times = [(time.perf_counter(), time.process_time())]

    def lap(value):
        times.append((time.perf_counter(), time.process_time()))
        return value

    def extract():
        """As SEP's: its filter, its threshold, 5 pixels, deblended, with positions, shapes and fluxes."""
        smooth = convolve(above, numpy.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], "f4") / 16, mode="constant")
        islands = detect_sources(smooth, 1.5 * noise, 5)
        parts = deblend_sources(smooth, islands, 5, contrast=0.005)
        found = SourceCatalog(above, parts, convolved_data=smooth)
        _ = [getattr(found, name) for name in ("covariance", "orientation", "segment_flux", "area", "max_value", "bbox_xmin")]
        return found

    sky = lap(Background2D(image, 64, filter_size=3, bkg_estimator=SExtractorBackground()))
    above, noise = lap((image - sky.background.astype("f4"), sky.background_rms_median))
    found = lap(extract())
    places = numpy.asarray(found.centroid)
    lap(aperture_photometry(above, CircularAperture(places, 3.0), error=numpy.broadcast_to(noise, above.shape),
                            method="subpixel", subpixels=5))
    lap(found.kron_radius)
    lap(found.kron_flux)
    return numpy.diff(times, axis=0).T, len(places)
