#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"
#include "stages/sky/mesh_estimate.hpp"

namespace srcextract {

struct FrameSky {
  double sky;  ///< level above the background; 0 if the frame is not entirely inside the image, or has no usable pixel
  std::int32_t pixels;  ///< number of usable pixels
  std::int32_t flags;   ///< always 0

  bool operator==(const FrameSky&) const = default;
};

/// A frame about the box of a source's pixels: the pixels of `outer` that are not in `inner`. `inner` is the box,
/// enlarged on each side by a quarter of the box's length along this axis. If the box spans half of the image or more,
/// a quarter of the remaining length is used instead. `outer` is larger than `inner` by `thickness` pixels on each
/// side.
struct SkyFrame {
  ApertureBox inner, outer;

  SRCEXTRACT_HOST_DEVICE SkyFrame(const SourceSums& s, std::int32_t thickness, std::int32_t width,
                                  std::int32_t height) {
    const std::int32_t across = s.xmax - s.xmin + 1, down = s.ymax - s.ymin + 1;
    const std::int32_t dx = (across < width / 2 ? across : width - across) / 4;
    const std::int32_t dy = (down < height / 2 ? down : height - down) / 4;
    inner = {s.xmin - dx, s.xmax + 1 + dx, s.ymin - dy, s.ymax + 1 + dy, false};
    outer = {inner.x_begin - thickness, inner.x_end + thickness, inner.y_begin - thickness, inner.y_end + thickness,
             false};
    outer.cut = outer.x_begin < 0 || outer.y_begin < 0 || outer.x_end >= width || outer.y_end >= height;
  }
};

/// The usable pixels of a SkyFrame. Pixels of sources are excluded, but only those that SExtractor has found by the
/// time it measures this source (see FrameSkyFamily).
struct FramePixels {
  const PhotometryImage& image;
  SkyFrame frame;
  std::int32_t last_row;     ///< last row of the source's island (its connected pixels before deblending)
  std::int32_t last_column;  ///< last column of the source in the last row of its own pixels

  SRCEXTRACT_HOST_DEVICE bool has(std::int32_t x, std::int32_t y) const {
    const ApertureBox& box = frame.inner;
    if (x >= box.x_begin && x < box.x_end && y >= box.y_begin && y < box.y_end) return false;
    const std::int64_t i = image.at(x, y);
    if (!is_finite(image.pixels[i])) return false;
    if (image.claims == nullptr || image.mask == MaskNeighbours::none) return true;
    const bool in_next_row = image.kernel_rows == 0 && y == last_row + 1 && x <= last_column;
    if (y > last_row - static_cast<std::int32_t>(image.kernel_rows / 2) && !in_next_row) return true;
    return image.claims[i] == nobodys_pixel || is_absorbed_before(image.claims[i], last_row);
  }

  SRCEXTRACT_HOST_DEVICE float at(std::int32_t x, std::int32_t y) const {
    return static_cast<float>(image.pixels[image.at(x, y)] - image.background);
  }
};

/// Sets the keys of the frame's pixels to the indices of their histogram bins.
struct FrameBins {
  const FramePixels& pixels;
  const MeshBins& bins;

  template <int Width>
  SRCEXTRACT_HOST_DEVICE void operator()(std::int32_t x, std::int32_t y, int count, KeyBlock<Width>& block) const {
    block.any = 0;
    for (int i = 0; i < Width; ++i) {
      const int bin = i < count && pixels.has(x + i, y) ? bins.bin_of(pixels.at(x + i, y)) : -1;
      block.wanted[i] = bin >= 0 ? 1 : 0;
      block.key[i] = static_cast<std::uint32_t>(bin);
      block.any |= block.wanted[i];
    }
  }
};

/// The sky that is subtracted from the fluxes of a source (SExtractor's BACKPHOTO_TYPE LOCAL): the sky of a frame about
/// the source's box, estimated in the same way as the sky of one mesh (stages/sky/mesh_estimate.hpp).
/// - Pixels of sources, also of sources that are too small, are excluded in the rows that SExtractor has already
///   searched for sources. With a detection kernel, the last of these rows is Y - kernel_rows / 2, where Y is the last
///   row of the source's island. Without a kernel, the last pixel searched is in row Y + 1, in the column of the
///   source's last pixel.
/// - With measurement.mask: none, pixels of sources are not excluded.
/// - Pixels of a source that CLEAN has absorbed before row Y are not excluded.
/// - If the frame is not entirely inside the image, or touches the image's last row or column, the sky is 0.
///
/// The value is relative to the background of the whole measured image. FLUX_ISO, FLUX_APER, FLUX_AUTO, FLUX_PETRO and
/// FLUX_MAX are reduced by this sky. Radii, windowed quantities and curves of growth do not use it, as in SExtractor.
struct FrameSkyFamily {
  using Row = FrameSky;
  static constexpr const char* name = "local sky";
  static constexpr std::span<const RowColumn<FrameSky>> columns{};
  static constexpr bool usual_columns_use_it = true;

  std::int32_t thickness;

  explicit FrameSkyFamily(const Settings& config)
      : thickness(static_cast<std::int32_t>(config.measurement.local_sky)) {}
  static bool is_known(const Settings& config) { return config.measurement.local_sky > 0; }
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE FrameSky measure(const Lanes& lanes, const MeasuredSource& source,
                                          const PhotometryImage& image, int) const {
    const SourceSums& found = *source.found;
    const std::int32_t last = source.last_row < 0 ? found.ymax : source.last_row;
    const ApertureBox bottom{found.xmin, found.xmax + 1, found.ymax, found.ymax + 1, false};
    const auto column = static_cast<std::int32_t>(lanes.max(bottom, [&](std::int32_t x, std::int32_t y) {
      return image.owner[image.at(x, y)] == source.number ? x : -1.0;
    }));
    const FramePixels pixels{image, {found, thickness, image.width, image.height}, last, column};
    if (pixels.frame.outer.cut) return {};
    constexpr float most = std::numeric_limits<float>::max();
    const MeshSums all = sums(lanes, pixels, {-most, most});
    if (all.count == 0) return {};
    const MeshSums survivors = sums(lanes, pixels, cut_of(mean_and_sigma(all)));
    const MeshBins bins(survivors, mean_and_sigma(survivors));
    const FrameBins read{pixels, bins};
    const HistogramClip clip = clipped(lanes.keys(pixels.frame.outer, read), bins);
    return {node_of(clip, bins, BackgroundEstimator::sextractor).level, static_cast<std::int32_t>(all.count), 0};
  }

 private:
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static MeshSums sums(const Lanes& lanes, const FramePixels& pixels, const MeshCut& cut) {
    const Sums<3> all = lanes.template sum<3>(pixels.frame.outer, [&](std::int32_t x, std::int32_t y) -> Sums<3> {
      const float pixel = pixels.has(x, y) ? pixels.at(x, y) : std::numeric_limits<float>::quiet_NaN();
      if (!cut.contains(pixel)) return {};
      const double value = pixel;
      return {{1, value, value * value}};
    });
    return {static_cast<std::int64_t>(all.of[0]), all.of[1], all.of[2]};
  }

  template <class Keys>
  SRCEXTRACT_HOST_DEVICE static HistogramClip clipped(const Keys& keys, const MeshBins& bins) {
    constexpr double kappa = 3;
    HistogramClip clip(bins.count);
    const auto count = [&](int from, int to) -> std::int64_t {
      return to < from ? 0 : keys.count({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
    };
    const auto in_bin = [&](int bin) { return bin < 0 || bin >= bins.count ? 0 : count(bin, bin); };
    while (clip.goes_on()) {
      const std::int64_t total = count(clip.low, clip.high);
      HistogramSums sums{total, 0, 0};
      double median = 0;
      if (total > 0) {
        const KeyRange kept{static_cast<std::uint32_t>(clip.low), static_cast<std::uint32_t>(clip.high)};
        const IntegerSums<2> moments = keys.template sum<2>(kept, [](std::uint32_t bin) -> IntegerSums<2> {
          return {{bin, std::int64_t{bin} * bin}};
        });
        sums.first = moments.of[0];
        sums.second = moments.of[1];
        const auto middle = static_cast<int>(keys.pair(kept, (total - 1) / 2).lower);
        median = histogram_median({middle, count(clip.low, middle - 1), in_bin(middle), total}, in_bin);
      }
      clip.set_sums(sums);
      clip.clip(median, kappa, bins.count);
    }
    return clip;
  }
};

/// Returns the sky of a row; 0 if `row` is null because the family is not measured.
SRCEXTRACT_HOST_DEVICE inline double local_sky_of(const FrameSky* row) {
  return row != nullptr ? row->sky : 0;
}

inline void record_fields(const Buffer<FrameSky, Cpu>& rows, FieldRecorder& to) {
  to.members("sky", Element::source, rows, &FrameSky::sky);
  to.members("pixels", Element::source, rows, &FrameSky::pixels);
}

}  // namespace srcextract
