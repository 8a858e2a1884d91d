#pragma once

#include "pipeline/options/sextractor_options.hpp"

namespace srcextract {

/// Runs `srcextract sextractor` and returns the exit code. Throws Error{config}, before anything is written, if a
/// setting asks for a function of SExtractor that srcextract lacks.
int run_sextractor(const SextractorOptions& options);

/// Runs `srcextract convert-config`; returns the exit code. Throws Error{config} if the arguments are invalid. With
/// --strict, throws Error{mismatch} after writing the output if srcextract cannot honour a setting.
int run_convert(int argc, const char* const* argv);

}  // namespace srcextract
