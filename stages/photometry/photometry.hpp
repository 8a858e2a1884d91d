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

/// The image in which sources were found, where fluxes are measured in another image.
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
  const Image<float, Where>& variance;  ///< variance of the pixels of `image`; empty: the same for all pixels
  const Value<Levels, Where>& levels;
  const Runs<Where>& runs;
  const Components<Where>& components;                ///< sources without absorbed pixels
  const Buffer<SourceSums, Where>& sums;              ///< sums over `components`, in the image where sources were found
  const Buffer<Parentage, Where>& parentage;          ///< empty: sources were not deblended
  const Buffer<Absorbed, Where>* absorbed = nullptr;  ///< per run: whether CLEAN absorbed it; null: none was absorbed
  const FoundImage<Where>* found_in = nullptr;        ///< null: `image` itself
  /// Per source: least variance of its pixels; set if a background mesh gives the noise of each pixel, else null.
  const Buffer<float, Where>* least_variance = nullptr;
  StarView star = {};  ///< shape of the stars in the image, if it is known
  /// Background of `image` as a whole, if a mesh was subtracted; null: `levels` has it.
  const Value<Background, Where>* whole = nullptr;
  std::span<const HandedNumbers> numbers = {};  ///< numbers of files, copied to the device; the host needs none
  std::int64_t kernel_rows = 0;                 ///< as in PhotometryImage
};

/// The owner of the pixels of a run. For an absorbed run that became part of no source it is absorbed_after(), which
/// only the map of claims shows.
SRCEXTRACT_HOST_DEVICE inline std::int32_t owner_of_run(std::int32_t label, Absorbed absorbed) {
  return is_free(absorbed) ? absorbed_after(static_cast<std::int32_t>(absorbed) - 1) : owner_of_label(label);
}

/// Returns the owner of every pixel:
/// - the label of its run;
/// - unclaimed_pixel for a run of label 0;
/// - nobodys_pixel outside of all runs, and in absorbed runs that became part of no source;
/// - absorbed_after in these runs, if the map is to show claims.
/// With `on_demand` its rows are made on demand, as long as runs, components and `absorbed` exist.
Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Absorbed, Cpu>* absorbed = nullptr, bool claims = false,
                                    const std::shared_ptr<RowMemory>& on_demand = nullptr);
Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Absorbed, Gpu>* absorbed = nullptr, bool claims = false);

/// The stage: measures every source by the families whose columns `config` asks for. A device measures only as many
/// sources as its buffers have room for.
Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Settings& config, const Cpu& where);
Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Settings& config, const Gpu& where);

}  // namespace srcextract
