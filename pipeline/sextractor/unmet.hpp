#pragma once

#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract {

/// Throws Error{config} if settings ask for functions of SExtractor that srcextract lacks. The message gives the place
/// of each setting, the reason, and an alternative. Settings that apply to the detection image alone are accepted.
void require_met(const sextractor::Request& request, const sextractor::Translation& translation,
                 const std::vector<std::string>& images);

}  // namespace srcextract
