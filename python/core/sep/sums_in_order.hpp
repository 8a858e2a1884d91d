#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stages/sky/mesh_pixels.hpp"

namespace srcextract::python {

/// So many meshes are summed side by side: within a mesh each sum waits for the pixel before.
inline constexpr std::size_t meshes_together = 8;

/// Of as many meshes.
using MeshCuts = std::array<MeshCut, meshes_together>;
using MeshesSums = std::array<MeshSums, meshes_together>;

/// Of each of at most meshes_together meshes the sums over the pixels that its cut contains, one pixel after the other
/// as SEP has them: where the sky is bright, their last bits move the bins of the histogram.
MeshesSums sum_in_order(std::span<const MeshPixels> meshes, const MeshCuts& cuts);

}  // namespace srcextract::python
