#include "pipeline/sextractor/without_sky.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pipeline/extract/restore_level.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

Buffer<float, Cpu> filled(std::int64_t size, double value, const Cpu& where) {
  Buffer<float, Cpu> all(size, where);
  std::fill(all.begin(), all.end(), static_cast<float>(value));
  return all;
}

}  // namespace

Extraction extraction_without_sky(const ImageInput& input, const AssumedSky& sky, const Cpu& where) {
  const Shape shape = input.exposure.shape();
  Extraction nothing;
  nothing.background.clipped.median = sky.level;
  nothing.background.clipped.sigma = sky.noise;
  nothing.levels.detection = std::numeric_limits<double>::infinity();
  nothing.runs.shape = shape;
  nothing.runs.row_begin = Buffer<std::int64_t, Cpu>(shape.height + 1, where);
  std::fill(nothing.runs.row_begin.begin(), nothing.runs.row_begin.end(), 0);
  if (input.config().output.check_images.empty()) return nothing;
  restore_level(input, where, nothing);
  // The spline through equal nodes is flat.
  SkyMesh<Cpu>& mesh = nothing.check.mesh;
  mesh.grid = mesh_grid(shape, mesh_sides(input.config().background));
  const std::int64_t nodes = mesh.grid.nodes.count();
  mesh.level = filled(nodes, sky.level, where);
  mesh.rms = filled(nodes, sky.noise, where);
  mesh.level_bend = filled(nodes, 0, where);
  mesh.rms_bend = filled(nodes, 0, where);
  nothing.check.above = std::move(ingest(input.first(), where).image);
  const double level = nothing.sky_level();
  for (float& pixel : nothing.check.above.pixels) pixel = static_cast<float>(static_cast<double>(pixel) - level);
  return nothing;
}

}  // namespace srcextract
