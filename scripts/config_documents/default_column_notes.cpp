#include "scripts/config_documents/column_notes.hpp"

namespace srcextract::documents {

std::span<const ColumnNote> notes_of_default_columns() {
  static const ColumnNote notes[] = {
      {"NUMBER", "1, 2, …: the value of its pixels in the label map", ours_alone, "NUMBER: in an order of its own", "",
       "label"},
      {"X_IMAGE",
       "Σ *v x* / Σ *v*. The centre of the first pixel is 1. For a deblended source the sums are over its core alone "
       "([deblend](stages/deblend.md#the-equations)). For a source that absorbed others they are over its own pixels "
       "([CLEAN](stages/clean.md#the-equations))",
       bertin_arnouts, "X_IMAGE: rounded to 4 digits; `X_IMAGE_DBL` is not", "x", "xcentroid"},
      {"Y_IMAGE", "Σ *v y* / Σ *v*, likewise", bertin_arnouts, "Y_IMAGE: rounded to 4 digits; `Y_IMAGE_DBL` is not",
       "y", "ycentroid"},
      {"XMIN_IMAGE", "its first column", manual, same, "xmin", "bbox_xmin"},
      {"XMAX_IMAGE", "its last column", manual, same, "xmax", "bbox_xmax"},
      {"YMIN_IMAGE", "its first row", manual, same, "ymin", "bbox_ymin"},
      {"YMAX_IMAGE", "its last row", manual, same, "ymax", "bbox_ymax"},
      {"XPEAK_IMAGE", "column of its brightest pixel, the first in raster order of equals", manual,
       "XPEAK_IMAGE: of equals any", "xpeak", "maxval_xindex"},
      {"YPEAK_IMAGE", "row of that pixel", manual, "YPEAK_IMAGE: of equals any", "ypeak", "maxval_yindex"},
      {"NPIX", "number of pixels", ours_alone,
       "ISOAREAF_IMAGE; without filter and analysis threshold also `ISOAREA_IMAGE`", "npix", "segment_area"},
      {"ISOAREA_IMAGE",
       "only with `detection.analysis_threshold`: its pixels above that threshold in the measured image, without "
       "absorbed ones ([detection](stages/detection.md))",
       manual, same, "", ""},
      {"FLUX_ISO", "*F* = Σ *v*", manual, same, "flux", "segment_flux"},
      {"FLUXERR_ISO",
       "√(`NPIX` σ² + *F* / gain). σ² is the variance of the sky in a pixel; if thresholds follow a mesh, it is "
       "interpolated at `X_IMAGE`, `Y_IMAGE`. The term of the gain is left out if `measurement.gain` is 0 or *F* < 0. "
       "With a map of weights the sum of the pixels' variances replaces `NPIX` σ² "
       "([weights](stages/masks.md#weights)). In "
       "a difference with a gain it is √(σ² Σ *w*), with the photon noise of both frames "
       "([difference](difference.md#the-steps)). `measurement.noise` scales the noise of the sky in all errors "
       "of fluxes ([noise of sums](stages/noise_of_sums.md))",
       manual, "FLUXERR_ISO: with weights `BACKGROUND`, the sum of the pixels' variances", "", "segment_fluxerr"},
      {"FLUX_MAX", "largest *v*", manual, same, "peak", "max_value"},
      {"X2_IMAGE",
       "Σ *v x*² / *F* − *x̄*². If X2 Y2 − XY² < 0.00694 (thinner than a pixel), 1/12 is added to X2 and Y2. For a "
       "deblended source it is over all its pixels without absorbed ones, about its core's centroid",
       bertin_arnouts, "X2_IMAGE: adds 0.0833333", "x2", "covar_sigx2"},
      {"Y2_IMAGE", "Σ *v y*² / *F* − *ȳ*², likewise", bertin_arnouts, "Y2_IMAGE: adds 0.0833333", "y2", "covar_sigy2"},
      {"XY_IMAGE", "Σ *v x y* / *F* − *x̄ ȳ*, of the same pixels", bertin_arnouts, same, "xy", "covar_sigxy"},
      {"A_IMAGE", "*A*² = (X2 + Y2)/2 + √(((X2 − Y2)/2)² + XY²)", bertin_arnouts, same, "a", "semimajor_sigma"},
      {"B_IMAGE", "*B*² = (X2 + Y2)/2 − √(((X2 − Y2)/2)² + XY²)", bertin_arnouts, same, "b", "semiminor_sigma"},
      {"THETA_IMAGE",
       "½ atan2(2 XY, X2 − Y2), from x towards y, in (−90, 90]. A round source has 0, one along the anti-diagonal −45",
       bertin_arnouts, "THETA_IMAGE: +45 for both, wherever X2 = Y2", "theta", "orientation"},
      {"BACKGROUND",
       "with a mesh or a given level, the level at the pixel of `X_IMAGE`, `Y_IMAGE`; else the clipped median, or 0 "
       "(`measurement.reference`)",
       manual, "BACKGROUND: linear between the nodes of its map", "", "background_centroid"},
      {"THRESHOLD",
       "detection threshold above `BACKGROUND`; the lowest of its pixels, if thresholds follow a mesh or a map of "
       "weights",
       manual, "THRESHOLD: the same, of filtered noise", "thresh", ""},
      {"SNR", "`FLUX_ISO` / `FLUXERR_ISO`", ours_alone, "", "", ""},
      {"FLAGS",
       "sum of these bits. 1: neighbours or bad pixels in more than a tenth of an ellipse. 2: it was deblended. 4: its "
       "brightest pixel, sky included, is at least `measurement.saturation`, or the header's "
       "`measurement.saturation_keyword` (not in a difference). 8: it touches the edge of the image. 16: the box of an "
       "aperture leaves the image. 256: a masked pixel is beside one of its pixels. 512: in a fitted "
       "difference where `FLUX_PSF` is measured, and in a [crowd](crowd.md), it is sharper than a star, as tracks of "
       "cosmic rays and hot pixels are. "
       "Bits 1 and 16 depend on the "
       "apertures that are measured",
       manual, "FLAGS: 4 adds `BACKGROUND`, not the sky at the pixel; no 256, 512; 32, 64 and 128 are not set here", "",
       ""},
      {"ID_PARENT",
       "only with `deblend.method: tree`: the number of its island, in raster order of first pixels; sources of one "
       "island share it",
       manual, "ID_PARENT: in the order in which objects are completed", "", ""},
      {"IMAFLAGS_ISO",
       "only with a map of flags: its pixels' flags joined by `flags.type` ([flags](stages/masks.md#flags)), an "
       "unsigned "
       "number of 32 bits in a column of 64. With `flags.further` a vector, one element for each map",
       manual, "IMAFLAGS_ISO: 32 bits with a sign; 0 for `AND`", "", ""},
      {"NIMAFLAGS_ISO", "only with a map of flags: how many of its pixels have them; with `flags.further` a vector",
       manual, same, "", ""},
      {"SIGN",
       "only with `detection.sign` `negative` or `both`, and in a difference: 1 brighter than the sky or the "
       "reference, −1 fainter. Rows of −1 come last. Their fluxes are those of the dip or the change, so positive. "
       "`BACKGROUND` is the sky of the image; for −1 in a difference, of its negative",
       ours_alone, "", "", ""},
      {"ALPHA_J2000",
       "right ascension of `X_IMAGE`, `Y_IMAGE`. No such column if the header has no usable WCS; NaN off the sky",
       "Greisen & Calabretta (2002)", same, "", "sky_centroid"},
      {"DELTA_J2000", "declination of it, likewise", "Greisen & Calabretta (2002)", same, "", "sky_centroid"},
  };
  return notes;
}

}  // namespace srcextract::documents
