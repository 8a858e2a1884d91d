#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/clean/clean_profile.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// What decides who is eaten: a source, its flux in the image in which it was found, and its place in SExtractor's
/// order, from 0.
struct CleanCandidate {
  CleanProfile profile;
  double flux;
  std::int32_t place;
};

/// Who eats each source, from 0, or -1: from the brightest on (of equals the first in SExtractor's order), a source is
/// eaten if one that is brighter, and is not eaten itself, can eat it (can_eat); of several by the first in
/// SExtractor's order. So the result is the same whatever the order in which sources are looked at; SExtractor's own is
/// not.
///
/// Every source looks at those near it alone, so that time grows with their number, but where large ones are so many
/// that most are within reach of most.
std::vector<std::int32_t> find_eaters(std::span<const CleanCandidate> sources, double beta, const Cpu& where);

}  // namespace srcextract
