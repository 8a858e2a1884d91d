#pragma once

namespace srcextract {

/// Runs `srcextract convert-config`; returns the exit code. Throws Error{config} if the arguments are invalid. With
/// --strict, throws Error{mismatch} after writing the output if srcextract cannot honour a setting.
int run_convert(int argc, const char* const* argv);

}  // namespace srcextract
