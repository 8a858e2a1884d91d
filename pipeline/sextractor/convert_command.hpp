#pragma once

namespace srcextract {

/// Runs `srcextract convert-config`; returns its exit code. Throws Error{config} if the arguments make no sense. With
/// --strict, throws Error{mismatch} after writing everything if a setting could not be honoured.
int run_convert(int argc, const char* const* argv);

}  // namespace srcextract
