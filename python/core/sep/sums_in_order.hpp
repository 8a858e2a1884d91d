#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stages/sky/mesh_pixels.hpp"

namespace srcextract::python {

/// Number of meshes that are summed side by side, since within a mesh every addition depends on the one before.
inline constexpr std::size_t meshes_together = 8;

/// One element for each of these meshes.
using MeshCuts = std::array<MeshCut, meshes_together>;
using MeshesSums = std::array<MeshSums, meshes_together>;

/// Sums over those pixels of each mesh that are within the mesh's cut, in SEP's order, pixel by pixel. With a bright
/// sky, the last bits of these sums decide the bins of the histogram.
MeshesSums sum_in_order(std::span<const MeshPixels> meshes, const MeshCuts& cuts);

}  // namespace srcextract::python
