#pragma once

#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract {

/// Throws Error{config} if something is asked for that SExtractor does and that is not done here, with the place of
/// each such setting, the reason, and what to try. What only the image in which sources are found has for itself is
/// met.
void require_met(const sextractor::Request& request, const sextractor::Translation& translation,
                 const std::vector<std::string>& images);

}  // namespace srcextract
