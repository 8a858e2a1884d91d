#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// Sources as a map of labels tells of them.
template <class Where>
struct LabelledRuns {
  Runs<Where> runs;              ///< cut where another label begins
  Components<Where> components;  ///< the place of their label among those that there are, in ascending order, from 1
  std::vector<std::int32_t> labels;  ///< that there are
};

/// The sources of a map that has the label of one in each of its pixels, and 0 in those of none. Labels need not follow
/// one another, and pixels of one label need not touch. Throws Error{input} at a label below 0.
LabelledRuns<Cpu> runs_of_labels(const Image<std::int32_t, Cpu>& map, const Cpu& where);
LabelledRuns<Gpu> runs_of_labels(const Image<std::int32_t, Gpu>& map, const Gpu& where);

/// Gives runs that have labels of 0 and more the places of these among those above 0, in ascending order, from 1;
/// returns them. Throws what runs_of_labels() does.
std::vector<std::int32_t> rank_labels(Buffer<std::int32_t, Cpu>& label, const Cpu& where);

/// Sources as label_components would have them: each in one piece, of pixels that share a side (connectivity 4) or also
/// a corner (8), numbered in raster order of their first pixel. What is in several pieces becomes several sources.
Components<Cpu> in_one_piece(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, std::int64_t connectivity,
                             const Cpu& where);

/// That map: of every pixel the label of its run, 0 in none. It and runs_of_labels are each other's inverse, but that
/// runs of label 0 are not in a map, and labels come to follow one another.
Image<std::int32_t, Cpu> map_labels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, const Cpu& where);
Image<std::int32_t, Gpu> map_labels(const Runs<Gpu>& runs, const Buffer<std::int32_t, Gpu>& label, const Gpu& where);

/// The runs of what is not 0, and, pixel by pixel, 1 in runs and 0 elsewhere.
Runs<Cpu> runs_of_mask(const Image<std::uint8_t, Cpu>& mask, const Cpu& where);
Runs<Gpu> runs_of_mask(const Image<std::uint8_t, Gpu>& mask, const Gpu& where);
Image<std::uint8_t, Cpu> map_runs(const Runs<Cpu>& runs, const Cpu& where);
Image<std::uint8_t, Gpu> map_runs(const Runs<Gpu>& runs, const Gpu& where);

}  // namespace srcextract
