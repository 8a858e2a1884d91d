#pragma once

#include "pipeline/options/convert_options.hpp"

namespace srcextract {

/// Does what `srcextract convert-config` is for; returns its exit code. Throws Error{mismatch} if something could not
/// be honoured and options are strict, once everything is written.
int run_convert(const ConvertOptions& options);

}  // namespace srcextract
