#pragma once

#include "stages/core/bit_mask.hpp"
#include "stages/core/runs.hpp"
#include "stages/settings/morphology.hpp"

namespace srcextract {

/// Erosion, `iterations` times (1 or more): a pixel stays if all pixels under the element are foreground. Pixels beyond
/// the edges are background. Equals scipy.ndimage.binary_erosion with generate_binary_structure(2, 1) (cross) or (2, 2)
/// (square).
BitMask<Cpu> erode(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where);
BitMask<Gpu> erode(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where);

/// Dilation, `iterations` times: scipy.ndimage.binary_dilation.
BitMask<Cpu> dilate(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where);
BitMask<Gpu> dilate(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where);

/// Converts a foreground to bits, and back to runs.
BitMask<Cpu> to_mask(const Runs<Cpu>& runs, const Cpu& where);
BitMask<Gpu> to_mask(const Runs<Gpu>& runs, const Gpu& where);
Runs<Cpu> to_runs(const BitMask<Cpu>& mask, const Cpu& where);
Runs<Gpu> to_runs(const BitMask<Gpu>& mask, const Gpu& where);

/// The stage: the foreground after erosion, or after opening (erosion, then dilation, each `iterations` times). On a
/// device nothing waits, and the result has room for Gpu::capacity, as in find_runs. Erosion splits runs, so the result
/// may need more room than `runs`. The result is incomplete if `runs` is: the host must check both.
template <class Where>
Runs<Where> apply_morphology(const Runs<Where>& runs, const MorphologyConfig& config, const Where& where) {
  BitMask<Where> mask = erode(to_mask(runs, where), config.element, config.iterations, where);
  if (config.operation == MorphologicalOperation::opening)
    mask = dilate(mask, config.element, config.iterations, where);
  return to_runs(mask, where);
}

}  // namespace srcextract
