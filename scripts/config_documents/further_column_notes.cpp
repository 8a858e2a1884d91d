#include "scripts/config_documents/column_notes.hpp"

namespace srcextract::documents {

std::span<const ColumnNote> notes_of_further_columns() {
  static const ColumnNote notes[] = {
      {"FLUX_APER",
       "light in circles about `X_IMAGE`, `Y_IMAGE`, one for each diameter of `measurement.apertures` "
       "([stages.md](stages.md#photometry))",
       manual, "FLUX_APER: of 32 bits", "sum_circle", "circular_photometry"},
      {"FLUXERR_APER",
       "√(Σ *w* σ² + *F* / gain) over the same pixels, *w* the share of each. With a map of weights Σ *w* times the "
       "variance; masked pixels as they were replaced",
       manual, "FLUXERR_APER: with `WEIGHT_GAIN Y` the gain follows the weights", "sum_circle", "circular_photometry"},
      {"FLUX_AUTO", "light in Kron's ellipse ([stages.md](stages.md#photometry))", kron, same, "sum_ellipse",
       "kron_flux"},
      {"FLUXERR_AUTO", "its error, as `FLUXERR_APER`", manual, same, "sum_ellipse", "kron_fluxerr"},
      {"KRON_RADIUS", "semi-axis of that ellipse in units of `A_IMAGE`; 0 if `FLUX_AUTO` is not above 0", kron, same,
       "kron_radius", "kron_radius"},
      {"FLUX_PETRO", "light in Petrosian's ellipse ([stages.md](stages.md#photometry))", petrosian, same, "", ""},
      {"FLUXERR_PETRO", "its error, as `FLUXERR_APER`", manual, same, "", ""},
      {"PETRO_RADIUS", "semi-axis of that ellipse in units of `A_IMAGE`; 0 if `FLUX_PETRO` is not above 0", petrosian,
       same, "", ""},
      {"FLUX_RADIUS", "radius of the circle that holds each share `measurement.flux_radius` of `FLUX_AUTO`", manual,
       same, "flux_radius", "fluxfrac_radius"},
      {"XWIN_IMAGE", "position in x under a Gaussian window that follows it ([stages.md](stages.md#photometry))",
       manual, same, "winpos", "xcentroid_win"},
      {"YWIN_IMAGE", "position in y under that window", manual, same, "winpos", "ycentroid_win"},
      {"X2WIN_IMAGE", "second moment under the window, of x", manual, same, "", ""},
      {"Y2WIN_IMAGE", "second moment under the window, of y", manual, same, "", ""},
      {"XYWIN_IMAGE", "second moment under the window, of x and y", manual, same, "", ""},
      {"ERRX2WIN_IMAGE", "variance of `XWIN_IMAGE` by noise", manual, same, "", ""},
      {"ERRY2WIN_IMAGE", "variance of `YWIN_IMAGE` by noise", manual, same, "", ""},
      {"ERRXYWIN_IMAGE", "covariance of both by noise", manual, same, "", ""},
      {"ERRAWIN_IMAGE", "major axis of the ellipse of these, as `A_IMAGE`; SCAMP weighs positions by it", manual, same,
       "", ""},
      {"ERRBWIN_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"ERRTHETAWIN_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"AWIN_IMAGE", "major axis of the ellipse of the windowed moments, as `A_IMAGE`", manual, same, "", ""},
      {"BWIN_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"THETAWIN_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"FLUX_WIN", "sum of pixels times the window", manual, same, "", ""},
      {"FLUXERR_WIN", "its error", manual, same, "", ""},
      {"SNR_WIN", "`FLUX_WIN` / `FLUXERR_WIN`", manual, same, "", ""},
      {"NITER_WIN", "rounds; 17 if the window did not come to rest", manual, same, "", ""},
      {"FLAGS_WIN",
       "sum of 1: its moments make no ellipse, 2: a variance is negative, 4: it has no light, 8: it strayed by more "
       "than a pixel in x and y and out of the source's ellipse. With any bit, position, moments and their errors are "
       "isophotal",
       manual, same, "", ""},
      {"FWHM_IMAGE", "width of a Gaussian fitted to its core; 0 for a single pixel", manual,
       "FWHM_IMAGE: of one pixel, roundings; without pixels at or above `SATUR_LEVEL`", "", ""},
      {"ISO0",
       "pixels above the lowest of eight levels, the analysis threshold; the levels of `ISO1` … `ISO7` rise to the "
       "peak in equal ratios",
       manual, "ISO0: with weights, by the lowest threshold of its pixels", "", ""},
      {"ERRX2_IMAGE", "variance of `X_IMAGE` by noise", manual,
       "ERRX2_IMAGE: with weights, by the noise of the whole image", "errx2", ""},
      {"ERRY2_IMAGE", "variance of `Y_IMAGE` by noise", manual, "ERRY2_IMAGE: likewise", "erry2", ""},
      {"ERRXY_IMAGE", "covariance of both by noise", manual, "ERRXY_IMAGE: likewise", "errxy", ""},
      {"ERRA_IMAGE", "major axis of the ellipse of these, as `A_IMAGE`", manual, same, "", ""},
      {"ERRB_IMAGE", "minor axis of it, as `B_IMAGE`", manual, same, "", ""},
      {"ERRTHETA_IMAGE", "angle of it, as `THETA_IMAGE`", manual, same, "", ""},
      {"FLUX_ISOCOR", "`FLUX_ISO` and the light that a Gaussian has below the isophote", maddox, same, "", ""},
      {"FLUXERR_ISOCOR", "its error", maddox, same, "", ""},
      {"ISOAREAF_IMAGE", "`NPIX`", manual, same, "npix", "segment_area"},
      {"MU_MAX",
       "`measurement.zero_point` − 2.5 lg(`FLUX_MAX` / *s*²), *s* = `measurement.pixel_scale` or the WCS's, in "
       "arcseconds; NaN and a warning if neither is known",
       manual, same, "", ""},
      {"MU_THRESHOLD",
       "the same for the analysis threshold above the sky of the measured image, `THRESHOLD` times "
       "`detection.analysis_threshold` / `detection.threshold`. If a map of weights tells the noise of the measured "
       "image, it is the lowest of the source's pixels there",
       manual, same, "", ""},
      {"FLUX_BEST", "`FLUX_AUTO`, or `FLUX_ISOCOR` if `FLAGS` has 1", manual, same, "", ""},
      {"FLUXERR_BEST", "`FLUXERR_AUTO` or `FLUXERR_ISOCOR`, likewise", manual, same, "", ""},
      {"ELONGATION", "`A_IMAGE` / `B_IMAGE`", manual, same, "", "elongation"},
      {"POLAR_IMAGE", "(`A_IMAGE`² − `B_IMAGE`²) / (`A_IMAGE`² + `B_IMAGE`²)", manual, same, "", ""},
      {"ELLIPTICITY", "1 − `B_IMAGE` / `A_IMAGE`", manual, same, "", "ellipticity"},
      {"CXX_IMAGE", "c_xx of the ellipse ([stages.md](stages.md#photometry)): Y2 / (X2 Y2 − XY²)", bertin_arnouts, same,
       "cxx", "cxx"},
      {"CYY_IMAGE", "c_yy of it: X2 / (X2 Y2 − XY²)", bertin_arnouts, same, "cyy", "cyy"},
      {"CXY_IMAGE", "c_xy of it: −2 XY / (X2 Y2 − XY²)", bertin_arnouts, same, "cxy", "cxy"},
      {"VIGNET",
       "asked for as `VIGNET(35,35)`, pixels along x and y: the image above the sky around the pixel of `X_IMAGE`, "
       "`Y_IMAGE`. −10³⁰ outside of the image and where it is masked; also in other sources and too small components, "
       "unless `measurement.mask` is `none`",
       manual, "VIGNET: has values where weights are 0", "", ""},
      {"CLASS_STAR",
       "only with `measurement.nnw`: the output of that network ([stages.md](stages.md#photometry)); NaN and a warning "
       "if the size of a pixel is not known",
       bertin_arnouts, same, "", ""},
      {"ANNULUS_SKY",
       "median above `BACKGROUND` of the free pixels in `measurement.annulus`, clipped at 3 σ "
       "([stages.md](stages.md#photometry)); NaN if there are none",
       stetson, "", "", ""},
      {"ANNULUS_RMS", "standard deviation of the pixels that were left", stetson, "", "", ""},
      {"ANNULUS_PIXELS", "their number", stetson, "", "", ""},
      {"NLOWWEIGHT_ISO", "its pixels that are masked in the measured image ([stages.md](stages.md#photometry))", manual,
       same, "", ""},
      {"NLOWDWEIGHT_ISO",
       "its pixels that are masked, or have a masked one among their eight neighbours, where it was found", manual,
       "NLOWDWEIGHT_ISO: of filtered weights", "", ""},
      {"FLUX_PSF",
       "flux of the star that fits best: with `psf.file` or `psf.method: fit` ([psf.md](psf.md)), or of a fitted "
       "difference "
       "([stages.md](stages.md#a-fitted-kernel))",
       king, same, "", ""},
      {"FLUXERR_PSF", "its error", king, same, "", ""},
      {"XPSF_IMAGE", "x of that star", king, same, "", ""},
      {"YPSF_IMAGE", "y of it", king, same, "", ""},
      {"CHI2_PSF", "its reduced χ²", king, same, "", ""},
      {"SPREAD_MODEL",
       "by a [PSF](psf.md): how much wider than a star it is, about 0 for a star and above for a galaxy "
       "([psf.md](psf.md))",
       manual, "SPREAD_MODEL: at the place of its fit of a galaxy", "", ""},
      {"SPREADERR_MODEL", "its error", manual, same, "", ""},
      {"FLUX_NEW", "of a fitted difference: flux of that star in the new frame; `FLUX_REF` + `SIGN` · `FLUX_PSF`",
       ours_alone, "", "", ""},
      {"FLUXERR_NEW", "its error by the noise of that frame", ours_alone, "", "", ""},
      {"FLUX_REF", "the same in the reference as it is subtracted", ours_alone, "", "", ""},
      {"FLUXERR_REF", "its error, likewise", ours_alone, "", "", ""},
      {"DIPOLE",
       "of a fitted difference: 1 for a pair of opposite changes, as a moved star leaves it "
       "([stages.md](stages.md#a-fitted-kernel))",
       ours_alone, "", "", ""},
      {"DIPOLE_SEP", "its length", ours_alone, "", "", ""},
      {"DIPOLE_RATIO", "share of its brighter half", ours_alone, "", "", ""},
      {"FLAGS_WEIGHT", "sum of 1: `NLOWWEIGHT_ISO` is above 0; 2: `NLOWDWEIGHT_ISO` is", manual, same, "", ""},
  };
  return notes;
}

}  // namespace srcextract::documents
