#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/options/run_options.hpp"
#include "survey/inputs/shard.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// Options of `srcextract batch`.
struct BatchOptions : RunOptions {
  std::optional<Shard> shard;  ///< none: all files, or the Slurm array task's shard
  PlanOptions plan;
  bool dry_run = false;
  std::optional<std::int64_t> max_failures;  ///< the run stops after more failures
  double wait = 3600;                        ///< seconds to wait for inputs that went away together; 0: do not
  double image_timeout = 3600;               ///< seconds that an image may take; 0: no limit
};

/// Parses the arguments of `srcextract batch`. Throws Error{config} if they make no sense.
BatchOptions parse_batch_options(int argc, const char* const* argv);

}  // namespace srcextract
