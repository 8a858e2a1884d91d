#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// The sources of a label map.
template <class Where>
struct LabelledRuns {
  Runs<Where> runs;  ///< runs (stretches of pixels of a row) of equal label other than 0
  /// Per run: rank of its label among all labels of the map in ascending order, from 1.
  Components<Where> components;
  std::vector<std::int32_t> labels;  ///< all labels of the map, in ascending order
};

/// Finds the sources of a map in which each pixel holds the label of its source, or 0 if the pixel is in no source.
/// Labels need not be consecutive, and pixels with the same label need not touch. Throws Error{input} for a label below
/// 0, and the errors of check_run_count(). On the host, also throws Error{input} if the map changes while it is read.
LabelledRuns<Cpu> runs_of_labels(const Image<std::int32_t, Cpu>& map, const Cpu& where);
LabelledRuns<Gpu> runs_of_labels(const Image<std::int32_t, Gpu>& map, const Gpu& where);

/// Replaces each label by its rank, from 1, among the distinct labels in ascending order. Returns the distinct labels
/// in this order. No label may be 0. Throws Error{input} for a label below 0.
std::vector<std::int32_t> rank_labels(Buffer<std::int32_t, Cpu>& label, const Cpu& where);

/// Divides each source into its connected parts; each part becomes a source. Pixels are connected through sides
/// (connectivity 4), or sides and corners (connectivity 8). Sources are numbered from 1 in raster order of their first
/// pixels. `label` has the label of each run, or 0.
Components<Cpu> in_one_piece(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, std::int64_t connectivity,
                             const Cpu& where);

/// Makes a map in which each pixel has the label of its run, or 0 if the pixel is in no run.
Image<std::int32_t, Cpu> map_labels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, const Cpu& where);
Image<std::int32_t, Gpu> map_labels(const Runs<Gpu>& runs, const Buffer<std::int32_t, Gpu>& label, const Gpu& where);

/// Returns the value that the pixels of one run share: the label, or 1 for all pixels of a mask that are not 0.
SRCEXTRACT_HOST_DEVICE inline std::int32_t value_of_run(std::int32_t label) {
  return label;
}
SRCEXTRACT_HOST_DEVICE inline std::uint8_t value_of_run(std::uint8_t pixel) {
  return pixel != 0 ? 1 : 0;
}

/// runs_of_mask lists the pixels that are not 0 as runs. map_runs makes a map with 1 for each pixel in a run, else 0.
Runs<Cpu> runs_of_mask(const Image<std::uint8_t, Cpu>& mask, const Cpu& where);
Runs<Gpu> runs_of_mask(const Image<std::uint8_t, Gpu>& mask, const Gpu& where);
Image<std::uint8_t, Cpu> map_runs(const Runs<Cpu>& runs, const Cpu& where);
Image<std::uint8_t, Gpu> map_runs(const Runs<Gpu>& runs, const Gpu& where);

}  // namespace srcextract
