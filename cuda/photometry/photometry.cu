#include "stages/photometry/photometry.hpp"

#include <algorithm>
#include <type_traits>

#include "cuda/device/launch.hpp"
#include "cuda/photometry/largest_first.hpp"
#include "cuda/photometry/warp_lanes.hpp"
#include "stages/detect/detection_levels.hpp"

namespace srcextract {

namespace {

/// Small blocks, and more of them than run at once: sources differ in size by a factor of a thousand, and a block's
/// place is free when its slowest warp is done.
constexpr int block_warps = WarpLanes::block_warps, family_threads = block_warps * warp_size;
constexpr std::int64_t most_family_blocks = 128;  ///< for each multiprocessor

/// That are to fit on one, by their registers. Windows and radii are slower with less than these have then.
template <class One>
constexpr int least_family_blocks = 16;
template <>
constexpr int least_family_blocks<LightRadiusFamily> = 6;
template <>
constexpr int least_family_blocks<WindowFamily> = 10;

/// Circles by the area of pixels take more registers than those by sub-pixels: each have a kernel.
struct CirclesBySubPixels : CircleFamily {
  template <class Lanes>
  __device__ CircleFlux measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                int which) const {
    return measure_by_sub_pixels(lanes, source, image, which);
  }
};
struct CirclesByArea : CircleFamily {
  template <class Lanes>
  __device__ CircleFlux measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                int which) const {
    return measure_by_area(lanes, source, image, which);
  }
};
template <>
constexpr int least_family_blocks<CirclesByArea> = 8;

/// A thread a run.
__global__ void paint_owners_kernel(const Run* runs, ItemCount items, const std::int32_t* label, const Eaten* eaten,
                                    std::int64_t width, std::int32_t* owner) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    if (eaten != nullptr && eaten[i] == Eaten::free) continue;
    const Run run = runs[i];
    const std::int32_t own = owner_of_label(label[i]);
    for (std::int32_t x = run.begin; x < run.end; ++x) owner[run.y * width + x] = own;
  }
}

/// The sources of an image, as far as there is room for them.
struct SourceTable {
  const std::int32_t* order;  ///< in which they are measured
  const SourceSums* sums;
  const Parentage* parentage;  ///< null: nothing was deblended
  const EllipseFlux* kron;     ///< null: not measured
  const LightRadius* radii;    ///< the same
  int radii_each;
  ItemCount items;
};

/// An image, and what the device alone knows of it.
struct LevelledImage {
  PhotometryImage image;
  const Levels* levels;

  __device__ PhotometryImage known() const {
    PhotometryImage all = image;
    all.background = levels->background;
    all.threshold = analysis_level(*levels);
    return all;
  }
};

/// A warp a row of a source, or a source if its rows are measured together. `found_in` is looked at only where sources
/// were found `elsewhere`: a kernel that has both images at hand has fewer registers left.
template <class One, bool elsewhere>
__global__ void __launch_bounds__(family_threads, least_family_blocks<One>)
    measure_family_kernel(One family, LevelledImage measured, LevelledImage found_in, SourceTable sources,
                          typename One::Row* rows) {
  const WarpLanes lanes;
  const PhotometryImage image = measured.known();
  const int each = family.rows(), parts = rows_are_together<One> ? 1 : each;
  const std::int64_t count = sources.items() * parts;
  for (std::int64_t i = thread_index() / warp_size; i < count; i += thread_total() / warp_size) {
    const std::int64_t k = sources.order[i / parts];
    const Parentage parentage = sources.parentage != nullptr ? sources.parentage[k] : Parentage{};
    const MeasuredSource source{static_cast<std::int32_t>(k + 1),
                                shape_of(sources.sums[k], parentage, image.width, image.height), &sources.sums[k],
                                sources.kron != nullptr ? sources.kron + k : nullptr,
                                sources.radii != nullptr ? sources.radii + k * sources.radii_each : nullptr};
    const auto keep = [&](int which, const typename One::Row& row) {
      if (first_lane()) rows[k * each + which] = row;
    };
    if constexpr (rows_are_together<One>) {
      family.measure_rows(lanes, source, image, keep);
    } else {
      const auto which = static_cast<int>(i % parts);
      if constexpr (elsewhere) {
        keep(which, measure_row_in(family, lanes, source, found_in.known(), image, which));
      } else {
        keep(which, family.measure(lanes, source, image, which));
      }
    }
  }
}

}  // namespace

Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Eaten, Gpu>* eaten) {
  Image<std::int32_t, Gpu> owners;
  owners.shape = runs.shape;
  owners.pixels = filled<std::int32_t>(runs.shape.count(), 0, where);
  static_assert(nobodys_pixel == 0);
  const std::int64_t most = runs.runs.size();
  if (most == 0) return owners;
  paint_owners_kernel<<<grid_for(most, where), block_threads, 0, where.stream>>>(
      runs.runs.data(), ItemCount{runs.row_begin.data() + runs.shape.height, most}, components.label.data(),
      eaten != nullptr ? eaten->data() : nullptr, runs.shape.width, owners.pixels.data());
  check_launch();
  return owners;
}

Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Config& config, const Gpu& where) {
  const Image<std::int32_t, Gpu> owners = map_owners(input.runs, input.components, where, input.eaten);
  const auto levelled = [&](const Image<float, Gpu>& pixels, const Image<float, Gpu>& variance,
                            const Value<Levels, Gpu>& levels) {
    return LevelledImage{{pixels.pixels.data(), variance.pixels.data(), owners.pixels.data(),
                          static_cast<std::int32_t>(pixels.shape.width), static_cast<std::int32_t>(pixels.shape.height),
                          0, 0, config.measurement.mask},
                         levels.data()};
  };
  const LevelledImage image = levelled(input.image, input.variance, input.levels);
  const FoundImage<Gpu>* const other = input.found_in;
  const LevelledImage found_in = other == nullptr ? image : levelled(other->image, other->variance, other->levels);
  const ColumnChoice choice(config.output.columns);
  const std::int64_t room = input.sums.size();
  const ItemCount items{&input.components.counts.data()->kept, room};
  Buffer<std::int32_t, Gpu> order;
  Photometry<Gpu> measured;
  for_each_family([&]<class One>(auto&& rows_of) {
    if (!choice.needs(One::id)) return;
    const One family(config);
    auto& out = rows_of(measured);
    out.each = family.rows();
    if (room == 0) return;
    out.rows = Buffer<typename One::Row, Gpu>(room * out.each, where);
    if (order.empty()) order = largest_first(input.sums.data(), items, where);
    const SourceTable sources{order.data(),
                              input.sums.data(),
                              input.parentage.data(),
                              measured.kron.rows.data(),
                              measured.light_radii.rows.data(),
                              measured.light_radii.each,
                              items};
    const std::int64_t parts = rows_are_together<One> ? room : room * out.each;
    const auto blocks = static_cast<unsigned int>(
        std::min((parts + block_warps - 1) / block_warps, most_family_blocks * where.multiprocessors));
    const auto launch = [&](auto kernel, const auto& what) {
      kernel<<<blocks, family_threads, 0, where.stream>>>(what, image, found_in, sources, out.rows.data());
    };
    if constexpr (std::is_same_v<One, CircleFamily>) {
      if (family.is_exact)
        launch(measure_family_kernel<CirclesByArea, false>, CirclesByArea{family});
      else
        launch(measure_family_kernel<CirclesBySubPixels, false>, CirclesBySubPixels{family});
    } else if (looks_at_both<One, WarpLanes> && other != nullptr) {
      launch(measure_family_kernel<One, looks_at_both<One, WarpLanes>>, family);
    } else {
      launch(measure_family_kernel<One, false>, family);
    }
    check_launch();
  });
  return measured;
}

}  // namespace srcextract
