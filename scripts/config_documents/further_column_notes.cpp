#include "scripts/config_documents/column_notes.hpp"

namespace srcextract::documents {

std::span<const ColumnNote> notes_of_further_columns() {
  static const ColumnNote notes[] = {
      {"FLUX_APER",
       "light in circles about `X_IMAGE`, `Y_IMAGE`, one for each diameter of `measurement.apertures`, pixels at the "
       "edge as `measurement.overlap` has them ([stages.md](stages.md#photometry))",
       manual, "FLUX_APER: of 32 bits", "sum_circle", "circular_photometry"},
      {"FLUXERR_APER",
       "√(Σ *w* σ² + *F* / gain) over the same pixels, *w* the share of each; with a map of weights Σ *w* times its "
       "variance, masked pixels as they were replaced",
       manual, "FLUXERR_APER: but for `WEIGHT_GAIN Y`, which has the gain follow the weights", "sum_circle",
       "circular_photometry"},
      {"FLUX_AUTO", "light in Kron's ellipse ([stages.md](stages.md#photometry))", kron, same, "sum_ellipse",
       "kron_flux"},
      {"FLUXERR_AUTO", "its error, as `FLUXERR_APER`", manual, same, "sum_ellipse", "kron_fluxerr"},
      {"KRON_RADIUS", "semi-axis of that ellipse in units of `A_IMAGE`, 0 where `FLUX_AUTO` is not above 0", kron, same,
       "kron_radius", "kron_radius"},
      {"FLUX_PETRO", "light in Petrosian's ellipse ([stages.md](stages.md#photometry))", petrosian, same, "", ""},
      {"FLUXERR_PETRO", "its error, as `FLUXERR_APER`", manual, same, "", ""},
      {"PETRO_RADIUS", "semi-axis of that ellipse in units of `A_IMAGE`, 0 where `FLUX_PETRO` is not above 0",
       petrosian, same, "", ""},
      {"FLUX_RADIUS", "radius of the circle that holds each part of `FLUX_AUTO` that `measurement.flux_radius` names",
       manual, same, "flux_radius", "fluxfrac_radius"},
      {"XWIN_IMAGE", "position in x under a Gaussian window that follows it ([stages.md](stages.md#photometry))",
       manual, same, "winpos", "xcentroid_win"},
      {"YWIN_IMAGE", "position in y under that window", manual, same, "winpos", "ycentroid_win"},
      {"X2WIN_IMAGE", "second moment under the window, of x", manual, same, "", ""},
      {"Y2WIN_IMAGE", "second moment under the window, of y", manual, same, "", ""},
      {"XYWIN_IMAGE", "second moment under the window, of x and y", manual, same, "", ""},
      {"ERRX2WIN_IMAGE", "what noise does to `XWIN_IMAGE`: its variance", manual, same, "", ""},
      {"ERRY2WIN_IMAGE", "what noise does to `YWIN_IMAGE`: its variance", manual, same, "", ""},
      {"ERRXYWIN_IMAGE", "covariance of both by noise", manual, same, "", ""},
      {"ERRAWIN_IMAGE", "major axis of the ellipse of these, as `A_IMAGE`; what SCAMP weighs positions by", manual,
       same, "", ""},
      {"ERRBWIN_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"ERRTHETAWIN_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"AWIN_IMAGE", "major axis of the ellipse of the windowed moments, as `A_IMAGE`", manual, same, "", ""},
      {"BWIN_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"THETAWIN_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"FLUX_WIN", "sum of pixels times the window", manual, same, "", ""},
      {"FLUXERR_WIN", "its error", manual, same, "", ""},
      {"SNR_WIN", "`FLUX_WIN` / `FLUXERR_WIN`", manual, same, "", ""},
      {"NITER_WIN", "rounds, 17 where the window did not come to rest", manual, same, "", ""},
      {"FLAGS_WIN",
       "sum of 1: its moments make no ellipse, 2: a variance is negative, 4: it has no light, 8: it strayed by more "
       "than "
       "a pixel in x and y and out of the source's ellipse. With any, position, moments and their errors are isophotal",
       manual, same, "", ""},
      {"FWHM_IMAGE", "width of the core as a Gaussian fits it; 0 where one pixel is all of it", manual,
       "FWHM_IMAGE: of one pixel, roundings; leaves out pixels at or above `SATUR_LEVEL`", "", ""},
      {"ISO0",
       "pixels above the lowest of eight levels, the analysis threshold; the others up to the peak are in steps "
       "of one ratio, `ISO1` … `ISO7`",
       manual, "ISO0: with weights the threshold is the lowest of the source's pixels'", "", ""},
      {"ERRX2_IMAGE", "what noise does to `X_IMAGE`: its variance", manual,
       "ERRX2_IMAGE: with weights, by the noise of the image as a whole", "errx2", ""},
      {"ERRY2_IMAGE", "what noise does to `Y_IMAGE`: its variance", manual, "ERRY2_IMAGE: likewise", "erry2", ""},
      {"ERRXY_IMAGE", "covariance of both by noise", manual, "ERRXY_IMAGE: likewise", "errxy", ""},
      {"ERRA_IMAGE", "major axis of the ellipse of these, as `A_IMAGE`", manual, same, "", ""},
      {"ERRB_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"ERRTHETA_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"FLUX_ISOCOR", "`FLUX_ISO` with what a Gaussian has below the isophote", maddox, same, "", ""},
      {"FLUXERR_ISOCOR", "its error", maddox, same, "", ""},
      {"ISOAREAF_IMAGE", "`NPIX`", manual, same, "npix", "segment_area"},
      {"MU_MAX",
       "`measurement.zero_point` − 2.5 lg(`FLUX_MAX` / *s*²), *s* = `measurement.pixel_scale` or the WCS's, in "
       "arcseconds; NaN, and a warning, where neither is known",
       manual, same, "", ""},
      {"MU_THRESHOLD",
       "the same of the analysis threshold (`detection.analysis_threshold`, or `detection.threshold` without it) above "
       "the sky of the measured image: of `THRESHOLD`, in the ratio of the two; where a map of weights tells the noise "
       "of the measured image, the lowest of the source's pixels in it",
       manual, same, "", ""},
      {"FLUX_BEST", "`FLUX_AUTO`, or `FLUX_ISOCOR` where `FLAGS` has 1: neighbours or masked pixels in its ellipses",
       manual, same, "", ""},
      {"FLUXERR_BEST", "`FLUXERR_AUTO` or `FLUXERR_ISOCOR` likewise", manual, same, "", ""},
      {"ELONGATION", "`A_IMAGE` / `B_IMAGE`", manual, same, "", "elongation"},
      {"POLAR_IMAGE", "(`A_IMAGE`² − `B_IMAGE`²) / (`A_IMAGE`² + `B_IMAGE`²)", manual, same, "", ""},
      {"ELLIPTICITY", "1 − `B_IMAGE` / `A_IMAGE`", manual, same, "", "ellipticity"},
      {"CXX_IMAGE", "c_xx of the ellipse ([stages.md](stages.md#photometry)): Y2 / (X2 Y2 − XY²)", bertin_arnouts, same,
       "cxx", "cxx"},
      {"CYY_IMAGE", "c_yy of it: X2 / (X2 Y2 − XY²)", bertin_arnouts, same, "cyy", "cyy"},
      {"CXY_IMAGE", "c_xy of it: −2 XY / (X2 Y2 − XY²)", bertin_arnouts, same, "cxy", "cxy"},
      {"VIGNET",
       "asked for as `VIGNET(35,35)`, with the pixels along x and y: those of the image above the sky around the pixel "
       "that `X_IMAGE`, `Y_IMAGE` is in; −10³⁰ outside of the image, where it is masked, and, unless "
       "`measurement.mask` is `none`, in other sources and components that are too small for one",
       manual, "VIGNET: has values where weights are 0", "", ""},
      {"CLASS_STAR",
       "with `measurement.nnw` alone: what the network in that file makes of `ISO0` … `ISO7`, of `FLUX_MAX` over the "
       "analysis threshold, and of `measurement.seeing_fwhm` ([stages.md](stages.md#photometry)); NaN, and a warning, "
       "where the size of a pixel is not known",
       bertin_arnouts, same, "", ""},
      {"ANNULUS_SKY",
       "median, clipped at 3 σ, of the pixels of `measurement.annulus` that are not masked and of no source, above "
       "`BACKGROUND` ([stages.md](stages.md#photometry)); NaN where there is none",
       stetson, "", "", ""},
      {"ANNULUS_RMS", "standard deviation of the pixels that were left", stetson, "", "", ""},
      {"ANNULUS_PIXELS", "their number", stetson, "", "", ""},
      {"NLOWWEIGHT_ISO",
       "pixels of it that are masked in the image that is measured ([stages.md](stages.md#photometry))", manual, same,
       "", ""},
      {"NLOWDWEIGHT_ISO",
       "pixels of it that are masked in the image where it was found, or have one that is among their eight neighbours",
       manual, "NLOWDWEIGHT_ISO: of weights that are filtered as the image is", "", ""},
      {"FLAGS_WEIGHT", "sum of 1: `NLOWWEIGHT_ISO` is above 0; 2: `NLOWDWEIGHT_ISO` is", manual, same, "", ""},
  };
  return notes;
}

}  // namespace srcextract::documents
