#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/options/run_options.hpp"
#include "survey/inputs/shard.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

struct BatchOptions : RunOptions {
  std::optional<Shard> shard;  ///< part of the files that this process extracts, by --shard or else by the Slurm array
                               ///< task; empty: all files
  PlanOptions plan;
  bool dry_run = false;
  std::optional<std::int64_t> max_failures;  ///< the run stops after more failed images than this; empty: never
  double wait = 3600;           ///< seconds to wait if many input files become unreadable at once; 0: no wait
  double image_timeout = 3600;  ///< longest time in seconds that an image may take; 0: no limit
};

/// Parses the arguments of `srcextract batch`. Throws Error{config} if the arguments are invalid.
BatchOptions parse_batch_options(int argc, const char* const* argv);

}  // namespace srcextract
