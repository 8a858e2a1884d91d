#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/clean/clean_profile.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Input of the decision which sources are eaten: the profile of a source, its flux in the image in which it was found,
/// and its place in SExtractor's order, from 0.
struct CleanCandidate {
  CleanProfile profile;
  double flux;
  std::int32_t place;
};

/// Returns for each source the index of the source that eats it, from 0, or -1. Sources are decided from the brightest
/// on; of equal ones the first in SExtractor's order comes first. A source is eaten if a brighter one that is not eaten
/// itself can eat it (can_eat). Of several such sources the first in SExtractor's order eats it. The result does not
/// depend on the order in which sources are looked at; SExtractor's own does.
///
/// Only neighbours are compared, so time is linear in the number of sources. Exception: many large sources that reach
/// most of the others.
std::vector<std::int32_t> find_eaters(std::span<const CleanCandidate> sources, double beta, const Cpu& where);

}  // namespace srcextract
