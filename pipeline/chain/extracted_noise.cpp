#include "pipeline/chain/extracted_noise.hpp"

#include "pipeline/chain/detection.hpp"

namespace srcextract {
namespace {

NoiseMap<Cpu> map_of(const CheckData& check, const Config& config) {
  NoiseMap<Cpu> noise;
  if (has_map(config.weights))
    noise.variance = &check.variance;
  else if (Plan(config).noise_varies() && !check.mesh.level.empty())
    noise.mesh = &check.mesh;
  return noise;
}

}  // namespace

ExtractedNoise::ExtractedNoise(const Extraction& extraction, const Config& config, const Cpu& where)
    : map_(map_of(extraction.check, config)),
      rms_(map_, where),
      factor_(map_.varies() ? extraction.levels.noise_scale : extraction.levels.sigma) {}

}  // namespace srcextract
