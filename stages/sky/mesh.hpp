#pragma once

#include <cstdint>

#include "config/settings/background.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// How an image is divided into meshes, from its first pixel on; the last of a row or column are cut.
struct MeshGrid {
  Shape image;
  Shape mesh;   ///< sides of a mesh in pixels
  Shape nodes;  ///< meshes along x and y
};

inline MeshGrid mesh_grid(const Shape& image, const Shape& mesh) {
  const auto meshes = [](std::int64_t pixels, std::int64_t side) { return pixels > 0 ? (pixels - 1) / side + 1 : 0; };
  return {image, mesh, {meshes(image.width, mesh.width), meshes(image.height, mesh.height)}};
}

/// The sides of a mesh.
inline Shape mesh_sides(const BackgroundConfig& config) {
  return {config.mesh_size, config.mesh_height > 0 ? config.mesh_height : config.mesh_size};
}

/// The sky of an image as a grid of nodes, one at the centre of each mesh, and a bicubic spline through them.
/// SExtractor's background and RMS maps (Bertin & Arnouts 1996), which are never made as images; as there, the spline
/// takes the centre of a mesh to be half a pixel higher in y than it is.
template <class Where>
struct SkyMesh {
  MeshGrid grid;
  Buffer<float, Where> level, rms;            ///< of every node, row by row, after the median filter
  Buffer<float, Where> level_bend, rms_bend;  ///< sixths of their second derivatives along y, for the spline
};

inline void record_fields(const SkyMesh<Cpu>& mesh, FieldRecorder& to) {
  const auto nodes = [](const Buffer<float, Cpu>& all) { return std::span(all.begin(), all.end()); };
  to.values("level of node", Element::whole, nodes(mesh.level));
  to.values("rms of node", Element::whole, nodes(mesh.rms));
}

/// What estimate_mesh finds.
template <class Where>
struct MeshSky {
  SkyMesh<Where> mesh;
  /// In one number each: level and noise are the medians over the nodes (clipped.median, clipped.sigma; of the noise
  /// that of the positive ones if the median is 0, or 0 if there are none). Of the rest all.count and `mesh` are set.
  Value<Background, Where> background;
  /// The same of the image above the sky, whose level is 0.
  Value<Background, Where> above;
};

/// Level and noise of the sky, mesh by mesh. In each, a cut at 2 sigma about the mean, a histogram, and a clip at
/// kappa sigma about the median (stages/sky/mesh_estimate.hpp). A mesh that has less than half of its pixels unmasked
/// takes the mean over the nearest meshes that have more. A median over filter_size x filter_height nodes, fewer
/// towards the edges, replaces level and noise where the level differs from it by at least filter_threshold. With kappa
/// = 3 these are the values of SExtractor 2.25 (MINIBACKGROUND, MINIBACK_RMS) to the last bit, but for images wider
/// than 16384 pixels, of which SExtractor looks at some rows.
MeshSky<Cpu> estimate_mesh(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where);
MeshSky<Gpu> estimate_mesh(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where);

/// What an image has above the level of its sky, pixel - level in float. Masked pixels stay masked.
Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where);
Image<float, Gpu> subtract_sky(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where);

/// The same in the image's memory, of which the shape is left: entering memory anew takes the host as long as all else.
Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where);

}  // namespace srcextract
