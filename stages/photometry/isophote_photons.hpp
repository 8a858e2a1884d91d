#pragma once

#include <cstdint>
#include <span>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The photon noise of a source's own pixels, if the gain of a pixel is proportional to its weight
/// (weights.scale_gain).
struct IsophotePhotons {
  double variance;     ///< photon variance in units of FluxCalibration::pixel
  double light;        ///< sum of the pixels above the background
  std::int64_t flags;  ///< always 0

  bool operator==(const IsophotePhotons&) const = default;

  /// Returns the photon variance of all pixels of the source, including pixels added by CLEAN, if their sum is `flux`:
  /// `variance` scaled in proportion to the light.
  double of(double flux) const { return light > 0 && flux > light ? variance * (flux / light) : variance; }
};

/// The photon variance for FLUXERR_ISO if weights.scale_gain is set, as for SExtractor's WEIGHT_GAIN: the sum of v e /
/// (gain s^2) over pixels with v > 0. v is the pixel's light above the sky, e the pixel's variance, and s the noise of
/// the whole image.
struct IsophotePhotonFamily {
  using Row = IsophotePhotons;
  static constexpr const char* name = "isophote photons";
  static constexpr std::span<const RowColumn<IsophotePhotons>> columns{};
  static constexpr bool usual_columns_use_it = true;

  explicit IsophotePhotonFamily(const Settings&) {}
  static bool is_known(const Settings& config) { return scales_gain(config.weights) && config.measurement.gain > 0; }
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE IsophotePhotons measure(const Lanes& lanes, const MeasuredSource& source,
                                                 const PhotometryImage& image, int) const {
    const Sums<2> sums = lanes.template sum<2>(own_box(*source.found), [&](std::int32_t x, std::int32_t y) -> Sums<2> {
      const std::int64_t i = image.at(x, y);
      if (image.owner[i] != source.number || !is_finite(image.pixels[i])) return {};
      const double value = image.pixels[i] - image.background;
      return {{image.with_photons(0, value, image.variance_at(i)), value}};
    });
    return {sums.of[0], sums.of[1], 0};
  }
};

inline void record_fields(const Buffer<IsophotePhotons, Cpu>& rows, FieldRecorder& to) {
  to.members("variance", Element::source, rows, &IsophotePhotons::variance);
  to.members("light", Element::source, rows, &IsophotePhotons::light);
}

}  // namespace srcextract
