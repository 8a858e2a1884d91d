#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The division of an image into meshes, equal rectangles of pixels. The last mesh of a row or column may be cut.
struct MeshGrid {
  Shape image;
  Shape mesh;   ///< sides of a mesh in pixels
  Shape nodes;  ///< meshes along x and y
};

inline MeshGrid mesh_grid(const Shape& image, const Shape& mesh) {
  const auto meshes = [](std::int64_t pixels, std::int64_t side) { return pixels > 0 ? (pixels - 1) / side + 1 : 0; };
  return {image, mesh, {meshes(image.width, mesh.width), meshes(image.height, mesh.height)}};
}

/// Width and height of a mesh in pixels.
inline Shape mesh_sides(const BackgroundConfig& config) {
  return {config.mesh_size, config.mesh_height > 0 ? config.mesh_height : config.mesh_size};
}

/// The sky of an image as a grid of nodes, one at the centre of each mesh, and a bicubic spline through them. Evaluated
/// at all pixels, they are SExtractor's background and RMS maps (Bertin & Arnouts 1996). As in SExtractor, the spline
/// places the centre of a mesh half a pixel too high in y.
template <class Where>
struct SkyMesh {
  MeshGrid grid;
  Buffer<float, Where> level, rms;            ///< at every node, row by row, after the median filter
  Buffer<float, Where> level_bend, rms_bend;  ///< second derivative along y / 6 at every node, for the spline
};

inline void record_fields(const SkyMesh<Cpu>& mesh, FieldRecorder& to) {
  const auto nodes = [](const Buffer<float, Cpu>& all) { return std::span(all.begin(), all.end()); };
  to.values("level of node", Element::whole, nodes(mesh.level));
  to.values("rms of node", Element::whole, nodes(mesh.rms));
}

/// The result of estimate_mesh.
template <class Where>
struct MeshSky {
  SkyMesh<Where> mesh;
  /// Summary for the whole image: clipped.median is the median level of the nodes, clipped.sigma their median noise. If
  /// the median noise is 0, clipped.sigma is the median of the positive values, or 0 if there are none. Of the other
  /// members only all.count, converged and `mesh` are set.
  Value<Background, Where> background;
  /// As `background`, for the image after the sky was subtracted: its level is 0.
  Value<Background, Where> above;
};

/// The unit of an image's pixels where they are compared with a limit: counts, or the noise of a mesh.
template <class Where>
struct MeshUnits {
  const SkyMesh<Where>* mesh = nullptr;  ///< a mesh with the same grid; null: pixels are in counts
  double rms_factor = 1;                 ///< factor for the resulting noise
};

/// Estimates level and noise of the sky in every mesh (stages/sky/mesh_estimate.hpp):
/// - In each mesh: a cut at 2 sigma about the mean, a histogram, and a clip at kappa sigma about the median.
/// - A mesh with less than half of its pixels unmasked takes the mean of the nearest other meshes.
/// - A median filter covers filter_size x filter_height nodes, fewer towards the edges. The medians replace level and
///   noise of a node if its level changes by at least filter_threshold.
///
/// With kappa = 3 the values equal those of SExtractor 2.25 (MINIBACKGROUND, MINIBACK_RMS) to the last bit. Images
/// wider than 16384 pixels are an exception: SExtractor reads only some of their rows.
///
/// With `units`, the image is above the level of that mesh in units of its noise (mask_bright). The result is converted
/// back to counts.
MeshSky<Cpu> estimate_mesh(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where,
                           const MeshUnits<Cpu>& units = {});
MeshSky<Gpu> estimate_mesh(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where,
                           const MeshUnits<Gpu>& units = {});

/// Returns the image above the sky level: pixel - level in float. Masked pixels stay masked.
Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where);
Image<float, Gpu> subtract_sky(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where);

/// Subtracts the sky in the image's own memory; `image` keeps only its shape. This saves mapping fresh memory, which
/// would take as long as the subtraction.
Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where);

}  // namespace srcextract
