#pragma once

#include <memory>
#include <span>

#include "stages/clean/clean_sources.hpp"
#include "stages/core/handed_numbers.hpp"
#include "stages/detect/label.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

class RowMemory;

/// The detection image, if fluxes are measured in another image.
template <class Where>
struct FoundImage {
  const Image<float, Where>& image;
  const Image<float, Where>& variance;
  const Value<Levels, Where>& levels;
  const WeightsConfig& weights;  ///< configuration of the weights from which `variance` was made
};

template <class Where>
struct PhotometryInput {
  const Image<float, Where>& image;  ///< the measured image; bad pixels are NaN
  /// variance of the pixels of `image`; empty if all pixels have the same variance
  const Image<float, Where>& variance;
  const Value<Levels, Where>& levels;
  const Runs<Where>& runs;
  const Components<Where>& components;        ///< sources, without the pixels that CLEAN absorbed
  const Buffer<SourceSums, Where>& sums;      ///< sums over the pixels of `components` in the detection image
  const Buffer<Parentage, Where>& parentage;  ///< empty if neither deblending nor CLEAN ran
  /// for each run, whether CLEAN absorbed the run; null if CLEAN absorbed none
  const Buffer<Absorbed, Where>* absorbed = nullptr;
  const FoundImage<Where>* found_in = nullptr;  ///< the detection image; null if it is `image`
  /// For each source, the least noise variance of the pixels of `image` that belong to the source, if a sky mesh gives
  /// the noise of each pixel; else null.
  const Buffer<double, Where>* least_variance = nullptr;
  StarView star = {};  ///< shape of the stars in the image, if known
  /// Background of `image` as a whole, if a sky mesh was subtracted; null if `levels` contains the background.
  const Value<Background, Where>* whole = nullptr;
  std::span<const HandedNumbers> numbers = {};  ///< numbers from files, copied to the GPU; empty on the host
  std::int64_t kernel_rows = 0;                 ///< as in PhotometryImage
};

/// Returns the owner of the pixels of a run (consecutive pixels above the threshold in a row). If CLEAN absorbed the
/// run and its pixels count as pixels of no source (Absorbed::free), the owner is absorbed_after(). map_owners() writes
/// this value only if `claims` is true.
SRCEXTRACT_HOST_DEVICE inline std::int32_t owner_of_run(std::int32_t label, Absorbed absorbed) {
  return is_free(absorbed) ? absorbed_after(static_cast<std::int32_t>(absorbed) - 1) : owner_of_label(label);
}

/// Returns the map of owners, which has for every pixel
/// - the label of the pixel's run, if the label is above 0;
/// - unclaimed_pixel, if the run has the label 0;
/// - nobodys_pixel outside all runs, and in runs that are Absorbed::free;
/// - absorbed_after() in these free runs instead, if `claims` is true.
///
/// If `on_demand` is not null, rows of the map are computed on demand; `runs`, `components` and `absorbed` must exist
/// as long as the map.
Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Absorbed, Cpu>* absorbed = nullptr, bool claims = false,
                                    const std::shared_ptr<RowMemory>& on_demand = nullptr);
Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Absorbed, Gpu>* absorbed = nullptr, bool claims = false);

class HostLanes;
/// Measures all circles about a source on the host, and writes a row for each to `rows`.
void measure_circles(const CircleFamily& family, const HostLanes& lanes, const MeasuredSource& source,
                     const PhotometryImage& image, CircleFlux* rows);

/// Measures every source by the families whose columns `config` requests. On a GPU only as many sources are measured as
/// the buffers can hold.
Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Settings& config, const Cpu& where);
Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Settings& config, const Gpu& where);

}  // namespace srcextract
