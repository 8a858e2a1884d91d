#include "pipeline/outputs/sky_json.hpp"

#include <nlohmann/json.hpp>

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

/// Describes the sky of a mesh: level and noise of the whole image, and their ranges over the meshes.
Json mesh_json(const Background& background) {
  const MeshFacts& mesh = background.mesh;
  return {{"method", "mesh"},
          {"count", background.all.count},
          {"level", background.clipped.median},
          {"sigma", background.clipped.sigma},
          {"meshes", {mesh.width, mesh.height}},
          {"bad_meshes", mesh.bad},
          {"level_range", {mesh.least_level, mesh.most_level}},
          {"sigma_range", {mesh.least_rms, mesh.most_rms}}};
}

}  // namespace

nlohmann::ordered_json statistics_json(const Statistics& s) {
  return {{"count", s.count}, {"mean", s.mean}, {"median", s.median},
          {"sigma", s.sigma}, {"min", s.min},   {"max", s.max}};
}

nlohmann::ordered_json background_json(const Background& background) {
  if (background.mesh.width > 0) return mesh_json(background);
  return {{"method", "constant"},
          {"all", statistics_json(background.all)},
          {"clipped", statistics_json(background.clipped)},
          {"zero_share", background.zero_share},
          {"iterations", background.iterations},
          {"converged", background.converged}};
}

}  // namespace srcextract
