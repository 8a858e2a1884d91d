#pragma once

#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/injection/injection.hpp"

namespace srcextract {

/// Options of `srcextract inject`.
struct InjectCommand : RunOptions {
  InjectionPlan plan;
};

/// Throws Error{config} if the arguments make no sense.
InjectCommand parse_inject_options(int argc, const char* const* argv);

}  // namespace srcextract
