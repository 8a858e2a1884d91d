#pragma once

#include <cstdint>
#include <string>

#include "survey/inputs/image_files.hpp"
#include "survey/journal/ledger.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// What there is to do, and how many files of each kind there are: every one is counted once, as the first that it is
/// of added, changed, retried; and as failed also where other images of it are to do.
struct Plan {
  PlannedFiles files;
  std::int64_t added = 0;    ///< files that no journal knows, or not all of their images
  std::int64_t changed = 0;  ///< the file, its configuration, the program's version, or an output that is not as it was
  std::int64_t retried = 0;  ///< failed before
  std::int64_t forced = 0;   ///< done before, and done again
  std::int64_t done = 0;     ///< nothing to do
  std::int64_t failed = 0;   ///< an image of it failed before, and is not tried again
  std::int64_t unseen = 0;   ///< of those that are done: the file, or one that it needs, cannot be looked at
  std::int64_t undone = 0;   ///< the same, and there is something to do that has to wait for it; not counted as done
  std::string why_unseen;    ///< of the first: its name and the reason
};

struct PlanOptions {
  bool retry_failed = false;
  bool force = false;
};

/// What is missing or changed. An image is done where a journal says so for a file of the same size and time, the same
/// configuration and version, and its outputs are there with the sizes that they had. Where an image is done already,
/// and its file or one that it needs cannot be looked at now, as of a file system that is not mounted, it is left
/// alone, whatever the options say: nothing could come of it but a failure.
Plan make_plan(ImageFiles files, const Ledger& ledger, const std::string& directory, const std::string& program,
               const PlanOptions& options);

}  // namespace srcextract
