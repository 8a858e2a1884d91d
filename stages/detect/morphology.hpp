#pragma once

#include "stages/core/bit_mask.hpp"
#include "stages/core/runs.hpp"
#include "stages/settings/morphology.hpp"

namespace srcextract {

/// Erodes a mask `iterations` times (1 or more): a pixel stays foreground if all pixels under the structuring element
/// are. Pixels beyond the edges are background. Equals scipy.ndimage.binary_erosion with generate_binary_structure(2,
/// 1) (cross) or (2, 2) (square).
BitMask<Cpu> erode(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where);
BitMask<Gpu> erode(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where);

/// Dilation, `iterations` times: scipy.ndimage.binary_dilation.
BitMask<Cpu> dilate(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where);
BitMask<Gpu> dilate(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where);

/// to_mask converts runs to a mask of bits; to_runs lists the runs of a mask.
BitMask<Cpu> to_mask(const Runs<Cpu>& runs, const Cpu& where);
BitMask<Gpu> to_mask(const Runs<Gpu>& runs, const Gpu& where);
Runs<Cpu> to_runs(const BitMask<Cpu>& mask, const Cpu& where);
Runs<Gpu> to_runs(const BitMask<Gpu>& mask, const Gpu& where);

/// The stage: returns the foreground after erosion, or after opening (erosion, then dilation, each `iterations` times).
/// On a device the host does not wait, and the result has room for Gpu::capacity runs, as in find_runs. Erosion splits
/// runs, so the result may have more runs than `runs`. If `runs` is incomplete, so is the result: the host must check
/// both counts.
template <class Where>
Runs<Where> apply_morphology(const Runs<Where>& runs, const MorphologyConfig& config, const Where& where) {
  BitMask<Where> mask = erode(to_mask(runs, where), config.element, config.iterations, where);
  if (config.operation == MorphologicalOperation::opening)
    mask = dilate(mask, config.element, config.iterations, where);
  return to_runs(mask, where);
}

}  // namespace srcextract
