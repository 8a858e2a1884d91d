#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The division of an image into meshes: equal rectangles of pixels. The last meshes along x and y may be smaller.
struct MeshGrid {
  Shape image;
  Shape mesh;   ///< width and height of a mesh in pixels
  Shape nodes;  ///< number of meshes along x and y; each has one node
};

inline MeshGrid mesh_grid(const Shape& image, const Shape& mesh) {
  const auto meshes = [](std::int64_t pixels, std::int64_t side) { return pixels > 0 ? (pixels - 1) / side + 1 : 0; };
  return {image, mesh, {meshes(image.width, mesh.width), meshes(image.height, mesh.height)}};
}

inline Shape mesh_sides(const BackgroundConfig& config) {
  return {config.mesh_size, config.mesh_height > 0 ? config.mesh_height : config.mesh_size};
}

/// The sky of an image as a grid of nodes, one at the centre of each mesh, with a bicubic spline through the nodes. The
/// values of the spline at all pixels are SExtractor's background and RMS maps (Bertin & Arnouts 1996). As in
/// SExtractor, the spline puts the centre of a mesh half a pixel too high in y.
template <class Where>
struct SkyMesh {
  MeshGrid grid;
  Buffer<float, Where> level, rms;            ///< sky level and noise at every node, row by row, after the median
                                              ///< filter
  Buffer<float, Where> level_bend, rms_bend;  ///< a sixth of the second derivative along y at every node, for the
                                              ///< spline
  /// whether a map between nodes stays within their range (BackgroundConfig::rms_map); usually false for the level
  bool level_bounded = false, rms_bounded = false;
};

/// Returns the mesh with copies of its arrays, which `copy` makes.
template <class To, class From, class Copy>
SkyMesh<To> mesh_of_copies(const SkyMesh<From>& mesh, const Copy& copy) {
  return {mesh.grid,           copy(mesh.level),   copy(mesh.rms),  copy(mesh.level_bend),
          copy(mesh.rms_bend), mesh.level_bounded, mesh.rms_bounded};
}

inline void record_fields(const SkyMesh<Cpu>& mesh, FieldRecorder& to) {
  const auto nodes = [](const Buffer<float, Cpu>& all) { return std::span(all.begin(), all.end()); };
  to.values("level of node", Element::whole, nodes(mesh.level));
  to.values("rms of node", Element::whole, nodes(mesh.rms));
}

template <class Where>
struct MeshSky {
  SkyMesh<Where> mesh;
  /// Summary for the whole image: clipped.median is the median of the nodes' levels, and clipped.sigma the median of
  /// their noise. If the median noise is 0, clipped.sigma is the median of the positive values, or 0 if there are none.
  /// Besides these, only all.count, converged and `mesh` are set.
  Value<Background, Where> background;
  /// The same summary for the image after subtraction of the sky: equal to `background` except that the level is 0.
  Value<Background, Where> above;
};

/// The unit of the pixels of an image whose sky is estimated: counts, or the noise of a first mesh.
template <class Where>
struct MeshUnits {
  const SkyMesh<Where>* mesh = nullptr;  ///< the first mesh, which must have the same grid; null: pixels are in counts
  double rms_factor = 1;                 ///< factor by which the resulting noise is multiplied
};

/// Estimates level and noise of the sky in every mesh (stages/sky/mesh_estimate.hpp):
/// - In each mesh: a cut at 2 sigma about the mean, then a histogram, then clipping at kappa sigma about the median.
/// - A mesh with too few unmasked pixels (too_few) gets the mean of the nearest other meshes.
/// - A median filter covers filter_size x filter_height nodes, and fewer near the edges (filtered_node). The medians
/// replace level and
///   noise of a node if its level changes by at least filter_threshold.
///
/// With kappa = 3 the nodes equal those of SExtractor 2.25 (MINIBACKGROUND, MINIBACK_RMS) to the last bit. Images
/// wider than 16384 pixels are an exception, since SExtractor reads only some of their rows.
///
/// If units.mesh is set, `image` is a result of mask_bright() or mask_light() with that mesh. The median filter is then
/// wider (widened_filter), and the result is converted back to counts. With BackgroundSurface::quadric the levels are
/// then those of a surface through the meshes' own (stages/sky/sky_surface.hpp).
MeshSky<Cpu> estimate_mesh(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where,
                           const MeshUnits<Cpu>& units = {});
MeshSky<Gpu> estimate_mesh(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where,
                           const MeshUnits<Gpu>& units = {});

/// Returns pixel - level for every pixel, in float. Masked pixels stay masked.
Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where);
Image<float, Gpu> subtract_sky(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where);

/// Subtracts the sky in the memory of `image`, which keeps only its shape. New memory would take as long to map as the
/// subtraction takes.
Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where);

}  // namespace srcextract
