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

/// Dilates a mask `iterations` times (1 or more): a pixel becomes foreground if any pixel under the structuring element
/// is foreground. Equals scipy.ndimage.binary_dilation.
BitMask<Cpu> dilate(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where);
BitMask<Gpu> dilate(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where);

BitMask<Cpu> to_mask(const Runs<Cpu>& runs, const Cpu& where);
BitMask<Gpu> to_mask(const Runs<Gpu>& runs, const Gpu& where);
Runs<Cpu> to_runs(const BitMask<Cpu>& mask, const Cpu& where);
Runs<Gpu> to_runs(const BitMask<Gpu>& mask, const Gpu& where);

/// Returns the runs (stretches of foreground pixels of a row) after erosion, or after opening (erosion, then dilation,
/// each `iterations` times). On a device, the host does not wait for the result, which can hold Gpu::capacity runs.
/// Erosion may split runs, so the result may have more runs than the argument. If the argument has more than
/// Gpu::capacity runs, the result is incomplete too. The caller must therefore check both counts.
template <class Where>
Runs<Where> apply_morphology(const Runs<Where>& runs, const MorphologyConfig& config, const Where& where) {
  BitMask<Where> mask = erode(to_mask(runs, where), config.element, config.iterations, where);
  if (config.operation == MorphologicalOperation::opening)
    mask = dilate(mask, config.element, config.iterations, where);
  return to_runs(mask, where);
}

}  // namespace srcextract
