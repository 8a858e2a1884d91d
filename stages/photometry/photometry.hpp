#pragma once

#include <span>

#include "stages/clean/clean_sources.hpp"
#include "stages/core/handed_numbers.hpp"
#include "stages/detect/label.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The image in which sources were found, if another is measured.
template <class Where>
struct FoundImage {
  const Image<float, Where>& image;
  const Image<float, Where>& variance;
  const Value<Levels, Where>& levels;
  const WeightsConfig& weights;  ///< weights that its variance comes from
};

/// Input of the stage.
template <class Where>
struct PhotometryInput {
  const Image<float, Where>& image;     ///< NaN: bad
  const Image<float, Where>& variance;  ///< variance of its pixels; empty: all are alike
  const Value<Levels, Where>& levels;
  const Runs<Where>& runs;
  const Components<Where>& components;        ///< sources without absorbed pixels
  const Buffer<SourceSums, Where>& sums;      ///< sums over `components`, in the image in which sources were found
  const Buffer<Parentage, Where>& parentage;  ///< empty: sources were not deblended
  const Buffer<Absorbed, Where>* absorbed = nullptr;  ///< per run: whether it was absorbed; null: none was
  const FoundImage<Where>* found_in = nullptr;        ///< null: `image` itself
  /// Least variance of each source's pixels, if thresholds follow the noise that a mesh has for each pixel; else null.
  const Buffer<float, Where>* least_variance = nullptr;
  StarView star = {};  ///< the shape of the image's stars, if it is known
  /// The sky of the image itself, if a mesh was subtracted; null: that of `levels`.
  const Value<Background, Where>* whole = nullptr;
  std::span<const HandedNumbers> numbers = {};  ///< numbers of files in the device's memory; the host needs none
  std::int64_t kernel_rows = 0;                 ///< as in PhotometryImage
};

/// The owner of the pixels of a run, or in the map of claims what is said of absorbed ones.
SRCEXTRACT_HOST_DEVICE inline std::int32_t owner_of_run(std::int32_t label, Absorbed absorbed) {
  return is_free(absorbed) ? absorbed_after(static_cast<std::int32_t>(absorbed) - 1) : owner_of_label(label);
}

/// Returns the owner of every pixel:
/// - the label of its run;
/// - unclaimed_pixel for a run of label 0;
/// - nobodys_pixel outside of all runs, and in absorbed runs that are left free;
/// - absorbed_after in these runs, if the map is to show claims.
Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Absorbed, Cpu>* absorbed = nullptr, bool claims = false);
Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Absorbed, Gpu>* absorbed = nullptr, bool claims = false);

/// The stage: measures every source by the families whose columns `config` asks for. A device has rows for as many
/// sources as there is room for; further sources are left out.
Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Settings& config, const Cpu& where);
Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Settings& config, const Gpu& where);

}  // namespace srcextract
