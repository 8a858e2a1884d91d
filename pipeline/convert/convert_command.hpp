#pragma once

#include "pipeline/options/convert_options.hpp"

namespace srcextract {

/// Runs `srcextract convert-config`; returns its exit code. With strict options, throws Error{mismatch} after writing
/// everything if a setting could not be honoured.
int run_convert(const ConvertOptions& options);

}  // namespace srcextract
