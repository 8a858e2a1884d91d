#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "stages/sky/mesh_pixels.hpp"

namespace srcextract::python {

/// Number of meshes that are summed at the same time, one per vector lane. Within a mesh, each addition needs the
/// result of the addition before.
inline constexpr std::size_t meshes_together = 8;

/// One element per mesh.
using MeshCuts = std::array<MeshCut, meshes_together>;
using MeshesSums = std::array<MeshSums, meshes_together>;

/// Sums over the pixels of each mesh that are within the mesh's cut. Adds pixel by pixel in SEP's order: if the sky is
/// bright, the last bits of the sums decide into which bins of the histogram pixels fall.
MeshesSums sum_in_order(std::span<const MeshPixels> meshes, const MeshCuts& cuts);

}  // namespace srcextract::python
