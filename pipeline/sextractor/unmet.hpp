#pragma once

#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract {

/// Throws Error{config} if settings ask for functions of SExtractor that are missing here, with each setting's place,
/// the reason, and what to try. Settings of the detection image alone are allowed.
void require_met(const sextractor::Request& request, const sextractor::Translation& translation,
                 const std::vector<std::string>& images);

}  // namespace srcextract
