#pragma once

#include "pipeline/options/run_options.hpp"
#include "pipeline/outputs/injection/injection.hpp"

namespace srcextract {

struct InjectCommand : RunOptions {
  InjectionPlan plan;
};

/// Parses the options of `srcextract inject`. Throws Error{config} if the arguments are invalid.
InjectCommand parse_inject_options(int argc, const char* const* argv);

}  // namespace srcextract
