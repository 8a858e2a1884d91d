#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// The sources of a label map.
template <class Where>
struct LabelledRuns {
  Runs<Where> runs;                  ///< cut where another label begins
  Components<Where> components;      ///< per run: rank of its label among all labels, in ascending order, from 1
  std::vector<std::int32_t> labels;  ///< all labels of the map
};

/// Finds the sources of a map in which each pixel holds the label of its source, or 0 for none. Labels need not be
/// consecutive, and pixels with the same label need not touch. Throws Error{input} for a label below 0.
LabelledRuns<Cpu> runs_of_labels(const Image<std::int32_t, Cpu>& map, const Cpu& where);
LabelledRuns<Gpu> runs_of_labels(const Image<std::int32_t, Gpu>& map, const Gpu& where);

/// Replaces each label by its rank among all labels, in ascending order from 1. Returns the labels. No label may be 0.
/// Throws the errors of runs_of_labels().
std::vector<std::int32_t> rank_labels(Buffer<std::int32_t, Cpu>& label, const Cpu& where);

/// Divides sources into connected parts, as label_components would: connected through sides (connectivity 4) or also
/// corners (8), and numbered in raster order of their first pixel. A source in several parts becomes several sources.
Components<Cpu> in_one_piece(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, std::int64_t connectivity,
                             const Cpu& where);

/// Makes a map in which each pixel has the label of its run, or 0. It is the inverse of runs_of_labels, except that
/// runs of label 0 are lost and labels become consecutive.
Image<std::int32_t, Cpu> map_labels(const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, const Cpu& where);
Image<std::int32_t, Gpu> map_labels(const Runs<Gpu>& runs, const Buffer<std::int32_t, Gpu>& label, const Gpu& where);

/// runs_of_mask lists the pixels that are not 0 as runs. map_runs makes a map with 1 for each pixel in a run, else 0.
Runs<Cpu> runs_of_mask(const Image<std::uint8_t, Cpu>& mask, const Cpu& where);
Runs<Gpu> runs_of_mask(const Image<std::uint8_t, Gpu>& mask, const Gpu& where);
Image<std::uint8_t, Cpu> map_runs(const Runs<Cpu>& runs, const Cpu& where);
Image<std::uint8_t, Gpu> map_runs(const Runs<Gpu>& runs, const Gpu& where);

}  // namespace srcextract
