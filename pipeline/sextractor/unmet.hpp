#pragma once

#include <string>
#include <vector>

#include "sextractor/translation.hpp"

namespace srcextract {

/// Throws Error{config} if settings ask for functions of SExtractor that srcextract lacks. Settings with the
/// same reason share one message with the place of the first, the reason, and an alternative. All messages but the last
/// are logged; the exception has the last. Settings that apply to the detection image alone are accepted.
void require_met(const sextractor::Request& request, const sextractor::Translation& translation,
                 const std::vector<std::string>& images);

}  // namespace srcextract
