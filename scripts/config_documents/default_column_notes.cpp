#include "scripts/config_documents/column_notes.hpp"

namespace srcextract::documents {

std::span<const ColumnNote> notes_of_default_columns() {
  static const ColumnNote notes[] = {
      {"NUMBER", "1, 2, …: the value of its pixels in the label map", ours_alone, "NUMBER: in an order of its own", "",
       "label"},
      {"X_IMAGE",
       "Σ *v x* / Σ *v*; the centre of the first pixel is 1. Of a source that was deblended the sums are over its core "
       "alone ([stages.md](stages.md#deblend)), of one that absorbed others over what it was before "
       "([stages.md](stages.md#clean-sources))",
       bertin_arnouts, "X_IMAGE: rounded to 4 digits; `X_IMAGE_DBL` is not", "x", "xcentroid"},
      {"Y_IMAGE", "Σ *v y* / Σ *v*, likewise", bertin_arnouts, "Y_IMAGE: rounded to 4 digits; `Y_IMAGE_DBL` is not",
       "y", "ycentroid"},
      {"XMIN_IMAGE", "first column that it reaches", manual, same, "xmin", "bbox_xmin"},
      {"XMAX_IMAGE", "last column that it reaches", manual, same, "xmax", "bbox_xmax"},
      {"YMIN_IMAGE", "first row that it reaches", manual, same, "ymin", "bbox_ymin"},
      {"YMAX_IMAGE", "last row that it reaches", manual, same, "ymax", "bbox_ymax"},
      {"XPEAK_IMAGE", "column of its brightest pixel; of equals the first in raster order", manual,
       "XPEAK_IMAGE: of equals any", "xpeak", "maxval_xindex"},
      {"YPEAK_IMAGE", "row of that pixel", manual, "YPEAK_IMAGE: of equals any", "ypeak", "maxval_yindex"},
      {"NPIX", "number of pixels", ours_alone,
       "ISOAREAF_IMAGE; without a filter and an analysis threshold of its own also `ISOAREA_IMAGE`", "npix",
       "segment_area"},
      {"ISOAREA_IMAGE",
       "with `detection.analysis_threshold` alone: how many of its pixels, without what it absorbed, are above it in "
       "the "
       "image that is measured ([stages.md](stages.md#detection))",
       manual, same, "", ""},
      {"FLUX_ISO", "*F* = Σ *v*", manual, same, "flux", "segment_flux"},
      {"FLUXERR_ISO",
       "√(`NPIX` σ² + *F* / gain). σ² is the variance of the sky in a pixel; where thresholds follow the noise of "
       "a mesh, it is interpolated linearly at `X_IMAGE`, `Y_IMAGE`. The term of the gain is left out if "
       "`measurement.gain` is 0 or *F* < 0. With a map of weights the summed variance of the pixels replaces "
       "`NPIX` σ² ([stages.md](stages.md#weights)). The error in a difference with a gain is √(σ² Σ *w*), the "
       "photon noise of both frames included; *w* is the variance of a pixel divided by the variance of the sky "
       "([stages.md](stages.md#difference), weigh). `measurement.noise: apertures` scales the noise of the sky, "
       "here and in all errors of fluxes ([stages.md](stages.md#noise-of-sums))",
       manual,
       "FLUXERR_ISO: by meshes the same without weights; with them Σ of the variances of the pixels, as here with a "
       "map",
       "", "segment_fluxerr"},
      {"FLUX_MAX", "largest *v*", manual, same, "peak", "max_value"},
      {"X2_IMAGE",
       "Σ *v x*² / *F* − *x̄*². If X2 Y2 − XY² < 0.00694 (thinner than a pixel), 1/12 is added to X2 and Y2. Of a "
       "source "
       "that was deblended it is of all its pixels but those that it absorbed, about its core's centroid",
       bertin_arnouts, "X2_IMAGE: adds 0.0833333", "x2", "covar_sigx2"},
      {"Y2_IMAGE", "Σ *v y*² / *F* − *ȳ*², likewise", bertin_arnouts, "Y2_IMAGE: adds 0.0833333", "y2", "covar_sigy2"},
      {"XY_IMAGE", "Σ *v x y* / *F* − *x̄ ȳ*, of the same pixels", bertin_arnouts, same, "xy", "covar_sigxy"},
      {"A_IMAGE", "*A*² = (X2 + Y2)/2 + √(((X2 − Y2)/2)² + XY²)", bertin_arnouts, same, "a", "semimajor_sigma"},
      {"B_IMAGE", "*B*² = (X2 + Y2)/2 − √(((X2 − Y2)/2)² + XY²)", bertin_arnouts, same, "b", "semiminor_sigma"},
      {"THETA_IMAGE",
       "½ atan2(2 XY, X2 − Y2), from x towards y, in (−90, 90]. A round source has 0, one along the anti-diagonal −45",
       bertin_arnouts, "THETA_IMAGE: +45 for both, wherever X2 = Y2", "theta", "orientation"},
      {"BACKGROUND",
       "with a mesh, or a level that is given, that at the pixel that `X_IMAGE`, `Y_IMAGE` is in; else what is "
       "subtracted from every pixel: the clipped median, or 0 (`measurement.reference`)",
       manual, "BACKGROUND: linear between the nodes of its map", "", "background_centroid"},
      {"THRESHOLD",
       "detection threshold above `BACKGROUND`; where it follows the noise of a mesh or of a map of weights, the "
       "lowest "
       "of its pixels",
       manual, "THRESHOLD: the same, of noise that is filtered as the image is", "thresh", ""},
      {"SNR", "`FLUX_ISO` / `FLUXERR_ISO`", ours_alone, "", "", ""},
      {"FLAGS",
       "sum of 2: it was deblended from others (`deblend.method: tree`); 4: its pixel that is brightest above the sky "
       "is, background not subtracted, at least `measurement.saturation`, or the keyword of the header that "
       "`measurement.saturation_keyword` names (not of a difference); 8: it touches the edge of the image; 256: a "
       "masked pixel is among its pixels' neighbours. Masked pixels are in no source. 1 (neighbours or bad pixels in "
       "more than a tenth of an ellipse) and 16 (the box of an aperture leaves the image) are those of the apertures "
       "that are measured, so that they depend on the columns",
       manual,
       "FLAGS: 4 adds `BACKGROUND`, not the sky at the pixel; 256 is none of its bits; 32, 64 and 128 (its buffers "
       "were "
       "full) are not set here",
       "", ""},
      {"ID_PARENT",
       "with `deblend.method: tree` alone: the number of the island that it was deblended from, in raster order of "
       "their first pixels; sources that were one have the same",
       manual, "ID_PARENT: counted in the order in which objects are completed", "", ""},
      {"IMAFLAGS_ISO",
       "with a map of flags alone: what its pixels' flags become by `flags.type` ([stages.md](stages.md#flags)), an "
       "unsigned number of 32 bits in a column of 64. With `flags.further` a vector, whose second element is that of "
       "the first map there",
       manual, "IMAFLAGS_ISO: 32 bits with a sign; 0 for `AND`", "", ""},
      {"NIMAFLAGS_ISO",
       "with a map of flags alone: how many of its pixels that is of; with `flags.further` a vector likewise", manual,
       same, "", ""},
      {"SIGN",
       "with `detection.sign` `negative` or `both`: 1 brighter than the sky, −1 fainter; of a difference 1 brighter "
       "than the reference, −1 fainter. What is fainter comes after what is brighter; fluxes are those of the dip or "
       "the change, positive in both, and `BACKGROUND` is the sky of the image; of what became fainter in a "
       "difference, of its negative",
       ours_alone, "", "", ""},
      {"ALPHA_J2000",
       "right ascension of `X_IMAGE`, `Y_IMAGE`; absent if the header has no WCS that can be used, NaN off the sky",
       "Greisen & Calabretta (2002)", same, "", "sky_centroid"},
      {"DELTA_J2000", "declination of it, likewise", "Greisen & Calabretta (2002)", same, "", "sky_centroid"},
  };
  return notes;
}

}  // namespace srcextract::documents
