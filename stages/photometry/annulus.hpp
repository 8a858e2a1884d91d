#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/fixed_point.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/pixel_keys.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Level and noise of the sky in an annulus about a source. `sky` and `rms` are NaN if no pixel of the annulus is
/// usable.
struct AnnulusSky {
  double sky;           ///< clipped median minus the background
  double rms;           ///< clipped standard deviation of the pixels
  std::int32_t pixels;  ///< number of pixels left after clipping
  std::int32_t flags;   ///< always 0, even if a part of the annulus is outside the image

  bool operator==(const AnnulusSky&) const = default;
};

/// Selects the pixels of an annulus about (cx, cy) that are neither masked nor part of a source. inner_square and
/// outer_square are the squared radii.
struct AnnulusPixels {
  const PhotometryImage& image;
  double cx, cy;
  double inner_square, outer_square;

  /// Fills a KeyBlock with the Width pixels of row y from column x on. Only the first `count` pixels are in the box;
  /// the others are never selected.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void operator()(std::int32_t x, std::int32_t y, int count, KeyBlock<Width>& block) const {
    block.any = 0;
    const double dy2 = (y - cy) * (y - cy);
    for (int i = 0; i < Width; ++i) {
      const double square = (x + i - cx) * (x + i - cx) + dy2;
      block.wanted[i] = (i < count ? 1 : 0) & (square >= inner_square ? 1 : 0) & (square < outer_square ? 1 : 0);
      block.any |= block.wanted[i];
    }
    if (block.any == 0) return;
    const std::int64_t here = image.at(x, y);
    for (int i = 0; i < Width; ++i) {
      block.wanted[i] &= i < count && image.is_bad(here + i) ? 0 : 1;
      const float pixel = i < count ? image.pixels[here + i] : 0.0F;
      block.key[i] = key_of_pixel(pixel);
    }
    if (image.owner != nullptr)
      for (int i = 0; i < Width; ++i) block.wanted[i] &= i < count && image.owner[here + i] > nobodys_pixel ? 0 : 1;
  }
};

/// ANNULUS_SKY, ANNULUS_RMS and ANNULUS_PIXELS: the local sky of a source as in aperture photometry (DAOPHOT: Stetson
/// 1987, PASP 99, 191, section III.B). SExtractor has another local sky (BACKPHOTO_TYPE LOCAL, see FrameSkyFamily). The
/// annulus consists of the pixels whose centres are at r_in <= r < r_out from the source, which are not masked and
/// belong to no source.
///  - m is the median and s the standard deviation about the mean, with the number of pixels as divisor.
///  - Pixels below m - 3 s or above m + 3 s are removed, and m and s are computed again. This step is repeated at most
///    5 times, or until it removes no pixel (Astropy's sigma_clipped_stats with its defaults, except for maxiters).
///
/// Pixels above the threshold that belong to no source are noise, and are kept. Without these pixels the median would
/// be too low.
struct AnnulusFamily {
  using Row = AnnulusSky;
  static constexpr const char* name = "annulus";
  static constexpr int clips = 5;
  static constexpr double kappa = 3;

  double inner, outer;

  explicit AnnulusFamily(const Settings& config)
      : inner(config.measurement.annulus.at(0)), outer(config.measurement.annulus.at(1)) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE AnnulusSky measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    AnnulusSky result{nan, nan, 0, 0};
    if (!source.shape.defined) return result;
    const ApertureBox box = box_of_circle(source.shape.x, source.shape.y, outer, image);
    const AnnulusPixels pixels{image, source.shape.x, source.shape.y, inner * inner, outer * outer};
    const auto& keys = lanes.keys(box, pixels);
    KeyRange kept = KeyRange::all();
    for (int clip = 0;; ++clip) {
      const std::int64_t count = keys.count(kept);
      if (count == result.pixels) break;  // the last clip removed no pixel, or there is no pixel
      kept = keys.extremes(kept);
      const KeyPair middle = keys.pair(kept, (count - 1) / 2);
      const double lower = value_of_ordered_key(middle.lower);
      const double median = count % 2 == 1 ? lower : (lower + value_of_ordered_key(middle.upper)) / 2;
      const double rms = deviation(keys, kept, median, count);
      result = {median - image.background, rms, static_cast<std::int32_t>(count), 0};
      if (clip == clips) break;
      kept = keys_between(median - kappa * rms, median + kappa * rms);
    }
    return result;
  }

  static constexpr RowColumn<AnnulusSky> columns[] = {
      {"ANNULUS_SKY", pixel_value_unit, "instr.background", "Clipped median of the annulus, above BACKGROUND",
       "surroundings", [](const AnnulusSky& row, const FluxCalibration&) { return row.sky; }},
      {"ANNULUS_RMS", pixel_value_unit, "stat.stdev;instr.background", "Their standard deviation, clipped",
       "surroundings", [](const AnnulusSky& row, const FluxCalibration&) { return row.rms; }},
      {"ANNULUS_PIXELS", "pixel", area_ucd, "Number of its pixels that these are of", "surroundings",
       [](const AnnulusSky& row, const FluxCalibration&) { return row.pixels; }},
  };

 private:
  /// Returns the standard deviation about the mean of the `count` pixels whose keys are in `range`. range.low and
  /// range.high are the keys of the least and the largest pixel. Offsets from the median are summed as integers
  /// (FixedPoint), so that the sum does not depend on the order of pixels.
  template <class Keys>
  SRCEXTRACT_HOST_DEVICE static double deviation(const Keys& keys, const KeyRange& range, double median,
                                                 std::int64_t count) {
    const double below = median - value_of_ordered_key(range.low), above = value_of_ordered_key(range.high) - median;
    const double most = below > above ? below : above;
    const FixedPoint unit = fixed_point_up_to(most * static_cast<double>(count));
    const FixedPoint square_unit = fixed_point_up_to(most * most * static_cast<double>(count));
    const IntegerSums<2> sums = keys.template sum<2>(range, [&](std::uint32_t key) -> IntegerSums<2> {
      const double off = value_of_ordered_key(key) - median;
      return {{unit.of(off), square_unit.of(off * off)}};
    });
    const double mean = unit.value(sums.of[0]) / static_cast<double>(count);
    const double variance = square_unit.value(sums.of[1]) / static_cast<double>(count) - mean * mean;
    return variance > 0 ? std::sqrt(variance) : 0.0;
  }
};

inline void record_fields(const Buffer<AnnulusSky, Cpu>& rows, FieldRecorder& to) {
  to.members("sky", Element::source, rows, &AnnulusSky::sky);
  to.members("rms", Element::source, rows, &AnnulusSky::rms);
  to.members("pixels", Element::source, rows, &AnnulusSky::pixels);
}

}  // namespace srcextract
