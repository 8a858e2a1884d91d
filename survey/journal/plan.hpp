#pragma once

#include <cstdint>
#include <string>

#include "survey/inputs/image_files.hpp"
#include "survey/journal/ledger.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// The files to extract, and counts by kind. A file to extract counts as added, changed or retried: the first of these
/// that applies. It also counts as failed if one of its images stays failed and is not tried again, while another image
/// of the file is extracted.
struct Plan {
  PlannedFiles files;
  std::int64_t added = 0;    ///< no journal has the file, or a journal lacks some of its images
  std::int64_t changed = 0;  ///< the file, its configuration, the program's version, or an output changed
  std::int64_t retried = 0;  ///< failed before, and extracted again
  std::int64_t forced = 0;   ///< done before, and extracted again
  std::int64_t done = 0;     ///< nothing to extract
  std::int64_t failed = 0;   ///< an image failed before, and is not retried
  std::int64_t unseen = 0;   ///< done files that cannot be accessed now, or need a file that cannot
  std::int64_t undone = 0;   ///< as unseen, but with images left to extract, which have to wait; not counted as done
  std::string why_unseen;    ///< name and reason of the first
};

struct PlanOptions {
  bool retry_failed = false;
  bool force = false;
};

/// Determines which files are to be extracted. An image is done if a journal has a done record of it with the same file
/// size, time, configuration and version. Its outputs must also exist with the recorded sizes. A file with done images
/// is left alone, whatever the options, if it or a file that it needs is not accessible now. Extracting it could only
/// fail, as on an unmounted file system.
Plan make_plan(ImageFiles files, const Ledger& ledger, const std::string& directory, const std::string& program,
               const PlanOptions& options);

}  // namespace srcextract
