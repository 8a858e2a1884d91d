#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "config/config.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/annulus_pixels.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// The sky in an annulus about a source. NaN where it has no pixel.
struct AnnulusSky {
  double sky;           ///< above the background
  double rms;           ///< of its pixels
  std::int32_t pixels;  ///< of which these are
  std::int32_t flags;   ///< none: an annulus that the image cuts has fewer pixels, and that is all

  bool operator==(const AnnulusSky&) const = default;
};

/// ANNULUS_SKY, ANNULUS_RMS and ANNULUS_PIXELS: the local sky of a source as aperture photometry has it (DAOPHOT:
/// Stetson 1987, PASP 99, 191, section III.B), of which SExtractor's BACKPHOTO_TYPE LOCAL is another form. Of the
/// pixels whose centres are at r_in <= r < r_out from the source, not masked and of no source, this one included,
///  - m is the median, s the standard deviation (of the mean, over their number);
///  - those below m - 3 s or above m + 3 s are left out, and m and s taken again, 5 times at most, or until none is
///    (Astropy's sigma_clipped_stats with its defaults but for maxiters).
/// Pixels above the threshold that are of no source are noise, and stay in: without them the median were too low.
struct AnnulusFamily {
  using Row = AnnulusSky;
  static constexpr Family id = Family::annulus;
  static constexpr const char* name = "annulus";
  static constexpr int clips = 5;
  static constexpr double kappa = 3;

  double inner, outer;

  explicit AnnulusFamily(const Config& config)
      : inner(config.measurement.annulus.at(0)), outer(config.measurement.annulus.at(1)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE AnnulusSky measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    AnnulusSky result{nan, nan, 0, 0};
    if (!source.shape.defined) return result;
    const AnnulusPixels pixels{image, source.shape.x, source.shape.y, inner * inner, outer * outer};
    const ApertureBox box = box_of_circle(source.shape.x, source.shape.y, outer, image);
    KeyRange kept{0, std::numeric_limits<std::uint32_t>::max()};
    for (int clip = 0;; ++clip) {
      const Middle middle = pixels.middle(lanes, box, kept);
      if (middle.count == result.pixels) break;  // none was left out, or there is none
      const double rms = pixels.deviation(lanes, box, kept, middle);
      result = {middle.value - image.background, rms, middle.count, 0};
      if (clip == clips) break;
      kept = keys_between(middle.value - kappa * rms, middle.value + kappa * rms);
    }
    return result;
  }

  template <class F>
  static void for_each_value(F&& f) {
    f("ANNULUS_SKY", [](const AnnulusSky& row, const FluxCalibration&) { return row.sky; });
    f("ANNULUS_RMS", [](const AnnulusSky& row, const FluxCalibration&) { return row.rms; });
    f("ANNULUS_PIXELS", [](const AnnulusSky& row, const FluxCalibration&) { return row.pixels; });
  }
};

inline void record_fields(const Buffer<AnnulusSky, Cpu>& rows, FieldRecorder& to) {
  to.members("sky", Element::source, rows, &AnnulusSky::sky);
  to.members("rms", Element::source, rows, &AnnulusSky::rms);
  to.members("pixels", Element::source, rows, &AnnulusSky::pixels);
}

}  // namespace srcextract
